//! Splits of an index: what parts by documents, by terms and by both cost a query, beside one part.
//!
//! Bytes, searches for all words, for any of them and for phrases, and how many dictionaries a look-up has to ask.

use std::path::Path;
use std::sync::Arc;

use ::index::{Analysis, Codecs, Index, IndexBuilder, Split, SplitBy};
use search::Searcher;

use super::{Wanted, latency};
use crate::index::{Corpus, MEMORY_BYTES, Queries, add_all, file_bytes};
use crate::{Error, Row};

/// Into how many parts.
const PARTS: u32 = 4;

/// What a split came to.
struct Measured {
    all_mb: f64,
    all_words_us: f64,
    any_word_us: f64,
    phrase_us: f64,
    asked: f64,
}

/// Measures each split of a corpus.
pub(super) fn rows(
    corpus: &Corpus,
    queries: &Queries,
    codecs: Codecs,
    passes: u32,
    scratch: &Path,
) -> Result<Vec<Row>, Error> {
    let measure = |name: &str, split: Split| {
        let folder = scratch.join(name);
        let builder = IndexBuilder::create(&folder, MEMORY_BYTES)?.with_codecs(codecs);
        add_all(builder.with_analysis(Analysis::Plain).with_split(split), 0, &corpus.documents)?;
        measured(&folder, queries, passes)
    };
    let (whole, mut rows) = (measure("whole", Split::default())?, Vec::new());
    for by in SplitBy::ALL {
        let split = by.into_parts(PARTS);
        let ours = measure(&format!("split-{}", by.name()), split)?;
        let mut row = |what: &str, unit, of: fn(&Measured) -> f64| {
            let name = format!("{}: {split}, {what}", corpus.name);
            rows.push(Row::new(name, unit, of(&ours), "one part", Ok(of(&whole)), None));
        };
        row("all", "MB", |measured| measured.all_mb);
        row("all words, mean", "µs", |measured| measured.all_words_us);
        row("any word, mean", "µs", |measured| measured.any_word_us);
        row("phrase, mean", "µs", |measured| measured.phrase_us);
        row("dictionaries asked for a word", "asked", |measured| measured.asked);
    }
    Ok(rows)
}

fn measured(folder: &Path, queries: &Queries, passes: u32) -> Result<Measured, Error> {
    let index = Arc::new(Index::open(folder)?);
    let searcher = Searcher::new(Arc::clone(&index));
    let ask = |queries: &[Vec<String>], write: &dyn Fn(&[String]) -> String| {
        let texts: Vec<String> = queries.iter().map(|words| write(words)).collect();
        Ok::<_, Error>(latency(&searcher, &texts, Wanted::Best(10), passes)?.mean)
    };
    let all_words_us = ask(&queries.words, &|words| words.join(" AND "))?;
    let routing = index.routing();
    Ok(Measured {
        all_mb: file_bytes(folder, &[])? / 1e6,
        all_words_us,
        any_word_us: ask(&queries.words, &|words| words.join(" OR "))?,
        phrase_us: ask(&queries.phrases, &|words| format!("\"{}\"", words.join(" ")))?,
        asked: routing.segments_asked as f64 / routing.lookups.max(1) as f64,
    })
}
