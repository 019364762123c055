//! Which documents are copies of each other?
#![deny(unsafe_code)]

pub mod banding;
mod crawl_watch;
mod deduplicator;
pub mod digest;
mod documents;
mod error;
mod exact;
mod execution;
mod external_sort;
mod features;
mod groups;
mod groups_file;
pub mod hamming;
mod lanes;
pub mod minhash;
mod mirrors;
mod mix;
mod set_cache;
mod shingles;
mod simhash;
mod text;
mod union_find;
mod verify;

pub use crawl_watch::{COPY_DISTANCE_MAX, CopyOf, CopyWatch, WORDS_MIN, WatchedPage};
pub use deduplicator::{
    BANDS_FORMAT, Checks, Clustering, ColumnKind, CopyPair, DedupConfig, Deduplicator, PairsReport,
    SKETCHES_FORMAT, SLOTS_MAX, SketchReport, Stage, Verification, Watcher, check_column,
};
pub use digest::{PagePrint, PagePrinter, page_print, simhash64, text_digest};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use error::Error;
pub use execution::Execution;
pub use groups::DuplicateGroups;
pub use groups_file::{GROUPS_MAGIC, GROUPS_VERSION, GroupsFile, GroupsSource};
pub use mirrors::{MIRROR_PAGES_MIN, MIRROR_PERCENT_MIN, Mirror, PAIRS_MAX, SiteCopies};
pub use shingles::{NotAShingling, SHINGLE_LENGTH_MAX, Shingler, Shingling, TextOptions, jaccard, make_set};
pub use simhash::{SimHash64, SimHash128, hamming};
