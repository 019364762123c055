//! What a search needs: an index, and what is known of its documents beside their words.

use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use index::Index;
use page::{DocId, PageKey};

use crate::copies::Copies;
use crate::facts::Facts;
use crate::link_rank::LinkRanks;
use crate::scheme::Scheme;
use crate::scoring::Scoring;
use crate::site_names::SiteNames;
use crate::sites::Sites;
use crate::spaces::Spaces;
use crate::synonyms::{Rules, Synonyms};
use crate::titles::Titles;
use crate::vocabulary::Vocabulary;
use crate::weights::Weights;

/// Searches one index. Cheap to clone; any number of threads may share one.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub(crate) index: Arc<Index>,
    pub(crate) scoring: Arc<Scoring>,
    pub(crate) scheme: Scheme,
    /// How often the most frequent word of each document is in it.
    pub(crate) largest_counts: Arc<OnceLock<Box<[u32]>>>,
    pub(crate) copies: Arc<Copies>,
    pub(crate) ranks: LinkRanks,
    pub(crate) sites: Arc<Sites>,
    pub(crate) names: Arc<SiteNames>,
    pub(crate) facts: Arc<Facts>,
    pub(crate) vocabulary: Arc<OnceLock<Vocabulary>>,
    pub(crate) kept_words: Option<Arc<KeptWords>>,
    pub(crate) titles: Arc<OnceLock<Titles>>,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) synonyms: Arc<Rules>,
    /// How many are searching.
    pub(crate) busy: Arc<AtomicUsize>,
}

/// Where the words of an index are kept, and of which.
#[derive(Debug)]
pub(crate) struct KeptWords {
    pub(crate) path: PathBuf,
    pub(crate) made_from: String,
}

impl Searcher {
    /// A searcher over `index` that scores by the default weights.
    pub fn new(index: Arc<Index>) -> Self {
        let scoring = Arc::new(Scoring::new(&index, Weights::default()));
        Self {
            index,
            scoring,
            scheme: Scheme::default(),
            largest_counts: Arc::default(),
            copies: Arc::default(),
            ranks: LinkRanks::default(),
            sites: Arc::default(),
            names: Arc::default(),
            facts: Arc::default(),
            vocabulary: Arc::default(),
            kept_words: None,
            titles: Arc::default(),
            spaces: Arc::default(),
            synonyms: Arc::default(),
            busy: Arc::default(),
        }
    }

    /// The same searcher, with other weights. Where words count otherwise than the maxima of the index were made for, fewer
    /// documents can be passed over.
    #[must_use]
    pub fn with_weights(mut self, weights: Weights) -> Self {
        self.scoring = Arc::new(Scoring::new(&self.index, weights));
        self.ranks = self.ranks.with_weights(&weights);
        self
    }

    /// The same searcher, which scores by another formula.
    #[must_use]
    pub fn with_scheme(self, scheme: Scheme) -> Self {
        Self { scheme, ..self }
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

    /// The same searcher, which also knows what sites are called.
    #[must_use]
    pub fn with_names(mut self, names: Arc<SiteNames>) -> Self {
        self.names = names;
        self
    }

    /// The same searcher, which also knows language, kind and date of each document; without, `lang:`, `type:`, `after:` and
    /// `before:` find nothing.
    #[must_use]
    pub fn with_facts(mut self, facts: Arc<Facts>) -> Self {
        self.facts = facts;
        self
    }

    /// The same searcher, which takes the words by which queries are corrected and completed from a file, if they are those
    /// of the index that `made_from` says ([`Vocabulary::write`]).
    #[must_use]
    pub fn with_kept_words(mut self, path: PathBuf, made_from: String) -> Self {
        self.kept_words = Some(Arc::new(KeptWords { path, made_from }));
        self
    }

    /// Gives titles by which [`Searcher::complete`] completes, if it has none yet.
    pub fn complete_with(&self, titles: impl FnOnce() -> Titles) {
        self.titles.get_or_init(titles);
    }

    /// The rank of a document; 0 if it has none.
    pub fn rank(&self, doc: DocId) -> f64 {
        self.ranks.rank(doc)
    }

    /// The same searcher, which also knows what documents speak of.
    #[must_use]
    pub fn with_spaces(mut self, spaces: Spaces) -> Self {
        self.spaces = Arc::new(spaces);
        self
    }

    /// The same searcher, which also looks for synonyms of plain words.
    #[must_use]
    pub fn with_synonyms(mut self, synonyms: &Synonyms) -> Self {
        self.synonyms = Arc::new(Rules::new(synonyms, self.index.analyzer()));
        self
    }

    /// Whether it knows what the documents of any collection speak of.
    pub fn has_spaces(&self) -> bool {
        !self.spaces.is_empty()
    }

    /// Whether the collection of the page with this key has a space.
    pub fn has_space(&self, key: PageKey) -> bool {
        self.index.find_key(key).is_some_and(|doc| self.spaces.with_start(doc).is_some())
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
