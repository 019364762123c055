//! Filters one after the other in one array, without a map of their ids: what [`NaiveIndex`](super::NaiveIndex) is made of,
//! and the part of the adaptive index where filters change.

use super::visits::Count;

/// Filters whose first bits are looked at together.
const CHUNK_FILTERS: usize = 16;

/// Filters and their ids by slot. Whoever holds it knows which id is in which slot.
#[derive(Debug, Clone)]
pub(super) struct FilterList {
    word_count: usize,
    /// Filter s is `words[s * word_count..][..word_count]`.
    words: Vec<u64>,
    ids: Vec<u64>,
}

impl FilterList {
    /// An empty list of filters of so many words.
    pub(super) fn new(word_count: usize) -> Self {
        Self { word_count, words: Vec::new(), ids: Vec::new() }
    }

    /// Appends the ids of the filters that have all bits at these positions.
    ///
    /// The first two bits of some filters at a time, without a branch: in a half full filter each bit is a coin toss, and
    /// a branch that was guessed wrong costs as much as ten bits. What has both of them is looked at one by one.
    pub(super) fn append_all(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        let word_count = self.word_count;
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

    /// Puts other words into a slot.
    #[inline]
    pub(super) fn write(&mut self, slot: usize, words: &[u64]) {
        self.words[slot * self.word_count..][..self.word_count].copy_from_slice(words);
    }

    /// Adds a filter, in the last slot.
    #[inline]
    pub(super) fn append(&mut self, id: u64, words: &[u64]) {
        // Room for a quarter more when there is none: to double would waste more than all ids.
        if self.words.len() + self.word_count > self.words.capacity() {
            self.reserve((self.ids.len() / 4).max(1));
        }
        self.ids.push(id);
        self.words.extend_from_slice(words);
    }

    /// Forgets the filter in a slot, and gives the id of the one that takes its place: the last.
    #[inline]
    pub(super) fn remove(&mut self, slot: usize) -> Option<u64> {
        let last = self.ids.len() - 1;
        if slot != last {
            self.words.copy_within(last * self.word_count.., slot * self.word_count);
        }
        self.ids.swap_remove(slot);
        self.words.truncate(last * self.word_count);
        self.ids.get(slot).copied()
    }

    /// Forgets all filters, and keeps room for some.
    pub(super) fn clear(&mut self, sets: usize) {
        self.words.clear();
        self.words.shrink_to(sets * self.word_count);
        self.ids.clear();
        self.ids.shrink_to(sets);
    }

    /// How many bytes the next filter would add.
    pub(super) fn growth_bytes(&self) -> usize {
        let is_full = self.words.len() + self.word_count > self.words.capacity();
        if is_full { (self.ids.len() / 4).max(1) * (self.word_count + 1) * 8 } else { 0 }
    }

    /// The filters in the order of the slots.
    pub(super) fn filters(&self) -> impl ExactSizeIterator<Item = (u64, &[u64])> {
        self.ids.iter().copied().zip(self.words.chunks_exact(self.word_count))
    }

    /// Makes room for so many filters more.
    pub(super) fn reserve(&mut self, sets: usize) {
        self.words.reserve_exact(sets * self.word_count);
        self.ids.reserve_exact(sets);
    }

    /// The words of a filter.
    pub(super) fn at(&self, slot: usize) -> &[u64] {
        &self.words[slot * self.word_count..][..self.word_count]
    }

    pub(super) fn ids(&self) -> &[u64] {
        &self.ids
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        (self.words.capacity() + self.ids.capacity()) * 8
    }
}
