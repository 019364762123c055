//! Minimal binary: of the first k numbers, as few as possible take ⌈log k⌉ bits, and the others one less.
//!
//! With s = ⌈log k⌉, a number below 2ˢ − k is its own binary form in s − 1 bits, another one n that of n + 2ˢ − k in s. The
//! code is complete. As a code of blocks it says the greatest number first, in δ: good where all numbers are about as large.

use super::{BitReader, BitWriter, Codec, ListShape, delta};

/// Every number in minimal binary, up to the greatest of its block.
#[derive(Debug)]
pub(super) struct MinimalBinary;

impl Codec for MinimalBinary {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        let Some(&greatest) = numbers.iter().max() else { return };
        delta::write(greatest, bits);
        numbers.iter().for_each(|&number| write(number.into(), u64::from(greatest) + 1, bits));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        if numbers.is_empty() {
            return;
        }
        let count = u64::from(delta::read(bits)) + 1;
        numbers.iter_mut().for_each(|number| *number = read(count, bits) as u32);
    }
}

/// Bits of the longest word of the code for the first `count` numbers.
fn width_of(count: u64) -> u32 {
    64 - count.saturating_sub(1).leading_zeros()
}

/// Writes one of the first `count` numbers.
#[inline]
pub(super) fn write(number: u64, count: u64, bits: &mut BitWriter) {
    let width = width_of(count);
    let short = (1 << width) - count;
    if number < short {
        bits.write_number(number, width - 1);
    } else {
        bits.write_number(number + short, width);
    }
}

/// Reads one of the first `count` numbers, whatever the bits are; `count` is at least one and at most 2⁶³.
#[inline]
pub(super) fn read(count: u64, bits: &mut BitReader<'_>) -> u64 {
    let width = width_of(count);
    if width == 0 {
        return 0;
    }
    let short = (1 << width) - count;
    let number = bits.read_number(width - 1);
    if number < short { number } else { 2 * number + u64::from(bits.read_bits(1)) - short }
}
