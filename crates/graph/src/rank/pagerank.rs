//! PageRank: how often is a page seen by somebody who follows links at random, and now and then begins anew?
//!
//! With probability α (the damping) the surfer follows a link, otherwise jumps to a page by the preference. What happens
//! on a page without links is [`DeadEnds`]. Jumping by the preference there as well (the default; "strongly preferential")
//! makes the rank the solution of x = v + α·Pᵀx, scaled to sum 1, so that dead ends need no treatment at all. If the surfer
//! is to jump anywhere while the preference is not uniform, two such solutions are mixed.
//!
//! The solution is found by [`Relaxation`], until the L1 distance between our ranks and the true ones is certainly below
//! `error_max`. The bound holds for the ranks themselves, not for the step between two iterations.
//!
//! Cost: about 30 sweeps for an error of 10⁻⁶ at α = 0.85; see [`RankMemory`] for the two ways to read arcs.
//!
//! After Brin and Page, "The anatomy of a large-scale hypertextual web search engine" (1998); Boldi, Santini, Vigna,
//! "PageRank: functional dependencies" (2009) for what dangling nodes do; Del Corso, Gullì, Romani, "Fast PageRank
//! computation via a sparse linear system" (2005).

use std::ops::Range;

use super::memory::{RankMemory, RankMode};
use super::relaxation::{Relaxation, sum};
use crate::link_graph::in_memory;
use crate::{LinkGraph, Watcher, WeightedCsr};

/// Where the surfer goes from a page without links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeadEnds {
    /// To a page by the preference, as at any jump.
    #[default]
    ToPreference,
    /// Anywhere.
    ToAll,
}

/// How to compute PageRank.
///
/// ```
/// use graph::{Csr, PageRank};
/// let graph = Csr::from_arcs(3, [(0, 1), (1, 2), (2, 1)]);
/// let ranks = PageRank::default().of(&graph);
/// assert!(ranks.scores[1] > ranks.scores[2] && ranks.scores[2] > ranks.scores[0]);
/// assert!(ranks.error_bound <= 1e-6);
/// ```
#[derive(Debug, Clone)]
pub struct PageRank {
    /// The probability of following a link; at least 0, below 1.
    pub damping: f64,
    /// Where jumps go, in proportion; not negative. Anywhere if absent.
    pub preference: Option<Vec<f64>>,
    /// What happens on pages without links.
    pub dead_ends: DeadEnds,
    /// The ranks have at most this L1 distance from the true ones.
    pub error_max: f64,
    /// Ends the computation in any case.
    pub sweeps_max: u32,
    /// Decides between the two modes.
    pub memory: RankMemory,
}

impl Default for PageRank {
    fn default() -> Self {
        Self {
            damping: 0.85,
            preference: None,
            dead_ends: DeadEnds::default(),
            error_max: 1e-6,
            sweeps_max: 1000,
            memory: RankMemory::default(),
        }
    }
}

/// What came out.
#[derive(Debug, Clone)]
pub struct PageRanks {
    /// A probability per node.
    pub scores: Vec<f64>,
    /// The L1 distance between the scores and the true ones is not larger.
    pub error_bound: f64,
    /// How often the arcs were gone through.
    pub sweeps: u32,
    /// How they were read.
    pub mode: RankMode,
}

impl PageRank {
    /// Score and residual, and both before a leap; the bit does not count.
    const BYTES_PER_NODE: u64 = 32;

    /// The ranks of a graph whose links count the same.
    ///
    /// # Panics
    ///
    /// If the damping or the preference is not what its field asks for.
    pub fn of(&self, graph: &dyn LinkGraph) -> PageRanks {
        self.watched(graph, &())
    }

    /// The same, while somebody looks.
    pub fn watched(&self, graph: &dyn LinkGraph, watcher: &dyn Watcher) -> PageRanks {
        match self.memory.plan(graph, Self::BYTES_PER_NODE) {
            RankMode::InMemory => {
                let lists = in_memory(graph);
                self.rank(&*lists, RankMode::InMemory, watcher, &|state, nodes| {
                    nodes.for_each(|node| state.relax(node, lists.targets(node)));
                })
            }
            RankMode::Streamed => self.rank(graph, RankMode::Streamed, watcher, &|state, nodes| {
                graph.scan(nodes, &mut |node, targets| state.relax(node, targets));
            }),
        }
    }

    /// The ranks of a graph whose links count by their weight, such as one of hosts.
    pub fn of_weighted(&self, graph: &WeightedCsr) -> PageRanks {
        self.rank(graph, RankMode::InMemory, &(), &|state, nodes| {
            nodes.for_each(|node| state.relax_weighted(node, graph.targets(node), graph.weights(node)));
        })
    }

