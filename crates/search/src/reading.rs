//! The texts of results, read and made into what is shown of them.
//!
//! A long page takes longer to be read than most searches take to find it. So where the pages are long and nobody else is
//! searching, two threads read them.
//!
//! Cost: nothing for short pages; another thread, some thirty microseconds, where that is a tenth of what it saves.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use index::Field;
use page::DocId;

use crate::{Hit, PageReader, SearchResult, Searcher, Wanted};

/// Pages of so many words together are read by two threads.
const LONG_WORDS: u64 = 20_000;

/// Counts who is searching, as long as it lives.
pub(crate) struct Busy(Arc<AtomicUsize>);

impl Busy {
    pub(crate) fn with(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }

    /// Whether nobody else is.
    fn is_alone(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 1
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What is shown of each hit that can be read, with its place among them; the first has this rank.
pub(crate) fn read_results(
    searcher: &Searcher,
    busy: &Busy,
    hits: &[Hit],
    first_rank: usize,
    pages: &dyn PageReader,
    wanted: &Wanted,
) -> Vec<(usize, SearchResult)> {
    let next = AtomicUsize::new(0);
    let read = || {
        let mut read = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(hit) = hits.get(place) else { return read };
            if let Some(page) = pages.read(hit.key) {
                read.push((place, SearchResult::shown(page, wanted, first_rank + place, hit.key)));
            }
        }
    };
    let words = |doc: DocId| {
        Field::ALL.iter().map(|field| u64::from(searcher.index.field_length(doc, *field))).sum::<u64>()
    };
    let are_long = || hits.iter().map(|hit| words(hit.doc)).sum::<u64>() >= LONG_WORDS;
    if hits.len() < 2 || !busy.is_alone() || !are_long() {
        return read();
    }
    let mut all = thread::scope(|scope| {
        let other = scope.spawn(read);
        let mut all = read();
        all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        all
    });
    all.sort_by_key(|(place, _)| *place);
    all
}
