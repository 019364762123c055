//! The best documents that have any of some words: MaxScore, in windows.
//!
//! For each window of documents it is known what every word adds at most ([`Windows`]). Words are put in order of that;
//! those which together are too little to bring a document among the best need not be walked: whatever is found has one of
//! the others, the essential words. Where there is one of these, each of its documents that is good enough is looked up in
//! the other lists, best first, until it is clear that it is not. Where there are several, their lists are first added up
//! into an array, one after the other.
//!
//! Cost: a window without hope costs a comparison; a posting that is added costs a few nanoseconds.

use page::DocId;

use super::Collector;
use super::all::holds;
use super::windows::{Together, Walk, Windows};
use crate::Error;
use crate::operators::{DocIterator, Term};
use crate::points::Points;
use crate::top::Scored;

/// What a window takes, in the steps of whoever minds the time.
const STEPS: u32 = 16;

/// Offers every document that has one of the terms, satisfies `must`, is not among `known`, which increase, and may come
/// among the best.
pub(crate) fn walk(
    terms: Vec<Term<'_>>,
    must: &mut Option<Box<dyn DocIterator + '_>>,
    has_all: bool,
    known: &[DocId],
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let windows = Windows::new(terms.len(), Together::Any, collector, |word, shift, windows| {
        terms[word].raise_windows(shift, windows);
    });
    let can_go_back = must.is_none();
    let (order, sums, candidates) = (Vec::new(), Sums::new(windows.length()), Vec::new());
    let mut union = Union { terms, order, sums, candidates, must, has_all, known, collector };
    windows.walk(&mut union, can_go_back)
}

/// The words, and where what is found goes.
struct Union<'w, 'i, 'm, 'c> {
    terms: Vec<Term<'i>>,
    /// The words of a window, each with what it adds at most there, the weakest first.
    order: Vec<(Points, usize)>,
    sums: Sums,
    /// The documents of a window that the essential words may bring among the best, with what these add.
    candidates: Vec<(DocId, Points)>,
    must: &'w mut Option<Box<dyn DocIterator + 'm>>,
    has_all: bool,
    known: &'w [DocId],
    collector: &'w mut Collector<'c>,
}

impl Walk for Union<'_, '_, '_, '_> {
    fn must_stop(&self) -> bool {
        self.collector.must_stop_after(STEPS)
    }

    fn least(&self, from: DocId) -> Option<Points> {
        self.collector.least(self.has_all, from)
    }

    fn reach(&mut self, from: DocId) -> DocId {
        from
    }

    fn look_into(&mut self, windows: &Windows, first: DocId, last: DocId) -> Result<(), Error> {
        let window = windows.window_of(first);
        let Some(least) = self.least(first) else { return Ok(()) };
        self.order.clear();
        self.order.extend((0..self.terms.len()).map(|word| (windows.of_word(word, window), word)));
        self.order.sort_unstable();
        let needed = windows.rank_bound(window, self.collector).missing_to(least);
        let essential = first_essential(&self.order, needed);
        let of_others: Points = self.order[..essential].iter().map(|other| other.0).sum();
        self.candidates.clear();
        let (candidates, terms) = (&mut self.candidates, &mut self.terms);
        match self.order[essential..] {
            [] => return Ok(()),
            [(_, lead)] => {
                terms[lead].advance(first);
                let enough = of_others.missing_to(needed);
                terms[lead].points_to(last, enough, |doc, points| candidates.push((doc, points)));
            }
            ref several => {
                self.sums.add_up(terms, several, of_others, needed, (first, last));
                self.sums.take(first, of_others.missing_to(needed), candidates);
            }
        }
        self.offer_candidates(essential, of_others)
    }

    fn rewind(&mut self) {
        self.terms.iter_mut().for_each(Term::rewind);
    }
}

impl Union<'_, '_, '_, '_> {
    /// Offers those candidates that the words which are not essential, and what links say, bring among the best.
    fn offer_candidates(&mut self, essential: usize, of_others: Points) -> Result<(), Error> {
        let mut least = Points::ZERO;
        let mut is_known = false;
        for &(doc, points) in &self.candidates {
            if !is_known {
                let Some(now) = self.collector.least(self.has_all, doc) else { return Ok(()) };
                (least, is_known) = (now, true);
            }
            let points = points + self.collector.rank(doc);
            let others = &self.order[..essential];
            let Some(points) = complete(&mut self.terms, others, doc, points, of_others, least) else {
                continue;
            };
            if self.known.binary_search(&doc).is_err() && holds(self.must, doc)? {
                self.collector.offer(Scored { has_all: self.has_all, points, doc })?;
                is_known = false;
            }
        }
        Ok(())
    }
}

/// The first word that a document needs, or a later one, to reach so many points.
fn first_essential(order: &[(Points, usize)], needed: Points) -> usize {
    let mut sum = Points::ZERO;
    let is_too_little = |(bound, _): &(Points, usize)| {
        sum += *bound;
        sum < needed || sum == Points::ZERO
    };
    order.iter().map(is_too_little).take_while(|is| *is).count()
}

/// Adds what the other words say of a document, the strongest first; `None` as soon as it cannot reach `least`.
#[inline]
fn complete(
    terms: &mut [Term<'_>],
    others: &[(Points, usize)],
    doc: DocId,
    mut points: Points,
    mut of_others: Points,
    least: Points,
) -> Option<Points> {
    for &(bound, word) in others.iter().rev() {
        if points + of_others < least {
            return None;
        }
        of_others = Points(of_others.0 - bound.0);
        let term = &mut terms[word];
        if term.advance(doc) == doc {
            points += term.points();
        }
    }
    (points >= least).then_some(points)
}

/// What the essential words add up to in a window.
struct Sums {
    sums: Vec<Points>,
    /// A bit for each document that has one of them.
    seen: Vec<u64>,
}

impl Sums {
    /// For windows of so many documents, a multiple of 64.
    fn new(length: usize) -> Self {
        Self { sums: vec![Points::ZERO; length], seen: vec![0; length / 64] }
    }

    /// Walks the essential words to the end of the window.
    fn add_up(
        &mut self,
        terms: &mut [Term<'_>],
        essential: &[(Points, usize)],
        of_others: Points,
        needed: Points,
        (first, last): (DocId, DocId),
    ) {
        let all = essential.iter().map(|word| word.0).sum::<Points>() + of_others;
        let (sums, seen) = (&mut self.sums[..], &mut self.seen[..]);
        for &(bound, word) in essential {
            let without_it = Points(all.0 - bound.0);
            let term = &mut terms[word];
            term.advance(first);
            term.points_to(last, without_it.missing_to(needed), |doc, points| {
                let place = (doc.get() - first.get()) as usize;
                sums[place] += points;
                seen[place / 64] |= 1 << (place % 64);
            });
        }
    }

    /// Gives the documents that have enough, and forgets all sums.
    fn take(&mut self, first: DocId, enough: Points, found: &mut Vec<(DocId, Points)>) {
        for (word, seen) in self.seen.iter_mut().enumerate() {
            let mut bits = std::mem::take(seen);
            while bits != 0 {
                let place = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let points = std::mem::take(&mut self.sums[place]);
                if points >= enough {
                    found.push((DocId::new(first.get() + place as u32), points));
                }
            }
        }
    }
}
