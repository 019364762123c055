//! One run of HyperBall: balls around all nodes grow by one arc at a time.
//!
//! The ball of radius t around x holds all nodes from which x can be reached by at most t arcs. Those of radius t + 1 are
//! unions: of the ball of x and of those of all nodes that link to x. Balls are kept as counters, so that only their
//! sizes are known, and those approximately. From the growth of the sizes come distances: what is new at radius t is at
//! distance t.
//!
//! Whoever links hands its counter on, along the lists of the graph itself: no transpose. And only those whose counter has
//! changed in the last step do, because all others have nothing new to say.
//!
//! Cost: two counters (128 bytes with 64 registers) and some 37 bytes a node, and 8 bytes a step for each traced node; a
//! union per arc from a changed node.
//!
//! After Boldi and Vigna, "In-core computation of geometric centralities with HyperBall: a hundred billion nodes and beyond"
//! (2013). Theirs pulls along the transpose and needs both graphs to know who changed.

use super::counter::{Counter, SizeEstimator};
use crate::{LinkGraph, Watcher};

/// What a run is told.
pub(crate) struct Run<'a> {
    pub graph: &'a dyn LinkGraph,
    pub seed: u64,
    /// Nodes whose balls are to be written down for each radius.
    pub traced: &'a [u32],
    pub watcher: &'a dyn Watcher,
}

/// What a run finds, for each node or each radius.
pub(crate) struct Grown {
    /// Σ 1/d over all others from which the node can be reached.
    pub harmonic: Vec<f64>,
    /// Σ d over the same.
    pub distance_sum: Vec<f64>,
    /// How many can reach the node, itself included.
    pub reaching: Vec<f64>,
    /// The sum of the sizes of all balls.
    pub pairs: Vec<f64>,
    /// The sizes of the traced balls, a list for each radius.
    pub traced: Vec<Vec<f64>>,
}

impl Run<'_> {
    pub fn grow<C: Counter>(&self) -> Grown {
        let nodes = self.graph.nodes();
        let estimator = SizeEstimator::new(C::REGISTERS);
        let mut ball: Vec<C> = (0..nodes as u32).map(|node| C::of(self.seed, node)).collect();
        let mut next = ball.clone();
        let mut size: Vec<f32> = ball.iter().map(|ball| estimator.size(ball.shares()) as f32).collect();
        let (mut harmonic, mut distance_sum) = (vec![0.0; nodes], vec![0.0; nodes]);
        let mut pairs = vec![size.iter().map(|size| f64::from(*size)).sum::<f64>()];
        let trace = |size: &[f32]| self.traced.iter().map(|node| f64::from(size[*node as usize])).collect();
        let mut traced: Vec<Vec<f64>> = vec![trace(&size)];
        let mut changed: Vec<u32> = (0..nodes as u32).collect();
        let (mut touched, mut is_touched) = (Vec::new(), vec![false; nodes]);
        while !changed.is_empty() {
            let radius = pairs.len() as f64;
            let is_sparse = changed.len() * SPARSE_PART < nodes;
            visit(self.graph, &changed, &mut |node, targets| {
                if is_sparse {
                    touched.extend(targets.iter().filter(|target| !is_touched[**target as usize]));
                }
                let from = &ball[node as usize];
                for target in targets {
                    next[*target as usize].unite(from);
                    is_touched[*target as usize] = true;
                }
            });
            // Sums of growth are added up in the order of nodes in both cases, so they are the same.
            match is_sparse {
                true => touched.sort_unstable(),
                false => touched.extend((0..nodes as u32).filter(|node| is_touched[*node as usize])),
            }
            changed.clear();
            let mut growth = 0.0;
            for node in touched.drain(..) {
                let at = node as usize;
                is_touched[at] = false;
                if next[at] != ball[at] {
                    ball[at] = next[at];
                    let now = estimator.size(ball[at].shares()) as f32;
                    let new = f64::from(now) - f64::from(size[at]);
                    size[at] = now;
                    harmonic[at] += new / radius;
                    distance_sum[at] += new * radius;
                    growth += new;
                    changed.push(node);
                }
            }
            if !changed.is_empty() {
                pairs.push(pairs[pairs.len() - 1] + growth);
                traced.push(trace(&size));
                self.watcher.progress("HyperBall", pairs.len() as u64 - 1, None);
            }
        }
        let reaching = size.iter().map(|size| f64::from(*size)).collect();
        Grown { harmonic, distance_sum, reaching, pairs, traced }
    }
}

/// If a smaller part of the balls than this one in so many has changed, those that they touch are listed: to look for them
/// among all nodes would cost more, and a graph with long paths needs many such steps.
const SPARSE_PART: usize = 16;

/// To decompress one list is about this much dearer than to do so in a scan.
pub(crate) const RANDOM_ACCESS_COST: usize = 6;

/// Shows the lists of some nodes, which ascend.
fn visit(graph: &dyn LinkGraph, nodes: &[u32], see: &mut dyn FnMut(u32, &[u32])) {
    if let Some(csr) = graph.as_csr() {
        nodes.iter().for_each(|node| see(*node, csr.targets(*node)));
    } else if nodes.len() * RANDOM_ACCESS_COST < graph.nodes() {
        let mut targets = Vec::new();
        for node in nodes {
            graph.successors(*node, &mut targets);
            see(*node, &targets);
        }
    } else {
        let mut wanted = nodes.iter().copied().peekable();
        graph.scan(0..graph.nodes() as u32, &mut |node, targets| {
            if wanted.next_if_eq(&node).is_some() {
                see(node, targets);
            }
        });
    }
}
