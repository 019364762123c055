//! Union: always the smallest document among the parts.
//!
//! The documents of the parts are kept side by side in an array and its minimum is found by looking at all: a query has
//! at most 32 words, and a pass over so few numbers is cheaper than keeping a heap in order.

use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;

/// Documents that satisfy at least one part.
pub(crate) struct Or<'i> {
    parts: Vec<Box<dyn DocIterator + 'i>>,
    docs: Vec<DocId>,
    doc: DocId,
}

impl<'i> Or<'i> {
    /// `parts` has at least one element.
    pub(crate) fn new(parts: Vec<Box<dyn DocIterator + 'i>>) -> Self {
        let docs: Vec<DocId> = parts.iter().map(|part| part.doc()).collect();
        let doc = smallest(&docs);
        Self { parts, docs, doc }
    }
}

fn smallest(docs: &[DocId]) -> DocId {
    docs.iter().copied().min().expect("a union has parts")
}

impl DocIterator for Or<'_> {
    fn doc(&self) -> DocId {
        self.doc
    }

    fn advance(&mut self, target: DocId) -> DocId {
        for (part, doc) in self.parts.iter_mut().zip(&mut self.docs) {
            if *doc < target {
                *doc = part.advance(target);
            }
        }
        self.doc = smallest(&self.docs);
        self.doc
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        for (part, &doc) in self.parts.iter_mut().zip(&self.docs) {
            if doc == self.doc && part.matches()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        let mut sum = Points::ZERO;
        for (part, &doc) in self.parts.iter_mut().zip(&self.docs) {
            if doc == self.doc && part.matches()? {
                sum += part.score()?;
            }
        }
        Ok(sum)
    }

    fn ceiling(&mut self) -> Points {
        let here = self.parts.iter_mut().zip(&self.docs).filter(|(_, doc)| **doc == self.doc);
        here.map(|(part, _)| part.ceiling()).sum()
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        self.parts.iter_mut().map(|part| part.bound_at(target)).fold(Bound::NOTHING, Bound::and)
    }

    fn cost(&self) -> u64 {
        self.parts.iter().map(|part| part.cost()).sum()
    }
}
