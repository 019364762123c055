//! From lexemes to what a query wants, leniently.
//!
//! ```text
//! any    = all { ("OR" | "|") all }
//! all    = { not [ "AND" not ] }                words side by side
//! not    = { "-" | "NOT" | "+" } joined
//! joined = item { joint item }                  "NEAR/3", "<", "WITHIN" …: from left to right
//! item   = word | '"' words '"' | name ":" value | [ field ":" ] "(" any ")"
//! ```
//!
//! Parentheses without a choice in them, that are neither excluded nor required, say nothing: `(time sharing) systems` are
//! three plain words, as in the text of any question. A `|` with a space beside it says nothing either: titles have it before
//! the name of a site.
//!
//! The recursion never sees more than [`QUERY_DEPTH_MAX`] open parentheses, and no more than [`JOINTS_MAX`] joints in a row
//! make a formula as deep as that. A production that finds nothing gives nothing and its parent does without it; that alone
//! makes stray operators, empty parentheses and words without letters harmless.

use index::Analyzer;

use crate::formula::{And, Node, Not, Or, Phrase, combine};
use crate::lexer::{Lexeme, lex};
use crate::limits::{JOINTS_MAX, QUERY_DEPTH_MAX};
use crate::spellings::Spellings;
use crate::{Note, QueryError};

/// One thing that a query wants.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The word as it was typed; empty for what is no plain word.
    pub(crate) typed: String,
    pub(crate) node: Node,
    pub(crate) wish: Wish,
}

/// How much a part is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// It is a word, and the more of these a page has the better.
    Plain,
    /// It stands in quotes, so it must hold; unless the query is a long text, in which quotes are no signs.
    Quoted,
    /// It must hold.
    Must,
}

impl Part {
    fn must(node: Node) -> Self {
        Self { typed: String::new(), node, wish: Wish::Must }
    }
}

/// What `text` wants, in its order, nothing when it has no words; and what else its words are found by.
pub(crate) fn parse(
    text: &str,
    analyzer: Analyzer,
    notes: &mut Vec<Note>,
) -> Result<(Vec<Part>, Spellings), QueryError> {
    let (lexemes, spellings) = lex(text, analyzer, notes);
    check_depth(&lexemes)?;
    let mut parser = Parser { lexemes: lexemes.into_iter().peekable(), notes };
    let mut parts = Vec::new();
    // A closing parenthesis that closes nothing ends `any` early; what follows is one more part of the query.
    while parser.lexemes.peek().is_some() {
        parts.extend(parser.any());
        parser.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Close));
    }
    Ok((parts, spellings))
}

fn check_depth(lexemes: &[Lexeme]) -> Result<(), QueryError> {
    let mut depth = 0usize;
    for lexeme in lexemes {
        match lexeme {
            Lexeme::Open(_) => depth += 1,
            Lexeme::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > QUERY_DEPTH_MAX {
            return Err(QueryError::TooDeep { limit: QUERY_DEPTH_MAX });
        }
    }
    Ok(())
}

struct Parser<'n> {
    lexemes: std::iter::Peekable<std::vec::IntoIter<Lexeme>>,
    notes: &'n mut Vec<Note>,
}

