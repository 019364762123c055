//! The best documents that have any of some words: MaxScore, in windows.
//!
//! The documents are gone through in windows of 1024. For each, the index says what every word adds at most. Words are put
//! in order of that; those which together are too little to bring a document among the best need not be walked: whatever is
//! found has one of the others, the essential words. Their lists are added up one after the other into an array, block
//! after block, where even a block is passed over if it cannot make up what is missing. Then each document of the array that
//! is still good enough is looked up in the other lists, best first, until it is clear that it is not.
//!
//! Cost: a window without hope costs one look at the maxima of each list; a posting that is added costs a few nanoseconds.

use page::DocId;

use super::Collector;
use super::all::holds;
use super::spans::{Span, all_but, strongest};
use crate::Error;
use crate::operators::{DocIterator, Term};
use crate::points::Points;
use crate::top::Scored;

const WINDOW: usize = 1024;
/// What a window takes, in the steps of whoever minds the time.
const STEPS: u32 = 32;

/// Offers every document that has one of the terms, satisfies `must`, is not among `known`, which increase, and may come
/// among the best; `terms` gives the words, as often as it is asked.
pub(crate) fn walk<'i>(
    terms: impl Fn() -> Result<Vec<Term<'i>>, Error>,
    must: &mut Option<Box<dyn DocIterator + '_>>,
    has_all: bool,
    known: &[DocId],
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let all = terms()?;
    let first = if must.is_none() { strongest(&all) } else { Vec::new() };
    let mut walk = Walk { window: Window::default(), must, has_all, known };
    if !first.is_empty() {
        walk.through(terms()?, &first, collector)?;
    }
    walk.through(all, &all_but(&first, collector.end()), collector)
}

/// What does not change from window to window.
struct Walk<'w, 'm> {
    window: Window,
    must: &'w mut Option<Box<dyn DocIterator + 'm>>,
    has_all: bool,
    known: &'w [DocId],
}

impl Walk<'_, '_> {
    fn through(
        &mut self,
        terms: Vec<Term<'_>>,
        spans: &[Span],
        collector: &mut Collector<'_>,
    ) -> Result<(), Error> {
        let bounded = |term| Bounded { term: Box::new(term), bound: Points::ZERO };
        let mut terms: Vec<Bounded<'_>> = terms.into_iter().map(bounded).collect();
        for span in spans {
            let mut first = next_of(&terms).max(span.first);
            while first <= span.last && !collector.must_stop_after(STEPS) {
                let Some(least) = collector.least(self.has_all, first) else { return Ok(()) };
                let last = bound_window(&mut terms, first, span.last);
                let rank = collector.rank_bound(first, last);
                let essential = first_essential(&terms, rank.missing_to(least));
                if essential < terms.len() {
                    self.window.first = first;
                    let (others, essential) = terms.split_at_mut(essential);
                    self.window.add_up(essential, others, last, rank.missing_to(least));
                    let known = &self.known[self.known.partition_point(|doc| *doc < first)..];
                    self.window.offer(others, self.must, self.has_all, known, rank, collector)?;
                }
                // Lists that were not walked stand behind.
                first = next_of(&terms).max(last.next());
            }
        }
        Ok(())
    }
}

/// The first document on which a word stands.
fn next_of(terms: &[Bounded<'_>]) -> DocId {
    terms.iter().map(|bounded| bounded.term.doc()).min().unwrap_or(DocId::END)
}

/// A word, and what it adds at most to a document of the window.
struct Bounded<'i> {
    /// In a box, as words change places in every other window.
    term: Box<Term<'i>>,
    bound: Points,
}

/// Bounds every word in the window that begins at `first`, the weakest in front; the last document of the window, which
/// is not behind `to`.
fn bound_window(terms: &mut [Bounded<'_>], first: DocId, to: DocId) -> DocId {
    let mut last = DocId::new(first.get().saturating_add(WINDOW as u32 - 1)).min(to);
    for bounded in &mut *terms {
        let bound = bounded.term.bound_between(first, last);
        bounded.bound = bound.points;
        last = last.min(bound.last);
    }
    terms.sort_by_key(|bounded| bounded.bound);
    last
}

/// The first word that a document needs, or a later one, to reach so many points.
fn first_essential(terms: &[Bounded<'_>], needed: Points) -> usize {
    let mut sum = Points::ZERO;
    let is_too_little = |bounded: &Bounded<'_>| {
        sum += bounded.bound;
        sum < needed
    };
    terms.iter().map(is_too_little).take_while(|is| *is).count()
}

/// What the essential words add up to in a window.
struct Window {
    first: DocId,
    sums: Box<[Points; WINDOW]>,
    /// A bit for each document that has one of them.
    seen: [u64; WINDOW / 64],
}

impl Default for Window {
    fn default() -> Self {
        Self { first: DocId::new(0), sums: Box::new([Points::ZERO; WINDOW]), seen: [0; WINDOW / 64] }
    }
}

impl Window {
    /// Walks the essential words to the end of the window.
    fn add_up(&mut self, essential: &mut [Bounded<'_>], others: &[Bounded<'_>], last: DocId, needed: Points) {
        let all: Points = others.iter().chain(&*essential).map(|bounded| bounded.bound).sum();
        let (first, sums, seen) = (self.first, &mut self.sums, &mut self.seen);
        for Bounded { term, bound } in essential {
            let without_it = Points(all.0 - bound.0);
            term.advance(first);
            term.points_to(last, without_it.missing_to(needed), |doc, points| {
                let place = (doc.get() - first.get()) as usize % WINDOW;
                sums[place] += points;
                seen[place / 64] |= 1 << (place % 64);
            });
        }
    }

    /// Offers those that the other words, and what links say, may bring among the best; forgets all sums.
    fn offer(
        &mut self,
        others: &mut [Bounded<'_>],
        must: &mut Option<Box<dyn DocIterator + '_>>,
        has_all: bool,
        known: &[DocId],
        rank: Points,
        collector: &mut Collector<'_>,
    ) -> Result<(), Error> {
        let of_others: Points = others.iter().map(|bounded| bounded.bound).sum();
        let at_most = of_others + rank;
        // The least only grows, so what was too little at the beginning of the window is.
        let enough = at_most.missing_to(collector.least(has_all, self.first).unwrap_or(Points::MAX));
        for word in 0..self.seen.len() {
            let mut bits = std::mem::take(&mut self.seen[word]);
            while bits != 0 {
                let place = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let points = std::mem::take(&mut self.sums[place]);
                if points < enough {
                    continue;
                }
                let doc = DocId::new(self.first.get() + place as u32);
                let Some(least) = collector.least(has_all, doc) else { continue };
                let points = points + collector.rank(doc);
                if let Some(points) = complete(others, doc, points, of_others, least)
                    && known.binary_search(&doc).is_err()
                    && holds(must, doc)?
                {
                    collector.offer(Scored { has_all, points, doc })?;
                }
            }
        }
        Ok(())
    }
}

/// Adds what the other words say of a document, the strongest first; `None` as soon as it cannot reach `least`.
#[inline]
fn complete(
    others: &mut [Bounded<'_>],
    doc: DocId,
    mut points: Points,
    mut of_others: Points,
    least: Points,
) -> Option<Points> {
    for Bounded { term, bound } in others.iter_mut().rev() {
        if points + of_others < least {
            return None;
        }
        of_others = Points(of_others.0 - bound.0);
        // Its block may say that it is not worth to be decoded.
        if points + of_others + term.bound_at(doc).points < least {
            return None;
        }
        if term.advance(doc) == doc {
            points += term.points();
        }
    }
    (points >= least).then_some(points)
}
