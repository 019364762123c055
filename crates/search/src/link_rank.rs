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
//! What else is known of documents whatever was asked is added in the same way ([`Signal`]).
//!
//! Cost: eight bytes per document, and four for each signal; one look-up per match.

use std::sync::Arc;

use page::DocId;

use crate::points::Points;
use crate::signal::Signal;
use crate::weights::Weights;

/// A rank for each document of an index, what else is known of it whatever is asked, and how much each counts.
#[derive(Debug, Clone, Default)]
pub struct LinkRanks {
    ranks: Arc<[f32]>,
    weight: f64,
    signals: Vec<Known>,
    /// What all of it adds to each document.
    points: Arc<[Points]>,
    /// What no document of each [`STRETCH`] exceeds.
    bounds: Arc<[Points]>,
}

/// A number for each document, and how much it counts.
#[derive(Debug, Clone)]
struct Known {
    signal: Signal,
    numbers: Arc<[f32]>,
    weight: f64,
}

impl Known {
    fn points(&self, doc: DocId) -> Points {
        let number = self.numbers.get(doc.index()).copied().unwrap_or(f32::NAN);
        Points::of(self.weight as f32 * self.signal.share(number))
    }
}

/// So many documents share a bound.
const STRETCH: usize = 256;

impl LinkRanks {
    /// Ranks by document number, in multiples of the average. What is not above zero counts as zero, and so does a
    /// document that has none. The weight is not negative.
    pub fn new(ranks: Arc<[f32]>, weight: f64) -> Self {
        debug_assert!(weight >= 0.0 && weight.is_finite(), "a weight is finite and not negative");
        Self { ranks, weight, ..Self::default() }.added_up()
    }

    /// The same ranks, with a number of each document beside them. It counts by the weights that are given last.
    #[must_use]
    pub fn with_signal(mut self, signal: Signal, numbers: Arc<[f32]>) -> Self {
        self.signals.push(Known { signal, numbers, weight: 0.0 });
        self
    }

    /// The same, which count more or less.
    #[must_use]
    pub fn with_weights(mut self, weights: &Weights) -> Self {
        self.weight = weights.page_rank;
        self.signals.iter_mut().for_each(|known| known.weight = known.signal.weight(weights));
        self.added_up()
    }

    fn added_up(mut self) -> Self {
        let counting: Vec<&Known> = self.signals.iter().filter(|known| known.weight > 0.0).collect();
        let ranked = if self.weight > 0.0 { self.ranks.len() } else { 0 };
        let documents = counting.iter().map(|known| known.numbers.len()).chain([ranked]).max().unwrap_or(0);
        let points = |doc: DocId| {
            self.rank_points(doc) + counting.iter().map(|known| known.points(doc)).sum::<Points>()
        };
        self.points = (0..documents as u32).map(DocId::new).map(points).collect();
        let most = |points: &[Points]| points.iter().copied().max().unwrap_or_default();
        self.bounds = self.points.chunks(STRETCH).map(most).collect();
        self
    }

    /// Whether PageRank changes anything.
    pub(crate) fn count(&self) -> bool {
        self.weight > 0.0 && !self.ranks.is_empty()
    }

    /// Whether anything is added to any document.
    pub(crate) fn add_anything(&self) -> bool {
        !self.points.is_empty()
    }

    /// What all of it adds to the score of a document.
    #[inline]
    pub(crate) fn points(&self, doc: DocId) -> Points {
        self.points.get(doc.index()).copied().unwrap_or_default()
    }

    /// What its PageRank alone adds.
    pub(crate) fn rank_points(&self, doc: DocId) -> Points {
        let rank = self.ranks.get(doc.index()).copied().unwrap_or_default();
        Points::of(self.weight as f32 * saturated(rank))
    }

    /// What else adds anything to a document: the signal, its number, its weight, and what it adds.
    pub(crate) fn signals(&self, doc: DocId) -> impl Iterator<Item = (Signal, f32, f64, Points)> {
        let counting = self.signals.iter().filter(|known| known.weight > 0.0);
        counting.map(move |known| {
            let number = known.numbers.get(doc.index()).copied().unwrap_or(f32::NAN);
            (known.signal, number, known.weight, known.points(doc))
        })
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
