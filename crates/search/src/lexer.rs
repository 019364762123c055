//! From typed text to lexemes.
//!
//! Signs that other engines understand and this one does not yet (`filetype:pdf`, `word*`, `NEAR/3`) are found here. They
//! are left out or taken for the word that they hold, whichever is closer to the wish, and a [`Note`] says so: what is
//! dropped in silence looks like a page that does not exist.

use index::{Analyzer, Field};
use page::PageUrl;

use crate::Note;
use crate::limits::{QUERY_BYTES_MAX, QUERY_TERMS_MAX};
use crate::spellings::{Analysed, Spellings};

#[derive(Debug)]
pub(crate) enum Lexeme {
    /// A word as it was typed, and its terms; possibly none.
    Word(String, Vec<String>),
    /// The terms of a quoted text, possibly none.
    Quoted(Vec<String>),
    /// The terms of a text that stands in one field, possibly none.
    Within(Field, Vec<String>),
    /// A host.
    Site(String),
    Or,
    And,
    Not,
    Must,
    Open,
    Close,
}

/// Fields that can be asked for, by the names that people and other engines have for them.
const FIELDS: [(&[&str], Field); 4] = [
    (&["title", "intitle"], Field::Title),
    (&["heading", "headings"], Field::Heading),
    (&["url", "inurl"], Field::Address),
    (&["anchor", "inanchor"], Field::Anchor),
];

/// Operators of other engines: their names, what they ask for, and whether a page is likely to contain what they ask for.
const UNKNOWN_OPERATORS: [(&[&str], &str, bool); 6] = [
    (&["allintitle"], "all words in titles", true),
    (&["intext", "inbody", "allintext"], "words in a part of the page", true),
    (&["allinurl", "link", "related", "cache"], "addresses", false),
    (&["filetype", "type", "ext", "mime"], "kinds of files", false),
    (&["lang", "language"], "languages", false),
    (&["after", "before", "date", "daterange"], "dates", false),
];

/// Cuts `text` into lexemes.
pub(crate) fn lex(text: &str, analyzer: Analyzer, notes: &mut Vec<Note>) -> (Vec<Lexeme>, Spellings) {
    let mut lexer = Lexer { analyzer, lexemes: Vec::new(), spellings: Spellings::default(), notes };
    let mut rest = lexer.shortened(text);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '(' => lexer.push(Lexeme::Open),
            ')' => lexer.push(Lexeme::Close),
            '|' => lexer.push(Lexeme::Or),
            '-' => lexer.sign(rest, '-', Lexeme::Not),
            '+' => lexer.sign(rest, '+', Lexeme::Must),
            c if is_quote(c) => lexer.quoted(rest, c),
            c if c.is_whitespace() => c.len_utf8(),
            _ => lexer.word(rest),
        };
        rest = &rest[length..];
    }
    (lexer.lexemes, lexer.spellings)
}

struct Lexer<'n> {
    analyzer: Analyzer,
    spellings: Spellings,
    lexemes: Vec<Lexeme>,
    notes: &'n mut Vec<Note>,
}

