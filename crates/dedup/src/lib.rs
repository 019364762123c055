//! Which documents are copies of each other?
#![forbid(unsafe_code)]

mod documents;
pub mod minhash;
mod print;
mod shingles;

pub use documents::{DocumentReader, Documents, Unreadable};
pub use print::{PagePrint, page_print};
pub use shingles::{Shingler, Shingling, TextOptions, jaccard, make_set};
