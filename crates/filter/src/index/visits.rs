//! What an operation touches, counted: the cost by which the tree and the columns were published, the same on any machine.
//!
//! A filter is counted each time an operation reads or writes it as one, and the filter that the operation is about is
//! counted always:
//!
//! | structure | a search looks at | insert and update touch | a delete touches |
//! |---|---|---|---|
//! | list | every filter | the filter | the filter, and the last one, which takes its place |
//! | tree | every node that it tests | the leaf, the nodes that are compared, ORed or made anew | the same |
//! | columns | every filter, 64 at a time | the filter | the filter (a bit of the live mask) |
//! | rows | every filter, 512 at a time, or the ORs of 64 and those below the ones that match | the filter | the filter (a bit of the live mask) |
//!
//! Words are those of filters that were read or written: what a search of columns or rows saves is in them. For rows they
//! are an upper bound, because a search stops early where nothing is left.
//!
//! The code that counts is the code that does not: every operation takes a [`Count`], and `()` is one that compiles to
//! nothing.

use std::ops::AddAssign;

use super::IndexError;
use crate::{BloomFilter, KeyHash};

/// What operations touched, see the module.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visits {
    /// Filters, inner nodes of a tree and ORs of rows among them.
    pub filters: u64,
    /// Words of 64 bits.
    pub words: u64,
}

impl AddAssign for Visits {
    fn add_assign(&mut self, other: Self) {
        self.filters += other.filters;
        self.words += other.words;
    }
}

/// An operation to be counted, with the arguments of its namesake in [`FilterIndex`](super::FilterIndex).
#[derive(Debug)]
pub enum Operation<'a> {
    /// `search_all`.
    Search(&'a [KeyHash], &'a mut Vec<u64>),
    /// `insert`.
    Insert(u64, &'a BloomFilter),
    /// `update`.
    Update(u64, &'a BloomFilter),
    /// `delete`.
    Delete(u64),
}

/// Takes note of what is touched, or does not.
pub(super) trait Count {
    /// Whether anybody looks at what is counted.
    fn is_on(&self) -> bool;

    fn add(&mut self, filters: usize, words: usize);
}

impl Count for () {
    #[inline(always)]
    fn is_on(&self) -> bool {
        false
    }

    #[inline(always)]
    fn add(&mut self, _filters: usize, _words: usize) {}
}

impl Count for Visits {
    fn is_on(&self) -> bool {
        true
    }

    fn add(&mut self, filters: usize, words: usize) {
        *self += Self { filters: filters as u64, words: words as u64 };
    }
}

/// The operations of an index with a counter beside.
pub(super) trait Counting {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError>;

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError>;

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError>;

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count);
}

/// The operations of [`FilterIndex`](super::FilterIndex) as those of [`Counting`]: the same in every structure.
macro_rules! operations_by_counting {
    () => {
        fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
            self.insert_counting(id, filter, &mut ())
        }

        fn delete(&mut self, id: u64) -> Result<(), IndexError> {
            self.delete_counting(id, &mut ())
        }

        fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
            self.update_counting(id, filter, &mut ())
        }

        #[inline]
        fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
            self.search_counting(keys, ids, &mut ());
        }

        fn counted(&mut self, operation: Operation<'_>) -> Result<Visits, IndexError> {
            counted(self, operation)
        }
    };
}
pub(super) use operations_by_counting;

/// Does the operation and counts.
pub(super) fn counted(index: &mut impl Counting, operation: Operation<'_>) -> Result<Visits, IndexError> {
    let mut visits = Visits::default();
    match operation {
        Operation::Search(keys, ids) => index.search_counting(keys, ids, &mut visits),
        Operation::Insert(id, filter) => index.insert_counting(id, filter, &mut visits)?,
        Operation::Update(id, filter) => index.update_counting(id, filter, &mut visits)?,
        Operation::Delete(id) => index.delete_counting(id, &mut visits)?,
    }
    Ok(visits)
}
