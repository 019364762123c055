//! Flat Bloofi: columns of 64 filters.
//!
//! A block holds 64 filters as m words: bit i of word p says whether filter i has bit p. A search ANDs the k words of
//! the key in every block and has tested 64 filters at once; but the words are far apart, so that it costs k cache lines
//! per block where [`SlicedBloofi`](super::SlicedBloofi) reads k contiguous rows.
//!
//! A delete clears one bit of the block's live mask and nothing else. The column of a dead slot is overwritten whole
//! when the slot is used again. A block whose last filter goes is dropped at once and its place stays empty until a new
//! block is needed: no live slot is ever renumbered, which is where the published Java code (and its port to C in the
//! thesis) fails.
//!
//! After Crainiceanu and Lemire, "Bloofi: Multidimensional Bloom filters" (2015), section 5.

use std::collections::BTreeSet;

use super::id_map::IdMap;
use super::{FilterIndex, IndexError, Positions, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The filters of a block: as many as a word has bits.
const BLOCK_FILTERS: usize = 64;

/// Filters in blocks of 64 columns, see the module.
#[derive(Debug, Clone)]
pub struct FlatBloofi {
    shape: FilterShape,
    /// Slot s is column s % 64 of block s / 64. `None` is the place of a dropped block.
    blocks: Vec<Option<Block>>,
    /// Blocks with a free column.
    open: BTreeSet<usize>,
    /// Places without a block.
    vacant: BTreeSet<usize>,
    slots: IdMap,
}

#[derive(Debug, Clone)]
struct Block {
    /// Bit i of word p: filter i has bit p. Columns that are not live hold anything.
    words: Box<[u64]>,
    live: u64,
    /// Columns that were never used: all zero.
    fresh: u64,
    ids: [u64; BLOCK_FILTERS],
}

impl FlatBloofi {
    /// An index without filters.
    pub fn new(shape: FilterShape) -> Self {
        Self {
            shape,
            blocks: Vec::new(),
            open: BTreeSet::new(),
            vacant: BTreeSet::new(),
            slots: IdMap::default(),
        }
    }

    /// The number of blocks that take memory: none is empty.
    pub fn block_count(&self) -> usize {
        self.blocks.iter().flatten().count()
    }

    fn block_mut(&mut self, slot: usize) -> &mut Block {
        self.blocks[slot / BLOCK_FILTERS].as_mut().expect("a slot in the map lies in a block")
    }

    /// The block that takes the next filter; a new one if all are full.
    fn open_block(&mut self) -> usize {
        if let Some(index) = self.open.first() {
            return *index;
        }
        let block = Block::new(self.shape.bits() as usize);
        let index = match self.vacant.pop_first() {
            Some(index) => {
                self.blocks[index] = Some(block);
                index
            }
            None => {
                self.blocks.push(Some(block));
                self.blocks.len() - 1
            }
        };
        self.open.insert(index);
        index
    }
}

impl Block {
    fn new(bits: usize) -> Self {
        Self { words: vec![0; bits].into_boxed_slice(), live: 0, fresh: u64::MAX, ids: [0; BLOCK_FILTERS] }
    }

    fn set_bits(&mut self, column: u32, filter: &[u64]) {
        for (rows, &word) in self.words.chunks_exact_mut(64).zip(filter) {
            let mut rest = word;
            while rest != 0 {
                rows[rest.trailing_zeros() as usize] |= 1 << column;
                rest &= rest - 1;
            }
        }
    }

    fn replace(&mut self, column: u32, filter: &[u64]) {
        let mask = 1 << column;
        for (rows, &word) in self.words.chunks_exact_mut(64).zip(filter) {
            for (bit, row) in rows.iter_mut().enumerate() {
                *row = *row & !mask | (word >> bit & 1) << column;
            }
        }
    }
}

impl FilterIndex for FlatBloofi {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.slots.check_free(id)?;
        let index = self.open_block();
        let block = self.blocks[index].as_mut().expect("an open place has a block");
        let column = (!block.live).trailing_zeros();
        let mask = 1 << column;
        if block.fresh & mask != 0 {
            block.set_bits(column, filter.words());
        } else {
            block.replace(column, filter.words());
        }
        block.fresh &= !mask;
        block.live |= mask;
        block.ids[column as usize] = id;
        if block.live == u64::MAX {
            self.open.remove(&index);
        }
        self.slots.set(id, index * BLOCK_FILTERS + column as usize);
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        let index = slot / BLOCK_FILTERS;
        let block = self.block_mut(slot);
        let was_full = block.live == u64::MAX;
        block.live &= !(1 << (slot % BLOCK_FILTERS));
        if block.live == 0 {
            self.blocks[index] = None;
            self.open.remove(&index);
            self.vacant.insert(index);
        } else if was_full {
            self.open.insert(index);
        }
        Ok(())
    }

    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        let slot = self.slots.slot(id)?;
        // Whether the filter only grew is known after reading its column, and then it is as well written.
        self.block_mut(slot).replace((slot % BLOCK_FILTERS) as u32, filter.words());
        Ok(())
    }

    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        for block in self.blocks.iter().flatten() {
            let mut found =
                positions.as_slice().iter().fold(block.live, |word, row| word & block.words[*row]);
            while found != 0 {
                ids.push(block.ids[found.trailing_zeros() as usize]);
                found &= found - 1;
            }
        }
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let slot = self.slots.get(id)?;
        let block = self.blocks[slot / BLOCK_FILTERS].as_ref()?;
        let column = slot % BLOCK_FILTERS;
        let gather = |rows: &[u64]| rows.iter().rev().fold(0, |word, row| word << 1 | row >> column & 1);
        let words = block.words.chunks_exact(64).map(gather).collect();
        Some(BloomFilter::from_words(self.shape, words).expect("a column has the bits of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.slots.get(id).is_some()
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn memory_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Option<Block>>()
            + self.block_count() * self.shape.bits() as usize * 8
            + (self.open.len() + self.vacant.len()) * 2 * size_of::<usize>()
            + self.slots.memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        // In the order of the slots, which keeps neighbours side by side when the index is built anew from them.
        let columns = |block: &Block| {
            let (live, ids) = (block.live, block.ids);
            (0..BLOCK_FILTERS).filter(move |column| live >> column & 1 == 1).map(move |column| ids[column])
        };
        self.blocks.iter().flatten().flat_map(columns).collect()
    }
}
