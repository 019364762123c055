//! Which documents are copies of each other?
#![deny(unsafe_code)]

mod documents;
pub mod hamming;
mod lanes;
pub mod minhash;
mod mix;
mod shingles;
mod text;

pub use documents::{DocumentReader, Documents, Unreadable};
pub use shingles::{NotAShingling, SHINGLE_LENGTH_MAX, Shingler, Shingling, TextOptions, jaccard, make_set};
