//! Sorting more than fits into memory: sorted runs on disk, then a multiway merge (Knuth, TAOCP 3, 5.4).
//!
//! What is pushed is gathered in a buffer. When the budget is full the buffer is sorted and goes to disk as a run, in which
//! each record is written by what differs from the one before ([`SortRecord`]); at the end all runs are merged by a tree of
//! losers. If everything fits into the buffer, nothing is written. The order that comes out depends on what was pushed and
//! on nothing else: not on the budget, and not on the order of pushing.
//!
//! [`ExternalSort`] takes records of a fixed size, [`StringSort`] strings of bytes. The scratch file has no name, so that
//! nothing is left of it whatever happens to the process.
//!
//! Cost: a sort in memory, and each record is written and read once; once more for every 256 runs, which are merged into
//! one so that the memory for reading them stays bounded. While merging, a run takes at most 64 KiB, and all of them
//! together a mebibyte or the budget.

mod items;
mod merge;
mod runs;
mod strings;

pub use items::{BufferSort, ByComparison, ExternalSort, Sorted};
pub use strings::{STRING_BYTES_MAX, SortedStrings, StringSort};

use crate::varint;

/// What can be sorted: it has an order, and a form in a sorted run.
pub trait SortRecord: Clone + Default + Ord {
    /// Appends the record to a run. The one before it there is not greater; at the beginning it is the default.
    fn put_after(&self, before: &Self, bytes: &mut Vec<u8>);

    /// Turns the record before into the next one of the run. `None` leaves both as they were: the bytes end inside the
    /// next record, or they are none that were written.
    fn step(&mut self, bytes: &mut &[u8]) -> Option<()>;
}

/// A number is kept as its distance to the one before.
impl SortRecord for u64 {
    #[inline]
    fn put_after(&self, before: &Self, bytes: &mut Vec<u8>) {
        varint::put(bytes, self - before);
    }

    #[inline]
    fn step(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let mut rest = *bytes;
        *self = self.checked_add(varint::take(&mut rest)?)?;
        *bytes = rest;
        Some(())
    }
}

/// A number, and something small that is carried with it.
impl SortRecord for (u64, u64) {
    #[inline]
    fn put_after(&self, before: &Self, bytes: &mut Vec<u8>) {
        self.0.put_after(&before.0, bytes);
        varint::put(bytes, self.1);
    }

    #[inline]
    fn step(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let (mut next, mut rest) = (self.0, *bytes);
        next.step(&mut rest)?;
        *self = (next, varint::take(&mut rest)?);
        *bytes = rest;
        Some(())
    }
}

/// Such numbers are hashes, whose distances are no shorter than they are.
impl SortRecord for u128 {
    #[inline]
    fn put_after(&self, _before: &Self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    #[inline]
    fn step(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let (next, rest) = bytes.split_first_chunk()?;
        let next = Self::from_le_bytes(*next);
        if next < *self {
            return None;
        }
        (*self, *bytes) = (next, rest);
        Some(())
    }
}
