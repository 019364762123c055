//! `crivello graph --from`: the ranks of any graph.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use build::GraphSteps;
use build::graphs::arcs::RankedArcs;
use build::graphs::ranks::NodeRanks;
use build::graphs::report::Summary;
use graph::{BvGraph, BvOptions, ImportReport, LinkGraph, import_arcs};
use page::NodeId;
use tempfile::TempDir;

use super::{GraphArgs, show, write_report};
use crate::build_watch::BuildWatch;
use crate::commands::Context;
use crate::output::{Ending, LateFile, counted, errln, hinted, print_json};

/// A graph that somebody else made.
struct Foreign {
    graph: BvGraph,
    /// Names of nodes, where they do not count from 0.
    names: Option<Vec<String>>,
    /// What was made of a list of arcs lies here.
    _scratch: Option<TempDir>,
}

/// Runs the command.
pub fn run(context: Context, args: &GraphArgs, from: &Path) -> anyhow::Result<Ending> {
    let Foreign { mut graph, names, _scratch } = read(from, args.memory)?;
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
    let start = nodes_of(&args.near, graph.nodes(), names.as_deref())?;
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
    let name = |node: u32| match &names {
        Some(names) => names[node as usize].clone(),
        None => node.to_string(),
    };
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

/// Finds the nodes of some names, or of their numbers where they have no names.
fn nodes_of(texts: &[String], nodes: usize, names: Option<&[String]>) -> anyhow::Result<Vec<NodeId>> {
    let node_of = |text: &String| match names {
        Some(names) => names.iter().position(|name| name == text).map(NodeId::from_index),
        None => text.parse().ok().map(NodeId::new).filter(|node| node.index() < nodes),
    };
    let known = |text: &String| {
        node_of(text).ok_or_else(|| {
            hinted(format!("`{text}` is no node of this graph"), "give a node as the ranks name it")
        })
    };
    texts.iter().map(known).collect()
}

fn read(from: &Path, memory_bytes: u64) -> anyhow::Result<Foreign> {
    if let Some(basename) = basename_of(from) {
        return Ok(Foreign { graph: BvGraph::open(&basename)?, names: None, _scratch: None });
    }
    let is_standard_input = from == Path::new("-");
    if !is_standard_input && (from.is_dir() || !from.exists()) {
        let message = format!("`{}` is neither a file of arcs nor the name of a graph", from.display());
        return Err(hinted(
            message,
            "for a graph in BV format give the name before `.graph` and `.properties`",
        ));
    }
    let scratch = tempfile::Builder::new().prefix("crivello-graph-").tempdir()?;
    // The list is read more than once, and what comes through a pipe can be read once.
    let copy = scratch.path().join("standard input");
    let is_pipe = is_standard_input || !from.is_file();
    if is_pipe {
        let mut input: Box<dyn Read> =
            if is_standard_input { Box::new(io::stdin().lock()) } else { Box::new(File::open(from)?) };
        io::copy(&mut input, &mut File::create(&copy)?)?;
    }
    let list = if is_pipe { copy.as_path() } else { from };
    let basename = scratch.path().join("arcs");
    let report = import_arcs(list, &basename, &BvOptions::standard(), memory_bytes as usize)?;
    tell(&report);
    let graph = BvGraph::open(&basename)?;
    Ok(Foreign { graph, names: report.names, _scratch: Some(scratch) })
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

/// Finds the name before `.graph`, if there is a graph in BV format; one of its files may be given as well.
fn basename_of(from: &Path) -> Option<PathBuf> {
    let text = from.to_str()?;
    let ends = [".graph", ".properties", ".offsets", ".ef", "."];
    let without = ends.iter().find_map(|end| text.strip_suffix(end));
    let has = |name: &Path, extension: &str| name.with_added_extension(extension).is_file();
    let names = [Some(text), without].into_iter().flatten().map(PathBuf::from);
    names.into_iter().find(|name| has(name, "graph") || has(name, "properties"))
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
