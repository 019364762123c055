//! From typed text to a formula, leniently.
//!
//! ```text
//! any   = all { ("OR" | "|") all }
//! all   = { not }                              words side by side; "AND" is allowed and says nothing new
//! not   = { "-" | "NOT" } item
//! item  = word | '"' words '"' | "(" any ")"
//! ```
//!
//! The text is first cut into lexemes, which is where all limits are checked: the recursion below never sees more than
//! [`QUERY_DEPTH_MAX`] open parentheses. A production that finds nothing gives `None` and its parent does without it;
//! that alone makes stray operators, empty parentheses and words without letters harmless.

use index::Analyzer;

use crate::QueryError;
use crate::query::{Node, QUERY_BYTES_MAX, QUERY_DEPTH_MAX, QUERY_TERMS_MAX};

enum Lexeme {
    /// A word or a quoted text: its terms, possibly none.
    Terms(Vec<String>),
    Or,
    Not,
    Open,
    Close,
}

/// The formula that `text` means; `None` when it has no words.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, QueryError> {
    if text.len() > QUERY_BYTES_MAX {
        return Err(QueryError::TooLong { bytes: text.len(), limit: QUERY_BYTES_MAX });
    }
    let lexemes = lex(text);
    check_limits(&lexemes)?;
    let mut parser = Parser { lexemes: lexemes.into_iter().peekable() };
    let mut parts = Vec::new();
    // A closing parenthesis that closes nothing ends `any` early; what follows is one more part of the query.
    while parser.lexemes.peek().is_some() {
        parts.extend(parser.any());
        parser.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Close));
    }
    Ok(combine(parts, Node::And))
}

fn check_limits(lexemes: &[Lexeme]) -> Result<(), QueryError> {
    let (mut depth, mut term_count) = (0usize, 0);
    for lexeme in lexemes {
        match lexeme {
            Lexeme::Open => depth += 1,
            Lexeme::Close => depth = depth.saturating_sub(1),
            Lexeme::Terms(terms) => term_count += terms.len(),
            Lexeme::Or | Lexeme::Not => {}
        }
        if depth > QUERY_DEPTH_MAX {
            return Err(QueryError::TooDeep { limit: QUERY_DEPTH_MAX });
        }
    }
    if term_count > QUERY_TERMS_MAX {
        return Err(QueryError::TooManyTerms { limit: QUERY_TERMS_MAX });
    }
    Ok(())
}

fn lex(text: &str) -> Vec<Lexeme> {
    let mut lexemes = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '(' => push(&mut lexemes, Lexeme::Open),
            ')' => push(&mut lexemes, Lexeme::Close),
            '|' => push(&mut lexemes, Lexeme::Or),
            '-' => lex_dashes(rest, &mut lexemes),
            c if is_quote(c) => lex_quoted(rest, c, &mut lexemes),
            c if c.is_whitespace() => c.len_utf8(),
            _ => lex_word(rest, &mut lexemes),
        };
        rest = &rest[length..];
    }
    lexemes
}

fn push(lexemes: &mut Vec<Lexeme>, lexeme: Lexeme) -> usize {
    lexemes.push(lexeme);
    1
}

/// One dash before something excludes it; a dash on its own and the two of `--help` are punctuation.
fn lex_dashes(rest: &str, lexemes: &mut Vec<Lexeme>) -> usize {
    let length = rest.len() - rest.trim_start_matches('-').len();
    if length == 1 && rest[1..].starts_with(|c: char| !c.is_whitespace()) {
        lexemes.push(Lexeme::Not);
    }
    length
}

fn lex_quoted(rest: &str, quote: char, lexemes: &mut Vec<Lexeme>) -> usize {
    let inside = &rest[quote.len_utf8()..];
    let (quoted, closing) = match inside.char_indices().find(|&(_, c)| is_quote(c)) {
        Some((end, c)) => (&inside[..end], c.len_utf8()),
        None => (inside, 0),
    };
    lexemes.push(Lexeme::Terms(analyse(quoted)));
    quote.len_utf8() + quoted.len() + closing
}

fn lex_word(rest: &str, lexemes: &mut Vec<Lexeme>) -> usize {
    let ends_word = |c: char| c.is_whitespace() || is_quote(c) || matches!(c, '(' | ')' | '|');
    let word = &rest[..rest.find(ends_word).unwrap_or(rest.len())];
    match word {
        "OR" => lexemes.push(Lexeme::Or),
        "NOT" => lexemes.push(Lexeme::Not),
        "AND" => {}
        _ => lexemes.push(Lexeme::Terms(analyse(word))),
    }
    word.len()
}

/// Keyboards and telephones turn straight quotes into these.
fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

fn analyse(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    Analyzer.tokens(text, &mut |token| terms.push(token.term.to_owned()));
    terms
}

struct Parser {
    lexemes: std::iter::Peekable<std::vec::IntoIter<Lexeme>>,
}

