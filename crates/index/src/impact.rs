//! Impact: what the maxima of blocks are maxima of.
//!
//! BM25F adds up how often a word occurs in each field, each field with its weight and held back by its length, and only
//! then lets repetition count less and less:
//!
//! ```text
//! w      = Σ weight(field) · count(field) / (1 − b + b · length(field) / average length(field))
//! impact = w / (k1 + w)                                       from 0 to 1; a score is idf · (k1 + 1) · impact
//! ```
//!
//! The index keeps the greatest impact of each block. A search that scores by these parameters knows from it what no document of
//! the block can exceed. It is kept as it is, not rounded up to a byte: of pages that are made alike many have the same
//! score, and a block whose best is as good as what was found is passed over, which a bound that is a little too great would
//! not allow. Averages move when documents are added: a segment keeps those with which its maxima
//! were made, and [`ImpactModel::bound`] corrects for the difference.

use serde::{Deserialize, Serialize};

use crate::field::{FIELD_COUNT, Field, FieldCounts};
use crate::lengths::decode_length;

/// The parameters of BM25F and the average lengths of fields.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpactModel {
    /// How much repetition counts.
    pub k1: f32,
    /// How much long fields are held back, from 0 to 1.
    pub b: [f32; FIELD_COUNT],
    /// How much a word of each field counts.
    pub weights: [f32; FIELD_COUNT],
    /// Words of each field in the mean of documents.
    pub averages: [f32; FIELD_COUNT],
}

/// `k1`, `b` and what a title counts are among the best of a grid on Cranfield, CISI, CACM, ADI and XQuAD in three
/// languages, where nDCG@10 and MAP are the same within 0.5 % for a `k1` from 1.5 to 2 and a title from 3.5 to 5. With a `k1` of
/// 2.5 German loses. Those collections have no links: what words of links count was measured on 40 sites
/// of manuals. Their name brought the front page first for 26 of 39 without words of links, for 38 with 3 and a `k1` of 1.6,
/// for all with these; of 300 titles 277 bring their page among the first three, 271 with a `k1` of 1.6. Of 30
/// questions about the manuals of 94 packages that name them ("how do I create an index in postgresql") the right page is among
/// the first three for 23 where headings and addresses count 1, for 26 with these. What the rest counts was not measured.
impl Default for ImpactModel {
    fn default() -> Self {
        let weight = |field: Field| match field {
            Field::Title => 4.0,
            Field::Heading => 2.0,
            Field::Main => 1.0,
            // Menus, headers and footers are on every page of a site.
            Field::Rest => 0.25,
            // What others call a page is what it is looked for by; a page that has the words of a link in its text must not
            // come before the one that the link leads to.
            Field::Anchor => 8.0,
            // Whoever names a site in a question means its pages, not those of others that speak of it.
            Field::Address => 8.0,
        };
        // Most pages have few links to them or none, so that a page of many is far above the average, and not less about
        // what they say for that.
        let b = |field: Field| if field == Field::Anchor { 0.25 } else { 0.75 };
        Self { k1: 1.75, b: Field::ALL.map(b), weights: Field::ALL.map(weight), averages: [1.0; FIELD_COUNT] }
    }
}

/// No field is held back less than this: then no sum is too large for a number.
const SHORTEST: f32 = 1e-20;

/// What a word of each field counts, by the code of the field's length.
#[derive(Debug)]
pub struct ImpactTable {
    k1: f32,
    factors: Box<[[f32; 256]; FIELD_COUNT]>,
}

impl ImpactModel {
    /// The same parameters with other averages.
    #[must_use]
    pub fn with_averages(self, averages: [f32; FIELD_COUNT]) -> Self {
        Self { averages, ..self }
    }

