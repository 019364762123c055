//! What is added for how the words of a query stand in a document, beside what each of them says.
//!
//! A document whose words alone are too little may come among the best by what is added here. So whoever passes over documents
//! asks for less: for [`Lowering::lowered`] instead of what is needed. Both parts are bounded by what the words themselves say,
//! so that this is not much less, and the best are exactly those that looking at every document finds.

mod pairs;
mod whole_title;

pub use pairs::PairExplanation;

use page::DocId;

use crate::Error;
use crate::bonus::pairs::Pairs;
use crate::bonus::whole_title::WholeTitle;
use crate::lists::Lists;
use crate::points::Points;
use crate::query::Query;

/// What the words of a query add by how they stand.
pub(crate) struct Bonus<'s> {
    lists: &'s Lists<'s>,
    pairs: Option<Pairs<'s>>,
    title: Option<WholeTitle<'s>>,
}

/// How much less words and ranks may be worth than what is needed in all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lowering {
    /// The most that pairs add, as a share of what words do.
    pairs: f64,
    /// What a title adds, and what its words are worth at least.
    title: Option<(Points, Points)>,
}

impl Lowering {
    /// The points that words and ranks need, where `least` is needed of all: with less, nothing that is added is enough.
    #[inline]
    pub(crate) fn lowered(self, least: Points) -> Points {
        match self.title {
            // Either it is no title, or it is worth what the words of a title are.
            Some((bonus, of_words)) => {
                self.without_pairs(least).min(of_words.max(self.without_pairs(bonus.missing_to(least))))
            }
            None => self.without_pairs(least),
        }
    }

    #[inline]
    fn without_pairs(self, least: Points) -> Points {
        if self.pairs == 0.0 { least } else { Points((f64::from(least.0) / (1.0 + self.pairs)) as u32) }
    }
}

impl<'s> Bonus<'s> {
    pub(crate) fn new(lists: &'s Lists<'s>, query: &Query) -> Result<Self, Error> {
        Ok(Self { lists, pairs: Pairs::new(lists, query)?, title: WholeTitle::new(lists, query)? })
    }

    pub(crate) fn lowering(&self) -> Lowering {
        Lowering {
            pairs: self.pairs.as_ref().map_or(0.0, Pairs::share),
            title: self.title.as_ref().map(|title| (title.bonus, title.least)),
        }
    }

    /// What is added to a document that has so many points without. Where that cannot make up what is missing to `least`, it
    /// may be less than it would be.
    pub(crate) fn points(&self, doc: DocId, points: Points, least: Points) -> Result<Points, Error> {
        let may_be_title = |title: &&WholeTitle<'s>| title.may_be_title_of(self.lists, doc, points);
        let title = self.title.as_ref().filter(may_be_title);
        let of_title = title.map_or(Points::ZERO, |title| title.bonus);
        let missing = (points + of_title).missing_to(least);
        let of_pairs = self.pairs.as_ref().map_or(Ok(Points::ZERO), |pairs| pairs.points(doc, missing))?;
        // Few come so far that their titles are looked at.
        let is_title = |title: &WholeTitle<'s>| of_pairs >= missing && title.is_title_of(self.lists, doc);
        Ok(if title.is_some_and(is_title) { of_pairs + of_title } else { of_pairs })
    }

    /// The pairs that add anything to a document.
    pub(crate) fn explain_pairs(&self, doc: DocId) -> Result<Vec<PairExplanation>, Error> {
        self.pairs.as_ref().map_or(Ok(Vec::new()), |pairs| pairs.explain(doc))
    }

    /// What the title of a document adds.
    pub(crate) fn of_title(&self, doc: DocId) -> Option<f64> {
        let is_title = |title: &&WholeTitle<'s>| {
            title.may_be_title_of(self.lists, doc, Points::MAX) && title.is_title_of(self.lists, doc)
        };
        self.title.as_ref().filter(is_title).map(|title| title.bonus.score())
    }
}
