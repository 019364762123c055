//! Documents in which some parts stand as they should: those that have all parts, and then a look at their positions.
//!
//! Moving, bounding and scoring are those of the intersection. Positions are read of those candidates alone on which all
//! operators above agree, by cursors of their own, and only as far as the first place.

use std::rc::Rc;

use page::DocId;

use super::{And, Bound, DocIterator, Intervals};
use crate::limits::Stopper;
use crate::points::Points;

/// Documents that have all parts in places of some kind.
pub(crate) struct Located<'i> {
    candidates: And<'i>,
    places: Box<dyn Intervals + 'i>,
    /// The candidate that was looked at last, and whether it has a place.
    checked: Option<(DocId, bool)>,
}

impl<'i> Located<'i> {
    /// `parts` has at least one element.
    pub(crate) fn new(
        parts: Vec<Box<dyn DocIterator + 'i>>,
        places: Box<dyn Intervals + 'i>,
        stopper: &Rc<Stopper>,
    ) -> Self {
        Self { candidates: And::new(parts, Rc::clone(stopper)), places, checked: None }
    }
}

impl DocIterator for Located<'_> {
    fn doc(&self) -> DocId {
        self.candidates.doc()
    }

    fn advance(&mut self, target: DocId) -> DocId {
        self.candidates.advance(target)
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        let doc = self.doc();
        if let Some((checked, matches)) = self.checked
            && checked == doc
        {
            return Ok(matches);
        }
        self.places.seek(doc)?;
        let matches = self.candidates.matches()? && self.places.next()?.is_some();
        self.checked = Some((doc, matches));
        Ok(matches)
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        self.candidates.score()
    }

    fn ceiling(&mut self) -> Points {
        self.candidates.ceiling()
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        self.candidates.bound_at(target)
    }

    fn cost(&self) -> u64 {
        self.candidates.cost()
    }
}
