//! Which documents are copies of each other?
#![deny(unsafe_code)]

mod documents;
#[allow(unsafe_code)] // loads, stores and calls of AVX2
mod lanes;
pub mod minhash;
mod mix;
mod shingles;
mod text;

pub use documents::{DocumentReader, Documents, Unreadable};
pub use shingles::{NotAShingling, SHINGLE_LENGTH_MAX, Shingler, Shingling, TextOptions, jaccard, make_set};
