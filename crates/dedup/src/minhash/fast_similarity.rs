//! Fast Similarity Sketching, our default.
//!
//! Every element is thrown into one random slot, with a random value, and each slot keeps its least. For a long text
//! this fills all slots, and one hash per element was enough. If some are still empty, all elements are thrown again, by
//! another hash, and only empty slots take them; and so on for k rounds. After that the slots that are still empty (the
//! set is tiny) are filled one by one with the least value of all elements. To "only empty slots take them" no test is
//! needed: values of later rounds are larger than all values of earlier ones, so the minimum does it.
//!
//! Cost: O(n + k ln k) hashes on average for n elements that differ: a set smaller than k ln k is thrown about k ln k / n
//! times, a larger one hardly ever twice. So if many elements leave slots empty they must be few that repeat themselves:
//! then repeats are dropped before the second round, at the cost of sorting them. The error is below that of k independent slots, because no element can win two
//! slots in one round: slots are drawn without replacement. Measured: `tests/it/errors_of_estimates.rs`.
//!
//! After Dahlgaard, Knudsen, Thorup, "Fast Similarity Sketching", FOCS 2017. We differ in that the number of the round is
//! dropped at the end: 32 bits are enough to tell winners apart, and half the space.

use std::borrow::Cow;

use super::distinct::distinct;
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
        self.sketch_and_count(hashes, slots);
    }
}

impl FastSimilarity {
    /// Writes the sketch and tells how many hashes that took.
    fn sketch_and_count(&self, hashes: &[u64], slots: &mut [u64]) -> usize {
        assert_eq!(slots.len(), self.slots, "a sketch of another length");
        slots.fill(EMPTY_SLOT);
        if hashes.is_empty() {
            return 0;
        }
        let mut keys = SplitMix64(self.seed);
        let mut round = |number: u64| Round { key: keys.next(), factor: keys.next() | 1, rank: number << 32 };
        throw(&round(0), hashes, slots);
        let mut hashed = hashes.len();
        let mut elements = Cow::Borrowed(hashes);
        if slots.contains(&EMPTY_SLOT) && hashes.len() > self.enough_to_fill() {
            elements = Cow::Owned(distinct(hashes));
        }
        for number in 1..self.slots as u64 {
            if !slots.contains(&EMPTY_SLOT) {
                break;
            }
            throw(&round(number), &elements, slots);
            hashed += elements.len();
        }
        for (slot, number) in slots.iter_mut().zip(self.slots as u64..) {
            let round = round(number);
            if *slot == EMPTY_SLOT {
                let values = elements.iter().map(|element| round.value(round.hash(*element)));
                *slot = values.min().expect("the set is not empty");
                hashed += elements.len();
            }
        }
        slots.iter_mut().for_each(|slot| *slot &= u64::from(u32::MAX));
        hashed
    }

    /// So many different elements leave a slot empty once in k times at most.
    fn enough_to_fill(&self) -> usize {
        let slots = self.slots as f64;
        (2.0 * slots * slots.ln()) as usize
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_hashed_once_and_elements_that_differ_seldom_twice() {
        let hasher = FastSimilarity::new(200, 1);
        let mut slots = [0; 200];
        let mut numbers = SplitMix64(3);
        let different: Vec<u64> = (0..100_000).map(|_| numbers.next()).collect();
        assert_eq!(hasher.sketch_and_count(&different, &mut slots), 100_000);
        for period in [1, 10, 100, 1000] {
            let text: Vec<u64> = different[..period].iter().cycle().take(100_000).copied().collect();
            let of_set = hasher.sketch_and_count(&different[..period], &mut slots);
            let hashed = hasher.sketch_and_count(&text, &mut slots);
            assert_eq!(hashed, 100_000 - period + of_set, "{period} different elements");
            assert!(of_set < 3 * hasher.enough_to_fill(), "{of_set} hashes for {period} elements");
        }
    }
}
