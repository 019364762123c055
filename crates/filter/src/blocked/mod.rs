//! The blocked Bloom filter: one cache line per key, eight bits in it.
//!
//! A classic filter touches k cache lines for a key; here the hash first chooses a block of 512 bits and then one bit
//! in each of its eight lanes. Blocks are not equally full, so that a given rate needs more bits. How many was measured
//! (`cargo run --release -p filter --example blocked_curve`, 4 M keys, 40 M foreign ones) and agrees with
//!
//! ```text
//! rate(λ) = Σ_j Poisson(j; λ) · (1 − (63/64)^j)^8        λ = keys per block = 512 / bits per key
//! ```
//!
//! | bits a key | measured | formula |
//! |---|---|---|
//! | 6.0 | 9.2987 % | 9.2927 % |
//! | 8.0 | 2.9344 % | 2.9311 % |
//! | 9.0 | 1.7262 % | 1.7263 % |
//! | 10.0 | 1.0512 % | 1.0490 % |
//! | 10.1 | 1.0020 % | 0.9997 % |
//! | 10.2 | 0.9534 % | 0.9530 % |
//! | 10.5 | 0.8275 % | 0.8269 % |
//! | 11.0 | 0.6579 % | 0.6565 % |
//! | 12.0 | 0.4226 % | 0.4222 % |
//! | 14.0 | 0.1869 % | 0.1879 % |
//! | 16.0 | 0.0902 % | 0.0909 % |
//! | 20.0 | 0.0259 % | 0.0260 % |
//!
//! [`BlockedShape::for_rate`] sizes by this curve and 2 % below the rate asked for, which covers the spread between
//! filters: 10.14 bits a key for 1 %, where the formula of the classic filter would give 9.59 bits and 1.3 %.
//!
//! After Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters" (2010). We differ from Parquet's
//! split-block filter (256 bits, lanes of 32) in the size of a block: a line is fetched whole anyway, and the wider block
//! is more evenly filled (10.5 bits there for 1 %).

mod atomic;
pub(crate) mod lanes;

pub use atomic::AtomicBlockedBloomFilter;

use crate::bloom::ShapeMismatch;
use crate::shape::BITS_MAX;
use lanes::Block;
pub use lanes::prefetch_line;

/// The bits of a block.
pub const BLOCK_BITS: u64 = 512;

/// How many bits a key sets, one in each lane.
pub const LANES: u32 = 8;

/// The rate for which filters are sized, as a share of the one asked for; see the module.
const RATE_MARGIN: f64 = 0.98;

/// The size of a blocked filter and the seed of the hashes that its caller gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockedShape {
    block_count: u64,
    seed: u64,
}

impl BlockedShape {
    /// So many blocks of 512 bits, at least one.
    pub fn new(block_count: u64, seed: u64) -> Self {
        Self { block_count: block_count.clamp(1, BITS_MAX / BLOCK_BITS), seed }
    }

    /// The smallest filter that wrongly finds at most a share `rate` of foreign keys once `expected_keys` are in it.
    ///
    /// Meant for rates from 10 % down to 0.01 %; outside, another filter is smaller. The rate is brought into
    /// 10⁻⁷..0.5 (below, the size would explode: 78 bits a key at 10⁻⁷). The seed is 0.
    pub fn for_rate(expected_keys: u64, rate: f64) -> Self {
        let rate = if rate >= 1e-7 { rate.min(0.5) } else { 1e-7 } * RATE_MARGIN;
        // Bisection: the rate grows with the load, 60 halvings leave no digit open.
        let (mut low, mut high) = (0.0, BLOCK_BITS as f64);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if rate_at_load(middle) <= rate { low = middle } else { high = middle }
        }
        Self::new((expected_keys as f64 / low).ceil() as u64, 0)
    }

    /// The same size for other hashes.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The number of blocks.
    pub fn block_count(&self) -> u64 {
        self.block_count
    }

    /// The number of bits, a multiple of 512.
    pub fn bits(&self) -> u64 {
        self.block_count * BLOCK_BITS
    }

    /// The seed that keys are hashed with before they come here.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The share of foreign keys that are wrongly found when `keys` different ones are in the filter.
    pub fn rate_at(&self, keys: u64) -> f64 {
        rate_at_load(keys as f64 / self.block_count as f64)
    }
}

