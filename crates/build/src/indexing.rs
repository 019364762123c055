//! The index of a collection: made from its pages, or added to.
//!
//! What an index covers tells what is new. New pages are added as a segment of their own; the index is made anew, as one
//! segment, when that is nearly as cheap (more than half of the table is new) or when searches would begin to feel it (more
//! than [`SEGMENTS_MAX`] segments).

use std::time::Instant;

use index::{Index, IndexBuilder, IndexDocument, IndexReport, Piece};
use page::PageKey;
use serde::Serialize;
use store::Collection;

use crate::documents::{DocumentStore, StoredDocument};
use crate::{Covered, Error, Notice, Progress, Watcher, Work};

/// An index that was added to has at most so many segments.
pub const SEGMENTS_MAX: u64 = 8;

/// What making an index came to.
#[derive(Debug, Serialize)]
pub struct IndexSummary {
    /// What the index holds.
    #[serde(flatten)]
    pub report: IndexReport,
    /// Nothing had to be done.
    pub up_to_date: bool,
    /// Only new pages were indexed, as a segment of their own.
    pub appended: bool,
    /// How long it took.
    pub elapsed_seconds: f64,
}

/// Makes the index, or adds to it, if it does not cover all pages.
pub fn bring_up_to_date(
    collection: &Collection,
    documents: &DocumentStore,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<IndexSummary, Error> {
    let covered = Covered::of(collection, documents.covered());
    let index = match Index::open(&collection.part("index")?) {
        Ok(index) => index,
        Err(error) => {
            if !matches!(error, index::Error::Missing { .. }) {
                watcher.tell(Notice::MadeAnew { what: "the index is", why: &error });
            }
            return make(collection, documents, memory_bytes, Start::Anew, watcher);
        }
    };
    let start = match Covered::parse(index.source_stamp()) {
        Some(before) if before == covered => {
            return Ok(IndexSummary {
                report: index.report().clone(),
                up_to_date: true,
                appended: false,
                elapsed_seconds: 0.0,
            });
        }
        Some(before) if before.table != covered.table => {
            let why = Error::OtherPages(collection.part("index")?);
            watcher.tell(Notice::MadeAnew { what: "the index is", why: &why });
            Start::Anew
        }
        Some(before) => Start::for_growth(before, covered, index.report().segments),
        // An earlier version did not say whose the pages are.
        None => Start::Anew,
    };
    make(collection, documents, memory_bytes, start, watcher)
}

/// Makes the index in any case.
pub fn make_anew(
    collection: &Collection,
    documents: &DocumentStore,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<IndexSummary, Error> {
    make(collection, documents, memory_bytes, Start::Anew, watcher)
}

/// Where a build begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// At the first page; the index becomes one segment.
    Anew,
    /// Behind what is covered; the new pages become one more segment.
    Behind(Covered),
}

impl Start {
    /// What an index of some segments that covers less or more than there is needs.
    fn for_growth(before: Covered, now: Covered, segments: u64) -> Self {
        let (before_bytes, now_bytes) = (before.table_bytes, now.table_bytes);
        let has_grown = before_bytes < now_bytes;
        let is_mostly_there = now_bytes.saturating_sub(before_bytes) <= now_bytes / 2;
        if has_grown && is_mostly_there && segments < SEGMENTS_MAX {
            Self::Behind(before)
        } else {
            Self::Anew
        }
    }
}

fn make(
    collection: &Collection,
    documents: &DocumentStore,
    memory_bytes: u64,
    start: Start,
    watcher: &dyn Watcher,
) -> Result<IndexSummary, Error> {
    let started = Instant::now();
    let dir = collection.part("index")?;
    let (mut builder, first) = match start {
        Start::Anew => (IndexBuilder::create(&dir, memory_bytes)?, PageKey::START),
        Start::Behind(before) => (IndexBuilder::append(&dir, memory_bytes)?, before.end()),
    };
    let covered = Covered::of(collection, documents.covered());
    let (mut counted, total) = (0, Some(covered.table_bytes));
    for document in documents.read_from(first) {
        let document = document?;
        counted += 1;
        let done = document.key.get();
        watcher.progress(Progress { work: Work::Indexing, done, total, counted, detail: "" });
        let is_empty = document.title.is_empty() && document.text.is_empty();
        if !document.noindex && !is_empty {
            let StoredDocument { key, title, text, .. } = &document;
            builder.add(&IndexDocument { key: *key, pieces: &Piece::title_and_text(title, text) })?;
        }
    }
    let done = covered.table_bytes;
    watcher.progress(Progress { work: Work::Indexing, done, total, counted, detail: "merging" });
    let report = builder.finish(&covered.to_string())?;
    Ok(IndexSummary {
        report,
        up_to_date: false,
        appended: start != Start::Anew,
        elapsed_seconds: started.elapsed().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_pages_are_added_unless_they_are_many_or_segments_are() {
        let covering = |table_bytes| Covered { table: page::SetId::new(1), table_bytes };
        // covered, table, segments, start
        let rows = [
            (100, 101, 1, Start::Behind(covering(100))),
            (100, 200, 7, Start::Behind(covering(100))),
            (100, 202, 1, Start::Anew),
            (100, 101, 8, Start::Anew),
            (0, 100, 1, Start::Anew),
            // The table was replaced by a shorter one.
            (100, 50, 1, Start::Anew),
        ];
        for (before, now, segments, start) in rows {
            assert_eq!(
                Start::for_growth(covering(before), covering(now), segments),
                start,
                "{before} of {now}, {segments} segments"
            );
        }
    }
}
