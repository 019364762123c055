//! `crivello build` and `crivello index`: from stored pages to an inverted index.

use std::path::PathBuf;

use clap::Args;
use index::{Index, IndexBuilder, IndexDocument, IndexReport};
use page::format_bytes;
use serde::Serialize;
use store::Collection;

use super::Context;
use crate::bars::Bar;
use crate::documents::for_each_page;
use crate::output::{Ending, print_json, thousands};

/// The options of `build` and `index`.
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// Memory to use before a sorted run is written to disk
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = page::parse_bytes)]
    pub memory: u64,
}

/// What making an index came to.
#[derive(Debug, Serialize)]
pub struct IndexSummary {
    #[serde(flatten)]
    report: IndexReport,
    up_to_date: bool,
    pages_unreadable: u64,
    elapsed_seconds: f64,
}

/// `crivello index`: in any case.
pub fn run(context: Context, args: &IndexArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open_to_write(&args.dir)?;
    show(context, &make_index(context, &collection, args.memory)?)
}

/// `crivello build`: what is out of date.
pub fn build(context: Context, args: &IndexArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open_to_write(&args.dir)?;
    show(context, &bring_up_to_date(context, &collection, args.memory)?)
}

/// Makes the index if it does not cover all pages.
pub fn bring_up_to_date(
    context: Context,
    collection: &Collection,
    memory: u64,
) -> anyhow::Result<IndexSummary> {
    let stamp = source_stamp(collection)?;
    match Index::open(&collection.part("index")?) {
        Ok(index) if index.source_stamp() == stamp => Ok(IndexSummary {
            report: index.report().clone(),
            up_to_date: true,
            pages_unreadable: 0,
            elapsed_seconds: 0.0,
        }),
        _ => make_index(context, collection, memory),
    }
}

/// The table of pages only grows, so its length tells what an index was made from.
fn source_stamp(collection: &Collection) -> anyhow::Result<String> {
    let table = collection.part("store")?.join("pages.tbl");
    let bytes = table.metadata().map_or(0, |metadata| metadata.len());
    Ok(format!("pages.tbl {bytes}"))
}

fn make_index(context: Context, collection: &Collection, memory: u64) -> anyhow::Result<IndexSummary> {
    let started = std::time::Instant::now();
    let stamp = source_stamp(collection)?;
    let table_bytes = stamp.rsplit(' ').next().and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let mut bar = Bar::new(context.showing, "indexing", table_bytes);
    let mut builder = IndexBuilder::create(&collection.part("index")?, memory)?;
    let (mut pages, mut pages_unreadable) = (0u64, 0u64);
    for_each_page(collection, |page| {
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
                eprintln!("{}: {error}", page.record.url);
                pages_unreadable += 1;
            }
        }
        Ok(())
    })?;
    bar.finish();
    context.showing.say("merging runs");
    let report = builder.finish(&stamp)?;
    Ok(IndexSummary {
        report,
        up_to_date: false,
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
            "{} documents, {} terms, {} postings, {} on disk",
            thousands(report.documents),
            thousands(report.terms),
            thousands(report.postings),
            format_bytes(report.bytes)
        );
        if self.up_to_date {
            println!("index is up to date: {what}");
        } else {
            println!("indexed {what}, in {:.1} s", self.elapsed_seconds);
        }
    }
}
