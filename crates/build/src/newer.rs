//! Pages that are stored and that a search cannot find, as the index was made before they came.
//!
//! An index says how far it goes ([`Covered`]), and the page table only grows: what lies behind that place is new. It is
//! counted once, record by record, and only as far as [`RECORDS_MAX`]; what came since is looked for at most every
//! [`LOOK_EVERY`]. So a search of what is up to date costs a look at the length of a file per collection.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use index::Index;
use page::PageKey;
use search::Note;
use store::{Collection, StoreReader};

use crate::{Covered, Error, ShelfEntry};

/// So many records are read of each collection.
const RECORDS_MAX: u64 = 100_000;

/// How often it is seen whether there are more.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The pages of a collection that came after its index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewerPages {
    /// Where the first record lies that was not counted.
    next: PageKey,
    records: u64,
    /// How many pages there are that may be found.
    pub(crate) pages: u64,
}

impl NewerPages {
    /// Nothing was counted yet. `None` for an index of an earlier version, which does not say how far it goes.
    pub(crate) fn behind(source_stamp: &str) -> Option<Self> {
        let next = Covered::parse(source_stamp)?.end();
        Some(Self { next, records: 0, pages: 0 })
    }

    /// Counts on.
    pub(crate) fn count(&mut self, collection: &Collection) -> Result<(), Error> {
        if collection.table_bytes()? <= self.next.get() {
            return Ok(());
        }
        let mut records = StoreReader::open(collection)?.pages_from(self.next)?;
        while self.records < RECORDS_MAX
            && let Some((_, record)) = records.next()?
        {
            self.records += 1;
            self.pages += u64::from(record.is_page() && !record.flags.noindex);
        }
        self.next = PageKey::new(records.position().max(self.next.get()));
        Ok(())
    }
}

/// Those of all collections that are searched together.
#[derive(Debug, Default)]
pub(crate) struct Newer(Mutex<Looked>);

#[derive(Debug, Default)]
struct Looked {
    at: Option<Instant>,
    /// One for each collection.
    pages: Vec<Option<NewerPages>>,
}

impl Newer {
    /// What somebody who searches should know of them.
    pub(crate) fn note(&self, entries: &[ShelfEntry], index: &Index) -> Option<Note> {
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        looked.look(entries, index);
        let newer = entries.iter().zip(&looked.pages).filter_map(|(entry, pages)| Some((entry, (*pages)?)));
        let newer: Vec<_> = newer.filter(|(_, newer)| newer.pages > 0).collect();
        let names = newer.iter().map(|(entry, _)| entry.name.clone());
        (!newer.is_empty()).then(|| Note::NotIndexed {
            pages: newer.iter().map(|(_, newer)| newer.pages).sum(),
            is_all: newer.iter().all(|(_, newer)| newer.records < RECORDS_MAX),
            collections: if entries.len() > 1 { names.collect() } else { Vec::new() },
        })
    }
}

impl Looked {
    fn look(&mut self, entries: &[ShelfEntry], index: &Index) {
        if self.at.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return;
        }
        if self.pages.is_empty() {
            let stamps = index.members().iter().map(|member| member.source_stamp());
            self.pages = stamps.map(NewerPages::behind).collect();
        }
        for (entry, newer) in entries.iter().zip(&mut self.pages) {
            // What is damaged is told by whoever needs it.
            let _ = newer.as_mut().map(|newer| newer.count(&entry.collection));
        }
        self.at = Some(Instant::now());
    }
}
