//! One permutation for all slots: an element goes into one slot, by one hash, and each slot keeps its least value.
//! A slot that stays empty borrows from another one that it draws at random, the same in every sketch.
//!
//! Cost: n + k · k/n on average. The error is below that of independent slots for long texts. For short ones it is above:
//! borrowed slots say nothing new. [`FastSimilarity`](super::FastSimilarity) mends that.
//!
//! After Li, Owen, Zhang, "One Permutation Hashing", NIPS 2012, and Shrivastava, "Optimal Densification for Fast and
//! Accurate Minwise Hashing", ICML 2017. We differ in that a slot gives up drawing after [`DRAWS_MAX`] and takes the next
//! full one to the right of its last draw: a tiny set and many slots would take millions of draws.

use super::{EMPTY_SLOT, MinHasher, slots_within_limits};
use crate::mix::{GOLDEN, SplitMix64, fold_multiply, scramble};

/// How often an empty slot draws another one before it takes the next.
const DRAWS_MAX: u64 = 64;

/// See the header of the file.
#[derive(Debug, Clone)]
pub struct OnePermutation {
    slots: usize,
    key: u64,
    factor: u64,
}

impl OnePermutation {
    /// A hasher with so many slots.
    pub fn new(slots: usize, seed: u64) -> Self {
        let mut numbers = SplitMix64(seed);
        Self { slots: slots_within_limits(slots), key: numbers.next(), factor: numbers.next() | 1 }
    }

    /// The slot from which an empty one borrows.
    fn lender(&self, slot: usize, full: &[bool]) -> usize {
        let mut drawn = slot;
        for draw in 0..DRAWS_MAX {
            let number = scramble(self.key ^ (slot as u64 * DRAWS_MAX + draw).wrapping_mul(GOLDEN));
            drawn = place(number, self.slots);
            if full[drawn] {
                return drawn;
            }
        }
        let to_the_right = (drawn..self.slots).chain(0..drawn);
        to_the_right.into_iter().find(|slot| full[*slot]).expect("the set is not empty")
    }
}

/// The slot that the high half of a hash tells.
#[inline(always)]
fn place(hash: u64, slots: usize) -> usize {
    (((hash >> 32) * slots as u64) >> 32) as usize
}

impl MinHasher for OnePermutation {
    fn slots(&self) -> usize {
        self.slots
    }

    fn sketch(&self, hashes: &[u64], slots: &mut [u64]) {
        assert_eq!(slots.len(), self.slots, "a sketch of another length");
        slots.fill(EMPTY_SLOT);
        if hashes.is_empty() {
            return;
        }
        for element in hashes {
            let hash = fold_multiply(element ^ self.key, self.factor);
            let slot = &mut slots[place(hash, self.slots)];
            *slot = (*slot).min(hash & u64::from(u32::MAX));
        }
        if slots.contains(&EMPTY_SLOT) {
            let full: Vec<bool> = slots.iter().map(|slot| *slot != EMPTY_SLOT).collect();
            for slot in (0..self.slots).filter(|slot| !full[*slot]) {
                slots[slot] = slots[self.lender(slot, &full)];
            }
        }
    }
}
