//! PageRank and HyperBall: how fast, and how far from the truth?

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ::graph::{BvGraph, Csr, HyperBall, LinkGraph, PageRank, RankMemory, RegisterForm};

use crate::Row;
use crate::clock::timed;

const PEER_RATIO_MAX: f64 = 1.0 / 3.0;
const PAGERANK_ERROR_MAX: f64 = 1e-6;
const HARMONIC_ERROR_MAX: f64 = 0.02;
/// Below this, sums of so many numbers of 64 bits say nothing.
const ERROR_MIN: f64 = 1e-12;
const ROUNDS: usize = 3;

/// All of them.
pub fn rows(graph: &BvGraph, basename: &Path, python: &str) -> Vec<Row> {
    let unpacked = Csr::from_graph(graph);
    let mut rows = Vec::new();
    let in_memory = PageRank::default();
    let (ranks, seconds) = best(|| in_memory.of(&unpacked));
    let name = || "PageRank to 1e-6 in memory".to_owned();
    for (peer, program) in [("igraph", IGRAPH), ("networkit", NETWORKIT)] {
        let theirs = run_python(python, peer, program, &unpacked, &truth_path(basename, "pagerank.f64le"));
        let their_seconds = theirs.as_ref().map(|theirs| theirs.seconds).map_err(String::clone);
        rows.push(at_equal_error(&unpacked, peer, theirs));
        let name = format!("{}, whatever the peer's error", name());
        rows.push(Row::new(name, "CPU s", seconds, peer, their_seconds, None));
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
    for (form, kept_in) in [
        (RegisterForm::Bytes, "bytes"),
        (RegisterForm::Packed, "bit planes"),
        (RegisterForm::Broadword, "broadwords"),
    ] {
        let (_, seconds) = best(|| HyperBall { form, ..one_run() }.of(&unpacked));
        let name = format!("HyperBall, 64 registers in {kept_in}, one run, unpacked before");
        rows.push(Row::informative(name, "CPU s", seconds));
    }
    if let Some(truth) = truth(basename, "harmonic.f64le") {
        let found = HyperBall::default().of(&unpacked);
        let name = "harmonic centrality, mean of five runs: error".to_owned();
        let error = relative_error(&found.harmonic, &truth);
        rows.push(Row::absolute(name, "root mean square", error, HARMONIC_ERROR_MAX));
    }
    rows
}

/// PageRank to the error that the peer has: who stops earlier is always faster.
fn at_equal_error(graph: &Csr, peer: &'static str, theirs: Result<PeerRanks, String>) -> Row {
    let goal = Some(PEER_RATIO_MAX);
    let (error, their_seconds) = match theirs {
        Ok(PeerRanks { seconds, error }) if error.is_finite() => (error.max(ERROR_MIN), Ok(seconds)),
        Ok(_) => (PAGERANK_ERROR_MAX, Err("there is no truth beside the graph to compare with".to_owned())),
        Err(hint) => (PAGERANK_ERROR_MAX, Err(hint)),
    };
    let (_, seconds) = best(|| PageRank { error_max: error, ..PageRank::default() }.of(graph));
    let name = format!("PageRank in memory, both to an L1 error of {error:.1e}");
    Row::new(name, "CPU s", seconds, peer, their_seconds, goal)
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

fn truth_path(basename: &Path, name: &str) -> PathBuf {
    basename.with_file_name("truth").join(name)
}

fn truth(basename: &Path, name: &str) -> Option<Vec<f64>> {
    let bytes = std::fs::read(truth_path(basename, name)).ok()?;
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

/// How long a peer took, and how far it is from the truth.
struct PeerRanks {
    seconds: f64,
    /// The L1 distance; not a number if there is no truth.
    error: f64,
}

/// What a Python program prints, of a list of arcs and a file of true ranks that it is given.
fn run_python(
    python: &str,
    peer: &str,
    program: &str,
    graph: &Csr,
    truth: &Path,
) -> Result<PeerRanks, String> {
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
        .args(["-c", &[program, L1_ERROR].concat()])
        .arg(arcs.path())
        .arg(nodes)
        .arg(truth)
        .env("OMP_NUM_THREADS", "1")
        .output()
        .map_err(|_| hint())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = printed.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [seconds, error] => Ok(PeerRanks { seconds, error }),
        _ => Err(hint()),
    }
}

/// Behind either program: `best` seconds, and how far `scores` are from the truth.
const L1_ERROR: &str = r#"
import array, os
error = float("nan")
if os.path.exists(sys.argv[3]):
    truth = array.array("d", open(sys.argv[3], "rb").read())
    total = sum(scores)
    error = sum(abs(score / total - true) for score, true in zip(scores, truth))
print(best, error)
"#;

const IGRAPH: &str = r#"
import sys, time, igraph
arcs = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
graph = igraph.Graph(n=int(sys.argv[2]), edges=arcs, directed=True)
best = float("inf")
for _ in range(3):
    start = time.process_time()
    scores = graph.pagerank(damping=0.85)
    best = min(best, time.process_time() - start)
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
    ranks = networkit.centrality.PageRank(graph, 0.85, 1e-6)
    ranks.run()
    best = min(best, time.process_time() - start)
scores = ranks.scores()
"#;
