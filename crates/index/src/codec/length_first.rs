//! Length first: the form of UTF-8. The first byte says how many follow, so that the end of a word is known from its begin.
//!
//! A word of n bytes begins with n − 1 zeros and a one, which leave seven bits of each byte to the number: `1xxxxxxx`,
//! `01xxxxxx xxxxxxxx`, and so on to five bytes.

use super::{BitReader, BitWriter, Codec, ListShape};

const BYTES_MAX: u32 = 5;

/// Bytes, how many of them first.
#[derive(Debug)]
pub(super) struct LengthFirst;

impl Codec for LengthFirst {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        numbers.iter().for_each(|&number| write(number, bits));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        numbers.iter_mut().for_each(|number| *number = read(bits));
    }
}

pub(super) fn write(number: u32, bits: &mut BitWriter) {
    let bytes = (32 - number.leading_zeros()).div_ceil(7).max(1);
    bits.write_unary(bytes - 1);
    bits.write_number(number.into(), 7 * bytes);
}

pub(super) fn read(bits: &mut BitReader<'_>) -> u32 {
    let bytes = bits.read_unary().min(BYTES_MAX - 1) + 1;
    bits.read_number(7 * bytes) as u32
}
