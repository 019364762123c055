//! BM25F: how much a word says about a document.
//!
//! ```text
//! idf    = 5 · (ln(1 + (N − df + ½) / (df + ½)) / 5) ^ rarity     rare words say more; never negative
//! score  = idf · (k1 + 1) · impact                                impact: how much of the document the word is, from 0 to 1
//! ```
//!
//! The impact ([`index::ImpactModel`]) adds up what the word counts in each field of the document, before repetition counts
//! less and less. It is what the index keeps maxima of, so that a search knows what it need not look at.
//!
//! The notes (section 6.1) take ln((N − df + ½) / (df + ½)), which is negative for words in more than half of the
//! documents: a page would lose by containing a word that was asked for. The 1 inside the logarithm is Lucene's. The exponent
//! is between the one factor of idf that BM25 has and the two of the vector model, where question and document have one
//! each: whoever asks in sentences has many words that say little, and no list of stop words is needed in any language.

use index::{Bound, ImpactModel, ImpactTable, Index, PostingsCursor};

use crate::limits::QUERY_TERMS_MAX;
use crate::points::{PER_ONE, Points, SCORE_MAX};
use crate::weights::Weights;

/// A logarithm that stays as it is: then scores are as large as without, and what links add means the same.
const IDF_KEPT: f64 = 5.0;

/// By which parameters documents are scored.
#[derive(Debug)]
pub(crate) struct Scoring {
    pub(crate) model: ImpactModel,
    pub(crate) table: ImpactTable,
    /// The maxima of the index are by these parameters.
    knows_bounds: bool,
    pub(crate) weights: Weights,
}

impl Scoring {
    pub(crate) fn new(index: &Index, weights: Weights) -> Self {
        let model = weights.impacts(index.impact_model().averages);
        Self { model, table: model.table(), knows_bounds: model == index.impact_model(), weights }
    }

    /// How telling a word is that occurs in `document_frequency` of `documents` documents.
    pub(crate) fn idf(&self, documents: u64, document_frequency: u64) -> f64 {
        idf(documents, document_frequency, self.weights.rarity)
    }

    #[inline]
    pub(crate) fn knows_bounds(&self) -> bool {
        self.knows_bounds
    }

    /// What no impact exceeds, where the index says this about its own.
    #[inline]
    pub(crate) fn bound(&self, bound: &Bound) -> f32 {
        self.bound_of(bound.impact)
    }

    #[inline]
    fn bound_of(&self, impact: f32) -> f32 {
        // Where there is no document at all there is no impact by any parameters.
        if self.knows_bounds || impact == 0.0 { impact } else { 1.0 }
    }

    /// Raises what windows are worth to what a list adds at most there, which is something wherever it has a document.
    pub(crate) fn raise_windows(
        &self,
        cursor: &PostingsCursor<'_>,
        weight: &Weight,
        shift: u32,
        windows: &mut [u32],
    ) {
        cursor.raise_windows(shift, windows, &self.table, |impact| {
            weight.points(self.bound_of(impact)).0.max(1)
        });
    }

    /// The weight of a word or phrase of this idf, typed so many times.
    pub(crate) fn weight(&self, idf: f64, times: u32) -> Weight {
        let most = SCORE_MAX / QUERY_TERMS_MAX as f64;
        let factor = (idf * f64::from(times) * (f64::from(self.model.k1) + 1.0)).min(most);
        Weight { factor: factor as f32 * PER_ONE, idf }
    }
}

fn idf(documents: u64, document_frequency: u64, rarity: f64) -> f64 {
    let (documents, document_frequency) = (documents as f64, document_frequency as f64);
    let ln = (1.0 + (documents - document_frequency + 0.5) / (document_frequency + 0.5)).ln();
    IDF_KEPT * (ln / IDF_KEPT).powf(rarity)
}

/// What makes of an impact a part of a score.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight {
    /// The points of an impact of 1.
    factor: f32,
    pub(crate) idf: f64,
}

impl Weight {
    /// A part of it.
    pub(crate) fn share(self, share: f64) -> Self {
        Self { factor: self.factor * share as f32, ..self }
    }

    /// Greater impacts never get less, so that of a bound is a bound.
    #[inline]
    pub(crate) fn points(&self, impact: f32) -> Points {
        Points::nearest(self.factor * impact)
    }

    /// An impact below this does not reach so many points.
    #[inline]
    pub(crate) fn impact_for(&self, points: Points) -> f32 {
        // A little less, as neither division nor rounding are exact.
        (points.0.saturating_sub(1) as f32 / self.factor.max(f32::MIN_POSITIVE)) * 0.999_99
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_say_more_and_none_says_less_than_nothing() {
        let rows = [(3, 1, 2.5 / 1.5, 1.4), (3, 3, 0.5 / 3.5, 1.4), (3, 1, 2.5 / 1.5, 1.0)];
        for (documents, df, ratio, rarity) in rows {
            let expected = 5.0 * (f64::ln(1.0 + ratio) / 5.0).powf(rarity);
            assert!((idf(documents, df, rarity) - expected).abs() < 1e-8);
        }
    }

    #[test]
    fn an_impact_that_reaches_points_is_never_below_what_they_need() {
        for (factor, impact) in
            (1..60).flat_map(|factor| (1..200).map(move |step| (factor, step as f32 / 200.0)))
        {
            let weight = Weight { factor: factor as f32 * 0.37 * PER_ONE, idf: 1.0 };
            let points = weight.points(impact);
            assert!(weight.impact_for(points) <= impact, "{factor} {impact}");
            assert!(weight.impact_for(Points(points.0 + 2_000)) > impact, "{factor} {impact}");
        }
    }
}
