//! A graph in memory whose arcs have weights, such as how many links one host has to another.

use std::ops::Range;

use crate::{Csr, LinkGraph};

/// Lists of targets and, beside each target, the weight of its arc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedCsr {
    graph: Csr,
    weights: Vec<u32>,
}

impl WeightedCsr {
    /// From arcs in any order; the weights of repeated ones are added up, at most to the largest number there is.
    pub fn from_arcs(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let mut sorted: Vec<(u32, u32, u32)> = arcs.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup_by(|later, first| {
            let is_repeat = (later.0, later.1) == (first.0, first.1);
            if is_repeat {
                first.2 = first.2.saturating_add(later.2);
            }
            is_repeat
        });
        let graph = Csr::from_arcs(nodes, sorted.iter().map(|(source, target, _)| (*source, *target)));
        Self { graph, weights: sorted.iter().map(|(_, _, weight)| *weight).collect() }
    }

    /// The targets of a node.
    pub fn targets(&self, node: u32) -> &[u32] {
        self.graph.targets(node)
    }

    /// The weights of the arcs to these targets.
    pub fn weights(&self, node: u32) -> &[u32] {
        &self.weights[self.graph.places(node)]
    }
}

/// Without its weights.
impl LinkGraph for WeightedCsr {
    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    fn arcs(&self) -> u64 {
        self.graph.arcs()
    }

    fn successors(&self, node: u32, targets: &mut Vec<u32>) {
        self.graph.successors(node, targets);
    }

    fn scan(&self, nodes: Range<u32>, see: &mut dyn FnMut(u32, &[u32])) {
        self.graph.scan(nodes, see);
    }

    fn outdegree(&self, node: u32) -> usize {
        self.graph.outdegree(node)
    }

    fn as_csr(&self) -> Option<&Csr> {
        Some(&self.graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_repeated_arcs_are_added_up() {
        let graph = WeightedCsr::from_arcs(3, [(2, 0, 5), (0, 1, 1), (0, 2, 7), (0, 1, 2), (2, 0, u32::MAX)]);
        assert_eq!((graph.targets(0), graph.weights(0)), (&[1, 2][..], &[3, 7][..]));
        assert_eq!((graph.targets(1), graph.weights(1)), (&[][..], &[][..]));
        assert_eq!((graph.targets(2), graph.weights(2)), (&[0][..], &[u32::MAX][..]));
    }
}
