//! Flat Bloofi: columns of 64 filters.
//!
//! A block holds 64 filters as m words: bit i of word p says whether filter i has bit p. A search ANDs the k words of
//! the key in every block and has tested 64 filters at once; but the words are far apart, so that it costs k cache lines
//! per block where [`SlicedBloofi`](super::SlicedBloofi) reads k contiguous rows.
//!
//! A delete clears one bit of the block's live mask and nothing else; the column of the dead filter stays as it is.
//! A new filter takes a clean column, where only its set bits have to be written. When there is none left, the block with
//! the most dead columns is scrubbed, all of them in one pass over its words; if no block has enough to be worth it, a
//! new one is begun. So at most a quarter of the columns is dead for long. An update of a very sparse filter is a delete
//! and an insert; that of any other overwrites its column, a few rows at a time with vectors.
//!
//! A block whose last filter goes is dropped at once and its place stays empty until a new block is needed: no live slot
//! is ever renumbered by a delete, which is where the published Java code (and its port to C) fails.
//!
//! After Crainiceanu and Lemire, "Bloofi: Multidimensional Bloom filters" (2015), section 5.

use super::blocks::{BLOCK_FILTERS, Blocks};
use super::id_map::IdMap;
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, Positions, check_batch, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Filters in blocks of 64 columns, see the module.
#[derive(Debug, Clone)]
pub struct FlatBloofi {
    shape: FilterShape,
    blocks: Blocks,
    slots: IdMap,
}

impl FlatBloofi {
    /// An index without filters.
    pub fn new(shape: FilterShape) -> Self {
        Self { shape, blocks: Blocks::new(shape.bits() as usize), slots: IdMap::default() }
    }

    /// The number of blocks that take memory: none is empty.
    pub fn block_count(&self) -> usize {
        self.blocks.block_count()
    }
}

impl Counting for FlatBloofi {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.slots.check_free(id)?;
        let slot = self.blocks.put(id, filter.words(), count);
        self.slots.set(id, slot);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        self.blocks.free(slot);
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
        let renewed = self.blocks.renew(slot, id, filter.words(), count);
        if renewed != slot {
            self.slots.set(id, renewed);
        }
        Ok(())
    }

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        self.blocks.append_all(Positions::of(keys, &self.shape).as_slice(), ids, count);
    }
}

impl FilterIndex for FlatBloofi {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

    /// They fill whole new blocks as squares of 64 × 64 bits, several times faster than one by one; the rest goes one by one.
    fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(&self.shape, |id| self.contains_id(id), filters)?;
        let (squares, rest) = filters.as_chunks::<BLOCK_FILTERS>();
        for square in squares {
            let filters = square.iter().map(|(id, filter)| (*id, filter.words()));
            self.blocks.put_all(filters, |id, slot| self.slots.set(id, slot));
        }
        rest.iter().try_for_each(|(id, filter)| self.insert(*id, filter))
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.blocks.column(self.slots.get(id)?);
        Some(BloomFilter::from_words(self.shape, words).expect("a column has the bits of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.slots.get(id).is_some()
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn memory_bytes(&self) -> usize {
        self.blocks.memory_bytes() + self.slots.memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        let mut ids = Vec::with_capacity(self.len());
        self.blocks.each_live(|id, _| ids.push(id));
        ids
    }
}
