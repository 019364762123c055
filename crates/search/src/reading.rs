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

use index::{Field, Index};
use page::DocId;

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

/// Whether it takes long to read these documents.
pub(crate) fn are_long(index: &Index, docs: impl Iterator<Item = DocId>) -> bool {
    let words =
        |doc: DocId| Field::ALL.map(|field| u64::from(index.field_length(doc, field))).iter().sum::<u64>();
    docs.map(words).sum::<u64>() >= LONG_WORDS
}

/// What is read at each of so many places that can be read, in their order; by two threads if nobody else is searching and
/// `is_long` says that it pays.
pub(crate) fn read_all<T: Send>(
    places: usize,
    busy: &Busy,
    is_long: impl FnOnce() -> bool,
    read: impl Fn(usize) -> Option<T> + Sync,
) -> Vec<(usize, T)> {
    let next = AtomicUsize::new(0);
    let read = || {
        let mut all = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= places {
                return all;
            }
            all.extend(read(place).map(|read| (place, read)));
        }
    };
    if places < 2 || !busy.is_alone() || !is_long() {
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
