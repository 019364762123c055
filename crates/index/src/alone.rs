//! What a character is in whatever word it stands.
//!
//! Where words end and how they are folded depends, by Unicode, on what stands side by side: accents follow their letters,
//! apostrophes join, Hangul is composed. To ask for all of that takes a hundred times as long as to look at the letters, and of
//! nearly all letters, those of Latin, Greek and Cyrillic, of Han and kana, the answer is always the same. So the rules are
//! asked once for each of these characters, alone and between others, and what they say is remembered. Where a character is
//! met of which nothing is known alone, the rules are asked for the whole word.
//!
//! Cost: 12 KiB, and a few microseconds for each different character that a process meets.

use std::sync::atomic::{AtomicU64, Ordering};

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation as _;

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alone {
    /// A letter or digit: others of these beside it are in the same word.
    Letter(Folded),
    /// A letter of Han or kana, which is its own term and a word for itself.
    Unspaced,
    /// What is before it and what is behind it are never in the same word.
    Separator,
    /// That depends on what is beside it.
    Unknown,
}

/// How a letter is folded: one character, sometimes two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Folded {
    bytes: [u8; Self::BYTES_MAX],
    length: u8,
}

impl Folded {
    const BYTES_MAX: usize = 6;

    fn of(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::BYTES_MAX];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { bytes, length: text.len() as u8 })
    }

    /// The characters that it becomes.
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl Alone {
    /// What a character is by `fold`, which folds a word by all rules.
    #[inline]
    pub(crate) fn of(c: char, fold: fn(&str, &mut String)) -> Self {
        match c {
            'a'..='z' | '0'..='9' => Self::Letter(Folded { bytes: [c as u8, 0, 0, 0, 0, 0], length: 1 }),
            'A'..='Z' => {
                Self::Letter(Folded { bytes: [c.to_ascii_lowercase() as u8, 0, 0, 0, 0, 0], length: 1 })
            }
            '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{4e00}'..='\u{9fff}' => {
                Self::Unspaced
            }
            c => match place_of(c) {
                Some(place) => remembered(place, c, fold),
                None => Self::Unknown,
            },
        }
    }

    /// What the rules say.
    fn by_the_rules(c: char, fold: fn(&str, &mut String)) -> Self {
        let words_of = |text: &str| text.unicode_words().map(str::to_owned).collect::<Vec<_>>();
        let is_one = |text: String| words_of(&text) == [text];
        let mut folded = String::new();
        fold(c.encode_utf8(&mut [0; 4]), &mut folded);
        // 々 and its like are letters of Han that join others.
        let is_spaced = !('\u{3000}'..='\u{3040}').contains(&c);
        let joins =
            is_spaced && !is_combining_mark(c) && is_one(format!("{c}{c}")) && is_one(format!("a{c}1{c}a"));
        let parts = || {
            let [letters, digits] = ["a", "1"].map(|around| words_of(&format!("{around}{c}{around}{c}{c}")));
            letters == ["a", "a"] && digits == ["1", "1"]
        };
        let is_whole = !folded.is_empty() && !folded.chars().any(is_combining_mark);
        match Folded::of(&folded) {
            Some(folded) if joins && is_whole => Self::Letter(folded),
            _ if folded.is_empty() && parts() => Self::Separator,
            _ => Self::Unknown,
        }
    }

    /// As it is remembered: never zero.
    fn packed(self) -> u64 {
        match self {
            Self::Letter(Folded { bytes: [a, b, c, d, e, f], length }) => {
                u64::from_le_bytes([a, b, c, d, e, f, length, LETTER])
            }
            Self::Separator => u64::from_le_bytes([0, 0, 0, 0, 0, 0, 0, SEPARATOR]),
            Self::Unspaced | Self::Unknown => u64::from_le_bytes([0, 0, 0, 0, 0, 0, 0, UNKNOWN]),
        }
    }

    #[inline]
    fn unpacked(packed: u64) -> Self {
        let [a, b, c, d, e, f, length, kind] = packed.to_le_bytes();
        match kind {
            LETTER => Self::Letter(Folded { bytes: [a, b, c, d, e, f], length }),
            SEPARATOR => Self::Separator,
            _ => Self::Unknown,
        }
    }
}

const LETTER: u8 = 1;
const SEPARATOR: u8 = 2;
const UNKNOWN: u8 = 3;

/// The characters that are remembered: Latin, Greek and Cyrillic; punctuation, that of Han, and full-width forms.
const RANGES: [(u32, u32); 4] = [(0x80, 0x530), (0x2000, 0x2070), (0x3000, 0x3041), (0xff00, 0xff66)];
const PLACES: usize = {
    let (mut places, mut range) = (0, 0);
    while range < RANGES.len() {
        places += RANGES[range].1 - RANGES[range].0;
        range += 1;
    }
    places as usize
};

/// What was said of each; zero before it is asked.
static SAID: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

#[inline]
fn place_of(c: char) -> Option<usize> {
    let (code, mut before) = (u32::from(c), 0);
    for (first, end) in RANGES {
        if (first..end).contains(&code) {
            return Some((before + code - first) as usize);
        }
        before += end - first;
    }
    None
}

#[inline]
fn remembered(place: usize, c: char, fold: fn(&str, &mut String)) -> Alone {
    match SAID[place].load(Ordering::Relaxed) {
        0 => ask(place, c, fold),
        said => Alone::unpacked(said),
    }
}

// Whoever asks at the same time is told the same.
#[cold]
fn ask(place: usize, c: char, fold: fn(&str, &mut String)) -> Alone {
    let alone = Alone::by_the_rules(c, fold);
    SAID[place].store(alone.packed(), Ordering::Relaxed);
    alone
}
