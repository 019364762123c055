//! Distances against truths by breadth-first visits from every node.

use graph::{HyperBall, exact_distances};

use crate::known_graphs::{cnr_2000, hollins};

/// The root of the mean of squared relative errors, over nodes that somebody reaches.
fn relative_error(found: &[f64], truth: &[f64]) -> f64 {
    let errors: Vec<f64> = found
        .iter()
        .zip(truth)
        .filter(|(_, truth)| **truth > 0.0)
        .map(|(found, truth)| (found / truth - 1.0).powi(2))
        .collect();
    (errors.iter().sum::<f64>() / errors.len() as f64).sqrt()
}

#[test]
fn exact_distances_are_exact() {
    let Some(known) = hollins() else { return };
    let distances = exact_distances(&known.graph, 2, &());
    let mut pairs = known.neighbourhood();
    // The truth goes on until nothing changes.
    pairs.dedup();
    assert_eq!(distances.neighbourhood.pairs, pairs);
    let truth = known.truth("harmonic.f64le");
    for (node, (found, truth)) in distances.harmonic.iter().zip(&truth).enumerate() {
        assert!((found - truth).abs() <= 1e-9 * truth, "node {node}: {found} instead of {truth}");
    }
}

#[test]
fn estimated_distances_are_within_two_percent() {
    let Some(known) = cnr_2000() else { return };
    let distances = HyperBall { threads: 2, ..HyperBall::default() }.of(&known.graph);
    let error = relative_error(&distances.harmonic, &known.truth("harmonic.f64le"));
    assert!(error <= 0.02, "harmonic centrality is off by {error}");
    let truth = known.neighbourhood();
    let pairs = distances.neighbourhood.reachable_pairs();
    let last = truth.last().expect("there is a distance zero");
    assert!((pairs / last - 1.0).abs() <= 0.02, "{pairs} pairs instead of {last}");
}
