//! Filters one after the other, without a map of their ids: what [`NaiveIndex`](super::NaiveIndex) is made of, and the part
//! of the adaptive index where filters change.
//!
//! They lie in chunks of some 64 KiB, so that a list that grows copies no more than one of them: in one array every filter
//! would be copied several times, each time to memory that the system has to make clean first.

use super::visits::Count;

/// Filters that are looked at together: as many as a word has bits.
const GROUP_FILTERS: usize = 64;

/// Bits of a filter that are looked at without asking in between.
const BITS_TOGETHER: usize = 4;

/// A chunk holds at least so many filters, however large they are.
const CHUNK_FILTERS_MIN: usize = 16;

/// The words of a chunk, about.
const CHUNK_WORDS: usize = 1 << 13;

/// Filters and their ids by slot. Whoever holds it knows which id is in which slot.
#[derive(Debug, Clone)]
pub(super) struct FilterList {
    word_count: usize,
    /// How many bits of a slot are the place in its chunk.
    place_bits: u32,
    /// All but the last that is in use are full; those behind it are empty and keep their memory.
    chunks: Vec<Vec<u64>>,
    ids: Vec<u64>,
}

impl FilterList {
    /// An empty list of filters of so many words.
    pub(super) fn new(word_count: usize) -> Self {
        let chunk_filters = (CHUNK_WORDS / word_count.max(1)).max(CHUNK_FILTERS_MIN);
        Self { word_count, place_bits: chunk_filters.ilog2(), chunks: Vec::new(), ids: Vec::new() }
    }

    /// How many filters a chunk holds.
    #[inline]
    fn chunk_filters(&self) -> usize {
        1 << self.place_bits
    }

    /// The chunk of a slot, and where the filter begins there.
    #[inline]
    fn place(&self, slot: usize) -> (usize, usize) {
        (slot >> self.place_bits, (slot & (self.chunk_filters() - 1)) * self.word_count)
    }

    /// Appends the ids of the filters that have all bits at these positions.
    ///
    pub(super) fn append_all(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        let [first, second, rest @ ..] = positions else {
            let found = self.filters().filter(|(_, words)| {
                count.add(1, positions.len());
                positions.iter().all(|position| bit(words, *position) == 1)
            });
            ids.extend(found.map(|(id, _)| id));
            return;
        };
        // Not by `chunks`, which divides: in a short list that is a third of the time.
        let (mut chunk_ids, word_count) = (&self.ids[..], self.word_count);
        for chunk in &self.chunks {
            let (in_chunk, other_ids) = chunk_ids.split_at(chunk_ids.len().min(self.chunk_filters()));
            let (mut filters, mut slot_ids) = (&chunk[..], in_chunk);
            while !slot_ids.is_empty() {
                let group = slot_ids.len().min(GROUP_FILTERS);
                let (group_filters, other_filters) = filters.split_at(group * word_count);
                let found = found_in_group(group_filters, word_count, (*first, *second), rest, count);
                each_bit(found, |slot| ids.push(slot_ids[slot]));
                (filters, slot_ids) = (other_filters, &slot_ids[group..]);
            }
            chunk_ids = other_ids;
        }
    }

    /// Puts other words into a slot.
    #[inline]
    pub(super) fn write(&mut self, slot: usize, words: &[u64]) {
        let (chunk, start) = self.place(slot);
        self.chunks[chunk][start..][..self.word_count].copy_from_slice(words);
    }

    /// Adds a filter, in the last slot.
    #[inline]
    pub(super) fn append(&mut self, id: u64, words: &[u64]) {
        if self.growth_bytes() > 0 {
            self.reserve(self.growth());
        }
        let (chunk, _) = self.place(self.ids.len());
        self.ids.push(id);
        self.chunks[chunk].extend_from_slice(words);
    }

    /// Forgets the filter in a slot, and gives the id of the one that takes its place: the last.
    #[inline]
    pub(super) fn remove(&mut self, slot: usize) -> Option<u64> {
        let last = self.ids.len() - 1;
        let ((chunk, start), (last_chunk, last_start)) = (self.place(slot), self.place(last));
        if chunk == last_chunk {
            self.chunks[chunk].copy_within(last_start.., start);
        } else {
            let (before, after) = self.chunks.split_at_mut(last_chunk);
            before[chunk][start..][..self.word_count].copy_from_slice(&after[0][last_start..]);
        }
        self.ids.swap_remove(slot);
        self.chunks[last_chunk].truncate(last_start);
        self.ids.get(slot).copied()
    }

    /// Forgets all filters, and keeps room for some.
    pub(super) fn clear(&mut self, sets: usize) {
        self.chunks.truncate(sets.div_ceil(self.chunk_filters()));
        let mut rest = sets * self.word_count;
        for chunk in &mut self.chunks {
            chunk.clear();
            chunk.shrink_to(rest);
            rest -= rest.min(chunk.capacity());
        }
        self.ids.clear();
        self.ids.shrink_to(sets);
    }

    /// For how many filters room is made when there is none: a quarter more, since to double would waste more than all ids,
    /// and no more than a chunk.
    fn growth(&self) -> usize {
        let left = self.chunk_filters() - (self.ids.len() & (self.chunk_filters() - 1));
        (self.ids.len() / 4).clamp(1, left)
    }

    /// How many bytes the next filter would add.
    #[inline]
    pub(super) fn growth_bytes(&self) -> usize {
        let (chunk, end) = self.place(self.ids.len());
        let has_room = self.chunks.get(chunk).is_some_and(|chunk| end < chunk.capacity());
        if has_room { 0 } else { self.growth() * self.word_count * 8 + (self.ids.len() / 4).max(1) * 8 }
    }

