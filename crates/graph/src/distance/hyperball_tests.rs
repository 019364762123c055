//! HyperBall against exact distances.

use super::*;
use crate::Csr;
use crate::distance::exact::exact_distances;
use proptest::prelude::*;

/// A graph with a core, chains that lead out of it, and nodes that nobody reaches.
fn some_graph(nodes: u32, salt: u64) -> Csr {
    let arc = move |node: u32, which: u64| {
        let hash = mix(salt ^ mix(u64::from(node) << 8 | which));
        // Two of three links are near, as in a web graph.
        let near = (node + hash as u32 % 20) % nodes;
        if hash >> 60 > 4 { near } else { (hash >> 20) as u32 % nodes }
    };
    let linking = (0..nodes).filter(move |node| node % 3 != 0);
    Csr::from_arcs(
        nodes as usize,
        linking.flat_map(move |node| (0..4).map(move |which| (node, arc(node, which)))),
    )
}

/// The root of the mean square of relative errors.
fn error(found: &[f64], truth: &[f64]) -> f64 {
    let parts = found.iter().zip(truth).filter(|(_, truth)| **truth > 0.0);
    let (sum, count) = parts
        .fold((0.0, 0.0), |(sum, count), (found, truth)| (sum + (found / truth - 1.0).powi(2), count + 1.0));
    (sum / f64::max(count, 1.0)).sqrt()
}

#[test]
fn estimates_are_as_wrong_as_they_say() {
    let graph = some_graph(3000, 1);
    let truth = exact_distances(&graph, 1, &());
    for (log2_registers, calibration_nodes, worst) in
        [(4, 128, 0.15), (6, 128, 0.04), (6, 0, 0.15), (10, 0, 0.04)]
    {
        for seed in 0..3 {
            let found =
                HyperBall { log2_registers, calibration_nodes, seed, ..HyperBall::default() }.of(&graph);
            let harmonic = error(&found.harmonic, &truth.harmonic);
            assert!(harmonic < worst, "{log2_registers} {calibration_nodes} {seed}: {harmonic}");
            assert!(harmonic < 3.0 * found.errors.harmonic, "{harmonic} by {}", found.errors.harmonic);
            assert!(error(&found.reaching, &truth.reaching) < worst * 1.5);
            assert!(error(&found.distance_sum, &truth.distance_sum) < worst * 1.5);
            let average = |of: &Distances| of.neighbourhood.average_distance().expect("there are arcs");
            let off = (average(&found) - average(&truth)).abs();
            assert!(off < 4.0 * found.errors.average_distance, "{off} by {}", found.errors.average_distance);
        }
    }
}

#[test]
fn all_forms_and_any_number_of_threads_give_the_same_numbers() {
    let graph = some_graph(800, 2);
    let options = HyperBall { log2_registers: 7, runs: 3, ..HyperBall::default() };
    let expected = options.of(&graph);
    for form in [RegisterForm::Packed, RegisterForm::Broadword] {
        assert_eq!(HyperBall { form, ..options }.of(&graph), expected, "{form:?}");
    }
    assert_eq!(HyperBall { threads: 2, ..options }.of(&graph), expected);
    assert_ne!(HyperBall { seed: 1, ..options }.of(&graph), expected);
}

/// The same lists, but not in memory.
struct Streamed(Csr);

impl LinkGraph for Streamed {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn arcs(&self) -> u64 {
        self.0.arcs()
    }

    fn successors(&self, node: u32, targets: &mut Vec<u32>) {
        self.0.successors(node, targets);
    }

    fn scan(&self, nodes: std::ops::Range<u32>, see: &mut dyn FnMut(u32, &[u32])) {
        self.0.scan(nodes, see);
    }
}

#[test]
fn a_graph_that_is_streamed_gives_the_same_numbers() {
    let graph = some_graph(800, 3);
    let expected = HyperBall { runs: 2, ..HyperBall::default() }.of(&graph);
    let (streamed, back) = (Streamed(graph.clone()), Streamed(graph.transpose()));
    // Nothing, one run, both runs, and the lists as well.
    for (bytes_max, threads, form, mode) in [
        (0, 1, RegisterForm::Packed, RankMode::Streamed),
        (800 * 200, 1, RegisterForm::Bytes, RankMode::Streamed),
        (800 * 370, 2, RegisterForm::Bytes, RankMode::Streamed),
        (1 << 20, 2, RegisterForm::Bytes, RankMode::InMemory),
    ] {
        let memory = RankMemory { bytes_max };
        let options = HyperBall { runs: 2, threads: 2, memory, ..HyperBall::default() };
        assert_eq!(options.within_budget(&streamed), (HyperBall { threads, form, ..options }, mode));
        assert_eq!(options.with_transpose(&streamed, &back, &()), expected, "{bytes_max}");
    }
    let (exact, streamed) = (exact_distances(&graph, 1, &()), exact_distances(&streamed, 1, &()));
    assert_eq!(exact.neighbourhood, streamed.neighbourhood);
    assert!(exact.harmonic.iter().zip(&streamed.harmonic).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn graphs_at_the_edge_are_measured_too() {
    let cases = [
        ("nothing", 0, vec![], vec![]),
        ("one node", 1, vec![], vec![0.0]),
        ("a loop", 1, vec![(0, 0)], vec![0.0]),
        ("no arcs", 3, vec![], vec![0.0; 3]),
    ];
    for (name, nodes, arcs, harmonic) in cases {
        let found = HyperBall::default().of(&Csr::from_arcs(nodes, arcs));
        assert_eq!(found.harmonic, harmonic, "{name}");
        assert_eq!(found.neighbourhood.average_distance(), None, "{name}");
    }
    let hub = Csr::from_arcs(5000, (1..5000).map(|node| (node, 0)));
    let found = HyperBall::default().of(&hub);
    assert!((found.harmonic[0] / 4999.0 - 1.0).abs() < 0.25, "{}", found.harmonic[0]);
    assert!(found.harmonic[1..].iter().all(|harmonic| *harmonic == 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn small_graphs_that_are_calibrated_on_all_nodes_are_exact(
        arcs in prop::collection::vec((0u32..40, 0u32..40), 0..120), seed: u64
    ) {
        let graph = Csr::from_arcs(40, arcs);
        let (found, truth) = (HyperBall { seed, ..HyperBall::default() }.of(&graph), exact_distances(&graph, 1, &()));
        prop_assert!(error(&found.harmonic, &truth.harmonic) < 1e-9);
        for (found, truth) in found.neighbourhood.pairs.iter().zip(&truth.neighbourhood.pairs) {
            prop_assert!((found / truth - 1.0).abs() < 1e-6);
        }
    }
}
