//! Documents of which something is known beside their words: every document is a candidate, and a table tells.
//!
//! Like the complement it is the most expensive part of an intersection, so it never leads unless it is alone.

use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;

/// Documents of which `holds` says so.
pub(crate) struct Filter<F> {
    holds: F,
    doc: DocId,
    document_count: u32,
}

impl<F: Fn(DocId) -> bool> Filter<F> {
    pub(crate) fn new(document_count: u32, holds: F) -> Self {
        let doc = if document_count == 0 { DocId::END } else { DocId::new(0) };
        Self { holds, doc, document_count }
    }
}

impl<F: Fn(DocId) -> bool> DocIterator for Filter<F> {
    fn doc(&self) -> DocId {
        self.doc
    }

    fn advance(&mut self, target: DocId) -> DocId {
        self.doc = self.doc.max(target);
        if self.doc.get() >= self.document_count {
            self.doc = DocId::END;
        }
        self.doc
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok((self.holds)(self.doc))
    }

    /// Where a page is from, and when, says nothing about its worth.
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
        self.document_count.into()
    }
}
