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
use crate::Error;
use crate::bonus::PairBound;
use crate::operators::{Bound, DocIterator as _, Term};
use crate::points::Points;
use crate::top::Scored;

/// A block of documents takes about as long as so many steps.
const BLOCK_STEPS: u32 = 64;

/// Offers every document that has all words and may come among the best. Gives the documents that it offered, in order.
pub(crate) fn walk(
    mut terms: Vec<Term<'_>>,
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
) -> Result<Vec<DocId>, Error> {
    let first = if beside.can_go_back() { strongest(&terms) } else { Vec::new() };
    terms.sort_by_key(Term::cost);
    let mut others = Others::new(terms.split_off(terms.len().min(1)));
    let (Some(lead), mut offered) = (terms.first_mut(), Vec::new()) else { return Ok(Vec::new()) };
    if !first.is_empty() {
        walk_spans(lead, &mut others, &first, beside, collector, &mut offered)?;
        lead.rewind();
        others.rewind();
    }
    walk_spans(lead, &mut others, &all_but(&first, collector.end()), beside, collector, &mut offered)?;
    offered.sort_unstable();
    Ok(offered)
}

fn walk_spans(
    lead: &mut Term<'_>,
    others: &mut Others<'_>,
    spans: &[Span],
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
    offered: &mut Vec<DocId>,
) -> Result<(), Error> {
    let (pairs, makes_pairs) = (collector.pairs(), lead.makes_pairs);
    for span in spans {
        let mut from = lead.doc().max(span.first);
        while from <= span.last && !collector.must_stop_after(BLOCK_STEPS) {
            let Some(least) = collector.least(beside.may_have_all(), from) else { return Ok(()) };
            let of_lead = others.bound(from, span.last, lead, beside, collector);
            if others.most + of_lead.points < least {
                from = of_lead.last.next();
                continue;
            }
            lead.advance(from);
            let mut outcome = Ok(Some(least));
            lead.points_to(of_lead.last, others.most.missing_to(least), |doc, points| {
                if doc >= others.next
                    && let Ok(Some(least)) = outcome
                    && points + others.most >= least
                    && let Some(all) = others.look_up(doc, points, least)
                {
                    outcome = offer(
                        doc,
                        all,
                        others.of_pairs(makes_pairs, points, pairs),
                        beside,
                        collector,
                        offered,
                    );
                }
            });
            outcome?;
            from = lead.doc().max(of_lead.last.next());
        }
    }
    Ok(())
}

/// Offers a document that has all words, which add so many points, and whose pairs add no more than that. Gives what others
/// need from then on.
fn offer(
    doc: DocId,
    points: Points,
    of_pairs: Points,
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
    offered: &mut Vec<DocId>,
) -> Result<Option<Points>, Error> {
    if let Some((has_all, more)) = beside.look_at(doc)? {
        offered.push(doc);
        let scored = Scored { has_all, points: points + more + collector.rank(doc), doc };
        collector.offer_with(scored, of_pairs)?;
    }
    Ok(collector.least(beside.may_have_all(), doc))
}

/// The words that do not lead.
struct Others<'i> {
    terms: Vec<Term<'i>>,
    /// What each adds at most in its block that has the present document.
    bounds: Vec<Bound>,
    /// What is beside them, and links, add at most in the present block of the leader.
    beside: Points,
    /// What all of them add at most in it, with that.
    most: Points,
    /// Nothing before this document has all of them.
    next: DocId,
}

impl<'i> Others<'i> {
    fn new(mut terms: Vec<Term<'i>>) -> Self {
        let bounds = terms.iter_mut().map(|term| term.bound_at(DocId::new(0))).collect();
        Self { terms, bounds, beside: Points::ZERO, most: Points::ZERO, next: DocId::new(0) }
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
    fn bound(
        &mut self,
        from: DocId,
        to: DocId,
        lead: &mut Term<'_>,
        beside: &mut dyn Beside,
        collector: &Collector<'_>,
    ) -> Bound {
        let (of_beside, of_lead) = (beside.bound_at(from), lead.bound_at(from));
        let mut last = of_lead.last.min(of_beside.last).min(to);
        self.most = Points::ZERO;
        for term in &mut self.terms {
            let bound = term.bound_between(from, last);
            self.most += bound.points;
            last = last.min(bound.last);
        }
        self.beside = of_beside.points + collector.rank_bound(from, last);
        self.most += self.beside;
        Bound { last, ..of_lead }
    }

    /// What pairs add at most to the document that was looked up last, to which the leader adds `points`.
    fn of_pairs(&mut self, lead_makes_pairs: bool, points: Points, pairs: PairBound) -> Points {
        if pairs.is_nothing() {
            return Points::ZERO;
        }
        let mut all = if lead_makes_pairs { points } else { Points::ZERO };
        let mut strongest = all;
        for term in self.terms.iter_mut().filter(|term| term.makes_pairs) {
            let points = term.points();
            (all, strongest) = (all + points, strongest.max(points));
        }
        pairs.most(all, strongest)
    }

    /// What all words add to a document of the block, to which the leader adds `points`; `None` if one does not have it,
    /// or it is worth less than `least`.
    #[inline]
    fn look_up(&mut self, doc: DocId, mut points: Points, least: Points) -> Option<Points> {
        let mut most = points + self.beside;
        for (term, bound) in self.terms.iter_mut().zip(&mut self.bounds) {
            if bound.last < doc {
                *bound = term.bound_at(doc);
            }
            most += bound.points;
        }
        for (term, bound) in self.terms.iter_mut().zip(&self.bounds) {
            if most < least {
                return None;
            }
            let found = term.advance(doc);
            if found > doc {
                self.next = found;
                return None;
            }
            let added = term.points();
            points += added;
            most = Points(most.0 - bound.points.0) + added;
        }
        (most >= least).then_some(points)
    }
}
