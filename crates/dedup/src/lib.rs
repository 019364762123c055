//! Which documents are copies of each other?
#![deny(unsafe_code)]

pub mod banding;
mod deduplicator;
mod crawl_watch;
mod documents;
mod error;
mod exact;
mod execution;
mod external_sort;
mod features;
mod groups;
pub mod hamming;
mod lanes;
pub mod minhash;
mod mix;
mod set_cache;
mod mirrors;
mod print;
mod shingles;
mod text;
mod union_find;
mod verify;

pub use deduplicator::{
    Checks, Clustering, CopyPair, DedupConfig, Deduplicator, PairsReport, SLOTS_MAX, SketchReport, Stage,
    Verification, Watcher,
};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use error::Error;
pub use execution::Execution;
pub use groups::DuplicateGroups;
pub use shingles::{NotAShingling, SHINGLE_LENGTH_MAX, Shingler, Shingling, TextOptions, jaccard, make_set};
pub use crawl_watch::{CopyOf, CopyWatch, DISTANCE, WORDS_MIN, WatchedPage};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use mirrors::{MIRROR_PAGES_MIN, MIRROR_PERCENT_MIN, Mirror, PAIRS_MAX, SiteCopies};
pub use print::{PagePrint, page_print};
pub use shingles::{Shingler, Shingling, TextOptions, jaccard, make_set};
