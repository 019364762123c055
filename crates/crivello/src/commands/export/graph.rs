//! The graph of a collection for other programs: BV files, ranks, GraphML of hosts.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use build::GraphSteps;
use build::graphs::arcs::RankedArcs;
use build::graphs::ranks::{NodeRanks, settings_of};
use build::graphs::{graph_dir, open_graph};
use graph::{BvOptions, GraphFolder, export_graphml, write_bv};
use serde_json::json;
use store::Collection;

use crate::build_watch::BuildWatch;
use crate::commands::Context;
use crate::output::{Ending, counted, hinted, print_json};

/// Memory for ranks, beside the graph.
const MEMORY_BYTES: u64 = 1 << 30;

/// Writes the graph with the standard parameters, which every WebGraph tool reads, and the addresses of its nodes.
pub fn export_bv(
    context: Context,
    collection: &Collection,
    basename: Option<&Path>,
) -> anyhow::Result<Ending> {
    let Some(basename) = basename else {
        return Err(hinted("a graph is several files and cannot go to standard output", "give -o BASENAME"));
    };
    let folder = open_graph(collection)?;
    let report = write_bv(folder.graph(), basename, &BvOptions::standard())?;
    let path = basename.with_added_extension("urls");
    let cannot = || format!("cannot write `{}`", path.display());
    let mut out = BufWriter::new(File::create(&path).with_context(cannot)?);
    for node in 0..folder.manifest().nodes as u32 {
        writeln!(out, "{}", folder.addresses().address(node)).with_context(cannot)?;
    }
    out.flush().with_context(cannot)?;
    context.showing.say(&format!(
        "{} and {} written, {:.3} bits per link",
        counted(report.nodes as u64, "node"),
        counted(report.arcs, "arc"),
        report.bits_per_link()
    ));
    if context.json {
        let (file, nodes, arcs) = (basename.display().to_string(), report.nodes, report.arcs);
        print_json(&json!({ "kind": "graph", "file": file, "nodes": nodes, "arcs": arcs, "failed": 0 }))?;
    }
    Ok(Ending::Done)
}

/// Writes a line for each page, in full precision: the ranks are computed again.
pub fn export_ranks(context: Context, collection: &Collection, out: &mut dyn Write) -> anyhow::Result<u64> {
    let folder: GraphFolder = open_graph(collection)?;
    let settings = settings_of(collection, &folder).unwrap_or_default();
    let watch = BuildWatch::new(context.showing);
    let arcs = RankedArcs::of_folder(&folder, &settings, MEMORY_BYTES, &graph_dir(collection.dir()))?;
    let ranks = NodeRanks::of(&arcs, &settings, false, &GraphSteps(&watch));
    watch.finish();
    ranks.write_lines(out, |node| folder.addresses().address(node))?;
    Ok(folder.manifest().nodes as u64)
}

/// Writes the graph of hosts. Returns how many arcs it has.
pub fn export_hosts(collection: &Collection, out: &mut dyn Write) -> anyhow::Result<u64> {
    let folder = open_graph(collection)?;
    export_graphml(folder.hosts(), out)?;
    Ok(graph::LinkGraph::arcs(folder.hosts().graph()))
}
