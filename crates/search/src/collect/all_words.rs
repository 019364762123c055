//! The best documents that have all of some words: an intersection, stretch after stretch.
//!
//! Like [`super::all`], for what is asked most. The rarest word leads. Of a stretch of documents the index says what it
//! adds there at most, and what no other word exceeds: stretches that together are too little are passed over without
//! being decoded. In the others it is known what the leader has to add itself, and documents to which it adds less are left
//! out by one comparison each, without a look at any other list. The few that remain are measured against what is known of the
//! other words near them, and only then looked up there, the next rarest first, until one does not have them, or they turn
//! out to be worth too little.
//!
//! Where the leader is frequent, stretches are small windows of which peaks are known for all words ([`Windows`]), so those in
//! which some word is missing cost nothing. Where it is rare they are its blocks: most windows would not have it.

use page::DocId;

use super::Collector;
use super::all::Beside;
use super::spans::{Span, all_but, strongest};
use super::sum::Sum;
use super::windows::{Together, Walk, Windows};
use crate::Error;
use crate::bonus::PairBound;
use crate::operators::{Bound, DocIterator as _, Term};
use crate::points::Points;
use crate::top::Scored;

/// What a block of documents takes, and a window, in the steps of whoever minds the time.
const BLOCK_STEPS: u32 = 64;
const WINDOW_STEPS: u32 = 16;

/// Offers every document that has all words and may come among the best. Gives the documents that it offered, in no order.
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
    terms.sort_by_key(Term::cost);
    let others = Others::<PAIRS>::new(terms.split_off(terms.len().min(1)));
    let Some(lead) = terms.pop() else { return Ok(Vec::new()) };
    let mut walker = Walker { lead, others, beside, collector, offered: Vec::new() };
    if walker.beside.can_go_back() && walker.lead.has_peaks() {
        walker.walk_windows()?;
    } else {
        walker.walk_blocks()?;
    }
    Ok(walker.offered)
}

/// The words, and where what is found goes.
struct Walker<'w, 'i, 'c, const PAIRS: bool> {
    lead: Term<'i>,
    others: Others<'i, PAIRS>,
    beside: &'w mut dyn Beside,
    collector: &'w mut Collector<'c>,
    offered: Vec<DocId>,
}

impl<'i, const PAIRS: bool> Walker<'_, 'i, '_, PAIRS> {
    fn walk_windows(&mut self) -> Result<(), Error> {
        let (lead, others) = (&self.lead, &self.others.terms);
        let windows =
            Windows::new(1 + others.len(), Together::All, self.collector, |word, shift, windows| {
                let term = word.checked_sub(1).map_or(lead, |word| &others[word]);
                term.raise_windows(shift, windows);
            });
        windows.walk(self, true)
    }

    /// Block by block of the leader, its strongest first.
    fn walk_blocks(&mut self) -> Result<(), Error> {
        let among = self.collector.begin()..self.collector.end();
        let first = if self.beside.can_go_back() { strongest(&self.lead, &among) } else { Vec::new() };
        if !first.is_empty() {
            self.walk_spans(&first)?;
            self.rewind();
        }
        self.walk_spans(&all_but(&first, &among))
    }

    fn walk_spans(&mut self, spans: &[Span]) -> Result<(), Error> {
        for span in spans {
            let mut from = self.lead.doc().max(span.first);
            while from <= span.last && !self.collector.must_stop_after(BLOCK_STEPS) {
                let Some(least) = self.collector.least_in_all(self.beside.may_have_all(), from) else {
                    return Ok(());
                };
                let of_lead = self.others.bound(from, span.last, &mut self.lead, self.beside);
                let ranks = self.collector.rank_bound(from, of_lead.last);
                let most = self.others.with_lead(of_lead.points, &self.lead).at_most(self.collector.pairs());
                if most + ranks < least {
                    from = of_lead.last.next();
                    continue;
                }
                self.look_at(from, of_lead.last, ranks, least, Others::look_up)?;
                from = self.lead.doc().max(of_lead.last.next());
            }
        }
        Ok(())
    }

    /// Looks those documents from one to another up to which the leader adds enough, and offers what all words have. What the others
    /// add at most is known, and what links add.
    #[inline]
    fn look_at(
        &mut self,
        first: DocId,
        last: DocId,
        ranks: Points,
        least: Points,
        look_up: impl Fn(&mut Others<'i, PAIRS>, DocId, Sum<PAIRS>, Points, PairBound) -> Option<Sum<PAIRS>>,
    ) -> Result<(), Error> {
        let Self { lead, others, beside, collector, offered } = self;
        let (pairs, makes_pairs) = (collector.pairs(), lead.makes_pairs);
        let mut outcome = Ok(Some(least));
        let enough = (others.most.at_most(pairs) + ranks).missing_to(least);
        lead.advance(first);
        lead.points_to(last, enough, |doc, points| {
            let Ok(Some(least)) = outcome else { return };
            if doc < others.next {
                return;
            }
            let mut sum = Sum::default();
            sum.add(points, makes_pairs);
            let most = sum.at_most_with(&others.most, pairs);
            if most + ranks < least {
                return;
            }
            let rank = collector.rank(doc);
            if most + rank >= least
                && let Some(sum) = look_up(others, doc, sum, rank.missing_to(least), pairs)
            {
                outcome = offer((doc, sum, rank), *beside, collector, offered);
            }
        });
        outcome.map(drop)
    }
}

impl<const PAIRS: bool> Walk for Walker<'_, '_, '_, PAIRS> {
    fn must_stop(&self) -> bool {
        self.collector.must_stop_after(WINDOW_STEPS)
    }

