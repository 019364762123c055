//! Sixty-four bits that tell how similar two texts are: one MinHash of rows of [`ROW_WORDS`] words in 64 slots, one bit kept
//! of each.
//!
//! A row goes into the slot that its hash names, a slot keeps its least row, and of that row one bit. Two texts of
//! similarity J agree in a slot with probability J, and in its bit with (1 + J) / 2. A slot without rows has a zero.
//! So short texts have few ones, and differ in few bits whatever they say: hence [`are_similar`] counts the bits that
//! differ among those that one of the two has. For long texts, with half of 64 ones each, the limit is 9 bits, which is
//! the mean for J = 0.72.
//!
//! Cost: a load, a comparison and a store per row, once the hashes of words are there.
//!
//! After Li, Owen, Zhang, "One Permutation Hashing", NIPS 2012, and Li, König, "b-Bit Minwise Hashing", WWW 2010. They fill
//! empty slots or count them; we need neither, because of the way bits are compared.

use crate::shingles::roll;

/// The rows are of so many words: those by whose sets similarity is told everywhere else.
const ROW_WORDS: usize = 5;

/// At most one in so many bits differs between similar texts.
const BITS_PER_DIFFERENCE: u32 = 4;

/// Whether the texts of which these are the bits are probably similar.
pub(crate) fn are_similar(left: u64, right: u64) -> bool {
    (left ^ right).count_ones() * BITS_PER_DIFFERENCE <= (left | right).count_ones()
}

/// Finds the least rows of a text that comes in stretches.
#[derive(Debug, Clone)]
pub(crate) struct RowBits {
    least: [u64; 64],
    /// The words of a stretch, after the last ones of the stretch before it.
    words: Vec<u64>,
    rows: Vec<u64>,
}

impl Default for RowBits {
    fn default() -> Self {
        Self { least: [u64::MAX; 64], words: Vec::new(), rows: Vec::new() }
    }
}

impl RowBits {
    /// Adds the hashes of the next words of the text.
    pub fn add(&mut self, words: &[u64]) {
        self.words.extend_from_slice(words);
        self.rows.clear();
        roll(&self.words, ROW_WORDS, &mut self.rows);
        for row in &self.rows {
            // Rows of one slot have equal high bits: the least of all is the least of the rest.
            let least = &mut self.least[(row >> 58) as usize];
            *least = (*least).min(*row);
        }
        self.words.drain(..self.words.len().saturating_sub(ROW_WORDS - 1));
    }

    /// Tells the bits, and is ready for another text.
    pub fn finish(&mut self) -> u64 {
        // The value of an empty slot ends in a one.
        let bits = self.least.iter().rev().fold(0, |bits, least| bits << 1 | (!least & 1));
        self.least.fill(u64::MAX);
        self.words.clear();
        bits
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(words: &[u64]) -> u64 {
        let mut rows = Vec::new();
        roll(words, ROW_WORDS, &mut rows);
        let bit = |slot: u64| rows.iter().filter(|row| **row >> 58 == slot).min().map_or(0, |row| !row & 1);
        (0..64).fold(0, |bits, slot| bits | bit(slot) << slot)
    }

    #[test]
    fn texts_are_similar_if_few_of_their_ones_differ() {
        let cases = [
            (0, 0, true),
            (0b1111, 0b1110, true),
            (0b111, 0b110, false),
            (0b1111, 0, false),
            (u64::MAX, u64::MAX << 16, true),
            (u64::MAX, u64::MAX << 17, false),
        ];
        for (left, right, expected) in cases {
            assert_eq!(
                (are_similar(left, right), are_similar(right, left)),
                (expected, expected),
                "{left} {right}"
            );
        }
    }

    #[test]
    fn bits_differ_as_often_as_the_similarity_says() {
        // A hundred texts of 400 words, and what becomes of them when the last 44 of their 396 rows are others.
        let words: Vec<u64> = (0..40_000).map(crate::mix::scramble).collect();
        let mut edited = words.clone();
        edited.chunks_mut(400).for_each(|text| text[356..].iter_mut().for_each(|word| *word = !*word));
        let bits = |words: &[u64]| -> Vec<u64> {
            let mut bits = RowBits::default();
            let bits_of = |text: &[u64]| {
                bits.add(text);
                bits.finish()
            };
            words.chunks(400).map(bits_of).collect()
        };
        // J = 352 / 440 = 0.8, so that one bit in ten differs.
        let differing: u32 =
            bits(&words).iter().zip(bits(&edited)).map(|(left, right)| (left ^ right).count_ones()).sum();
        let share = f64::from(differing) / 6400.0;
        assert!((share - 0.1).abs() < 0.02, "{share}");
    }

    proptest! {
        #[test]
        fn stretches_and_earlier_texts_change_nothing(
            words in prop::collection::vec(0u64..30, 0..200), cuts in prop::collection::vec(0usize..9, 0..60),
        ) {
            let words: Vec<u64> = words.into_iter().map(crate::mix::scramble).collect();
            let mut bits = RowBits::default();
            bits.add(&[1, 2, 3, 4, 5, 6]);
            bits.finish();
            let mut rest = &words[..];
            for cut in cuts {
                let (stretch, after) = rest.split_at(cut.min(rest.len()));
                bits.add(stretch);
                rest = after;
            }
            bits.add(rest);
            prop_assert_eq!(bits.finish(), naive(&words));
        }
    }
}
