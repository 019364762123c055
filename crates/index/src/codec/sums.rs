//! Numbers as increasing values, for codecs that think in these: the sums of what was before, one more for each number.

use super::{BLOCK, BitReader, BitWriter, delta};

/// The values of some numbers: each is greater than the one before by at least one.
pub(super) fn sums_of<'s>(numbers: &[u32], sums: &'s mut [u64; BLOCK]) -> &'s [u64] {
    let mut next_possible = 0u64;
    for (sum, &number) in sums.iter_mut().zip(numbers) {
        *sum = next_possible + u64::from(number);
        next_possible = *sum + 1;
    }
    &sums[..numbers.len()]
}

/// The numbers of some values.
pub(super) fn numbers_of(sums: &[u64], numbers: &mut [u32]) {
    let mut next_possible = 0u64;
    for (number, &sum) in numbers.iter_mut().zip(sums) {
        *number = sum.saturating_sub(next_possible).min(u32::MAX.into()) as u32;
        next_possible = sum.saturating_add(1);
    }
}

/// Writes the greatest value: its length in δ, then its bits.
pub(super) fn write_last(last: u64, bits: &mut BitWriter) {
    let width = 64 - last.leading_zeros();
    delta::write(width, bits);
    bits.write_number(last, width);
}

/// Reads the greatest value; whatever the bits are, it has at most 40.
pub(super) fn read_last(bits: &mut BitReader<'_>) -> u64 {
    let width = delta::read(bits).min(40);
    bits.read_number(width)
}
