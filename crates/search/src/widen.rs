//! A query with the synonyms of its words.

use std::borrow::Cow;

use crate::Searcher;
use crate::query::Query;
use crate::scheme::Scheme;

impl Searcher {
    /// The query, with the synonyms of its plain words if there are any and it has none yet.
    pub(crate) fn widened<'q>(&self, query: &'q Query) -> Cow<'q, Query> {
        if self.synonyms.is_empty() || self.scheme != Scheme::Bm25f || !query.more().is_empty() {
            return Cow::Borrowed(query);
        }
        let share = self.scoring.weights.forms;
        let more = self.synonyms.widen(&query.plain_terms(), query.spellings(), share);
        Cow::Owned(query.clone().with_more(more))
    }
}
