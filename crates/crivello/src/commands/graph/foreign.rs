//! `crivello graph --from`: the ranks of any graph.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use graph::{BvGraph, BvOptions, Csr, import_arcs};

use super::summary::Summary;
use super::{GraphArgs, show, write_report};
use crate::commands::Context;
use crate::graphs::ranks::NodeRanks;
use crate::graphs::watch::GraphWatch;
use crate::output::{Ending, hinted, print_json};

/// A graph that somebody else made.
struct Foreign {
    arcs: Csr,
    /// Names of nodes, where they are not numbers.
    names: Option<Vec<String>>,
}

/// Runs the command.
pub fn run(context: Context, args: &GraphArgs, from: &Path) -> anyhow::Result<Ending> {
    let Foreign { arcs, names } = read(from, args.memory)?;
    // There is nothing known about links that could be filtered.
    let settings = args.settings().on_all_links();
    let watch = GraphWatch::new(context.showing);
    let ranks = NodeRanks::of(&arcs, &settings, args.memory, args.exact, &watch);
    watch.finish();
    if !ranks.distances_are_exact {
        eprintln!(
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
    if let Some(path) = &args.ranks {
        write_ranks(path, &ranks, name)?;
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

fn read(from: &Path, memory_bytes: u64) -> anyhow::Result<Foreign> {
    if let Some(basename) = basename_of(from) {
        return Ok(Foreign { arcs: Csr::from_graph(&BvGraph::open(&basename)?), names: None });
    }
    if from.is_dir() || !from.exists() {
        let message = format!("`{}` is neither a file of arcs nor the name of a graph", from.display());
        return Err(hinted(
            message,
            "for a graph in BV format give the name before `.graph` and `.properties`",
        ));
    }
    let scratch = tempfile::Builder::new().prefix("crivello-graph-").tempdir()?;
    let basename = scratch.path().join("arcs");
    let report = import_arcs(from, &basename, &BvOptions::standard(), memory_bytes as usize)?;
    Ok(Foreign { arcs: Csr::from_graph(&BvGraph::open(&basename)?), names: report.names })
}

/// The name before `.graph`, if there is a graph in BV format; one of its files may be given as well.
fn basename_of(from: &Path) -> Option<PathBuf> {
    let is_one_of_them =
        from.extension().is_some_and(|extension| extension == "graph" || extension == "properties");
    let without = if is_one_of_them { from.with_extension("") } else { from.to_owned() };
    let has = |extension: &str| without.with_added_extension(extension).is_file();
    (has("graph") || has("properties")).then_some(without)
}

fn write_ranks(path: &Path, ranks: &NodeRanks, name: impl Fn(u32) -> String) -> anyhow::Result<()> {
    let cannot = || format!("cannot write `{}`", path.display());
    let out: Box<dyn Write> = match path.to_str() {
        Some("-") => Box::new(io::stdout().lock()),
        _ => Box::new(File::create(path).with_context(cannot)?),
    };
    let mut out = BufWriter::new(out);
    ranks.write_lines(&mut out, name).with_context(cannot)?;
    out.flush().with_context(cannot)
}
