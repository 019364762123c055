//! `crivello build` and `crivello index`: from stored pages to what is searched.

use std::path::{Path, PathBuf};

use ::build::copies::CopiesSummary;
use ::build::graphs::GraphSummary;
use ::build::indexing::{IndexSettings, IndexSummary, Means};
use ::build::reading::DocumentsSummary;
use ::build::spaces::SpaceSummary;
use ::build::{BuildSettings, Built, ClicksSummary, Lag, bring_up_to_date, keep_clicks, make_index_anew};
use clap::Args;
use index::{Analysis, CodecName, Codecs, Index, Order, Precision, Split, SplitBy, TermFunction};
use page::format_bytes;
use serde::Serialize;
use store::Collection;

use super::Context;
use super::dedup::settings::parse_threshold;
use crate::build_watch::BuildWatch;
use crate::output::{Ending, counted, errln, one_line, outln, thousands};
use crate::process;

/// The options of `build` and `index`.
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// Memory to use. A build keeps to it, within some 70 MiB for itself: what does not fit is sorted on disk. Below 128MiB it
    /// takes about a sixth more time, to take less memory
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = page::parse_memory)]
    pub memory: u64,
}

/// The options of `index` alone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct IndexAnewArgs {
    #[command(flatten)]
    pub index: IndexArgs,
    #[arg(long, value_name = "CODEC", default_value = "packed", value_parser = Codecs::parse, help = codec_help())]
    pub codec: Codecs,
    /// How much the index knows of words: full (stems, compounds, scripts without spaces) or plain (lower case and no more).
    /// Later builds keep it
    #[arg(long, value_name = "NAME", default_value = "full", value_parser = Analysis::parse)]
    pub analysis: Analysis,
    /// What is kept of each word: documents, counts (how often and in which fields) or positions (where). Without positions
    /// phrases are taken for all of their words, and answers say so; later builds keep it
    #[arg(long, value_name = "NAME", default_value = "positions", value_parser = Precision::parse)]
    pub precision: Precision,
    /// How documents are numbered: arrival, address (host first), rank, or bisection (those with common words together: the
    /// smallest, and the longest to build). Answers are the same, but for documents with equal scores; later builds keep it
    #[arg(long, value_name = "NAME", default_value = Order::default().name(), value_parser = Order::parse)]
    pub order: Order,
    /// Divides the index: by document, by term, or both (documents first, terms inside). Each part has its own filter, all are
    /// searched as one, with the same answers; later builds and merges keep it [default: one part]
    #[arg(long, value_name = "BY", requires = "parts", value_parser = SplitBy::parse)]
    pub split: Option<SplitBy>,
    /// Into how many parts; with `both`, so many parts of the documents with so many of the terms each
    #[arg(long, value_name = "N", requires = "split", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub parts: Option<u32>,
    /// How many threads work, in the memory together; the index has the same bytes with any number [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Make nothing: read the index that is there from end to end and compare everything in it with everything else
    #[arg(long, conflicts_with_all = ["codec", "memory", "analysis", "precision", "order", "split", "threads"])]
    pub check: bool,
}

/// Names the codecs that there are.
fn codec_help() -> String {
    format!(
        "How lists are written: {}; or for each component, as documents=delta,counts=gamma,positions=rice; with these, \
         terms={} says how terms are found. Answers are the same; later builds keep it",
        CodecName::ALL.map(CodecName::name).join(", "),
        TermFunction::ALL.map(TermFunction::name).join("|")
    )
}

const EXAMPLES: &str = "\
Examples:
  crivello index docs.crivello --memory 1GiB
  crivello index docs.crivello --check                     is every list what it says?
  crivello index docs.crivello --codec delta               for comparisons: a fifth larger than packed
  crivello index docs.crivello --analysis plain            words as they are written, no stems
  crivello index docs.crivello --precision counts          a third of the bytes; phrases are taken for their words
  crivello index docs.crivello --split term --parts 4      four ranges of the dictionary, each with its filter";

