//! A blocked filter that many threads fill at once.
//!
//! Bits only ever turn from 0 to 1, so that a relaxed `fetch_or` per lane is enough and nothing is ever locked. What a
//! thread inserted is found by every thread that was told of it in a way that orders memory (a lock, a channel, a join).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::lanes::{block_index, lane_mask};
use super::{BlockedBloomFilter, BlockedShape};

/// A cache line of atomics.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct AtomicBlock([AtomicU64; 8]);

/// The blocked filter for concurrent use: the same bits as [`BlockedBloomFilter`], from a shared reference.
#[derive(Debug)]
pub struct AtomicBlockedBloomFilter {
    shape: BlockedShape,
    blocks: Vec<AtomicBlock>,
}

impl AtomicBlockedBloomFilter {
    /// An empty filter.
    pub fn new(shape: BlockedShape) -> Self {
        let blocks = (0..shape.block_count()).map(|_| AtomicBlock::default()).collect();
        Self { shape, blocks }
    }

    /// Its shape.
    pub fn shape(&self) -> &BlockedShape {
        &self.shape
    }

    /// Adds a key and says whether this call changed a bit, that is whether the key surely was new.
    ///
    /// Of several threads that insert one new key at the same time at least one is told that it is new; more than one
    /// may be, when they set different bits of it first.
    #[inline]
    pub fn insert(&self, hash: u64) -> bool {
        let block = &self.blocks[block_index(hash, self.blocks.len())];
        let mut is_new = false;
        for (lane, bits) in block.0.iter().enumerate() {
            let mask = lane_mask(hash, lane);
            // Reading first keeps the line shared between the cores when the bit is already set.
            if bits.load(Relaxed) & mask == 0 {
                is_new |= bits.fetch_or(mask, Relaxed) & mask == 0;
            }
        }
        is_new
    }

    /// Whether the key may be in the set: `false` is certain for what was inserted before.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        let block = &self.blocks[block_index(hash, self.blocks.len())];
        block.0.iter().enumerate().all(|(lane, bits)| bits.load(Relaxed) & lane_mask(hash, lane) != 0)
    }

    /// The filter as it is now, for one thread. Keys that are inserted meanwhile may be in it in part, that is not.
    pub fn snapshot(&self) -> BlockedBloomFilter {
        let words: Vec<u64> =
            self.blocks.iter().flat_map(|block| &block.0).map(|bits| bits.load(Relaxed)).collect();
        BlockedBloomFilter::from_words(self.shape, words.into_iter())
            .expect("the words are those of this shape")
    }
}

impl From<&BlockedBloomFilter> for AtomicBlockedBloomFilter {
    fn from(filter: &BlockedBloomFilter) -> Self {
        let shared = Self::new(*filter.shape());
        let bits = shared.blocks.iter().flat_map(|block| &block.0);
        bits.zip(filter.words()).for_each(|(to, from)| to.store(*from, Relaxed));
        shared
    }
}
