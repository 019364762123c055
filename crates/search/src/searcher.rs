//! What a search needs: an index, and what is known of its documents beside their words.

use std::sync::Arc;

use index::{ImpactModel, Index};

use crate::copies::Copies;
use crate::facts::Facts;
use crate::link_rank::LinkRanks;
use crate::scoring::Scoring;
use crate::sites::Sites;

/// Searches one index. Cheap to clone; any number of threads may share one.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub(crate) index: Arc<Index>,
    pub(crate) scoring: Arc<Scoring>,
    pub(crate) copies: Arc<Copies>,
    pub(crate) ranks: LinkRanks,
    pub(crate) sites: Arc<Sites>,
    pub(crate) facts: Arc<Facts>,
}

impl Searcher {
    /// A searcher over `index`, by whose parameters documents are scored.
    pub fn new(index: Arc<Index>) -> Self {
        let scoring = Arc::new(Scoring::new(&index, index.impact_model()));
        let (copies, sites, facts) = (Arc::default(), Arc::default(), Arc::default());
        Self { index, scoring, copies, ranks: LinkRanks::default(), sites, facts }
    }

    /// The same searcher, with other parameters. The index knows nothing of them, so fewer documents can be passed over.
    #[must_use]
    pub fn with_impacts(mut self, model: ImpactModel) -> Self {
        self.scoring = Arc::new(Scoring::new(&self.index, model));
        self
    }

    /// The same searcher, which knows copies when it sees them.
    #[must_use]
    pub fn with_copies(mut self, copies: Arc<Copies>) -> Self {
        self.copies = copies;
        self
    }

    /// The same searcher, which also knows what the web thinks of each document.
    #[must_use]
    pub fn with_ranks(mut self, ranks: LinkRanks) -> Self {
        self.ranks = ranks;
        self
    }

    /// The same searcher, which also knows where each document is from; without, `site:` finds nothing.
    #[must_use]
    pub fn with_sites(mut self, sites: Arc<Sites>) -> Self {
        self.sites = sites;
        self
    }

    /// The same searcher, which also knows language, kind and date of each document; without, `lang:`, `type:`, `after:` and
    /// `before:` find nothing.
    #[must_use]
    pub fn with_facts(mut self, facts: Arc<Facts>) -> Self {
        self.facts = facts;
        self
    }

    /// The index that is searched.
    pub fn index(&self) -> &Index {
        &self.index
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn threads_may_share_a_searcher() {
        fn shared<T: Send + Sync + Clone>() {}
        shared::<super::Searcher>();
    }
}
