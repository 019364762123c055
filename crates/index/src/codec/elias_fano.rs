//! Elias–Fano: the low bits of increasing values as they are, the high ones as the gaps between them in unary.
//!
//! ```text
//! low bits     l for each value
//! high bits    for each value the zeros of how many steps of 2ˡ it goes on, and a one
//! ```
//!
//! With l = ⌊log(N / f)⌋ for f of N documents a value takes at most l + 2 bits, wherever the values are, half a bit from the
//! least there can be. l is that of the whole list, which is therefore one Elias–Fano sequence; the table of skips has its
//! quanta, the value and the place after each 128. Counts and positions are written as their sums, with l by the block, in six
//! bits before it: sums of positions are where no other simple code is shorter.
//!
//! The quantum is not a choice: a block of 128 is what every codec decodes at once, what a maximum is kept for and what a search
//! passes over, and its row in the table is 9 bytes, 0.56 bits of a posting. With 64 it would be 1.13 bits to decode 32 values
//! less in the mean; with 256 the maxima would say less and a skip would decode twice as much.
//!
//! After Elias, "Efficient storage and retrieval by content and address of static files", and Vigna, "Quasi-succinct indices".

use super::sums::{numbers_of, sums_of};
use super::{BLOCK, BitReader, BitWriter, Codec, ListShape, Within};

const WIDTH_BITS: u32 = 6;

/// Low bits and high bits.
#[derive(Debug)]
pub(super) struct EliasFano;

impl Codec for EliasFano {
    fn write(&self, numbers: &[u32], _list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        let sums = sums_of(numbers, &mut room);
        let Some(&last) = sums.last() else { return };
        let width = low_width(last, sums.len() as u64);
        bits.write_bits(width, WIDTH_BITS);
        write(sums, 0, width, bits);
    }

    fn read(&self, bits: &mut BitReader<'_>, _list: &ListShape, numbers: &mut [u32]) {
        if numbers.is_empty() {
            return;
        }
        let mut room = [0; BLOCK];
        let sums = &mut room[..numbers.len()];
        let width = bits.read_bits(WIDTH_BITS).min(32);
        read(sums, 0, width, bits);
        numbers_of(sums, numbers);
    }

    fn write_increasing(&self, values: &[u32], within: Within, list: &ListShape, bits: &mut BitWriter) {
        let mut room = [0; BLOCK];
        room.iter_mut().zip(values).for_each(|(wide, &value)| *wide = value.into());
        write(&room[..values.len()], within.first.into(), list_width(list), bits);
    }

    fn read_increasing(
        &self,
        bits: &mut BitReader<'_>,
        within: Within,
        list: &ListShape,
        values: &mut [u32],
    ) {
        let mut room = [0; BLOCK];
        let wide = &mut room[..values.len()];
        read(wide, within.first.into(), list_width(list), bits);
        values.iter_mut().zip(wide).for_each(|(value, wide)| *value = (*wide).min(u32::MAX.into()) as u32);
    }
}

fn list_width(list: &ListShape) -> u32 {
    low_width(list.documents_all.into(), list.documents.into())
}

/// Low bits of so many values up to `last`, at most 32.
pub(super) fn low_width(last: u64, count: u64) -> u32 {
    (last / count.max(1)).max(1).ilog2().min(32)
}

/// Writes values that do not decrease, from `first` on.
pub(super) fn write(values: &[u64], first: u64, width: u32, bits: &mut BitWriter) {
    let low = |value: u64| ((value - first) & ((1 << width) - 1)) as u32;
    values.iter().for_each(|&value| bits.write_bits(low(value), width));
    let mut high = 0;
    for &value in values {
        let next = (value - first) >> width;
        bits.write_unary((next - high) as u32);
        high = next;
    }
}

/// Reads as many values as there is room for; whatever the bits are, they do not decrease.
pub(super) fn read(values: &mut [u64], first: u64, width: u32, bits: &mut BitReader<'_>) {
    values.iter_mut().for_each(|value| *value = bits.read_bits(width).into());
    let (mut high, mut before) = (0u64, 0);
    for value in values {
        high += u64::from(bits.read_unary());
        *value = (first + (high << width | *value)).max(before);
        before = *value;
    }
}
