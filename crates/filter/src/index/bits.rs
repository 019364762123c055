//! Moving bits in bulk: transposing 64 × 64 of them, and pressing out those that a mask drops.
//!
//! After Warren, "Hacker's Delight", chapter 7.

/// Bit j of word i becomes bit i of word j.
///
/// Swaps the two off-diagonal quarters of ever smaller squares: 6 rounds of 32 swaps for 4096 bits, and the compiler
/// makes vectors of the rounds.
#[inline(always)]
pub(super) fn transpose(words: &mut [u64; 64]) {
    swap_quarters::<32>(words, 0x0000_0000_ffff_ffff);
    swap_quarters::<16>(words, 0x0000_ffff_0000_ffff);
    swap_quarters::<8>(words, 0x00ff_00ff_00ff_00ff);
    swap_quarters::<4>(words, 0x0f0f_0f0f_0f0f_0f0f);
    swap_quarters::<2>(words, 0x3333_3333_3333_3333);
    swap_quarters::<1>(words, 0x5555_5555_5555_5555);
}

#[inline(always)]
fn swap_quarters<const SIDE: usize>(words: &mut [u64; 64], low: u64) {
    for square in words.chunks_exact_mut(2 * SIDE) {
        let (upper, lower) = square.split_at_mut(SIDE);
        for (up, down) in upper.iter_mut().zip(lower) {
            let swapped = (*up >> SIDE ^ *down) & low;
            *up ^= swapped << SIDE;
            *down ^= swapped;
        }
    }
}

/// Moves the bits under a mask together at the low end: what `pext` does where there is one.
///
/// The moves depend only on the mask, so they are computed once and used for every row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compress {
    mask: u64,
    moves: [u64; 6],
}

impl Compress {
    pub(super) fn new(mask: u64) -> Self {
        let (mut rest, mut kept) = (!mask << 1, mask);
        let mut moves = [0; 6];
        for (round, moved) in moves.iter_mut().enumerate() {
            // Bit i: is the number of dropped bits below i odd?
            let mut parity = rest ^ rest << 1;
            for shift in [2, 4, 8, 16, 32] {
                parity ^= parity << shift;
            }
            *moved = parity & kept;
            kept = kept ^ *moved | *moved >> (1 << round);
            rest &= !parity;
        }
        Self { mask, moves }
    }

    /// The number of bits that stay.
    pub(super) fn kept(&self) -> usize {
        self.mask.count_ones() as usize
    }

    #[inline(always)]
    pub(super) fn apply(&self, word: u64) -> u64 {
        let mut word = word & self.mask;
        for (round, moved) in self.moves.iter().enumerate() {
            let bits = word & moved;
            word = word ^ bits | bits >> (1 << round);
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(seed: u64) -> [u64; 64] {
        std::array::from_fn(|i| crate::KeyHash::of_u64(i as u64, seed).as_u64())
    }

    #[test]
    fn a_transposed_square_has_rows_for_columns() {
        let before = words(1);
        let mut after = before;
        transpose(&mut after);
        for (i, word) in before.iter().enumerate() {
            for (j, column) in after.iter().enumerate() {
                assert_eq!(word >> j & 1, column >> i & 1, "{i} {j}");
            }
        }
    }

    #[test]
    fn compressing_keeps_the_bits_under_the_mask_in_order() {
        for mask in words(2).into_iter().chain([0, 1, 1 << 63, u64::MAX]) {
            let compress = Compress::new(mask);
            for word in words(3) {
                let kept = (0..64).filter(|bit| mask >> bit & 1 == 1);
                let expected = kept.enumerate().fold(0, |all, (to, from)| all | (word >> from & 1) << to);
                assert_eq!(compress.apply(word), expected);
            }
            assert_eq!(compress.kept(), mask.count_ones() as usize);
        }
    }
}
