//! The documents of one word, scored by BM25.

use index::PostingsCursor;
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
        let (doc, in_title) = (self.cursor.doc(), self.cursor.in_title());
        Ok(self.weight.score(doc, self.cursor.frequency(), in_title))
    }

    fn cost(&self) -> u64 {
        self.cursor.document_frequency().into()
    }
}