/// The options of `build`.
#[derive(Debug, Args)]
#[command(after_help = BUILD_EXAMPLES)]
pub struct BuildArgs {
    #[command(flatten)]
    pub index: IndexArgs,
    /// Pages are copies when their similarity is at least this [default: as before, or 0.8]
    #[arg(long, value_name = "T", value_parser = parse_threshold)]
    pub threshold: Option<f64>,
    /// A file of what people looked for when they chose a page: lines of query, address and count, with tabs between. They
    /// become words of the page, as those of links are; later builds keep them, and an empty file takes them away
    #[arg(long, value_name = "FILE")]
    pub clicks: Option<PathBuf>,
}

const BUILD_EXAMPLES: &str = "\
Examples:
  crivello build docs.crivello
  crivello build docs.crivello --threshold 0.9            only what is nearly the same counts as a copy";

/// Makes the index, in any case.
pub fn index(context: Context, args: &IndexAnewArgs) -> anyhow::Result<Ending> {
    let IndexArgs { dir, memory } = &args.index;
    if args.check {
        return check(context, dir);
    }
    let collection = Collection::open_to_build(dir)?;
    let watch = BuildWatch::new(context.showing);
    let split = args.split.zip(args.parts).map_or_else(Split::default, |(by, parts)| by.into_parts(parts));
    let codecs = Codecs { precision: args.precision, ..args.codec };
    let settings = IndexSettings { codecs, analysis: args.analysis, order: args.order, split };
    process::keep_to(*memory);
    let mut means = Means::with_all_cores(*memory);
    means.threads = args.threads.map_or(means.threads, usize::from);
    let (summary, read) = make_index_anew(&collection, means, settings, &watch)?;
    watch.finish();
    context.print(&summary, || print_index(&summary))?;
    Ok(Ending::from_failures(read.unreadable))
}

/// Verifies the index that is there.
fn check(context: Context, dir: &Path) -> anyhow::Result<Ending> {
    let found = Index::open(&Collection::open(dir)?.part("index")?)?.check()?;
    context.print(&found, || {
        outln!(
            "index is sound: {}, {}, {}, {} in {}",
            counted(found.documents, "document"),
            counted(found.terms, "term"),
            counted(found.postings, "posting"),
            counted(found.occurrences, "word"),
            counted(found.segments, "segment")
        );
    })?;
    Ok(Ending::Done)
}

/// What a build says at its end.
#[derive(Debug, Serialize)]
struct BuildReport<'b> {
    #[serde(flatten)]
    built: &'b Built,
    peak_memory_bytes: u64,
}

/// Makes what is out of date.
pub fn run(context: Context, args: &BuildArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open_to_build(&args.index.dir)?;
    if let Some(path) = &args.clicks {
        print_clicks(&keep_clicks(&collection, path)?);
    }
    let built = build_all(context, &collection, args.threshold, args.index.memory)?;
    let report = BuildReport { built: &built, peak_memory_bytes: process::peak_memory_bytes() };
    context.print(&report, || print(&built))?;
    Ok(Ending::from_failures(built.read.unreadable))
}

/// Tells what of a file of clicks can be used; what is made of it is told with the index.
fn print_clicks(ClicksSummary { queries, pages, unknown }: &ClicksSummary) {
    errln!("clicks: {} for {}", counted(*queries, "query"), counted(*pages, "page"));
    if let Some(first) = unknown.first() {
        let addresses = counted(unknown.len() as u64, "address");
        errln!("clicks: {addresses} of no page in this collection, the first is {}", one_line(first));
    }
}

/// Brings everything up to date, and shows how far it is.
pub fn build_all(
    context: Context,
    collection: &Collection,
    threshold: Option<f64>,
    memory_bytes: u64,
) -> anyhow::Result<Built> {
    let watch = BuildWatch::new(context.showing);
    process::keep_to(memory_bytes);
    let settings = BuildSettings { threshold, memory_bytes, lag: Lag::default() };
    let built = bring_up_to_date(collection, &settings, &watch)?;
    watch.finish();
    Ok(built)
}

