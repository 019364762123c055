//! Codes of bytes and of nibbles: a number is cut into blocks of some bits, the highest first, and before each block a bit says
//! whether another one follows. They are instantaneous and not complete: no word begins with a block of zeros that goes on.
//!
//! Here they begin at any bit, since most lists are shorter than a byte is wide.

use super::{BitReader, BitWriter, Codec, ListShape};

/// Blocks of so many bits, the bit that says whether another follows included.
#[derive(Debug)]
pub(super) struct Variable<const BLOCK_BITS: u32>;

impl<const BLOCK_BITS: u32> Codec for Variable<BLOCK_BITS> {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        numbers.iter().for_each(|&number| write::<BLOCK_BITS>(number, bits));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        numbers.iter_mut().for_each(|number| *number = read::<BLOCK_BITS>(bits));
    }
}

pub(super) fn write<const BLOCK_BITS: u32>(number: u32, bits: &mut BitWriter) {
    let width = BLOCK_BITS - 1;
    let blocks = (32 - number.leading_zeros()).div_ceil(width).max(1);
    for block in (0..blocks).rev() {
        bits.write_bits(u32::from(block > 0), 1);
        let shifted = u64::from(number) >> (block * width);
        bits.write_number(shifted & ((1 << width) - 1), width);
    }
}

pub(super) fn read<const BLOCK_BITS: u32>(bits: &mut BitReader<'_>) -> u32 {
    let width = BLOCK_BITS - 1;
    let mut number = 0u32;
    // No number has more blocks, whatever somebody else may have written.
    for _ in 0..32u32.div_ceil(width) {
        let is_last = bits.read_bits(1) == 0;
        number = number << width | bits.read_number(width) as u32;
        if is_last {
            break;
        }
    }
    number
}
