//! The texts of results, read and made into what is shown of them.
//!
//! A long page takes longer to be read than most searches take to find it. So no more of it is read than has the words that
//! its main text is known to have, as far as their positions tell, and where the pages are long and nobody else is searching, two
//! threads read them.
//!
//! Cost: nothing for short pages; another thread, some thirty microseconds, where that is a tenth of what it saves.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use index::{Field, FieldCounts, Index, TermEntry};
use page::DocId;

use crate::Error;
use crate::lists::{Found, Lists};
use crate::query::Query;
use crate::sightings::ENOUGH_BYTES;
use crate::snippet::{TEXT_BYTES_MAX, Terms};

/// Pages of so many words together are read by two threads.
const LONG_WORDS: u64 = 3_000;

/// A text of fewer words is short enough to be read whole.
const CUT_WORDS: u64 = 4_000;

/// So many bytes of a text a word takes mostly, with what stands behind it, and so many at least.
const WORD_BYTES: usize = 7;
const WORD_BYTES_LEAST: usize = 3;

/// Counts who is searching, as long as it lives.
pub(crate) struct Busy(Arc<AtomicUsize>);

impl Busy {
    pub(crate) fn with(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }

    /// Whether nobody else is.
    pub(crate) fn is_alone(&self) -> bool {
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
    docs.map(|doc| words_of(index, doc)).sum::<u64>() >= LONG_WORDS
}

/// What is known of a text before it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InText {
    /// The terms that the main text of a long document has, by their numbers in the query; of a short one nobody needs to know.
    pub(crate) terms: Terms,
    /// About so many bytes of the text have them.
    pub(crate) bytes: usize,
}

impl InText {
    /// Where nothing is looked for.
    pub(crate) const NOTHING: Self = Self { terms: Terms::NONE, bytes: ENOUGH_BYTES };

    pub(crate) fn of(lists: &Lists<'_>, query: &Query, doc: DocId) -> Result<Self, Error> {
        let (mut known, mut positions) = (Self::NOTHING, Vec::new());
        if words_of(&lists.searcher.index, doc) < CUT_WORDS {
            return Ok(known);
        }
        for (number, term) in query.terms().iter().enumerate() {
            let Found { stem, exact } = lists.found(term)?;
            let is_in_text = |entry: &TermEntry| {
                let mut cursor = lists.cursor(entry);
                let counts =
                    if cursor.advance(doc) == doc { cursor.counts() } else { FieldCounts::default() };
                counts.of(Field::Main) > 0 || counts.of(Field::Heading) > 0
            };
            if !stem.iter().chain(&exact).any(is_in_text) {
                continue;
            }
            let words_before = match &exact {
                Some(exact) => first_on_page(lists, exact, doc, &mut positions)?,
                None => None,
            };
            let words_before = words_before.unwrap_or(0);
            if words_before * WORD_BYTES_LEAST < TEXT_BYTES_MAX {
                known.terms = Terms(known.terms.0 | Terms::of(number).0);
                known.bytes = known.bytes.max(words_before * WORD_BYTES).min(TEXT_BYTES_MAX);
            }
        }
        Ok(known)
    }
}

/// How many words of a page come before the first one that is this very word, if it is known where it stands.
fn first_on_page(
    lists: &Lists<'_>,
    exact: &TermEntry,
    doc: DocId,
    positions: &mut Vec<u32>,
) -> Result<Option<usize>, Error> {
    let mut cursor = lists.cursor(exact);
    positions.clear();
    if lists.has_positions() && cursor.advance(doc) == doc {
        cursor.positions_in(Field::Main, positions)?;
    }
    Ok(positions.first().map(|&position| Field::words_before(position) as usize))
}

fn words_of(index: &Index, doc: DocId) -> u64 {
    Field::ALL.map(|field| u64::from(index.field_length(doc, field))).iter().sum()
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