impl Parser<'_> {
    fn any(&mut self) -> Vec<Part> {
        let mut choices = Vec::new();
        loop {
            choices.push(self.all());
            if self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Or)).is_none() {
                break;
            }
        }
        choices.retain(|choice| !choice.is_empty());
        match choices.len() {
            0 | 1 => choices.pop().unwrap_or_default(),
            _ => combine(choices.iter().filter_map(|choice| strict(choice)).collect(), |parts| {
                Or { parts }.into()
            })
            .map(Part::must)
            .into_iter()
            .collect(),
        }
    }

    fn all(&mut self) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let (mut last, mut is_and) = (0, false);
        while self.lexemes.peek().is_some_and(|lexeme| !matches!(lexeme, Lexeme::Or | Lexeme::Close)) {
            if self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::And)).is_some() {
                is_and = true;
                continue;
            }
            let found = self.not();
            if found.is_empty() {
                continue;
            }
            // `AND` requires what stands on both sides of it.
            let first_required = if is_and { last } else { parts.len() + found.len() };
            last = parts.len();
            parts.extend(found);
            parts.iter_mut().skip(first_required).for_each(|part| part.wish = Wish::Must);
            is_and = false;
        }
        parts
    }

    fn not(&mut self) -> Vec<Part> {
        let (mut is_negated, mut is_required) = (false, false);
        while let Some(sign) = self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Not | Lexeme::Must)) {
            match sign {
                Lexeme::Not => is_negated = !is_negated,
                _ => is_required = true,
            }
        }
        let mut parts = self.joined();
        if is_negated {
            return strict(&parts).map(Not::of).map(Part::must).into_iter().collect();
        }
        if is_required {
            parts.iter_mut().for_each(|part| part.wish = Wish::Must);
        }
        parts
    }

    fn joined(&mut self) -> Vec<Part> {
        let (mut parts, mut joints) = (self.item(), 0);
        while let Some(Lexeme::Joint(joint)) =
            self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Joint(_)))
        {
            let right = self.item();
            if parts.is_empty() || right.is_empty() {
                parts.extend(right);
                continue;
            }
            joints += 1;
            let problem = if joints > JOINTS_MAX {
                Some(Note::TooManyJoints { typed: joint.typed, limit: JOINTS_MAX })
            } else if parts.iter().chain(&right).all(|part| part.node.has_places()) {
                None
            } else {
                Some(Note::WithoutPlace { typed: joint.typed })
            };
            match (problem, strict(&parts), strict(&right)) {
                (None, Some(left), Some(right)) => {
                    parts = vec![Part::must((joint.join)([left, right], joint.number))];
                }
                (problem, ..) => {
                    self.notes.extend(problem);
                    parts.extend(right);
                    parts.iter_mut().for_each(|part| part.wish = Wish::Must);
                }
            }
        }
        parts
    }

    fn item(&mut self) -> Vec<Part> {
        let is_item = |lexeme: &Lexeme| {
            matches!(lexeme, Lexeme::Word(..) | Lexeme::Quoted(_) | Lexeme::Leaf(_) | Lexeme::Open(_))
        };
        match self.lexemes.next_if(is_item) {
            Some(Lexeme::Word(typed, terms)) => {
                let node = Node::of_phrase(Phrase::new(terms));
                node.map(|node| Part { typed, node, wish: Wish::Plain }).into_iter().collect()
            }
            Some(Lexeme::Quoted(phrase)) => {
                let typed = phrase.terms.join(" ");
                let node = Node::of_phrase(phrase);
                node.map(|node| Part { typed, node, wish: Wish::Quoted }).into_iter().collect()
            }
            Some(Lexeme::Leaf(node)) => vec![Part::must(node)],
            Some(Lexeme::Open(field)) => {
                let inside = self.any();
                self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Close));
                match field {
                    Some(field) => {
                        inside.into_iter().map(|part| Part::must(part.node.in_field(field))).collect()
                    }
                    None => inside,
                }
            }
            _ => Vec::new(),
        }
    }
}