    fn least(&self, from: DocId) -> Option<Points> {
        self.collector.least(self.beside.may_have_all(), from)
    }

    fn reach(&mut self, from: DocId) -> DocId {
        from
    }

    fn look_into(&mut self, windows: &Windows, first: DocId, last: DocId) -> Result<(), Error> {
        let window = windows.window_of(first);
        let Some(least) = self.collector.least_in_all(self.beside.may_have_all(), first) else {
            return Ok(());
        };
        self.others.bound_by(|word| windows.of_word(word + 1, window));
        let ranks = windows.rank_bound(window, self.collector);
        self.look_at(first, last, ranks, least, Others::look_up_bounded)
    }

    fn rewind(&mut self) {
        self.lead.rewind();
        self.others.rewind();
    }
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
    blocks: Vec<Bound>,
    /// What each adds at most to the present document.
    bounds: Vec<Points>,
    /// What is beside them adds at most in the present stretch.
    beside: Points,
    /// What all of them add at most in it, with that.
    most: Sum<PAIRS>,
    /// Nothing before this document has all of them.
    next: DocId,
}

impl<'i, const PAIRS: bool> Others<'i, PAIRS> {
    fn new(mut terms: Vec<Term<'i>>) -> Self {
        let (blocks, bounds) = (
            terms.iter_mut().map(|term| term.bound_at(DocId::new(0))).collect(),
            vec![Points::ZERO; terms.len()],
        );
        Self { terms, blocks, bounds, beside: Points::ZERO, most: Sum::default(), next: DocId::new(0) }
    }

    /// Begins again.
    fn rewind(&mut self) {
        self.terms.iter_mut().for_each(Term::rewind);
        self.blocks
            .iter_mut()
            .zip(&mut self.terms)
            .for_each(|(block, term)| *block = term.bound_at(DocId::new(0)));
        self.next = DocId::new(0);
    }

    /// What all add at most, with so much of the leader.
    fn with_lead(&self, points: Points, lead: &Term<'_>) -> Sum<PAIRS> {
        let mut sum = self.most;
        sum.add(points, lead.makes_pairs);
        sum
    }

    /// Notes what each adds at most from here on; nothing is beside them.
    fn bound_by(&mut self, of_word: impl Fn(usize) -> Points) {
        (self.most, self.beside) = (Sum::default(), Points::ZERO);
        for (word, (term, bound)) in self.terms.iter().zip(&mut self.bounds).enumerate() {
            *bound = of_word(word);
            self.most.add_bound(*bound, term.makes_pairs);
        }
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

    /// What all words add to a document of the stretch, to which the leader adds `sum`; `None` if one does not have it,
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
        for ((term, block), bound) in self.terms.iter_mut().zip(&mut self.blocks).zip(&mut self.bounds) {
            if block.last < doc {
                *block = term.bound_at(doc);
            }
            *bound = block.points;
            sum.add_bound(*bound, term.makes_pairs);
        }
        self.settle(doc, sum, least, pairs)
    }

    /// The same by what is known of all documents of the stretch.
    #[inline]
    fn look_up_bounded(
        &mut self,
        doc: DocId,
        mut sum: Sum<PAIRS>,
        least: Points,
        pairs: PairBound,
    ) -> Option<Sum<PAIRS>> {
        sum.add_bounds(&self.most);
        self.settle(doc, sum, least, pairs)
    }

    /// Puts what they add to a document in the place of what they add at most, which `sum` has.
    #[inline]
    fn settle(
        &mut self,
        doc: DocId,
        mut sum: Sum<PAIRS>,
        least: Points,
        pairs: PairBound,
    ) -> Option<Sum<PAIRS>> {
        for (term, &bound) in self.terms.iter_mut().zip(&self.bounds) {
            if sum.at_most(pairs) < least {
                return None;
            }
            let found = term.advance(doc);
            if found > doc {
                self.next = found;
                return None;
            }
            sum.settle(bound, term.points(), term.makes_pairs);
        }
        let is_enough = sum.at_most(pairs) >= least;
        sum.take_bound(self.beside, true);
        is_enough.then_some(sum)
    }
}
