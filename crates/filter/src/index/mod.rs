//! Which of these many sets may hold this key? Indexes over Bloom filters of one shape.
//!
//! A site, a segment or a node has a [`BloomFilter`] of its keys; with N of them the question costs N times k bit tests
//! if they lie in a list. The structures here answer the same, bit for bit, and differ in what they touch:
//!
//! | structure | layout | search | insert, update | delete |
//! |---|---|---|---|---|
//! | [`NaiveIndex`] | the filters one after the other | 2 to k bits of each, in lines of its own | copy | move one |
//! | [`BloofiTree`] | a B+-tree, inner nodes are the OR of their children | d·log N if few inner bits are set, else > N | log N · m/64 words | the same |
//! | [`FlatBloofi`] | columns: 64 filters in a block of m words | k·N/64 words, far apart | m words | O(1) |
//! | [`SlicedBloofi`] | rows: bit p of all filters is contiguous | k rows of N bits | m words | O(1) |
//! | [`AdaptiveBloofi`] | a list of what changes, columns and rows of what stays | that of all | copy, and columns for 64 at a time; or in place | that of its part |
//!
//! [`SizedSlicedBloofi`] takes keys instead of prepared filters and keeps sets of different sizes in rows of different
//! shapes, so that a small set does not pay for the largest.
//!
//! After Crainiceanu and Lemire, "Bloofi: Multidimensional Bloom filters" (2015), for the tree and the columns, and the
//! interleaved filters of BIGSI, COBS and SeqAn's IBF for the rows. The published column code renumbers the slots behind
//! an emptied block and gets it wrong in three ways; here no live slot is ever renumbered by a delete.
//!
//! ```
//! use filter::index::{FilterIndex, SlicedBloofi};
//! use filter::{BloomFilter, FilterShape, KeyHash};
//!
//! let shape = FilterShape::for_rate(500, 0.01);
//! let mut index = SlicedBloofi::new(shape);
//! let mut cats = BloomFilter::new(shape);
//! cats.insert(&shape.hash(b"tabby"));
//! index.insert(7, &cats)?;
//!
//! let mut ids = Vec::new();
//! index.search(&shape.hash(b"tabby"), &mut ids);
//! assert_eq!(ids, [7]);
//! # Ok::<(), filter::index::IndexError>(())
//! ```

mod adaptive;
mod bits;
mod blocks;
mod bloofi_tree;
mod flat_bloofi;
mod id_map;
mod kernel;
mod list;
mod naive;
mod sized;
mod slab;
mod sliced;
mod visits;

pub use adaptive::{AdaptiveBloofi, Expected, Mix, Structure};
pub use bloofi_tree::{BloofiTree, Distance};
pub use flat_bloofi::FlatBloofi;
pub use naive::NaiveIndex;
pub use sized::SizedSlicedBloofi;
pub use sliced::{SLICED_MAGIC, SLICED_VERSION, SlicedBloofi, SlicedView, SlotBitmap};
pub use visits::{Operation, Visits};

use crate::{BloomFilter, FilterShape, KeyHash};

/// Many Bloom filters of one shape under numbers that the caller gives, searched together.
///
/// Every implementation gives the same ids for the same history. An error leaves the index as it was.
pub trait FilterIndex {
    /// The shape that every filter must have.
    fn shape(&self) -> &FilterShape;

    /// Adds a filter under an id that is not in use.
    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError>;

    /// Adds many filters: all, or none if one cannot be. Mostly faster than one by one, and the adaptive index makes them
    /// ready to be searched at once.
    fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(self.shape(), |id| self.contains_id(id), filters)?;
        filters.iter().try_for_each(|(id, filter)| self.insert(*id, filter))
    }

    /// Forgets a filter; its id may be used again.
    fn delete(&mut self, id: u64) -> Result<(), IndexError>;

    /// Puts another filter under an id that is in use. One that only grew costs less: its new bits are ORed in.
    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError>;

    /// Replaces the content of `ids` by those of the filters that contain the key, in no particular order.
    fn search(&self, key: &KeyHash, ids: &mut Vec<u64>) {
        self.search_all(std::slice::from_ref(key), ids);
    }

    /// Replaces the content of `ids` by those of the filters that contain every key, in no particular order. No keys
    /// ask for nothing: all ids are found.
    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>);

    /// Does an operation and tells how many filters it looked at or touched: the cost that does not depend on the
    /// machine. The operations above are the same code without the counting.
    fn counted(&mut self, operation: Operation<'_>) -> Result<Visits, IndexError>;

    /// A copy of the filter under this id.
    fn filter(&self, id: u64) -> Option<BloomFilter>;

    /// Whether the id is in use.
    fn contains_id(&self, id: u64) -> bool;

    /// The number of filters.
    fn len(&self) -> usize;

    /// Whether there is no filter.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The heap memory that is held, in bytes.
    fn memory_bytes(&self) -> usize;

    /// The ids in use, in no particular order.
    fn ids(&self) -> Vec<u64>;
}

