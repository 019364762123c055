//! Rice: the quotient by a power of two in unary, then the remainder in binary. It is Golomb's code where the modulus is a
//! power of two; each block has the one that makes it shortest, in five bits before its numbers.

use super::{BitReader, BitWriter, Codec, ListShape};

/// A power of two is written in so many bits.
const WIDTH_BITS: u32 = 5;

/// Rice's code.
#[derive(Debug)]
pub(super) struct Rice;

impl Codec for Rice {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        write(numbers, best(numbers).width, bits);
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        let width = bits.read_bits(WIDTH_BITS);
        for number in numbers {
            let quotient = bits.read_unary();
            *number = quotient.wrapping_shl(width) | bits.read_bits(width);
        }
    }
}

/// A power of two and what a block costs with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) width: u32,
    pub(super) bits: u64,
}

/// The power of two with which these numbers take the fewest bits.
pub(super) fn best(numbers: &[u32]) -> Choice {
    let cost = |width: u32| {
        let quotients: u64 = numbers.iter().map(|&number| u64::from(number >> width)).sum();
        let bits = quotients + u64::from(WIDTH_BITS) + numbers.len() as u64 * u64::from(width + 1);
        Choice { width, bits }
    };
    let sum: u64 = numbers.iter().map(|&number| u64::from(number)).sum();
    let mean = sum / numbers.len().max(1) as u64;
    // The best is near the mean's own length, so the others are not tried.
    let middle = (mean + 1).ilog2().min(29);
    let near = middle.saturating_sub(2)..=middle + 1;
    near.map(cost).min_by_key(|choice| choice.bits).unwrap_or(Choice { width: 0, bits: 0 })
}

pub(super) fn write(numbers: &[u32], width: u32, bits: &mut BitWriter) {
    bits.write_bits(width, WIDTH_BITS);
    for &number in numbers {
        bits.write_unary(number >> width);
        bits.write_bits(number & ((1 << width) - 1), width);
    }
}
