//! Flags of a row of things, most of which are as expected: which are not, and how they differ.

use super::subset;
use crate::bit_buffer::BitBuffer;
use crate::bv::bit_reader::BitReader;

/// Adds differences of two bits each.
pub(super) fn put(bits: &mut BitBuffer, differences: &[u8]) {
    let places: Vec<usize> = (0..differences.len()).filter(|place| differences[*place] != 0).collect();
    subset::put(bits, &places, differences.len());
    places.iter().for_each(|place| bits.put_below(u64::from(differences[*place]) - 1, 3));
}

/// Takes the differences that are not zero, with their places.
pub(super) fn take(reader: &mut BitReader, of: usize) -> Vec<(usize, u8)> {
    let places = subset::take(reader, of);
    places.into_iter().map(|place| (place, reader.below(3) as u8 + 1)).collect()
}