impl Lexer<'_> {
    /// The part of the text that is read: whole words.
    fn shortened<'t>(&mut self, text: &'t str) -> &'t str {
        if text.len() <= QUERY_BYTES_MAX {
            return text;
        }
        self.notes.push(Note::TextCut { limit: QUERY_BYTES_MAX });
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
        let mut terms = Analysed::new(quoted, self.analyzer).terms;
        if terms.len() > QUERY_TERMS_MAX {
            terms.truncate(QUERY_TERMS_MAX);
            self.notes.push(Note::PhraseCut { limit: QUERY_TERMS_MAX });
        }
        if quoted.contains('*') {
            self.notes.push(Note::PlainStar { typed: quoted.to_owned() });
        }
        self.lexemes.push(Lexeme::Quoted(terms));
        quote.len_utf8() + quoted.len() + closing
    }

    fn word(&mut self, rest: &str) -> usize {
        let ends_word = |c: char| c.is_whitespace() || is_quote(c) || matches!(c, '(' | ')' | '|');
        let word = &rest[..rest.find(ends_word).unwrap_or(rest.len())];
        match word {
            "OR" => self.lexemes.push(Lexeme::Or),
            "NOT" => self.lexemes.push(Lexeme::Not),
            "AND" => self.lexemes.push(Lexeme::And),
            _ if is_near(word) => {
                let about = "the distance of words";
                self.notes.push(Note::LeftOut { typed: word.to_owned(), about });
                // What stands on its sides is wanted together.
                self.lexemes.push(Lexeme::And);
            }
            _ => return self.operator(word, &rest[word.len()..]),
        }
        word.len()
    }

    /// A word that may be `name:value`. The value may be quoted: then it is what comes next.
    fn operator(&mut self, word: &str, after: &str) -> usize {
        let (name, value) = word.split_once(':').unwrap_or((word, ""));
        let has_value = !value.is_empty() || after.starts_with(is_quote) && word.ends_with(':');
        let name = name.to_ascii_lowercase();
        if has_value && name == "site" {
            return word.len() + self.site(word, value, after);
        }
        if let Some((_, field)) = FIELDS.iter().find(|(names, _)| has_value && names.contains(&name.as_str()))
        {
            return word.len() + self.within(*field, value, after);
        }
        let known = UNKNOWN_OPERATORS.iter().find(|(names, ..)| names.contains(&name.as_str()));
        let Some((_, about, is_on_the_page)) = known.filter(|_| has_value) else {
            self.plain(word);
            return word.len();
        };
        let (value, length) = if value.is_empty() { quoted_value(after) } else { (value, 0) };
        let typed = format!("{name}:{value}");
        if *is_on_the_page {
            self.notes.push(Note::TakenForWord { typed, about });
            self.plain(value);
        } else {
            self.notes.push(Note::LeftOut { typed, about });
            self.lexemes.push(Lexeme::Word(String::new(), Vec::new()));
        }
        word.len() + length
    }

    /// A word or a quoted text in one field. Returns how many bytes of `after` belong to it.
    fn within(&mut self, field: Field, value: &str, after: &str) -> usize {
        let is_quoted = value.is_empty();
        let (value, length) = if is_quoted { quoted_value(after) } else { (value, 0) };
        // The index has no word for how an address is reached.
        let text = match field {
            Field::Address => value.split_once("://").map_or(value, |(_, address)| address),
            _ => value,
        };
        let mut analysed = Analysed::new(text, self.analyzer);
        if analysed.terms.len() > QUERY_TERMS_MAX {
            analysed.terms.truncate(QUERY_TERMS_MAX);
            self.notes.push(Note::PhraseCut { limit: QUERY_TERMS_MAX });
        } else if !is_quoted {
            self.spellings.add(&analysed);
        }
        if text.contains('*') {
            self.notes.push(Note::PlainStar { typed: text.to_owned() });
        }
        self.lexemes.push(Lexeme::Within(field, analysed.terms));
        length
    }

    /// Returns how many bytes of `after` belong to it.
    fn site(&mut self, word: &str, value: &str, after: &str) -> usize {
        let (value, length) = if value.is_empty() { quoted_value(after) } else { (value, 0) };
        let address = value.trim_start_matches("http://").trim_start_matches("https://");
        let address = address.trim_start_matches("*.").trim_start_matches('.');
        match PageUrl::parse(&format!("http://{address}")) {
            Ok(url) => {
                if url.path_and_query() != "/" {
                    self.notes
                        .push(Note::OnlyTheHost { typed: word.to_owned(), host: url.host().to_owned() });
                }
                self.lexemes.push(Lexeme::Site(url.host().to_owned()));
            }
            Err(_) => {
                self.notes.push(Note::LeftOut { typed: word.to_owned(), about: "what is no host" });
                self.lexemes.push(Lexeme::Word(String::new(), Vec::new()));
            }
        }
        length
    }

    fn plain(&mut self, word: &str) {
        let typed = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_star =
            |rest: &str| rest.trim_end_matches(|c: char| c != '*' && !c.is_alphanumeric()).ends_with('*');
        // `word*`, also before a question mark; not the `*` of `**bold**`.
        if !typed.is_empty() && is_star(word) && !word.starts_with('*') || typed.contains('*') {
            self.notes.push(Note::PlainStar { typed: word.to_owned() });
        }
        let analysed = Analysed::new(word, self.analyzer);
        self.spellings.add(&analysed);
        // The signs of C++ and C# are part of the name.
        let typed = match analysed.terms.as_slice() {
            [name] if name.ends_with(['+', '#']) => name.clone(),
            _ => typed.to_owned(),
        };
        self.lexemes.push(Lexeme::Word(typed, analysed.terms));
    }
}

fn is_near(word: &str) -> bool {
    let distance = word.strip_prefix("NEAR/").or_else(|| word.strip_prefix("AROUND/"));
    distance
        .is_some_and(|distance| !distance.is_empty() && distance.bytes().all(|byte| byte.is_ascii_digit()))
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

/// Keyboards and telephones turn straight quotes into these.
fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}
