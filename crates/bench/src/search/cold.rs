//! A cold cache: what keeping in memory what is asked for most often is worth when the system has nothing of the index.
//!
//! Queries come as people ask them, some again and again: of a thousand, the n-th popular one as often as one n-th of the
//! first. One sequence tells what is popular; before each fifty of another one nothing of the files is in memory but what is
//! kept. More at a time would bring all of a small index back.

use std::path::Path;
use std::sync::Arc;

use ::index::Index;
use rustix::fs::{Advice, fadvise};
use search::Searcher;
use xxhash_rust::xxh3::xxh3_64;

use super::{Wanted, latency};
use crate::index::{Corpus, Queries, file_bytes};
use crate::{Error, Row};

/// How many queries a sequence has, and how many of them are asked of a cold cache.
const ASKED: u64 = 2000;
const ASKED_COLD: usize = 50;
/// What is kept, as a share of the index.
const SHARES: [u64; 2] = [10, 4];

/// Measures the index in a folder.
pub(super) fn rows(corpus: &Corpus, queries: &Queries, folder: &Path) -> Result<Vec<Row>, Error> {
    let texts: Vec<String> = queries.words.iter().map(|words| words.join(" AND ")).collect();
    let without = asked_cold(folder, &texts, 0)?;
    let mut rows = Vec::new();
    for share in SHARES {
        let budget_bytes = file_bytes(folder, &[])? as u64 / share;
        let name = format!("{}: all words, cold, a share of {:.2} kept", corpus.name, 1.0 / share as f64);
        let kept = asked_cold(folder, &texts, budget_bytes)?;
        rows.push(Row::new(name, "µs", kept, "nothing kept", Ok(without), None));
    }
    Ok(rows)
}

/// Microseconds of a query in the mean.
fn asked_cold(folder: &Path, texts: &[String], budget_bytes: u64) -> Result<f64, Error> {
    let mut index = Index::open(folder)?;
    index.check()?;
    index.count_uses(None)?;
    let searcher = Searcher::new(Arc::new(index));
    latency(&searcher, &sequence(texts, 1), Wanted::Best(10), 1)?;
    searcher.index().keep_hot(budget_bytes)?;
    let (asked, mut sum) = (sequence(texts, 2), 0.0);
    for some in asked.chunks(ASKED_COLD) {
        searcher.index().let_go()?;
        forget_files(folder)?;
        sum += latency(&searcher, some, Wanted::Best(10), 1)?.mean * some.len() as f64;
    }
    Ok(sum / asked.len() as f64)
}

/// Lets the system forget what it has of the files of an index.
fn forget_files(folder: &Path) -> Result<(), Error> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            forget_files(&entry.path())?;
        } else {
            fadvise(fs_err::File::open(entry.path())?.file(), 0, None, Advice::DontNeed)
                .map_err(std::io::Error::from)?;
        }
    }
    Ok(())
}

/// Queries as they are asked, in an order of their own for each seed.
fn sequence(texts: &[String], seed: u64) -> Vec<String> {
    // The sums of 1, 1/2, 1/3, … are logarithms: a number that is spread evenly tells a popular query.
    let random =
        |turn: u64| xxh3_64(&[turn.to_le_bytes(), seed.to_le_bytes()].concat()) as f64 / u64::MAX as f64;
    let popular = |turn| ((texts.len() as f64).powf(random(turn)) as usize).clamp(1, texts.len()) - 1;
    (0..ASKED).map(|turn| texts[popular(turn)].clone()).collect()
}
