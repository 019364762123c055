//! Registers side by side in words, and the maximum of all of them by two subtractions.
//!
//! Above each register stands a *support bit*. It is set in the minuend and not in the subtrahend; so a register that is
//! smaller than the other borrows from its own support bit and from nobody else, and what is left of the support bits tells
//! who was larger. These bits, moved to the bottom of their registers under fresh support bits, less one in every register,
//! become a mask: all zeros where the first is the maximum, all ones where the second is.
//!
//! ```text
//! first       1|7   1|0    1|2   1|1
//! second      0|5   0|3    0|2   0|5
//! difference  1|2   0|125  1|0   0|124
//! mask          0     127    0     127        maximum 7 3 2 5
//! ```
//!
//! After chapter 7.1.1 of the notes, and Boldi, Rosa, Vigna, "HyperANF" (2011), section 4.

use super::counter::{Counter, SHARES};

/// Five bits of value and the support bit.
const LANE: usize = 6;
const LANES: usize = u64::BITS as usize / LANE;
const VALUES: u64 = (1 << LANE) - 1;
const SUPPORT: u64 = support(LANE);

/// The support bits of registers that are, with theirs, `lane` bits wide.
const fn support(lane: usize) -> u64 {
    let (mut bits, mut at) = (0, lane);
    while at <= u64::BITS as usize {
        bits |= 1 << (at - 1);
        at += lane;
    }
    bits
}

/// Registers that are `lane` bits wide: those of the second where they are larger, those of the first elsewhere.
#[inline]
fn maximum(first: u64, second: u64, lane: usize, support: u64) -> u64 {
    let mask = mask(difference(first, second, support), lane, support);
    second & mask | first & !mask
}

/// Under each support bit that is left, the first was at least as large.
#[inline]
fn difference(first: u64, second: u64, support: u64) -> u64 {
    (first | support) - second
}

/// Ones in each register whose support bit was borrowed.
#[inline]
fn mask(difference: u64, lane: usize, support: u64) -> u64 {
    let left = (difference & support) >> (lane - 1);
    ((support | left) - (support >> (lane - 1))) & !support
}

/// `M` registers in `W` words, ten in each.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Broadword<const M: usize, const W: usize>([u64; W]);

impl<const M: usize, const W: usize> Counter for Broadword<M, W> {
    const REGISTERS: usize = M;

    fn empty() -> Self {
        const { assert!(W == M.div_ceil(LANES)) };
        Self([0; W])
    }

    fn put(&mut self, register: usize, value: u32) {
        self.0[register / LANES] |= u64::from(value) << (LANE * (register % LANES));
    }

    #[inline]
    fn unite(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            *ours = maximum(*ours, *theirs, LANE, SUPPORT);
        }
    }

    #[inline]
    fn shares(&self) -> u64 {
        let mut left = M;
        let mut sum = 0;
        for word in &self.0 {
            for lane in 0..LANES.min(left) {
                sum += SHARES[(word >> (LANE * lane) & VALUES) as usize % SHARES.len()];
            }
            left = left.saturating_sub(LANES);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Registers of seven bits, the first in the highest place, as the notes draw them.
    fn word(registers: [u64; 4]) -> u64 {
        registers.iter().fold(0, |word, register| word << 8 | register)
    }

    #[test]
    fn the_example_of_the_notes_comes_out_as_it_is_drawn() {
        let support = support(8) & 0xffff_ffff;
        let (first, second) = (word([7, 0, 2, 1]), word([5, 3, 2, 5]));
        let difference = difference(first, second, support);
        assert_eq!(difference & !support, word([2, 125, 0, 124]));
        assert_eq!(difference & support, word([128, 0, 128, 0]), "who borrowed");
        assert_eq!(mask(difference, 8, support), word([0, 127, 0, 127]));
        assert_eq!(maximum(first, second, 8, support), word([7, 3, 2, 5]));
    }

    proptest! {
        #[test]
        fn it_is_the_maximum_of_each_register(pairs in prop::collection::vec((0u64..32, 0u64..32), LANES)) {
            let packed = |numbers: &mut dyn Iterator<Item = u64>| {
                numbers.enumerate().fold(0, |word, (lane, number)| word | number << (LANE * lane))
            };
            let first = packed(&mut pairs.iter().map(|pair| pair.0));
            let second = packed(&mut pairs.iter().map(|pair| pair.1));
            let expected = packed(&mut pairs.iter().map(|pair| pair.0.max(pair.1)));
            prop_assert_eq!(maximum(first, second, LANE, SUPPORT), expected);
        }
    }
}
