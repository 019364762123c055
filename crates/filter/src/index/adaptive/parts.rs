//! The filters of an adaptive index: a list, blocks of 64 columns and long rows, with one map of all ids.

use super::wide::Wide;
use crate::FilterShape;
use crate::index::IndexError;
use crate::index::blocks::{BLOCK_FILTERS, Block, Blocks};
use crate::index::id_map::IdMap;
use crate::index::list::FilterList;
use crate::index::slab::Columns;
use crate::index::visits::Count;

/// Blocks with so many filters are not left behind when others move: free columns would be free for ever.
const FULL_FILTERS: u32 = 48;

/// Where a filter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    List(usize),
    Blocks(usize),
    Wide(usize),
}

impl Place {
    #[inline]
    fn of(number: usize) -> Self {
        match (number & 3, number >> 2) {
            (0, slot) => Self::List(slot),
            (1, slot) => Self::Blocks(slot),
            (_, slot) => Self::Wide(slot),
        }
    }

    #[inline]
    fn number(self) -> usize {
        match self {
            Self::List(slot) => slot << 2,
            Self::Blocks(slot) => slot << 2 | 1,
            Self::Wide(slot) => slot << 2 | 2,
        }
    }
}

/// All filters, each in one of three places.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub list: FilterList,
    pub blocks: Blocks,
    pub wide: Wide,
    places: IdMap,
}

impl Parts {
    pub(super) fn new(shape: &FilterShape) -> Self {
        Self {
            list: FilterList::new(shape.word_count()),
            blocks: Blocks::new(shape.bits() as usize),
            wide: Wide::new(shape),
            places: IdMap::default(),
        }
    }

    #[inline]
    pub(super) fn place(&self, id: u64) -> Option<Place> {
        self.places.get(id).map(Place::of)
    }

    #[inline]
    pub(super) fn check_free(&self, id: u64) -> Result<(), IndexError> {
        self.places.check_free(id)
    }

    /// Forgets the id of a filter that is still where it was.
    #[inline]
    pub(super) fn forget(&mut self, id: u64) -> Result<Place, IndexError> {
        self.places.remove(id).map(Place::of)
    }

    /// Adds a filter to the list under an id that is nowhere else.
    #[inline]
    pub(super) fn append(&mut self, id: u64, words: &[u64]) {
        self.places.set(id, Place::List(self.list.len()).number());
        self.list.append(id, words);
    }

    /// Writes a filter into a block under an id that is nowhere else.
    pub(super) fn put(&mut self, id: u64, words: &[u64], count: &mut impl Count) {
        let slot = self.blocks.put(id, words, count);
        self.places.set(id, Place::Blocks(slot).number());
    }

    /// Puts another filter in the place of the one in a slot of the blocks.
    pub(super) fn renew(&mut self, slot: usize, id: u64, words: &[u64], count: &mut impl Count) {
        let renewed = self.blocks.renew(slot, id, words, count);
        if renewed != slot {
            self.places.set(id, Place::Blocks(renewed).number());
        }
    }

    /// Frees the place of a filter whose id is known elsewhere or forgotten.
    #[inline]
    pub(super) fn free(&mut self, place: Place, count: &mut impl Count) {
        match place {
            Place::List(slot) => {
                if let Some(moved) = self.list.remove(slot) {
                    count.add(1, self.list.at(slot).len());
                    self.places.set(moved, place.number());
                }
            }
            Place::Blocks(slot) => self.blocks.free(slot),
            Place::Wide(slot) => self.wide.free(slot),
        }
    }

    /// Moves the list to the blocks, and keeps room for some filters in it.
    pub(super) fn move_list(&mut self, room: usize) {
        let places = &mut self.places;
        self.blocks.put_all(self.list.filters(), |id, slot| places.set(id, Place::Blocks(slot).number()));
        self.list.clear(room);
    }

    /// Moves blocks to the long rows: those that are almost full, or all.
    pub(super) fn move_blocks(&mut self, all: bool) {
        let blocks = self.blocks.take_full(if all { 1 } else { FULL_FILTERS });
        let places = &mut self.places;
        let columns: Vec<Columns<'_>> = blocks.iter().map(Block::columns).collect();
        self.wide.take(&columns, |id, slot| places.set(id, Place::Wide(slot).number()));
    }

