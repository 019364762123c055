//! Sorting more than fits into memory: sorted runs on disk, then a multiway merge (chapter 2 of the notes).

mod arcs;
mod merge;
mod radix;
mod records;
mod run;
pub(crate) mod varint;

pub use arcs::{ArcSorter, SortedArcs};
pub(crate) use merge::LoserTree;
pub(crate) use records::{RecordSorter, SortedRecords};
pub(crate) use run::Item;
