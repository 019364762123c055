//! Some random nodes, and their exact distances from everybody.

use super::counter::mix;
use super::many_sources::ManySources;
use crate::{LinkGraph, Watcher};

/// Words of bits at a node: 128 searches at once.
const WORDS: usize = 2;

/// Distances to a few nodes.
pub(crate) struct Measured {
    /// Which ones.
    pub nodes: Vec<u32>,
    /// For each distance from 0 on, how many nodes are that far from each of them.
    at_distance: Vec<Vec<u32>>,
}

impl Measured {
    /// Chooses `count` nodes by the seed and searches backwards from them, along the transpose.
    pub fn choose(transpose: &dyn LinkGraph, count: usize, seed: u64, watcher: &dyn Watcher) -> Self {
        let mut nodes = sample(transpose.nodes() as u64, count, seed);
        let mut at_distance = vec![vec![1; nodes.len()]];
        if !nodes.is_empty() {
            let mut search = ManySources::<WORDS>::new(transpose.nodes());
            // Near nodes share their way, so they share a batch.
            nodes.sort_unstable();
            for (batch, sources) in nodes.chunks(ManySources::<WORDS>::SOURCES).enumerate() {
                let first = batch * ManySources::<WORDS>::SOURCES;
                search.search(transpose, sources, &mut |distance, _, bits| {
                    if at_distance.len() == distance {
                        at_distance.push(vec![0; nodes.len()]);
                    }
                    let counts = &mut at_distance[distance][first..];
                    for (word, bits) in bits.iter().enumerate() {
                        let mut rest = *bits;
                        while rest != 0 {
                            counts[word * 64 + rest.trailing_zeros() as usize] += 1;
                            rest &= rest - 1;
                        }
                    }
                });
                watcher.progress("calibration", (first + sources.len()) as u64, Some(nodes.len() as u64));
            }
        }
        Self { nodes, at_distance }
    }

    /// Σ weight(d) over all others that can reach each node.
    pub fn sums(&self, weight: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.nodes.len()];
        for (distance, counts) in self.at_distance.iter().enumerate().skip(1) {
            sums.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += weight(distance as f64) * f64::from(*count));
        }
        sums
    }

    /// The sizes of the balls, a list for each radius.
    pub fn balls(&self) -> Vec<Vec<f64>> {
        let mut size = vec![0.0; self.nodes.len()];
        let grown = self.at_distance.iter().map(|counts| {
            size.iter_mut().zip(counts).for_each(|(size, count)| *size += f64::from(*count));
            size.clone()
        });
        grown.collect()
    }
}

/// Different numbers below `nodes`; all of them if there are not more.
fn sample(nodes: u64, count: usize, seed: u64) -> Vec<u32> {
    if nodes <= count as u64 {
        return (0..nodes as u32).collect();
    }
    let mut chosen = std::collections::BTreeSet::new();
    let mut draws = 0..;
    while chosen.len() < count {
        let draw = mix(seed ^ mix(draws.next().expect("endless")));
        // The upper half of the product is uniform below `nodes`.
        chosen.insert(((u128::from(draw) * u128::from(nodes)) >> 64) as u32);
    }
    chosen.into_iter().collect()
}
