//! The crate as others use it.

mod licenses;
