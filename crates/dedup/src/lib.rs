//! Which documents are copies of each other?
#![deny(unsafe_code)]

mod documents;
pub mod hamming;
pub mod minhash;
mod shingles;

pub use documents::{DocumentReader, Documents, Unreadable};
pub use shingles::{Shingler, Shingling, TextOptions, jaccard, make_set};
