//! From a text to the set of its shingles, as hashes of 64 bits.
//!
//! A shingle is so many words or characters in a row; two texts are as similar as the sets of their shingles (Broder,
//! "On the resemblance and containment of documents", 1997). Shingles are never written out: a word or a character has a
//! number without structure, and a polynomial of these rolls over the text ([`roll`]). So the cost does not depend on
//! the length of a shingle: two multiplications each, and a third one that scrambles the result.
//! The shingles of the MinHash report ([`seed`]) cannot be rolled, and cost one multiplication per byte.

mod chars;
mod names;
mod roll;
mod seed;

pub use names::NotAShingling;
pub(crate) use roll::roll;

use crate::text::{WordScanner, without_markup, without_numbers};

/// The longest shingle: so many words or characters.
pub const SHINGLE_LENGTH_MAX: usize = 1000;

/// What a shingle is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shingling {
    /// So many words in a row. A word is a longest run of letters and digits, in lower case.
    Words(usize),
    /// So many characters in a row, in lower case, white space left out.
    Chars(usize),
    /// As in the MinHash report: so many ASCII characters in a row, in lower case, white space and everything else left
    /// out, hashed by FNV-1a.
    SeedChars(usize),
}

/// Parts of a text that are left out before it is cut into shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TextOptions {
    /// Leave out `<tags>`, comments, scripts and styles.
    pub without_markup: bool,
    /// Leave out numbers and dates: words with a digit in them.
    pub without_numbers: bool,
}

/// Cuts texts into shingles. One per thread: it keeps its buffers from text to text.
#[derive(Debug, Clone)]
pub struct Shingler {
    shingling: Shingling,
    options: TextOptions,
    scanner: WordScanner,
    /// The numbers of words or characters.
    numbers: Vec<u64>,
    /// The bytes of a text in the alphabet of the shingling.
    letters: Vec<u8>,
    /// The text without what the options leave out.
    plain: [Vec<u8>; 2],
}

impl Shingler {
    /// A shingler. A shingle of length 0 is taken as one of length 1.
    pub fn new(shingling: Shingling, options: TextOptions) -> Self {
        Self {
            shingling,
            options,
            scanner: WordScanner::default(),
            numbers: Vec::new(),
            letters: Vec::new(),
            plain: [Vec::new(), Vec::new()],
        }
    }

    /// Replaces `hashes` by those of all shingles of the text, in their order and with repeats. A text that is shorter
    /// than one shingle has none.
    pub fn shingle(&mut self, text: &[u8], hashes: &mut Vec<u64>) {
        let [without_tags, without_digits] = &mut self.plain;
        let mut text = text;
        if self.options.without_markup {
            without_markup(text, without_tags);
            text = without_tags;
        }
        if self.options.without_numbers {
            without_numbers(text, without_digits);
            text = without_digits;
        }
        hashes.clear();
        self.numbers.clear();
        match self.shingling {
            Shingling::Words(length) => {
                let length = length.max(1);
                self.scanner.scan(text, |words| {
                    self.numbers.extend(words.hashes());
                    roll::roll_when_many(&mut self.numbers, length, hashes);
                });
                roll::roll(&self.numbers, length, hashes);
            }
            Shingling::Chars(length) => {
                chars::shingle(text, length.max(1), &mut self.letters, &mut self.numbers, hashes);
            }
            Shingling::SeedChars(length) => seed::shingle(text, length.max(1), &mut self.letters, hashes),
        }
    }
}

/// Sorts hashes and drops repeats, so that they are a set.
pub fn make_set(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
}

