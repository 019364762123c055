//! The words of a collection that are frequent enough to be meant: for corrections and completions.
//!
//! A word that is on one page alone is as likely a slip of its author as of the person who asks, so only the more frequent
//! ones are kept, at most [`WORDS_MAX`] of them. They lie one behind the other in the order of their bytes, so those with a
//! prefix are a range. Those that are spelled alike are found by going through all: each has the set of its letters in 32
//! bits, and an edit changes at most two of these, so nearly every word is ruled out by one comparison.
//!
//! ```text
//! payload (of a sealed file, kind "word"), in parts with their lengths (u64) before them:
//!   made from    which index, in the words of who knows
//!   text, ends   the words one behind the other, and where each ends (u32 each)
//!   documents    on how many pages each is (u32 each)
//!   letters      which letters each has (u32 each)
//! ```
//!
//! Cost: about 20 bytes a word; made by one scan of the list of terms, a tenth of a microsecond a term, so that a build keeps
//! them for searches. A scan for a misspelled word looks at a word in about a nanosecond.

use std::ops::Range;
use std::path::Path;

use index::Index;
use journal::{Kind, SealedFile};

use crate::Error;
use crate::columns::{Column, PartsReader, PartsWriter};
use crate::edits::{self, EDITS_MAX};
use crate::known::KNOWN_FORMAT;

const KIND: Kind = *b"word";

/// So many words are kept at most, the most frequent.
const WORDS_MAX: usize = 1 << 18;

/// A word is on so many pages at least, unless there are few pages.
const DOCUMENTS_MIN: u32 = 2;

/// With fewer pages than this, a word of one page counts.
const FEW_DOCUMENTS: u32 = 1000;

/// The letters of so many words are compared before one of them is looked at: by vectors.
const LETTERS_AT_ONCE: usize = 16;

/// Longer words are names of files, keys and the like.
const CHARS_MAX: usize = 32;

/// The more frequent words of an index.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// All words, one behind the other.
    text: Column<1>,
    /// Where each ends.
    ends: Column<4>,
    /// On how many pages each is.
    documents: Column<4>,
    /// Which letters each has.
    letters: Column<4>,
}

/// A word of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'v> {
    pub(crate) word: &'v str,
    pub(crate) documents: u32,
}

impl Vocabulary {
    /// Reads the words of an index.
    pub fn read(index: &Index) -> Result<Self, Error> {
        let mut least = if index.documents() < FEW_DOCUMENTS { 1 } else { DOCUMENTS_MIN };
        let (mut vocabulary, mut terms) = (Self::default(), index.terms_from("")?);
        while let Some((term, documents)) = terms.next_term()? {
            let documents = u32::try_from(documents).unwrap_or(u32::MAX);
            if documents >= least && is_word(term) {
                vocabulary.push(term, documents);
                if vocabulary.ends.len() >= 2 * WORDS_MAX {
                    least = vocabulary.halve();
                }
            }
        }
        if vocabulary.ends.len() > WORDS_MAX {
            vocabulary.halve();
        }
        Ok(vocabulary)
    }

    /// Puts them at `path`, whatever was there before. `made_from` says of which index they are.
    pub fn write(&self, path: &Path, made_from: &str) -> Result<(), journal::Error> {
        let mut parts = PartsWriter::default();
        parts.bytes(made_from.as_bytes());
        parts.column(&self.text);
        for column in [&self.ends, &self.documents, &self.letters] {
            parts.column(column);
        }
        journal::replace_sealed(path, KNOWN_FORMAT, KIND, &parts.bytes)?;
        Ok(())
    }

    /// Opens and verifies what was put at `path`; `None` if it is of another index.
    pub fn open(path: &Path, made_from: &str) -> Result<Option<Self>, journal::Error> {
        let file = SealedFile::open(path, KNOWN_FORMAT, KIND)?;
        let mut parts = PartsReader::new(file.into_payload()?);
        if parts.text().as_deref() != Some(made_from) {
            return Ok(None);
        }
        let what = "its words do not have what they should have";
        let lie = || journal::Error::Damaged { path: path.to_owned(), offset: 0, what };
        Self::of_parts(parts).map(Some).ok_or_else(lie)
    }

