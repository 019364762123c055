//! Lazy operators: each yields documents in increasing order, none computes more than it is asked for.
//!
//! An operator stands on a *candidate*: a document that its words do not rule out. Moving looks at document numbers
//! only. Whether the candidate really matches is asked with [`DocIterator::matches`], after all operators above agree on
//! it, since a phrase has to fetch positions to answer. Then the score is asked for, of what matches only. And before any
//! of this an operator may be asked what its next documents are worth at most, without moving. (Notes, chapter 5.)

mod and;
mod filter;
mod forms;
mod intervals;
mod located;
mod not;
mod or;
mod phrase;
mod term;
mod within;
mod words;

pub(crate) use and::And;
pub(crate) use filter::Filter;
pub(crate) use forms::Forms;
pub(crate) use intervals::{Ahead, Interval, Intervals, Nowhere, Positions, Union};
pub(crate) use located::Located;
pub(crate) use not::Not;
pub(crate) use or::Or;
pub(crate) use phrase::{Phrase, PhraseLead};
pub(crate) use term::Term;
pub(crate) use within::{Within, within_field};
pub(crate) use words::{Words, are_side_by_side};

use page::DocId;

use crate::points::Points;

/// Walks through the documents that satisfy a part of a query. It begins on its first candidate.
pub(crate) trait DocIterator {
    /// The present candidate, [`DocId::END`] after the last.
    fn doc(&self) -> DocId;

    /// Moves to the next candidate and returns it.
    fn next(&mut self) -> DocId {
        match self.doc() {
            DocId::END => DocId::END,
            doc => self.advance(doc.next()),
        }
    }

    /// Moves to the first candidate that is not before `target` (never backwards) and returns it.
    fn advance(&mut self, target: DocId) -> DocId;

    /// Whether the present candidate satisfies this part of the query. May be asked more than once.
    fn matches(&mut self) -> Result<bool, index::Error>;

    /// What this part of the query adds to the score of the present document, which matches.
    fn score(&mut self) -> Result<Points, index::Error>;

    /// What this part can add to the present candidate, before it is known whether it matches.
    fn ceiling(&mut self) -> Points;

    /// What this part adds to no document from `target` on, as far as that holds. Nothing before `target` is asked for
    /// any more.
    fn bound_at(&mut self, target: DocId) -> Bound;

    /// About how many candidates there are: whoever has fewest leads an intersection.
    fn cost(&self) -> u64;
}

/// What a stretch of documents is worth at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) points: Points,
    /// The last document of the stretch.
    pub(crate) last: DocId,
}

impl Bound {
    /// Adds nothing to any document.
    pub(crate) const NOTHING: Self = Self { points: Points::ZERO, last: DocId::END };

    /// What both add, as far as both hold.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { points: self.points + other.points, last: self.last.min(other.last) }
    }
}

impl<P: DocIterator + ?Sized> DocIterator for Box<P> {
    fn doc(&self) -> DocId {
        (**self).doc()
    }

    fn next(&mut self) -> DocId {
        (**self).next()
    }

    fn advance(&mut self, target: DocId) -> DocId {
        (**self).advance(target)
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        (**self).matches()
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        (**self).score()
    }

    fn ceiling(&mut self) -> Points {
        (**self).ceiling()
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        (**self).bound_at(target)
    }

    fn cost(&self) -> u64 {
        (**self).cost()
    }
}

/// The documents of a word that occurs nowhere.
pub(crate) struct Nothing;

impl DocIterator for Nothing {
    fn doc(&self) -> DocId {
        DocId::END
    }

    fn advance(&mut self, _target: DocId) -> DocId {
        DocId::END
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok(false)
    }

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
        0
    }
}
