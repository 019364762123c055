//! What an algorithm needs of a graph, however the graph is kept.

use std::borrow::Cow;
use std::ops::Range;

use crate::Csr;

/// A directed graph. Nodes are numbers from zero; the targets of a node ascend and are distinct.
pub trait LinkGraph: Sync {
    /// How many nodes there are.
    fn nodes(&self) -> usize;

    /// How many arcs there are.
    fn arcs(&self) -> u64;

    /// Replaces `targets` by those of one node.
    fn successors(&self, node: u32, targets: &mut Vec<u32>);

    /// Shows the targets of all nodes of a range, in order. The cheapest way to see all arcs.
    fn scan(&self, nodes: Range<u32>, see: &mut dyn FnMut(u32, &[u32]));

    /// How many targets a node has.
    fn outdegree(&self, node: u32) -> usize {
        let mut targets = Vec::new();
        self.successors(node, &mut targets);
        targets.len()
    }

    /// The graph itself, if its lists lie in memory as they are.
    fn as_csr(&self) -> Option<&Csr> {
        None
    }
}

/// The lists in memory: as they are, or unpacked now.
pub(crate) fn in_memory(graph: &dyn LinkGraph) -> Cow<'_, Csr> {
    match graph.as_csr() {
        Some(csr) => Cow::Borrowed(csr),
        None => Cow::Owned(Csr::from_graph(graph)),
    }
}
