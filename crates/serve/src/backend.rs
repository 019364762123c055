//! What a server needs of whatever answers queries.

use page::PageKey;
use serde::Serialize;

pub use search::{
    Answer, CopiesView, Feedback, Fragment, Meanings, Note, PageText, ReaderLanguages, SearchResult, Snippet,
};

/// Answers queries. Called on blocking threads, many at once.
pub trait SearchBackend: Send + Sync + 'static {
    /// Answers a query.
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem>;

    /// Ways in which what somebody is typing may go on, the likeliest first. Asked at every key, so it should be quick.
    fn suggest(&self, _typed: &str, _count: usize) -> Result<Vec<String>, QueryProblem> {
        Ok(Vec::new())
    }

    /// The page with this key as it is kept, if there is one that may be found.
    fn page(&self, _key: PageKey) -> Option<PageText> {
        None
    }

    /// What is searched. Asked for every home page, so it should cost nothing.
    fn collection(&self) -> CollectionInfo;
}

/// What a visitor wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchRequest {
    /// What was typed.
    pub query: String,
    /// How many results to pass over.
    pub from: usize,
    /// How many results to give.
    pub count: usize,
    /// What is done with pages that are copies of each other.
    pub copies: CopiesView,
    /// Whether misspelled words are left as they are.
    pub as_typed: bool,
    /// What the visitor reads.
    pub reader: ReaderLanguages,
    /// Whether what pages mean counts beside their words.
    pub meanings: Meanings,
    /// Whether words of the first pages are looked for too.
    pub feedback: Feedback,
    /// Not what was typed, but pages that speak of the same as the one with this key.
    pub related_to: Option<PageKey>,
}

/// The size and name of what is searched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CollectionInfo {
    /// What people call it.
    pub name: String,
    /// Pages in the index.
    pub documents: u64,
    /// Hosts that these pages come from.
    pub hosts: u64,
    /// Size of the index on disk.
    pub index_bytes: u64,
    /// Whether pages that speak of the same can be asked for.
    pub has_related: bool,
    /// What of the index is kept in memory, if anything may be.
    pub hot: Option<HotInfo>,
}

/// How much of an index is kept in memory, and what came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HotInfo {
    /// How much may be kept.
    pub budget_bytes: u64,
    /// How much is kept.
    pub kept_bytes: u64,
    /// Pages of lists that were asked for.
    pub pages_asked: u64,
    /// Those of them that were kept when they were asked for.
    pub pages_kept: u64,
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryProblem {
    /// The query cannot be understood; the message tells its author why.
    #[error("{0}")]
    Bad(String),
    /// Something is broken here; the message is for the log, not for visitors.
    #[error("the search failed: {0}")]
    Internal(String),
}

impl From<search::Error> for QueryProblem {
    fn from(error: search::Error) -> Self {
        match error {
            search::Error::Query(_) | search::Error::TooFar { .. } => Self::Bad(error.to_string()),
            _ => Self::Internal(error.to_string()),
        }
    }
}
