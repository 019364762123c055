//! The whole way from documents to copies.

mod collections;
mod damage;
mod edge_cases;
mod families;
mod licences;
mod model;
mod resume;
