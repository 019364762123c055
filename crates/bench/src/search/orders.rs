//! Orders of documents: what each takes and brings, beside the order in which they came.
//!
//! Sizes, CPU time of a build by one thread, and searches for all words and for any of them. Addresses are known of the pages
//! of a collection; a file of documents has none, and leaves that order out.

use std::path::Path;
use std::sync::Arc;

use ::index::{Analysis, Codecs, Field, Index, IndexBuilder, IndexDocument, Order, Piece};
use page::PageKey;
use search::Searcher;

use super::{Wanted, latency};
use crate::index::{Corpus, MEMORY_BYTES, Queries, Took, file_bytes};
use crate::{Error, Row};

/// What an order came to.
struct Measured {
    lists_mb: f64,
    all_mb: f64,
    cpu_seconds: f64,
    all_words_us: f64,
    any_word_us: f64,
}

/// Measures the orders of a corpus that was read from `path`.
pub(super) fn rows(
    (corpus, path): (&Corpus, &Path),
    queries: &Queries,
    codecs: Codecs,
    passes: u32,
    scratch: &Path,
) -> Result<Vec<Row>, Error> {
    let measure = |order: Order, arranged: Option<Vec<u32>>| {
        let folder = scratch.join(order.name());
        let took = Took::of(|| build(corpus, &folder, codecs, order, arranged))?;
        measured(&folder, queries, passes, took)
    };
    let came = measure(Order::Arrival, None)?;
    let mut rows = Vec::new();
    for order in [Order::Address, Order::Bisection] {
        let arranged = if order == Order::Address { Corpus::address_order(path)? } else { None };
        if order == Order::Address && arranged.is_none() {
            continue;
        }
        let ours = measure(order, arranged)?;
        let mut row = |what: &str, unit, of: fn(&Measured) -> f64| {
            let name = format!("{}: in the order of {}, {what}", corpus.name, order.name());
            rows.push(Row::new(name, unit, of(&ours), "arrival", Ok(of(&came)), None));
        };
        row("documents and counts", "MB", |measured| measured.lists_mb);
        row("all", "MB", |measured| measured.all_mb);
        row("built", "CPU s", |measured| measured.cpu_seconds);
        row("all words, mean", "µs", |measured| measured.all_words_us);
        row("any word, mean", "µs", |measured| measured.any_word_us);
    }
    Ok(rows)
}

fn build(
    corpus: &Corpus,
    folder: &Path,
    codecs: Codecs,
    order: Order,
    arranged: Option<Vec<u32>>,
) -> Result<(), Error> {
    let builder = IndexBuilder::create(folder, MEMORY_BYTES)?.with_codecs(codecs);
    let mut builder = builder.with_analysis(Analysis::Plain).with_order(order);
    for (number, text) in (0u64..).zip(&corpus.documents) {
        let pieces = [Piece { field: Field::Main, text }];
        builder.add(&IndexDocument { key: PageKey::new(number), language: None, pieces: &pieces })?;
    }
    if let Some(arranged) = arranged {
        builder.arrange(arranged);
    }
    builder.finish("bench")?;
    Ok(())
}

fn measured(folder: &Path, queries: &Queries, passes: u32, took: Took) -> Result<Measured, Error> {
    let searcher = Searcher::new(Arc::new(Index::open(folder)?));
    let ask = |between: &str| {
        let texts: Vec<String> = queries.words.iter().map(|words| words.join(between)).collect();
        latency(&searcher, &texts, Wanted::Best(10), passes)
    };
    Ok(Measured {
        lists_mb: file_bytes(folder, &["postings", "skips"])? / 1e6,
        all_mb: file_bytes(folder, &[])? / 1e6,
        cpu_seconds: took.cpu_seconds,
        all_words_us: ask(" AND ")?.mean,
        any_word_us: ask(" OR ")?.mean,
    })
}
