//! A graph without some of its arcs.
//!
//! Links of navigation bars, or between pages of one host, say little about what matters. So every rank is computed on a view
//! that leaves out what its filter does not keep. A filter sees the whole list of a node at once, because what is known about
//! arcs (flags, anchor texts) is kept list by list, too.
//!
//! Cost: what the filter costs, at every scan. An algorithm that scans often unpacks the view first if its budget allows it.

use std::ops::Range;

use crate::LinkGraph;

/// Which arcs count.
pub trait KeepArcs: Sync {
    /// Pushes to `kept`, which is empty, those of `targets` that count, in their order.
    fn keep(&self, source: u32, targets: &[u32], kept: &mut Vec<u32>);
}

/// An arc counts if the function says so of its source, its place in the list of the source, and its target.
impl<F: Fn(u32, usize, u32) -> bool + Sync> KeepArcs for F {
    fn keep(&self, source: u32, targets: &[u32], kept: &mut Vec<u32>) {
        let counts = |(place, target): &(usize, &u32)| self(source, *place, **target);
        kept.extend(targets.iter().enumerate().filter(counts).map(|(_, target)| *target));
    }
}

/// The view of a graph through a filter.
///
/// ```
/// use graph::{Csr, Filtered, LinkGraph};
/// let graph = Csr::from_arcs(3, [(0, 0), (0, 1), (1, 2)]);
/// let without_loops = Filtered::new(&graph, |source: u32, _: usize, target: u32| source != target);
/// assert_eq!(without_loops.arcs(), 2);
/// ```
pub struct Filtered<'a, F> {
    graph: &'a dyn LinkGraph,
    filter: F,
    arcs: u64,
}

impl<'a, F: KeepArcs> Filtered<'a, F> {
    /// Looks at a graph through a filter. Scans it once, to count what is left.
    pub fn new(graph: &'a dyn LinkGraph, filter: F) -> Self {
        let mut view = Self { graph, filter, arcs: 0 };
        let mut arcs = 0;
        view.scan(0..graph.nodes() as u32, &mut |_, targets| arcs += targets.len() as u64);
        view.arcs = arcs;
        view
    }
}

impl<F: KeepArcs> LinkGraph for Filtered<'_, F> {
    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    fn arcs(&self) -> u64 {
        self.arcs
    }

    fn successors(&self, node: u32, targets: &mut Vec<u32>) {
        let mut all = Vec::new();
        self.graph.successors(node, &mut all);
        targets.clear();
        self.filter.keep(node, &all, targets);
    }

    fn scan(&self, nodes: Range<u32>, see: &mut dyn FnMut(u32, &[u32])) {
        let mut kept = Vec::new();
        self.graph.scan(nodes, &mut |node, targets| {
            kept.clear();
            self.filter.keep(node, targets, &mut kept);
            see(node, &kept);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Components, Csr, HyperBall, PageRank, RankMemory};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_view_is_the_graph_of_the_arcs_that_are_kept(arcs in prop::collection::vec((0u32..20, 0u32..20), 0..80)) {
            let keeps = |source: u32, target: u32| !(source * 7 + target).is_multiple_of(3);
            let graph = Csr::from_arcs(20, arcs.iter().copied());
            let kept = Csr::from_arcs(20, arcs.iter().copied().filter(|(source, target)| keeps(*source, *target)));
            let view = Filtered::new(&graph, |source: u32, _: usize, target: u32| keeps(source, target));
            prop_assert_eq!(view.arcs(), kept.arcs());
            prop_assert_eq!(&Csr::from_graph(&view), &kept);
            let mut list = vec![99];
            for node in 0..20 {
                view.successors(node, &mut list);
                prop_assert_eq!(&list, kept.targets(node));
                prop_assert_eq!(view.outdegree(node), list.len());
            }
            // Algorithms see the view, streamed or unpacked.
            prop_assert_eq!(Components::of(&view), Components::of(&kept));
            let streamed = PageRank { memory: RankMemory { bytes_max: 0 }, ..PageRank::default() };
            prop_assert_eq!(streamed.of(&view).scores, streamed.of(&kept).scores);
            let balls = HyperBall { runs: 1, ..HyperBall::default() };
            prop_assert_eq!(balls.of(&view), balls.of(&kept));
        }
    }

    #[test]
    fn a_filter_knows_the_place_in_the_list() {
        let graph = Csr::from_arcs(9, [(0, 3), (0, 5), (0, 8), (4, 0)]);
        let view = Filtered::new(&graph, |_: u32, place: usize, _: u32| place != 1);
        let mut list = Vec::new();
        view.successors(0, &mut list);
        assert_eq!((list, view.arcs()), (vec![3, 8], 3));
    }
}
