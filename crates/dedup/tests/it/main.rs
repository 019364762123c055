//! The crate as others use it, on real texts.

mod collections;
mod damage;
mod edge_cases;
mod error;
mod families;
mod licences;
mod licenses;
mod model;
mod resume;
