//! The list: every filter is asked.
//!
//! The filters lie one after the other. A search costs up to k bits of each, and as these are in different
//! cache lines it is slow from some tens of filters on; but an update is a copy, which no other structure can beat, and
//! a very small list is as fast as anything. It is the yardstick of the others.

use super::id_map::IdMap;
use super::list::FilterList;
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, Positions, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The filters in a list, see the module.
#[derive(Debug, Clone)]
pub struct NaiveIndex {
    shape: FilterShape,
    list: FilterList,
    slots: IdMap,
}

impl NaiveIndex {
    /// An empty list.
    pub fn new(shape: FilterShape) -> Self {
        Self { shape, list: FilterList::new(shape.word_count()), slots: IdMap::default() }
    }

    /// An empty list with room for some filters.
    pub fn with_capacity(shape: FilterShape, sets: usize) -> Self {
        let mut index = Self::new(shape);
        index.list.reserve(sets);
        index
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
        self.slots.set(id, self.list.len());
        self.list.append(id, filter.words());
        count.add(1, filter.words().len());
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        count.add(1, 0);
        if let Some(moved) = self.list.remove(slot) {
            count.add(1, self.shape.word_count());
            self.slots.set(moved, slot);
        }
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
        self.list.write(slot, filter.words());
        count.add(1, filter.words().len());
        Ok(())
    }

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        self.list.append_all(Positions::of(keys, &self.shape).as_slice(), ids, count);
    }
}

impl FilterIndex for NaiveIndex {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.list.at(self.slots.get(id)?).to_vec();
        Some(BloomFilter::from_words(self.shape, words).expect("a slot has the words of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.slots.get(id).is_some()
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn memory_bytes(&self) -> usize {
        self.list.memory_bytes() + self.slots.memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        self.list.ids().to_vec()
    }
}
