//! The documents of a host: every document is a candidate, and a table tells.
//!
//! Like the complement it is the most expensive part of an intersection, so it never leads unless it is alone.

use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;
use crate::sites::Sites;

/// Documents from one of some hosts.
pub(crate) struct Site<'i> {
    sites: &'i Sites,
    wanted: Vec<bool>,
    doc: DocId,
    document_count: u32,
}

impl<'i> Site<'i> {
    pub(crate) fn new(sites: &'i Sites, site: &str, document_count: u32) -> Self {
        let doc = if document_count == 0 { DocId::END } else { DocId::new(0) };
        Self { wanted: sites.below(site), sites, doc, document_count }
    }
}

impl DocIterator for Site<'_> {
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
        Ok(self.sites.is_from(self.doc, &self.wanted))
    }

    /// Where a page is says nothing about its worth.
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
