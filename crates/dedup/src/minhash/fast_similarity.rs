//! Fast Similarity Sketching, our default.
//!
//! Every element is thrown into one random slot, with a random value, and each slot keeps its least. For a long text
//! this fills all slots, and one hash per element was enough. If some are still empty, all elements are thrown again, by
//! another hash, and only empty slots take them; and so on for k rounds. After that the slots that are still empty (the
//! set is tiny) are filled one by one with the least value of all elements. To "only empty slots take them" no test is
//! needed: values of later rounds are larger than all values of earlier ones, so the minimum does it.
//!
//! Cost: n + k ln k hashes on average. The error is below that of k independent slots, because no element can win two
//! slots in one round: slots are drawn without replacement. Measured: `tests/it/errors_of_estimates.rs`.
//!
//! After Dahlgaard, Knudsen, Thorup, "Fast Similarity Sketching", FOCS 2017. We differ in that the number of the round is
//! dropped at the end: 32 bits are enough to tell winners apart, and half the space.

use super::{EMPTY_SLOT, MinHasher, slots_within_limits};
use crate::mix::{SplitMix64, fold_multiply};

/// See the header of the file.
#[derive(Debug, Clone)]
pub struct FastSimilarity {
    slots: usize,
    seed: u64,
}

impl FastSimilarity {
    /// A hasher with so many slots.
    pub fn new(slots: usize, seed: u64) -> Self {
        Self { slots: slots_within_limits(slots), seed }
    }
}

/// The hash of one round.
struct Round {
    key: u64,
    factor: u64,
    /// The number of the round, above the 32 bits of values.
    rank: u64,
}

impl Round {
    #[inline(always)]
    fn hash(&self, element: u64) -> u64 {
        fold_multiply(element ^ self.key, self.factor)
    }

    #[inline(always)]
    fn value(&self, hash: u64) -> u64 {
        self.rank | hash & u64::from(u32::MAX)
    }
}

impl MinHasher for FastSimilarity {
    fn slots(&self) -> usize {
        self.slots
    }

    fn sketch(&self, hashes: &[u64], slots: &mut [u64]) {
        assert_eq!(slots.len(), self.slots, "a sketch of another length");
        slots.fill(EMPTY_SLOT);
        if hashes.is_empty() {
            return;
        }
        let mut keys = SplitMix64(self.seed);
        let mut round = |number: u64| Round { key: keys.next(), factor: keys.next() | 1, rank: number << 32 };
        for number in 0..self.slots as u64 {
            throw(&round(number), hashes, slots);
            if !slots.contains(&EMPTY_SLOT) {
                break;
            }
        }
        for (slot, number) in slots.iter_mut().zip(self.slots as u64..) {
            let round = round(number);
            if *slot == EMPTY_SLOT {
                let values = hashes.iter().map(|element| round.value(round.hash(*element)));
                *slot = values.min().expect("the set is not empty");
            }
        }
        slots.iter_mut().for_each(|slot| *slot &= u64::from(u32::MAX));
    }
}

/// One round: every element goes into the slot that the high half of its hash tells, with the low half for its value.
fn throw(round: &Round, hashes: &[u64], slots: &mut [u64]) {
    let count = slots.len() as u64;
    for element in hashes {
        let hash = round.hash(*element);
        let slot = &mut slots[(((hash >> 32) * count) >> 32) as usize];
        *slot = (*slot).min(round.value(hash));
    }
}
