//! `crivello graph --from`: the ranks of any graph.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use anyhow::Context as _;
use build::GraphSteps;
use build::graphs::arcs::RankedArcs;
use build::graphs::ranks::NodeRanks;
use build::graphs::report::Summary;
use graph::{ForeignGraph, ImportReport, NodeNames};
use page::NodeId;
use tempfile::TempDir;

use super::{GraphArgs, show, write_report};
use crate::build_watch::BuildWatch;
use crate::commands::Context;
use crate::output::{Ending, LateFile, counted, errln, hinted, print_json};

/// Runs the command.
pub fn run(context: Context, args: &GraphArgs, from: &Path) -> anyhow::Result<Ending> {
    let scratch = tempfile::Builder::new().prefix("crivello-graph-").tempdir()?;
    let ForeignGraph { mut graph, names, .. } = read(from, &scratch, args.memory)?;
    if let Some(jump) = args.jump {
        graph = graph.with_jump(jump);
    }
    // Nobody wants to hear after an hour that the ranks have nowhere to go.
    let ranks_out = match args.ranks.as_deref() {
        Some(path) => Some((path, open_out(path)?)),
        None => None,
    };
    // There is nothing known about links that could be filtered.
    let settings = args.settings().on_all_links();
    let watch = BuildWatch::new(context.showing);
    let start = args.near.iter().map(|name| node_of(&names, name)).collect::<anyhow::Result<Vec<_>>>()?;
    let arcs = RankedArcs::of_graph(graph, &settings, args.memory)?;
    let mut ranks = NodeRanks::of(&arcs, &settings, args.exact, &GraphSteps(&watch));
    if !start.is_empty() {
        ranks.see_from(&arcs, &settings, &start, &GraphSteps(&watch));
    }
    watch.finish();
    if !ranks.distances_are_exact {
        errln!(
            "harmonic centrality is estimated: ± {:.2} % (one standard error, {} runs with 2^{} registers)",
            100.0 * ranks.distances.errors.harmonic,
            args.runs,
            args.registers
        );
    }
    let name = |node: u32| names.name(node);
    if let Some((path, out)) = ranks_out {
        let mut out = BufWriter::new(out);
        let written = ranks.write_lines(&mut out, name).and_then(|()| out.flush());
        written.with_context(|| cannot_write(path))?;
    }
    let must_summarise = args.ranks.is_none() || args.report.is_some() || context.json;
    if !must_summarise {
        return Ok(Ending::Done);
    }
    let mut summary = Summary::new(&arcs, &ranks, settings.filter_text(), args.damping);
    for tops in summary.top_pages.values_mut() {
        tops.iter_mut().for_each(|top| top.name = name(top.node));
    }
    if let Some(report) = &args.report {
        write_report(report, &summary, &from.display().to_string())?;
        summary.report = Some(report.clone());
    }
    // Standard output belongs to the ranks if they go there.
    let is_free = args.ranks.as_deref() != Some(Path::new("-"));
    match (is_free, context.json) {
        (true, true) => print_json(&summary)?,
        (true, false) if args.ranks.is_none() => show::print(&summary),
        _ => {}
    }
    Ok(Ending::Done)
}

fn node_of(names: &NodeNames, name: &str) -> anyhow::Result<NodeId> {
    names.node(name).ok_or_else(|| {
        hinted(format!("`{name}` is no node of this graph"), "give a node as the ranks name it")
    })
}

fn read(from: &Path, scratch: &TempDir, memory_bytes: u64) -> anyhow::Result<ForeignGraph> {
    if let Some(graph) = ForeignGraph::open_bv(from)? {
        return Ok(graph);
    }
    let is_standard_input = from == Path::new("-");
    if !is_standard_input && (from.is_dir() || !from.exists()) {
        let message = format!("`{}` is neither a file of arcs nor the name of a graph", from.display());
        return Err(hinted(
            message,
            "for a graph in BV format give the name before `.graph` and `.properties`",
        ));
    }
    // The list is read more than once, and what comes through a pipe can be read once.
    let copy = scratch.path().join("standard input");
    let is_pipe = is_standard_input || !from.is_file();
    if is_pipe {
        let mut input: Box<dyn Read> =
            if is_standard_input { Box::new(io::stdin().lock()) } else { Box::new(File::open(from)?) };
        io::copy(&mut input, &mut File::create(&copy)?)?;
    }
    let list = if is_pipe { copy.as_path() } else { from };
    let graph = ForeignGraph::of_arcs(list, scratch.path(), memory_bytes as usize)?;
    graph.report.iter().for_each(tell);
    Ok(graph)
}

/// Says what a reader of the list might not expect.
fn tell(report: &ImportReport) {
    if report.has_header {
        errln!("the first line was taken for a header");
    }
    if report.arcs_with_more > 0 {
        let lines = counted(report.arcs_with_more, "line");
        errln!("only the first two columns count, and there are more on {lines}: weights are not used");
    }
}

fn open_out(path: &Path) -> anyhow::Result<Box<dyn Write>> {
    match path.to_str() {
        Some("-") => Ok(Box::new(io::stdout().lock())),
        _ => Ok(Box::new(LateFile::open(path).with_context(|| cannot_write(path))?)),
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write `{}`", path.display())
}
