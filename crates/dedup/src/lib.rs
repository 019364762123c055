//! Which documents are copies of each other?
#![deny(unsafe_code)]

mod crawl_watch;
mod documents;
pub mod hamming;
pub mod minhash;
mod mirrors;
mod shingles;

pub use crawl_watch::{COPY_DISTANCE_MAX, CopyOf, CopyWatch, WORDS_MIN, WatchedPage};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use mirrors::{MIRROR_PAGES_MIN, MIRROR_PERCENT_MIN, Mirror, PAIRS_MAX, SiteCopies};
pub use shingles::{Shingler, Shingling, TextOptions, jaccard, make_set};
