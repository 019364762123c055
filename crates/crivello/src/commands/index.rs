//! `crivello build` and `crivello index`: from stored pages to an inverted index; `build` makes the graph and looks for
//! copies before.
//!
//! The table of pages only grows, so the place up to which an index covers it tells what is new. `build` adds the new
//! pages as a segment of their own; it makes the index anew, as one segment, when that is nearly as cheap (more than half
//! of the table is new) or when searches would begin to feel it (more than [`SEGMENTS_MAX`] segments). `index` always
//! does.

use std::path::PathBuf;

use clap::Args;
use index::{Index, IndexBuilder, IndexDocument, IndexReport};
use page::format_bytes;
use serde::Serialize;
use store::Collection;

use super::Context;
use super::dedup::settings::parse_threshold;
use crate::bars::Bar;
use crate::copies::{self, CopiesSummary};
use crate::documents::for_each_page_from;
use crate::graphs::{self, GraphSummary, for_search};
use crate::output::{Ending, counted, errln, outln, print_json};

/// The options of `build` and `index`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct IndexArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// Memory to use before a sorted run is written to disk
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = page::parse_bytes)]
    pub memory: u64,
}

const EXAMPLES: &str = "\
Examples:
  crivello index docs.crivello --memory 1GiB";

/// The options of `build`.
#[derive(Debug, Args)]
#[command(after_help = BUILD_EXAMPLES)]
pub struct BuildArgs {
    #[command(flatten)]
    pub index: IndexArgs,
    /// Pages are copies when their similarity is at least this [default: as before, or 0.8]
    #[arg(long, value_name = "T", value_parser = parse_threshold)]
    pub threshold: Option<f64>,
}

const BUILD_EXAMPLES: &str = "\
Examples:
  crivello build docs.crivello
  crivello build docs.crivello --threshold 0.9            only what is nearly the same counts as a copy";

/// An index that `build` has added to has at most so many segments.
const SEGMENTS_MAX: u64 = 8;

/// What making an index came to.
#[derive(Debug, Serialize)]
pub struct IndexSummary {
    #[serde(flatten)]
    report: IndexReport,
    up_to_date: bool,
    /// Only new pages were indexed, as a segment of their own.
    appended: bool,
    pages_unreadable: u64,
    elapsed_seconds: f64,
}

/// `crivello index`: in any case.
pub fn run(context: Context, args: &IndexArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open_to_write(&args.dir)?;
    show(context, &make_index(context, &collection, args.memory, Start::Anew)?)
}

/// `crivello build`: what is out of date.
pub fn build(context: Context, args: &BuildArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open_to_write(&args.index.dir)?;
    let built = build_all(context, &collection, args.threshold, args.index.memory)?;
    if context.json {
        print_json(&built)?;
    } else {
        built.print();
    }
    Ok(Ending::from_failures(built.index.pages_unreadable + built.dedup.unreadable))
}

/// Everything that is made from stored pages.
#[derive(Debug, Serialize)]
pub struct BuildSummary {
    /// About the index; its numbers stand at the top.
    #[serde(flatten)]
    index: IndexSummary,
    dedup: CopiesSummary,
    graph: GraphSummary,
}

impl BuildSummary {
    /// For people.
    pub fn print(&self) {
        self.graph.print();
        self.dedup.print();
        self.index.print();
    }
}

/// Brings graph, copies and index up to date, each if it is not. Ranks decide which page stands for its copies, so the
/// graph comes first, unless it folds copies and needs to know them.
pub fn build_all(
    context: Context,
    collection: &Collection,
    threshold: Option<f64>,
    memory: u64,
) -> anyhow::Result<BuildSummary> {
    let make_graph = || graphs::bring_up_to_date(context, collection, memory);
    let find_copies = || copies::bring_up_to_date(context, collection, threshold, memory);
    let (graph, dedup) = if graphs::folds_copies(collection) {
        let dedup = find_copies()?;
        (make_graph()?, dedup)
    } else {
        (make_graph()?, find_copies()?)
    };
    let index = bring_up_to_date(context, collection, memory)?;
    for_search::keep(collection, &Index::open(&collection.part("index")?)?)?;
    Ok(BuildSummary { index, dedup, graph })
}

/// Makes the index, or adds to it, if it does not cover all pages.
fn bring_up_to_date(context: Context, collection: &Collection, memory: u64) -> anyhow::Result<IndexSummary> {
    let table_bytes = table_bytes(collection)?;
    // An index that cannot be opened, or that says something else of its source, is made anew.
    let Ok(index) = Index::open(&collection.part("index")?) else {
        return make_index(context, collection, memory, Start::Anew);
    };
    let Some(covered) = covered_bytes(index.source_stamp()) else {
        return make_index(context, collection, memory, Start::Anew);
    };
    if covered == table_bytes {
        return Ok(IndexSummary {
            report: index.report().clone(),
            up_to_date: true,
            appended: false,
            pages_unreadable: 0,
            elapsed_seconds: 0.0,
        });
    }
    make_index(context, collection, memory, Start::for_growth(covered, table_bytes, index.report().segments))
}