    /// All that does not change from document to document, computed once.
    pub fn table(&self) -> ImpactTable {
        let mut factors = Box::new([[0.0; 256]; FIELD_COUNT]);
        for (field, factors) in factors.iter_mut().enumerate() {
            let (b, average) = (self.b[field], self.averages[field].max(f32::MIN_POSITIVE));
            for (code, factor) in (0..=u8::MAX).zip(factors) {
                let length = decode_length(code) as f32;
                *factor = self.weights[field] / (1.0 - b + b * length / average).max(SHORTEST);
            }
        }
        ImpactTable { k1: self.k1, factors }
    }

    /// What no impact by this model exceeds, where `maximum` is the greatest by `made_with`.
    ///
    /// None if the two differ in more than the averages: then nothing is known but that impacts are below 1.
    pub fn bound(&self, maximum: f32, made_with: &Self) -> f32 {
        Bounds::new(self, made_with).of(maximum)
    }

    /// How much greater impacts by this model are at most than by one that differs in the averages alone; `None` if it differs
    /// in more.
    fn stretch(&self, made_with: &Self) -> Option<f32> {
        if self.with_averages(made_with.averages) != *made_with {
            return None;
        }
        let ratio = |field: usize| self.averages[field] / made_with.averages[field].max(f32::MIN_POSITIVE);
        // Longer averages hold back less: at most by the ratio of the averages.
        Some((0..FIELD_COUNT).map(ratio).fold(1.0, f32::max))
    }
}

impl ImpactTable {
    /// The impact of a word with these counts in a document whose fields have lengths of these codes.
    #[inline]
    pub fn impact(&self, counts: &FieldCounts, length_codes: &[u8; FIELD_COUNT]) -> f32 {
        self.of_weight(self.weight(counts, |field| length_codes[field]))
    }

    /// What the word weighs there, before repetition counts less. Only lengths of fields that it is in are asked for.
    #[inline]
    pub(crate) fn weight(&self, counts: &FieldCounts, length_code: impl Fn(usize) -> u8) -> f32 {
        let fields = counts.0.iter().zip(self.factors.iter()).enumerate();
        fields
            .filter(|(_, (count, _))| **count > 0)
            .map(|(field, (count, factors))| *count as f32 * factors[usize::from(length_code(field))])
            .sum()
    }

    /// What an occurrence in a field weighs that has a length of this code.
    #[inline]
    pub(crate) fn factor(&self, field: usize, length_code: u8) -> f32 {
        self.factors[field][usize::from(length_code)]
    }

    /// The weight of a word that stands in the main text only, which has a length of this code.
    #[inline]
    pub(crate) fn weight_of_main_text(&self, count: u32, length_code: u8) -> f32 {
        count as f32 * self.factors[Field::Main.index()][usize::from(length_code)]
    }

    /// The impact of a weight.
    #[inline]
    pub(crate) fn of_weight(&self, weight: f32) -> f32 {
        weight / (self.k1 + weight)
    }

    /// A smaller weight does not have this impact. It is cheaper to compare weights: most are too small, and need not
    /// be divided.
    pub fn least_weight(&self, impact: f32) -> f32 {
        // A little less, as the divisions are not exact; and near 1 every large weight will do.
        let impact = impact.min(0.999);
        self.k1 * impact / (1.0 - impact) * 0.999_9
    }
}

/// What no impact exceeds, for each maximum of the index.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Where there is none nothing is known but that impacts are not above 1.
    stretch: Option<f32>,
}

impl Bounds {
    /// For impacts by `model` where the maxima are by `made_with`.
    pub(crate) fn new(model: &ImpactModel, made_with: &ImpactModel) -> Self {
        Self { stretch: model.stretch(made_with) }
    }

    #[inline]
    pub(crate) fn of(&self, maximum: f32) -> f32 {
        match self.stretch {
            Some(1.0) => maximum,
            Some(stretch) => {
                let bound = stretch * maximum / (1.0 + (stretch - 1.0) * maximum);
                // Rounding must not make it too small.
                (bound * 1.000_01).min(1.0)
            }
            None => 1.0,
        }
    }
}
