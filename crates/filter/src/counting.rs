//! A Bloom filter from which keys can be taken out again: a counter of four bits where the classic one has a bit.
//!
//! Four times the size of [`BloomFilter`] (38 bits a key for 1 %). With half of the positions in use a counter reaches 15
//! with a probability of 10⁻¹⁵; one that does is stuck there, since nobody knows any more how many keys it stands for.
//! Stuck counters can make false positives, never false negatives.
//!
//! After Fan, Cao, Almeida, Broder, "Summary cache" (2000).

use crate::bloom::{BloomFilter, ShapeMismatch};
use crate::shape::{FilterShape, KeyHash};

/// A counter with this value neither grows nor shrinks.
const STUCK: u64 = 15;

/// Counters in a word.
const PER_WORD: u64 = 16;

/// A set of keys as counters, see the module. Counter p is the four bits from 4 · (p mod 16) of word p / 16.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingBloomFilter {
    shape: FilterShape,
    words: Vec<u64>,
}

impl CountingBloomFilter {
    /// An empty filter with as many counters as the shape has bits.
    pub fn new(shape: FilterShape) -> Self {
        Self { shape, words: vec![0; Self::word_count(&shape)] }
    }

    /// A filter with these counters.
    pub fn from_words(shape: FilterShape, words: Vec<u64>) -> Result<Self, ShapeMismatch> {
        if words.len() == Self::word_count(&shape) { Ok(Self { shape, words }) } else { Err(ShapeMismatch) }
    }

    /// The number of words that the counters of a shape take.
    pub(crate) fn word_count(shape: &FilterShape) -> usize {
        (shape.bits() / PER_WORD) as usize
    }

    /// Its shape.
    pub fn shape(&self) -> &FilterShape {
        &self.shape
    }

    /// Its counters, sixteen a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds a key, also one that is in already: it must then be removed twice.
    pub fn insert(&mut self, key: &KeyHash) {
        for position in key.probes(&self.shape) {
            if self.counter(position) < STUCK {
                self.words[(position / PER_WORD) as usize] += 1 << (position % PER_WORD * 4);
            }
        }
    }

    /// Takes a key out once. Says whether it may have been in; if not, nothing changes.
    ///
    /// Only what was inserted may be removed: taking out a key that is only seemingly in damages others.
    pub fn remove(&mut self, key: &KeyHash) -> bool {
        if !self.contains(key) {
            return false;
        }
        for position in key.probes(&self.shape) {
            // 0 is met by a key that was never inserted and has two equal positions.
            if !matches!(self.counter(position), 0 | STUCK) {
                self.words[(position / PER_WORD) as usize] -= 1 << (position % PER_WORD * 4);
            }
        }
        true
    }

    /// Whether the key may be in the set: `false` is certain.
    pub fn contains(&self, key: &KeyHash) -> bool {
        key.probes(&self.shape).all(|position| self.counter(position) != 0)
    }

    /// How often the key is in the set, at most; 15 means that or more.
    pub fn count_of(&self, key: &KeyHash) -> u32 {
        let counters = key.probes(&self.shape).map(|position| self.counter(position));
        counters.min().expect("a shape has at least one probe") as u32
    }

    /// Forgets every key and keeps the memory.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The classic filter of the same keys, exactly as if they had been inserted into it (while no counter is stuck).
    pub fn to_bloom(&self) -> BloomFilter {
        let bit_of_word =
            |word: u64| (0..PER_WORD).fold(0, |bits, i| bits | u64::from(word >> (i * 4) & 15 != 0) << i);
        let words = self.words.chunks_exact(4).map(|four| {
            four.iter()
                .enumerate()
                .fold(0, |bits, (i, word)| bits | bit_of_word(*word) << (i as u64 * PER_WORD))
        });
        BloomFilter::from_words(self.shape, words.collect()).expect("four words of counters make one of bits")
    }

    fn counter(&self, position: u64) -> u64 {
        self.words[(position / PER_WORD) as usize] >> (position % PER_WORD * 4) & 15
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_leaves_no_trace() {
        let shape = FilterShape::for_rate(1_000, 0.01);
        let mut filter = CountingBloomFilter::new(shape);
        let mut expected = BloomFilter::new(shape);
        (0..1_000).for_each(|key| filter.insert(&KeyHash::of_u64(key, 0)));
        (0..500).for_each(|key| assert!(filter.remove(&KeyHash::of_u64(key, 0))));
        for key in 500..1_000 {
            expected.insert(&KeyHash::of_u64(key, 0));
        }
        assert_eq!(filter.to_bloom(), expected);
        (500..1_000).for_each(|key| assert!(filter.remove(&KeyHash::of_u64(key, 0))));
        assert_eq!(filter, CountingBloomFilter::new(shape));
        assert!(!filter.remove(&KeyHash::of_u64(1, 0)));
    }

    #[test]
    fn a_key_that_came_twice_must_go_twice() {
        let mut filter = CountingBloomFilter::new(FilterShape::for_rate(100, 0.01));
        let key = KeyHash::of(b"key", 0);
        filter.insert(&key);
        filter.insert(&key);
        assert_eq!(filter.count_of(&key), 2);
        assert!(filter.remove(&key) && filter.contains(&key));
        assert!(filter.remove(&key) && !filter.contains(&key));
    }

    #[test]
    fn a_full_counter_is_stuck() {
        let mut filter = CountingBloomFilter::new(FilterShape::for_rate(100, 0.01));
        let key = KeyHash::of(b"key", 0);
        (0..20).for_each(|_| filter.insert(&key));
        assert_eq!(filter.count_of(&key), 15);
        (0..20).for_each(|_| assert!(filter.remove(&key)));
        assert!(filter.contains(&key));
        filter.clear();
        assert!(!filter.contains(&key));
    }

    #[test]
    fn counters_neither_wrap_nor_touch_their_neighbours() {
        // 64 counters and 64 probes: many positions of a key are equal, counters get stuck and reach 0. Strangers are
        // removed too, which only this test may do.
        let shape = FilterShape::new(64, 12, 0);
        let mut filter = CountingBloomFilter::new(shape);
        let mut expected = [0u64; 64];
        let (mut met_zero, mut met_stuck) = (false, false);
        for step in 0..3_000 {
            let key = KeyHash::of_u64(step % 37, 0);
            if step % 11 < 5 {
                filter.insert(&key);
                key.probes(&shape).for_each(|p| expected[p as usize] = (expected[p as usize] + 1).min(STUCK));
            } else {
                let is_in = key.probes(&shape).all(|p| expected[p as usize] != 0);
                assert_eq!(filter.remove(&key), is_in);
                for p in key.probes(&shape).filter(|_| is_in) {
                    let counter = &mut expected[p as usize];
                    met_zero |= *counter == 0;
                    met_stuck |= *counter == STUCK;
                    *counter -= u64::from(!matches!(*counter, 0 | STUCK));
                }
            }
            assert!((0..64).all(|p| filter.counter(p) == expected[p as usize]), "step {step}");
        }
        assert!(met_zero && met_stuck, "the steps reach the edges: {met_zero} {met_stuck}");
    }
}