    fn rank(&self, graph: &dyn LinkGraph, mode: RankMode, watcher: &dyn Watcher, relax: Relax) -> PageRanks {
        assert!((0.0..1.0).contains(&self.damping), "a damping of {} has no rank", self.damping);
        let nodes = graph.nodes();
        let anywhere = || vec![1.0 / nodes as f64; nodes];
        if let (Some(preference), DeadEnds::ToAll) = (&self.preference, self.dead_ends) {
            // The mixture below multiplies errors by up to 1 / (1 − α)².
            let error_max = self.error_max * (1.0 - self.damping).powi(2) / 2.0;
            let preferred = self.solve(scaled(preference, nodes), error_max, mode, watcher, relax);
            let uniform = self.solve(anywhere(), error_max, mode, watcher, relax);
            return self.mix(graph, mode, preferred, uniform);
        }
        let preference = self.preference.as_ref().map_or_else(anywhere, |given| scaled(given, nodes));
        // What is missing counts twice: it is missing at its place, and scaling spreads it over all others.
        let solution = self.solve(preference, self.error_max / 2.0, mode, watcher, relax);
        let error_bound = 2.0 * solution.missing / sum(&solution.scores).max(f64::MIN_POSITIVE);
        PageRanks { scores: scaled(&solution.scores, nodes), error_bound, sweeps: solution.sweeps, mode }
    }

    fn solve(
        &self,
        preference: Vec<f64>,
        error_max: f64,
        mode: RankMode,
        watcher: &dyn Watcher,
        relax: Relax,
    ) -> Solution {
        let block = match mode {
            RankMode::InMemory => BLOCK_IN_MEMORY,
            RankMode::Streamed => BLOCK_STREAMED,
        };
        let mut state = Relaxation::new(self.damping, preference);
        let (mut sweeps, mut error) = (0, f64::INFINITY);
        while error > error_max && sweeps < self.sweeps_max {
            error = state.sweep(block, relax);
            sweeps += 1;
            watcher.progress("PageRank", u64::from(sweeps), None);
        }
        let scores = state.into_scores();
        Solution { missing: error * sum(&scores), scores, sweeps }
    }

    /// The rank of a surfer who jumps by a preference, but from dead ends anywhere: for δ, the part of the time that is
    /// spent on dead ends, it is (1 − α)·preferred + α·δ·uniform, and summed over dead ends this says what δ is.
    fn mix(
        &self,
        graph: &dyn LinkGraph,
        mode: RankMode,
        preferred: Solution,
        uniform: Solution,
    ) -> PageRanks {
        let (follow, jump) = (self.damping, 1.0 - self.damping);
        let (mut ends_preferred, mut ends_uniform) = (0.0, 0.0);
        graph.scan(0..graph.nodes() as u32, &mut |node, targets| {
            if targets.is_empty() {
                ends_preferred += preferred.scores[node as usize];
                ends_uniform += uniform.scores[node as usize];
            }
        });
        let on_dead_ends = jump * ends_preferred / (1.0 - follow * ends_uniform);
        let mut scores = preferred.scores;
        for (score, uniform) in scores.iter_mut().zip(&uniform.scores) {
            *score = jump * *score + follow * on_dead_ends * uniform;
        }
        PageRanks {
            scores: scaled(&scores, graph.nodes()),
            error_bound: 2.0 * (preferred.missing + follow / jump * uniform.missing),
            sweeps: preferred.sweeps + uniform.sweeps,
            mode,
        }
    }
}

/// Relaxes the nodes of a block in order.
type Relax<'a> = &'a dyn Fn(&mut Relaxation, Range<u32>);

/// Neighbours that are relaxed or wait together. Where a scan begins some lists are decompressed that nobody asked for, so
/// these blocks are larger.
const BLOCK_IN_MEMORY: usize = 32;
const BLOCK_STREAMED: usize = 256;

struct Solution {
    scores: Vec<f64>,
    /// The sum of the solution is larger by at most this.
    missing: f64,
    sweeps: u32,
}

/// The same proportions with sum 1.
fn scaled(numbers: &[f64], nodes: usize) -> Vec<f64> {
    assert_eq!(numbers.len(), nodes, "a preference has a number for each node");
    let total = sum(numbers);
    let is_proper =
        numbers.iter().all(|number| *number >= 0.0) && (total > 0.0 || nodes == 0) && total.is_finite();
    assert!(is_proper, "a preference is not negative and prefers something");
    numbers.iter().map(|number| number / total).collect()
}

#[cfg(test)]
#[path = "pagerank_tests.rs"]
mod tests;
