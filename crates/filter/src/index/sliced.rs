//! Sliced Bloofi: one row per bit position, one column per filter.
//!
//! A search ANDs the k rows of the key and has the answer for all filters as a bitmap. The rows are contiguous, so it
//! reads k·N/8 bytes in k runs where columns of 64 ([`FlatBloofi`](super::FlatBloofi)) touch k·N/64 cache lines. The
//! price is paid by writers: an insert or update of one filter touches every row that it has a bit in.
//!
//! Life of a column: a filter takes the next fresh slot of a [slab](super::slab); an update changes the bits that differ;
//! a delete clears a bit in the live mask and nothing else. The next insert takes a fresh slot while the rows have room
//! for one, then a dead one, and when a quarter of a slab is dead, its rows are compacted first. A slab whose last filter
//! goes gives its memory back at once. So deletes never wait for a compaction; who deletes much and inserts nothing calls
//! [`SlicedBloofi::compact`].
//!
//! Many filters at a time ([`SlicedBloofi::insert_all`], [`SlicedBloofi::update_all`]) go in as squares of 64 × 64 bits,
//! several times faster than one by one.
//!
//! Fewer probes are what speeds up a search most: a row less is a k-th of the work, see [`SlicedBloofi::shape_for`].
//!
//! After Bradley et al., "Ultrafast search of all deposited bacterial and viral genomic data" (BIGSI, 2019), and the
//! interleaved Bloom filter of SeqAn; the second level is that of Mehringer et al., "Hierarchical Interleaved Bloom
//! Filter" (2023). We differ: sets come, change and go, and the second level is an OR in the same shape, because filters
//! are given without their keys.

use super::id_map::IdMap;
use super::kernel::{BLOCK_WORDS, Isa, Rows, Word, push_ids};
use super::slab::{SLAB_SLOTS, Slab};
use super::{FilterIndex, IndexError, Positions, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Dead slots are pressed out only if it saves a word of every row.
const COMPACT_DEAD_MIN: usize = 64;

/// From this many filters in one word of the rows on, a square is faster than columns.
const SQUARE_FILTERS_MIN: usize = 4;

/// The least work that is worth a thread, in words of a row.
const THREAD_WORDS_MIN: usize = 64;

/// Filters as bit slices, see the module.
#[derive(Debug, Clone)]
pub struct SlicedBloofi {
    shape: FilterShape,
    /// Slot s of the map is slot s % SLAB_SLOTS of slab s / SLAB_SLOTS.
    slabs: Vec<Slab>,
    slots: IdMap,
    isa: Isa,
}

/// The slots that a search found, one bit each: cheap to intersect before ids are looked up. It fits the index that
/// made it until that is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotBitmap {
    words: Vec<u64>,
}

