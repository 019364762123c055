//! The first nodes by each rank, and ranks of hosts.

use std::collections::{BTreeMap, HashMap};

use graph::{Csr, Distances, GraphFolder, Hits, HyperBall, LinkGraph, PageRank, WeightedCsr, in_degrees};
use serde::Serialize;

use crate::graphs::arcs::RankedArcs;
use crate::graphs::ranks::NodeRanks;

/// How many are named.
const TOPS: usize = 10;

/// A node and what it has.
#[derive(Debug, Clone, Serialize)]
pub struct Top {
    /// The number of the node.
    #[serde(skip)]
    pub node: u32,
    /// An address, the name of a host, or the number of a node.
    pub name: String,
    /// Its rank.
    pub score: f64,
}

/// Finds the first nodes by each rank.
pub fn of_nodes(
    arcs: &RankedArcs,
    ranks: &NodeRanks,
    name: impl Fn(u32) -> String,
) -> BTreeMap<&'static str, Vec<Top>> {
    let in_degree: Vec<f64> = ranks.in_degree.iter().map(|degree| f64::from(*degree)).collect();
    // For a list of the first ones some steps are enough.
    let hits = Hits { steps_max: 100, step_max: 1e-6, memory: arcs.memory() }.of(arcs.graph());
    let lists = [
        ("pagerank", &ranks.pagerank),
        ("harmonic", &ranks.distances.harmonic),
        ("in_degree", &in_degree),
        ("authority", &hits.authorities),
        ("hub", &hits.hubs),
    ];
    lists.into_iter().map(|(rank, scores)| (rank, first(scores, &name))).collect()
}

/// Finds the nodes with the best scores; of equal ones the first.
pub fn first(scores: &[f64], name: impl Fn(u32) -> String) -> Vec<Top> {
    let mut nodes: Vec<u32> = (0..scores.len() as u32).collect();
    let order = |one: &u32, other: &u32| {
        scores[*other as usize].total_cmp(&scores[*one as usize]).then_with(|| one.cmp(other))
    };
    if nodes.len() > TOPS {
        nodes.select_nth_unstable_by(TOPS, order);
        nodes.truncate(TOPS);
    }
    nodes.sort_unstable_by(order);
    nodes.into_iter().map(|node| Top { node, name: name(node), score: scores[node as usize] }).collect()
}

/// Ranks of hosts, on the links of pages that count. Links within a host are no votes for it and are left out.
pub struct HostRanks {
    names: Vec<String>,
    pagerank: Vec<f64>,
    harmonic: Vec<f64>,
    in_degree: Vec<f64>,
}

impl HostRanks {
    /// Counts links between hosts, and ranks them: PageRank by the number of links, the others by distinct hosts. None if no
    /// host links to another.
    pub fn of(folder: &GraphFolder, arcs: &dyn LinkGraph, damping: f64) -> Option<Self> {
        let starts = folder.host_starts();
        let host_of = |node: u32| starts.partition_point(|start| *start <= node) as u32 - 1;
        let mut weights: HashMap<(u32, u32), u32> = HashMap::new();
        arcs.scan(0..arcs.nodes() as u32, &mut |node, targets| {
            let host = host_of(node);
            for target in targets {
                let other = host_of(*target);
                if other != host {
                    *weights.entry((host, other)).or_default() += 1;
                }
            }
        });
        if weights.is_empty() {
            return None;
        }
        let hosts = starts.len();
        let arcs = weights.into_iter().map(|((host, other), weight)| (host, other, weight));
        let graph = WeightedCsr::from_arcs(hosts, arcs);
        let back = Csr::from_graph(&graph).transpose();
        Some(Self {
            names: (0..hosts as u32).map(|host| folder.hosts().name(host).to_owned()).collect(),
            pagerank: PageRank { damping, ..PageRank::default() }.of_weighted(&graph).scores,
            harmonic: Distances::of(&graph, &back, &HyperBall::default(), &()).harmonic,
            in_degree: in_degrees(&graph).into_iter().map(f64::from).collect(),
        })
    }

    /// The first ones by each rank.
    pub fn tops(&self) -> BTreeMap<&'static str, Vec<Top>> {
        let lists =
            [("pagerank", &self.pagerank), ("harmonic", &self.harmonic), ("in_degree", &self.in_degree)];
        let name = |host: u32| self.names[host as usize].clone();
        lists.into_iter().map(|(rank, scores)| (rank, first(scores, name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_of_equal_ones_the_first() {
        let scores: Vec<f64> = (0..100).map(|node| f64::from(node % 50)).collect();
        let found: Vec<u32> = first(&scores, |node| node.to_string()).iter().map(|top| top.node).collect();
        assert_eq!(found, [49, 99, 48, 98, 47, 97, 46, 96, 45, 95]);
        assert_eq!(first(&[1.0], |_| "a".into()).len(), 1);
        assert!(first(&[], |_| String::new()).is_empty());
    }
}
