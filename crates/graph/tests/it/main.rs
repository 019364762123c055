//! From link records to files and back, and what is made of the graph; ranks and distances against truths that were
//! computed by other programs.

mod build;
mod bv;
mod components;
mod data;
mod distances;
mod fixture;
mod known_graphs;
mod other_writers;
mod plain_bv;
mod ranks;
mod webgraph_algo;
