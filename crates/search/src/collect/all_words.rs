//! The best documents that have all of some words: an intersection, block after block.
//!
//! Like [`super::all`], for what is asked most. The rarest word leads. Of a block of its documents the index says what no
//! other word exceeds there, so what the leader has to add itself is known, and those to which it adds less are left out
//! by one comparison each, without a look at any other list. The few that remain are looked up in the other lists, the
//! next rarest first, until one does not have them, or they turn out to be worth too little.

use page::DocId;

use super::Collector;
use super::all::Beside;
use crate::Error;
use crate::operators::{DocIterator as _, Term};
use crate::points::Points;
use crate::top::Scored;

/// Offers every document that has all words and may come among the best. Gives the documents that it offered.
pub(crate) fn walk(
    mut terms: Vec<Term<'_>>,
    beside: &mut dyn Beside,
    collector: &mut Collector<'_>,
) -> Result<Vec<DocId>, Error> {
    terms.sort_by_key(Term::cost);
    let mut others = Others::new(terms.split_off(terms.len().min(1)));
    let Some(lead) = terms.first_mut() else { return Ok(Vec::new()) };
    let (mut offered, mut block) = (Vec::new(), Vec::new());
    while lead.doc() != DocId::END && !collector.must_stop() {
        let Some(least) = collector.least(beside.may_have_all(), lead.doc()) else { break };
        let last = others.bound(lead, beside, collector);
        block.clear();
        lead.points_to(last, others.most.missing_to(least), |doc, points| block.push((doc, points)));
        for &(doc, points) in &block {
            let Some(least) = collector.least(beside.may_have_all(), doc) else { break };
            if let Some(points) = others.look_up(doc, points, least)
                && let Some((has_all, beside)) = beside.look_at(doc)?
            {
                offered.push(doc);
                collector.offer(Scored { has_all, points: points + beside + collector.rank(doc), doc })?;
            }
        }
    }
    Ok(offered)
}

/// The words that do not lead.
struct Others<'i> {
    terms: Vec<Term<'i>>,
    /// What each adds at most in the present block.
    bounds: Vec<Points>,
    /// What all of them, what is beside them and links add at most in it.
    most: Points,
    /// Nothing before this document has all of them.
    next: DocId,
}

impl<'i> Others<'i> {
    fn new(terms: Vec<Term<'i>>) -> Self {
        let bounds = vec![Points::ZERO; terms.len()];
        Self { terms, bounds, most: Points::ZERO, next: DocId::new(0) }
    }

    /// Bounds them in the block that the leader stands at the beginning of; the last document for which that holds.
    fn bound(&mut self, lead: &mut Term<'_>, beside: &mut dyn Beside, collector: &Collector<'_>) -> DocId {
        let first = lead.doc();
        let of_beside = beside.bound_at(first);
        self.most = of_beside.points;
        let mut last = lead.bound_at(first).last.min(of_beside.last);
        for (term, points) in self.terms.iter_mut().zip(&mut self.bounds) {
            let bound = term.bound_between(first, last);
            *points = bound.points;
            self.most += bound.points;
            last = last.min(bound.last);
        }
        self.most += collector.rank_bound(first, last);
        last
    }

    /// What all words add to a document of the block, to which the leader adds `points`; `None` if one does not have it,
    /// or it is worth less than `least`.
    #[inline]
    fn look_up(&mut self, doc: DocId, mut points: Points, least: Points) -> Option<Points> {
        if doc < self.next {
            return None;
        }
        let mut most = points + self.most;
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
            most = Points(most.0 - bound.0) + added;
        }
        (most >= least).then_some(points)
    }
}
