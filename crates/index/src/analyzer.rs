//! From text to terms: where words begin and end, and which spellings are the same word.
//!
//! ASCII punctuation and white space always separate, so `don't`, `3.14` and `example.com` are two tokens each; a
//! query treats such a word as a phrase, which finds exactly the same places. What lies between two ASCII separators
//! is one token when it is ASCII, which is a scan over bytes. Anything else goes through the word borders of
//! UAX #29, which know that a Han character stands alone and that a Katakana run does not.
//!
//! A term is the word in NFKD, lower case, without accents, in NFC again. Only accents are dropped (combining classes
//! 10 to 36, the points of Hebrew and Arabic, and 200 upwards): the vowel signs of Indic scripts and the voicing
//! marks of kana are marks too, but dropping them would merge unrelated words. Going back to NFC keeps Hangul short.
//! There is no stemming: precision first, as one word form more or less rarely decides a web query.
//!
//! Cost: one pass; no allocation per ASCII token.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_segmentation::UnicodeSegmentation;

/// Longer terms are cut here, at a character border: nobody types them, and a page of base64 would fill the dictionary.
pub const TERM_BYTES_MAX: usize = 64;

/// One occurrence of a term in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The normalised word.
    pub term: &'a str,
    /// How many tokens of the text come before this one.
    pub position: u32,
    /// Where the word begins in the text, in bytes.
    pub start: usize,
    /// Where the word ends in the text, in bytes.
    pub end: usize,
}

/// Cuts text into [`Token`]s; the same way for pages and for queries, or they would never meet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Analyzer;

impl Analyzer {
    /// Calls `f` for every token of `text`, in order.
    pub fn tokens(&self, text: &str, f: &mut impl FnMut(Token<'_>)) {
        let mut emitter = Emitter { term: String::with_capacity(TERM_BYTES_MAX * 2), position: 0, f };
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at + bytes[at..].iter().take_while(|byte| !is_word_byte(**byte)).count();
            let word = bytes[start..].iter().take_while(|byte| is_word_byte(**byte));
            let (length, all) = word.fold((0, 0), |(length, all), byte| (length + 1, all | byte));
            at = start + length;
            if length == 0 {
                break;
            }
            if all.is_ascii() {
                emitter.ascii_word(text, start..at);
            } else {
                emitter.unicode_words(text, start..at);
            }
        }
    }
}

/// Letters and digits of ASCII, and whatever is not ASCII.
static WORD_BYTES: [bool; 256] = {
    let (mut is_word, mut byte) = ([false; 256], 0);
    while byte < 256 {
        is_word[byte] = byte >= 0x80 || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    is_word
};

fn is_word_byte(byte: u8) -> bool {
    WORD_BYTES[usize::from(byte)]
}

/// Numbers the tokens and owns the buffer in which terms are normalised.
struct Emitter<'f, F> {
    term: String,
    position: u32,
    f: &'f mut F,
}

impl<F: FnMut(Token<'_>)> Emitter<'_, F> {
    fn ascii_word(&mut self, text: &str, word: Range<usize>) {
        self.term.clear();
        self.term.push_str(&text[word.start..word.end.min(word.start + TERM_BYTES_MAX)]);
        self.term.make_ascii_lowercase();
        self.emit(word);
    }

    fn unicode_words(&mut self, text: &str, chunk: Range<usize>) {
        for (offset, word) in text[chunk.clone()].unicode_word_indices() {
            let start = chunk.start + offset;
            // UAX #29 keeps words joined by ’ or · together; ASCII ' separates, so its typographic twin has to.
            let mut piece_start = start;
            for (index, c) in word.char_indices().filter(|&(_, c)| is_separator(c)) {
                self.unicode_word(text, piece_start..start + index);
                piece_start = start + index + c.len_utf8();
            }
            self.unicode_word(text, piece_start..start + word.len());
        }
    }

    fn unicode_word(&mut self, text: &str, word: Range<usize>) {
        self.term.clear();
        let folded = text[word.clone()].nfkd().flat_map(char::to_lowercase).flat_map(fold);
        for c in folded.filter(|&c| is_spelled(c)).nfc() {
            if self.term.len() + c.len_utf8() > TERM_BYTES_MAX {
                break;
            }
            self.term.push(c);
        }
        if !self.term.is_empty() {
            self.emit(word);
        }
    }

    fn emit(&mut self, word: Range<usize>) {
        (self.f)(Token { term: &self.term, position: self.position, start: word.start, end: word.end });
        self.position += 1;
    }
}

/// The two letters whose lower case depends on where they stand.
fn fold(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'ς' => ('σ', None),
        c => (c, None),
    };
    std::iter::once(first).chain(second)
}

