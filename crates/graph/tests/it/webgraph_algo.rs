//! Random graphs against `webgraph-algo`, which shares nothing with our algorithms.

use std::collections::HashMap;

use dsi_progress_logger::no_logging;
use graph::{Components, Csr, PageRank};
use proptest::prelude::*;
use webgraph::graphs::vec_graph::VecGraph;
use webgraph_algo::rank::preds::L1Norm;

const NODES: usize = 60;

/// Few arcs make many small components, many arcs one large one; loops and repeats come by themselves.
fn arcs() -> impl Strategy<Value = Vec<(usize, usize)>> {
    (0..4 * NODES).prop_flat_map(|count| prop::collection::vec((0..NODES, 0..NODES), count))
}

fn theirs(arcs: impl Iterator<Item = (usize, usize)>) -> VecGraph {
    let mut graph = VecGraph::empty(NODES);
    graph.add_arcs(arcs);
    graph
}

fn ours(arcs: &[(usize, usize)]) -> Csr {
    Csr::from_arcs(NODES, arcs.iter().map(|(source, target)| (*source as u32, *target as u32)))
}

proptest! {
    #[test]
    fn components_are_those_of_another_program(arcs in arcs()) {
        let (ours, mut theirs) =
            (Components::of(&ours(&arcs)), webgraph_algo::sccs::tarjan(theirs(arcs.iter().copied()), no_logging![]));
        let sizes: Vec<u32> = theirs.sort_by_size().iter().map(|size| *size as u32).collect();
        prop_assert_eq!(ours.sizes(), sizes);
        let mut there = HashMap::new();
        for (ours, theirs) in ours.component_of().iter().zip(theirs.components()) {
            prop_assert_eq!(there.entry(*ours).or_insert(*theirs), theirs);
        }
    }

    #[test]
    fn pagerank_is_that_of_another_program(arcs in arcs()) {
        let ours = PageRank { error_max: 1e-10, ..PageRank::default() }.of(&ours(&arcs));
        let transpose = theirs(arcs.iter().map(|(source, target)| (*target, *source)));
        let mut theirs = webgraph_algo::rank::PageRank::new(&transpose);
        theirs.alpha(0.85).run(L1Norm::try_from(1e-12).unwrap());
        let distance: f64 = ours.scores.iter().zip(theirs.rank()).map(|(ours, theirs)| (ours - theirs).abs()).sum();
        prop_assert!(distance <= 1e-9, "{:e}", distance);
    }
}