    /// Verifies a file of its format and gives how many words it has; `None` if it holds something else.
    pub fn check(path: &Path) -> Result<Option<u64>, journal::Error> {
        let file = SealedFile::open_any(path, KNOWN_FORMAT)?;
        if file.kind() != KIND {
            return Ok(None);
        }
        let mut parts = PartsReader::new(file.into_payload()?);
        let words = parts.bytes().and_then(|_| Self::of_parts(parts));
        Ok(words.map(|words| words.len() as u64))
    }

    fn of_parts(mut parts: PartsReader) -> Option<Self> {
        let (text, ends) = (parts.any_column()?, parts.any_column::<4>()?);
        let (documents, letters) = (parts.column(ends.len())?, parts.column(ends.len())?);
        parts.is_empty().then_some(Self { text, ends, documents, letters })
    }

    /// These words, which ascend, with the numbers of their pages.
    #[cfg(test)]
    pub(crate) fn of(words: &[(&str, u32)]) -> Self {
        let mut vocabulary = Self::default();
        words.iter().for_each(|(word, documents)| vocabulary.push(word, *documents));
        vocabulary
    }

    fn push(&mut self, word: &str, documents: u32) {
        self.text.rows_mut().extend_from_slice(word.as_bytes().as_chunks().0);
        self.ends.push(self.text.len() as u32);
        self.documents.push(documents);
        self.letters.push(letters(word));
    }

    /// Keeps the more frequent half, or less; gives how frequent a word has to be from now on.
    fn halve(&mut self) -> u32 {
        let mut documents: Vec<u32> = self.documents.numbers().collect();
        let middle = documents.len() / 2;
        let least = *documents.select_nth_unstable(middle).1 + 1;
        let mut kept = Self::default();
        for entry in (0..self.len()).map(|place| self.entry(place)).filter(|entry| entry.documents >= least) {
            kept.push(entry.word, entry.documents);
        }
        *self = kept;
        least
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn entry(&self, place: usize) -> Entry<'_> {
        let number = |column: &Column<4>, place| column.number(place).unwrap_or_default();
        let start = place.checked_sub(1).map_or(0, |before| number(&self.ends, before));
        let word = self.text.rows().get(start as usize..number(&self.ends, place) as usize);
        let word = std::str::from_utf8(word.unwrap_or_default().as_flattened()).unwrap_or_default();
        Entry { word, documents: number(&self.documents, place) }
    }

