//! Scoring as textbooks have it, for comparison: by counts, by TF/IDF, by BM25.
//!
//! ```text
//! count       c
//! tfidf       c / l · ln(N / f)                                               l: the length of the document
//! tfidf-max   c / m · ln(N / f)                                               m: the count of its most frequent word
//! bm25        (k1 + 1) · c / (k1 · (1 − b + b · l / L) + c) · ln((N − f + ½) / (f + ½))
//! ```
//!
//! c is how often a word is in the document, in any field and in any form, f in how many of N documents it is, and L how
//! long documents are on average; k1 and b are those of the weights (`k1`, `main_b`). The sum over all words that the query
//! looks for is the score; links, pairs and titles do not count, and pages with all words do not come first. (Notes,
//! section 6.1.)
//!
//! Weights of BM25 are negative for words in more than half of the documents, so that a bound of a sum says nothing: every
//! document that matches is looked at.
//!
//! Cost: a look at every document, and for `tfidf-max` at every posting of the index, once.

use page::DocId;

use crate::asked::Asked;
use crate::copies::Copies;
use crate::lists::Lists;
use crate::query::Query;
use crate::scheme::{Scheme, Seen};
use crate::{Error, Searcher};

/// A document and its score, which may be negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub(crate) doc: DocId,
    pub(crate) score: f64,
    pub(crate) has_all_words: bool,
}

/// All documents that answer a query, best first, equal ones in their order; of copies the best alone.
pub(crate) fn rank(lists: &Lists<'_>, query: &Query, copies: Option<&Copies>) -> Result<Vec<Found>, Error> {
    let index = &lists.searcher.index;
    let (mut asked, mut all) = (Asked::new(lists, query)?, Vec::new());
    for doc in (0..index.documents()).map(DocId::new).filter(|doc| !index.is_dead(*doc)) {
        if lists.stopper.must_stop() {
            break;
        }
        if asked.at(doc)?.is_some() {
            let score = words(lists, query, doc)?.iter().map(|word| word.contribution()).sum();
            if lists.stopper.has_stopped() {
                break;
            }
            all.push(Found { doc, score, has_all_words: asked.has_all_words(doc)? });
        }
    }
    all.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.doc.cmp(&other.doc)));
    if let Some(copies) = copies {
        let mut seen = std::collections::HashSet::new();
        all.retain(|found| copies.group_of(found.doc).is_none_or(|group| seen.insert(group)));
    }
    Ok(all)
}

/// What a word adds to a document: the product of three factors.
#[derive(Debug, Clone)]
pub(crate) struct WordScore {
    pub(crate) term: String,
    /// How often it was typed.
    pub(crate) times: u32,
    /// How often it is in the document.
    pub(crate) count: u32,
    /// In how many documents it is.
    pub(crate) documents: u32,
    /// What it says of this document.
    pub(crate) of_document: f64,
    /// What it says at all.
    pub(crate) of_word: f64,
}

impl WordScore {
    pub(crate) fn contribution(&self) -> f64 {
        f64::from(self.times) * self.of_document * self.of_word
    }
}

/// What each word of a query adds to a document that has it.
pub(crate) fn words(lists: &Lists<'_>, query: &Query, doc: DocId) -> Result<Vec<WordScore>, Error> {
    let Searcher { index, scoring, scheme, .. } = lists.searcher;
    let mut words = Vec::new();
    for term in query.terms() {
        let Some(entry) = lists.found(term)?.main().cloned() else { continue };
        let mut cursor = lists.cursor(&entry);
        if cursor.advance(doc) != doc {
            continue;
        }
        let most = if *scheme == Scheme::TfIdfMax { lists.searcher.largest_count(lists, doc)? } else { 0 };
        let (count, documents) = (cursor.counts().total(), entry.document_frequency());
        let (of_document, of_word) = scheme.factors(Seen {
            count: count.into(),
            length: index.doc_length(doc).into(),
            average_length: scoring.model.averages.iter().map(|average| f64::from(*average)).sum(),
            most: most.into(),
            documents: index.documents().into(),
            frequency: documents.into(),
            k1: scoring.weights.k1,
            b: scoring.weights.main_b,
        });
        let typed = query.words().iter().filter(|word| word.terms.contains(term)).map(|word| word.times);
        let times = typed.sum::<u32>().max(1);
        words.push(WordScore { term: term.clone(), times, count, documents, of_document, of_word });
    }
    Ok(words)
}

impl Searcher {
    /// How often the most frequent word of a document is in it. The first who asks reads all lists; 0 if time is over
    /// before.
    fn largest_count(&self, lists: &Lists<'_>, doc: DocId) -> Result<u32, Error> {
        if self.largest_counts.get().is_none() {
            let mut largest = vec![0u32; self.index.documents() as usize];
            let mut terms = self.index.terms_from("")?;
            while let Some((term, _)) = terms.next_term()? {
                let Some(entry) = self.index.term(term)? else { continue };
                if lists.stopper.must_stop_after(1 + entry.document_frequency()) {
                    return Ok(0);
                }
                let mut cursor = self.index.cursor(&entry);
                while cursor.doc() != DocId::END {
                    let most = &mut largest[cursor.doc().index()];
                    *most = cursor.counts().total().max(*most);
                    cursor.next();
                }
            }
            self.largest_counts.get_or_init(|| largest.into());
        }
        let largest = self.largest_counts.get().and_then(|largest| largest.get(doc.index()));
        Ok(largest.copied().unwrap_or_default())
    }
}