    /// What the list would be as blocks.
    pub(super) fn list_as_blocks(&self, shape: &FilterShape) -> Blocks {
        let mut blocks = Blocks::new(shape.bits() as usize);
        blocks.put_all(self.list.filters(), |_, _| {});
        blocks
    }

    /// What the list and the blocks would be as long rows, and with them those that there are, if these are to be merged.
    pub(super) fn as_wide(&self, shape: &FilterShape, merges: bool) -> Wide {
        let listed = self.list_as_blocks(shape);
        let others = self.blocks.columns().chain(listed.columns());
        if merges { self.wide.merged_with(others) } else { Wide::new(shape).merged_with(others) }
    }

    /// Puts blocks in the place of the list of which they were made, and of the blocks if these were pressed into them.
    pub(super) fn adopt_blocks(&mut self, blocks: Blocks, presses: bool, room: usize) {
        let places = &mut self.places;
        if presses {
            self.blocks.clear();
        }
        self.blocks.absorb(blocks, |id, slot| places.set(id, Place::Blocks(slot).number()));
        self.list.clear(room);
    }

    /// Presses the free columns out of the blocks.
    pub(super) fn press_blocks(&mut self, shape: &FilterShape) {
        let mut pressed = Blocks::new(shape.bits() as usize);
        pressed.put_pressed(&self.blocks);
        let places = &mut self.places;
        pressed.each_live(|id, slot| places.set(id, Place::Blocks(slot).number()));
        self.blocks = pressed;
    }

    /// Puts long rows in the place of what they were made of.
    pub(super) fn adopt_wide(&mut self, wide: Wide, merges: bool, room: usize) {
        let places = &mut self.places;
        if merges {
            self.wide = wide;
            self.wide.each_live(|id, slot| places.set(id, Place::Wide(slot).number()));
        } else {
            self.wide.absorb(wide, |id, slot| places.set(id, Place::Wide(slot).number()));
        }
        self.blocks.clear();
        self.list.clear(room);
    }

    /// Makes few slabs of many, and presses out what is dead where that is almost everything.
    pub(super) fn tidy(&mut self) {
        let places = &mut self.places;
        if self.wide.is_split() {
            self.wide = self.wide.merged_with(std::iter::empty());
            self.wide.each_live(|id, slot| places.set(id, Place::Wide(slot).number()));
        }
        if self.wide.is_worn() {
            self.wide.compact(|id, slot| places.set(id, Place::Wide(slot).number()));
        }
    }

    /// Moves all filters to the list.
    pub(super) fn gather(&mut self, shape: &FilterShape) {
        let blocks = std::mem::replace(&mut self.blocks, Blocks::new(shape.bits() as usize));
        let wide = std::mem::replace(&mut self.wide, Wide::new(shape));
        wide.each_filter(|id, words| self.append(id, words));
        blocks.each_live(|id, slot| self.append(id, &blocks.column(slot)));
    }

    /// Makes room for so many filters.
    pub(super) fn reserve(&mut self, sets: usize) {
        self.places.reserve(sets);
    }

    /// The words of a filter.
    pub(super) fn words(&self, id: u64) -> Option<Vec<u64>> {
        Some(match self.place(id)? {
            Place::List(slot) => self.list.at(slot).to_vec(),
            Place::Blocks(slot) => self.blocks.column(slot),
            Place::Wide(slot) => self.wide.column(slot),
        })
    }

    /// In no particular order.
    pub(super) fn ids(&self) -> Vec<u64> {
        self.places.ids().collect()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// What the list would take in blocks, at most, beside what there is.
    pub(super) fn block_bytes(&self, sets: usize, shape: &FilterShape) -> usize {
        sets.div_ceil(BLOCK_FILTERS) * (shape.bits() as usize * 8 + BLOCK_BYTES)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.list.memory_bytes()
            + self.blocks.memory_bytes()
            + self.wide.memory_bytes()
            + self.places.memory_bytes()
    }
}

/// Ids, masks and a pointer of a block, twice because there may be room for more.
const BLOCK_BYTES: usize = 2 * 600;
