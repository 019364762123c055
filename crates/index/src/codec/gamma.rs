//! γ: the length of `n + 1` in unary, then its bits below the highest. One bit for 0, three for 1 and 2.

use super::{BitReader, BitWriter, Codec, ListShape};

/// Elias' γ.
#[derive(Debug)]
pub(super) struct Gamma;

impl Codec for Gamma {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        numbers.iter().for_each(|&number| write(number, bits));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        numbers.iter_mut().for_each(|number| *number = read(bits));
    }
}

/// Bits of the code word of a number.
pub(super) fn length(number: u32) -> u32 {
    2 * (u64::from(number) + 1).ilog2() + 1
}

#[inline]
pub(super) fn write(number: u32, bits: &mut BitWriter) {
    let next = u64::from(number) + 1;
    let width = next.ilog2();
    bits.write_unary(width);
    bits.write_number(next - (1 << width), width);
}

#[inline]
pub(super) fn read(bits: &mut BitReader<'_>) -> u32 {
    // No number has more bits, whatever somebody else may have written.
    let width = bits.read_unary().min(32);
    ((1u64 << width) + bits.read_number(width) - 1) as u32
}

/// Writes the bits below the highest in the order in which the machine has them, for packed blocks, which are read often.
#[inline]
pub(super) fn write_turned(number: u32, bits: &mut BitWriter) {
    let next = u64::from(number) + 1;
    let width = next.ilog2();
    bits.write_unary(width);
    bits.write_bits((next - (1 << width)) as u32, width);
}

/// Reads what [`write_turned`] wrote.
#[inline]
pub(super) fn read_turned(bits: &mut BitReader<'_>) -> u32 {
    let width = bits.read_unary().min(32);
    ((1u64 << width) + u64::from(bits.read_bits(width)) - 1) as u32
}
