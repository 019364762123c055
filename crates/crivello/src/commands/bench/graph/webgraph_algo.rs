//! Beside `webgraph-algo`, both on the same compressed graph with one thread.
//!
//! The library is not part of Crivello: its program is an example of the crate `graph`, and is run if it was built.

use std::path::{Path, PathBuf};
use std::process::Command;

use ::graph::{BvGraph, PageRank};

use super::ranks::{best, one_run};
use super::sizes::{STANDARD, TRANSPOSE};
use crate::commands::bench::Row;

const HYPERBALL_RATIO_MAX: f64 = 1.0 / 2.5;
const PEER: &str = "webgraph-algo";

/// Where cargo puts the program if it built us as well.
pub fn default_program() -> PathBuf {
    let ours = std::env::current_exe().unwrap_or_default();
    ours.with_file_name("examples").join("webgraph_algo")
}

/// PageRank and HyperBall from the compressed graph. The peer reads the copies in `scratch`.
pub fn rows(graph: &BvGraph, program: &Path, scratch: &Path) -> anyhow::Result<Vec<Row>> {
    let theirs = run(program, scratch);
    let their = |place: usize| theirs.clone().map(|seconds| seconds[place]);
    let (_, pagerank) = best(|| PageRank::default().of(graph));
    let (_, hyperball) = best(|| one_run().of(graph));
    let goal = Some(HYPERBALL_RATIO_MAX);
    Ok(vec![
        Row::new("PageRank to 1e-6, from compressed".into(), "CPU s", pagerank, PEER, their(0), None),
        Row::new(
            "HyperBall, 64 registers of 8 bits, from compressed".into(),
            "CPU s",
            hyperball,
            PEER,
            their(1),
            goal,
        ),
    ])
}

/// The CPU seconds that the program prints: of PageRank and of HyperBall.
fn run(program: &Path, scratch: &Path) -> Result<[f64; 2], String> {
    let hint = || "build it with `cargo build --release -p graph --example webgraph_algo`".to_owned();
    let output = Command::new(program)
        .args([scratch.join(STANDARD), scratch.join(TRANSPOSE)])
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .map_err(|_| hint())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let seconds: Vec<f64> = printed.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    seconds.try_into().map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
