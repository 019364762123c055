//! Unpack the graph, or decompress it again in every sweep?
//!
//! In memory an arc takes four bytes and a sweep 1.5 ns of it; streamed it takes a quarter of a byte, which are there
//! anyway, and 10 ns. So a graph is unpacked whenever the budget allows it.

use crate::LinkGraph;

/// How many bytes a rank may use beside the graph that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankMemory {
    /// The budget.
    pub bytes_max: u64,
}

impl Default for RankMemory {
    fn default() -> Self {
        Self { bytes_max: 1 << 30 }
    }
}

/// How the arcs are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankMode {
    /// Unpacked once.
    InMemory,
    /// Scanned again in every sweep.
    Streamed,
}

impl RankMemory {
    /// Unpacked if lists, their beginnings and `bytes_per_node` for the algorithm's own numbers fit into the budget.
    pub fn plan(self, graph: &dyn LinkGraph, bytes_per_node: u64) -> RankMode {
        let unpacked = if graph.as_csr().is_some() { 0 } else { 4 * graph.arcs() + 8 * graph.nodes() as u64 };
        let needed = unpacked + bytes_per_node * graph.nodes() as u64;
        if needed <= self.bytes_max { RankMode::InMemory } else { RankMode::Streamed }
    }
}
