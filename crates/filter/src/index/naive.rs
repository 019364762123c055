//! The list: every filter is asked.
//!
//! The filters lie one after the other in one array. A search costs up to k bits of each, and as these are in different
//! cache lines it is slow from some tens of filters on; but an update is a copy, which no other structure can beat, and
//! a very small list is as fast as anything. It is the yardstick of the others.

use super::id_map::IdMap;
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
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

    /// An empty list with room for some filters.
    pub fn with_capacity(shape: FilterShape, sets: usize) -> Self {
        let mut list = Self::new(shape);
        list.reserve(sets);
        list
    }

    /// Appends the ids of the filters that have all bits at these positions.
    pub(super) fn append_all(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        for (slot, words) in self.words.chunks_exact(self.shape.word_count()).enumerate() {
            count.add(1, 0);
            let has_bit = |position: &usize| {
                count.add(0, 1);
                words[position / 64] >> (position % 64) & 1 == 1
            };
            if positions.iter().all(has_bit) {
                ids.push(self.ids[slot]);
            }
        }
    }

    /// Adds a filter of the right shape under an id that is free.
    pub(super) fn append(&mut self, id: u64, words: &[u64]) {
        self.grow();
        self.slots.set(id, self.ids.len());
        self.ids.push(id);
        self.words.extend_from_slice(words);
    }

    /// Makes room for a quarter more when there is none: to double would waste more than all ids.
    fn grow(&mut self) {
        if self.words.len() + self.shape.word_count() > self.words.capacity() {
            self.reserve((self.ids.len() / 4).max(1));
        }
    }

    fn reserve(&mut self, sets: usize) {
        self.words.reserve_exact(sets * self.shape.word_count());
        self.ids.reserve_exact(sets);
    }

    pub(super) fn each_filter(&self, act: &mut dyn FnMut(u64, &[u64])) {
        self.ids.iter().enumerate().for_each(|(slot, id)| act(*id, self.at(slot)));
    }

    /// The first words of a filter.
    pub(super) fn prefix(&self, id: u64, word_count: usize) -> Option<Vec<u64>> {
        Some(self.at(self.slots.get(id)?)[..word_count].to_vec())
    }

    fn at(&self, slot: usize) -> &[u64] {
        &self.words[slot * self.shape.word_count()..][..self.shape.word_count()]
    }
}

impl Counting for NaiveIndex {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.slots.check_free(id)?;
        self.append(id, filter.words());
        count.add(1, filter.words().len());
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        let (last, word_count) = (self.ids.len() - 1, self.shape.word_count());
        count.add(1, 0);
        if slot != last {
            count.add(1, word_count);
            self.slots.set(self.ids[last], slot);
            self.words.copy_within(last * word_count.., slot * word_count);
        }
        self.ids.swap_remove(slot);
        self.words.truncate(last * word_count);
        Ok(())
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        let slot = self.slots.slot(id)?;
        let word_count = self.shape.word_count();
        self.words[slot * word_count..][..word_count].copy_from_slice(filter.words());
        count.add(1, word_count);
        Ok(())
    }

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        self.append_all(Positions::of(keys, &self.shape).as_slice(), ids, count);
    }
}

impl FilterIndex for NaiveIndex {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.prefix(id, self.shape.word_count())?;
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
