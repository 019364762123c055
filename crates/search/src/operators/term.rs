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
    /// A list that only adds to scores.
    bonus: Option<(PostingsCursor<'i>, Weight)>,
    scoring: &'i Scoring,
}

impl<'i> Term<'i> {
    pub(crate) fn new((cursor, weight): (PostingsCursor<'i>, Weight), scoring: &'i Scoring) -> Self {
        Self { cursor, weight, bonus: None, scoring }
    }

    /// The same documents; those that are in another list too gain by it.
    pub(crate) fn with_bonus(self, bonus: (PostingsCursor<'i>, Weight)) -> Self {
        Self { bonus: Some(bonus), ..self }
    }

    /// What it adds to the score of the present document.
    #[inline]
    pub(crate) fn points(&mut self) -> Points {
        let points = self.weight.points(self.cursor.impact(&self.scoring.table));
        match &mut self.bonus {
            Some(bonus) => points + bonus_of(bonus, self.cursor.doc(), self.scoring),
            None => points,
        }
    }

    /// What it adds to no document from `from` to `to`, or as far as that is known.
    #[inline]
    pub(crate) fn bound_between(&mut self, from: DocId, to: DocId) -> Bound {
        let bound = self.cursor.bound_between(from, to);
        let mut bound = Bound { points: self.weight.points(self.scoring.bound(&bound)), last: bound.last };
        if let Some((cursor, weight)) = &mut self.bonus {
            let more = cursor.bound_between(from, to);
            bound = bound.and(Bound { points: weight.points(self.scoring.bound(&more)), last: more.last });
        }
        bound
    }

    /// Gives each document from the present one to `last` with what it adds to it, and stands behind. Blocks in which it
    /// adds less than `least` to any are passed over.
    #[inline]
    pub(crate) fn points_to(&mut self, last: DocId, least: Points, mut each: impl FnMut(DocId, Points)) {
        let most_bonus = self.bonus.as_ref().map_or(Points::ZERO, |(_, weight)| weight.points(1.0));
        let least = most_bonus.missing_to(least);
        let least = if self.scoring.knows_bounds() { self.weight.impact_for(least) } else { 0.0 };
        let (weight, scoring) = (self.weight, self.scoring);
        match &mut self.bonus {
            Some(bonus) => self.cursor.impacts_to(last, least, &scoring.table, |doc, impact| {
                each(doc, weight.points(impact) + bonus_of(bonus, doc, scoring));
            }),
            None => self.cursor.impacts_to(last, least, &scoring.table, |doc, impact| {
                each(doc, weight.points(impact));
            }),
        }
    }
}

/// What a list adds to a document that may be in it; documents do not decrease.
#[inline]
fn bonus_of((cursor, weight): &mut (PostingsCursor<'_>, Weight), doc: DocId, scoring: &Scoring) -> Points {
    match cursor.advance(doc) == doc {
        true => weight.points(cursor.impact(&scoring.table)),
        false => Points::ZERO,
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
        let mut bound = Bound { points: self.weight.points(self.scoring.bound(&bound)), last: bound.last };
        if let Some((cursor, weight)) = &mut self.bonus {
            let more = cursor.bound_at(target);
            bound = bound.and(Bound { points: weight.points(self.scoring.bound(&more)), last: more.last });
        }
        bound
    }

    fn cost(&self) -> u64 {
        self.cursor.document_frequency().into()
    }
}
