//! PageRank against a dense matrix, and its behaviour at the edges.

use super::*;
use crate::Csr;
use proptest::prelude::*;

/// Power iteration with the whole matrix, long after nothing changes any more.
fn dense(nodes: usize, arcs: &[(u32, u32, u32)], options: &PageRank) -> Vec<f64> {
    let anywhere = vec![1.0 / nodes as f64; nodes];
    let preference = options.preference.as_ref().map_or(anywhere.clone(), |given| scaled(given, nodes));
    let mut weight = vec![vec![0.0; nodes]; nodes];
    for (source, target, of_arc) in arcs {
        weight[*source as usize][*target as usize] += f64::from(*of_arc);
    }
    for row in &mut weight {
        let total: f64 = row.iter().sum();
        match options.dead_ends {
            _ if total > 0.0 => row.iter_mut().for_each(|entry| *entry /= total),
            DeadEnds::ToPreference => row.clone_from(&preference),
            DeadEnds::ToAll => row.clone_from(&anywhere),
        }
    }
    let mut rank = anywhere;
    for _ in 0..800 {
        let arrives = |to: usize| (0..nodes).map(|from| rank[from] * weight[from][to]).sum::<f64>();
        rank = (0..nodes)
            .map(|to| options.damping * arrives(to) + (1.0 - options.damping) * preference[to])
            .collect();
    }
    rank
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

const NODES: usize = 12;

fn options() -> impl Strategy<Value = PageRank> {
    let preference =
        prop::option::of(prop::collection::vec(prop::sample::select(vec![0.0, 0.5, 3.0]), NODES));
    let dead_ends = prop::sample::select(vec![DeadEnds::ToPreference, DeadEnds::ToAll]);
    let damping = prop::sample::select(vec![0.0, 0.3, 0.85, 0.95]);
    let error_max = prop::sample::select(vec![1e-3, 1e-6, 1e-10]);
    let streamed = prop::sample::select(vec![0, 1 << 20]);
    (preference, dead_ends, damping, error_max, streamed).prop_map(
        |(preference, dead_ends, damping, error_max, bytes_max)| PageRank {
            damping,
            preference: preference.filter(|preference| preference.iter().sum::<f64>() > 0.0),
            dead_ends,
            error_max,
            memory: RankMemory { bytes_max },
            ..PageRank::default()
        },
    )
}

proptest! {
    #[test]
    fn ranks_are_as_close_to_those_of_the_matrix_as_promised(
        arcs in prop::collection::vec((0..NODES as u32, 0..NODES as u32), 0..40),
        options in options()
    ) {
        let graph = Csr::from_arcs(NODES, arcs.iter().copied());
        let mut all = Vec::new();
        graph.scan(0..NODES as u32, &mut |node, targets| all.extend(targets.iter().map(|target| (node, *target, 1))));
        let (ranks, truth) = (options.of(&graph), dense(NODES, &all, &options));
        prop_assert!(ranks.error_bound <= options.error_max);
        let distance = distance(&ranks.scores, &truth);
        prop_assert!(distance <= ranks.error_bound + 1e-12, "{} > {}", distance, ranks.error_bound);
    }

    #[test]
    fn weights_count_as_arcs_that_are_there_several_times(
        arcs in prop::collection::vec((0..NODES as u32, 0..NODES as u32, 1u32..9), 0..40),
        options in options()
    ) {
        let ranks = options.of_weighted(&WeightedCsr::from_arcs(NODES, arcs.iter().copied()));
        prop_assert!(ranks.error_bound <= options.error_max);
        prop_assert!(distance(&ranks.scores, &dense(NODES, &arcs, &options)) <= ranks.error_bound + 1e-12);
    }
}

#[test]
fn graphs_at_the_edge_have_the_obvious_ranks() {
    let star = (1..1000).map(|node| (node, 0));
    let cases = [
        ("nothing", 0, vec![], vec![]),
        ("one node", 1, vec![], vec![1.0]),
        ("a loop", 1, vec![(0, 0)], vec![1.0]),
        ("dead ends only", 4, vec![], vec![0.25; 4]),
        ("a ring", 3, vec![(0, 1), (1, 2), (2, 0)], vec![1.0 / 3.0; 3]),
    ];
    for (name, nodes, arcs, expected) in cases {
        let ranks = PageRank::default().of(&Csr::from_arcs(nodes, arcs));
        assert!(distance(&ranks.scores, &expected) < 1e-6, "{name}: {:?}", ranks.scores);
        assert_eq!(ranks.scores.len(), nodes, "{name}");
    }
    let ranks = PageRank { error_max: 1e-12, ..PageRank::default() }.of(&Csr::from_arcs(1000, star));
    // All others have the same rank x, and the hub gets x and α times all of theirs.
    assert!((ranks.scores[0] / ranks.scores[1] - (1.0 + 0.85 * 999.0)).abs() < 1e-6);
}

#[test]
fn sweeps_end_when_they_have_to() {
    let graph = Csr::from_arcs(3, [(0, 1), (1, 2), (2, 1)]);
    let ranks = PageRank { error_max: 0.0, sweeps_max: 7, ..PageRank::default() }.of(&graph);
    assert_eq!(ranks.sweeps, 7);
    assert!(ranks.error_bound > 0.0);
}

#[test]
#[should_panic(expected = "prefers something")]
fn a_preference_for_nothing_is_refused() {
    PageRank { preference: Some(vec![0.0, 0.0]), ..PageRank::default() }.of(&Csr::from_arcs(2, []));
}
