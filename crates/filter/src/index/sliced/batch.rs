//! Many filters at a time, as squares of 64 × 64 bits.

use super::SlicedBloofi;
use crate::BloomFilter;
use crate::index::slab::SLAB_SLOTS;
use crate::index::{FilterIndex, IndexError, check_batch, check_shape};

/// From this many filters in one word of the rows on, a square is faster than columns.
const SQUARE_FILTERS_MIN: usize = 4;

impl SlicedBloofi {
    /// Adds many filters: all, or none if one cannot be.
    pub fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(&self.shape, |id| self.contains_id(id), filters)?;
        let mut rest = filters;
        while let Some(&(id, filter)) = rest.first() {
            let slab_index = self.slab_with_room();
            let used = self.slabs[slab_index].ids.len();
            if used == SLAB_SLOTS {
                self.insert(id, filter)?;
                rest = &rest[1..];
                continue;
            }
            self.slabs[slab_index].grow_to((used + rest.len()).min(SLAB_SLOTS));
            let (now, later) = rest.split_at(rest.len().min(64 - used % 64));
            self.insert_square(slab_index, now.iter().map(|(id, filter)| (*id, filter.words())));
            rest = later;
        }
        Ok(())
    }

    /// Adds up to 64 filters behind all others to an index that never lost one.
    pub(in crate::index) fn append_square<'a>(&mut self, filters: impl Iterator<Item = (u64, &'a [u64])>) {
        let slab_index = self.slab_with_room();
        let slab = &mut self.slabs[slab_index];
        slab.grow_to((slab.ids.len() + 64).min(SLAB_SLOTS));
        self.insert_square(slab_index, filters);
    }

    /// Fills fresh slots of one word of the rows.
    fn insert_square<'a>(&mut self, slab_index: usize, filters: impl Iterator<Item = (u64, &'a [u64])>) {
        let slab = &mut self.slabs[slab_index];
        let first = slab.ids.len();
        let mut columns: [&[u64]; 64] = [&[]; 64];
        let mut mask = 0;
        for (slot, (id, words)) in (first..).zip(filters) {
            columns[slot % 64] = words;
            mask |= 1 << (slot % 64);
            slab.occupy(slot, id);
            self.slots.set(id, slab_index * SLAB_SLOTS + slot);
        }
        self.isa.put_columns(&columns, mask, &mut slab.rows, slab.stride, first / 64);
        slab.add_word_to_upper(first / 64);
        slab.look_at_growth(first);
    }

    /// Updates many filters: all, or none if one cannot be. Of two with one id, the later one stays.
    pub fn update_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        let mut by_slot = Vec::with_capacity(filters.len());
        for (id, filter) in filters {
            check_shape(&self.shape, filter)?;
            by_slot.push((self.slots.slot(*id)?, filter.words()));
        }
        by_slot.sort_by_key(|(slot, _)| *slot);
        for square in by_slot.chunk_by(|left, right| left.0 / 64 == right.0 / 64) {
            self.update_square(square);
        }
        Ok(())
    }

    fn update_square(&mut self, filters: &[(usize, &[u64])]) {
        let slab = &mut self.slabs[filters[0].0 / SLAB_SLOTS];
        if filters.len() < SQUARE_FILTERS_MIN {
            let isa = self.isa;
            filters.iter().for_each(|(slot, filter)| slab.replace_column(isa, slot % SLAB_SLOTS, filter));
            return;
        }
        let mut columns: [&[u64]; 64] = [&[]; 64];
        let mut mask = 0;
        for (slot, filter) in filters {
            columns[slot % 64] = filter;
            mask |= 1 << (slot % 64);
        }
        let word_index = filters[0].0 % SLAB_SLOTS / 64;
        self.isa.put_columns(&columns, mask, &mut slab.rows, slab.stride, word_index);
        slab.add_word_to_upper(word_index);
        slab.count_stale(filters.len());
    }
}
