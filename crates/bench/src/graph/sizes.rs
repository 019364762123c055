//! Bits per link of every form, and what reading them costs.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::Path;

use ::graph::{BvGraph, BvOptions, EfGraph, LinkGraph, compression_steps, write_bv, write_transpose};

use crate::clock::timed;
use crate::{Error, Row};

/// As published, rounded to three digits.
const STANDARD_BITS_MAX: f64 = 2.8975;
const TRANSPOSE_BITS_MAX: f64 = 2.3435;
const OPTIMISED_BITS_MAX: f64 = 2.80;
const MEMORY: usize = 64 << 20;

/// What the compressed copies in the scratch folder are called.
pub const STANDARD: &str = "standard";
pub const TRANSPOSE: &str = "transpose";

/// All of them. Leaves compressed copies of the graph in `scratch`.
pub fn rows(graph: &BvGraph, basename: &Path, scratch: &Path) -> Result<Vec<Row>, Error> {
    let copy = |name: &str| scratch.join(name);
    let standard = write_bv(graph, &copy(STANDARD), &BvOptions::standard())?;
    let optimised = write_bv(graph, &copy("optimised"), &BvOptions::optimised())?;
    let transpose = write_transpose(graph, &copy(TRANSPOSE), &BvOptions::standard(), MEMORY)?;
    let (ours, published) = (
        std::fs::read(copy(STANDARD).with_extension("graph"))?,
        std::fs::read(basename.with_extension("graph"))?,
    );
    let differing = ours.iter().zip(&published).filter(|(ours, theirs)| ours != theirs).count()
        + ours.len().abs_diff(published.len());
    let bits = "bits per link";
    let mut rows = vec![
        Row::absolute("BV, standard parameters".into(), bits, standard.bits_per_link(), STANDARD_BITS_MAX),
        Row::absolute("the same: bytes unlike the published ones".into(), "bytes", differing as f64, 0.0),
        Row::absolute("BV, transpose".into(), bits, transpose.bits_per_link(), TRANSPOSE_BITS_MAX),
        Row::absolute("BV, optimised".into(), bits, optimised.bits_per_link(), OPTIMISED_BITS_MAX),
    ];
    let (plain, small) = (BvGraph::open_sealed(&copy(STANDARD))?, BvGraph::open_sealed(&copy("optimised"))?);
    let (plain_ns, small_ns) = (random_ns(&plain, 1), random_ns(&small, 1));
    rows.push(Row::new(
        "optimised, random lists".into(),
        "CPU ns per arc",
        small_ns,
        "standard parameters",
        Ok(plain_ns),
        Some(1.1),
    ));
    rows.extend(jump_rows(&plain));
    let lists = EfGraph::from_graph(graph);
    rows.push(Row::informative("Elias–Fano lists".into(), bits, lists.bits_per_link()));
    rows.push(Row::informative("Elias–Fano: is there an arc?".into(), "CPU ns", test_ns(&lists, graph)));
    for step in compression_steps(graph) {
        rows.push(Row::informative(format!("step: {}", step.name), bits, step.bits_per_link));
    }
    Ok(rows)
}

/// What it saves to keep only some of the places where lists start, and what it costs.
fn jump_rows(graph: &BvGraph) -> Vec<Row> {
    let mut rows = Vec::new();
    for jump in [1, 4, 16, 64].map(|jump| NonZeroUsize::new(jump).expect("not zero")) {
        let jumping = if jump.get() == 1 { graph.clone() } else { graph.clone().with_jump(jump) };
        let bytes = jumping.starts_bytes() as f64 / graph.nodes() as f64;
        rows.push(Row::informative(format!("offsets, jump {jump}: size"), "bytes per list", bytes));
        let name = format!("offsets, jump {jump}: random lists");
        rows.push(Row::informative(name, "CPU ns per arc", random_ns(&jumping, 16)));
    }
    rows
}

fn mix(number: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes())
}

/// Of one list in `part`, in any order.
fn random_ns(graph: &BvGraph, part: usize) -> f64 {
    let mut order: Vec<u32> = (0..graph.nodes() as u32).collect();
    order.sort_by_key(|node| mix(u64::from(*node)));
    order.truncate(order.len() / part);
    let arcs: usize = order.iter().map(|node| graph.outdegree(*node)).sum();
    let mut targets = Vec::new();
    let mut round = || {
        timed(|| {
            for node in &order {
                graph.successors(*node, &mut targets);
                black_box(&targets);
            }
        })
        .1
    };
    (0..5).map(|_| round()).fold(f64::INFINITY, f64::min) / arcs.max(1) as f64
}

fn test_ns(lists: &EfGraph, graph: &BvGraph) -> f64 {
    const QUESTIONS: u64 = 1_000_000;
    let nodes = graph.nodes() as u64;
    let ask = |number: &u64| lists.has_arc((mix(*number) % nodes) as u32, (mix(number + 1) % nodes) as u32);
    let round = || timed(|| (0..QUESTIONS).filter(ask).count()).1 / QUESTIONS as f64;
    (0..3).map(|_| round()).fold(f64::INFINITY, f64::min)
}
