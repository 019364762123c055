//! Which documents are copies of each other?
//!
//! Texts become sets of shingles, sets become sketches, sketches that agree in a band become candidates, and candidates
//! are compared in full. Sketches are kept in a work folder, so that work that was stopped goes on. What is found does
//! not depend on threads, memory or interruptions.
//!
//! ```
//! # fn main() -> Result<(), dedup::Error> {
//! use dedup::{DedupConfig, Deduplicator, Shingling};
//!
//! let texts = &["the quick brown fox", "a lazy dog sleeps", "The quick, brown fox!"][..];
//! let work = tempfile::tempdir()?;
//! let config = DedupConfig { shingling: Shingling::Words(2), ..DedupConfig::default() };
//!
//! let mut deduplicator = Deduplicator::open(work.path(), config, "three texts")?;
//! deduplicator.sketch(&texts, &())?;
//! let groups = deduplicator.groups(&texts, &())?;
//! assert_eq!(groups.iter().collect::<Vec<_>>(), [&[0, 2]]);
//! # Ok(()) }
//! ```
#![deny(unsafe_code)]

pub mod banding;
mod copy_marks;
mod crawl_watch;
mod deduplicator;
pub mod digest;
mod documents;
mod error;
mod exact;
mod execution;
mod exhaustive;
mod features;
mod groups;
mod groups_file;
pub mod hamming;
mod lanes;
pub mod minhash;
mod mirrors;
mod mix;
mod near_window;
mod originals;
mod repeat_filter;
mod row_bits;
mod set_cache;
mod shingles;
mod simhash;
mod text;
mod text_print;
mod union_find;
mod verify;

pub use copy_marks::{CopyMarks, MirrorSite};
pub use crawl_watch::{CopyFound, CopyWatch, WORDS_MIN, WatchedPage};
pub use deduplicator::{
    BANDS_FORMAT, Checks, Clustering, ColumnKind, CopyPair, DedupConfig, Deduplicator, PairsReport,
    SKETCHES_FORMAT, SLOTS_MAX, SketchReport, Stage, Verification, Watcher, WorkFolder, WorkRecord,
    check_column,
};
pub use digest::{PagePrint, PagePrinter, page_print, simhash64, text_digest};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use error::Error;
pub use execution::Execution;
pub use exhaustive::exhaustive_pairs;
pub use groups::DuplicateGroups;
pub use groups_file::{GROUPS_MAGIC, GROUPS_VERSION, GroupsFile, GroupsSource};
pub use mirrors::{MIRROR_PAGES_MIN, MIRROR_PERCENT_MIN, Mirror, PAIRS_MAX, SiteCopies};
pub use near_window::COPY_DISTANCE_MAX;
pub use shingles::{NotAShingling, SHINGLE_LENGTH_MAX, Shingler, Shingling, TextOptions, jaccard, make_set};
pub use simhash::{SimHash64, SimHash128, hamming};
pub use text::without_markup;
pub use text_print::TextPrinter;
