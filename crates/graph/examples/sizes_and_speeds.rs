//! Measures what the headers of this crate claim: bits per link, CPU time per arc, peak memory.
//!
//! ```text
//! cargo run --release -p graph --example sizes_and_speeds -- bv BASENAME
//! cargo run --release -p graph --example sizes_and_speeds -- build MILLIONS_OF_ARCS BUDGET_MIB
//! cargo run --release -p graph --example sizes_and_speeds -- site PAGES.tsv LINKS.tsv
//! ```
//!
//! A page is an address; a link is `source<TAB>target<TAB>words`, and `<TAB>navigation` if it is.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use graph::{
    BuildOptions, BvGraph, BvOptions, Csr, EfGraph, GraphBuilder, LinkGraph, LinkRecord, compression_steps,
    key_of, write_bv, write_bv_from_arcs, write_transpose,
};
use page::PageUrl;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let scratch = tempfile::tempdir()?;
    match words[..] {
        ["bv", basename] => measure_bv(Path::new(basename), scratch.path())?,
        ["build", millions, budget] => measure_build(millions.parse()?, budget.parse()?, scratch.path())?,
        ["site", pages, links] => measure_site(pages, links, scratch.path())?,
        _ => eprintln!("bv BASENAME | build MILLIONS_OF_ARCS BUDGET_MIB | site PAGES.tsv LINKS.tsv"),
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
    let (ef, seconds) = best(1, || EfGraph::from_graph(&graph));
    println!("Elias–Fano: {:.3} bits/link, made in {:.1} ns/arc", ef.bits_per_link(), seconds * 1e9 / arcs);
    let nodes = graph.nodes() as u64;
    let (_, seconds) = best(3, || {
        (0..2_000_000u64)
            .filter(|pair| ef.has_arc((mix(*pair) % nodes) as u32, (mix(pair + 1) % nodes) as u32))
            .count()
    });
    println!("  test for an arc, any two nodes: {:.0} ns", seconds * 1e9 / 2e6);
    let plain = Csr::from_graph(&graph);
    let there: Vec<(u32, u32)> = (0..2_000_000)
        .map(|pair| (mix(pair) % nodes) as u32)
        .filter(|node| graph.outdegree(*node) > 0)
        .map(|node| (node, plain.targets(node)[plain.targets(node).len() / 2]))
        .collect();
    let (found, seconds) =
        best(3, || there.iter().filter(|(source, target)| ef.has_arc(*source, *target)).count());
    assert_eq!(found, there.len());
    println!("  test for an arc that is there: {:.0} ns", seconds * 1e9 / there.len() as f64);
    for step in compression_steps(&graph) {
        println!("  {:8.3} bits/link  {}", step.bits_per_link, step.name);
    }
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

fn measure_site(pages: &str, links: &str, scratch: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (pages, links) = (fs::read_to_string(pages)?, fs::read_to_string(links)?);
    let mut builder =
        GraphBuilder::create(scratch, BuildOptions { memory_bytes: 64 << 20, ..BuildOptions::default() })?;
    let addresses: Vec<PageUrl> = pages.lines().filter_map(|page| PageUrl::parse(page).ok()).collect();
    let bytes: usize = addresses.iter().map(|address| address.as_str().len()).sum();
    for address in &addresses {
        builder.add_page(address)?;
    }
    let start = cpu_seconds();
    let mut source: Option<(&str, PageUrl)> = None;
    for line in links.lines() {
        let mut fields = line.split('\t');
        let (Some(from), Some(to), Some(anchor)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        if source.as_ref().is_none_or(|(before, _)| *before != from) {
            source = PageUrl::parse(from).ok().map(|page| (from, page));
        }
        if let (Some((_, source)), Ok(target)) = (&source, PageUrl::parse(to)) {
            builder.add_link(&LinkRecord {
                source,
                target: &target,
                anchor,
                is_navigation: fields.next().is_some(),
                is_nofollow: false,
            })?;
        }
    }
    let graph = builder.finish("measured")?;
    let seconds = cpu_seconds() - start;
    let manifest = graph.manifest();
    println!("{manifest:#?}");
    let per_link = |bits: u64| bits as f64 / manifest.arcs as f64;
    println!("{:.2} µs CPU per link, addresses taken apart included", seconds * 1e6 / manifest.links as f64);
    println!(
        "graph {:.3}, transpose {:.3} bits/link",
        per_link(manifest.graph_bits),
        per_link(manifest.transpose_bits)
    );
    println!(
        "anchors: ranks and flags {:.3}, tables and starts {:.3} bits/link; words {:.2} bytes each, {:.3} bits/link",
        per_link(manifest.label_bits),
        per_link(manifest.table_bits),
        manifest.anchor_bits as f64 / 8.0 / manifest.anchors as f64,
        per_link(manifest.anchor_bits)
    );
    let nodes = shuffled(manifest.nodes);
    let (_, seconds) = best(3, || {
        nodes
            .iter()
            .flat_map(|node| graph.labels(page::NodeId::new(*node)))
            .map(|arc| arc.anchor.len())
            .sum::<usize>()
    });
    println!("arcs of a node with addresses and words: {:.1} µs", seconds * 1e6 / manifest.nodes as f64);
    let (_, seconds) = best(3, || {
        nodes
            .iter()
            .flat_map(|node| graph.anchors(page::NodeId::new(*node)))
            .map(|anchor| anchor.len())
            .sum::<usize>()
    });
    println!("words of a target: {:.1} µs", seconds * 1e6 / manifest.nodes as f64);
    let (_, seconds) = best(3, || graph.filtered(graph::ArcFilter::default()).arcs());
    println!("flags of all arcs: {:.0} ns each", seconds * 1e9 / manifest.arcs as f64);
    let list = graph.addresses();
    let (list_bytes, function_bytes) = list.bytes();
    let count = list.len() as f64;
    println!(
        "addresses of {:.1} bytes: list {:.2} bytes, function {:.2} bits with signature",
        bytes as f64 / count,
        list_bytes as f64 / count,
        8.0 * function_bytes as f64 / count
    );
    let order = shuffled(list.len());
    let (_, seconds) = best(5, || {
        let mut key = Vec::new();
        for _ in 0..20 {
            order.iter().for_each(|node| list.key(*node, black_box(&mut key)));
        }
    });
    println!("address of a node: {:.0} ns", seconds * 1e9 / count / 20.0);
    let mut keys: Vec<String> = addresses.iter().map(key_of).collect();
    keys.sort_by_key(|key| mix(key.len() as u64 * 31 + key.as_bytes()[key.len() / 2] as u64));
    let (found, seconds) = best(5, || {
        (0..20)
            .map(|_| keys.iter().filter(|key| list.node_of_key(key.as_bytes()).is_some()).count())
            .sum::<usize>()
    });
    println!(
        "node of an address, checked with the list: {:.0} ns ({found} found)",
        seconds * 1e9 / keys.len() as f64
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
