//! What do documents speak of, whatever words they use? Latent semantic indexing.
//!
//! Documents and the words in them are a sparse matrix; its truncated singular value decomposition gives each word and each
//! document a place in a space of a few hundred dimensions, in which words that occur together are near each other. So a
//! document can be near to a query although it has none of its words.
//!
//! ```text
//!  counts ─► weights (log-entropy) ─► Matrix ─► decompose ─► Basis ─► SpaceWriter ─► file ─► LatentSpace
//!                                                              └► folding-in: any document, also one that came later
//! ```
//!
//! This crate knows numbers and names: what a word is, and where counts come from, is the business of whoever calls.
//!
//! ```
//! use latent::{Matrix, decompose};
//! // Three documents: "I speak of dogs", "dogs and cats", "I speak of cats".
//! let documents: [&[(u32, f32)]; 3] =
//!     [&[(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)], &[(3, 1.0), (4, 1.0), (5, 1.0)], &[(0, 1.0), (1, 1.0), (2, 1.0), (5, 1.0)]];
//! let basis = decompose(&Matrix::of_rows(6, &documents), 2, 1);
//! // "dogs" and "cats" are in the same place now.
//! assert!(basis.term(3).iter().zip(basis.term(5)).all(|(dogs, cats)| (dogs - cats).abs() < 1e-5));
//! ```
//!
//! After the notes, chapter 9; Deerwester, Dumais, Furnas, Landauer, Harshman, "Indexing by latent semantic analysis" (1990);
//! Halko, Martinsson, Tropp, "Finding structure with randomness" (2011) for the method.
#![forbid(unsafe_code)]

mod decompose;
mod eigen;
mod error;
mod matrix;
mod panels;
mod quantized;
mod space;
mod space_writer;
mod weights;

pub use decompose::{Basis, decompose};
pub use error::Error;
pub use matrix::{ENTRIES_MAX, Entry, Matrix, MatrixBuilder};
pub use space::{LATENT_FORMAT, LatentSpace, Meaning, check_file};
pub use space_writer::{SpaceTerms, SpaceWriter};
pub use weights::{entropy_weight, local_weight};
