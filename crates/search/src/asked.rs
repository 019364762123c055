//! The documents that answer a query, one after the other: what must hold, and the plain words beside it.
//!
//! If the formula asks for words, it leads, and plain words only add to the score and decide who comes first. Otherwise
//! it can only veto, and plain words lead: a document has at least one of them.

use page::DocId;

use crate::operators::{DocIterator, Words};

/// Walks through the answers of a query. It begins on its first candidate.
pub(crate) struct Asked<'i> {
    must: Option<Box<dyn DocIterator + 'i>>,
    words: Option<Words<'i>>,
    words_lead: bool,
}

impl<'i> Asked<'i> {
    /// One of the two is there. `words_lead`: the formula does not ask for words.
    pub(crate) fn new(
        must: Option<Box<dyn DocIterator + 'i>>,
        words: Option<Words<'i>>,
        words_lead: bool,
    ) -> Self {
        Self { words_lead: words_lead && words.is_some(), must, words }
    }

    /// The present candidate, [`DocId::END`] after the last.
    pub(crate) fn doc(&self) -> DocId {
        match (&self.words, &self.must) {
            (Some(words), _) if self.words_lead => words.doc(),
            (_, Some(must)) => must.doc(),
            _ => DocId::END,
        }
    }

    /// Moves to the next candidate and returns it.
    pub(crate) fn next(&mut self) -> DocId {
        match (&mut self.words, &mut self.must) {
            (Some(words), _) if self.words_lead => words.next(),
            (_, Some(must)) => must.next(),
            _ => DocId::END,
        }
    }

    /// Whether the present candidate answers the query. The others may be asked only if it does.
    pub(crate) fn matches(&mut self) -> Result<bool, index::Error> {
        let doc = self.doc();
        if let Some(must) = &mut self.must
            && (must.advance(doc) != doc || !must.matches()?)
        {
            return Ok(false);
        }
        if let Some(words) = self.words.as_mut().filter(|_| !self.words_lead) {
            words.seek(doc);
        }
        Ok(true)
    }

    /// Whether it has all plain words.
    pub(crate) fn has_all(&mut self) -> Result<bool, index::Error> {
        self.words.as_mut().map_or(Ok(true), Words::has_all)
    }

    /// What it has of the query is worth no more than this.
    pub(crate) fn ceiling(&self) -> f64 {
        match &self.words {
            // Additions in another order may differ in their last digits.
            Some(words) if self.words_lead => words.ceiling() * (1.0 + 1e-9),
            _ => f64::INFINITY,
        }
    }

    /// What it has of the query is worth.
    pub(crate) fn score(&mut self) -> Result<f64, index::Error> {
        let must = self.must.as_mut().map_or(Ok(0.0), |must| must.score())?;
        Ok(must + self.words.as_mut().map_or(Ok(0.0), Words::score)?)
    }
}
