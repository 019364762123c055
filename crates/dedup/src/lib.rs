//! Which documents are copies of each other?
#![deny(unsafe_code)]

pub mod digest;
mod documents;
mod lanes;
pub mod minhash;
mod mix;
mod shingles;
mod simhash;
mod text;

pub use digest::{PagePrint, PagePrinter, page_print, simhash64, text_digest};
pub use documents::{DocumentReader, Documents, Unreadable};
pub use shingles::{NotAShingling, SHINGLE_LENGTH_MAX, Shingler, Shingling, TextOptions, jaccard, make_set};
pub use simhash::{SimHash64, SimHash128, hamming};