/// The Jaccard similarity of two sets, exactly. Two empty sets have nothing in common.
pub fn jaccard(left: &[u64], right: &[u64]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0usize);
    while i < left.len() && j < right.len() {
        let (l, r) = (left[i], right[j]);
        common += usize::from(l == r);
        i += usize::from(l <= r);
        j += usize::from(r <= l);
    }
    let union = left.len() + right.len() - common;
    if union == 0 { 0.0 } else { common as f64 / union as f64 }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::plain_words;

    fn hashes(shingling: Shingling, options: TextOptions, text: &[u8]) -> Vec<u64> {
        let mut hashes = vec![7];
        Shingler::new(shingling, options).shingle(text, &mut hashes);
        hashes
    }

    fn of_words(length: usize, text: &str) -> Vec<u64> {
        hashes(Shingling::Words(length), TextOptions::default(), text.as_bytes())
    }

    #[test]
    fn a_text_has_as_many_shingles_as_fit() {
        for (text, expected) in [("", 0), ("one two", 0), ("one two three", 1), ("One, two! (three) four", 2)]
        {
            assert_eq!(of_words(3, text).len(), expected, "{text}");
        }
        let hundred: String = (0..100).map(|word| format!("w{word} ")).collect();
        for length in 1..=100 {
            let mut set = of_words(length, &hundred);
            make_set(&mut set);
            assert_eq!(set.len(), 101 - length, "rows of {length} words");
        }
        // The same first words, and one that is another: only a row that reaches it differs.
        let other = hundred.replace("w99", "x");
        for length in 1..=100 {
            let common = of_words(length, &hundred)
                .iter()
                .zip(of_words(length, &other))
                .filter(|(l, r)| **l == *r)
                .count();
            assert_eq!(common, 100 - length, "rows of {length} words");
        }
    }

    #[test]
    fn the_order_of_words_matters_and_their_case_does_not() {
        assert_eq!(of_words(2, "ÜBER alles"), of_words(2, "über -- ALLES"));
        assert_ne!(of_words(2, "über alles"), of_words(2, "alles über"));
        assert_ne!(of_words(2, "ab c"), of_words(2, "a bc"));
        assert_ne!(of_words(3, "a a b"), of_words(3, "b a a"));
    }

    #[test]
    fn options_leave_out_markup_and_numbers() {
        let both = TextOptions { without_markup: true, without_numbers: true };
        let page = b"<p class=x1>On 3 May 2024<script>var a;</script> we met</p>";
        for shingling in [Shingling::Words(2), Shingling::Chars(4), Shingling::SeedChars(4)] {
            assert_eq!(
                hashes(shingling, both, page),
                hashes(shingling, TextOptions::default(), b"on may we met")
            );
        }
    }

    #[test]
    fn jaccard_is_the_share_of_the_union() {
        let cases: [(&[u64], &[u64], f64); 4] =
            [(&[], &[], 0.0), (&[1], &[], 0.0), (&[1, 2, 3], &[2, 3, 4], 0.5), (&[5], &[5], 1.0)];
        for (left, right, expected) in cases {
            assert_eq!(jaccard(left, right), expected);
        }
    }

    #[test]
    fn long_texts_have_the_shingles_of_their_parts() {
        for separator in [" ", " é "] {
            let words: Vec<String> =
                (0..60_000u32).map(|n| format!("w{}", n.wrapping_mul(n) % 9973)).collect();
            for (shingling, length) in
                [(Shingling::Words as fn(usize) -> Shingling, 3), (Shingling::Chars, 9)]
            {
                let whole =
                    hashes(shingling(length), TextOptions::default(), words.join(separator).as_bytes());
                let mut parts = Vec::new();
                for window in words.windows(12) {
                    let text = window.join(separator);
                    parts.extend(hashes(shingling(length), TextOptions::default(), text.as_bytes()));
                }
                let (whole_set, part_set): (HashSet<u64>, HashSet<u64>) =
                    (whole.iter().copied().collect(), parts.into_iter().collect());
                assert!(whole_set == part_set);
                // As many as fit: none is there twice where the text went by in two pieces.
                let units = if length == 3 {
                    plain_words(words.join(separator).as_bytes()).len()
                } else {
                    words.join(separator).chars().filter(|c| !c.is_whitespace()).count()
                };
                assert_eq!(whole.len(), units - length + 1);
            }
        }
    }

    proptest! {
        #[test]
        fn hashes_of_words_are_equal_where_shingles_are(
            text in "([ab]{1,2}|[A-Dé]{1,30}|[ .]{1,2}){0,80}", length in 1usize..5,
        ) {
            let words = plain_words(text.as_bytes());
            let shingles: Vec<&[String]> = words.windows(length).collect();
            let hashes = of_words(length, &text);
            prop_assert_eq!(hashes.len(), shingles.len());
            let distinct: HashSet<(&[String], u64)> = shingles.iter().copied().zip(hashes.iter().copied()).collect();
            prop_assert_eq!(distinct.len(), shingles.iter().collect::<HashSet<_>>().len());
            prop_assert_eq!(distinct.len(), hashes.iter().collect::<HashSet<_>>().len());
        }

        #[test]
        fn no_bytes_make_it_fail(text in prop::collection::vec(any::<u8>(), 0..300), length in 0usize..70) {
            for shingling in [Shingling::Words(length), Shingling::Chars(length), Shingling::SeedChars(length)] {
                let options = TextOptions { without_markup: true, without_numbers: true };
                hashes(shingling, options, &text);
            }
        }
    }
}
