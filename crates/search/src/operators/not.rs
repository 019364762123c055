//! Complement: all documents that live and do not satisfy the part.
//!
//! Every document is a candidate; the part is moved along behind and asked only about those that come up. In an
//! intersection the complement is the most expensive part, so it never leads: it only vetoes.

use index::Index;
use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;

/// Documents that do not satisfy the part.
pub(crate) struct Not<'i> {
    part: Box<dyn DocIterator + 'i>,
    doc: DocId,
    index: &'i Index,
}

impl<'i> Not<'i> {
    pub(crate) fn new(part: Box<dyn DocIterator + 'i>, index: &'i Index) -> Self {
        let doc = if index.documents() == 0 { DocId::END } else { DocId::new(0) };
        Self { part, doc, index }
    }
}

impl DocIterator for Not<'_> {
    fn doc(&self) -> DocId {
        self.doc
    }

    fn advance(&mut self, target: DocId) -> DocId {
        self.doc = self.doc.max(target);
        if self.doc.get() >= self.index.documents() {
            self.doc = DocId::END;
        }
        self.doc
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        if self.index.is_dead(self.doc) {
            return Ok(false);
        }
        Ok(self.part.advance(self.doc) != self.doc || !self.part.matches()?)
    }

    /// What was excluded says nothing about the worth of what was not.
    fn score(&mut self) -> Result<Points, index::Error> {
        Ok(Points::ZERO)
    }

    fn ceiling(&mut self) -> Points {
        Points::ZERO
    }

    fn bound_at(&mut self, _target: DocId) -> Bound {
        Bound::NOTHING
    }

    fn cost(&self) -> u64 {
        self.index.documents().into()
    }
}
