//! Plain words side by side, looked at document by document: which of them a document has, and whether it has all.
//!
//! Each term is there once, however many words have it. A word that the analyzer takes apart is found where its pieces
//! stand one after the other; its pieces count one by one, so that "PostgreSQL's" still finds pages about PostgreSQL.
//! Positions are read only where all terms of all words are.

use page::DocId;

use super::{Bound, DocIterator, Phrase, Term};
use crate::points::Points;

/// The plain words of a query.
pub(crate) struct Words<'i> {
    pub(crate) terms: Vec<Term<'i>>,
    /// The words that were taken apart.
    pub(crate) phrases: Vec<Phrase<'i>>,
    /// Words that were not typed and add to the score.
    pub(crate) more: Vec<Term<'i>>,
    /// A word occurs nowhere, so no document has all.
    pub(crate) is_hopeless: bool,
}

impl Words<'_> {
    /// Moves to `target`, whether it has one of the words or not; never backwards. True if it has.
    pub(crate) fn seek(&mut self, target: DocId) -> bool {
        let mut has_any = false;
        for term in self.terms.iter_mut().chain(&mut self.more) {
            has_any |= term.advance(target) == target;
        }
        has_any
    }

    /// The first document from `target` on that may have all words; those that are passed are not sought any more.
    pub(crate) fn next_with_all(&mut self, target: DocId) -> DocId {
        self.terms.iter_mut().map(|term| term.advance(target)).max().unwrap_or(target)
    }

    /// Moves back to the first document, where no word was taken apart.
    pub(crate) fn rewind(&mut self) {
        self.terms.iter_mut().chain(&mut self.more).for_each(Term::rewind);
    }

    /// Whether a document that was sought has all words.
    pub(crate) fn has_all(&mut self, doc: DocId) -> Result<bool, index::Error> {
        if self.is_hopeless || self.terms.iter().any(|term| term.doc() != doc) {
            return Ok(false);
        }
        are_side_by_side(&mut self.phrases, doc)
    }

    /// What the words add to the score of a document that was sought.
    pub(crate) fn score(&mut self, doc: DocId) -> Points {
        let terms = self.terms.iter_mut().chain(&mut self.more);
        terms.filter(|term| term.doc() == doc).map(Term::points).sum()
    }

    /// What they add to no document from `target` on, as far as that holds.
    pub(crate) fn bound_at(&mut self, target: DocId) -> Bound {
        let terms = self.terms.iter_mut().chain(&mut self.more);
        terms.map(|term| term.bound_at(target)).fold(Bound::NOTHING, Bound::and)
    }
}

/// Whether each of the words that were taken apart stands somewhere in the document.
pub(crate) fn are_side_by_side(phrases: &mut [Phrase<'_>], doc: DocId) -> Result<bool, index::Error> {
    for phrase in phrases {
        if phrase.advance(doc) != doc || !phrase.matches()? {
            return Ok(false);
        }
    }
    Ok(true)
}
