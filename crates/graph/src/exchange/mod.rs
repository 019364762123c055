//! Graphs from and to other tools: lists of arcs, GraphML. (BV is [`crate::BvGraph`] and [`crate::write_bv`].)

mod arc_lines;
mod export;
mod foreign;
mod import;

pub use export::{export_arcs, export_graphml};
pub use foreign::{ForeignGraph, NodeNames};
pub use import::{ImportReport, import_arcs};
