//! Two threads for one query: each finds the best of half of the documents, and the best of both are the best.
//!
//! Words that are on most pages take milliseconds, however much is passed over. If nobody else is searching there is a core
//! that does nothing; a thread of its own then walks the second half of the lists. Both threads know what is best in their
//! half alone, and pass over a little less than one that knows all.
//!
//! What is found is the same: of each half all is kept that could be among the best of all, what stands for a group of copies
//! is looked up wherever it is, and what both have found of a group is weighed again when they are laid together.
//!
//! Cost: a thread, some fifty microseconds, and the lists of the query, which are opened twice.

use std::panic::resume_unwind;
use std::thread;

use page::DocId;

use crate::Error;
use crate::best::Wish;
use crate::bonus::Bonus;
use crate::collect::Found;
use crate::limits::Limits;
use crate::lists::Lists;
use crate::query::Query;

/// So many postings are worth another thread.
const HEAVY_POSTINGS: u64 = 1 << 17;

/// Whether a query is one that can be divided: plain words, and nothing beside them.
pub(crate) fn can_be(query: &Query) -> bool {
    query.words_lead() && query.must().is_none()
}

/// Whether it is worth it.
pub(crate) fn are_worth_it(lists: &Lists<'_>, query: &Query) -> Result<bool, Error> {
    if !can_be(query) {
        return Ok(false);
    }
    let mut postings = 0;
    for term in query.terms() {
        let found = lists.found(term)?;
        let entries = found.stem.iter().chain(&found.exact);
        postings += entries.map(|entry| u64::from(entry.document_frequency())).sum::<u64>();
    }
    Ok(postings >= HEAVY_POSTINGS)
}

/// The best, found by two threads.
pub(crate) fn best(
    lists: &Lists<'_>,
    query: &Query,
    bonus: &Bonus<'_>,
    wish: &Wish<'_>,
    limits: Limits,
) -> Result<Found, Error> {
    let all = lists.all();
    let middle = DocId::new(all.end.get() / 2);
    let (searcher, spellings, reader) = (lists.searcher, lists.spellings(), lists.reader);
    // Looked for once, for both.
    let titles = bonus.titles();
    let second_half = || -> Result<_, Error> {
        let lists = Lists::new(searcher, spellings, limits).for_reader(reader);
        let bonus = Bonus::new(&lists, query)?.with_titles(titles);
        let found = wish.best(&lists, query, &bonus, middle..all.end, || Ok(Vec::new()))?;
        Ok((found.into_all(), lists.stopper.has_stopped()))
    };
    thread::scope(|scope| {
        let other = scope.spawn(second_half);
        wish.best(lists, query, bonus, all.start..middle, || {
            let (found, has_stopped) = other.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            if has_stopped {
                lists.stopper.stop();
            }
            Ok(found)
        })
    })
}
