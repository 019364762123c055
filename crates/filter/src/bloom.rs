//! The classic Bloom filter: m bits, k of them set for each key.
//!
//! A key that was inserted is always found; another one is found with the rate of the shape. Costs k memory accesses
//! where [`BlockedBloomFilter`](crate::BlockedBloomFilter) has one, and is the smallest filter that can grow, be joined
//! and be compared bit by bit, which is why indexes of many filters ([`crate::index`]) are built from it.

use crate::shape::{FilterShape, KeyHash};

/// Two filters were combined that differ in size, probes or seed, or words do not fit a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("filters of different shapes (size, probes or seed) cannot be combined")]
pub struct ShapeMismatch;

/// A set of keys as bits, see the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloomFilter {
    shape: FilterShape,
    words: Vec<u64>,
}

impl BloomFilter {
    /// An empty filter.
    pub fn new(shape: FilterShape) -> Self {
        Self { shape, words: vec![0; shape.word_count()] }
    }

    /// A filter with these bits: position p is bit p mod 64 of word p / 64.
    pub fn from_words(shape: FilterShape, words: Vec<u64>) -> Result<Self, ShapeMismatch> {
        if words.len() == shape.word_count() { Ok(Self { shape, words }) } else { Err(ShapeMismatch) }
    }

    /// Its shape.
    pub fn shape(&self) -> &FilterShape {
        &self.shape
    }

    /// Its bits: position p is bit p mod 64 of word p / 64.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds a key, hashed with the seed of the shape. Says whether a bit changed, that is whether it surely is new.
    #[inline]
    pub fn insert(&mut self, key: &KeyHash) -> bool {
        let mut is_new = false;
        for position in key.probes(&self.shape) {
            let word = &mut self.words[(position / 64) as usize];
            let mask = 1 << (position % 64);
            is_new |= *word & mask == 0;
            *word |= mask;
        }
        is_new
    }

    /// Whether the key may be in the set: `false` is certain.
    #[inline]
    pub fn contains(&self, key: &KeyHash) -> bool {
        key.probes(&self.shape).all(|position| self.bit(position))
    }

    /// Whether the bit at this position is set.
    ///
    /// # Panics
    /// If the position is not below `shape().bits()`.
    #[inline]
    pub fn bit(&self, position: u64) -> bool {
        self.words[(position / 64) as usize] >> (position % 64) & 1 == 1
    }

    /// The positions of the set bits, ascending.
    pub fn ones(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().zip(0u64..).flat_map(|(word, index)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let low = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    index * 64 + u64::from(low)
                })
            })
        })
    }

    /// Forgets every key and keeps the memory.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Becomes exactly the filter of both sets together.
    pub fn union_with(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_shape(other)?;
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
        Ok(())
    }

    /// Becomes a filter that finds every key of both sets, with more wrong answers than one built from these keys only.
    pub fn intersect_with(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.check_shape(other)?;
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= theirs);
        Ok(())
    }

    /// Whether the other has every bit of this one, as it must if its set has every key of this one.
    pub fn is_subset_of(&self, other: &Self) -> Result<bool, ShapeMismatch> {
        self.check_shape(other)?;
        Ok(self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & !theirs == 0))
    }

    /// In how many bits the two differ (Hamming).
    pub fn distance(&self, other: &Self) -> Result<u64, ShapeMismatch> {
        self.check_shape(other)?;
        Ok(self
            .words
            .iter()
            .zip(&other.words)
            .map(|(mine, theirs)| u64::from((mine ^ theirs).count_ones()))
            .sum())
    }

    /// How many bits are set.
    pub fn count_ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The share of bits that are set.
    pub fn fill(&self) -> f64 {
        self.count_ones() as f64 / self.shape.bits() as f64
    }

    /// Whether no key was inserted.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// How many different keys were inserted, estimated from the fill.
    pub fn estimated_count(&self) -> f64 {
        self.shape.keys_at(self.count_ones())
    }

    /// The share of foreign keys that are wrongly found now, estimated from the fill.
    pub fn estimated_rate(&self) -> f64 {
        self.fill().powi(self.shape.probes() as i32)
    }

    fn check_shape(&self, other: &Self) -> Result<(), ShapeMismatch> {
        if self.shape == other.shape { Ok(()) } else { Err(ShapeMismatch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter_of(shape: FilterShape, keys: std::ops::Range<u64>) -> BloomFilter {
        let mut filter = BloomFilter::new(shape);
        for key in keys {
            filter.insert(&KeyHash::of_u64(key, shape.seed()));
        }
        filter
    }

    #[test]
    fn ones_lists_exactly_the_bits_that_are_set() {
        let filter = filter_of(FilterShape::new(5_056, 7, 0), 0..100);
        let ones: Vec<u64> = filter.ones().collect();
        assert_eq!(ones.len() as u64, filter.count_ones());
        assert!(ones.is_sorted() && ones.iter().all(|position| filter.bit(*position)));
    }

    #[test]
    fn a_union_is_the_filter_of_both_sets() {
        let shape = FilterShape::for_rate(1_000, 0.01);
        let (left, right) = (filter_of(shape, 0..600), filter_of(shape, 400..1_000));
        let mut union = left.clone();
        union.union_with(&right).unwrap();
        assert_eq!(union, filter_of(shape, 0..1_000));
        assert_eq!((left.is_subset_of(&union), union.is_subset_of(&left)), (Ok(true), Ok(false)));

        let mut intersection = left.clone();
        intersection.intersect_with(&right).unwrap();
        assert_eq!(filter_of(shape, 400..600).is_subset_of(&intersection), Ok(true));
        // |A| + |B| = |A ∪ B| + |A ∩ B| and |A Δ B| = |A ∪ B| − |A ∩ B|, on bits.
        assert_eq!(left.count_ones() + right.count_ones(), union.count_ones() + intersection.count_ones());
        assert_eq!(left.distance(&right), Ok(union.count_ones() - intersection.count_ones()));
    }

    #[test]
    fn filters_of_different_shapes_do_not_mix() {
        let shape = FilterShape::new(1_024, 7, 0);
        for other in [FilterShape::new(1_088, 7, 0), shape.with_probes(6), shape.with_seed(1)] {
            let mut filter = BloomFilter::new(shape);
            let other = BloomFilter::new(other);
            assert_eq!(filter.union_with(&other), Err(ShapeMismatch));
            assert_eq!(filter.intersect_with(&other), Err(ShapeMismatch));
            assert_eq!(filter.is_subset_of(&other), Err(ShapeMismatch));
            assert_eq!(filter.distance(&other), Err(ShapeMismatch));
        }
        assert_eq!(BloomFilter::from_words(shape, vec![0; 15]), Err(ShapeMismatch));
        assert_eq!(BloomFilter::from_words(shape, vec![0; 16]), Ok(BloomFilter::new(shape)));
    }

    #[test]
    fn the_fill_tells_the_count_and_the_rate() {
        let shape = FilterShape::for_rate(10_000, 0.01);
        let mut filter = filter_of(shape, 0..10_000);
        assert!((filter.estimated_count() - 10_000.0).abs() < 100.0, "{}", filter.estimated_count());
        assert!((filter.estimated_rate() - 0.01).abs() < 0.000_5, "{}", filter.estimated_rate());
        filter.clear();
        assert!(filter.is_empty() && filter.estimated_count() == 0.0);
    }
}
