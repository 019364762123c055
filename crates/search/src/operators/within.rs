//! The documents that have a word in one field.
//!
//! The list of a word says of each document in which fields it is, so a candidate is a document of the list, and its counts
//! tell whether it matches. The word is found by its stem too, if it has one: the better of the two lists is what it is
//! worth. It scores by what it has in the field alone, which is no more than by all fields: so what the index knows of its
//! lists bounds it.

use index::{Field, FieldCounts, PostingsCursor};
use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;
use crate::scoring::{Scoring, Weight};

/// A word of one field.
pub(crate) struct Within<'i> {
    lists: Vec<(PostingsCursor<'i>, Weight)>,
    field: Field,
    scoring: &'i Scoring,
    doc: DocId,
}

impl<'i> Within<'i> {
    /// The documents of any of these lists that have it in the field.
    pub(crate) fn new(lists: Vec<(PostingsCursor<'i>, Weight)>, field: Field, scoring: &'i Scoring) -> Self {
        let mut within = Self { lists, field, scoring, doc: DocId::END };
        within.settle();
        within
    }

    fn settle(&mut self) -> DocId {
        self.doc = self.lists.iter().map(|(cursor, _)| cursor.doc()).min().unwrap_or(DocId::END);
        self.doc
    }
}

/// How often a word occurs in one field of the document of a cursor, and what that is worth.
pub(crate) fn within_field(
    cursor: &mut PostingsCursor<'_>,
    field: Field,
    scoring: &Scoring,
) -> (FieldCounts, f32) {
    let counts = cursor.counts().only(field);
    if counts.total() == 0 {
        return (counts, 0.0);
    }
    let alone = scoring.table.impact(&counts, &cursor.length_codes());
    (counts, alone.min(cursor.impact(&scoring.table)))
}

impl DocIterator for Within<'_> {
    fn doc(&self) -> DocId {
        self.doc
    }

    fn advance(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        for (cursor, _) in &mut self.lists {
            cursor.advance(target);
        }
        self.settle()
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        let (doc, field) = (self.doc, self.field);
        let mut here = self.lists.iter_mut().filter(|(cursor, _)| cursor.doc() == doc);
        Ok(doc != DocId::END && here.any(|(cursor, _)| cursor.counts().of(field) > 0))
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        Ok(self.ceiling())
    }

    fn ceiling(&mut self) -> Points {
        let Self { lists, field, scoring, doc } = self;
        let here = lists.iter_mut().filter(|(cursor, _)| cursor.doc() == *doc);
        here.map(|(cursor, weight)| weight.points(within_field(cursor, *field, scoring).1))
            .fold(Points::ZERO, Points::max)
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        let mut most = Bound::NOTHING;
        for (cursor, weight) in &mut self.lists {
            let bound = cursor.bound_at(target);
            let points = weight.points(self.scoring.bound(&bound));
            most = Bound { points: most.points.max(points), last: most.last.min(bound.last) };
        }
        most
    }

    fn cost(&self) -> u64 {
        self.lists.iter().map(|(cursor, _)| u64::from(cursor.document_frequency())).sum()
    }
}
