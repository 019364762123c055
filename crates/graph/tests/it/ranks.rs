//! PageRank against an independent power iteration to 10⁻¹⁴.

use graph::{PageRank, RankMemory, RankMode};

use crate::known_graphs::all;

#[test]
fn pagerank_is_exact_in_both_modes() {
    for known in all() {
        let truth = known.truth("pagerank.f64le");
        for (bytes_max, mode) in [(u64::MAX, RankMode::InMemory), (0, RankMode::Streamed)] {
            for error_max in [1e-6, 1e-10] {
                let options = PageRank { error_max, memory: RankMemory { bytes_max }, ..PageRank::default() };
                let ranks = options.of(&known.graph);
                let distance: f64 = ranks.scores.iter().zip(&truth).map(|(a, b)| (a - b).abs()).sum();
                assert!(distance <= error_max, "{}: {distance:e} instead of {error_max:e}", known.name);
                assert!(ranks.error_bound <= error_max);
                assert_eq!(ranks.mode, mode);
            }
        }
    }
}
