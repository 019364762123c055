//! δ: the length of `n + 1` in γ, then its bits below the highest. Shorter than γ from 31 on.

use super::{BitReader, BitWriter, Codec, ListShape, gamma};

/// Elias' δ.
#[derive(Debug)]
pub(super) struct Delta;

impl Codec for Delta {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        numbers.iter().for_each(|&number| write(number, bits));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        numbers.iter_mut().for_each(|number| *number = read(bits));
    }
}

/// Bits of the code word of a number.
pub(super) fn length(number: u32) -> u32 {
    let width = (u64::from(number) + 1).ilog2();
    gamma::length(width) + width
}

#[inline]
pub(super) fn write(number: u32, bits: &mut BitWriter) {
    let next = u64::from(number) + 1;
    let width = next.ilog2();
    gamma::write(width, bits);
    bits.write_number(next - (1 << width), width);
}

#[inline]
pub(super) fn read(bits: &mut BitReader<'_>) -> u32 {
    let width = gamma::read(bits).min(32);
    ((1u64 << width) + bits.read_number(width) - 1) as u32
}

/// Writes the bits below the highest in the order in which the machine has them, for packed blocks, which are read often.
#[inline]
pub(super) fn write_turned(number: u32, bits: &mut BitWriter) {
    let next = u64::from(number) + 1;
    let width = next.ilog2();
    gamma::write_turned(width, bits);
    bits.write_bits((next - (1 << width)) as u32, width);
}

/// Reads what [`write_turned`] wrote.
#[inline]
pub(super) fn read_turned(bits: &mut BitReader<'_>) -> u32 {
    let width = gamma::read_turned(bits).min(32);
    ((1u64 << width) + u64::from(bits.read_bits(width)) - 1) as u32
}
