//! Is one run better than another, or is that luck?
//!
//! If it were luck, each question could as well have had its two values the other way round. So the signs of the differences
//! are thrown anew, again and again, and it is counted how often their sum is at least as far from zero as it was: that share
//! is `p` (Fisher's randomisation test, two-sided). It needs no assumption about how values are distributed, and of the
//! usual tests it is among the two that Smucker, Allan, Carterette, "A Comparison of Statistical Significance Tests for
//! Information Retrieval Evaluation" (CIKM 2007) recommend; the other, Student's t, agrees with it closely.
//!
//! Up to 16 questions that differ all signs are tried; with more, [`THROWS`] of them, always the same, so that a comparison
//! can be repeated.

use serde::Serialize;

use crate::{Measures, Scores};

/// How often signs are thrown: `p` is exact to about ±0.002 where it matters.
const THROWS: u32 = 50_000;

/// With so many questions that differ, all signs are tried.
const EXACT_MAX: usize = 16;

/// Two runs over the same questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// How they differ, by each measure.
    pub differences: Vec<Difference>,
}

/// How two runs differ by one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Which measure.
    pub measure: &'static str,
    /// The mean of the run that is compared with.
    pub baseline: f64,
    /// How much more the other has.
    pub difference: f64,
    /// For so many questions it is better.
    pub better: usize,
    /// For so many it is worse.
    pub worse: usize,
    /// How often luck makes a difference as large.
    pub p: f64,
}

impl Comparison {
    /// Compares a run with a baseline, over the same judgements.
    pub fn new(scores: &Scores, baseline: &Scores) -> Self {
        let named = Measures::default().named();
        let difference = |(place, (measure, _)): (usize, &(&'static str, f64))| {
            let values = |scores: &Scores| -> Vec<f64> {
                scores.queries.iter().map(|(_, measures)| measures.named()[place].1).collect()
            };
            Difference::new(measure, &values(scores), &values(baseline))
        };
        Self { differences: named.iter().enumerate().map(difference).collect() }
    }
}

impl Difference {
    fn new(measure: &'static str, values: &[f64], baseline: &[f64]) -> Self {
        let differences: Vec<f64> = values.iter().zip(baseline).map(|(value, base)| value - base).collect();
        let count = differences.len().max(1) as f64;
        Self {
            measure,
            baseline: baseline.iter().sum::<f64>() / count,
            difference: differences.iter().sum::<f64>() / count,
            better: differences.iter().filter(|difference| **difference > 0.0).count(),
            worse: differences.iter().filter(|difference| **difference < 0.0).count(),
            p: luck(&differences),
        }
    }
}

/// How often a sum of these differences with random signs is at least as far from zero as their own.
pub(crate) fn luck(differences: &[f64]) -> f64 {
    let differences: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    // Sums in another order differ by rounding.
    let observed = differences.iter().sum::<f64>().abs() * (1.0 - 1e-12) - 1e-12;
    let is_as_far = |signs: &mut dyn FnMut() -> bool| {
        let sum: f64 =
            differences.iter().map(|difference| if signs() { *difference } else { -difference }).sum();
        sum.abs() >= observed
    };
    if differences.len() <= EXACT_MAX {
        let all = 1u32 << differences.len();
        let with = |pattern: u32| {
            let mut bits = (0..).map(move |place| pattern >> place & 1 == 1);
            is_as_far(&mut || bits.next().expect("there is a bit for each difference"))
        };
        return (0..all).filter(|pattern| with(*pattern)).count() as f64 / f64::from(all);
    }
    let mut coins = Coins(0x9E37_79B9_7F4A_7C15);
    let as_far = (0..THROWS).filter(|_| is_as_far(&mut || coins.throw())).count();
    // What was observed is one of the throws.
    (as_far + 1) as f64 / f64::from(THROWS + 1)
}

/// Marsaglia's xorshift, one bit at a time: good enough for coins, and the same everywhere.
struct Coins(u64);

impl Coins {
    fn throw(&mut self) -> bool {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_likely_luck_is() {
        let rows: [(&[f64], f64); 5] = [
            (&[], 1.0),
            (&[0.0, 0.0], 1.0),
            (&[0.1], 1.0),
            // Only all heads and all tails.
            (&[0.1, 0.2, 0.3, 0.1], 2.0 / 16.0),
            (&[0.3, -0.1, -0.2], 1.0),
        ];
        for (differences, expected) in rows {
            assert!((luck(differences) - expected).abs() < 1e-9, "{differences:?}: {}", luck(differences));
        }
    }

    #[test]
    fn throws_agree_with_the_normal_approximation() {
        // 36 heads of 60 coins: (12 − 1) / √60 = 1.42 standard deviations, two-sided 0.155 with the correction.
        let differences: Vec<f64> = (0..60).map(|number| if number < 36 { 0.25 } else { -0.25 }).collect();
        assert!((luck(&differences) - 0.155).abs() < 0.01, "{}", luck(&differences));
    }
}
