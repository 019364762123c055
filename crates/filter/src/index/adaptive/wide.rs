//! Long rows for filters that stay: words of blocks laid side by side.
//!
//! A block of 64 filters holds one word of every row, a [slab](crate::index::slab) up to 256 of them. A search of a slab
//! reads k runs where one of blocks reads k words of each. To lay eight blocks costs one cache line for each row and no look
//! at single bits. Blocks that come later become a slab of their own, because a row that grew would have to be copied; when
//! there are many slabs, or searches have paid for it, one is made of all.

use crate::FilterShape;
use crate::index::kernel::Isa;
use crate::index::slab::{Columns, SLAB_SLOTS, Slab};
use crate::index::visits::Count;

/// Words of a cache line.
const LINE_WORDS: usize = 8;

/// The memory of dead slots is given back when there are so many for each live one, and it is worth the time.
const DEAD_PER_LIVE: usize = 15;
const DEAD_BYTES_MIN: usize = 1 << 22;

/// So many slabs become one.
const SLABS_MAX: usize = 64;

const SLAB_WORDS: usize = SLAB_SLOTS / 64;

/// Filters in long rows. Slot s is slot s % SLAB_SLOTS of slab s / SLAB_SLOTS.
#[derive(Debug, Clone)]
pub(super) struct Wide {
    bits: usize,
    probes: u32,
    slabs: Vec<Slab>,
    isa: Isa,
}

impl Wide {
    pub(super) fn new(shape: &FilterShape) -> Self {
        Self { bits: shape.bits() as usize, probes: shape.probes(), slabs: Vec::new(), isa: Isa::detect() }
    }

    /// Appends the ids of the filters that have all bits at these positions.
    #[inline]
    pub(super) fn append_all(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        if !self.slabs.is_empty() {
            self.append_of_slabs(positions, ids, count);
        }
    }

    fn append_of_slabs(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        for slab in &self.slabs {
            let words = slab.used_words().next_multiple_of(LINE_WORDS).min(slab.stride);
            self.isa.collect(slab.rows(), positions, 0..words, ids);
            if count.is_on() {
                let (filters, words) = slab.rows().looked_at(positions);
                count.add(filters, words);
            }
        }
    }

    /// Takes over the filters of blocks, and tells their slots.
    pub(super) fn take(&mut self, columns: &[Columns<'_>], mut tell: impl FnMut(u64, usize)) {
        for columns in columns.chunks(SLAB_WORDS) {
            let slab = Slab::of_columns(self.bits, self.probes, columns);
            slab.each_live(|id, slot| tell(id, self.slabs.len() * SLAB_SLOTS + slot));
            self.slabs.push(slab);
        }
    }

    /// Takes over all slabs of another one, whose ids are nowhere here, and tells their slots.
    pub(super) fn absorb(&mut self, other: Self, mut tell: impl FnMut(u64, usize)) {
        for slab in other.slabs {
            slab.each_live(|id, slot| tell(id, self.slabs.len() * SLAB_SLOTS + slot));
            self.slabs.push(slab);
        }
    }

    /// These filters and others in as few slabs as can be.
    pub(super) fn merged_with<'a>(&'a self, others: impl Iterator<Item = Columns<'a>>) -> Self {
        let columns: Vec<Columns<'_>> = self.slabs.iter().flat_map(Slab::columns).chain(others).collect();
        let mut merged = Self { slabs: Vec::new(), ..*self };
        merged.take(&columns, |_, _| {});
        let slabs = merged.slabs.iter_mut().filter(|slab| slab.dead_count() >= 64 && slab.is_worn());
        slabs.for_each(Slab::compact);
        merged
    }

    /// Words that could be saved if dead filters were pressed out, where half of them are dead.
    pub(super) fn dead_words(&self) -> usize {
        let worn = self.slabs.iter().filter(|slab| slab.is_worn());
        worn.map(|slab| slab.dead_count() / 64).sum()
    }

    /// Whether there are more slabs than need be.
    pub(super) fn is_split(&self) -> bool {
        self.slabs.len() > SLABS_MAX
    }

    /// Calls `act` with the ids and slots of all filters.
    pub(super) fn each_live(&self, mut act: impl FnMut(u64, usize)) {
        for (index, slab) in self.slabs.iter().enumerate() {
            slab.each_live(|id, slot| act(id, index * SLAB_SLOTS + slot));
        }
    }

    /// Forgets what is in a slot.
    pub(super) fn free(&mut self, slot: usize) {
        self.slabs[slot / SLAB_SLOTS].free(slot % SLAB_SLOTS);
    }

    /// Whether so few filters are left in a slab that its memory is worth a pass over it. The time of searches is not.
    pub(super) fn is_worn(&self) -> bool {
        self.slabs.iter().any(is_worn)
    }

    /// Presses out what is dead where that is almost everything, and tells the slots of what stays.
    pub(super) fn compact(&mut self, mut tell: impl FnMut(u64, usize)) {
        for (index, slab) in self.slabs.iter_mut().enumerate().filter(|(_, slab)| is_worn(slab)) {
            slab.compact();
            slab.each_live(|id, slot| tell(id, index * SLAB_SLOTS + slot));
        }
        while self.slabs.pop_if(|slab| slab.live_count == 0).is_some() {}
    }

    /// Calls `act` with every filter.
    pub(super) fn each_filter(&self, mut act: impl FnMut(u64, &[u64])) {
        let mut columns = Vec::new();
        for slab in &self.slabs {
            for (at, ids) in slab.ids.chunks(64).enumerate() {
                self.isa.get_columns(&slab.rows, slab.stride, at, &mut columns);
                let filters = columns.chunks_exact(self.bits / 64).zip(ids).enumerate();
                for (_, (words, id)) in filters.filter(|(column, _)| slab.live[at] >> column & 1 == 1) {
                    act(*id, words);
                }
            }
        }
    }

    /// The words of a filter.
    pub(super) fn column(&self, slot: usize) -> Vec<u64> {
        self.slabs[slot / SLAB_SLOTS].column(slot % SLAB_SLOTS, self.bits / 64)
    }

    pub(super) fn slab_count(&self) -> usize {
        self.slabs.len()
    }

    /// Words of all rows that were ever used.
    pub(super) fn word_count(&self) -> usize {
        self.slabs.iter().map(Slab::used_words).sum()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.slabs.capacity() * size_of::<Slab>() + self.slabs.iter().map(Slab::memory_bytes).sum::<usize>()
    }
}

fn is_worn(slab: &Slab) -> bool {
    slab.live_count * DEAD_PER_LIVE < slab.dead_count() && slab.dead_count() / 8 * slab.bits > DEAD_BYTES_MIN
}
