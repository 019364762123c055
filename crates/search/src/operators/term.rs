//! The documents of one word.

use index::PostingsCursor;
use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;
use crate::scoring::{Scoring, Weight};

/// A word of the query.
pub(crate) struct Term<'i> {
    cursor: PostingsCursor<'i>,
    weight: Weight,
    scoring: &'i Scoring,
}

impl<'i> Term<'i> {
    pub(crate) fn new(cursor: PostingsCursor<'i>, weight: Weight, scoring: &'i Scoring) -> Self {
        Self { cursor, weight, scoring }
    }

    /// What it adds to the score of the present document.
    #[inline]
    pub(crate) fn points(&mut self) -> Points {
        self.weight.points(self.cursor.impact(&self.scoring.table))
    }

    /// What it adds to no document from `from` to `to`, or as far as that is known.
    #[inline]
    pub(crate) fn bound_between(&mut self, from: DocId, to: DocId) -> Bound {
        let bound = self.cursor.bound_between(from, to);
        Bound { points: self.weight.points(self.scoring.bound(&bound)), last: bound.last }
    }

    /// Gives each document from the present one to `last` with what it adds to it, and stands behind. Blocks in which it
    /// adds less than `least` to any are passed over.
    #[inline]
    pub(crate) fn points_to(&mut self, last: DocId, least: Points, mut each: impl FnMut(DocId, Points)) {
        let least = if self.scoring.knows_bounds() { self.weight.impact_for(least) } else { 0.0 };
        let weight = self.weight;
        self.cursor.impacts_to(last, least, &self.scoring.table, |doc, impact| {
            each(doc, weight.points(impact));
        });
    }
}

impl DocIterator for Term<'_> {
    #[inline]
    fn doc(&self) -> DocId {
        self.cursor.doc()
    }

    #[inline]
    fn next(&mut self) -> DocId {
        self.cursor.next()
    }

    #[inline]
    fn advance(&mut self, target: DocId) -> DocId {
        self.cursor.advance(target)
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok(true)
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        Ok(self.points())
    }

    fn ceiling(&mut self) -> Points {
        self.points()
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        let bound = self.cursor.bound_at(target);
        Bound { points: self.weight.points(self.scoring.bound(&bound)), last: bound.last }
    }

    fn cost(&self) -> u64 {
        self.cursor.document_frequency().into()
    }
}
