//! PForDelta: nine of ten numbers in an array of so few bits that they just fit, the others beside it.
//!
//! ```text
//! width        6 bits   w: nine of ten numbers are below 2ʷ − 1
//! rest width   6 bits   v, the bits of the greatest of the others; 0 if there are none
//! array        w bits for each number; all ones stand for one of the others
//! others       v bits each, in their order
//! ```
//!
//! A reader has no decision to make but for the others. The default codec has a finer form of it ([`super::packed`]): widths
//! chosen by what they cost, an array that vectors read, and only the high bits of exceptions beside it.

use super::{BitReader, BitWriter, Codec, ListShape};

const WIDTH_BITS: u32 = 6;

/// An array for most, a list for the others.
#[derive(Debug)]
pub(super) struct PForDelta;

/// What stands in an array of this width for a number beside it.
fn mark(width: u32) -> u32 {
    ((1u64 << width) - 1) as u32
}

impl Codec for PForDelta {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        if numbers.is_empty() {
            return;
        }
        let fits = |width: u32| numbers.iter().filter(|&&number| number < mark(width)).count();
        let width = (1..32).find(|&width| 10 * fits(width) >= 9 * numbers.len()).unwrap_or(32);
        let others = || numbers.iter().filter(|&&number| number >= mark(width));
        let rest_width = others().max().map_or(0, |greatest| 32 - greatest.leading_zeros());
        bits.write_bits(width, WIDTH_BITS);
        bits.write_bits(rest_width, WIDTH_BITS);
        numbers.iter().for_each(|&number| bits.write_bits(number.min(mark(width)), width));
        others().for_each(|&number| bits.write_bits(number, rest_width));
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        if numbers.is_empty() {
            return;
        }
        let (width, rest_width) = (bits.read_bits(WIDTH_BITS).min(32), bits.read_bits(WIDTH_BITS).min(32));
        numbers.iter_mut().for_each(|number| *number = bits.read_bits(width));
        for number in numbers.iter_mut().filter(|number| **number == mark(width)) {
            *number = bits.read_bits(rest_width);
        }
    }
}
