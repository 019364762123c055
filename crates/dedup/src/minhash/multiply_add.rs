//! One random permutation per slot, `factor · x + addend` mod 2^32, and the smallest value wins. The textbook scheme.
//!
//! `x` is the element's hash, scrambled with the seed and cut to 32 bits, because eight products of 32 bits are one
//! instruction and those of 64 bits are none. Two elements of one set fall together with probability n²/2^33.
//!
//! Cost: n · k products, eight at a time. The error is that of independent slots. Each slot is a minimum over the
//! elements, so the sketch of a union is the slot-wise minimum of two sketches.

use super::distinct::without_many_repeats;
use super::{EMPTY_SLOT, MinHasher, slots_within_limits};
use crate::lanes::{GROUP, lower_minima};
use crate::mix::{SplitMix64, scramble};

/// Elements that are scrambled before they meet the slots: they stay in the nearest cache.
const ELEMENTS_AT_ONCE: usize = 1024;

/// MinHash with a multiply-add permutation for each slot.
#[derive(Debug, Clone)]
pub struct MultiplyAdd {
    slots: usize,
    key: u64,
    /// Whole groups of [`GROUP`]; those beyond `slots` are computed and dropped.
    factors: Vec<u32>,
    addends: Vec<u32>,
}

impl MultiplyAdd {
    /// A hasher with so many slots.
    pub fn new(slots: usize, seed: u64) -> Self {
        let slots = slots_within_limits(slots);
        let mut numbers = SplitMix64(seed);
        let key = numbers.next();
        let table = (0..slots.next_multiple_of(GROUP)).map(|_| {
            let number = numbers.next();
            // Only odd factors are permutations.
            ((number >> 32) as u32 | 1, number as u32)
        });
        let (factors, addends) = table.unzip();
        Self { slots, key, factors, addends }
    }
}

impl MinHasher for MultiplyAdd {
    fn slots(&self) -> usize {
        self.slots
    }

    fn sketch(&self, hashes: &[u64], slots: &mut [u64]) {
        assert_eq!(slots.len(), self.slots, "a sketch of another length");
        if hashes.is_empty() {
            slots.fill(EMPTY_SLOT);
            return;
        }
        let mut minima = vec![u32::MAX; self.factors.len()];
        let mut xs = [0; ELEMENTS_AT_ONCE];
        for elements in without_many_repeats(hashes).chunks(ELEMENTS_AT_ONCE) {
            let xs = &mut xs[..elements.len()];
            for (x, element) in xs.iter_mut().zip(elements) {
                *x = (scramble(element ^ self.key) >> 32) as u32;
            }
            lower_minima(&self.factors, &self.addends, &mut minima, xs);
        }
        for (slot, minimum) in slots.iter_mut().zip(minima) {
            *slot = u64::from(minimum);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_sketch_of_a_union_is_the_minimum_of_both(
            left in prop::collection::vec(any::<u64>(), 1..2000), right in prop::collection::vec(any::<u64>(), 1..50),
        ) {
            let hasher = MultiplyAdd::new(77, 5);
            let sketch = |set: &[u64]| {
                let mut slots = vec![0; 77];
                hasher.sketch(set, &mut slots);
                slots
            };
            let both: Vec<u64> =
                sketch(&left).into_iter().zip(sketch(&right)).map(|(l, r)| l.min(r)).collect();
            prop_assert_eq!(sketch(&[left, right].concat()), both);
        }
    }
}