    /// The filters in the order of the slots.
    pub(super) fn filters(&self) -> impl ExactSizeIterator<Item = (u64, &[u64])> {
        self.ids.iter().enumerate().map(|(slot, id)| (*id, self.at(slot)))
    }

    /// Makes room for so many filters more.
    pub(super) fn reserve(&mut self, sets: usize) {
        let (mut slot, end) = (self.ids.len(), self.ids.len() + sets);
        while slot < end {
            let (index, start) = self.place(slot);
            let next = (end - slot).min(self.chunk_filters() - start / self.word_count);
            if index == self.chunks.len() {
                self.chunks.push(Vec::new());
            }
            let chunk = &mut self.chunks[index];
            chunk.reserve_exact(start + next * self.word_count - chunk.len());
            slot += next;
        }
        if end > self.ids.capacity() {
            self.ids.reserve_exact(sets.max(self.ids.len() / 4));
        }
    }

    /// The words of a filter.
    #[inline]
    pub(super) fn at(&self, slot: usize) -> &[u64] {
        let (chunk, start) = self.place(slot);
        &self.chunks[chunk][start..][..self.word_count]
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
        let words: usize = self.chunks.iter().map(Vec::capacity).sum();
        (words + self.ids.capacity()) * 8 + self.chunks.capacity() * size_of::<Vec<u64>>()
    }
}

#[inline(always)]
fn bit(words: &[u64], position: usize) -> u64 {
    words[position / 64] >> (position % 64) & 1
}

/// Which of up to 64 filters have all bits at these positions, as bits.
///
/// The first two bits of all of them without a branch, since in a half full filter each bit is a coin toss, and a branch that
/// was guessed wrong costs as much as ten bits. Only what has these is looked at further, some bits of all before the next
/// bits of any: so a guess is wrong once for all and not for each filter, and no load waits for another.
#[inline(always)]
fn found_in_group(
    filters: &[u64],
    word_count: usize,
    (first, second): (usize, usize),
    rest: &[usize],
    count: &mut impl Count,
) -> u64 {
    let mut found = 0u64;
    let (mut start, mut mask) = (0, 1u64);
    while start < filters.len() {
        let words = &filters[start..][..word_count];
        found |= mask & (bit(words, first) & bit(words, second)).wrapping_neg();
        (start, mask) = (start + word_count, mask << 1);
        count.add(1, 2);
    }
    for some in rest.chunks(BITS_TOGETHER) {
        if found == 0 {
            break;
        }
        each_bit(found, |slot| {
            let words = &filters[slot * word_count..][..word_count];
            let has_all = some.iter().fold(1, |all, position| all & bit(words, *position));
            found &= !((1 ^ has_all) << slot);
            count.add(0, some.len());
        });
    }
    found
}

/// Calls `act` with the numbers of the bits that are set.
#[inline(always)]
fn each_bit(word: u64, mut act: impl FnMut(usize)) {
    let mut rest = word;
    while rest != 0 {
        act(rest.trailing_zeros() as usize);
        rest &= rest - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen of these are a chunk.
    const WORDS: usize = 500;

    #[test]
    fn groups_find_what_bit_after_bit_finds() {
        let random = |n: u64| crate::KeyHash::of_u64(n, 3).as_u64();
        for (filters, words) in [(1, 1), (63, 2), (64, 2), (65, 3), (700, 2), (130, 500)] {
            let mut list = FilterList::new(words);
            for id in 0..filters {
                // Three bits of four are set, so that something is left to look further at.
                let word = |at| random(id << 20 | at) | random(id << 20 | at | 1 << 10);
                list.append(id, &(0..words as u64).map(word).collect::<Vec<u64>>());
            }
            for probes in 0..14u64 {
                let place = |n| random(n | probes << 8 | filters << 16) as usize % (words * 64);
                let positions: Vec<usize> = (0..probes).map(place).collect();
                let has_all = |words: &[u64]| positions.iter().all(|at| words[at / 64] >> (at % 64) & 1 == 1);
                let expected = list.filters().filter(|(_, words)| has_all(words)).map(|(id, _)| id);
                let mut found = Vec::new();
                list.append_all(&positions, &mut found, &mut ());
                assert_eq!(found, expected.collect::<Vec<_>>(), "{filters} of {words}, {probes} probes");
            }
        }
    }

    #[test]
    fn chunks_hold_what_one_array_would() {
        let mut list = FilterList::new(WORDS);
        assert_eq!(list.chunk_filters(), 16);
        let mut model: Vec<(u64, Vec<u64>)> = Vec::new();
        for step in 0..4_000u64 {
            let dice = crate::KeyHash::of_u64(step, 5).as_u64();
            let (words, place) = (vec![step; WORDS], (dice >> 8) as usize % model.len().max(1));
            match dice % 8 {
                0 | 1 if !model.is_empty() => {
                    let last = model.len() - 1;
                    let moved = list.remove(place);
                    model.swap_remove(place);
                    assert_eq!(moved, (place < last).then(|| model[place].0));
                }
                2 if !model.is_empty() => {
                    list.write(place, &words);
                    model[place].1 = words;
                }
                3 if dice % 400 == 3 => {
                    list.clear(place);
                    model.clear();
                }
                4 => list.reserve(place % 40),
                _ => {
                    let (before, growth) = (list.memory_bytes(), list.growth_bytes());
                    list.append(step, &words);
                    let pointers = list.chunks.capacity() * size_of::<Vec<u64>>();
                    assert!(list.memory_bytes() <= before + growth + pointers);
                    model.push((step, words));
                }
            }
            assert_eq!(list.len(), model.len());
            if step % 50 == 0 {
                assert!(list.filters().eq(model.iter().map(|(id, words)| (*id, &words[..]))));
            }
        }
        assert!(model.len() > 40, "{}", model.len());
    }
}
