//! BM25: how much a word says about a document.
//!
//! ```text
//! idf   = ln(1 + (N − df + ½) / (df + ½))            rare words say more; never negative
//! norm  = k1 · (1 − b + b · length / average length)  long documents repeat words anyway
//! score = idf · tf · (k1 + 1) / (tf + norm)           the tenth occurrence says less than the first
//! ```
//!
//! The notes (section 6.1) take ln((N − df + ½) / (df + ½)), which is negative for words in more than half of the
//! documents: a page would lose by containing a word that was asked for. The 1 inside the logarithm is Lucene's.
//!
//! What stands beside the main text, in menus, headers and footers, is on every page of a site: there a word counts
//! `rest_weight` times, and so does it in the length.
//!
//! A word that occurs in the title multiplies its score by `1 + title_boost`: a title says what a page is about.

use index::{FIELD_COUNT, Field, FieldCounts, Index, decode_length};
use page::DocId;

/// The free parameters of the ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Parameters {
    /// How much repetition counts: 0 not at all; the score of a word never exceeds `k1 + 1` times its idf.
    pub k1: f64,
    /// How much long documents are held back: from 0, not at all, to 1, in proportion to their length.
    pub b: f64,
    /// How much more a word counts that is in the title: 0 nothing, 1 twice as much.
    pub title_boost: f64,
    /// What a word beside the main text counts: from 0, nothing, to 1, as much as in it.
    pub rest_weight: f64,
}

/// The customary values. The boost was the best of 0, .1, .2, .3, .5, .75 and 1 on Cranfield, CISI, CACM and ADI: mean
/// nDCG@10 from .385 without it to .399. The weight of what stands beside the main text was not measured: the collections
/// that people have judged have no menus.
impl Default for Bm25Parameters {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75, title_boost: 0.5, rest_weight: 0.25 }
    }
}

/// How telling a word is that occurs in `document_frequency` of `documents` documents.
pub fn idf(documents: u64, document_frequency: u64) -> f64 {
    let (documents, document_frequency) = (documents as f64, document_frequency as f64);
    (1.0 + (documents - document_frequency + 0.5) / (document_frequency + 0.5)).ln()
}

impl Bm25Parameters {
    /// The `norm` of the formula for a document of this length.
    pub fn length_norm(&self, length: f64, average_length: f64) -> f64 {
        let relative = if average_length > 0.0 { length / average_length } else { 1.0 };
        self.k1 * (1.0 - self.b + self.b * relative)
    }

    /// The score of a word that occurs `frequency` times.
    pub fn score(&self, idf: f64, frequency: f64, norm: f64, in_title: bool) -> f64 {
        if frequency <= 0.0 {
            return 0.0;
        }
        idf * frequency * (self.k1 + 1.0) / (frequency + norm) * self.title_factor(in_title)
    }

    /// What counts or lengths of fields come to, those beside the main text with their weight.
    pub fn weigh(&self, fields: &[f64; FIELD_COUNT]) -> f64 {
        let rest = fields[Field::Rest.index()];
        fields.iter().sum::<f64>() - (1.0 - self.rest_weight) * rest
    }

    /// How often a word with these counts occurs, as far as it counts.
    pub fn frequency(&self, counts: &FieldCounts) -> f64 {
        self.weigh(&counts.0.map(f64::from))
    }

    /// By what the score of a word is multiplied.
    pub fn title_factor(&self, in_title: bool) -> f64 {
        if in_title { 1.0 + self.title_boost } else { 1.0 }
    }
}

/// All that does not change from document to document when a word is scored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermWeight<'i> {
    pub(crate) index: &'i Index,
    pub(crate) parameters: Bm25Parameters,
    pub(crate) average_length: f64,
    pub(crate) idf: f64,
    /// How often it was asked for.
    pub(crate) times: u32,
}

impl TermWeight<'_> {
    /// The most that any document can get.
    pub(crate) fn ceiling(&self) -> f64 {
        let once = self.idf * (self.parameters.k1 + 1.0) * self.parameters.title_factor(true).max(1.0);
        f64::from(self.times) * once
    }

    /// How many words a document has, as far as they count.
    pub(crate) fn length(&self, doc: DocId) -> f64 {
        self.parameters.weigh(&self.index.length_codes(doc).map(|code| f64::from(decode_length(code))))
    }

    pub(crate) fn score(&self, doc: DocId, frequency: f64, in_title: bool) -> f64 {
        let norm = self.parameters.length_norm(self.length(doc), self.average_length);
        f64::from(self.times) * self.parameters.score(self.idf, frequency, norm, in_title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_computed_by_hand() {
        let parameters = Bm25Parameters { k1: 1.2, b: 0.75, title_boost: 0.5, rest_weight: 0.25 };
        // documents, df, tf, length, average length, in title, score
        let rows = [
            // ln(1 + 2.5/1.5) = 0.980829; norm 1.2; 2.2/2.2
            (3, 1, 1, 10, 10.0, false, 0.980_829_253),
            // tf 3: 6.6/4.2 = 1.571429
            (3, 1, 3, 10, 10.0, false, 1.541_303_112),
            // length 20 of 10: norm 1.2·1.75 = 2.1; 2.2/3.1 = 0.709677
            (3, 1, 1, 20, 10.0, false, 0.696_072_373),
            // in the title: 1.5 times the first row
            (3, 1, 1, 10, 10.0, true, 1.471_243_880),
            // in all documents: ln(1 + 0.5/3.5) = 0.133531, still positive
            (3, 3, 1, 10, 10.0, false, 0.133_531_393),
            // does not occur
            (3, 1, 0, 10, 10.0, false, 0.0),
        ];
        for (documents, df, tf, length, average, in_title, expected) in rows {
            let norm = parameters.length_norm(f64::from(length), average);
            let score = parameters.score(idf(documents, df), f64::from(tf), norm, in_title);
            assert!(
                (score - expected).abs() < 1e-8,
                "df {df} tf {tf} length {length}: {score} instead of {expected}"
            );
        }
    }

    #[test]
    fn repetition_never_exceeds_its_bound() {
        let parameters = Bm25Parameters::default();
        assert!(parameters.score(1.0, 1e9, 1.2, false) <= parameters.k1 + 1.0);
    }
}