/// The curve of the module header. Beyond 2,000 keys a block everything is found.
fn rate_at_load(load: f64) -> f64 {
    if load > 2_000.0 {
        return 1.0;
    }
    let keys_max = (load + 12.0 * load.sqrt() + 20.0) as u32;
    // In logarithms: e^−λ alone is 0 for large loads.
    let (mut log_share, mut rate) = (-load, 0.0);
    for keys in 1..=keys_max {
        log_share += (load / f64::from(keys)).ln();
        rate += log_share.exp() * (1.0 - (63.0_f64 / 64.0).powi(keys as i32)).powi(LANES as i32);
    }
    rate.min(1.0)
}

/// A set of keys in blocks of 512 bits, see the module.
///
/// Keys are given as 64-bit hashes that must be well mixed in all bits, as [`KeyHash::as_u64`](crate::KeyHash::as_u64)
/// is; plain numbers would all fall into the first block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedBloomFilter {
    shape: BlockedShape,
    blocks: Vec<Block>,
}

impl BlockedBloomFilter {
    /// An empty filter.
    pub fn new(shape: BlockedShape) -> Self {
        Self { shape, blocks: vec![Block::default(); shape.block_count as usize] }
    }

    /// A filter with these bits, eight words a block, lane by lane.
    pub fn from_words(
        shape: BlockedShape,
        words: impl ExactSizeIterator<Item = u64>,
    ) -> Result<Self, ShapeMismatch> {
        if words.len() as u64 != shape.block_count * u64::from(LANES) {
            return Err(ShapeMismatch);
        }
        let mut filter = Self::new(shape);
        filter.blocks.iter_mut().flat_map(|block| &mut block.0).zip(words).for_each(|(to, from)| *to = from);
        Ok(filter)
    }

    /// Its shape.
    pub fn shape(&self) -> &BlockedShape {
        &self.shape
    }

    /// Its bits, eight words a block, lane by lane.
    pub fn words(&self) -> &[u64] {
        Block::as_words(&self.blocks)
    }

    /// Adds a key. Says whether a bit changed, that is whether it surely is new.
    #[inline]
    pub fn insert(&mut self, hash: u64) -> bool {
        lanes::insert(&mut self.blocks, hash)
    }

