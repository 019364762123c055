//! Columns of 64 filters in blocks, without a map of their ids: what [`FlatBloofi`](super::FlatBloofi) is made of, and the
//! part of the adaptive index where filters are searched and still change.
//!
//! Slot s is column s % 64 of block s / 64. A slot keeps its filter until that is deleted, or renewed.

use super::kernel::{Hits, Isa};
use super::slab::Columns;
use super::visits::Count;
use super::{SCRUB_DEAD_MIN, SPARSE_SHARE, is_sparse};

/// The filters of a block: as many as a word has bits.
pub(super) const BLOCK_FILTERS: usize = 64;

/// A block with so many free columns takes a part of filters that would fill a new one: a square more costs less than the
/// looks at a block that is half empty.
const REFILLED_DEAD_MIN: u32 = 32;

/// So many hits of a block are taken one by one: where there are more, there will be many in other blocks.
const SINGLE_HITS: u32 = 4;

/// With fewer blocks left they are taken one by one nevertheless.
const MANY_BLOCKS: usize = 8;

const IN_USE: &str = "a slot that is in use lies in a block";

/// Filters in blocks of 64 columns, see the module.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    bits: usize,
    /// `None` is the place of a dropped block.
    blocks: Vec<Option<Block>>,
    /// Places without a block.
    vacant: Vec<usize>,
    /// Filters in all blocks.
    live_count: usize,
    /// The block whose clean columns are taken next.
    spare: Option<usize>,
    isa: Isa,
}

/// 64 columns.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Bit i of word p: filter i has bit p. Columns that are neither live nor clean hold anything.
    words: Box<[u64]>,
    live: u64,
    /// Columns that are zero and not live.
    clean: u64,
    ids: [u64; BLOCK_FILTERS],
}

impl Blocks {
    /// No filters of so many bits.
    pub(super) fn new(bits: usize) -> Self {
        Self { bits, blocks: Vec::new(), vacant: Vec::new(), live_count: 0, spare: None, isa: Isa::detect() }
    }

