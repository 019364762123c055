//! From what was typed to what is shown.

use std::time::Instant;

use serde::Serialize;

use crate::{CopiesView, Error, Explanation, Hit, Limits, Query, SearchError, Searcher, Snippet};

/// Gives the text of a page back, from the key under which it was indexed.
pub trait PageReader {
    /// The page; `None` when it is gone.
    fn read(&self, key: u64) -> Option<PageText>;
}

/// A page as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// Its address.
    pub url: String,
    /// Its title, possibly empty.
    pub title: String,
    /// Its text.
    pub text: String,
}

/// What is wanted of an answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnswerRequest {
    /// How many results to pass over.
    pub from: usize,
    /// How many results to give.
    pub count: usize,
    /// Whether each result says why it is where it is.
    pub explain: bool,
    /// What is done with copies.
    pub copies: CopiesView,
    /// How long it may take.
    pub limits: Limits,
}

/// A page of results.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Answer {
    /// What was asked.
    pub query: String,
    /// How many pages match; copies that are folded into a result are not counted.
    pub total: u64,
    /// Whether the deadline came first, so that `total` is a lower bound.
    pub partial: bool,
    /// How many results were passed over.
    pub from: usize,
    /// How long it took, snippets included, in microseconds.
    pub took_us: u64,
    /// Results left out because their page could not be read.
    pub unreadable: u64,
    /// The results, best first.
    pub results: Vec<SearchResult>,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// Its place in the whole list, from 1.
    pub rank: usize,
    /// The address of the page.
    pub url: String,
    /// The title of the page, possibly empty.
    pub title: String,
    /// What the page says about it; in JSON `snippet` as plain text and `snippet_fragments` with marks.
    #[serde(flatten)]
    pub snippet: Snippet,
    /// How well it answers.
    pub score: f64,
    /// The key of the page, for [`CopiesView::Only`].
    pub key: u64,
    /// How many other pages match that are copies of this one and are not shown.
    pub similar: u64,
    /// Why, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

impl Searcher {
    /// Parses a query, searches, and reads what is shown of each result.
    pub fn answer(
        &self,
        query_text: &str,
        from: usize,
        count: usize,
        pages: &dyn PageReader,
    ) -> Result<Answer, SearchError> {
        self.answer_request(query_text, &AnswerRequest { from, count, ..Default::default() }, pages)
    }

    /// Like [`Searcher::answer`], with everything that can be chosen.
    pub fn answer_request(
        &self,
        query_text: &str,
        request: &AnswerRequest,
        pages: &dyn PageReader,
    ) -> Result<Answer, SearchError> {
        let started = Instant::now();
        let query = Query::parse(query_text)?;
        let hits = self.search_within(&query, request.from, request.count, request.copies, request.limits)?;
        let wanted = hits.hits.len();
        let mut results = Vec::with_capacity(wanted);
        for (hit, rank) in hits.hits.iter().zip(request.from + 1..) {
            if let Some(page) = pages.read(hit.key) {
                results.push(self.result(&query, hit, rank, page, request.explain)?);
            }
        }
        Ok(Answer {
            query: query_text.to_owned(),
            total: hits.total,
            partial: hits.partial,
            from: request.from,
            took_us: started.elapsed().as_micros().try_into().unwrap_or(u64::MAX),
            unreadable: (wanted - results.len()) as u64,
            results,
        })
    }

    fn result(
        &self,
        query: &Query,
        hit: &Hit,
        rank: usize,
        page: PageText,
        explain: bool,
    ) -> Result<SearchResult, Error> {
        let explanation = if explain { Some(self.explain(query, hit.doc)?) } else { None };
        let snippet = Snippet::new(&page.text, query.terms());
        Ok(SearchResult {
            rank,
            url: page.url,
            title: page.title,
            snippet,
            score: hit.score,
            key: hit.key,
            similar: hit.similar,
            explanation,
        })
    }
}
