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

/// A rank for each document of an index, and how much it counts.
#[derive(Debug, Clone)]
pub struct LinkRanks {
    ranks: Arc<[f32]>,
    weight: f64,
}

/// How much the rank counts if nothing else is said. On the lab's default web, whoever looks for a host by a name that
/// many of its pages have finds its home page with a mean reciprocal rank of 0.12 without ranks, 0.70 with a weight of 1,
/// 0.84 with 2, 0.92 with 3; more than that buys nothing. Two is careful: a rank should not outweigh a rare word.
pub const RANK_WEIGHT: f64 = 2.0;

impl Default for LinkRanks {
    fn default() -> Self {
        Self { ranks: Arc::new([]), weight: 0.0 }
    }
}

impl LinkRanks {
    /// Ranks by document number, in multiples of the average. What is not above zero counts as zero, and so does a
    /// document that has none. The weight is not negative.
    pub fn new(ranks: Arc<[f32]>, weight: f64) -> Self {
        debug_assert!(weight >= 0.0 && weight.is_finite(), "a weight is finite and not negative");
        Self { ranks, weight }
    }

    /// Whether they change anything.
    pub(crate) fn count(&self) -> bool {
        self.weight > 0.0 && !self.ranks.is_empty()
    }

    /// What the rank adds to the score of a document.
    pub(crate) fn score(&self, doc: DocId) -> f64 {
        if self.count() { self.weight * saturated(self.rank(doc)) } else { 0.0 }
    }

    /// The rank of a document.
    pub(crate) fn rank(&self, doc: DocId) -> f64 {
        self.ranks.get(doc.index()).map_or(0.0, |rank| f64::from(rank.max(0.0)))
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

/// From 0 to 1; the average rank is half-way.
fn saturated(rank: f64) -> f64 {
    if rank.is_finite() { rank / (rank + 1.0) } else { 1.0 }
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
            assert!((ranks.score(doc) - expected).abs() < 1e-12, "{rank}: {}", ranks.score(doc));
        }
        assert_eq!(ranks.score(DocId::new(99)), 0.0, "who has no rank gets nothing");
        assert_eq!(LinkRanks::default().score(DocId::new(0)), 0.0);
    }
}