/// What can be wrong with a call, or with bytes that should be an index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A filter was inserted under an id that is in use.
    #[error("the id {id} is taken: delete it first, or update it")]
    IdTaken {
        /// Under which another filter is found.
        id: u64,
    },
    /// A filter was deleted or updated that is not there.
    #[error("there is no filter with the id {id}")]
    IdUnknown {
        /// Which nobody inserted, or somebody deleted.
        id: u64,
    },
    /// A filter differs from the index in size, probes or seed.
    #[error("the filter has the shape {found:?}, the index takes {expected:?}")]
    Shape {
        /// What the filter has.
        found: FilterShape,
        /// What the index has.
        expected: FilterShape,
    },
    /// The bytes start with others than ours do.
    #[error("these bytes are no index of filters (the first ones are wrong)")]
    Foreign,
    /// Written by another version.
    #[error("the index was written by format {found}, this build reads {expected}")]
    Version {
        /// What the bytes say.
        found: u32,
        /// What can be read.
        expected: u32,
    },
    /// Bytes were changed or lost.
    #[error("the index is damaged: {what}")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
}

fn check_shape(expected: &FilterShape, filter: &BloomFilter) -> Result<(), IndexError> {
    if filter.shape() == expected {
        Ok(())
    } else {
        Err(IndexError::Shape { found: *filter.shape(), expected: *expected })
    }
}

/// Whether all of these filters can be inserted.
fn check_batch(
    shape: &FilterShape,
    is_taken: impl Fn(u64) -> bool,
    filters: &[(u64, &BloomFilter)],
) -> Result<(), IndexError> {
    let mut ids: Vec<u64> = filters.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(IndexError::IdTaken { id: twice[0] });
    }
    for (id, filter) in filters {
        check_shape(shape, filter)?;
        if is_taken(*id) {
            return Err(IndexError::IdTaken { id: *id });
        }
    }
    Ok(())
}

/// So many dead columns of a word are worth a pass over all rows that makes them zero, to be written to again.
const SCRUB_DEAD_MIN: u32 = 16;

/// Columns of one word a row are overwritten with vectors: to set single bits is faster only below this share of them.
const SPARSE_SHARE: usize = 16;

/// Longer rows are strided through: to set single bits is faster below a third.
const SPARSE_SHARE_OF_ROWS: usize = 3;

/// Whether less than one bit in `share` is set. Some words tell.
fn is_sparse(words: &[u64], share: usize) -> bool {
    let sample = &words[..words.len().min(32)];
    sample.iter().map(|word| word.count_ones() as usize).sum::<usize>() * share < sample.len() * 64
}

/// The positions of some keys, on the stack for one key of usual filters.
struct Positions {
    inline: [usize; Self::INLINE],
    len: usize,
    spilled: Vec<usize>,
}

impl Positions {
    const INLINE: usize = 16;

    #[inline]
    fn of(keys: &[KeyHash], shape: &FilterShape) -> Self {
        let count = keys.len() * shape.probes() as usize;
        let mut positions = Self { inline: [0; Self::INLINE], len: count, spilled: Vec::new() };
        let all = keys.iter().flat_map(|key| key.probes(shape)).map(|position| position as usize);
        if count <= Self::INLINE {
            positions.inline.iter_mut().zip(all).for_each(|(place, position)| *place = position);
        } else {
            positions.spilled = all.collect();
        }
        positions
    }

    #[inline]
    fn as_slice(&self) -> &[usize] {
        if self.len <= Self::INLINE { &self.inline[..self.len] } else { &self.spilled }
    }
}
