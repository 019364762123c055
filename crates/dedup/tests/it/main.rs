//! The crate as others use it, on real texts.

mod licences;
mod licenses;
