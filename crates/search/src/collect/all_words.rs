//! The best documents that have all of some words: an intersection, block after block.
//!
//! Like [`super::all`], for what is asked most. The rarest word leads. Of a block of its documents the index says what it
//! adds there at most, and what no other word exceeds: blocks that together are too little are passed over without being
//! decoded. In the others it is known what the leader has to add itself, and documents to which it adds less are left out
//! by one comparison each, without a look at any other list. The few that remain are measured against the blocks in which
//! the other words have them, and only then looked up there, the next rarest first, until one does not have them, or they
//! turn out to be worth too little.

use page::DocId;

use super::Collector;
use super::all::Beside;
use super::spans::{Span, all_but, strongest};
use super::sum::Sum;
use crate::Error;
use crate::bonus::PairBound;
use crate::operators::{Bound, DocIterator as _, Term};
use crate::points::Points;
use crate::top::Scored;

/// A block of documents takes about as long as so many steps.
const BLOCK_STEPS: u32 = 64;

/// Offers every document that has all words and may come among the best. Gives the documents that it offered, in order.
pub(crate) fn walk(
    terms: Vec<Term<'_>>,
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
) -> Result<Vec<DocId>, Error> {
    match collector.pairs().is_nothing() {
        true => walk_all::<false>(terms, beside, collector),
        false => walk_all::<true>(terms, beside, collector),
    }
}

fn walk_all<const PAIRS: bool>(
    mut terms: Vec<Term<'_>>,
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
) -> Result<Vec<DocId>, Error> {
    let among = collector.begin()..collector.end();
    let first = if beside.can_go_back() { strongest(&terms, &among) } else { Vec::new() };
    terms.sort_by_key(Term::cost);
    let mut others = Others::<PAIRS>::new(terms.split_off(terms.len().min(1)));
    let (Some(lead), mut offered) = (terms.first_mut(), Vec::new()) else { return Ok(Vec::new()) };
    if !first.is_empty() {
        walk_spans(lead, &mut others, &first, beside, collector, &mut offered)?;
        lead.rewind();
        others.rewind();
    }
    walk_spans(lead, &mut others, &all_but(&first, &among), beside, collector, &mut offered)?;
    offered.sort_unstable();
    Ok(offered)
}

fn walk_spans<const PAIRS: bool>(
    lead: &mut Term<'_>,
    others: &mut Others<'_, PAIRS>,
    spans: &[Span],
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
    offered: &mut Vec<DocId>,
) -> Result<(), Error> {
    let (pairs, makes_pairs) = (collector.pairs(), lead.makes_pairs);
    let alone = |points: Points| {
        let mut sum = Sum::<PAIRS>::default();
        sum.add(points, makes_pairs);
        sum
    };
    for span in spans {
        let mut from = lead.doc().max(span.first);
        while from <= span.last && !collector.must_stop_after(BLOCK_STEPS) {
            let Some(least) = collector.least_in_all(beside.may_have_all(), from) else { return Ok(()) };
            let of_lead = others.bound(from, span.last, lead, beside);
            let ranks = collector.rank_bound(from, of_lead.last);
            if alone(of_lead.points).at_most_with(&others.most, pairs) + ranks < least {
                from = of_lead.last.next();
                continue;
            }
            lead.advance(from);
            let mut outcome = Ok(Some(least));
            let enough = (others.most.at_most(pairs) + ranks).missing_to(least);
            lead.points_to(of_lead.last, enough, |doc, points| {
                let Ok(Some(least)) = outcome else { return };
                if doc < others.next {
                    return;
                }
                let sum = alone(points);
                let most = sum.at_most_with(&others.most, pairs);
                if most + ranks < least {
                    return;
                }
                let rank = collector.rank(doc);
                if most + rank >= least
                    && let Some(sum) = others.look_up(doc, sum, rank.missing_to(least), pairs)
                {
                    outcome = offer((doc, sum, rank), beside, collector, offered);
                }
            });
            outcome?;
            from = lead.doc().max(of_lead.last.next());
        }
    }
    Ok(())
}

/// Offers a document that has all words, with what they add and what links do. Gives what others need from then on.
fn offer<const PAIRS: bool>(
    (doc, sum, rank): (DocId, Sum<PAIRS>, Points),
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
    offered: &mut Vec<DocId>,
) -> Result<Option<Points>, Error> {
    if let Some((has_all, more)) = beside.look_at(doc)? {
        offered.push(doc);
        let scored = Scored { has_all, points: sum.points + more + rank, doc };
        collector.offer_with(scored, collector.pairs().most(sum.of_pairs + more, sum.strongest))?;
    }
    Ok(collector.least_in_all(beside.may_have_all(), doc))
}

/// The words that do not lead.
struct Others<'i, const PAIRS: bool> {
    terms: Vec<Term<'i>>,
    /// What each adds at most in its block that has the present document.
    bounds: Vec<Bound>,
    /// What is beside them adds at most in the present block of the leader.
    beside: Points,
    /// What all of them add at most in it, with that.
    most: Sum<PAIRS>,
    /// Nothing before this document has all of them.
    next: DocId,
}

impl<'i, const PAIRS: bool> Others<'i, PAIRS> {
    fn new(mut terms: Vec<Term<'i>>) -> Self {
        let bounds = terms.iter_mut().map(|term| term.bound_at(DocId::new(0))).collect();
        Self { terms, bounds, beside: Points::ZERO, most: Sum::default(), next: DocId::new(0) }
    }

    /// Begins again.
    fn rewind(&mut self) {
        for (term, bound) in self.terms.iter_mut().zip(&mut self.bounds) {
            term.rewind();
            *bound = term.bound_at(DocId::new(0));
        }
        self.next = DocId::new(0);
    }

    /// Bounds them, and the leader, from a document to the last for which that holds: at most to `to`, and to the end of
    /// the block that the leader has there.
    fn bound(&mut self, from: DocId, to: DocId, lead: &mut Term<'_>, beside: &mut dyn Beside) -> Bound {
        let (of_beside, of_lead) = (beside.bound_at(from), lead.bound_at(from));
        let mut last = of_lead.last.min(of_beside.last).min(to);
        self.most = Sum::default();
        for term in &mut self.terms {
            let bound = term.bound_between(from, last);
            self.most.add_bound(bound.points, term.makes_pairs);
            last = last.min(bound.last);
        }
        // What is beside them may be words that make pairs.
        self.most.add_bound(of_beside.points, true);
        self.beside = of_beside.points;
        Bound { last, ..of_lead }
    }

    /// What all words add to a document of the block, to which the leader adds `sum`; `None` if one does not have it,
    /// or if they add less than `least`, whatever pairs and what is beside them may add.
    #[inline]
    fn look_up(
        &mut self,
        doc: DocId,
        mut sum: Sum<PAIRS>,
        least: Points,
        pairs: PairBound,
    ) -> Option<Sum<PAIRS>> {
        sum.add_bound(self.beside, true);
        for (term, bound) in self.terms.iter_mut().zip(&mut self.bounds) {
            if bound.last < doc {
                *bound = term.bound_at(doc);
            }
            sum.add_bound(bound.points, term.makes_pairs);
        }
        for (term, bound) in self.terms.iter_mut().zip(&self.bounds) {
            if sum.at_most(pairs) < least {
                return None;
            }
            let found = term.advance(doc);
            if found > doc {
                self.next = found;
                return None;
            }
            sum.settle(bound.points, term.points(), term.makes_pairs);
        }
        let is_enough = sum.at_most(pairs) >= least;
        sum.take_bound(self.beside, true);
        is_enough.then_some(sum)
    }
}