    fn first_not_before(&self, word: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.entry(middle).word < word { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The words that begin with `prefix`.
    pub(crate) fn with_prefix<'v>(&'v self, prefix: &'v str) -> impl Iterator<Item = Entry<'v>> {
        let from = self.first_not_before(prefix);
        let entries = (from..self.len()).map(|place| self.entry(place));
        entries.take_while(move |entry| entry.word.starts_with(prefix))
    }

    /// The words that are at most so many edits away from `word`, and on more than `documents` pages, each with the edits.
    pub(crate) fn alike(&self, word: &str, edits_max: usize, documents: u32) -> Vec<(Entry<'_>, usize)> {
        let wanted: Vec<char> = word.chars().collect();
        let (of_word, bits_max) = (letters(word), 2 * edits_max.min(EDITS_MAX) as u32);
        let bytes = word.len().saturating_sub(4 * edits_max)..=word.len() + 4 * edits_max;
        let (mut found, mut chars) = (Vec::new(), Vec::new());
        for (number, rows) in self.letters.rows().chunks(LETTERS_AT_ONCE).enumerate() {
            let mut are_near = [false; LETTERS_AT_ONCE];
            for (is_near, letters) in are_near.iter_mut().zip(rows) {
                *is_near = (u32::from_le_bytes(*letters) ^ of_word).count_ones() <= bits_max;
            }
            if !are_near.contains(&true) {
                continue;
            }
            let first = number * LETTERS_AT_ONCE;
            for place in (first..).zip(are_near).filter_map(|(place, is_near)| is_near.then_some(place)) {
                let entry = self.entry(place);
                if entry.documents > documents && bytes.contains(&entry.word.len()) {
                    chars.clear();
                    chars.extend(entry.word.chars());
                    found.extend(edits::within(&wanted, &chars, edits_max).map(|edits| (entry, edits)));
                }
            }
        }
        found
    }
}

/// Whether a term is a word that somebody may have meant: letters, perhaps with signs or digits behind them.
fn is_word(term: &str) -> bool {
    let chars = term.chars().count();
    (2..=CHARS_MAX).contains(&chars)
        && term.starts_with(char::is_alphabetic)
        && !term.chars().any(is_of_script_without_spaces)
}

/// Terms of these scripts are pairs of letters, not words.
pub(crate) fn is_of_script_without_spaces(c: char) -> bool {
    const RANGES: [Range<u32>; 6] =
        [0x0e00..0x0f00, 0x1000..0x10a0, 0x1780..0x1800, 0x2e80..0xa4d0, 0xf900..0xfb00, 0x2_0000..0x3_2000];
    RANGES.iter().any(|range| range.contains(&u32::from(c)))
}

/// The set of the letters of a word: each of the alphabet has a bit, all others share six.
fn letters(word: &str) -> u32 {
    word.chars().fold(0, |set, c| {
        set | match c {
            'a'..='z' => 1 << (c as u32 - 'a' as u32),
            _ => 1 << (26 + u32::from(c) % 6),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_prefix_and_by_their_likes() {
        let words =
            [("data", 90), ("database", 50), ("databases", 20), ("date", 40), ("états", 9), ("étude", 3)];
        let vocabulary = Vocabulary::of(&words);
        let prefix = |prefix| vocabulary.with_prefix(prefix).map(|entry| entry.word).collect::<Vec<_>>();
        assert_eq!(prefix("data"), ["data", "database", "databases"]);
        assert_eq!(prefix("é"), ["états", "étude"]);
        assert!(prefix("x").is_empty() && prefix("étudex").is_empty());
        let alike = |word, edits, documents| {
            let found = vocabulary.alike(word, edits, documents);
            found.into_iter().map(|(entry, edits)| (entry.word, edits)).collect::<Vec<_>>()
        };
        assert_eq!(alike("databse", 2, 0), [("database", 1), ("databases", 2)]);
        assert_eq!(alike("databse", 2, 30), [("database", 1)]);
        assert_eq!(alike("etude", 1, 0), [("étude", 1)]);
        assert_eq!(alike("dtaa", 1, 0), [("data", 1)]);
    }

    #[test]
    fn words_of_a_file_are_those_that_were_written_and_of_no_other_index() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words");
        let rows = [("data", 90), ("états", 9), ("étude", 3)];
        Vocabulary::of(&rows).write(&path, "this index").unwrap();
        assert!(Vocabulary::open(&path, "another index").unwrap().is_none());
        let read = Vocabulary::open(&path, "this index").unwrap().unwrap();
        let entries: Vec<_> = (0..read.len()).map(|place| read.entry(place)).collect();
        assert_eq!(entries, rows.map(|(word, documents)| Entry { word, documents }));
        assert_eq!(read.alike("etats", 1, 0).len(), 1);
        let good = std::fs::read(&path).unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 1;
            for bytes in [&bad[..], &good[..place]] {
                std::fs::write(&path, bytes).unwrap();
                let error = Vocabulary::open(&path, "this index").unwrap_err().to_string();
                assert!(error.contains(path.to_str().unwrap()), "{error}");
            }
        }
    }

    #[test]
    fn only_the_more_frequent_half_is_kept() {
        let words: Vec<String> = (0..100).map(|number| format!("w{number:03}")).collect();
        let rows: Vec<(&str, u32)> = words.iter().map(String::as_str).zip((0..).map(|n| n % 10)).collect();
        let mut vocabulary = Vocabulary::of(&rows);
        let least = vocabulary.halve();
        assert!(vocabulary.len() <= 50 && !vocabulary.is_empty());
        assert!((0..vocabulary.len()).all(|place| vocabulary.entry(place).documents >= least));
    }

    #[test]
    fn what_is_a_word_for_a_correction() {
        let rows = [
            ("word", true),
            ("c++", true),
            ("utf8", true),
            ("8bit", false),
            ("a", false),
            ("東京", false),
            ("ไทย", false),
            ("слово", true),
        ];
        for (term, expected) in rows {
            assert_eq!(is_word(term), expected, "{term}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_letters_rule_out_nothing_that_is_alike(one in "[a-cé東]{0,6}", other in "[a-cé東]{0,6}") {
            let chars = |word: &str| word.chars().collect::<Vec<_>>();
            for edits_max in 0..=EDITS_MAX {
                let is_alike = edits::within(&chars(&one), &chars(&other), edits_max).is_some();
                let vocabulary = Vocabulary::of(&[(&other, 1)]);
                assert_eq!(vocabulary.alike(&one, edits_max, 0).len(), usize::from(is_alike));
            }
        }
    }
}