    /// Appends the ids of the filters that have all bits at these positions.
    #[inline(always)]
    pub(super) fn append_all(&self, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        for (index, block) in self.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            count.add(block.live.count_ones() as usize, positions.len());
            let mut found = positions.iter().fold(block.live, |word, row| word & block.words[*row]);
            let mut single = SINGLE_HITS;
            while found != 0 {
                if single == 0 && self.blocks.len() - index >= MANY_BLOCKS {
                    return self.append_many(index, found, positions, ids, count);
                }
                ids.push(block.ids[found.trailing_zeros() as usize]);
                found &= found - 1;
                single = single.saturating_sub(1);
            }
        }
    }

    /// Appends the other hits of a block and those of the blocks behind it, where they are many.
    #[inline(never)]
    fn append_many(
        &self,
        first: usize,
        found: u64,
        positions: &[usize],
        ids: &mut Vec<u64>,
        count: &mut impl Count,
    ) {
        let mut hits = Hits::new();
        let of_block =
            |block: &Block| positions.iter().fold(block.live, |word, row| word & block.words[*row]);
        for (index, block) in self.blocks.iter().enumerate().skip(first) {
            let Some(block) = block else { continue };
            let found = if index == first { found } else { of_block(block) };
            if index > first {
                count.add(block.live.count_ones() as usize, positions.len());
            }
            if found != 0 {
                hits.add(&block.ids, found, ids);
            }
        }
        hits.flush(ids);
    }

    /// Writes a filter into a clean column, and gives its slot.
    pub(super) fn put(&mut self, id: u64, words: &[u64], count: &mut impl Count) -> usize {
        let index = self.clean_block();
        let (isa, block) = (self.isa, self.block_mut(index * BLOCK_FILTERS));
        let column = block.clean.trailing_zeros() as usize;
        if is_sparse(words, SPARSE_SHARE) {
            block.set_bits(column, words);
            let ones = || words.iter().map(|word| word.count_ones() as usize).sum();
            count.add(1, if count.is_on() { ones() } else { 0 });
        } else {
            isa.replace_column(&mut block.words, 1, column, words);
            count.add(1, block.words.len());
        }
        block.clean &= !(1 << column);
        block.live |= 1 << column;
        block.ids[column] = id;
        self.live_count += 1;
        index * BLOCK_FILTERS + column
    }

    /// Puts another filter in the place of the one in a slot, and gives the slot where it is now.
    pub(super) fn renew(&mut self, slot: usize, id: u64, words: &[u64], count: &mut impl Count) -> usize {
        if is_sparse(words, SPARSE_SHARE) {
            // In this order, so that a block with one filter is not dropped in between.
            let renewed = self.put(id, words, count);
            self.free(slot);
            return renewed;
        }
        // Whether the filter only grew is known after reading its column, and then it is as well written.
        let isa = self.isa;
        isa.replace_column(&mut self.block_mut(slot).words, 1, slot % BLOCK_FILTERS, words);
        count.add(1, self.bits);
        slot
    }

    /// Writes filters as squares of 64 × 64 bits, wherever the most of them go into one block, and tells their slots.
    pub(super) fn put_all<'a>(
        &mut self,
        mut filters: impl ExactSizeIterator<Item = (u64, &'a [u64])>,
        mut tell: impl FnMut(u64, usize),
    ) {
        let mut columns = Vec::with_capacity(BLOCK_FILTERS);
        while filters.len() > 0 {
            let index = self.roomy_block(filters.len());
            let (isa, block) = (self.isa, self.block_mut(index * BLOCK_FILTERS));
            let mut free = !block.live;
            columns.clear();
            while free != 0
                && let Some((id, words)) = filters.next()
            {
                let column = free.trailing_zeros() as usize;
                free &= free - 1;
                block.ids[column] = id;
                columns.push((column, words));
                tell(id, index * BLOCK_FILTERS + column);
            }
            isa.put_columns(&columns, &mut block.words, 1, 0);
            let mask = columns.iter().fold(0, |mask, (column, _)| mask | 1u64 << column);
            block.live |= mask;
            block.clean &= !mask;
            self.live_count += columns.len();
            self.spare = Some(index);
        }
    }

    /// Copies the filters of another one, side by side.
    pub(super) fn put_pressed(&mut self, other: &Self) {
        let (mut columns, word_count) = (Vec::new(), self.bits / 64);
        let (mut ids, mut words) = (Vec::new(), Vec::new());
        for block in other.blocks.iter().flatten() {
            self.isa.get_columns(&block.words, 1, 0, &mut columns);
            block.each_live(|id, column| {
                ids.push(id);
                words.extend_from_slice(&columns[column * word_count..][..word_count]);
            });
            let whole = ids.len() / BLOCK_FILTERS * BLOCK_FILTERS;
            self.put_all(
                ids.drain(..whole).zip(words[..whole * word_count].chunks_exact(word_count)),
                |_, _| {},
            );
            words.drain(..whole * word_count);
        }
        self.put_all(ids.drain(..).zip(words.chunks_exact(word_count)), |_, _| {});
    }

    /// Takes over the blocks of another one, whose ids are nowhere here, and tells their slots.
    pub(super) fn absorb(&mut self, other: Self, mut tell: impl FnMut(u64, usize)) {
        self.live_count += other.live_count;
        for block in other.blocks.into_iter().flatten() {
            let index = self.place_block(block);
            self.block_mut(index * BLOCK_FILTERS)
                .each_live(|id, column| tell(id, index * BLOCK_FILTERS + column));
        }
    }

    /// Forgets what is in a slot.
    pub(super) fn free(&mut self, slot: usize) {
        let block = self.block_mut(slot);
        block.live &= !(1 << (slot % BLOCK_FILTERS));
        let is_empty = block.live == 0;
        self.live_count -= 1;
        if is_empty {
            self.blocks[slot / BLOCK_FILTERS] = None;
            self.vacant.push(slot / BLOCK_FILTERS);
        }
    }

    /// The words of a filter.
    pub(super) fn column(&self, slot: usize) -> Vec<u64> {
        let block = self.blocks[slot / BLOCK_FILTERS].as_ref().expect(IN_USE);
        let column = slot % BLOCK_FILTERS;
        let gather = |rows: &[u64]| rows.iter().rev().fold(0, |word, row| word << 1 | row >> column & 1);
        block.words.chunks_exact(64).map(gather).collect()
    }

    /// Takes out the blocks with at least so many filters; the slots of the others stay.
    pub(super) fn take_full(&mut self, filters_min: u32) -> Vec<Block> {
        let mut taken = Vec::new();
        for (index, place) in self.blocks.iter_mut().enumerate() {
            if let Some(block) = place.take_if(|block| block.live.count_ones() >= filters_min) {
                self.live_count -= block.live.count_ones() as usize;
                taken.push(block);
                self.vacant.push(index);
            }
        }
        if self.block_count() == 0 {
            self.clear();
        }
        taken
    }

    /// Forgets all filters.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.bits);
    }

    /// The filters of all blocks.
    pub(super) fn columns(&self) -> impl Iterator<Item = Columns<'_>> {
        self.blocks.iter().flatten().map(Block::columns)
    }

    /// How many filters there are.
    pub(super) fn live_count(&self) -> usize {
        self.live_count
    }

    /// How many blocks take memory.
    #[inline]
    pub(super) fn block_count(&self) -> usize {
        self.blocks.len() - self.vacant.len()
    }

    /// Calls `act` with ids and slots in the order of these, which keeps neighbours side by side in what is built of them.
    pub(super) fn each_live(&self, mut act: impl FnMut(u64, usize)) {
        for (index, block) in self.blocks.iter().enumerate() {
            if let Some(block) = block {
                block.each_live(|id, column| act(id, index * BLOCK_FILTERS + column));
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Option<Block>>()
            + self.block_count() * self.bits * 8
            + self.vacant.capacity() * size_of::<usize>()
    }

    fn block_mut(&mut self, slot: usize) -> &mut Block {
        self.blocks[slot / BLOCK_FILTERS].as_mut().expect(IN_USE)
    }

    /// A block with a clean column; a new one if none has one and scrubbing is not worth it.
    fn clean_block(&mut self) -> usize {
        let has_clean = |index: &usize| self.blocks[*index].as_ref().is_some_and(|block| block.clean != 0);
        if let Some(index) = self.spare.filter(has_clean) {
            return index;
        }
        let index = match self.emptiest() {
            Some((index, dead)) if dead >= SCRUB_DEAD_MIN => {
                self.block_mut(index * BLOCK_FILTERS).scrub();
                index
            }
            _ => self.add_block(),
        };
        self.spare = Some(index);
        index
    }

    /// A block where so many filters fit, or at least enough to be worth a square; a new one if there is none.
    fn roomy_block(&mut self, filter_count: usize) -> usize {
        let is_whole = filter_count >= BLOCK_FILTERS;
        let enough =
            if is_whole { REFILLED_DEAD_MIN } else { filter_count.min(SCRUB_DEAD_MIN as usize) as u32 };
        if let Some((index, dead)) = self.emptiest()
            && dead >= enough
        {
            return index;
        }
        self.add_block()
    }

    /// The block with the most columns that are not live, and how many these are.
    fn emptiest(&self) -> Option<(usize, u32)> {
        let dead = |block: &Option<Block>| Some(block.as_ref()?.live.count_zeros());
        let blocks = self.blocks.iter().enumerate().filter_map(|(index, block)| Some((index, dead(block)?)));
        blocks.max_by_key(|(_, dead)| *dead)
    }

    fn add_block(&mut self) -> usize {
        self.place_block(Block::new(self.bits))
    }

    fn place_block(&mut self, block: Block) -> usize {
        match self.vacant.pop() {
            Some(index) => {
                self.blocks[index] = Some(block);
                index
            }
            None => {
                self.blocks.push(Some(block));
                self.blocks.len() - 1
            }
        }
    }
}

impl Block {
    fn new(bits: usize) -> Self {
        Self { words: vec![0; bits].into_boxed_slice(), live: 0, clean: u64::MAX, ids: [0; BLOCK_FILTERS] }
    }

    /// The same for a slab.
    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { rows: &self.words, stride: 1, at: 0, live: self.live, ids: &self.ids }
    }

    /// Calls `act` with the ids and columns of all filters.
    pub(super) fn each_live(&self, mut act: impl FnMut(u64, usize)) {
        let mut live = self.live;
        while live != 0 {
            let column = live.trailing_zeros() as usize;
            act(self.ids[column], column);
            live &= live - 1;
        }
    }

    /// Makes every column zero that is not live.
    fn scrub(&mut self) {
        let live = self.live;
        self.words.iter_mut().for_each(|word| *word &= live);
        self.clean = !live;
    }

    fn set_bits(&mut self, column: usize, filter: &[u64]) {
        for (rows, &word) in self.words.chunks_exact_mut(64).zip(filter) {
            let mut rest = word;
            while rest != 0 {
                rows[rest.trailing_zeros() as usize] |= 1 << column;
                rest &= rest - 1;
            }
        }
    }
}
