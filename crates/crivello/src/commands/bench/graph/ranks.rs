//! PageRank and HyperBall: how fast, and how far from the truth?

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use ::graph::{BvGraph, Csr, HyperBall, LinkGraph, PageRank, RankMemory};

use crate::commands::bench::Row;
use crate::commands::bench::clock::timed;

const PEER_RATIO_MAX: f64 = 1.0 / 3.0;
const PAGERANK_ERROR_MAX: f64 = 1e-6;
const HARMONIC_ERROR_MAX: f64 = 0.02;
const ROUNDS: usize = 3;

/// All of them.
pub fn rows(graph: &BvGraph, basename: &Path, python: &str) -> anyhow::Result<Vec<Row>> {
    let unpacked = Csr::from_graph(graph);
    let mut rows = Vec::new();
    let in_memory = PageRank::default();
    let (ranks, seconds) = best(|| in_memory.of(&unpacked));
    let name = || "PageRank to 1e-6 in memory".to_owned();
    for (peer, program) in [("igraph", IGRAPH), ("networkit", NETWORKIT)] {
        let theirs = run_python(python, peer, program, &unpacked);
        rows.push(Row::new(name(), "CPU s", seconds, peer, theirs, Some(PEER_RATIO_MAX)));
    }
    let streamed = PageRank { memory: RankMemory { bytes_max: 0 }, ..PageRank::default() };
    let (_, streamed_seconds) = best(|| streamed.of(graph));
    rows.push(Row::informative(
        "the same, streamed from the compressed graph".into(),
        "CPU s",
        streamed_seconds,
    ));
    if let Some(truth) = truth(basename, "pagerank.f64le") {
        let error = truth.iter().zip(&ranks.scores).map(|(truth, score)| (truth - score).abs()).sum();
        rows.push(Row::absolute(format!("{}: error", name()), "L1", error, PAGERANK_ERROR_MAX));
    }
    let (_, seconds) = best(|| one_run().of(&unpacked));
    rows.push(Row::informative("HyperBall, 64 registers, one run, unpacked before".into(), "CPU s", seconds));
    if let Some(truth) = truth(basename, "harmonic.f64le") {
        let found = HyperBall::default().of(&unpacked);
        let name = "harmonic centrality, mean of five runs: error".to_owned();
        let error = relative_error(&found.harmonic, &truth);
        rows.push(Row::absolute(name, "root mean square", error, HARMONIC_ERROR_MAX));
    }
    Ok(rows)
}

/// HyperBall without the calibration that needs exact distances.
pub fn one_run() -> HyperBall {
    HyperBall { runs: 1, calibration_nodes: 0, ..HyperBall::default() }
}

/// The result and the least CPU seconds of some rounds.
pub fn best<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let mut rounds: Vec<(T, f64)> = (0..ROUNDS).map(|_| timed(&mut work)).collect();
    rounds.sort_by(|first, second| first.1.total_cmp(&second.1));
    let (result, nanoseconds) = rounds.swap_remove(0);
    (result, nanoseconds / 1e9)
}

fn truth(basename: &Path, name: &str) -> Option<Vec<f64>> {
    let bytes = std::fs::read(basename.parent()?.join("truth").join(name)).ok()?;
    Some(bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}

fn relative_error(found: &[f64], truth: &[f64]) -> f64 {
    let errors: Vec<f64> = found
        .iter()
        .zip(truth)
        .filter(|(_, truth)| **truth > 0.0)
        .map(|(found, truth)| (found / truth - 1.0).powi(2))
        .collect();
    (errors.iter().sum::<f64>() / errors.len() as f64).sqrt()
}

/// CPU seconds that a Python program prints, of a list of arcs that it is given.
fn run_python(python: &str, peer: &str, program: &str, graph: &Csr) -> Result<f64, String> {
    let hint =
        || format!("install it with `{python} -m pip install {peer}`, or name another Python with --python");
    let write = || -> std::io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::NamedTempFile::new()?;
        let mut out = std::io::BufWriter::new(file.as_file_mut());
        for node in 0..graph.nodes() as u32 {
            for target in graph.targets(node) {
                writeln!(out, "{node} {target}")?;
            }
        }
        out.flush()?;
        drop(out);
        Ok(file)
    };
    let arcs = write().map_err(|error| error.to_string())?;
    let nodes = graph.nodes().to_string();
    let output = Command::new(python)
        .args(["-c", program])
        .arg(arcs.path())
        .arg(nodes)
        .env("OMP_NUM_THREADS", "1")
        .output()
        .map_err(|_| hint())?;
    String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| hint())
}

const IGRAPH: &str = r#"
import sys, time, igraph
arcs = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
graph = igraph.Graph(n=int(sys.argv[2]), edges=arcs, directed=True)
best = float("inf")
for _ in range(3):
    start = time.process_time()
    graph.pagerank(damping=0.85)
    best = min(best, time.process_time() - start)
print(best)
"#;

const NETWORKIT: &str = r#"
import sys, time, networkit
networkit.setNumberOfThreads(1)
graph = networkit.Graph(int(sys.argv[2]), directed=True)
for line in open(sys.argv[1]):
    source, target = line.split()
    graph.addEdge(int(source), int(target))
best = float("inf")
for _ in range(3):
    start = time.process_time()
    networkit.centrality.PageRank(graph, 0.85, 1e-6).run()
    best = min(best, time.process_time() - start)
print(best)
"#;
