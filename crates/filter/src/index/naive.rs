//! The list: every filter is asked.
//!
//! The filters lie one after the other in one array. A search costs up to k bits of each, and as these are in different
//! cache lines it is slow from some tens of filters on; but an update is a copy, which no other structure can beat, and
//! a very small list is as fast as anything. It is the yardstick of the others.

use super::id_map::IdMap;
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, Positions, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Filters whose first bits are looked at together.
const CHUNK_FILTERS: usize = 16;

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
    ///
    /// The first two bits of some filters at a time, without a branch: in a half full filter each bit is a coin toss, and
    /// a branch that was guessed wrong costs as much as ten bits. What has both of them is looked at one by one.
    pub(super) fn append_all(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        let word_count = self.shape.word_count();
        let bit = |words: &[u64], position: usize| words[position / 64] >> (position % 64) & 1;
        let [first, second, rest @ ..] = positions else {
            let found = self.filters().filter(|(_, words)| {
                count.add(1, positions.len());
                positions.iter().all(|position| bit(words, *position) == 1)
            });
            ids.extend(found.map(|(id, _)| id));
            return;
        };
        for (filters, slot_ids) in
            self.words.chunks(CHUNK_FILTERS * word_count).zip(self.ids.chunks(CHUNK_FILTERS))
        {
            count.add(slot_ids.len(), 2 * slot_ids.len());
            let mut candidates = 0u64;
            for (slot, words) in filters.chunks_exact(word_count).enumerate() {
                candidates |= (bit(words, *first) & bit(words, *second)) << slot;
            }
            while candidates != 0 {
                let slot = candidates.trailing_zeros() as usize;
                candidates &= candidates - 1;
                let words = &filters[slot * word_count..][..word_count];
                let has_bit = |position: &usize| {
                    count.add(0, 1);
                    bit(words, *position) == 1
                };
                if rest.iter().all(has_bit) {
                    ids.push(slot_ids[slot]);
                }
            }
        }
    }

    /// Puts other words under an id, if it is here.
    #[inline]
    pub(super) fn replace(&mut self, id: u64, words: &[u64]) -> bool {
        let Some(slot) = self.slots.get(id) else { return false };
        let word_count = self.shape.word_count();
        self.words[slot * word_count..][..word_count].copy_from_slice(words);
        true
    }

    /// Forgets all filters, and keeps room for some.
    pub(super) fn clear(&mut self, sets: usize) {
        self.words.clear();
        self.words.shrink_to(sets * self.shape.word_count());
        self.ids.clear();
        self.ids.shrink_to(sets);
        self.slots.clear(sets);
    }

    /// How many bytes the next filter would add.
    pub(super) fn growth_bytes(&self) -> usize {
        let is_full = self.words.len() + self.shape.word_count() > self.words.capacity();
        if is_full { (self.ids.len() / 4).max(1) * (self.shape.word_count() + 1) * 8 } else { 0 }
    }

    /// The filters in the order of the slots.
    pub(super) fn filters(&self) -> impl ExactSizeIterator<Item = (u64, &[u64])> {
        self.ids.iter().copied().zip(self.words.chunks_exact(self.shape.word_count()))
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
