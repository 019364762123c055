//! Exact distances, by a search from every node.
//!
//! Cost: nodes / 512 batches, each some passes over the graph; whoever can unpacks it before. Quadratic, so for small graphs only.

use std::sync::atomic::{AtomicU64, Ordering};

use super::distances::{DistanceErrors, Distances};
use super::many_sources::ManySources;
use super::neighbourhood::Neighbourhood;
use crate::{LinkGraph, Watcher};

/// Words of bits at a node: 512 searches at once.
const WORDS: usize = 8;

/// The distances to each node from all that can reach it. Sums depend on the number of threads in their last digit.
pub fn exact_distances(graph: &dyn LinkGraph, threads: usize, watcher: &dyn Watcher) -> Distances {
    let batches = graph.nodes().div_ceil(ManySources::<WORDS>::SOURCES);
    let threads = threads.clamp(1, batches.max(1));
    let done = AtomicU64::new(0);
    let of_thread = |thread: usize| {
        let mut sums = Sums::new(graph.nodes());
        let mut search = ManySources::<WORDS>::new(graph.nodes());
        for batch in (thread..batches).step_by(threads) {
            sums.add_batch(graph, &mut search, batch);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if thread == 0 {
                watcher.progress("distances", done, Some(batches as u64));
            }
        }
        sums
    };
    let parts: Vec<Sums> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || of_thread(thread))).collect();
        let mut parts = vec![of_thread(0)];
        parts.extend(others.into_iter().map(|other| other.join().expect("a search does not panic")));
        parts
    });
    let sums = parts.into_iter().reduce(Sums::plus).expect("there is at least one thread");
    sums.into_distances()
}

/// What the searches of one thread have found.
struct Sums {
    harmonic: Vec<f64>,
    distance_sum: Vec<u64>,
    reaching: Vec<u32>,
    /// Pairs at exactly each distance.
    pairs: Vec<u64>,
}

impl Sums {
    fn new(nodes: usize) -> Self {
        let (distance_sum, reaching) = (vec![0; nodes], vec![0; nodes]);
        Self { harmonic: vec![0.0; nodes], distance_sum, reaching, pairs: Vec::new() }
    }

    fn add_batch(&mut self, graph: &dyn LinkGraph, search: &mut ManySources<WORDS>, batch: usize) {
        let size = ManySources::<WORDS>::SOURCES;
        let sources: Vec<u32> =
            (batch * size..graph.nodes().min((batch + 1) * size)).map(|node| node as u32).collect();
        search.search(graph, &sources, &mut |distance, node, bits| {
            let count: u32 = bits.iter().map(|word| word.count_ones()).sum();
            self.harmonic[node as usize] += f64::from(count) / distance as f64;
            self.distance_sum[node as usize] += u64::from(count) * distance as u64;
            self.reaching[node as usize] += count;
            self.pairs.resize(self.pairs.len().max(distance), 0);
            self.pairs[distance - 1] += u64::from(count);
        });
    }

    fn plus(mut self, other: Self) -> Self {
        self.harmonic.iter_mut().zip(&other.harmonic).for_each(|(sum, more)| *sum += more);
        self.distance_sum.iter_mut().zip(&other.distance_sum).for_each(|(sum, more)| *sum += more);
        self.reaching.iter_mut().zip(&other.reaching).for_each(|(sum, more)| *sum += more);
        self.pairs.resize(self.pairs.len().max(other.pairs.len()), 0);
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(sum, more)| *sum += more);
        self
    }

    fn into_distances(self) -> Distances {
        let mut upto = self.harmonic.len() as u64;
        let mut pairs = vec![upto as f64];
        for at_distance in self.pairs {
            upto += at_distance;
            pairs.push(upto as f64);
        }
        Distances {
            harmonic: self.harmonic,
            distance_sum: self.distance_sum.into_iter().map(|sum| sum as f64).collect(),
            reaching: self.reaching.into_iter().map(|others| f64::from(others) + 1.0).collect(),
            neighbourhood: Neighbourhood { pairs },
            errors: DistanceErrors::default(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Csr;
    use proptest::prelude::*;

    /// The distance of each pair by trying every way over every node (Floyd and Warshall).
    pub fn all_pairs(graph: &Csr) -> Vec<Vec<Option<u32>>> {
        let nodes = graph.nodes();
        let mut distance = vec![vec![None; nodes]; nodes];
        for (node, row) in distance.iter_mut().enumerate() {
            graph.targets(node as u32).iter().for_each(|target| row[*target as usize] = Some(1));
            row[node] = Some(0);
        }
        for (over, from, to) in (0..nodes.pow(3)).map(|i| (i / nodes / nodes, i / nodes % nodes, i % nodes)) {
            let detour = distance[from][over].zip(distance[over][to]).map(|(there, on)| there + on);
            let known = distance[from][to];
            distance[from][to] = [known, detour].into_iter().flatten().min();
        }
        distance
    }

    proptest! {
        #[test]
        fn exact_distances_are_those_of_all_pairs(
            arcs in prop::collection::vec((0u32..30, 0u32..30), 0..90), threads in 1usize..4
        ) {
            let graph = Csr::from_arcs(30, arcs);
            let (found, truth) = (exact_distances(&graph, threads, &()), all_pairs(&graph));
            for to in 0..30 {
                let known: Vec<u32> = truth.iter().filter_map(|row| row[to]).collect();
                let harmonic: f64 = known.iter().filter(|d| **d > 0).map(|d| 1.0 / f64::from(*d)).sum();
                prop_assert!((found.harmonic[to] - harmonic).abs() < 1e-9);
                prop_assert_eq!(found.distance_sum[to], f64::from(known.iter().sum::<u32>()));
                prop_assert_eq!(found.reaching[to], known.len() as f64);
            }
            let within = |max: u32| truth.iter().flatten().flatten().filter(|d| **d <= max).count() as f64;
            let longest = truth.iter().flatten().flatten().max().copied().unwrap_or(0);
            prop_assert_eq!(found.neighbourhood.pairs, (0..=longest).map(within).collect::<Vec<_>>());
        }
    }

    #[test]
    fn batches_and_threads_change_nothing() {
        let nodes = 1500;
        let arcs =
            (0..nodes).flat_map(|node| [(node, (node * 7 + 1) % nodes), (node, (node * node + 3) % nodes)]);
        let graph = Csr::from_arcs(nodes as usize, arcs);
        let (one, three) = (exact_distances(&graph, 1, &()), exact_distances(&graph, 3, &()));
        assert_eq!(one.neighbourhood, three.neighbourhood);
        assert_eq!(one.distance_sum, three.distance_sum);
        assert!(one.harmonic.iter().zip(&three.harmonic).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn empty_graphs_have_no_distances() {
        let nothing = exact_distances(&Csr::from_arcs(0, []), 2, &());
        assert_eq!(nothing.neighbourhood.pairs, [0.0]);
        let alone = exact_distances(&Csr::from_arcs(2, [(0, 0)]), 2, &());
        assert_eq!((alone.harmonic, alone.neighbourhood.pairs), (vec![0.0; 2], vec![2.0]));
    }
}
