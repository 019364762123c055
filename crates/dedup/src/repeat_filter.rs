//! Which numbers of a heap are there more than once? Nearly all are there once and need not be sorted.
//!
//! Method: the first bits of a number are a place in a table of two bits each: met, and met again. In a second pass
//! numbers whose place was met once are dropped. The table has at least sixteen places per number, so of numbers that
//! are there once one in sixteen or fewer stays, by accident. Two passes without a branch, some 2 ns per number; sorting
//! all of them costs five to ten times as much.

/// Places per number, at least. The table of a heap of a few thousand numbers fits a first-level cache.
const PLACES_PER_NUMBER: usize = 16;

/// The first bits of a number that may be used.
const PLACE_BITS_MAX: u32 = 32;

/// A table that is used for heap after heap.
#[derive(Debug)]
pub(crate) struct RepeatFilter {
    /// For 64 places each: met, and met again.
    table: Vec<[u64; 2]>,
    /// The bits of a number behind those that are its place.
    shift: u32,
}

impl RepeatFilter {
    /// For heaps of about so many numbers. Larger ones keep more by accident.
    pub fn new(numbers: usize) -> Self {
        let bits = (numbers * PLACES_PER_NUMBER).max(64).next_power_of_two().ilog2().min(PLACE_BITS_MAX);
        Self { table: vec![[0; 2]; 1 << (bits - 6)], shift: 64 - bits }
    }

    /// Takes note of a number. Its first bits must be as if random.
    #[inline(always)]
    pub fn see(&mut self, number: u64) {
        let (place, bit) = self.place(number);
        let [met, again] = &mut self.table[place];
        *again |= *met & bit;
        *met |= bit;
    }

    /// Takes note of a number as if it were seen twice.
    pub fn see_twice(&mut self, number: u64) {
        self.see(number);
        self.see(number);
    }

    /// True if a number was seen more than once, and in some other cases.
    #[inline(always)]
    pub fn may_be_repeat(&self, number: u64) -> bool {
        let (place, bit) = self.place(number);
        self.table[place][1] & bit != 0
    }

    #[inline(always)]
    fn place(&self, number: u64) -> (usize, u64) {
        let place = (number >> self.shift) as usize;
        // The mask changes nothing, but spares a check of the place.
        ((place / 64) & (self.table.len() - 1), 1 << (place % 64))
    }

    /// Moves to the front, in their order, the numbers of a heap that are repeats, and some others. Numbers that count
    /// as equal must agree in their first 32 bits.
    pub fn keep_repeats<'n>(&mut self, heap: &'n mut [u64]) -> &'n mut [u64] {
        self.table.fill([0; 2]);
        heap.iter().for_each(|number| self.see(*number));
        let mut kept = 0;
        for read in 0..heap.len() {
            let number = heap[read];
            heap[kept] = number;
            kept += usize::from(self.may_be_repeat(number));
        }
        &mut heap[..kept]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_repeats_are_kept_in_order_and_little_else(
            seeds in prop::collection::vec(0u64..5000, 0..3000), expected in 0usize..4000,
        ) {
            let numbers: Vec<u64> = seeds.iter().map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut counts: HashMap<u64, u32> = HashMap::new();
            for number in &numbers {
                *counts.entry(*number).or_default() += 1;
            }
            let repeats: Vec<u64> = numbers.iter().copied().filter(|number| counts[number] > 1).collect();
            let mut filter = RepeatFilter::new(expected);
            for _ in 0..2 {
                let mut heap = numbers.clone();
                let kept = filter.keep_repeats(&mut heap);
                let without_accidents: Vec<u64> =
                    kept.iter().copied().filter(|number| counts[number] > 1).collect();
                prop_assert_eq!(&without_accidents, &repeats);
                if expected >= numbers.len() {
                    prop_assert!(kept.len() - repeats.len() <= numbers.len() / 8 + 10);
                }
            }
        }
    }
}