/// Where a build begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// At the first page; the index becomes one segment.
    Anew,
    /// At the pages from this place of the table on; they become one more segment.
    At(u64),
}

impl Start {
    /// What an index of some segments that covers the first `covered` bytes of the table needs.
    fn for_growth(covered: u64, table_bytes: u64, segments: u64) -> Self {
        let has_grown = covered < table_bytes;
        let is_mostly_there = table_bytes.saturating_sub(covered) <= table_bytes / 2;
        if has_grown && is_mostly_there && segments < SEGMENTS_MAX { Self::At(covered) } else { Self::Anew }
    }
}

const STAMP_PREFIX: &str = "pages.tbl ";

/// What [`IndexBuilder::finish`] was told: how many bytes of the table an index covers.
fn covered_bytes(stamp: &str) -> Option<u64> {
    stamp.strip_prefix(STAMP_PREFIX)?.parse().ok()
}

fn table_bytes(collection: &Collection) -> anyhow::Result<u64> {
    let table = collection.part("store")?.join("pages.tbl");
    Ok(table.metadata().map_or(0, |metadata| metadata.len()))
}

fn make_index(
    context: Context,
    collection: &Collection,
    memory: u64,
    start: Start,
) -> anyhow::Result<IndexSummary> {
    let started = std::time::Instant::now();
    let mut bar = Bar::new(context.showing, "indexing", table_bytes(collection)?);
    let dir = collection.part("index")?;
    let (mut builder, first) = match start {
        Start::Anew => (IndexBuilder::create(&dir, memory)?, 0),
        Start::At(first) => (IndexBuilder::append(&dir, memory)?, first),
    };
    let (mut pages, mut pages_unreadable) = (0u64, 0u64);
    let covered = for_each_page_from(collection, first, |page| {
        pages += 1;
        bar.set(page.offset, pages, String::new);
        match page.document {
            Ok(document)
                if page.record.flags.noindex || (document.title.is_empty() && document.text.is_empty()) => {}
            Ok(document) => builder.add(&IndexDocument {
                key: page.offset,
                title: &document.title,
                text: &document.text,
            })?,
            Err(error) => {
                errln!("{}: {error}", page.record.url);
                pages_unreadable += 1;
            }
        }
        Ok(())
    })?;
    bar.finish();
    context.showing.say("merging runs");
    let report = builder.finish(&format!("{STAMP_PREFIX}{covered}"))?;
    Ok(IndexSummary {
        report,
        up_to_date: false,
        appended: start != Start::Anew,
        pages_unreadable,
        elapsed_seconds: started.elapsed().as_secs_f64(),
    })
}

fn show(context: Context, summary: &IndexSummary) -> anyhow::Result<Ending> {
    if context.json {
        print_json(summary)?;
    } else {
        summary.print();
    }
    Ok(Ending::from_failures(summary.pages_unreadable))
}

impl IndexSummary {
    /// For people.
    pub fn print(&self) {
        let report = &self.report;
        let what = format!(
            "{}, {}, {}, {} on disk",
            counted(report.documents, "document"),
            counted(report.terms, "term"),
            counted(report.postings, "posting"),
            format_bytes(report.bytes)
        );
        if self.up_to_date {
            outln!("index is up to date: {what}");
        } else if self.appended {
            outln!(
                "indexed new pages, now {what} in {}, in {:.1} s",
                counted(report.segments, "segment"),
                self.elapsed_seconds
            );
        } else {
            outln!("indexed {what}, in {:.1} s", self.elapsed_seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_pages_are_added_unless_they_are_many_or_segments_are() {
        // covered, table, segments, start
        let rows = [
            (100, 101, 1, Start::At(100)),
            (100, 200, 7, Start::At(100)),
            (100, 202, 1, Start::Anew),
            (100, 101, 8, Start::Anew),
            (0, 100, 1, Start::Anew),
            // The table was replaced by a shorter one.
            (100, 50, 1, Start::Anew),
        ];
        for (covered, table_bytes, segments, start) in rows {
            assert_eq!(
                Start::for_growth(covered, table_bytes, segments),
                start,
                "{covered} of {table_bytes}, {segments} segments"
            );
        }
        assert_eq!(covered_bytes("pages.tbl 17"), Some(17));
        assert_eq!(covered_bytes("something else"), None);
    }
}
