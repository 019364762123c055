//! What is added for how the words of a query stand in a document, beside what each of them says.
//!
//! A document whose words alone are too little may come among the best by what is added here, and still the best are exactly
//! those that looking at every document finds. What pairs add is bounded by what the words themselves say ([`PairBound`]), so
//! that whoever passes over documents asks for a little less than is needed. What a title adds is not: but few documents are
//! called what was typed, and they are found, and offered, before all others ([`Bonus::titles`]).
//!
//! What words in the title add is for those alone that are best without it, which are looked at once more ([`TitleWords`]).

mod pairs;
mod title_words;
mod whole_title;

pub use pairs::PairExplanation;
pub(crate) use title_words::{LOOKED_AT, TitleWords};

use page::DocId;

use crate::Error;
use crate::bonus::pairs::Pairs;
use crate::bonus::whole_title::WholeTitle;
use crate::lists::Lists;
use crate::points::Points;
use crate::query::Query;

/// What the words of a query add by how they stand.
pub(crate) struct Bonus<'s> {
    pairs: Option<Pairs<'s>>,
    title: Option<WholeTitle<'s>>,
}

/// What pairs add at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairBound {
    /// As a share of what the weaker word of each adds.
    share: f64,
}

impl PairBound {
    /// Of no pairs.
    pub(crate) const NOTHING: Self = Self { share: 0.0 };

    /// The points that words and ranks need, where `least` is needed of all: with less, nothing that pairs add is enough.
    #[inline]
    pub(crate) fn lowered(self, least: Points) -> Points {
        if self.share == 0.0 { least } else { Points((f64::from(least.0) / (1.0 + self.share)) as u32) }
    }

    /// What pairs of words add that are worth so much together, where the strongest of them is worth `strongest` or more.
    /// Of the pairs on either side of it each has a weaker word of its own, so that they add up to no more than the others.
    #[inline]
    pub(crate) fn most(self, together: Points, strongest: Points) -> Points {
        match self.share {
            0.0 => Points::ZERO,
            share => Points((share * f64::from(strongest.missing_to(together).0)) as u32),
        }
    }

    /// Whether there are any.
    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self.share == 0.0
    }
}

impl<'s> Bonus<'s> {
    pub(crate) fn new(lists: &'s Lists<'s>, query: &Query) -> Result<Self, Error> {
        Ok(Self { pairs: Pairs::new(lists, query)?, title: WholeTitle::new(lists, query)? })
    }

    /// The same, where the documents whose title is the query are known.
    pub(crate) fn with_titles(self, titles: &[DocId]) -> Self {
        self.title.iter().for_each(|title| title.know(titles));
        self
    }

    pub(crate) fn pair_bound(&self) -> PairBound {
        PairBound { share: self.pairs.as_ref().map_or(0.0, Pairs::share) }
    }

    /// Whether a word of the query makes pairs with others.
    pub(crate) fn makes_pairs(&self, word: &str) -> bool {
        self.pairs.as_ref().is_some_and(|pairs| pairs.have(word))
    }

    /// What pairs add to a document. Where that cannot be as much as is needed, it may be less than it would be.
    pub(crate) fn of_pairs(&self, doc: DocId, needed: Points) -> Result<Points, Error> {
        self.pairs.as_ref().map_or(Ok(Points::ZERO), |pairs| pairs.points(doc, needed))
    }

    /// The documents whose title is the query, in order.
    pub(crate) fn titles(&self) -> &[DocId] {
        self.title.as_ref().map_or(&[], WholeTitle::documents)
    }

    /// What is added to these.
    pub(crate) fn of_titles(&self) -> Points {
        self.title.as_ref().map_or(Points::ZERO, |title| title.bonus)
    }

    /// What is added to a document by its title.
    pub(crate) fn of_whole_title(&self, doc: DocId) -> Points {
        self.title.as_ref().filter(|title| title.is_title_of(doc)).map_or(Points::ZERO, |title| title.bonus)
    }

    /// The pairs that add anything to a document.
    pub(crate) fn explain_pairs(&self, doc: DocId) -> Result<Vec<PairExplanation>, Error> {
        self.pairs.as_ref().map_or(Ok(Vec::new()), |pairs| pairs.explain(doc))
    }

    /// What the title of a document adds.
    pub(crate) fn of_title(&self, doc: DocId) -> Option<f64> {
        self.title.as_ref().filter(|title| title.is_title_of(doc)).map(|title| title.bonus.score())
    }
}
