//! The documents of any of some words that count as one.
//!
//! What they have in a document is added up before repetition counts less and less. That function of the sum is no more than
//! the sum of its values (it rises ever more slowly from zero), so the bounds of the lists, added up, bound them together.

use index::{Field, FieldCounts, PostingsCursor};
use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;
use crate::scoring::{Scoring, Weight};

/// Words that count as one, in one field or in any.
pub(crate) struct Forms<'i> {
    lists: Vec<PostingsCursor<'i>>,
    field: Option<Field>,
    pub(crate) weight: Weight,
    scoring: &'i Scoring,
    doc: DocId,
}

impl<'i> Forms<'i> {
    pub(crate) fn new(
        lists: Vec<PostingsCursor<'i>>,
        field: Option<Field>,
        weight: Weight,
        scoring: &'i Scoring,
    ) -> Self {
        let mut forms = Self { lists, field, weight, scoring, doc: DocId::END };
        forms.settle();
        forms
    }

    fn settle(&mut self) -> DocId {
        self.doc = self.lists.iter().map(PostingsCursor::doc).min().unwrap_or(DocId::END);
        self.doc
    }

    /// How often they occur in each field of the present document, together.
    pub(crate) fn counts(&mut self) -> FieldCounts {
        let mut sum = FieldCounts::default();
        for cursor in self.lists.iter_mut().filter(|cursor| cursor.doc() == self.doc) {
            for (sum, count) in sum.0.iter_mut().zip(cursor.counts().0) {
                *sum = sum.saturating_add(count);
            }
        }
        self.field.map_or(sum, |field| sum.only(field))
    }

    /// What part of the present document they are.
    pub(crate) fn impact(&mut self) -> f32 {
        let counts = self.counts();
        let here = self.lists.iter().find(|cursor| cursor.doc() == self.doc);
        here.map_or(0.0, |cursor| self.scoring.table.impact(&counts, &cursor.length_codes()))
    }
}

/// Additions of numbers that are not exact must not make a bound too small.
const CAUTION: f32 = 1.0001;

impl DocIterator for Forms<'_> {
    fn doc(&self) -> DocId {
        self.doc
    }

    fn advance(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        for cursor in &mut self.lists {
            cursor.advance(target);
        }
        self.settle()
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok(self.doc != DocId::END && (self.field.is_none() || self.counts().total() > 0))
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        Ok(self.ceiling())
    }

    fn ceiling(&mut self) -> Points {
        let impact = self.impact();
        self.weight.points(impact)
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        let (mut impact, mut last) = (0.0, DocId::END);
        for cursor in &mut self.lists {
            let bound = cursor.bound_at(target);
            impact += self.scoring.bound(&bound);
            last = last.min(bound.last);
        }
        Bound { points: self.weight.points((impact * CAUTION).min(1.0)), last }
    }

    fn cost(&self) -> u64 {
        self.lists.iter().map(|cursor| u64::from(cursor.document_frequency())).sum()
    }
}
