//! From typed text to lexemes.
//!
//! Words, quotes, parentheses and signs are found here; what is `name:value` or a word between two parts is asked of
//! [`SYNTAX`]. Signs that other engines understand and this one does not (`link:`, `cache:`) are left out or taken for the
//! word that they hold, whichever is closer to the wish, and a [`Note`] says so: what is dropped in silence looks like a page
//! that does not exist.

use index::{Analyzer, Field};

use crate::Note;
use crate::formula::{Joint, Named, Node, Phrase, Reader, SYNTAX, Syntax, field_of};
use crate::limits::QUERY_BYTES_MAX;
use crate::quotes::{are_of_prose, is_quote};
use crate::spellings::{Analysed, Spellings};

#[derive(Debug)]
pub(crate) enum Lexeme {
    /// A word as it was typed, and its terms; possibly none.
    Word(String, Vec<String>),
    /// A quoted text, possibly of no terms.
    Quoted(Phrase),
    /// An operator that is whole.
    Leaf(Node),
    /// An operator between two parts.
    Joint(Joint),
    Or,
    And,
    Not,
    Must,
    /// An opening parenthesis, and the field that all in it is looked for in.
    Open(Option<Field>),
    Close,
}

/// Operators of other engines: their names, what they ask for, and whether a page is likely to contain what they ask for.
const UNKNOWN_OPERATORS: [(&[&str], &str, bool); 5] = [
    (&["allintitle"], "all words in titles", true),
    (&["intext", "inbody", "allintext"], "words of the text alone", true),
    (&["allinurl", "link", "cache"], "addresses", false),
    (&["related"], "related pages here", false),
    (&["date", "daterange"], "ranges of dates", false),
];

/// Cuts `text` into lexemes.
pub(crate) fn lex(text: &str, analyzer: Analyzer, notes: &mut Vec<Note>) -> (Vec<Lexeme>, Spellings) {
    let reader = Reader { analyzer, spellings: Spellings::default(), notes };
    let mut lexer = Lexer { lexemes: Vec::new(), reader };
    let mut rest = lexer.shortened(text);
    let (is_prose, mut is_behind_quotes, mut is_behind_space) = (are_of_prose(rest), false, true);
    if is_prose {
        lexer.reader.notes.push(Note::QuotesInProse);
    }
    while let Some(c) = rest.chars().next() {
        let length = match c {
            // What is written in one with quotes belongs to them: a „Model C“-school excludes no schools.
            '-' | '+' if is_behind_quotes => 1,
            '(' => lexer.push(Lexeme::Open(None)),
            ')' => lexer.push(Lexeme::Close),
            // Between words that it parts it is what titles have before the name of a site.
            '|' if is_behind_space || rest[1..].starts_with(char::is_whitespace) => 1,
            '|' => lexer.push(Lexeme::Or),
            '-' => lexer.sign(rest, '-', Lexeme::Not),
            '+' => lexer.sign(rest, '+', Lexeme::Must),
            c if is_quote(c) && is_prose => c.len_utf8(),
            c if is_quote(c) => lexer.quoted(rest, c),
            c if c.is_whitespace() => c.len_utf8(),
            _ => lexer.word(rest),
        };
        (is_behind_quotes, is_behind_space) = (is_quote(c), c.is_whitespace());
        rest = &rest[length..];
    }
    (lexer.lexemes, lexer.reader.spellings)
}

struct Lexer<'n> {
    lexemes: Vec<Lexeme>,
    reader: Reader<'n>,
}

