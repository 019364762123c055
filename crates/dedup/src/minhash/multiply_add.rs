//! One random multiply-add per slot, the smallest value wins. The textbook scheme.

use super::{EMPTY_SLOT, MinHasher};

/// MinHash with a multiply-add permutation for each slot.
#[derive(Debug, Clone)]
pub struct MultiplyAdd {
    factors: Vec<(u64, u64)>,
}

impl MultiplyAdd {
    /// A hasher with so many slots.
    pub fn new(slots: usize, seed: u64) -> Self {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Self { factors: (0..slots).map(|_| (next() | 1, next())).collect() }
    }
}

impl MinHasher for MultiplyAdd {
    fn slots(&self) -> usize {
        self.factors.len()
    }

    fn sketch(&self, hashes: &[u64], slots: &mut [u64]) {
        for (slot, (factor, addend)) in slots.iter_mut().zip(&self.factors) {
            *slot = hashes
                .iter()
                .map(|hash| hash.wrapping_mul(*factor).wrapping_add(*addend) >> 32)
                .min()
                .unwrap_or(EMPTY_SLOT);
        }
    }
}
