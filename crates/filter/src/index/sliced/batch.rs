//! Many filters at a time, as squares of 64 × 64 bits.

use super::SlicedBloofi;
use crate::BloomFilter;
use crate::index::slab::{SLAB_SLOTS, Slab, ones_below};
use crate::index::visits::Count;
use crate::index::{IndexError, SCRUB_DEAD_MIN, check_shape};

/// From this many filters in one word of the rows on, a square is faster than columns.
const SQUARE_FILTERS_MIN: usize = 4;

impl SlicedBloofi {
    /// Adds filters under ids that are free: wherever the most of them go into one word of the rows.
    pub(in crate::index) fn place<'a>(
        &mut self,
        mut filters: impl ExactSizeIterator<Item = (u64, &'a [u64])>,
        count: &mut impl Count,
    ) {
        while filters.len() > 0 {
            let (slab_index, at) = self.roomiest(filters.len());
            let placed = self.fill_word(slab_index, at, &mut filters);
            count.add(placed, self.shape.bits() as usize);
        }
    }

    /// The word with the most free slots; a new one if that has too few.
    fn roomiest(&mut self, filter_count: usize) -> (usize, usize) {
        let words = self.slabs.iter().enumerate().filter_map(|(index, slab)| {
            let (at, free) = slab.roomiest()?;
            Some((free, index, at))
        });
        if let Some((free, index, at)) = words.max_by_key(|(free, ..)| *free)
            && free as usize >= filter_count.min(SCRUB_DEAD_MIN as usize)
        {
            return (index, at);
        }
        let longest = SLAB_SLOTS / 64;
        let index = self.slabs.iter().rposition(|slab| slab.stride < longest).unwrap_or_else(|| {
            self.slabs.push(Slab::new(self.shape.bits() as usize, self.shape.probes()));
            self.slabs.len() - 1
        });
        let slab = &mut self.slabs[index];
        let at = slab.stride;
        slab.grow_to((at * 64 + filter_count).min(longest * 64));
        (index, at)
    }

    /// Fills the free slots of one word of the rows, and tells how many filters that were.
    fn fill_word<'a>(
        &mut self,
        slab_index: usize,
        at: usize,
        filters: &mut impl Iterator<Item = (u64, &'a [u64])>,
    ) -> usize {
        let slab = &mut self.slabs[slab_index];
        let used = slab.ids.len();
        let mut columns = Vec::with_capacity(64);
        let (mut free, mut mask) = (!slab.live[at], 0u64);
        while free != 0
            && let Some((id, words)) = filters.next()
        {
            let column = free.trailing_zeros() as usize;
            free &= free - 1;
            columns.push((column, words));
            mask |= 1 << column;
            slab.occupy(at * 64 + column, id);
            self.slots.set(id, slab_index * SLAB_SLOTS + at * 64 + column);
        }
        if columns.len() < SQUARE_FILTERS_MIN {
            columns.iter().for_each(|(column, words)| slab.replace_column(self.isa, at * 64 + column, words));
            slab.look_at_growth(used);
            return columns.len();
        }
        self.isa.put_columns(&columns, &mut slab.rows, slab.stride, at);
        slab.add_word_to_upper(at);
        slab.count_stale((mask & ones_below(used.saturating_sub(at * 64))).count_ones() as usize);
        slab.look_at_growth(used);
        mask.count_ones() as usize
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
        let columns: Vec<(usize, &[u64])> =
            filters.iter().map(|(slot, filter)| (slot % 64, *filter)).collect();
        let word_index = filters[0].0 % SLAB_SLOTS / 64;
        self.isa.put_columns(&columns, &mut slab.rows, slab.stride, word_index);
        slab.add_word_to_upper(word_index);
        slab.count_stale(filters.len());
    }
}
