//! Keys: what of a sketch is sorted to find candidates.
//!
//! A key is a hash of some slots. Documents that agree in these slots have equal keys in the same column and stand side
//! by side once the column is sorted. How many columns of how many slots there are, and how many keys must be common,
//! is what the ways of clustering differ in:
//!
//! | clustering   | columns | slots of each | common keys wanted               |
//! |--------------|---------|---------------|----------------------------------|
//! | banded       | bands   | rows          | 1                                |
//! | features     | groups  | size          | 2                                |
//! | sorted pairs | slots   | 1             | as many as the threshold demands |
//! | exhaustive   | none    |               |                                  |
//!
//! Features are the super-shingles of Broder, "Identifying and Filtering Near-Duplicate Documents", 2000, and of the
//! MinHash report, 1.4. A pair of similarity s shares a feature of `size` slots with probability s^size; six features
//! of 14 slots find a pair of 0.95 with about 0.9, and one of 0.8 with 0.03: they are a filter for pages that are
//! nearly identical, and no promise is made about their recall.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::banding::Banding;
use crate::deduplicator::{Clustering, DedupConfig};
use crate::minhash::Scheme;

/// Which slots become keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct KeyLayout {
    /// The keys of a document.
    pub columns: usize,
    /// The slots of each.
    pub rows: usize,
    /// Keys are compared wherever they stand, not only with those of the same column.
    ///
    /// So the MinHash report counts common signatures. Its masks make a signature of one place equal to one of another
    /// place only if the documents share parts, or by accident.
    pub anywhere: bool,
}

impl KeyLayout {
    /// That of a configuration.
    pub fn new(config: &DedupConfig) -> Self {
        match config.clustering {
            Clustering::Banded => {
                let Banding { bands, rows } =
                    Banding::for_scheme(config.scheme, config.slots, config.threshold);
                Self { columns: bands, rows, anywhere: false }
            }
            Clustering::Features { groups, size } => Self { columns: groups, rows: size, anywhere: false },
            Clustering::SortedPairs => {
                Self { columns: config.slots, rows: 1, anywhere: config.scheme == Scheme::Seed }
            }
            Clustering::Exhaustive => Self { columns: 0, rows: 0, anywhere: false },
        }
    }

    /// The slots that are kept for each document: none where no sketch decides.
    pub fn stored_slots(&self, slots: usize) -> usize {
        if self.columns == 0 { 0 } else { slots }
    }

    /// The key of a column, from the little-endian bytes of all slots.
    pub fn key(&self, slots: &[u8], column: usize) -> u64 {
        let bytes = self.rows * size_of::<u64>();
        let seed = if self.anywhere { 0 } else { column as u64 };
        xxh3_64_with_seed(&slots[column * bytes..(column + 1) * bytes], seed)
    }
}

/// Replaces `bytes` by those of the words, low ones first.
pub(crate) fn bytes_of(words: &[u64], bytes: &mut Vec<u8>) {
    bytes.resize(size_of_val(words), 0);
    for (place, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
}

/// The slots of a sketch in one byte each, for telling copies from candidates: 200 bytes estimate the similarity as
/// well as 1600, but for one agreement in 256 that is an accident.
pub(crate) fn byte_slots(slots: &[u64], bytes: &mut [u8]) {
    for (byte, slot) in bytes.iter_mut().zip(slots) {
        let half = slot ^ (slot >> 32);
        let quarter = half ^ (half >> 16);
        *byte = (quarter ^ (quarter >> 8)) as u8;
    }
}

/// In how many places two sketches of bytes agree.
pub(crate) fn agreements(left: &[u8], right: &[u8]) -> u32 {
    // The sum of a chunk fits a byte, so that the compiler adds many of them at once.
    let of_chunk = |(left, right): (&[u8], &[u8])| {
        left.iter().zip(right).fold(0u8, |sum, (l, r)| sum + u8::from(l == r))
    };
    left.chunks(128).zip(right.chunks(128)).map(|chunks| u32::from(of_chunk(chunks))).sum()
}

/// The similarity that so many agreements of byte slots speak for, without those that are accidents.
pub(crate) fn similarity_of_agreements(agreements: u32, slots: usize) -> f64 {
    const ACCIDENT: f64 = 1.0 / 256.0;
    let share = f64::from(agreements) / slots as f64;
    ((share - ACCIDENT) / (1.0 - ACCIDENT)).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agreements_are_equal_bytes_in_equal_places(
            pairs in prop::collection::vec((0u8..3, 0u8..3), 0..400),
        ) {
            let (left, right): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
            let expected = pairs.iter().filter(|(l, r)| l == r).count();
            prop_assert_eq!(agreements(&left, &right) as usize, expected);
        }
    }

    #[test]
    fn all_agreements_are_certainty_and_accidents_are_nothing() {
        assert_eq!(similarity_of_agreements(200, 200), 1.0);
        assert_eq!(similarity_of_agreements(0, 200), 0.0);
        assert_eq!(similarity_of_agreements(1, 256), 0.0);
    }

    #[test]
    fn each_byte_of_a_slot_changes_its_byte() {
        for shift in (0..64).step_by(8) {
            let mut bytes = [0; 2];
            byte_slots(&[0, 0x5a << shift], &mut bytes);
            assert_eq!(bytes, [0, 0x5a]);
        }
    }

    #[test]
    fn equal_slots_give_equal_keys_only_in_their_column_unless_places_do_not_matter() {
        let mut slots = Vec::new();
        bytes_of(&[7, 8, 7, 8], &mut slots);
        for (anywhere, equal) in [(false, false), (true, true)] {
            let layout = KeyLayout { columns: 2, rows: 2, anywhere };
            assert_eq!(layout.key(&slots, 0) == layout.key(&slots, 1), equal);
        }
    }
}
