//! Intersection by leapfrog.
//!
//! The parts are sorted by cost. The rarest proposes its document, the others jump to it in turn; the first that lands
//! further on sends the rarest there, and so on until all agree. Frequent words make few, long jumps.
//!
//! When no document satisfies all parts this loop is the whole search, so it keeps an eye on the deadline.

use std::rc::Rc;

use page::DocId;

use super::{Bound, DocIterator};
use crate::limits::Stopper;
use crate::points::Points;

/// Documents that satisfy all parts.
pub(crate) struct And<'i> {
    parts: Vec<Box<dyn DocIterator + 'i>>,
    stopper: Rc<Stopper>,
}

impl<'i> And<'i> {
    /// `parts` has at least one element.
    pub(crate) fn new(mut parts: Vec<Box<dyn DocIterator + 'i>>, stopper: Rc<Stopper>) -> Self {
        parts.sort_by_key(|part| part.cost());
        let mut and = Self { parts, stopper };
        and.align();
        and
    }

    fn align(&mut self) -> DocId {
        let (leader, others) = self.parts.split_first_mut().expect("an intersection has parts");
        let mut doc = leader.doc();
        while let Some(further) = others.iter_mut().map(|part| part.advance(doc)).find(|&found| found > doc) {
            doc = leader.advance(if self.stopper.must_stop() { DocId::END } else { further });
        }
        doc
    }
}

impl DocIterator for And<'_> {
    fn doc(&self) -> DocId {
        self.parts[0].doc()
    }

    fn advance(&mut self, target: DocId) -> DocId {
        if self.parts[0].doc() >= target {
            return self.parts[0].doc();
        }
        self.parts[0].advance(target);
        self.align()
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        for part in &mut self.parts {
            if !part.matches()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        self.parts.iter_mut().map(|part| part.score()).sum()
    }

    fn ceiling(&mut self) -> Points {
        self.parts.iter_mut().map(|part| part.ceiling()).sum()
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        self.parts.iter_mut().map(|part| part.bound_at(target)).fold(Bound::NOTHING, Bound::and)
    }

    fn cost(&self) -> u64 {
        self.parts[0].cost()
    }
}
