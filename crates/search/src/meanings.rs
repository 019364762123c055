//! Whether what pages mean counts beside their words, decided query by query.
//!
//! Meanings help whoever asks for what several pages speak of, and can only harm whoever wants one page and names it. So by
//! default they count where all of this holds:
//!
//! - The query is a question: five plain words or more, and no operator. Names of sites and of things have fewer.
//! - The lists of its words are short enough ([`POSTINGS_MAX`]) that two hundred candidates cost little.
//! - The best page is not called what was typed.
//! - The first few pages that words bring speak of something in common ([`AGREEMENT_LEAST`]), and the more they do, up to
//!   [`AGREEMENT_FULL`], the more meanings count. Where each speaks of something else one of them may be right, and words know
//!   which: so it is with questions about a single fact.
//!
//! Four features were tried for the last rule (agreement, how far the first stands out by its score, how far by its cosine, how
//! many of the first ten would change): only agreement tells where there is nothing to gain. `benches/runs` has the numbers.

use index::TermEntry;
use page::DocId;

use crate::Error;
use crate::bonus::Bonus;
use crate::fusion::{self, Fusion};
use crate::lists::Lists;
use crate::query::Query;
use crate::scheme::Scheme;
use crate::switch::Meanings;
use crate::top::Scored;
use crate::word::terms_of;

/// So many postings are looked at for two hundred candidates.
const POSTINGS_MAX: u64 = 1 << 20;

/// The mean cosine of the first few pages, below which they have nothing in common.
const AGREEMENT_LEAST: f32 = 0.06;

/// From here on meanings count in full.
const AGREEMENT_FULL: f32 = 0.25;

impl Meanings {
    /// Whether a query may want meanings, as far as the query alone tells: then whoever opens an index should open its spaces.
    pub fn may_count_for(self, query: &Query) -> bool {
        match self {
            Self::Auto => query.must().is_none() && query.is_question(),
            Self::On => true,
            Self::Off => false,
        }
    }

    /// The same, as far as the lists tell, before any document is looked at.
    pub(crate) fn may_count(self, lists: &Lists<'_>, query: &Query) -> Result<bool, Error> {
        let searcher = lists.searcher;
        if !self.may_count_for(query) || !searcher.has_spaces() || searcher.scheme != Scheme::Bm25f {
            return Ok(false);
        }
        Ok(self == Self::On || postings(lists, query)? <= POSTINGS_MAX)
    }

    /// How meanings change the order of the best by words, if they should.
    pub(crate) fn fusion<'s>(
        self,
        lists: &Lists<'s>,
        bonus: &Bonus<'_>,
        best: &[Scored],
    ) -> Option<Fusion<'s>> {
        let spaces = &lists.searcher.spaces;
        let docs: Vec<DocId> = best.iter().map(|scored| scored.doc).collect();
        let is_named = || best.first().is_some_and(|first| bonus.of_title(first.doc).is_some());
        let mut weight = 1.0;
        if self == Self::Auto {
            let agreement = fusion::agreement(spaces, &docs);
            if agreement < AGREEMENT_LEAST || is_named() {
                return None;
            }
            weight = f64::from((agreement / AGREEMENT_FULL).min(1.0));
        }
        Fusion::new(spaces, best, weight)
    }
}

/// How many documents the words of a query have, those that have several counted for each.
fn postings(lists: &Lists<'_>, query: &Query) -> Result<u64, Error> {
    let mut postings = 0;
    for (term, _) in terms_of(query.words()) {
        postings +=
            lists.found(term)?.main().map_or(0, |list| u64::from(TermEntry::document_frequency(list)));
    }
    Ok(postings)
}
