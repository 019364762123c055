//! A query, asked of one document after the other: whether it answers, and how well.
//!
//! This is the plain way: whoever wants to know about a few documents takes it, and whoever wants to count all. The best
//! of many are found by [`crate::collect`].

use std::cell::RefCell;

use page::DocId;

use crate::Error;
use crate::bonus::{Bonus, PairBound};
use crate::lists::Lists;
use crate::operators::{DocIterator, Words};
use crate::points::Points;
use crate::query::Query;
use crate::top::Scored;

/// What must hold, and the plain words beside it.
pub(crate) struct Asked<'i> {
    must: Option<Box<dyn DocIterator + 'i>>,
    words: Option<Words<'i>>,
    /// The formula does not ask for words, so a document has at least one plain word.
    words_lead: bool,
    /// Whether those with all plain words come first.
    all_words_first: bool,
}

impl<'i> Asked<'i> {
    pub(crate) fn new(lists: &Lists<'i>, query: &Query) -> Result<Self, Error> {
        Ok(Self {
            must: query.must().map(|node| node.operator().documents(lists)).transpose()?,
            words: match query.words() {
                [] => None,
                words => Some(lists.words(words, query.more())?),
            },
            words_lead: query.words_lead(),
            all_words_first: query.wants_all_words_first(),
        })
    }

    /// Goes back to the first document, if that is quicker than to begin anew; says whether it did.
    fn rewind(&mut self) -> bool {
        let words = self.words.as_mut().filter(|words| self.must.is_none() && words.phrases.is_empty());
        words.map(Words::rewind).is_some()
    }

    /// Whether a document that was asked about has all plain words.
    pub(crate) fn has_all_words(&mut self, doc: DocId) -> Result<bool, Error> {
        Ok(self.words.as_mut().map_or(Ok(true), |words| words.has_all(doc))?)
    }

    /// How well a document answers, its rank not counted; `None`: it does not. Documents do not decrease.
    pub(crate) fn at(&mut self, doc: DocId) -> Result<Option<Scored>, Error> {
        let mut points = Points::ZERO;
        if let Some(must) = &mut self.must {
            if must.advance(doc) != doc || !must.matches()? {
                return Ok(None);
            }
            points = must.score()?;
        }
        let Some(words) = &mut self.words else { return Ok(Some(Scored { has_all: true, points, doc })) };
        if !words.seek(doc) && self.words_lead {
            return Ok(None);
        }
        let has_all = self.all_words_first && words.has_all(doc)?;
        Ok(Some(Scored { has_all, points: points + words.score(doc), doc }))
    }
}

/// Single documents that a query is asked of, in whatever order, with all that counts. Whoever goes back begins anew where
/// there is more than plain words.
pub(crate) struct Probe<'s> {
    lists: &'s Lists<'s>,
    query: &'s Query,
    pairs: PairBound,
    /// What the title of a document adds.
    of_title: &'s dyn Fn(DocId) -> Points,
    /// The document that was asked about last, and what stands there: nobody else's lists are moved.
    there: RefCell<Option<(DocId, Asked<'s>, Bonus<'s>)>>,
}

impl<'s> Probe<'s> {
    /// Asks a query, with what pairs of words add unless that is said to be nothing.
    pub(crate) fn new(
        lists: &'s Lists<'s>,
        query: &'s Query,
        pairs: PairBound,
        of_title: &'s dyn Fn(DocId) -> Points,
    ) -> Self {
        Self { lists, query, pairs, of_title, there: RefCell::new(None) }
    }

    /// How well a document answers; `None`: it does not.
    pub(crate) fn at(&self, doc: DocId) -> Result<Option<Scored>, Error> {
        let (lists, query) = (self.lists, self.query);
        let mut there = self.there.borrow_mut();
        let stays = there.as_mut().is_some_and(|(last, asked, _)| *last <= doc || asked.rewind());
        let (last, asked, bonus) = match &mut *there {
            Some(there) if stays => there,
            there => there.insert((doc, Asked::new(lists, query)?, Bonus::new(lists, query)?)),
        };
        *last = doc;
        let Some(scored) = asked.at(doc)? else { return Ok(None) };
        let mut points = scored.points + lists.standing().points(doc) + (self.of_title)(doc);
        if !self.pairs.is_nothing() {
            points += bonus.of_pairs(doc, Points::ZERO)?;
        }
        Ok(Some(Scored { points, ..scored }))
    }
}
