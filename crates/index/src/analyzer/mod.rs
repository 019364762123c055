//! From text to terms: where words begin and end, and which spellings are the same word.
//!
//! What lies between two ASCII separators is one word when it is ASCII, which is a scan over bytes. Anything else goes
//! through the word borders of UAX #29, which most letters need not be asked for ([`crate::alone`]). A word is folded ([`crate::fold`]): one case, no accents, one form of each letter.
//!
//! [`Analysis::Full`] knows more of how people write and search:
//!
//! - Words of code and compounds, `std::vec`, `node.js`, `3.11`, `utf8_decode`, `e-mail`, are words by their parts, and have
//!   an *extra* term for the whole, which stands where its first part stands: [`compound`].
//! - `getElementById`, `C++` and `C#` are words as a whole, and have extra terms for their parts. It is the other way round
//!   than for compounds, since `PostgreSQL` and `postgresql` must be at the same places for a phrase.
//! - The `'s` of `PostgreSQL's` is no word. Any other apostrophe separates: `l'eau` is `l` and `eau`.
//! - Scripts without spaces become pairs of letters: [`bigrams`].
//!
//! [`Analysis::Plain`] has words alone. Stems are none of the analyzer's tokens: [`crate::stems`].
//!
//! Cost: one pass; no allocation per ASCII word.

mod bigrams;
mod compound;

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::alone::Alone;
use crate::fold::{TERM_BYTES_MAX, alone, fold_into, form_of, is_separator};
use crate::stems::Languages;

/// How much an index knows of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Analysis {
    /// Words, stems, parts of compounds, pairs of letters where words are written without spaces.
    #[default]
    Full,
    /// Words in lower case and no more, for comparisons.
    Plain,
}

/// The version of what terms are made of a text: an index that was made with another one is made anew.
pub(crate) const ANALYSIS_VERSION: u32 = 2;

impl Analysis {
    /// All of them, the default first.
    pub const ALL: [Self; 2] = [Self::Full, Self::Plain];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
        }
    }

    /// Reads what people write; otherwise it says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let all = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|analysis| analysis.name() == text);
        found.ok_or_else(|| format!("there is no analysis `{text}`; there are {all}"))
    }
}

/// What a token is to its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, with a position of its own.
    Word,
    /// Another name of the word at its position, or of the compound that begins there; it counts in no length.
    Extra,
    /// A letter that is a word in many texts; it has no position, and only [`crate::Index::stem`] finds it.
    Letter,
}

/// One occurrence of a term in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The normalised word.
    pub term: &'a str,
    /// What it is.
    pub kind: TokenKind,
    /// How many words of the text come before this one.
    pub position: u32,
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// Where it ends in the text, in bytes.
    pub end: usize,
}

/// Cuts text into [`Token`]s; the same way for pages and for queries, or they would never meet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Analyzer {
    analysis: Analysis,
    languages: Languages,
}

impl Analyzer {
    /// An analyzer that knows no stems.
    pub const fn new(analysis: Analysis) -> Self {
        Self { analysis, languages: Languages::NONE }
    }

    /// The same analyzer, for an index of documents in these languages.
    #[must_use]
    pub(crate) fn with_languages(self, languages: Languages) -> Self {
        Self { languages, ..self }
    }

    /// How much it knows of words.
    pub fn analysis(&self) -> Analysis {
        self.analysis
    }

