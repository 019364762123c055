//! How fast lists are read: whole, by skipping, and where a word stands in a document that was found.

use std::hint::black_box;
use std::path::Path;

use ::index::{Index, PostingsCursor, TermEntry};
use page::DocId;

use super::{Inverted, Queries};
use crate::clock::timed;
use crate::{Error, Row};

const PASSES: usize = 5;

/// 800 million postings a second.
const DENSE_NS_MAX: f64 = 1.25;
/// 250 million.
const MEAN_NS_MAX: f64 = 4.0;
const SKIP_NS_MAX: f64 = 60.0;
const POSITIONS_NS_MAX: f64 = 150.0;

/// A list and how many documents it has.
type List = (TermEntry, u32);

/// All of them, for the words of queries.
pub fn rows(folder: &Path, inverted: &Inverted<'_>, queries: &Queries) -> Result<Vec<Row>, Error> {
    let index = Index::open(folder)?;
    let lists = |words: Vec<&str>| -> Result<Vec<List>, Error> {
        let mut lists = Vec::new();
        for word in words {
            lists.extend(index.term(word)?.map(|entry| (entry.clone(), entry.document_frequency())));
        }
        Ok(lists)
    };
    let is_dense = |word: &usize| inverted.frequency(*word) > inverted.documents / 4;
    let dense = lists((0..inverted.words.len()).filter(is_dense).map(|word| inverted.words[word]).collect())?;
    let asked = lists(queries.all_words().collect())?;
    let whole = |lists: &[List]| per_posting(lists, read_documents, &index);
    let counted = |lists: &[List]| per_posting(lists, read_counts, &index);
    let step_by_step = |lists: &[List]| per_posting(lists, step, &index);
    let mut rows = vec![
        Row::absolute("documents of dense lists".into(), "ns per posting", whole(&dense), DENSE_NS_MAX),
        Row::absolute("documents of query terms".into(), "ns per posting", whole(&asked), MEAN_NS_MAX),
        Row::informative("the same, one by one".into(), "ns per posting", step_by_step(&asked)),
        Row::informative("documents and counts of query terms".into(), "ns per posting", counted(&asked)),
        Row::informative("a cursor on a list".into(), "ns", opening_ns(&asked, &index)),
    ];
    let long: Vec<List> = asked.iter().filter(|(_, documents)| *documents >= 2048).cloned().collect();
    if !long.is_empty() {
        let skip = |postings| skip_ns(&long, &index, inverted.documents, postings);
        rows.push(Row::absolute("skip of 1000 postings".into(), "ns", skip(1000), SKIP_NS_MAX));
        rows.push(Row::absolute("skip of 100 postings".into(), "ns", skip(100), SKIP_NS_MAX));
        rows.push(Row::informative("skip of 10 postings".into(), "ns", skip(10)));
    }
    rows.push(Row::absolute(
        "positions in a document".into(),
        "ns",
        positions_ns(&asked, &index)?,
        POSITIONS_NS_MAX,
    ));
    Ok(rows)
}

fn best_of(mut run: impl FnMut() -> f64) -> f64 {
    (0..PASSES).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn per_posting(lists: &[List], read: impl Fn(&mut PostingsCursor<'_>) -> u64, index: &Index) -> f64 {
    let postings: u64 = lists.iter().map(|(_, documents)| u64::from(*documents)).sum();
    let all = || lists.iter().map(|(entry, _)| read(&mut index.cursor(entry))).sum::<u64>();
    best_of(|| timed(all).1) / postings.max(1) as f64
}

fn read_documents(cursor: &mut PostingsCursor<'_>) -> u64 {
    let mut read = 0;
    while cursor.doc() != DocId::END {
        read += black_box(cursor.block()).len() as u64;
        cursor.next_block();
    }
    read
}

fn read_counts(cursor: &mut PostingsCursor<'_>) -> u64 {
    let mut read = 0;
    while cursor.doc() != DocId::END {
        read += black_box(cursor.block()).len() as u64 + u64::from(cursor.frequency());
        cursor.next_block();
    }
    read
}

fn step(cursor: &mut PostingsCursor<'_>) -> u64 {
    let mut read = 0;
    while cursor.doc() != DocId::END {
        read += u64::from(cursor.doc().get());
        cursor.next();
    }
    read
}

fn opening_ns(lists: &[List], index: &Index) -> f64 {
    let all = || lists.iter().map(|(entry, _)| u64::from(index.cursor(entry).doc().get())).sum::<u64>();
    best_of(|| timed(all).1) / lists.len().max(1) as f64
}

/// Nanoseconds to go on by so many postings, in the mean, without what it takes to begin.
fn skip_ns(lists: &[List], index: &Index, documents: u32, postings: u32) -> f64 {
    let mut skips = 0u64;
    let mut all = || {
        skips = 0;
        for (entry, frequency) in lists {
            let step = (u64::from(documents) * u64::from(postings) / u64::from(*frequency)).max(1) as u32;
            let mut cursor = index.cursor(entry);
            while cursor.doc() != DocId::END {
                cursor.advance(DocId::new(cursor.doc().get() + step));
                skips += 1;
            }
        }
    };
    let ns = best_of(|| timed(&mut all).1) - lists.len() as f64 * opening_ns(lists, index);
    ns / skips.max(1) as f64
}

/// Nanoseconds for the positions in a document on which a cursor stands, without the way there.
fn positions_ns(lists: &[List], index: &Index) -> Result<f64, Error> {
    let (mut positions, mut asked, mut failure) = (Vec::new(), 0u64, None);
    let mut walk = |has_positions: bool| {
        asked = 0;
        for (entry, frequency) in lists {
            let mut cursor = index.cursor(entry);
            // Some forty documents of each list, far from each other where it is long.
            let step = (index.documents() / (*frequency).min(40)).max(1);
            while cursor.doc() != DocId::END {
                if has_positions && let Err(error) = cursor.positions(&mut positions) {
                    failure = Some(error);
                }
                asked += 1;
                black_box(&positions);
                cursor.advance(DocId::new(cursor.doc().get() + step));
            }
        }
    };
    let (with, without) = (best_of(|| timed(|| walk(true)).1), best_of(|| timed(|| walk(false)).1));
    match failure {
        Some(error) => Err(error.into()),
        None => Ok((with - without) / asked.max(1) as f64),
    }
}