/// All of these.
fn strict(parts: &[Part]) -> Option<Node> {
    combine(parts.iter().map(|part| part.node.clone()).collect(), |parts| And { parts }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    /// Writes a formula so that a table of tests can be read.
    fn show(node: &Node) -> String {
        let parts = || node.operator().parts().iter().map(show).collect::<Vec<_>>().join(" ");
        match node {
            Node::Within(within) => format!("{}:{}", within.field.name(), within.phrase.terms.join("_")),
            Node::And(_) => format!("(and {})", parts()),
            Node::Or(_) => format!("(or {})", parts()),
            Node::Not(_) => format!("(not {})", parts()),
            node => node.operator().to_string(),
        }
    }

    /// Plain words in brackets, then what must hold.
    fn show_query(text: &str) -> String {
        let query = Query::parse(text).expect(text);
        let words: Vec<String> = query.words().iter().map(|word| word.terms.join("_")).collect();
        let words = if words.is_empty() { String::new() } else { format!("[{}]", words.join(" ")) };
        let must = query.must().map(show).unwrap_or_default();
        format!("{words} {must}").trim().to_owned()
    }

    #[test]
    fn queries_mean_what_people_expect() {
        let rows = [
            ("cat", "cat"),
            ("Cat DOG", "[cat dog]"),
            ("cat Cat CAT", "cat"),
            ("cat AND dog", "(and cat dog)"),
            ("bird cat AND dog", "[bird] (and cat dog)"),
            ("cat AND dog AND bird fish", "[fish] (and cat dog bird)"),
            ("cat or dog", "[cat or dog]"),
            ("cat OR dog", "(or cat dog)"),
            ("cat|dog||bird", "(or cat dog bird)"),
            ("cat | dog |bird", "[cat dog bird]"),
            ("a b OR c d", "(or (and a b) (and c d))"),
            ("a (b OR c) d", "[a d] (or b c)"),
            ("a (b c) d", "[a b c d]"),
            ("a +(b c) d", "[a d] (and b c)"),
            ("a ((b \"c d\")) e", "[a b e] \"c d\""),
            ("cat -dog", "(and cat (not dog))"),
            ("cat NOT dog", "(and cat (not dog))"),
            ("cat bird -dog", "[cat bird] (not dog)"),
            ("cat NOT NOT dog", "[cat dog]"),
            ("cat -(-dog)", "[cat] dog"),
            ("cat -(dog bird)", "(and cat (not (and dog bird)))"),
            ("cat -(dog OR bird)", "(and cat (not (or dog bird)))"),
            ("cat -\"hot dog\"", "(and cat (not \"hot dog\"))"),
            ("\"to be\" hamlet", "[hamlet] \"to be\""),
            ("“to be”", "\"to be\""),
            ("„Model C“-Schulen", "[schulen] \"model c\""),
            ("Was ist eine „Model C“-Schule?", "[was ist eine model c schule]"),
            ("Was ist «Model C» -schule heute", "[was ist heute] (and \"model c\" (not schule))"),
            ("was ist eine \"Model C\"-Schule", "[was ist eine schule] \"model c\""),
            ("\"to be\" -hamlet", "(and \"to be\" (not hamlet))"),
            ("e-mail", "\"e mail\""),
            ("e-mail -spam", "(and \"e mail\" (not spam))"),
            ("e-mail example.com", "[e_mail example_com]"),
            ("http://a.org/b/c.html", "[http a org b c html]"),
            ("cat -a.b.c.d.e", "(and cat (not \"a b c d e\"))"),
            ("foo - bar", "[foo bar]"),
            ("--help", "help"),
            ("+cat +dog", "(and cat dog)"),
            ("+cat dog", "[dog] cat"),
            ("+ cat ++dog", "[cat dog]"),
            ("C++ & rust c#", "[c++ rust c#]"),
            ("\"to be", "\"to be\""),
            ("((cat dog", "[cat dog]"),
            ("cat) dog", "[cat dog]"),
            ("OR cat OR OR dog OR", "(or cat dog)"),
            ("cat AND OR dog NOT", "(or cat dog)"),
            ("AND cat AND", "cat"),
            ("() cat \"\" ()", "cat"),
            ("NOT OR cat", "cat"),
            ("\"cat\"", "cat"),
            ("\"cat\" dog", "[dog] cat"),
            ("東京", "東京"),
            ("東京都", "\"東京 京都\""),
            ("東京都庁舎前", "[東京 京都 都庁 庁舎 舎前]"),
            ("PostgreSQL's l'eau", "[postgresql l_eau]"),
            ("getElementById utf8_decode", "[getelementbyid utf8_decode]"),
            ("site:Example.org", "site:example.org"),
            ("cat site:*.a.org", "(and cat site:a.org)"),
            ("cat dog -site:\"a.org\"", "[cat dog] (not site:a.org)"),
            ("cat site:https://a.org:81/x/", "(and cat site:a.org/x)"),
            ("site: cat", "[site cat]"),
            ("title:cat", "title:cat"),
            ("Title:Cat dog", "[dog] title:cat"),
            ("dog intitle:\"cat bird\"", "[dog] title:cat_bird"),
            (
                "a (url:b OR inurl:http://x.org/c) -anchor:d",
                "[a] (and (or address:b address:x_org_c) (not links:d))",
            ),
            ("heading:e-mail title:\"\" cat", "[cat] headings:e_mail"),
            ("title:(cat dog) bird", "[bird] (and title:cat title:dog)"),
            ("title:(cat OR -dog", "(or title:cat (not title:dog))"),
            ("title: (cat)", "[title cat]"),
            ("cat NEAR/3 dog", "cat NEAR/3 dog"),
            ("bird cat NEAR/3 dog fish", "[bird fish] cat NEAR/3 dog"),
            ("\"a b\" NEAR c AROUND/2 (d OR e)", "(\"a b\" NEAR/10 c) NEAR/2 (d OR e)"),
            ("title:(a NEAR/2 b)", "title:\"a\" NEAR/2 title:\"b\""),
            ("a < b < c", "(a < b) < c"),
            ("vector<int> a<b", "[vector_int a_b]"),
            ("drop WITHIN (begin < end)", "drop WITHIN (begin < end)"),
            ("(a b) CONTAINING c", "(a AND b) CONTAINING c"),
            ("c -a NEAR/2 b", "(and c (not a NEAR/2 b))"),
            ("NEAR/3 a < NEAR/2", "a"),
            ("a NEAR/3 -b", "(and a (not b))"),
            ("\"a * b\"", "\"a * b\""),
            ("\"* a * * b *\"", "\"a * * b\""),
            ("\"a *\" \"*\"", "a"),
            ("cat*", "cat*"),
            ("what is a Cät*? -dog*", "[what is a] (and cat* (not dog*))"),
            ("title:cat* NEAR/2 dog", "title:cat* NEAR/2 dog"),
            ("lang:de -Language:pt-BR", "(and lang:de (not lang:pt))"),
            ("cat filetype:.HTM type:text/plain", "(and cat type:html type:text)"),
            ("cat after:2024-01-31 before:2025", "(and cat after:2024-01-31 before:2025)"),
            ("-cat", "(not cat)"),
            ("-cat OR NOT dog", "(or (not cat) (not dog))"),
        ];
        for (text, expected) in rows {
            assert_eq!(show_query(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said_and_the_rest_is_answered() {
        // The query, what is looked for, and how its notes begin.
        let rows: [(&str, &str, &[&str]); 21] = [
            ("cat dog", "[cat dog]", &[]),
            (
                "allintitle: cat dog",
                "[cat dog]",
                &["“allintitle:” was left out: one cannot ask for all words"],
            ),
            ("cat related:x", "cat", &["“related:x” was left out: one cannot ask for related pages"]),
            ("cat^2.5 dog^y", "[cat dog_y]", &["“cat^2.5” was taken for a plain word"]),
            ("x^2 10^6", "[x_2 10_6]", &[]),
            ("*cat dog", "[cat dog]", &["the star of “*cat” was left out"]),
            ("cat AROUND(3) dog", "cat NEAR/3 dog", &[]),
            ("fn(3)", "[fn 3]", &[]),
            ("cat cache:x dog", "[cat dog]", &["“cache:x” was left out: one cannot ask for addresses yet"]),
            ("cat -Cache:x dog", "[cat dog]", &["“cache:x” was left out"]),
            (
                "cat link:x lang:german",
                "cat",
                &["“link:x” was left out", "“lang:german” was left out: a lang"],
            ),
            (
                "cat after:soon -before:20",
                "cat",
                &["“after:soon” was left out: a date is", "“before:20” was"],
            ),
            ("intext:cat", "cat", &["“intext:cat” was taken for a plain word"]),
            ("dog allintext:\"cat bird\"", "[dog cat_bird]", &["“allintext:cat bird” was taken"]),
            ("e-ma*", "\"e ma\"", &["the star of “e-ma*” was left out"]),
            ("c*t", "\"c t\"", &["the star of “c*t” was left out"]),
            ("\"a * b*\"", "\"a * b\"", &["the star of “b*” was left out"]),
            ("**cat** * dog", "[cat dog]", &[]),
            ("a NEAR/3 (b OR -c)", "(and a (or b (not c)))", &["“NEAR/3” was taken for AND: what is excl"]),
            ("std::vector title: near/3", "[std_vector title near_3]", &[]),
            ("cat site:a..b", "cat", &["“site:a..b” was left out: a site is a host"]),
        ];
        for (text, expected, notes) in rows {
            assert_eq!(show_query(text), expected, "{text}");
            let said: Vec<String> = Query::parse(text).unwrap().notes().iter().map(Note::to_string).collect();
            assert_eq!(said.len(), notes.len(), "{text}: {said:?}");
            assert!(said.iter().zip(notes).all(|(said, note)| said.starts_with(note)), "{text}: {said:?}");
        }
    }

    #[test]
    fn terms_for_snippets_are_the_wanted_ones_once_each() {
        let query = Query::parse("b \"a b\" -c (d OR -e) a").unwrap();
        assert_eq!(query.terms(), ["b", "a", "d"]);
    }

    #[test]
    fn long_queries_are_read_as_far_as_it_goes_and_say_so() {
        let long = format!("cat {}dog", "a ".repeat(5000));
        let query = Query::parse(&long).unwrap();
        assert_eq!(query.terms(), ["cat", "a"]);
        assert_eq!(query.notes(), [Note::TextCut { limit: 8192 }]);
        let words: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
        assert_eq!(Query::parse(&words.join(" ")).unwrap().words().len(), 100);
        let phrase = Query::parse(&format!("\"{}\"", words.join(" "))).unwrap();
        assert_eq!((phrase.terms().len(), phrase.notes()), (32, &[Note::PhraseCut { limit: 32 }][..]));
        // In a long text quotes are prose, but what is required or excluded is not.
        let text = format!("{} \"a b\" +c -\"d e\"", words.join(" "));
        let query = Query::parse(&text).unwrap();
        assert_eq!((query.words().len(), query.notes()), (101, &[Note::QuotesInText][..]));
        assert_eq!(query.must().map(show).as_deref(), Some("(and c (not \"d e\"))"));
        assert!(Query::parse(&"é".repeat(10_000)).is_ok());
    }

    #[test]
    fn what_cannot_be_answered_says_why() {
        let note = "“cache:x” was left out: one cannot ask for addresses yet".to_owned();
        let rows = [
            ("", QueryError::Empty),
            (" \t\u{0}", QueryError::Empty),
            ("!!! ... ()", QueryError::Empty),
            ("OR AND NOT | - ( ) \"", QueryError::Empty),
            ("👍 🎉", QueryError::Empty),
            ("cache:x", QueryError::NotUnderstood { note }),
            (&"(".repeat(17), QueryError::TooDeep { limit: 16 }),
        ];
        for (text, error) in rows {
            assert_eq!(Query::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn hostile_queries_are_refused_or_answered_but_never_panic() {
        let long = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
        let pieces = [
            "(",
            ")",
            "-",
            "\"",
            "|",
            "-(",
            "NOT ",
            "OR ",
            "a OR (",
            "\u{202e}",
            "👨‍👩‍👧",
            "\u{0}",
            "é",
            "()",
            "“",
            "+",
            "site:",
            "site:x ",
            "title:\"",
            "url:\"",
            "anchor:-",
            "a AND ",
            "-cache:x ",
            "lang:de ",
            "after:2024 ",
            "type:",
            "a*",
            "a.b.",
            "a NEAR/3 ",
            "(a NEAR/3 ",
            "a < ",
            "a WITHIN (",
            "title:(",
            "\"a * ",
        ];
        for piece in pieces {
            for bytes in [1, 30, 1000, 1024, 10_000, 1 << 20] {
                let _ = Query::parse(&long(piece, bytes.max(piece.len())));
            }
        }
        assert!(Query::parse(&format!("{}cat{}", "(".repeat(16), ")".repeat(16))).is_ok());
        assert!(Query::parse("cat\u{202e}dog \u{7}").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in "([ab()|\"“é東+*:.-]|OR|NOT|AND|site:|url:|title:| |\\PC){0,40}") {
            let _ = Query::parse(&text);
        }
    }
}