fn is_separator(c: char) -> bool {
    !(c.is_alphanumeric() || is_combining_mark(c) || is_invisible(c))
}

/// Characters that sit inside a word without being part of its spelling: soft hyphen, joiners, direction marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Whether a character of a decomposed word is part of the term. Some accents are alphabetic, so marks come first.
fn is_spelled(c: char) -> bool {
    if !is_combining_mark(c) {
        return c.is_alphanumeric();
    }
    let accent = matches!(canonical_combining_class(c), 10..=36 | 200..);
    let decoration = matches!(c, '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}');
    !accent && !decoration
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Analyzer.tokens(text, &mut |token| terms.push(token.term.to_owned()));
        terms
    }

    #[test]
    fn words_are_what_a_reader_would_call_words() {
        let rows: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \t\n.,;", &[]),
            ("Hello, World", &["hello", "world"]),
            ("don't", &["don", "t"]),
            ("don’t", &["don", "t"]),
            ("l’Été à Nîmes", &["l", "ete", "a", "nimes"]),
            ("3.14 example.com snake_case", &["3", "14", "example", "com", "snake", "case"]),
            ("İstanbul STRASSE Straße", &["istanbul", "strasse", "strasse"]),
            ("ΟΔΟΣ οδός", &["οδοσ", "οδοσ"]),
            ("Ёлка йод", &["елка", "иод"]),
            ("東京 カタカナ", &["東", "京", "カタカナ"]),
            ("がか", &["が", "か"]),
            ("한국어", &["한국어"]),
            ("हिन्दी", &["हिन्दी"]),
            ("שָׁלוֹם", &["שלום"]),
            ("co\u{ad}operate", &["cooperate"]),
            ("ﬁne Ⅻ ①", &["fine", "xii", "1"]),
            ("👍🏽 ok 👨‍👩‍👧", &["ok"]),
            ("a\u{0}b\u{7}c", &["a", "b", "c"]),
        ];
        for (text, expected) in rows {
            assert_eq!(terms(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_decomposed_accent_is_the_same_word_as_a_composed_one() {
        assert_eq!(terms("caffe\u{301}"), terms("caff\u{e9}"));
        assert_eq!(terms("caffé"), ["caffe"]);
    }

    #[test]
    fn long_terms_are_cut_at_a_character_border() {
        assert_eq!(terms(&"a".repeat(1000)), ["a".repeat(64)]);
        assert_eq!(terms(&"ж".repeat(100)), ["ж".repeat(32)]);
        assert_eq!(terms(&format!("a{}", "ж".repeat(100))), [format!("a{}", "ж".repeat(31))]);
    }

    proptest! {
        #[test]
        fn offsets_are_ordered_character_borders(text in "\\PC{0,40}[a-zé 東\u{301}'’]{0,20}") {
            let (mut last_end, mut expected_position) = (0, 0);
            Analyzer.tokens(&text, &mut |token| {
                assert!(last_end <= token.start && token.start < token.end);
                assert!(text.get(token.start..token.end).is_some());
                assert!(!token.term.is_empty() && token.term.len() <= TERM_BYTES_MAX);
                assert_eq!(token.position, expected_position);
                (last_end, expected_position) = (token.end, expected_position + 1);
            });
        }
    }
}
