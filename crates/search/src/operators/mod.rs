//! Lazy operators: each yields documents in increasing order, none computes more than it is asked for.
//!
//! An operator stands on a *candidate*: a document that its words do not rule out. Moving looks at document numbers
//! only. Whether the candidate really matches is asked with [`DocIterator::matches`], after all operators above agree on
//! it, since a phrase has to fetch positions to answer. Then the score is asked for, of what matches only.
//! (Notes, chapter 5.)

mod and;
mod not;
mod or;
mod phrase;
mod site;
mod term;
mod words;

pub(crate) use and::And;
pub(crate) use not::Not;
pub(crate) use or::Or;
pub(crate) use phrase::Phrase;
pub(crate) use site::Site;
pub(crate) use term::Term;
pub(crate) use words::Words;

use page::DocId;

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
    fn score(&mut self) -> Result<f64, index::Error>;

    /// About how many candidates there are: whoever has fewest leads an intersection.
    fn cost(&self) -> u64;
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

    fn score(&mut self) -> Result<f64, index::Error> {
        Ok(0.0)
    }

    fn cost(&self) -> u64 {
        0
    }
}
