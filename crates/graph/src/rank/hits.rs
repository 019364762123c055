//! HITS: good hubs link to good authorities, and good authorities are linked from good hubs.
//!
//! The authority of a page is in proportion to the sum over the hubs that link to it, and the value of a hub to the sum over
//! the authorities that it links to. So authorities are the main eigenvector of AᵀA. One scan does a whole step of the power
//! iteration: when the list of a node is seen, its sum over authorities is taken and handed back to the same list.
//!
//! Cost: a scan a step, 24 bytes a node. The number of steps depends on the graph; where two communities are almost equally
//! strong it is large, and which one wins means little.
//!
//! After Kleinberg, "Authoritative sources in a hyperlinked environment" (1999). Both vectors have Euclidean norm 1.

use super::memory::{RankMemory, RankMode};
use crate::link_graph::in_memory;
use crate::{LinkGraph, Watcher};

/// How to compute hubs and authorities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hits {
    /// Ends when a step moves the authorities by less than this (Euclidean).
    pub step_max: f64,
    /// Ends in any case.
    pub steps_max: u32,
    /// Decides whether the graph is unpacked.
    pub memory: RankMemory,
}

impl Default for Hits {
    fn default() -> Self {
        Self { step_max: 1e-9, steps_max: 1000, memory: RankMemory::default() }
    }
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct HubsAndAuthorities {
    /// How good each page is as a list of links.
    pub hubs: Vec<f64>,
    /// How good each page is as a target.
    pub authorities: Vec<f64>,
    /// How many steps were done.
    pub steps: u32,
    /// The last step was small enough.
    pub has_converged: bool,
}

impl Hits {
    /// Hubs and authorities of a graph. Without arcs all are zero.
    pub fn of(&self, graph: &dyn LinkGraph) -> HubsAndAuthorities {
        self.watched(graph, &())
    }

    /// The same, while somebody looks.
    pub fn watched(&self, graph: &dyn LinkGraph, watcher: &dyn Watcher) -> HubsAndAuthorities {
        match self.memory.plan(graph, 24) {
            RankMode::InMemory => self.iterate(&*in_memory(graph), watcher),
            RankMode::Streamed => self.iterate(graph, watcher),
        }
    }

    fn iterate(&self, graph: &dyn LinkGraph, watcher: &dyn Watcher) -> HubsAndAuthorities {
        let nodes = graph.nodes();
        let mut authorities = vec![1.0; nodes];
        scale(&mut authorities);
        let (mut hubs, mut next) = (vec![0.0; nodes], vec![0.0; nodes]);
        let (mut steps, mut has_converged) = (0, false);
        while !has_converged && steps < self.steps_max {
            next.fill(0.0);
            graph.scan(0..nodes as u32, &mut |node, targets| {
                let hub: f64 = targets.iter().map(|target| authorities[*target as usize]).sum();
                hubs[node as usize] = hub;
                targets.iter().for_each(|target| next[*target as usize] += hub);
            });
            scale(&mut next);
            let moved: f64 = next.iter().zip(&authorities).map(|(new, old)| (new - old).powi(2)).sum();
            std::mem::swap(&mut next, &mut authorities);
            steps += 1;
            has_converged = moved.sqrt() <= self.step_max;
            watcher.progress("HITS", u64::from(steps), None);
        }
        scale(&mut hubs);
        HubsAndAuthorities { hubs, authorities, steps, has_converged }
    }
}

/// Makes the Euclidean norm one, unless it is zero.
fn scale(vector: &mut [f64]) {
    let norm = vector.iter().map(|number| number * number).sum::<f64>().sqrt();
    if norm > 0.0 {
        vector.iter_mut().for_each(|number| *number /= norm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hubs_and_authorities_explain_each_other(
            arcs in prop::collection::vec((0u32..12, 0u32..12), 1..40), bytes_max in prop::sample::select(vec![0, 1 << 20])
        ) {
            let graph = Csr::from_arcs(12, arcs);
            let found = Hits { step_max: 1e-13, steps_max: 100_000, memory: RankMemory { bytes_max } }.of(&graph);
            prop_assume!(found.has_converged);
            let mut hubs: Vec<f64> = (0..12)
                .map(|node| graph.targets(node).iter().map(|target| found.authorities[*target as usize]).sum())
                .collect();
            let back = graph.transpose();
            let mut authorities: Vec<f64> = (0..12)
                .map(|node| back.targets(node).iter().map(|source| found.hubs[*source as usize]).sum())
                .collect();
            scale(&mut hubs);
            scale(&mut authorities);
            for node in 0..12 {
                prop_assert!((hubs[node] - found.hubs[node]).abs() < 1e-6);
                prop_assert!((authorities[node] - found.authorities[node]).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn graphs_at_the_edge_have_the_obvious_hubs() {
        let half = 0.5f64.sqrt();
        let cases = [
            ("nothing", 0, vec![], vec![], vec![]),
            ("no arcs", 2, vec![], vec![0.0; 2], vec![0.0; 2]),
            ("a loop", 1, vec![(0, 0)], vec![1.0], vec![1.0]),
            ("a list of two", 3, vec![(0, 1), (0, 2)], vec![1.0, 0.0, 0.0], vec![0.0, half, half]),
        ];
        for (name, nodes, arcs, hubs, authorities) in cases {
            let found = Hits::default().of(&Csr::from_arcs(nodes, arcs));
            let near = |a: &[f64], b: &[f64]| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
            };
            assert!(near(&found.hubs, &hubs) && near(&found.authorities, &authorities), "{name}: {found:?}");
        }
    }
}
