//! Plain words side by side: every document with one of them, and whether it has all.
//!
//! The terms of all words are walked together, like a union, each term once however many words have it. A word that the
//! analyzer takes apart is found where its pieces stand one after the other; its pieces count one by one, so that
//! "PostgreSQL's" still finds pages about PostgreSQL.
//!
//! Positions are read only where all terms of all words are, and no count is decoded where the score cannot matter: the
//! most that the terms of a document can add is known before.

use page::DocId;

use super::{DocIterator, Phrase, Term};

/// Documents with at least one of some words.
pub(crate) struct Words<'i> {
    terms: Vec<Term<'i>>,
    /// Where each term stands.
    docs: Vec<DocId>,
    /// The most that each term can add to a score.
    ceilings: Vec<f64>,
    doc: DocId,
    phrases: Vec<Phrase<'i>>,
    /// A word occurs nowhere, so no document has all.
    is_hopeless: bool,
}

impl<'i> Words<'i> {
    /// `terms` with the most that each can add; `phrases` are the words that were taken apart.
    pub(crate) fn new(terms: Vec<(Term<'i>, f64)>, phrases: Vec<Phrase<'i>>, is_hopeless: bool) -> Self {
        let (terms, ceilings): (Vec<_>, Vec<_>) = terms.into_iter().unzip();
        let docs: Vec<DocId> = terms.iter().map(|term| term.doc()).collect();
        let doc = docs.iter().copied().min().unwrap_or(DocId::END);
        Self { terms, docs, ceilings, doc, phrases, is_hopeless }
    }

    pub(crate) fn doc(&self) -> DocId {
        self.doc
    }

    /// Moves to the next document with one of the words and returns it.
    pub(crate) fn next(&mut self) -> DocId {
        let mut smallest = DocId::END;
        for (term, doc) in self.terms.iter_mut().zip(&mut self.docs) {
            if *doc == self.doc {
                *doc = term.next();
            }
            smallest = smallest.min(*doc);
        }
        self.doc = smallest;
        smallest
    }

    /// Moves to `target`, whether it has one of the words or not; never backwards.
    pub(crate) fn seek(&mut self, target: DocId) {
        for (term, doc) in self.terms.iter_mut().zip(&mut self.docs) {
            if *doc < target {
                *doc = term.advance(target);
            }
        }
        self.doc = target;
    }

    /// Whether the present document has all words.
    pub(crate) fn has_all(&mut self) -> Result<bool, index::Error> {
        if self.is_hopeless || self.docs.iter().any(|doc| *doc != self.doc) {
            return Ok(false);
        }
        for phrase in &mut self.phrases {
            if phrase.advance(self.doc) != self.doc || !phrase.matches()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The score of the present document is not above this.
    pub(crate) fn ceiling(&self) -> f64 {
        let here = self.docs.iter().zip(&self.ceilings).filter(|(doc, _)| **doc == self.doc);
        here.map(|(_, ceiling)| ceiling).sum()
    }

    /// What the words that the present document has add to its score.
    pub(crate) fn score(&mut self) -> Result<f64, index::Error> {
        let mut sum = 0.0;
        for (term, doc) in self.terms.iter_mut().zip(&self.docs) {
            if *doc == self.doc {
                sum += term.score()?;
            }
        }
        Ok(sum)
    }
}