impl SlotBitmap {
    /// A bitmap to be filled by a search.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many filters were found.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether none was found.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Keeps what both found, in the same unchanged index.
    pub fn intersect_with(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Adds what the other found, in the same unchanged index.
    pub fn union_with(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Its bits.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl SlicedBloofi {
    /// An index without filters.
    pub fn new(shape: FilterShape) -> Self {
        Self { shape, slabs: Vec::new(), slots: IdMap::default(), isa: Isa::detect() }
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

    /// Replaces the bitmap by the filters that contain the key.
    pub fn search_bitmap(&self, key: &KeyHash, found: &mut SlotBitmap) {
        self.search_all_bitmap(std::slice::from_ref(key), found);
    }

    /// Replaces the bitmap by the filters that contain every key.
    pub fn search_all_bitmap(&self, keys: &[KeyHash], found: &mut SlotBitmap) {
        let positions = Positions::of(keys, &self.shape);
        found.words.resize(self.slabs.iter().map(|slab| slab.stride).sum(), 0);
        let mut rest = &mut found.words[..];
        for slab in &self.slabs {
            let (words, behind) = rest.split_at_mut(slab.stride);
            self.isa.and_rows(slab.rows(), positions.as_slice(), words);
            rest = behind;
        }
    }

    /// Replaces `ids` by those of a bitmap that a search of this index made.
    ///
    /// # Panics
    /// May panic if the index was changed since.
    pub fn ids_of(&self, found: &SlotBitmap, ids: &mut Vec<u64>) {
        ids.clear();
        let mut rest = &found.words[..];
        for slab in &self.slabs {
            let (words, behind) = rest.split_at(slab.stride);
            for (index, block) in words.chunks(BLOCK_WORDS).enumerate() {
                push_ids(&slab.ids, index * BLOCK_WORDS, block, ids);
            }
            rest = behind;
        }
    }

    /// Like `search_all`, with the rows cut into pieces for up to `threads` threads. It pays for indexes that read a
    /// megabyte per search: a thread costs some ten microseconds to start.
    pub fn search_all_threads(&self, keys: &[KeyHash], threads: usize, ids: &mut Vec<u64>) {
        let positions = Positions::of(keys, &self.shape);
        let slabs: Vec<_> = self.slabs.iter().map(Slab::rows).collect();
        search_pieces(self.isa, &slabs, positions.as_slice(), threads, ids);
    }

    /// Adds many filters: all, or none if one cannot be.
    pub fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        let mut ids: Vec<u64> = filters.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(IndexError::IdTaken { id: twice[0] });
        }
        for (id, filter) in filters {
            check_shape(&self.shape, filter)?;
            self.slots.check_free(*id)?;
        }
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
            self.insert_square(slab_index, now);
            rest = later;
        }
        Ok(())
    }

    /// Fills fresh slots of one word of the rows.
    fn insert_square(&mut self, slab_index: usize, filters: &[(u64, &BloomFilter)]) {
        let slab = &mut self.slabs[slab_index];
        let first = slab.ids.len();
        let mut columns: [&[u64]; 64] = [&[]; 64];
        let mut mask = 0;
        for (slot, (id, filter)) in (first..).zip(filters) {
            columns[slot % 64] = filter.words();
            mask |= 1 << (slot % 64);
            slab.occupy(slot, *id);
            self.slots.set(*id, slab_index * SLAB_SLOTS + slot);
        }
        self.isa.put_columns(&columns, mask, &mut slab.rows, slab.stride, first / 64);
        for (slot, (_, filter)) in (first..).zip(filters) {
            slab.add_to_upper(slot, filter.words());
        }
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
            filters.iter().for_each(|(slot, filter)| slab.replace_column(slot % SLAB_SLOTS, filter));
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
        filters.iter().for_each(|(slot, filter)| slab.add_to_upper(slot % SLAB_SLOTS, filter));
        slab.count_stale(filters.len());
    }

    /// Presses out the slots of deleted filters, wherever that shortens the rows.
    pub fn compact(&mut self) {
        (0..self.slabs.len()).for_each(|slab_index| self.compact_slab(slab_index));
        while self.slabs.pop_if(|slab| slab.live_count == 0).is_some() {}
    }

    /// The same for slabs of which a quarter is dead.
    pub(super) fn compact_worn(&mut self) {
        for slab_index in 0..self.slabs.len() {
            if self.slabs[slab_index].is_worn() {
                self.compact_slab(slab_index);
            }
        }
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

    /// The first slab that can take a filter, compacted if a quarter of it is dead.
    fn slab_with_room(&mut self) -> usize {
        let index = match self.slabs.iter().position(Slab::has_room) {
            Some(index) => index,
            None => {
                self.slabs.push(Slab::new(self.shape.bits() as usize, self.shape.probes()));
                self.slabs.len() - 1
            }
        };
        if self.slabs[index].is_worn() {
            self.compact_slab(index);
        }
        index
    }

    /// Like `search_all`, keeping what is in `ids`.
    #[inline]
    pub(super) fn append_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        let positions = Positions::of(keys, &self.shape);
        for slab in &self.slabs {
            self.isa.collect(slab.rows(), positions.as_slice(), 0..slab.stride, ids);
        }
    }

    pub(super) fn slabs(&self) -> &[Slab] {
        &self.slabs
    }

    /// From slabs whose ids are all different; `None` if they are not.
    pub(super) fn from_slabs(shape: FilterShape, slabs: Vec<Slab>) -> Option<Self> {
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

impl FilterIndex for SlicedBloofi {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.slots.check_free(id)?;
        let slab_index = self.slab_with_room();
        let slab = &mut self.slabs[slab_index];
        let slot = match (slab.fresh_slot(), slab.dead_slot()) {
            (None, Some(dead)) => {
                slab.replace_column(dead, filter.words());
                dead
            }
            (fresh, _) => {
                let fresh = fresh.unwrap_or(slab.ids.len());
                slab.grow_to(fresh + 1);
                slab.or_column(fresh, filter.words());
                fresh
            }
        };
        slab.occupy(slot, id);
        self.slots.set(id, slab_index * SLAB_SLOTS + slot);
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        self.slabs[slot / SLAB_SLOTS].free(slot % SLAB_SLOTS);
        Ok(())
    }

    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        let slot = self.slots.slot(id)?;
        self.slabs[slot / SLAB_SLOTS].replace_column(slot % SLAB_SLOTS, filter.words());
        Ok(())
    }

    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        ids.clear();
        self.append_all(keys, ids);
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let slot = self.slots.get(id)?;
        let words = self.slabs[slot / SLAB_SLOTS].column(slot % SLAB_SLOTS);
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

/// Searches pieces of the rows on up to `threads` threads, this one among them.
pub(super) fn search_pieces<W: Word>(
    isa: Isa,
    slabs: &[Rows<'_, W>],
    positions: &[usize],
    threads: usize,
    ids: &mut Vec<u64>,
) {
    ids.clear();
    let pieces: Vec<_> = slabs
        .iter()
        .flat_map(|rows| {
            (0..rows.stride)
                .step_by(THREAD_WORDS_MIN)
                .map(move |start| (*rows, start..(start + THREAD_WORDS_MIN).min(rows.stride)))
        })
        .collect();
    let mut shares = pieces.chunks(pieces.len().div_ceil(threads.max(1)).max(1));
    let Some(mine) = shares.next() else { return };
    let search = |share: &[(Rows<'_, W>, std::ops::Range<usize>)], ids: &mut Vec<u64>| {
        share.iter().for_each(|(rows, range)| isa.collect(*rows, positions, range.clone(), ids));
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = shares
            .map(|share| {
                scope.spawn(move || {
                    let mut ids = Vec::new();
                    search(share, &mut ids);
                    ids
                })
            })
            .collect();
        search(mine, ids);
        for other in others {
            ids.extend(other.join().expect("a search does not panic"));
        }
    });
}
