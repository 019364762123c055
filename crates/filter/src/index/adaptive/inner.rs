//! One of the four structures, without a call through a table where it matters.

use super::Structure;
use crate::index::visits::{Count, Counting};
use crate::index::{BloofiTree, FilterIndex, FlatBloofi, IndexError, NaiveIndex, SlicedBloofi};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The order of a tree that is chosen: wider ones are lower, narrower ones have emptier nodes.
const TREE_ORDER: usize = 8;

/// Filters that are held beside both structures while one is built from the other.
const LOAD_FILTERS: usize = 512;

#[derive(Debug)]
pub(super) enum Inner {
    Naive(NaiveIndex),
    Tree(BloofiTree),
    Flat(FlatBloofi),
    Sliced(SlicedBloofi),
}

/// The same call on whichever it is.
macro_rules! each {
    ($inner:expr, $index:ident => $call:expr) => {
        match $inner {
            Inner::Naive($index) => $call,
            Inner::Tree($index) => $call,
            Inner::Flat($index) => $call,
            Inner::Sliced($index) => $call,
        }
    };
}

impl Inner {
    pub(super) fn new(structure: Structure, shape: FilterShape, sets: usize) -> Self {
        match structure {
            Structure::Naive => Self::Naive(NaiveIndex::with_capacity(shape, sets)),
            Structure::Tree => Self::Tree(BloofiTree::new(shape, TREE_ORDER)),
            Structure::Flat => Self::Flat(FlatBloofi::new(shape)),
            Structure::Sliced => Self::Sliced(SlicedBloofi::with_capacity(shape, sets)),
        }
    }

    pub(super) fn structure(&self) -> Structure {
        match self {
            Self::Naive(_) => Structure::Naive,
            Self::Tree(_) => Structure::Tree,
            Self::Flat(_) => Structure::Flat,
            Self::Sliced(_) => Structure::Sliced,
        }
    }

    pub(super) fn as_index(&self) -> &dyn FilterIndex {
        each!(self, index => index)
    }

    pub(super) fn len(&self) -> usize {
        each!(self, index => index.len())
    }

    /// Gives back what many deletes left, where that is not done at once.
    pub(super) fn compact(&mut self) {
        if let Self::Sliced(index) = self {
            index.compact_worn();
        }
    }

    /// Another structure with the same filters, and room for some.
    pub(super) fn rebuilt(&self, structure: Structure, sets: usize) -> Self {
        let shape = *self.as_index().shape();
        let mut new = Self::new(structure, shape, sets);
        let mut batch = Vec::with_capacity(LOAD_FILTERS);
        let mut take = |id: u64, words: &[u64]| {
            let filter = BloomFilter::from_words(shape, words.to_vec());
            batch.push((id, filter.expect("a structure holds filters of its shape")));
            if batch.len() == LOAD_FILTERS {
                new.load(&by_reference(&batch));
                batch.clear();
            }
        };
        each!(self, index => index.each_filter(&mut take));
        new.load(&by_reference(&batch));
        new
    }

    /// Adds filters of which it is known that they can be.
    pub(super) fn load(&mut self, batch: &[(u64, &BloomFilter)]) {
        const PROOF: &str = "ids differ and filters have one shape";
        match self {
            Self::Naive(index) => {
                batch.iter().for_each(|(id, filter)| index.insert(*id, filter).expect(PROOF))
            }
            Self::Tree(index) => {
                batch.iter().for_each(|(id, filter)| index.insert(*id, filter).expect(PROOF))
            }
            Self::Flat(index) => index.insert_all(batch).expect(PROOF),
            Self::Sliced(index) => index.insert_all(batch).expect(PROOF),
        }
    }
}

fn by_reference(filters: &[(u64, BloomFilter)]) -> Vec<(u64, &BloomFilter)> {
    filters.iter().map(|(id, filter)| (*id, filter)).collect()
}

impl Counting for Inner {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        each!(self, index => index.insert_counting(id, filter, count))
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        each!(self, index => index.update_counting(id, filter, count))
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        each!(self, index => index.delete_counting(id, count))
    }

    #[inline]
    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        each!(self, index => index.search_counting(keys, ids, count));
    }
}
