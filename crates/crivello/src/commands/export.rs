//! `crivello export`: what a collection holds, for other programs.

mod graph;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ::build::documents::{DocumentStore, StoredDocument};
use ::build::{LineCounts, for_each_arc, for_each_page_line, for_each_text};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use index::Index;
use serde_json::json;
use store::{Collection, FailedAddress, StoreReader};

use super::Context;
use crate::build_watch::BuildWatch;
use crate::output::{Ending, LateFile, counted, for_terminal, json_for_terminal, print_json};

/// Write out what a collection holds, for other programs
///
/// With -o and --json, standard output gets one object that says what was written; without -o it gets what is written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// What to write
    #[arg(value_enum)]
    pub kind: ExportKind,
    /// Where to; `-` is standard output [default: standard output; `graph` needs a name]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// With `arcs`: also links that ask not to be followed
    #[arg(long)]
    pub nofollow: bool,
}

const EXAMPLES: &str = "\
Examples:
  crivello export docs.crivello pages -o pages.jsonl
  crivello export docs.crivello arcs | sort | uniq        links, as addresses
  crivello export docs.crivello graph -o docs             docs.graph and more, for WebGraph tools
  crivello export docs.crivello index -o docs.ciff        the index, for PISA and other engines";

/// What can be written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportKind {
    /// A JSON object a line for each page: address, status, time, title, text, digests, what it is a copy of, place in the WARC files
    Pages,
    /// `address<TAB>title<TAB>text` for each page, white space collapsed
    Text,
    /// `source<TAB>target` for each distinct link between stored pages, as it stands on the page: redirects are not followed
    Arcs,
    /// The graph in BV format, with redirects, canonical pages and, if `graph` does so, copies folded: FILE.graph, FILE.properties and FILE.offsets, and FILE.urls with the address of each node
    Graph,
    /// `address<TAB>PageRank<TAB>harmonic centrality<TAB>in-degree<TAB>component` for each page, computed as `graph` did last
    Ranks,
    /// The graph of hosts in GraphML, with the number of links
    Hosts,
    /// The index in the Common Index File Format (CIFF), for PISA, Lucene and others: words of all fields, no positions, no stems; documents are known by their addresses
    Index,
    /// `address<TAB>reason<TAB>when<TAB>tries` for each address that gave no answer and each start address that is no page; tries: runs that gave it up
    Failed,
}

impl ExportKind {
    /// As the command line calls it.
    fn name(self) -> String {
        self.to_possible_value().expect("no kind is hidden").get_name().to_owned()
    }
}

/// Runs the command.
pub fn run(context: Context, args: &ExportArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open(&args.dir)?;
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if args.kind == ExportKind::Graph {
        return graph::export_bv(context, &collection, output);
    }
    let mut out: BufWriter<Box<dyn Write>> = BufWriter::new(match output {
        None => Box::new(io::stdout().lock()),
        Some(path) => {
            Box::new(LateFile::open(path).with_context(|| format!("cannot write `{}`", path.display()))?)
        }
    });
    let all = |written: u64| LineCounts { written, failed: 0 };
    let LineCounts { written: lines, failed } = match args.kind {
        ExportKind::Pages => export_pages(context, &collection, &mut out)?,
        ExportKind::Text => export_text(context, &collection, &mut out)?,
        ExportKind::Arcs => all(for_each_arc(&collection, args.nofollow, |source, target| {
            anyhow::Ok(writeln!(out, "{source}\t{target}")?)
        })?),
        ExportKind::Ranks => all(graph::export_ranks(context, &collection, &mut out)?),
        ExportKind::Hosts => all(graph::export_hosts(&collection, &mut out)?),
        ExportKind::Index => all(export_index(&collection, &mut out)?),
        ExportKind::Failed => all(export_failed(&collection, &mut out)?),
        ExportKind::Graph => unreachable!("it was written above"),
    };
    out.flush()?;
    if let Some(path) = output {
        let what = if args.kind == ExportKind::Index { "list" } else { "line" };
        context.showing.say(&format!("{} written", counted(lines, what)));
        if context.json {
            print_json(
                &json!({ "kind": args.kind.name(), "file": path.display().to_string(), "lines": lines, "failed": failed }),
            )?;
        }
    }
    Ok(Ending::from_failures(failed))
}

fn export_pages(
    context: Context,
    collection: &Collection,
    out: &mut impl Write,
) -> anyhow::Result<LineCounts> {
    for_each_page_line(collection, &BuildWatch::new(context.showing), |line| {
        Ok(writeln!(out, "{}", json_for_terminal(&serde_json::to_string(line)?))?)
    })
}

fn export_text(
    context: Context,
    collection: &Collection,
    out: &mut impl Write,
) -> anyhow::Result<LineCounts> {
    let one_line =
        |text: &str| for_terminal(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    for_each_text(collection, &BuildWatch::new(context.showing), |url, StoredDocument { title, text, .. }| {
        Ok(writeln!(out, "{url}\t{}\t{}", one_line(title), one_line(text))?)
    })
}

fn export_index(collection: &Collection, out: &mut impl Write) -> anyhow::Result<u64> {
    let index = Index::open(&collection.part("index")?)?;
    let documents = DocumentStore::open(&collection.part("documents")?)?;
    index.write_ciff("made by Crivello", out, |doc| {
        let key = index.doc_key(doc);
        let document = documents.get(key)?;
        anyhow::Ok(document.map_or_else(|| format!("page {}", key.get()), |document| document.url))
    })
}

fn export_failed(collection: &Collection, out: &mut impl Write) -> anyhow::Result<u64> {
    let failed = StoreReader::open(collection)?.failed()?;
    for FailedAddress { url, why, at, tries } in &failed {
        writeln!(out, "{url}\t{why}\t{at}\t{tries}")?;
    }
    Ok(failed.len() as u64)
}
