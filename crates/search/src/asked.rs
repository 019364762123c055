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
}

impl<'i> Asked<'i> {
    pub(crate) fn new(lists: &Lists<'i>, query: &Query) -> Result<Self, Error> {
        Ok(Self {
            must: query.must().map(|node| lists.operator(node)).transpose()?,
            words: match query.words() {
                [] => None,
                words => Some(lists.words(words)?),
            },
            words_lead: query.words_lead(),
        })
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
        Ok(Some(Scored { has_all: words.has_all(doc)?, points: points + words.score(doc), doc }))
    }
}
