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
use super::sum;
use super::windows::{Together, Walk, Windows};
use crate::Error;
use crate::bonus::PairBound;
use crate::operators::{DocIterator, Term};
use crate::points::Points;
use crate::top::Scored;

/// Whether there are pairs is asked for each window.
type Sum = sum::Sum<true>;

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
    let (order, candidates) = (Vec::new(), Vec::new());
    let sums = Sums::new(windows.length(), collector.pairs());
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
    candidates: Vec<(DocId, Sum)>,
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
        let Some(least) = self.collector.least_in_all(self.has_all, first) else { return Ok(()) };
        self.order.clear();
        self.order.extend((0..self.terms.len()).map(|word| (windows.of_word(word, window), word)));
        self.order.sort_unstable();
        let pairs = self.collector.pairs();
        let needed_in_all = windows.rank_bound(window, self.collector).missing_to(least);
        let all = self.sum_of(&self.order);
        // Less is too little by the words of this window, and by those of any.
        let needed = pairs.most(all.of_pairs, all.strongest).missing_to(needed_in_all);
        let needed = needed.max(pairs.lowered(needed_in_all));
        let essential = first_essential(&self.order, needed);
        let others = self.sum_of(&self.order[..essential]);
        self.candidates.clear();
        let (candidates, terms) = (&mut self.candidates, &mut self.terms);
        match self.order[essential..] {
            [] => return Ok(()),
            [(_, lead)] => {
                terms[lead].advance(first);
                let (enough, makes_pairs) = (others.points.missing_to(needed), terms[lead].makes_pairs);
                terms[lead].points_to(last, enough, |doc, points| {
                    let mut sum = Sum::default();
                    sum.add(points, makes_pairs);
                    candidates.push((doc, sum));
                });
            }
            ref several => {
                let is_enough = |sum: &Sum| sum.at_most_with(&others, pairs) >= needed_in_all;
                match pairs.is_nothing() {
                    true => self.sums.add_up::<false>(terms, several, others.points, needed, (first, last)),
                    false => self.sums.add_up::<true>(terms, several, others.points, needed, (first, last)),
                }
                self.sums.take(first, is_enough, candidates);
            }
        }
        self.offer_candidates(essential, others)
    }

    fn rewind(&mut self) {
        self.terms.iter_mut().for_each(Term::rewind);
    }
}

impl Union<'_, '_, '_, '_> {
    /// What these words add at most.
    fn sum_of(&self, words: &[(Points, usize)]) -> Sum {
        let mut sum = Sum::default();
        words.iter().for_each(|&(points, word)| sum.add(points, self.terms[word].makes_pairs));
        sum
    }

    /// Offers those candidates that the words which are not essential, and what links say, bring among the best.
    fn offer_candidates(&mut self, essential: usize, others: Sum) -> Result<(), Error> {
        let pairs = self.collector.pairs();
        for &(doc, mut sum) in &self.candidates {
            let Some(least) = self.collector.least_of(self.has_all, doc) else { continue };
            sum.points += self.collector.rank(doc);
            let words = &self.order[..essential];
            if complete(&mut self.terms, words, doc, &mut sum, others, least, pairs)
                && self.known.binary_search(&doc).is_err()
                && holds(self.must, doc)?
            {
                let scored = Scored { has_all: self.has_all, points: sum.points, doc };
                self.collector.offer_with(scored, pairs.most(sum.of_pairs, sum.strongest))?;
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

/// Adds what the other words say of a document, the strongest first; false as soon as it cannot reach `least`.
#[inline]
fn complete(
    terms: &mut [Term<'_>],
    words: &[(Points, usize)],
    doc: DocId,
    sum: &mut Sum,
    mut others: Sum,
    least: Points,
    pairs: PairBound,
) -> bool {
    for &(bound, word) in words.iter().rev() {
        if sum.at_most_with(&others, pairs) < least {
            return false;
        }
        let term = &mut terms[word];
        others.points = Points(others.points.0 - bound.0);
        if term.makes_pairs {
            others.of_pairs = Points(others.of_pairs.0 - bound.0);
        }
        if term.advance(doc) == doc {
            sum.add(term.points(), term.makes_pairs);
        }
    }
    sum.at_most(pairs) >= least
}

/// What the essential words add up to in a window.
struct Sums {
    points: Vec<Points>,
    /// Those that make pairs: all of them, and the strongest.
    of_pairs: Vec<(Points, Points)>,
    /// A bit for each document that has one of them.
    seen: Vec<u64>,
}

impl Sums {
    /// For windows of so many documents, a multiple of 64.
    fn new(length: usize, pairs: PairBound) -> Self {
        let of_pairs = if pairs.is_nothing() { 0 } else { length };
        Self {
            points: vec![Points::ZERO; length],
            of_pairs: vec![(Points::ZERO, Points::ZERO); of_pairs],
            seen: vec![0; length / 64],
        }
    }

    /// Walks the essential words to the end of the window.
    fn add_up<const PAIRS: bool>(
        &mut self,
        terms: &mut [Term<'_>],
        essential: &[(Points, usize)],
        of_others: Points,
        needed: Points,
        (first, last): (DocId, DocId),
    ) {
        let all = essential.iter().map(|word| word.0).sum::<Points>() + of_others;
        let (sums, of_pairs, seen) = (&mut self.points[..], &mut self.of_pairs[..], &mut self.seen[..]);
        for &(bound, word) in essential {
            let without_it = Points(all.0 - bound.0);
            let term = &mut terms[word];
            let makes_pairs = term.makes_pairs;
            term.advance(first);
            term.points_to(last, without_it.missing_to(needed), |doc, points| {
                let place = (doc.get() - first.get()) as usize;
                sums[place] += points;
                seen[place / 64] |= 1 << (place % 64);
                if PAIRS && makes_pairs {
                    let (all, strongest) = &mut of_pairs[place];
                    *all += points;
                    *strongest = points.max(*strongest);
                }
            });
        }
    }

    /// Gives the documents that have enough, and forgets all sums.
    fn take(&mut self, first: DocId, is_enough: impl Fn(&Sum) -> bool, found: &mut Vec<(DocId, Sum)>) {
        for (word, seen) in self.seen.iter_mut().enumerate() {
            let mut bits = std::mem::take(seen);
            while bits != 0 {
                let place = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let points = std::mem::take(&mut self.points[place]);
                let (of_pairs, strongest) =
                    self.of_pairs.get_mut(place).map(std::mem::take).unwrap_or_default();
                let sum = Sum { points, of_pairs, strongest };
                if is_enough(&sum) {
                    found.push((DocId::new(first.get() + place as u32), sum));
                }
            }
        }
    }
}
