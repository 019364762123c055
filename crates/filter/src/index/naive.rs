//! The list: every filter is asked.
//!
//! The filters lie one after the other in one array. A search costs up to k bits of each, and as these are in different
//! cache lines it is slow from some tens of filters on; but an update is a copy, which no other structure can beat, and
//! a very small list is as fast as anything. It is the yardstick of the others.

use super::id_map::IdMap;
use super::{FilterIndex, IndexError, Positions, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The filters in a list, see the module.
#[derive(Debug, Clone)]
pub struct NaiveIndex {
    shape: FilterShape,
    /// Filter s is `words[s * word_count..][..word_count]`.
    words: Vec<u64>,
    ids: Vec<u64>,
    slots: IdMap,
}

impl NaiveIndex {
    /// An empty list.
    pub fn new(shape: FilterShape) -> Self {
        Self { shape, words: Vec::new(), ids: Vec::new(), slots: IdMap::default() }
    }

    fn at(&self, slot: usize) -> &[u64] {
        &self.words[slot * self.shape.word_count()..][..self.shape.word_count()]
    }
}

impl FilterIndex for NaiveIndex {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.slots.check_free(id)?;
        self.slots.set(id, self.ids.len());
        self.ids.push(id);
        self.words.extend_from_slice(filter.words());
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        let (last, word_count) = (self.ids.len() - 1, self.shape.word_count());
        if slot != last {
            self.slots.set(self.ids[last], slot);
            self.words.copy_within(last * word_count.., slot * word_count);
        }
        self.ids.swap_remove(slot);
        self.words.truncate(last * word_count);
        Ok(())
    }

    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        let slot = self.slots.slot(id)?;
        let word_count = self.shape.word_count();
        self.words[slot * word_count..][..word_count].copy_from_slice(filter.words());
        Ok(())
    }

    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        for (slot, words) in self.words.chunks_exact(self.shape.word_count()).enumerate() {
            if positions.as_slice().iter().all(|position| words[position / 64] >> (position % 64) & 1 == 1) {
                ids.push(self.ids[slot]);
            }
        }
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.at(self.slots.get(id)?).to_vec();
        Some(BloomFilter::from_words(self.shape, words).expect("a slot has the words of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.slots.get(id).is_some()
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn memory_bytes(&self) -> usize {
        (self.words.capacity() + self.ids.capacity()) * 8 + self.slots.memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        self.ids.clone()
    }
}
