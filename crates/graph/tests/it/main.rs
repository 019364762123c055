//! The algorithms against truths that were computed by other programs.

mod components;
mod known_graphs;
mod plain_bv;
mod ranks;