impl Lexer<'_> {
    /// The part of the text that is read: whole words.
    fn shortened<'t>(&mut self, text: &'t str) -> &'t str {
        if text.len() <= QUERY_BYTES_MAX {
            return text;
        }
        self.reader.notes.push(Note::TextCut { limit: QUERY_BYTES_MAX });
        let end = (0..=QUERY_BYTES_MAX).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        let text = &text[..end];
        text.rfind(char::is_whitespace).map_or(text, |space| &text[..space])
    }

    fn push(&mut self, lexeme: Lexeme) -> usize {
        self.lexemes.push(lexeme);
        1
    }

    /// One sign before something means it; on its own, and the two of `--help`, it is punctuation.
    fn sign(&mut self, rest: &str, sign: char, lexeme: Lexeme) -> usize {
        let length = rest.len() - rest.trim_start_matches(sign).len();
        if length == 1 && rest[1..].starts_with(|c: char| !c.is_whitespace()) {
            self.lexemes.push(lexeme);
        }
        length
    }

    fn quoted(&mut self, rest: &str, quote: char) -> usize {
        let inside = &rest[quote.len_utf8()..];
        let (quoted, closing) = match inside.char_indices().find(|&(_, c)| is_quote(c)) {
            Some((end, c)) => (&inside[..end], c.len_utf8()),
            None => (inside, 0),
        };
        self.lexemes.push(Lexeme::Quoted(Phrase::quoted(quoted, &mut self.reader)));
        quote.len_utf8() + quoted.len() + closing
    }

    fn word(&mut self, rest: &str) -> usize {
        let ends_word = |c: char| c.is_whitespace() || is_quote(c) || matches!(c, '(' | ')' | '|');
        let word = &rest[..rest.find(ends_word).unwrap_or(rest.len())];
        if let Some((joint, length)) = joint_with_number(word, &rest[word.len()..]) {
            self.lexemes.push(Lexeme::Joint(joint));
            return length;
        }
        match word {
            "OR" => self.lexemes.push(Lexeme::Or),
            "NOT" => self.lexemes.push(Lexeme::Not),
            "AND" => self.lexemes.push(Lexeme::And),
            _ => match joint(word) {
                Some(joint) => self.lexemes.push(Lexeme::Joint(joint)),
                None => return self.operator(word, &rest[word.len()..]),
            },
        }
        word.len()
    }

    /// A word that may be `name:value`. The value may be quoted: then it is what comes next.
    fn operator(&mut self, word: &str, after: &str) -> usize {
        let (name, value) = word.split_once(':').unwrap_or((word, ""));
        let name = name.to_ascii_lowercase();
        let is_open = value.is_empty() && word.ends_with(':');
        if is_open
            && after.starts_with('(')
            && let Some(field) = field_of(&name)
        {
            self.lexemes.push(Lexeme::Open(Some(field)));
            return word.len() + 1;
        }
        let is_quoted = is_open && after.starts_with(is_quote);
        if value.is_empty() && !is_quoted {
            if !(is_open && self.unknown(&Named { name: &name, value, is_quoted })) {
                self.plain(word);
            }
            return word.len();
        }
        let (value, length) = if is_quoted { quoted_value(after) } else { (value, 0) };
        let named = Named { name: &name, value, is_quoted };
        match reader_of(&name) {
            Some(read) => match read(&named, &mut self.reader) {
                Some(node) => self.lexemes.push(Lexeme::Leaf(node)),
                None => self.lexemes.push(Lexeme::Word(String::new(), Vec::new())),
            },
            None if !self.unknown(&named) => {
                self.plain(word);
                return word.len();
            }
            None => {}
        }
        word.len() + length
    }

    /// What another engine would understand; false if it is none of that.
    fn unknown(&mut self, named: &Named<'_>) -> bool {
        let known = UNKNOWN_OPERATORS.iter().find(|(names, ..)| names.contains(&named.name));
        let Some((_, about, is_on_the_page)) = known else { return false };
        let typed = format!("{}:{}", named.name, named.value);
        if *is_on_the_page && !named.value.is_empty() {
            self.reader.notes.push(Note::TakenForWord { typed, about });
            self.plain(named.value);
        } else {
            self.reader.notes.push(Note::LeftOut { typed, about });
            self.lexemes.push(Lexeme::Word(String::new(), Vec::new()));
        }
        true
    }

    fn plain(&mut self, word: &str) {
        let word = match weighed(word) {
            Some(weighed) => {
                let (typed, about) = (word.to_owned(), "weights of words");
                self.reader.notes.push(Note::TakenForWord { typed, about });
                weighed
            }
            None => word,
        };
        if let Some(node) = word_of_form(word, &mut self.reader) {
            self.lexemes.push(Lexeme::Leaf(node));
            return;
        }
        let typed = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_star =
            |rest: &str| rest.trim_end_matches(|c: char| c != '*' && !c.is_alphanumeric()).ends_with('*');
        // `word*`, also before a question mark, and `*word`; not the `*` of `**bold**`.
        let is_prefix = is_star(word) && !word.starts_with('*');
        let is_suffix = !is_star(word) && word.starts_with('*') && !word.starts_with("**");
        if !typed.is_empty() && (is_prefix || is_suffix) || typed.contains('*') {
            self.reader.notes.push(Note::PlainStar { typed: word.to_owned() });
        }
        let analysed = Analysed::new(word, self.reader.analyzer);
        self.reader.spellings.add(&analysed);
        // The signs of C++ and C# are part of the name.
        let typed = match analysed.terms.as_slice() {
            [name] if name.ends_with(['+', '#']) => name.clone(),
            _ => typed.to_owned(),
        };
        self.lexemes.push(Lexeme::Word(typed, analysed.terms));
    }
}

/// The word of `word^2`, to which another engine gives a weight. `x^2` and `10^6` are no words.
fn weighed(word: &str) -> Option<&str> {
    let (weighed, weight) = word.split_once('^')?;
    let is_word = weighed.chars().nth(2).is_some() && weighed.chars().all(char::is_alphabetic);
    let is_weight = weight.parse::<f32>().is_ok() && weight.starts_with(|c: char| c.is_ascii_digit());
    (is_word && is_weight).then_some(weighed)
}

/// An operator between two parts that is written like this.
fn joint(word: &str) -> Option<Joint> {
    SYNTAX.iter().find_map(|syntax| match syntax {
        Syntax::Between { read } => read(word),
        _ => None,
    })
}

/// The same with a number in parentheses, `AROUND(3)`, and its length.
fn joint_with_number(word: &str, after: &str) -> Option<(Joint, usize)> {
    let (number, _) = after.strip_prefix('(')?.split_once(')')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let joint = if is_number { joint(&format!("{word}/{number}"))? } else { return None };
    Some((joint, word.len() + number.len() + 2))
}

/// An operator that is a word of a form of its own.
fn word_of_form(word: &str, reader: &mut Reader<'_>) -> Option<Node> {
    SYNTAX.iter().find_map(|syntax| match syntax {
        Syntax::Word { read } => read(word, reader),
        _ => None,
    })
}

/// Who reads what stands behind `name:`.
fn reader_of(name: &str) -> Option<fn(&Named<'_>, &mut Reader<'_>) -> Option<Node>> {
    SYNTAX.iter().find_map(|syntax| match syntax {
        Syntax::Named { names, read } if names.contains(&name) => Some(*read),
        _ => None,
    })
}

/// What stands in quotes at the beginning of `after`, and how many bytes that takes.
fn quoted_value(after: &str) -> (&str, usize) {
    let quote = after.chars().next().map_or(0, char::len_utf8);
    let inside = &after[quote..];
    match inside.char_indices().find(|&(_, c)| is_quote(c)) {
        Some((end, c)) => (&inside[..end], quote + end + c.len_utf8()),
        None => (inside, after.len()),
    }
}
