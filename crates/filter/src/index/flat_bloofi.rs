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

use super::id_map::IdMap;
use super::kernel::Isa;
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{
    FilterIndex, IndexError, Positions, SCRUB_DEAD_MIN, SPARSE_SHARE, check_batch, check_shape, is_sparse,
};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The filters of a block: as many as a word has bits.
const BLOCK_FILTERS: usize = 64;

/// Filters in blocks of 64 columns, see the module.
#[derive(Debug, Clone)]
pub struct FlatBloofi {
    shape: FilterShape,
    /// Slot s is column s % 64 of block s / 64. `None` is the place of a dropped block.
    blocks: Vec<Option<Block>>,
    /// Places without a block.
    vacant: Vec<usize>,
    /// The block whose clean columns are taken next.
    spare: Option<usize>,
    slots: IdMap,
    isa: Isa,
}

#[derive(Debug, Clone)]
struct Block {
    /// Bit i of word p: filter i has bit p. Columns that are neither live nor clean hold anything.
    words: Box<[u64]>,
    live: u64,
    /// Columns that are zero and not live.
    clean: u64,
    ids: [u64; BLOCK_FILTERS],
}

impl FlatBloofi {
    /// An index without filters.
    pub fn new(shape: FilterShape) -> Self {
        Self {
            shape,
            blocks: Vec::new(),
            vacant: Vec::new(),
            spare: None,
            slots: IdMap::default(),
            isa: Isa::detect(),
        }
    }

    /// The number of blocks that take memory: none is empty.
    pub fn block_count(&self) -> usize {
        self.blocks.iter().flatten().count()
    }

    /// Adds many filters: all, or none if one cannot be. They fill whole new blocks as squares of 64 × 64 bits, several
    /// times faster than one by one; the rest goes one by one.
    pub fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(&self.shape, |id| self.contains_id(id), filters)?;
        let (squares, rest) = filters.as_chunks::<BLOCK_FILTERS>();
        squares.iter().for_each(|square| {
            self.insert_square(square.iter().map(|(id, filter)| (*id, filter.words())));
        });
        rest.iter().try_for_each(|(id, filter)| self.insert(*id, filter))
    }

    /// Fills a new block with up to 64 filters.
    pub(super) fn insert_square<'a>(&mut self, filters: impl Iterator<Item = (u64, &'a [u64])>) {
        let index = self.add_block();
        let mut columns = Vec::with_capacity(BLOCK_FILTERS);
        let mut ids = [0; BLOCK_FILTERS];
        let mut live = 0;
        for (column, (id, words)) in filters.enumerate().take(BLOCK_FILTERS) {
            ids[column] = id;
            columns.push((column, words));
            live |= 1 << column;
            self.slots.set(id, index * BLOCK_FILTERS + column);
        }
        let (isa, block) = (self.isa, self.block_mut(index * BLOCK_FILTERS));
        isa.put_columns(&columns, &mut block.words, 1, 0);
        (block.live, block.clean, block.ids) = (live, !live, ids);
        if live != u64::MAX {
            self.spare = Some(index);
        }
    }

    /// The first words of a filter.
    pub(super) fn prefix(&self, id: u64, word_count: usize) -> Option<Vec<u64>> {
        let slot = self.slots.get(id)?;
        let block = self.blocks[slot / BLOCK_FILTERS].as_ref()?;
        let column = slot % BLOCK_FILTERS;
        let gather = |rows: &[u64]| rows.iter().rev().fold(0, |word, row| word << 1 | row >> column & 1);
        Some(block.words.chunks_exact(64).take(word_count).map(gather).collect())
    }

    fn block_mut(&mut self, slot: usize) -> &mut Block {
        self.blocks[slot / BLOCK_FILTERS].as_mut().expect("a slot in the map lies in a block")
    }

    /// A block with a clean column; a new one if none has one and scrubbing is not worth it.
    fn clean_block(&mut self) -> usize {
        let has_clean = |index: &usize| self.blocks[*index].as_ref().is_some_and(|block| block.clean != 0);
        if let Some(index) = self.spare.filter(has_clean) {
            return index;
        }
        let dead = |block: &Option<Block>| block.as_ref().map_or(0, |block| block.live.count_zeros());
        let index = match self.blocks.iter().enumerate().max_by_key(|(_, block)| dead(block)) {
            Some((index, Some(block))) if block.live.count_zeros() >= SCRUB_DEAD_MIN => {
                self.block_mut(index * BLOCK_FILTERS).scrub();
                index
            }
            _ => self.add_block(),
        };
        self.spare = Some(index);
        index
    }

    fn add_block(&mut self) -> usize {
        let block = Some(Block::new(self.shape.bits() as usize));
        match self.vacant.pop() {
            Some(index) => {
                self.blocks[index] = block;
                index
            }
            None => {
                self.blocks.push(block);
                self.blocks.len() - 1
            }
        }
    }

    /// Writes a filter into a clean column.
    fn put(&mut self, id: u64, filter: &BloomFilter, count: &mut impl Count) {
        let index = self.clean_block();
        let (isa, block) = (self.isa, self.block_mut(index * BLOCK_FILTERS));
        let column = block.clean.trailing_zeros();
        if is_sparse(filter, SPARSE_SHARE) {
            block.set_bits(column, filter.words());
            count.add(1, if count.is_on() { filter.count_ones() as usize } else { 0 });
        } else {
            isa.replace_column(&mut block.words, 1, column as usize, filter.words());
            count.add(1, block.words.len());
        }
        block.clean &= !(1 << column);
        block.live |= 1 << column;
        block.ids[column as usize] = id;
        self.slots.set(id, index * BLOCK_FILTERS + column as usize);
    }

    /// Forgets what is in a slot.
    fn free(&mut self, slot: usize) {
        let block = self.block_mut(slot);
        block.live &= !(1 << (slot % BLOCK_FILTERS));
        if block.live == 0 {
            self.blocks[slot / BLOCK_FILTERS] = None;
            self.vacant.push(slot / BLOCK_FILTERS);
        }
    }
}

impl Block {
    fn new(bits: usize) -> Self {
        Self { words: vec![0; bits].into_boxed_slice(), live: 0, clean: u64::MAX, ids: [0; BLOCK_FILTERS] }
    }

    /// Makes every column zero that is not live.
    fn scrub(&mut self) {
        let live = self.live;
        self.words.iter_mut().for_each(|word| *word &= live);
        self.clean = !live;
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
        self.put(id, filter, count);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        let slot = self.slots.remove(id)?;
        self.free(slot);
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
        if is_sparse(filter, SPARSE_SHARE) {
            // In this order, so that a block with one filter is not dropped in between.
            self.put(id, filter, count);
            self.free(slot);
        } else {
            // Whether the filter only grew is known after reading its column, and then it is as well written.
            let isa = self.isa;
            isa.replace_column(&mut self.block_mut(slot).words, 1, slot % BLOCK_FILTERS, filter.words());
            count.add(1, self.shape.bits() as usize);
        }
        Ok(())
    }

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        for block in self.blocks.iter().flatten() {
            count.add(block.live.count_ones() as usize, positions.as_slice().len());
            let mut found =
                positions.as_slice().iter().fold(block.live, |word, row| word & block.words[*row]);
            while found != 0 {
                ids.push(block.ids[found.trailing_zeros() as usize]);
                found &= found - 1;
            }
        }
    }
}

impl FilterIndex for FlatBloofi {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

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
        self.blocks.capacity() * size_of::<Option<Block>>()
            + self.block_count() * self.shape.bits() as usize * 8
            + self.vacant.capacity() * size_of::<usize>()
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
