//! Measures what the headers of this crate claim: bits per link, CPU time per arc, peak memory.
//!
//! ```text
//! cargo run --release -p graph --example sizes_and_speeds -- bv BASENAME
//! cargo run --release -p graph --example sizes_and_speeds -- build MILLIONS_OF_ARCS BUDGET_MIB
//! ```

use std::fs;
use std::hint::black_box;
use std::path::Path;

use graph::{BvGraph, BvOptions, Csr, LinkGraph, write_bv, write_bv_from_arcs, write_transpose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let scratch = tempfile::tempdir()?;
    match words[..] {
        ["bv", basename] => measure_bv(Path::new(basename), scratch.path())?,
        ["build", millions, budget] => measure_build(millions.parse()?, budget.parse()?, scratch.path())?,
        _ => eprintln!("bv BASENAME | build MILLIONS_OF_ARCS BUDGET_MIB"),
    }
    Ok(())
}

fn measure_bv(basename: &Path, scratch: &Path) -> Result<(), graph::Error> {
    let (opened, seconds) = best(3, || BvGraph::open(basename));
    let graph = opened?;
    let arcs = graph.arcs() as f64;
    println!("open and check: {:.1} ns/arc", seconds * 1e9 / arcs);
    for (name, options) in [("standard", BvOptions::standard()), ("optimised", BvOptions::optimised())] {
        let copy = scratch.join(name);
        let (report, seconds) = best(3, || write_bv(&graph, &copy, &options));
        println!(
            "{name}: {:.3} bits/link, written in {:.1} ns/arc",
            report?.bits_per_link(),
            seconds * 1e9 / arcs
        );
        let graph = BvGraph::open_sealed(&copy)?;
        println!("  starts: {:.2} bits/node", 8.0 * graph.starts_bytes() as f64 / graph.nodes() as f64);
        let (_, seconds) = best(5, || {
            let mut sum = 0;
            graph.scan(0..graph.nodes() as u32, &mut |_, targets| sum += targets.len());
            black_box(sum)
        });
        println!("  scan: {:.1} ns/arc", seconds * 1e9 / arcs);
        let order = shuffled(graph.nodes());
        let (_, seconds) = best(5, || {
            let mut targets = Vec::new();
            for node in &order {
                graph.successors(*node, &mut targets);
                black_box(&targets);
            }
        });
        println!("  random lists: {:.1} ns/arc", seconds * 1e9 / arcs);
    }
    let (report, seconds) =
        best(3, || write_transpose(&graph, &scratch.join("transpose"), &BvOptions::standard(), 64 << 20));
    println!("transpose: {:.3} bits/link, {:.1} ns/arc", report?.bits_per_link(), seconds * 1e9 / arcs);
    let (plain, seconds) = best(3, || Csr::from_graph(&graph));
    println!("unpack: {:.1} ns/arc for {} arcs", seconds * 1e9 / arcs, plain.arcs());
    Ok(())
}

/// Arcs like those of pages, mixed up: most go near, some anywhere, a third is there twice.
fn measure_build(millions: u64, budget_mib: usize, scratch: &Path) -> Result<(), graph::Error> {
    let (arcs, nodes) = (millions * 1_000_000, millions * 30_000);
    let links = (0..arcs).map(|number| {
        let random = mix(number % (arcs * 3 / 4));
        let source = (random >> 32) % nodes;
        let near = mix(random) % 64;
        let target = if random.is_multiple_of(10) {
            mix(random + 1) % nodes
        } else {
            (source / 64 * 64 + near).min(nodes - 1)
        };
        (source as u32, target as u32)
    });
    // What it costs to make the arcs up is not ours.
    let (_, idle) = best(1, || {
        links
            .clone()
            .map(|(source, target)| u64::from(source ^ target))
            .fold(0, |sum, next| black_box(sum ^ next))
    });
    let before = peak_mib();
    let start = cpu_seconds();
    let report = write_bv_from_arcs(
        nodes as usize,
        links,
        &scratch.join("graph"),
        &BvOptions::standard(),
        budget_mib << 20,
    )?;
    let seconds = cpu_seconds() - start - idle;
    println!(
        "{arcs} raw arcs, {} distinct, {nodes} nodes: {:.1} ns CPU per raw arc, {:.2} bits/link, peak {} MiB (before {before}), budget {budget_mib} MiB",
        report.arcs,
        seconds * 1e9 / arcs as f64,
        report.bits_per_link(),
        peak_mib()
    );
    Ok(())
}

fn mix(mut number: u64) -> u64 {
    number = (number ^ number >> 30).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

fn shuffled(nodes: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..nodes as u32).collect();
    order.sort_by_key(|node| mix(u64::from(*node)));
    order
}

/// The result and the least CPU time of some runs.
fn best<T>(runs: usize, mut run: impl FnMut() -> T) -> (T, f64) {
    let mut least: Option<(T, f64)> = None;
    for _ in 0..runs {
        let start = cpu_seconds();
        let result = run();
        let seconds = cpu_seconds() - start;
        if least.as_ref().is_none_or(|(_, before)| seconds < *before) {
            least = Some((result, seconds));
        }
    }
    least.expect("there is at least one run")
}

/// User and system time of this process and its threads.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory this process has held.
fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