    /// Whether the key may be in the set: `false` is certain.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        lanes::contains(&self.blocks, hash)
    }

    /// Adds many keys, asking for memory ahead of its use: the way to fill a filter that is larger than the caches.
    pub fn insert_batch(&mut self, hashes: &[u64]) {
        lanes::insert_batch(&mut self.blocks, hashes);
    }

    /// Asks for many keys at once: bit i mod 64 of `found[i / 64]` becomes what [`Self::contains`] says of key i, the
    /// bits after the last key become 0.
    ///
    /// # Panics
    /// If `found` has fewer bits than there are keys.
    pub fn contains_batch(&self, hashes: &[u64], found: &mut [u64]) {
        assert!(found.len() >= hashes.len().div_ceil(64), "one bit per key is needed for the answers");
        lanes::contains_batch(&self.blocks, hashes, found);
    }

    /// Forgets every key and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.fill(Block::default());
    }

    /// Becomes exactly the filter of both sets together.
    pub fn union_with(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.combine(other, |mine, theirs| mine | theirs)
    }

    /// Becomes a filter that finds every key of both sets, with more wrong answers than one built from these keys only.
    pub fn intersect_with(&mut self, other: &Self) -> Result<(), ShapeMismatch> {
        self.combine(other, |mine, theirs| mine & theirs)
    }

    fn combine(&mut self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Result<(), ShapeMismatch> {
        if self.shape != other.shape {
            return Err(ShapeMismatch);
        }
        for (mine, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            mine.0.iter_mut().zip(theirs.0).for_each(|(mine, theirs)| *mine = with(*mine, theirs));
        }
        Ok(())
    }

    /// How many bits are set.
    pub fn count_ones(&self) -> u64 {
        self.words().iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The share of bits that are set.
    pub fn fill(&self) -> f64 {
        self.count_ones() as f64 / self.shape.bits() as f64
    }

    /// How many different keys were inserted, estimated from the fill.
    ///
    /// A bit stays 0 with probability (1 − 1/64B)^n for n keys in B blocks: like in a classic filter with eight probes.
    pub fn estimated_count(&self) -> f64 {
        crate::FilterShape::new(self.shape.bits(), LANES, 0).keys_at(self.count_ones())
    }

    /// The share of foreign keys that are wrongly found now: the mean over the blocks of the product of the fills of
    /// their lanes.
    pub fn estimated_rate(&self) -> f64 {
        let lane_fill = |lane: &u64| f64::from(lane.count_ones()) / 64.0;
        let sum: f64 = self.blocks.iter().map(|block| block.0.iter().map(lane_fill).product::<f64>()).sum();
        sum / self.blocks.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::KeyHash;

    fn filter_of(shape: BlockedShape, keys: std::ops::Range<u64>) -> BlockedBloomFilter {
        let mut filter = BlockedBloomFilter::new(shape);
        for key in keys {
            filter.insert(KeyHash::of_u64(key, shape.seed()).as_u64());
        }
        filter
    }

    #[test]
    fn sizes_follow_the_measured_curve() {
        for (rate, bits_per_key) in
            [(0.1, 5.91), (0.02, 8.75), (0.01, 10.14), (0.001, 15.78), (0.000_1, 23.69)]
        {
            let shape = BlockedShape::for_rate(1_000_000, rate);
            assert!((shape.bits() as f64 / 1e6 - bits_per_key).abs() < 0.01, "{rate}: {shape:?}");
            assert!(shape.rate_at(1_000_000) <= rate, "{rate}: {shape:?}");
        }
        assert_eq!(BlockedShape::for_rate(0, 0.01).block_count(), 1);
        assert_eq!(BlockedShape::for_rate(9, f64::NAN), BlockedShape::for_rate(9, 0.0));
        assert_eq!(BlockedShape::new(1, 0).rate_at(1_000_000), 1.0);
        assert_eq!(BlockedShape::new(1, 0).rate_at(0), 0.0);
    }

    #[test]
    fn a_union_is_the_filter_of_both_sets() {
        let shape = BlockedShape::for_rate(1_000, 0.01);
        let (left, right) = (filter_of(shape, 0..600), filter_of(shape, 400..1_000));
        let mut union = left.clone();
        union.union_with(&right).unwrap();
        assert_eq!(union, filter_of(shape, 0..1_000));
        let mut both = left.clone();
        both.intersect_with(&right).unwrap();
        assert!((400..600).all(|key| both.contains(KeyHash::of_u64(key, 0).as_u64())));
        assert_eq!(left.count_ones() + right.count_ones(), union.count_ones() + both.count_ones());
        assert_eq!(both.union_with(&BlockedBloomFilter::new(shape.with_seed(1))), Err(ShapeMismatch));
    }

    #[test]
    fn the_fill_tells_the_count_and_the_rate() {
        let shape = BlockedShape::for_rate(100_000, 0.01);
        let mut filter = filter_of(shape, 0..100_000);
        assert!((filter.estimated_count() - 100_000.0).abs() < 500.0, "{}", filter.estimated_count());
        assert!(
            (filter.estimated_rate() / shape.rate_at(100_000) - 1.0).abs() < 0.02,
            "{}",
            filter.estimated_rate()
        );
        filter.clear();
        assert_eq!(filter, BlockedBloomFilter::new(shape));
    }

    #[test]
    fn words_are_the_filter() {
        let filter = filter_of(BlockedShape::new(5, 7), 0..100);
        let words = filter.words().to_vec();
        assert_eq!(words.len(), 40);
        assert_eq!(BlockedBloomFilter::from_words(*filter.shape(), words.into_iter()), Ok(filter.clone()));
        assert_eq!(BlockedBloomFilter::from_words(*filter.shape(), [1, 2].into_iter()), Err(ShapeMismatch));
    }
}
