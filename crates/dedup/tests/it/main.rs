//! The crate as others use it: the error of sketches, and the whole way from documents to copies.

mod collections;
mod damage;
mod edge_cases;
mod error;
mod families;
mod licences;
mod licenses;
mod model;
mod resume;
