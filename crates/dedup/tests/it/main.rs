//! The crate as others use it: the error of sketches, and the whole way from documents to copies.

mod collections;
mod damage;
mod edge_cases;
mod errors_of_estimates;
mod families;
mod licence_texts;
mod model;
mod pairs_of_licences;
mod resume;
mod shared_work;
mod shingles_of_licences;
mod toughness;
