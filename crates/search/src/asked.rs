//! A query, asked of one document after the other: whether it answers, and how well.
//!
//! This is the plain way: whoever wants to know about a few documents takes it, and whoever wants to count all. The best
//! of many are found by [`crate::collect`].

use page::DocId;

use crate::Error;
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
                words => Some(lists.words(words)?),
            },
            words_lead: query.words_lead(),
            all_words_first: query.wants_all_words_first(),
        })
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
