//! The crate as others use it.

mod error;
mod licenses;
