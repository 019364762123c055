//! Sliced Bloofi: one row per bit position, one column per filter.
//!
//! A search ANDs the k rows of the key and has the answer for all filters as a bitmap. The rows are contiguous, so it
//! reads k·N/8 bytes in k runs where columns of 64 ([`FlatBloofi`](super::FlatBloofi)) touch k·N/64 cache lines. The
//! price is paid by writers: an insert or update of one filter touches every row that it has a bit in.
//!
//! Life of a column: a filter takes a clean slot of a [slab](super::slab), where only its set bits have to be written; a
//! delete clears a bit in the live mask and nothing else. When there is no clean slot left, the dead ones of the word
//! with most of them are scrubbed in one pass over the rows; if none has enough to be worth it, the rows grow. So at most
//! a quarter of the slots is dead for long, and an update of a sparse filter is a delete and an insert; that of a dense
//! one overwrites its column. When half of a slab is dead, the next insert compacts its rows; a slab whose last filter
//! goes gives its memory back at once. So deletes never wait for a compaction; who deletes much and inserts nothing calls
//! [`SlicedBloofi::compact`].
//!
//! Many filters at a time ([`FilterIndex::insert_all`], [`SlicedBloofi::update_all`]) go in as squares of 64 × 64 bits,
//! several times faster than one by one.
//!
//! Fewer probes are what speeds up a search most: a row less is a k-th of the work, see [`SlicedBloofi::shape_for`].
//!
//! After Bradley et al., "Ultrafast search of all deposited bacterial and viral genomic data" (BIGSI, 2019), and the
//! interleaved Bloom filter of SeqAn; the second level is that of Mehringer et al., "Hierarchical Interleaved Bloom
//! Filter" (2023). We differ: sets come, change and go, and the second level is an OR in the same shape, because filters
//! are given without their keys.

mod batch;
mod bitmap;
mod bytes;
mod threads;

pub use bitmap::SlotBitmap;
pub use bytes::{SLICED_MAGIC, SLICED_VERSION, SlicedView};

use super::id_map::IdMap;
use super::kernel::Isa;
use super::slab::{SLAB_SLOTS, Slab};
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, Positions, check_batch, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Dead slots are pressed out only if it saves a word of every row.
const COMPACT_DEAD_MIN: usize = 64;

/// Filters as bit slices, see the module.
#[derive(Debug, Clone)]
pub struct SlicedBloofi {
    shape: FilterShape,
    /// Slot s of the map is slot s % SLAB_SLOTS of slab s / SLAB_SLOTS.
    slabs: Vec<Slab>,
    slots: IdMap,
    /// The slab that gave the last clean slot.
    spare: usize,
    isa: Isa,
}

impl SlicedBloofi {
    /// An index without filters.
    pub fn new(shape: FilterShape) -> Self {
        let slots = IdMap::default();
        Self { shape, slabs: Vec::new(), slots, spare: 0, isa: Isa::detect() }
    }

    /// An index with room for some filters, which then need not be copied while it grows.
    pub fn with_capacity(shape: FilterShape, sets: usize) -> Self {
        let mut index = Self::new(shape);
        for first in (0..sets).step_by(SLAB_SLOTS) {
            let mut slab = Slab::new(shape.bits() as usize, shape.probes());
            slab.grow_to((sets - first).min(SLAB_SLOTS));
            index.slabs.push(slab);
        }
        index
    }

    /// The same without AVX2, to compare.
    pub fn without_simd(mut self) -> Self {
        self.isa = Isa::portable();
        self
    }

    /// The shape that makes searches cheap: k rows of `sets` bits are read, so fewer probes are better until the larger
    /// filters no longer fit the cache that they would fit, or cost more than 20 % of memory.
    ///
    /// The time of a search is taken as k · (latency + row / bandwidth) with those of L2, L3 or main memory, whichever
    /// holds the index. For 1 % this gives four probes and 10.5 bits a key instead of seven and 9.6.
    pub fn shape_for(expected_keys: u64, rate: f64, sets: usize) -> FilterShape {
        // Largest index, latency of a row in ns with k of them under way, bytes per ns.
        const LEVELS: [(f64, f64, f64); 3] =
            [(1e6, 1.5, 30.0), (16e6, 4.0, 20.0), (f64::INFINITY, 15.0, 10.0)];
        let smallest = FilterShape::for_rate(expected_keys, rate);
        let cost = |shape: &FilterShape| {
            let row_bytes = sets.div_ceil(512) as f64 * 64.0;
            let index_bytes = shape.bits() as f64 * row_bytes;
            let (_, latency, bandwidth) = LEVELS
                .into_iter()
                .find(|(bytes, ..)| index_bytes <= *bytes)
                .expect("the last level has no end");
            f64::from(shape.probes()) * (latency + row_bytes / bandwidth)
        };
        (1..smallest.probes())
            .map(|probes| FilterShape::for_rate_with_probes(expected_keys, rate, probes))
            .filter(|shape| shape.bits() as f64 <= smallest.bits() as f64 * 1.2)
            .fold(smallest, |best, shape| if cost(&shape) < cost(&best) { shape } else { best })
    }

    /// Presses out the slots of deleted filters, wherever that shortens the rows.
    pub fn compact(&mut self) {
        (0..self.slabs.len()).for_each(|slab_index| self.compact_slab(slab_index));
        while self.slabs.pop_if(|slab| slab.live_count == 0).is_some() {}
    }

