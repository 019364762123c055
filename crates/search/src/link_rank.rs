//! What the web thinks of a document, beside what its words say: the exogenous part of a score.
//!
//! ```text
//! score = BM25 + weight · r / (r + 1)     r: the document's rank, in multiples of the average document's
//! ```
//!
//! Ranks of pages follow a power law, so they are not added as they are: from the average on, ten times the rank matters
//! less and less, and nothing can gain more than `weight`. An average page gets half of it. The form is the one that
//! Craswell, Robertson, Zaragoza, Taylor, "Relevance weighting for query independent evidence" (SIGIR 2005) found to do
//! as well as any for PageRank; its half-way point is the average rank here, so that it means the same in any collection.
//! (Notes, section 6.2, for the distinction; they do not say how to combine the two.)
//!
//! Of two documents with the same words the one with the better rank wins, and only equal ranks leave the choice to their
//! numbers. Ranks come as plain numbers: this crate does not know how they were computed. With a weight of zero nothing is
//! looked up, and every score and every order is as if there were no ranks.
//!
//! Cost: four bytes per document; one look-up per match.

use std::sync::Arc;

use page::DocId;

use crate::points::Points;

/// A rank for each document of an index, and how much it counts.
#[derive(Debug, Clone)]
pub struct LinkRanks {
    ranks: Arc<[f32]>,
    weight: f64,
    /// What no document of each [`STRETCH`] exceeds.
    bounds: Arc<[Points]>,
}

/// So many documents share a bound.
const STRETCH: usize = 256;

impl Default for LinkRanks {
    fn default() -> Self {
        Self { ranks: Arc::new([]), weight: 0.0, bounds: Arc::new([]) }
    }
}

impl LinkRanks {
    /// Ranks by document number, in multiples of the average. What is not above zero counts as zero, and so does a
    /// document that has none. The weight is not negative.
    pub fn new(ranks: Arc<[f32]>, weight: f64) -> Self {
        debug_assert!(weight >= 0.0 && weight.is_finite(), "a weight is finite and not negative");
        let mut of_ranks = Self { ranks, weight, bounds: Arc::new([]) };
        if of_ranks.count() {
            let bound = |ranks: &[f32]| of_ranks.points_of(ranks.iter().copied().fold(0.0, f32::max));
            of_ranks.bounds = of_ranks.ranks.chunks(STRETCH).map(bound).collect();
        }
        of_ranks
    }

    /// The same ranks, which count more or less.
    pub(crate) fn with_weight(self, weight: f64) -> Self {
        if weight == self.weight { self } else { Self::new(self.ranks, weight) }
    }

    /// Whether they change anything.
    pub(crate) fn count(&self) -> bool {
        self.weight > 0.0 && !self.ranks.is_empty()
    }

    /// What the rank adds to the score of a document.
    #[inline]
    pub(crate) fn points(&self, doc: DocId) -> Points {
        match self.ranks.get(doc.index()) {
            Some(&rank) if self.weight > 0.0 => self.points_of(rank),
            _ => Points::ZERO,
        }
    }

    #[inline]
    fn points_of(&self, rank: f32) -> Points {
        Points::of(self.weight as f32 * saturated(rank))
    }

    /// What it adds to no document from `first` to `last`.
    #[inline]
    pub(crate) fn bound(&self, first: DocId, last: DocId) -> Points {
        if self.bounds.is_empty() {
            return Points::ZERO;
        }
        let end = (last.index() / STRETCH + 1).min(self.bounds.len());
        let bounds = self.bounds.get(first.index() / STRETCH..end).unwrap_or_default();
        bounds.iter().copied().max().unwrap_or_default()
    }

    /// The rank of a document; 0 if it has none.
    pub fn rank(&self, doc: DocId) -> f64 {
        self.ranks.get(doc.index()).map_or(0.0, |rank| f64::from(rank.max(0.0)))
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

/// From 0 to 1; the average rank is half-way.
#[inline]
fn saturated(rank: f32) -> f32 {
    if rank.is_finite() {
        rank.max(0.0) / (rank.max(0.0) + 1.0)
    } else if rank > 0.0 {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_adds_more_the_higher_it_is_and_never_more_than_its_weight() {
        let rows = [
            (f32::NEG_INFINITY, 0.0),
            (-1.0, 0.0),
            (f32::NAN, 0.0),
            (0.0, 0.0),
            (1.0, 1.5),
            (3.0, 2.25),
            (9.0, 2.7),
            (f32::INFINITY, 3.0),
        ];
        let ranks = LinkRanks::new(rows.iter().map(|row| row.0).collect(), 3.0);
        for ((rank, expected), doc) in rows.iter().zip((0..).map(DocId::new)) {
            let score = ranks.points(doc).score();
            assert!((score - expected).abs() < 1e-5, "{rank}: {score}");
        }
        assert_eq!(ranks.points(DocId::new(99)), Points::ZERO, "who has no rank gets nothing");
        assert_eq!(LinkRanks::default().points(DocId::new(0)), Points::ZERO);
    }
}
