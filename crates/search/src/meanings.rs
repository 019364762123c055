//! Whether what pages mean counts beside their words, decided query by query.
//!
//! Meanings help whoever asks for what several pages speak of, and can only harm whoever wants one page and names it. So by
//! default they count where all of this holds:
//!
//! - The query is a question: five plain words or more, and no operator. Names of sites and of things have fewer.
//! - The lists of its words are short enough ([`POSTINGS_MAX`]) that some hundred candidates cost little.
//! - No page is called what was typed: whoever types a title wants that page.
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

/// So many postings are looked at for candidates.
const POSTINGS_MAX: u64 = 1 << 20;

/// From so many postings on only half as many candidates are looked for, since each of them takes long to be found. On judged
/// collections half of them are worth 0 to 1 % of nDCG@10, and 0 to 2 % of MAP.
const POSTINGS_OF_HEAVY: u64 = 1 << 17;

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

    /// How many of the best by words are looked at once more; `None` where lists and titles tell that meanings do not count.
    pub(crate) fn candidates(
        self,
        lists: &Lists<'_>,
        query: &Query,
        bonus: &Bonus<'_>,
    ) -> Result<Option<usize>, Error> {
        let searcher = lists.searcher;
        if !self.may_count_for(query) || !searcher.has_spaces() || searcher.scheme != Scheme::Bm25f {
            return Ok(None);
        }
        let postings = postings(lists, query)?;
        let is_ruled_out = postings > POSTINGS_MAX || !bonus.titles().is_empty();
        Ok(match self {
            Self::Auto if is_ruled_out => None,
            _ if postings < POSTINGS_OF_HEAVY => Some(fusion::CANDIDATES),
            _ => Some(fusion::CANDIDATES / 2),
        })
    }

    /// How meanings change the order of the best by words, if they should.
    pub(crate) fn fusion<'s>(
        self,
        lists: &Lists<'s>,
        best: &[Scored],
        candidates: usize,
    ) -> Option<Fusion<'s>> {
        let spaces = &lists.searcher.spaces;
        let docs: Vec<DocId> = best.iter().map(|scored| scored.doc).collect();
        let mut weight = 1.0;
        if self == Self::Auto {
            let agreement = fusion::agreement(spaces, &docs);
            if agreement < AGREEMENT_LEAST {
                return None;
            }
            weight = f64::from((agreement / AGREEMENT_FULL).min(1.0));
        }
        Fusion::new(spaces, best, weight, candidates)
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
