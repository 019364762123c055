//! The algorithms against truths that were computed by other programs.

mod components;
mod known_graphs;
mod plain_bv;
mod ranks;
//! From link records to files and back, and what is made of the graph.

mod bv;
mod data;
