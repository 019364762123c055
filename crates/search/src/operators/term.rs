//! The documents of one word, scored by BM25.

use index::{Field, PostingsCursor};
use page::DocId;

use super::DocIterator;
use crate::bm25::TermWeight;

/// A word of the query.
pub(crate) struct Term<'i> {
    cursor: PostingsCursor<'i>,
    weight: TermWeight<'i>,
}

impl<'i> Term<'i> {
    pub(crate) fn new(cursor: PostingsCursor<'i>, weight: TermWeight<'i>) -> Self {
        Self { cursor, weight }
    }
}

impl DocIterator for Term<'_> {
    fn doc(&self) -> DocId {
        self.cursor.doc()
    }

    fn next(&mut self) -> DocId {
        self.cursor.next()
    }

    fn advance(&mut self, target: DocId) -> DocId {
        self.cursor.advance(target)
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok(true)
    }

    fn score(&mut self) -> Result<f64, index::Error> {
        let (doc, counts) = (self.cursor.doc(), self.cursor.counts());
        let frequency = self.weight.parameters.frequency(&counts);
        Ok(self.weight.score(doc, frequency, counts.of(Field::Title) > 0))
    }

    fn cost(&self) -> u64 {
        self.cursor.document_frequency().into()
    }
}
