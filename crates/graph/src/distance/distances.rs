//! What is known about the distances in a graph, exactly or by estimate.

use super::neighbourhood::Neighbourhood;

/// Distances *to* each node, from all nodes that can reach it: who is near to many is central.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    /// Harmonic centrality: Σ 1/d over all other nodes that can reach the node.
    pub harmonic: Vec<f64>,
    /// Σ d over the same.
    pub distance_sum: Vec<f64>,
    /// How many nodes can reach the node, itself included.
    pub reaching: Vec<f64>,
    /// How many pairs are within each distance.
    pub neighbourhood: Neighbourhood,
    /// How wrong all this may be.
    pub errors: DistanceErrors,
}

/// One standard error of each number. All are zero if distances are exact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DistanceErrors {
    /// Of a node's harmonic centrality, as a part of it (root of the mean square over nodes).
    pub harmonic: f64,
    /// Of the average distance, in arcs.
    pub average_distance: f64,
    /// Of the effective diameter (0.9), in arcs.
    pub effective_diameter: f64,
    /// Of the number of reachable pairs, as a part of it.
    pub reachable_pairs: f64,
}

impl Distances {
    /// Closeness centrality: 1 / Σ d; zero for nodes that nobody else can reach.
    pub fn closeness(&self) -> Vec<f64> {
        self.distance_sum.iter().map(|sum| if *sum > 0.0 { 1.0 / sum } else { 0.0 }).collect()
    }

    /// Lin's centrality, closeness corrected for how many can reach the node: their number squared / Σ d; one for nodes that
    /// nobody else can reach.
    pub fn lin(&self) -> Vec<f64> {
        let pairs = self.distance_sum.iter().zip(&self.reaching);
        pairs.map(|(sum, reaching)| if *sum > 0.0 { reaching * reaching / sum } else { 1.0 }).collect()
    }
}
