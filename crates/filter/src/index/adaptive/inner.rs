//! One of the four structures, without a call through a table where it matters.

use super::Structure;
use crate::index::visits::{Count, Counting};
use crate::index::{BloofiTree, FilterIndex, FlatBloofi, IndexError, NaiveIndex, SlicedBloofi};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The order of a tree that is chosen: wider ones are lower, narrower ones have emptier nodes.
const TREE_ORDER: usize = 8;

/// Filters that are held beside both structures while one is built from the other.
const SQUARE_FILTERS: usize = 64;

const PROOF: &str = "ids differ and filters have one shape";

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

    /// The first words of a filter: reading a whole one out of columns takes long.
    pub(super) fn prefix(&self, id: u64, word_count: usize) -> Option<Vec<u64>> {
        each!(self, index => index.prefix(id, word_count))
    }

    /// Whether deletes left half of it dead.
    pub(super) fn is_worn(&self) -> bool {
        matches!(self, Self::Sliced(index) if index.is_worn())
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
        // As many as make a square, in one buffer that stays in the cache.
        let mut ids = Vec::with_capacity(SQUARE_FILTERS);
        let mut words = Vec::with_capacity(SQUARE_FILTERS * shape.word_count());
        let mut take = |id: u64, filter: &[u64]| {
            ids.push(id);
            words.extend_from_slice(filter);
            if ids.len() == SQUARE_FILTERS {
                new.append(&ids, &words);
                ids.clear();
                words.clear();
            }
        };
        each!(self, index => index.each_filter(&mut take));
        new.append(&ids, &words);
        new
    }

    /// Adds up to 64 filters that lie one after the other to a structure that is being built.
    fn append(&mut self, ids: &[u64], words: &[u64]) {
        if ids.is_empty() {
            return;
        }
        let filters = ids.iter().copied().zip(words.chunks_exact(words.len() / ids.len()));
        match self {
            Self::Flat(index) => index.insert_square(filters),
            Self::Sliced(index) => index.append_square(filters),
            Self::Naive(index) => filters.for_each(|(id, words)| index.append(id, words)),
            Self::Tree(index) => filters.for_each(|(id, words)| {
                let filter = BloomFilter::from_words(*index.shape(), words.to_vec());
                index.insert(id, &filter.expect("it was a filter of this shape")).expect(PROOF);
            }),
        }
    }

    /// Adds filters of which it is known that they can be.
    pub(super) fn load(&mut self, batch: &[(u64, &BloomFilter)]) {
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
