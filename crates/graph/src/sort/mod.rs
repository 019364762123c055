//! Sorting arcs: the external sort of [`journal`], with a radix sort for its buffers.

mod arcs;
mod radix;

use journal::SortRecord;

pub use arcs::{ArcSorter, SortedArcs};

/// Arcs in order, each with a number of some bits more and two bits of flags.
pub(crate) type LabelledArcs = SortedArcs<(u64, u64)>;

/// What is sorted: a key, and perhaps something small that is carried along.
pub trait Item: SortRecord + Copy + Send + Sync {
    /// What it is sorted by first.
    fn key(&self) -> u64;
    /// What it is sorted by next, or zero.
    fn carried(&self) -> u64;
    /// Whether [`Item::carried`] is ever something else than zero.
    const CARRIES: bool;
    /// Puts the two together again.
    fn new(key: u64, carried: u64) -> Self;
}

impl Item for u64 {
    const CARRIES: bool = false;

    #[inline]
    fn key(&self) -> u64 {
        *self
    }

    fn carried(&self) -> u64 {
        0
    }

    #[inline]
    fn new(key: u64, _carried: u64) -> Self {
        key
    }
}

impl Item for (u64, u64) {
    const CARRIES: bool = true;

    #[inline]
    fn key(&self) -> u64 {
        self.0
    }

    fn carried(&self) -> u64 {
        self.1
    }

    #[inline]
    fn new(key: u64, carried: u64) -> Self {
        (key, carried)
    }
}
