//! How long do the ranks of a graph take? Prints CPU seconds: `cargo run --release -p graph --example ranks BASENAME`.
//!
//! With truths beside the graph (`truth/harmonic.f64le`, `truth/pagerank.f64le`) the errors are printed as well.

use std::path::{Path, PathBuf};

use graph::{
    BowTie, BowTiePart, BvGraph, Components, Csr, Hits, HyperBall, LinkGraph, PageRank, RankMemory,
    RegisterForm,
};

fn main() {
    let basename = PathBuf::from(std::env::args().nth(1).expect("the basename of a graph in BV format"));
    let packed = BvGraph::open(&basename).expect("the graph can be read");
    let graph = timed("unpack", || Csr::from_graph(&packed));
    println!("{} nodes, {} arcs", graph.nodes(), graph.arcs());
    let streamed = RankMemory { bytes_max: 0 };

    for (name, graph, memory) in [
        ("PageRank in memory", &graph as &dyn LinkGraph, RankMemory::default()),
        ("PageRank streamed", &packed, streamed),
    ] {
        let ranks = timed(name, || PageRank { memory, ..PageRank::default() }.of(graph));
        let off = truth(&basename, "pagerank.f64le")
            .map(|truth| truth.iter().zip(&ranks.scores).map(|(a, b)| (a - b).abs()).sum::<f64>());
        println!("  {} sweeps, bound {:.1e}, error {off:?}", ranks.sweeps, ranks.error_bound);
    }

    let once = HyperBall { runs: 1, calibration_nodes: 0, ..HyperBall::default() };
    timed("HyperBall, one run", || once.of(&graph));
    timed("HyperBall, one run, packed registers", || {
        HyperBall { form: RegisterForm::Packed, ..once }.of(&graph)
    });
    timed("HyperBall, one run, broadwords", || {
        HyperBall { form: RegisterForm::Broadword, ..once }.of(&graph)
    });
    timed("HyperBall, one run, streamed", || HyperBall { memory: streamed, ..once }.of(&packed));
    for seed in 0..4 {
        let found = timed("HyperBall, five runs and calibration", || {
            HyperBall { seed, ..HyperBall::default() }.of(&graph)
        });
        let off = truth(&basename, "harmonic.f64le").map(|truth| relative_error(&found.harmonic, &truth));
        println!("  harmonic off by {off:.4?}, says {:.4}", found.errors.harmonic);
        let (distances, errors) = (&found.neighbourhood, found.errors);
        let average = distances.average_distance().unwrap_or(0.0);
        println!("  average distance {average:.3} ± {:.3}", errors.average_distance);
        println!(
            "  effective diameter {:.3} ± {:.3}",
            distances.effective_diameter(0.9),
            errors.effective_diameter
        );
        println!("  pairs {:.4e} ± {:.4}", distances.reachable_pairs(), errors.reachable_pairs);
    }

    let hits = timed("HITS", || Hits::default().of(&graph));
    println!("  {} steps", hits.steps);
    let components = timed("components", || Components::of(&graph));
    timed("components, packed", || Components::of(&packed));
    let transpose = timed("transpose", || graph.transpose());
    let bow_tie = timed("bow tie", || BowTie::of(&graph, &transpose, &components));
    println!("  {:?}", BowTiePart::ALL.map(|part| (part, bow_tie.size(part))));
}

/// The least CPU time of three.
fn timed<T>(name: &str, mut work: impl FnMut() -> T) -> T {
    let (mut best, mut result) = (f64::INFINITY, None);
    for _ in 0..3 {
        let before = cpu_seconds();
        result = Some(work());
        best = best.min(cpu_seconds() - before);
    }
    println!("{best:8.3} s  {name}");
    result.expect("it was done")
}

/// The CPU time of this thread so far (Linux).
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel counts");
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.expect("a number") / 1e9
}

fn truth(basename: &Path, name: &str) -> Option<Vec<f64>> {
    let bytes = std::fs::read(basename.parent()?.join("truth").join(name)).ok()?;
    Some(bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}

fn relative_error(found: &[f64], truth: &[f64]) -> f64 {
    let parts = found.iter().zip(truth).filter(|(_, truth)| **truth > 0.0);
    let (sum, count) =
        parts.fold((0.0, 0.0), |(sum, count), (a, b)| (sum + (a / b - 1.0).powi(2), count + 1.0));
    f64::sqrt(sum / count)
}
