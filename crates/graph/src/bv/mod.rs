//! The BV format of compressed graphs: `BASENAME.graph`, `.properties`, `.offsets`, and our `.starts`.

pub(crate) mod bit_reader;
mod compress;
mod graph;
mod jumps;
mod list;
mod list_code;
mod properties;
mod references;
mod write;

pub use compress::BvOptions;
pub use graph::BvGraph;
pub(crate) use list_code::zeta_bits;
pub(crate) use write::size_in_bits;
pub use write::{BvReport, BvWriter, write_bv};