    /// Calls `f` for every token of `text`. Words come in order; an extra comes behind the words that it is made of.
    pub fn tokens(&self, text: &str, f: &mut impl FnMut(Token<'_>)) {
        let term = String::with_capacity(TERM_BYTES_MAX * 2);
        let mut emitter = Emitter { text, term, position: 0, f };
        let is_full = self.analysis == Analysis::Full;
        let mut at = 0;
        while let Some(run) = Run::next(text.as_bytes(), at) {
            at = run.end;
            if is_full && text.as_bytes().get(at).is_some_and(|&byte| class(byte) == SIGN) {
                at = emitter.compound(run);
            } else {
                emitter.run(&run, is_full);
            }
        }
    }

    /// The stems of a word in the languages of the index, each once, as [`crate::Index::stem`] takes them. `typed` is the
    /// word as it stands in the text, and `term` what it became.
    pub fn stems(&self, typed: &str, term: &str) -> Vec<String> {
        let mut stems = Vec::new();
        if self.analysis == Analysis::Full {
            if bigrams::is_letter(term) {
                stems.push(term.to_owned());
            }
            let form = if typed.is_ascii() { term.to_owned() } else { form_of(typed) };
            for language in self.languages.iter() {
                let stem = language.stem(&form, term);
                if !stems.contains(&stem) {
                    stems.push(stem);
                }
            }
        }
        stems
    }
}

/// Bytes between two ASCII separators.
struct Run {
    start: usize,
    end: usize,
    first: u8,
    /// The classes of the bytes behind the first, joined by or.
    rest: u8,
}

impl Run {
    /// The first run from `at` on.
    #[inline]
    fn next(bytes: &[u8], at: usize) -> Option<Self> {
        let start = at + bytes[at..].iter().take_while(|byte| !is_word_byte(**byte)).count();
        let (first, rest) = bytes[start..].split_first()?;
        let classes = rest.iter().map(|&byte| class(byte)).take_while(|&class| class >= WORD);
        let (length, rest) = classes.fold((1, 0), |(length, any), class| (length + 1, any | class));
        Some(Self { start, end: start + length, first: class(*first), rest })
    }

    fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    fn is_ascii(&self) -> bool {
        (self.first | self.rest) & (FOREIGN & !WORD) == 0
    }

    #[inline]
    fn has_capital(&self) -> bool {
        (self.first | self.rest) & (CAPITAL & !WORD) != 0
    }

