//! The best documents for a query: which walk finds them.
//!
//! What must hold becomes lazy operators, and the best of what satisfies them are collected by an intersection that looks
//! ahead. Plain words side by side are two walks: first the documents that have all of them, and if these are fewer than
//! were asked for, those that have any. Both pass over whatever cannot come among the best ([`crate::collect`]).

use std::ops::Range;

use page::DocId;

use crate::Error;
use crate::asked::{Asked, Probe};
use crate::bonus::{Bonus, PairBound};
use crate::collect::all::{self, Veto, Wishes};
use crate::collect::{Collector, Found, all_words, any, by_rank, phrase};
use crate::copies::Copies;
use crate::formula::{Node, documents_of};
use crate::lists::Lists;
use crate::operators::Term;
use crate::points::Points;
use crate::query::Query;
use crate::top::Scored;
use crate::word::terms_of;

/// Which documents are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wish<'c> {
    /// Of copies one is shown, if they are given.
    pub(crate) copies: Option<&'c Copies>,
    /// So many are wanted.
    pub(crate) capacity: usize,
    /// What pairs of words add comes later, with what pages mean.
    pub(crate) by_meaning: bool,
    /// Hosts share the first places.
    pub(crate) is_spread: bool,
}

impl Wish<'_> {
    /// The best of some documents, and of those that `others` gives, which have been found elsewhere.
    pub(crate) fn best(
        &self,
        lists: &Lists<'_>,
        query: &Query,
        bonus: &Bonus<'_>,
        range: Range<DocId>,
        others: impl FnOnce() -> Result<Vec<Scored>, Error>,
    ) -> Result<Found, Error> {
        // Of what is looked at once more the pairs are, too: until then words decide, whose bounds are tighter.
        let pair_bound = if self.by_meaning { PairBound::NOTHING } else { bonus.pair_bound() };
        let of_title = |doc: DocId| bonus.of_whole_title(doc);
        let probe = Probe::new(lists, query, pair_bound, &of_title);
        let probe = |doc: DocId| probe.at(doc);
        let added = |doc: DocId, needed: Points| match self.by_meaning {
            true => Ok(Points::ZERO),
            false => bonus.of_pairs(doc, needed),
        };
        // All of them, wherever they are: they stand for their copies.
        let titles = bonus.titles();
        let mut collector = Collector::new(self.capacity, self.copies, lists, (pair_bound, &added), &probe)
            .sharing(Some(&*lists.searcher.sites).filter(|_| self.is_spread))
            .within(range);
        if !titles.is_empty() {
            let mut asked = Asked::new(lists, query)?;
            collector.offer_titles(titles, bonus.of_titles(), |doc| asked.at(doc))?;
        }
        collect(lists, query, bonus, &mut collector)?;
        collector.take(others()?)?;
        Ok(collector.into_found())
    }
}

/// Offers to `collector` whatever may be among the best.
fn collect(
    lists: &Lists<'_>,
    query: &Query,
    bonus: &Bonus<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    if query.words_lead() {
        return collect_words(lists, query, bonus, collector);
    }
    let words = match query.words() {
        [] => None,
        words => Some(lists.words(words, query.more())?),
    };
    let is_alone = words.is_none();
    let mut wishes = Wishes { words, all_words_first: query.wants_all_words_first() };
    match query.must() {
        None => {}
        Some(Node::Term(_)) if is_alone => {
            any::walk(terms(lists, query.must())?, &mut None, true, &[], collector)?;
        }
        Some(Node::Or(or)) if is_alone && or.parts.iter().all(is_term) => {
            any::walk(terms(lists, &or.parts)?, &mut None, true, &[], collector)?;
        }
        Some(Node::Phrase(phrase)) if is_alone && lists.whole(&phrase.terms)?.is_none() => {
            let offsets = phrase.offsets.iter().copied();
            if let Some((lead, phrase)) = lists.lone_phrase(&phrase.terms, offsets)? {
                phrase::walk(lead, phrase, collector)?;
            }
        }
        Some(Node::And(and)) if and.parts.iter().all(is_term) && !all_occur(lists, &and.parts)? => {}
        Some(Node::And(and)) if and.parts.iter().all(is_term) => {
            all_words::walk(terms(lists, &and.parts)?, &mut wishes, collector)?;
        }
        Some(node) if is_alone && !node.wants_words() => {
            by_rank::walk(node.operator().documents(lists)?, collector)?;
        }
        Some(Node::And(and)) => {
            all::walk(documents_of(&and.parts, lists)?, &mut wishes, collector)?;
        }
        Some(node) => {
            all::walk(vec![node.operator().documents(lists)?], &mut wishes, collector)?;
        }
    }
    Ok(())
}

/// Those with all words first, then those with any.
fn collect_words(
    lists: &Lists<'_>,
    query: &Query,
    bonus: &Bonus<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let must = || query.must().map(|node| node.operator().documents(lists)).transpose();
    let mut words = lists.words(query.words(), query.more())?;
    let pairs = Some(bonus).filter(|_| !collector.pairs().is_nothing());
    mark_pairs(lists, query, pairs, &mut words.terms)?;
    let mut with_all = Vec::new();
    if !words.is_hopeless && query.wants_all_words_first() {
        let mut veto = Veto { phrases: words.phrases, must: must()? };
        with_all = all_words::walk(words.terms, &mut veto, collector)?;
    }
    if collector.has_room() {
        with_all.sort_unstable();
        let mut terms = lists.word_terms(query.words())?;
        mark_pairs(lists, query, pairs, &mut terms)?;
        terms.extend(lists.more_terms(query.more())?);
        any::walk(terms, &mut must()?, false, &with_all, collector)?;
    }
    Ok(())
}

/// Tells the terms of the words of a query which of them make pairs.
fn mark_pairs(
    lists: &Lists<'_>,
    query: &Query,
    bonus: Option<&Bonus<'_>>,
    terms: &mut [Term<'_>],
) -> Result<(), Error> {
    let Some(bonus) = bonus else { return Ok(()) };
    let mut terms = terms.iter_mut();
    for (word, _) in terms_of(query.words()) {
        // Those that occur nowhere have no term.
        if lists.found(word)?.main().is_some()
            && let Some(term) = terms.next()
        {
            term.makes_pairs = bonus.makes_pairs(word);
        }
    }
    Ok(())
}

fn is_term(node: &Node) -> bool {
    matches!(node, Node::Term(_))
}

/// Whether each of these terms occurs anywhere.
fn all_occur(lists: &Lists<'_>, nodes: &[Node]) -> Result<bool, Error> {
    for node in nodes {
        if let Node::Term(term) = node
            && lists.found(&term.0)?.main().is_none()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The documents of each of these terms that occurs anywhere.
fn terms<'s, 'n>(
    lists: &Lists<'s>,
    nodes: impl IntoIterator<Item = &'n Node>,
) -> Result<Vec<Term<'s>>, Error> {
    let mut terms = Vec::new();
    for node in nodes {
        if let Node::Term(term) = node {
            terms.extend(lists.term(&term.0, 1)?);
        }
    }
    Ok(terms)
}
