//! Which documents are copies of each other?
#![forbid(unsafe_code)]

pub mod banding;
mod deduplicator;
mod documents;
mod error;
mod exact;
mod execution;
mod external_sort;
mod features;
mod groups;
mod groups_file;
pub mod minhash;
mod set_cache;
mod shingles;
mod union_find;
mod verify;

pub use deduplicator::{
    BANDS_FORMAT, Checks, Clustering, ColumnKind, CopyPair, DedupConfig, Deduplicator, PairsReport,
    SKETCHES_FORMAT, SLOTS_MAX, SketchReport, Stage, Verification, Watcher, check_column,
};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use error::Error;
pub use execution::Execution;
pub use groups::DuplicateGroups;
pub use groups_file::{GROUPS_MAGIC, GROUPS_VERSION, GroupsFile, GroupsSource};
pub use shingles::{Shingler, Shingling, TextOptions, jaccard, make_set};
