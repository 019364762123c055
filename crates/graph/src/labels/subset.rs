//! Which of n places are special, in few bits when few are, and never in many more than n.
//!
//! ```text
//! places = γ of how many, k; unless that is none or all: each gap between two of them in Rice, with a parameter that
//!          follows from n and k
//! ```
//!
//! Gaps of places that are spread evenly are geometric, and for these a Rice code is within a few percent of the best code
//! (Gallager and van Voorhis, 1975). No place costs one bit; all places, or half of them, about what a bit for each costs.

use crate::bit_buffer::BitBuffer;
use crate::bv::bit_reader::BitReader;

/// The parameter for gaps of the given mean: 2 to it is about 0.7 (ln 2) times the mean.
fn rice_bits(places: usize, of: usize) -> u32 {
    (7 * (of - places) / (10 * places)).max(1).ilog2()
}

/// Adds ascending places below `of`.
pub(super) fn put(bits: &mut BitBuffer, places: &[usize], of: usize) {
    bits.put_gamma(places.len() as u64);
    if places.is_empty() || places.len() == of {
        return;
    }
    let low_bits = rice_bits(places.len(), of);
    let mut next = 0;
    for place in places {
        let gap = (place - next) as u64;
        bits.put_unary(gap >> low_bits);
        if low_bits > 0 {
            bits.put(gap, low_bits);
        }
        next = place + 1;
    }
}

/// Takes ascending places below `of`, whatever the bits are.
pub(super) fn take(reader: &mut BitReader, of: usize) -> Vec<usize> {
    let count = reader.gamma().min(of as u64) as usize;
    if count == 0 || count == of {
        return (0..count).collect();
    }
    let low_bits = rice_bits(count, of);
    let (mut places, mut next) = (Vec::with_capacity(count), 0u64);
    for _ in 0..count {
        let place = next.saturating_add(reader.unary() << low_bits | reader.bits(low_bits));
        if place >= of as u64 {
            break;
        }
        places.push(place as usize);
        next = place + 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_come_back_and_cost_at_most_a_bit_each_and_their_count(marks in prop::collection::vec(
            prop_oneof![9 => Just(false), 1 => Just(true)], 0..200), inverted in any::<bool>()) {
            let places: Vec<usize> = (0..marks.len()).filter(|place| marks[*place] != inverted).collect();
            let mut bits = BitBuffer::default();
            put(&mut bits, &places, marks.len());
            let count_bits = 2 * u64::from((places.len() + 1).ilog2()) + 1;
            prop_assert!(bits.len() <= count_bits + marks.len() as u64 * 5 / 4, "{} bits", bits.len());
            let (length, bytes) = (bits.len(), bits.take_bytes());
            let mut reader = BitReader::new(&bytes, 0);
            prop_assert_eq!(take(&mut reader, marks.len()), places);
            prop_assert_eq!(reader.position(), length);
        }

        #[test]
        fn any_bits_are_places(bytes in prop::collection::vec(any::<u8>(), 0..40), of in 0usize..3000) {
            let places = take(&mut BitReader::new(&bytes, 0), of);
            prop_assert!(places.is_sorted() && places.iter().all(|place| *place < of));
        }
    }
}
