//! Beside `webgraph-algo`, both on the same compressed graph with one thread.

use std::path::Path;

use ::graph::{BvGraph, PageRank};

use super::ranks::{best, one_run};
use super::sizes::{STANDARD, TRANSPOSE};
use crate::{Row, peers};

const HYPERBALL_RATIO_MAX: f64 = 1.0 / 2.5;
const PEER: &str = "webgraph-algo";

/// PageRank and HyperBall from the compressed graph. The peer reads the copies in `scratch`.
pub fn rows(graph: &BvGraph, scratch: &Path) -> Vec<Row> {
    let theirs = peers::webgraph_algo(&scratch.join(STANDARD), &scratch.join(TRANSPOSE));
    let their = |place: usize| theirs.clone().map(|seconds| seconds[place]);
    let (_, pagerank) = best(|| PageRank::default().of(graph));
    let (_, hyperball) = best(|| one_run().of(graph));
    let goal = Some(HYPERBALL_RATIO_MAX);
    vec![
        Row::new("PageRank to 1e-6, from compressed".into(), "CPU s", pagerank, PEER, their(0), None),
        Row::new(
            "HyperBall, 64 registers of 8 bits, from compressed".into(),
            "CPU s",
            hyperball,
            PEER,
            their(1),
            goal,
        ),
    ]
}
