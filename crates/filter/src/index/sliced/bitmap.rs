//! Answers as bitmaps: cheap to intersect before ids are looked up.

use super::SlicedBloofi;
use crate::KeyHash;
use crate::index::Positions;
use crate::index::kernel::{BLOCK_WORDS, push_ids};

/// The slots that a search found, one bit each: cheap to intersect before ids are looked up. It fits the index that
/// made it until that is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotBitmap {
    words: Vec<u64>,
}

impl SlotBitmap {
    /// A bitmap to be filled by a search.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many filters were found.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether none was found.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Keeps what both found, in the same unchanged index.
    pub fn intersect_with(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Adds what the other found, in the same unchanged index.
    pub fn union_with(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Its bits.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl SlicedBloofi {
    /// Replaces the bitmap by the filters that contain the key.
    pub fn search_bitmap(&self, key: &KeyHash, found: &mut SlotBitmap) {
        self.search_all_bitmap(std::slice::from_ref(key), found);
    }

    /// Replaces the bitmap by the filters that contain every key.
    pub fn search_all_bitmap(&self, keys: &[KeyHash], found: &mut SlotBitmap) {
        let positions = Positions::of(keys, &self.shape);
        found.words.resize(self.slabs.iter().map(|slab| slab.stride).sum(), 0);
        let mut rest = &mut found.words[..];
        for slab in &self.slabs {
            let (words, behind) = rest.split_at_mut(slab.stride);
            self.isa.and_rows(slab.rows(), positions.as_slice(), words);
            rest = behind;
        }
    }

    /// Replaces `ids` by those of a bitmap that a search of this index made.
    ///
    /// # Panics
    /// May panic if the index was changed since.
    pub fn ids_of(&self, found: &SlotBitmap, ids: &mut Vec<u64>) {
        ids.clear();
        let mut rest = &found.words[..];
        for slab in &self.slabs {
            let (words, behind) = rest.split_at(slab.stride);
            for (index, block) in words.chunks(BLOCK_WORDS).enumerate() {
                push_ids(&slab.ids, index * BLOCK_WORDS, block, ids);
            }
            rest = behind;
        }
    }
}