    fn compact_slab(&mut self, slab_index: usize) {
        let slab = &mut self.slabs[slab_index];
        if slab.dead_count() >= COMPACT_DEAD_MIN {
            slab.compact();
            for (slot, id) in slab.ids.iter().enumerate() {
                self.slots.set(*id, slab_index * SLAB_SLOTS + slot);
            }
        }
    }

    /// A slab and its slot that is zero in every row.
    fn clean_place(&mut self) -> (usize, usize) {
        let last = self.slabs.len();
        for index in std::iter::once(self.spare).filter(|spare| *spare < last).chain((0..last).rev()) {
            if self.slabs[index].is_worn() {
                self.compact_slab(index);
            }
            if let Some(slot) = self.slabs[index].clean_slot() {
                self.spare = index;
                return (index, slot);
            }
        }
        self.spare = self.slabs.iter().rposition(|slab| !slab.is_full_length()).unwrap_or_else(|| {
            self.slabs.push(Slab::new(self.shape.bits() as usize, self.shape.probes()));
            last
        });
        let slab = &mut self.slabs[self.spare];
        let fresh = slab.ids.len();
        slab.grow_to(fresh + 1);
        (self.spare, fresh)
    }

    /// Writes a filter into a clean slot.
    fn put(
        &mut self,
        (slab_index, slot): (usize, usize),
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) {
        let slab = &mut self.slabs[slab_index];
        let used = slab.ids.len();
        if slab.stride > 1 || slab.is_sparse(filter) {
            slab.or_column(slot, filter.words());
            count.add(1, if count.is_on() { filter.count_ones() as usize } else { 0 });
        } else {
            slab.replace_column(self.isa, slot, filter.words());
            count.add(1, slab.bits);
        }
        slab.occupy(slot, id);
        slab.look_at_growth(used);
        self.slots.set(id, slab_index * SLAB_SLOTS + slot);
    }

    /// Like `search_all`, keeping what is in `ids`.
    #[inline]
    pub(super) fn append_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        self.append_at(Positions::of(keys, &self.shape).as_slice(), ids, &mut ());
    }

    /// Appends the ids of the filters that have all bits at these positions.
    #[inline]
    pub(super) fn append_at(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        for slab in &self.slabs {
            if slab.stride == 1 {
                slab.collect_word(positions, ids);
            } else {
                self.isa.collect(slab.rows(), positions, 0..slab.stride, ids);
            }
            if count.is_on() {
                let (filters, words) = slab.rows().looked_at(positions);
                count.add(filters, words);
            }
        }
    }

    /// The first words of a filter.
    pub(super) fn prefix(&self, id: u64, word_count: usize) -> Option<Vec<u64>> {
        let slot = self.slots.get(id)?;
        Some(self.slabs[slot / SLAB_SLOTS].column(slot % SLAB_SLOTS, word_count))
    }

    fn slabs(&self) -> &[Slab] {
        &self.slabs
    }

    /// From slabs whose ids are all different; `None` if they are not.
    fn from_slabs(shape: FilterShape, slabs: Vec<Slab>) -> Option<Self> {
        let mut index = Self { slabs, ..Self::new(shape) };
        for (slab_index, slab) in index.slabs.iter().enumerate() {
            for (slot, id) in slab.ids.iter().enumerate() {
                if slab.live[slot / 64] >> (slot % 64) & 1 == 1 {
                    index.slots.check_free(*id).ok()?;
                    index.slots.set(*id, slab_index * SLAB_SLOTS + slot);
                }
            }
        }
        Some(index)
    }
}

impl Counting for SlicedBloofi {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.slots.check_free(id)?;
        let place = self.clean_place();
        self.put(place, id, filter, count);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        self.slabs[slot / SLAB_SLOTS].free(slot % SLAB_SLOTS);
        count.add(1, 1);
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
        let (slab, isa) = (&mut self.slabs[slot / SLAB_SLOTS], self.isa);
        if !slab.is_sparse(filter) || slab.is_sorted_by_likeness(filter) {
            slab.replace_column(isa, slot % SLAB_SLOTS, filter.words());
            count.add(1, self.shape.bits() as usize);
            return Ok(());
        }
        // The place first, because finding one may compact the rows; the old slot last, so that a slab with one filter
        // keeps its memory.
        let place = self.clean_place();
        let old = self.slots.slot(id)?;
        self.put(place, id, filter, count);
        let slab = &mut self.slabs[old / SLAB_SLOTS];
        slab.free(old % SLAB_SLOTS);
        slab.count_stale(1);
        Ok(())
    }

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        self.append_at(Positions::of(keys, &self.shape).as_slice(), ids, count);
    }
}

impl FilterIndex for SlicedBloofi {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

    fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(&self.shape, |id| self.contains_id(id), filters)?;
        self.place(filters.iter().map(|(id, filter)| (*id, filter.words())), &mut ());
        Ok(())
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.prefix(id, self.shape.word_count())?;
        Some(BloomFilter::from_words(self.shape, words).expect("a column has the bits of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.slots.get(id).is_some()
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn memory_bytes(&self) -> usize {
        self.slabs.capacity() * size_of::<Slab>()
            + self.slabs.iter().map(Slab::memory_bytes).sum::<usize>()
            + self.slots.memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        // No keys are in every live filter: the ids in the order of the slots.
        let mut ids = Vec::with_capacity(self.len());
        self.append_all(&[], &mut ids);
        ids
    }
}