/// Tells people what was made.
pub fn print(built: &Built) {
    print_documents(&built.read);
    print_graph(&built.graph);
    print_copies(&built.dedup);
    print_index(&built.index);
    print_space(&built.space);
}

fn print_space(summary: &SpaceSummary) {
    let what = format!(
        "{} and {} in {}, {} on disk",
        counted(summary.documents, "document"),
        counted(summary.terms, "word"),
        counted(summary.dimensions, "dimension"),
        format_bytes(summary.bytes)
    );
    match summary {
        SpaceSummary { up_to_date: true, .. } => outln!("latent space is up to date: {what}"),
        SpaceSummary { folded_in: true, elapsed_seconds, .. } => {
            outln!("latent space, documents folded in: {what}, in {elapsed_seconds:.1} s");
        }
        SpaceSummary { elapsed_seconds, .. } => outln!("latent space: {what}, in {elapsed_seconds:.1} s"),
    }
}

fn print_documents(summary: &DocumentsSummary) {
    let (documents, bytes) = (counted(summary.documents, "document"), format_bytes(summary.bytes));
    let what = format!("{documents}, {} of text in {bytes}", format_bytes(summary.text_bytes));
    if summary.up_to_date {
        outln!("documents are up to date: {what}");
    } else {
        let (added, seconds) = (counted(summary.added, "page"), summary.elapsed_seconds);
        outln!("read {added}, now {what}, in {seconds:.1} s");
    }
}

fn print_graph(summary: &GraphSummary) {
    let what = graph_size_text(summary.nodes, summary.arcs, summary.bits_per_link);
    if summary.up_to_date {
        outln!("graph is up to date: {what}");
    } else if summary.pages_behind > 0 {
        let behind = counted(summary.pages_behind, "newer page");
        outln!("graph of {what}; {behind} wait for the next one (`crivello graph` makes it now)");
    } else {
        outln!("graph of {what}, in {:.1} s", summary.elapsed_seconds);
    }
}

/// Tells people how large a graph is. Without links there is no size of one.
pub fn graph_size_text(nodes: u64, arcs: u64, bits_per_link: f64) -> String {
    let bits = if arcs == 0 { String::new() } else { format!(", {bits_per_link:.3} bits per link") };
    format!("{}, {}{bits}", counted(nodes, "page"), counted(arcs, "link"))
}

fn print_copies(summary: &CopiesSummary) {
    let what = format!(
        "{} of {} are copies of others ({} exactly), in {}",
        thousands(summary.copies),
        counted(summary.documents, "page"),
        thousands(summary.exact_copies),
        counted(summary.groups, "group")
    );
    if summary.up_to_date {
        outln!("copies are up to date: {what}");
    } else {
        outln!("{what}, in {:.1} s", summary.elapsed_seconds);
    }
}

/// How many documents were indexed again.
fn replaced(documents: u64) -> String {
    if documents == 0 {
        return String::new();
    }
    format!(", {} anew for the words of new links", counted(documents, "document"))
}

fn print_index(summary: &IndexSummary) {
    let report = &summary.report;
    let what = format!(
        "{}, {}, {}, {} on disk",
        counted(report.documents, "document"),
        counted(report.terms, "term"),
        counted(report.postings, "posting"),
        format_bytes(report.bytes)
    );
    if summary.up_to_date {
        outln!("index is up to date: {what}");
    } else if summary.appended {
        outln!(
            "indexed new pages{}, now {what} in {}, in {:.1} s",
            replaced(summary.replaced),
            counted(report.segments, "segment"),
            summary.elapsed_seconds
        );
    } else {
        let split = if report.split.is_whole() { String::new() } else { format!(", {}", report.split) };
        outln!("indexed {what}{split}, in {:.1} s", summary.elapsed_seconds);
    }
}