impl Parser {
    fn any(&mut self) -> Option<Node> {
        let mut choices = Vec::new();
        loop {
            choices.extend(self.all());
            if self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Or)).is_none() {
                return combine(choices, Node::Or);
            }
        }
    }

    fn all(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        while self.lexemes.peek().is_some_and(|lexeme| !matches!(lexeme, Lexeme::Or | Lexeme::Close)) {
            parts.extend(self.not());
        }
        combine(parts, Node::And)
    }

    fn not(&mut self) -> Option<Node> {
        let mut negated = false;
        while self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Not)).is_some() {
            negated = !negated;
        }
        match (negated, self.item()?) {
            (false, node) => Some(node),
            (true, Node::Not(node)) => Some(*node),
            (true, node) => Some(Node::Not(Box::new(node))),
        }
    }

    fn item(&mut self) -> Option<Node> {
        match self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Terms(_) | Lexeme::Open))? {
            Lexeme::Terms(mut terms) if terms.len() < 2 => terms.pop().map(Node::Term),
            Lexeme::Terms(terms) => Some(Node::Phrase(terms)),
            _ => {
                let inside = self.any();
                self.lexemes.next_if(|lexeme| matches!(lexeme, Lexeme::Close));
                inside
            }
        }
    }
}

/// `make` for two nodes or more; one stands for itself.
fn combine(mut nodes: Vec<Node>, make: fn(Vec<Node>) -> Node) -> Option<Node> {
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(make(nodes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    /// Writes a formula so that a table of tests can be read.
    fn show(node: &Node) -> String {
        let list = |nodes: &[Node], name| {
            let parts: Vec<String> = nodes.iter().map(show).collect();
            format!("({name} {})", parts.join(" "))
        };
        match node {
            Node::Term(term) => term.clone(),
            Node::Phrase(terms) => format!("{:?}", terms.join(" ")),
            Node::And(nodes) => list(nodes, "and"),
            Node::Or(nodes) => list(nodes, "or"),
            Node::Not(node) => format!("(not {})", show(node)),
        }
    }

    #[test]
    fn queries_mean_what_people_expect() {
        let rows = [
            ("cat", "cat"),
            ("Cat DOG", "(and cat dog)"),
            ("cat AND dog", "(and cat dog)"),
            ("cat or dog", "(and cat or dog)"),
            ("cat OR dog", "(or cat dog)"),
            ("cat | dog || bird", "(or cat dog bird)"),
            ("a b OR c d", "(or (and a b) (and c d))"),
            ("a (b OR c) d", "(and a (or b c) d)"),
            ("cat -dog", "(and cat (not dog))"),
            ("cat NOT dog", "(and cat (not dog))"),
            ("cat NOT NOT dog", "(and cat dog)"),
            ("cat -(-dog)", "(and cat dog)"),
            ("cat -(dog OR bird)", "(and cat (not (or dog bird)))"),
            ("cat -\"hot dog\"", "(and cat (not \"hot dog\"))"),
            ("\"to be\" hamlet", "(and \"to be\" hamlet)"),
            ("“to be”", "\"to be\""),
            ("e-mail example.com", "(and \"e mail\" \"example com\")"),
            ("foo - bar", "(and foo bar)"),
            ("--help", "help"),
            ("+cat +dog", "(and cat dog)"),
            ("C++ & rust", "(and c rust)"),
            ("\"to be", "\"to be\""),
            ("((cat dog", "(and cat dog)"),
            ("cat) dog", "(and cat dog)"),
            ("OR cat OR OR dog OR", "(or cat dog)"),
            ("cat AND OR dog NOT", "(or cat dog)"),
            ("() cat \"\" ()", "cat"),
            ("NOT OR cat", "cat"),
            ("\"cat\"", "cat"),
            ("東京", "\"東 京\""),
        ];
        for (text, expected) in rows {
            assert_eq!(show(Query::parse(text).expect(text).root()), expected, "{text}");
        }
    }

    #[test]
    fn terms_for_snippets_are_the_wanted_ones_once_each() {
        let query = Query::parse("b \"a b\" -c (d OR -e) a").unwrap();
        assert_eq!(query.terms(), ["b", "a", "d"]);
    }

    #[test]
    fn what_cannot_be_answered_says_why() {
        let rows = [
            ("", QueryError::Empty),
            (" \t\u{0}", QueryError::Empty),
            ("!!! ... ()", QueryError::Empty),
            ("OR AND NOT | - ( ) \"", QueryError::Empty),
            ("👍 🎉", QueryError::Empty),
            ("-cat", QueryError::OnlyNegatives),
            ("-cat OR NOT dog", QueryError::OnlyNegatives),
            (&"(".repeat(17), QueryError::TooDeep { limit: 16 }),
            (&"a ".repeat(33), QueryError::TooManyTerms { limit: 32 }),
            (&"a".repeat(1025), QueryError::TooLong { bytes: 1025, limit: 1024 }),
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
        fn any_text_parses_or_is_refused(text in "([ab()|\"“é東-]|OR|NOT|AND| |\\PC){0,40}") {
            let _ = Query::parse(&text);
        }
    }
}
