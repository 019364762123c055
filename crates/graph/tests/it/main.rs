//! From link records to files and back, and what is made of the graph.

mod build;
mod bv;
mod data;