    fn has_inner_capital(&self) -> bool {
        self.rest & (CAPITAL & !WORD) != 0
    }
}

/// Classes of bytes: signs that may join words, and what words are made of: letters and digits of ASCII, and whatever is
/// not ASCII.
const SIGN: u8 = 1;
const WORD: u8 = 2;
const CAPITAL: u8 = 4 | WORD;
const FOREIGN: u8 = 8 | WORD;

static CLASSES: [u8; 256] = {
    let (mut classes, mut byte) = ([0; 256], 0);
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'.' | b'_' | b'-' | b':' | b'+' | b'#' | b'\'' => SIGN,
            b'a'..=b'z' | b'0'..=b'9' => WORD,
            b'A'..=b'Z' => CAPITAL,
            0x80.. => FOREIGN,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

fn is_word_byte(byte: u8) -> bool {
    class(byte) >= WORD
}

/// Numbers the words and owns the buffer in which terms are normalised.
struct Emitter<'t, 'f, F> {
    text: &'t str,
    term: String,
    position: u32,
    f: &'f mut F,
}

impl<F: FnMut(Token<'_>)> Emitter<'_, '_, F> {
    #[inline(always)]
    fn run(&mut self, run: &Run, is_full: bool) {
        if !run.is_ascii() {
            self.unicode_words(run.range(), is_full);
            return;
        }
        if run.has_capital() {
            self.lower_ascii(run.range());
            self.word(run.range());
        } else {
            self.lower_word(run.range());
        }
        if is_full && run.has_inner_capital() {
            self.humps(run.range());
        }
    }

    #[inline(always)]
    fn lower_ascii(&mut self, range: Range<usize>) {
        self.term.clear();
        self.term.push_str(&self.text[range.start..range.end.min(range.start + TERM_BYTES_MAX)]);
        self.term.make_ascii_lowercase();
    }

    /// The next word is its own term, as nearly all are.
    #[inline(always)]
    fn lower_word(&mut self, word: Range<usize>) {
        let term = &self.text[word.start..word.end.min(word.start + TERM_BYTES_MAX)];
        let (position, start, end) = (self.position, word.start, word.end);
        (self.f)(Token { term, kind: TokenKind::Word, position, start, end });
        self.position += 1;
    }

    // What is met less often stays out of the loop over words.
    #[inline(never)]
    fn unicode_words(&mut self, chunk: Range<usize>, is_full: bool) {
        let (mut start, mut is_simple) = (chunk.start, true);
        let mut chars = self.text[chunk.clone()].char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let mut may_have_signs = || chars.peek().is_some_and(|(_, next)| alone(*next) == Alone::Unknown);
            match alone(c) {
                Alone::Letter(_) => {}
                Alone::Unspaced => is_simple &= is_full,
                Alone::Unknown => is_simple = false,
                Alone::Separator if may_have_signs() => is_simple = false,
                Alone::Separator => {
                    let end = chunk.start + offset;
                    self.words_between(start..end, is_simple, is_full);
                    (start, is_simple) = (end + c.len_utf8(), true);
                }
            }
        }
        self.words_between(start..chunk.end, is_simple, is_full);
    }

    /// The words of what stands between separators.
    fn words_between(&mut self, stretch: Range<usize>, is_simple: bool, is_full: bool) {
        match is_simple {
            _ if stretch.is_empty() => {}
            true => self.simple_words(stretch),
            false => self.words_by_the_rules(stretch, is_full),
        }
    }

    /// The words of a stretch of letters, each of which is the same wherever it stands.
    fn simple_words(&mut self, stretch: Range<usize>) {
        let (text, mut pairs, mut word) =
            (self.text, bigrams::Pairs::default(), stretch.start..stretch.start);
        for (offset, c) in text[stretch.clone()].char_indices() {
            let place = stretch.start + offset;
            let end = place + c.len_utf8();
            if alone(c) == Alone::Unspaced {
                self.word_if_any(word);
                pairs.letter(place, end, self);
                word = end..end;
            } else {
                if word.is_empty() {
                    pairs.end(self);
                }
                word.end = end;
            }
        }
        self.word_if_any(word);
        pairs.end(self);
    }

    fn word_if_any(&mut self, word: Range<usize>) {
        if !word.is_empty() {
            self.unicode_word(word);
        }
    }

    /// The words of a stretch by the borders of UAX #29.
    fn words_by_the_rules(&mut self, chunk: Range<usize>, is_full: bool) {
        let text = self.text;
        let mut pairs = bigrams::Pairs::default();
        for (offset, word) in text[chunk.clone()].unicode_word_indices() {
            let start = chunk.start + offset;
            if is_full && bigrams::is_written_without_spaces(word) {
                pairs.add(start, word, self);
                continue;
            }
            pairs.end(self);
            // UAX #29 keeps words joined by ’ or · together; ASCII ' separates, so its typographic twin has to.
            let mut piece_start = start;
            for (index, c) in word.char_indices().filter(|&(_, c)| is_separator(c)) {
                self.unicode_word(piece_start..start + index);
                piece_start = start + index + c.len_utf8();
            }
            let last = piece_start..start + word.len();
            let is_possessive = piece_start > start && matches!(&text[last.clone()], "s" | "S");
            if !(is_full && is_possessive) {
                self.unicode_word(last);
            }
        }
        pairs.end(self);
    }

    fn unicode_word(&mut self, word: Range<usize>) {
        fold_into(&self.text[word.clone()], &mut self.term);
        if !self.term.is_empty() {
            self.word(word);
        }
    }

    /// The term in the buffer is the next word.
    #[inline(always)]
    fn word(&mut self, word: Range<usize>) {
        self.emit(TokenKind::Word, self.position, word);
        self.position += 1;
    }

    #[inline(always)]
    fn emit(&mut self, kind: TokenKind, position: u32, range: Range<usize>) {
        (self.f)(Token { term: &self.term, kind, position, start: range.start, end: range.end });
    }
}
