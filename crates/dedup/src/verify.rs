//! Is a candidate a copy? First by the sketches, which cost 200 bytes, then by the sets, which cost two documents.
//!
//! Sketches refuse a pair when so few slots agree that a pair at the threshold would show so few once in a million
//! times. The number is the exact quantile of the binomial distribution: the usual "four standard deviations" miss
//! one in a thousand at high thresholds, where the distribution is skewed.

use crate::deduplicator::{Checks, DedupConfig, Verification};
use crate::features::{agreements, similarity_of_agreements};
use crate::minhash::Scheme;
use crate::set_cache::{SetCache, SetReader};
use crate::{Documents, Unreadable, jaccard};

/// How often the sketches of a pair at the threshold may refuse it.
const REFUSED_IN_ERROR: f64 = 1e-6;

/// What makes a copy.
#[derive(Debug, Clone)]
pub(crate) struct Criterion {
    pub threshold: f64,
    pub verification: Verification,
    slots: usize,
    /// Fewer agreements refuse a pair.
    agreements_min: u32,
    /// The part of the variance that more slots do not lower, times the size of the union.
    floor: f64,
}

impl Criterion {
    /// That of a configuration.
    pub fn new(config: &DedupConfig) -> Self {
        // The masks of the MinHash report are no random permutations: the error of 200 of them has a floor of
        // 0.525 J(1 - J) / n for sets of n elements. One permutation has a smaller one.
        let floor = match config.scheme {
            Scheme::Seed | Scheme::OnePermutation => 0.525,
            Scheme::MultiplyAdd | Scheme::FastSimilarity => 0.0,
        };
        Self {
            threshold: config.threshold,
            verification: config.verification,
            slots: config.slots,
            agreements_min: binomial_quantile(config.slots, config.threshold, REFUSED_IN_ERROR),
            floor,
        }
    }

    /// The agreements below which a pair is refused, when the smaller document has so many shingles.
    pub fn agreements_min(&self, shingles: u32) -> u32 {
        if self.floor == 0.0 {
            return self.agreements_min;
        }
        let mean = self.threshold * self.slots as f64;
        let wider = (1.0 + self.floor * self.slots as f64 / f64::from(shingles.max(1))).sqrt();
        (mean - (mean - f64::from(self.agreements_min)) * wider).max(0.0) as u32
    }
}

/// The most successes m such that fewer than m of `trials` happen with at most this probability.
fn binomial_quantile(trials: usize, success: f64, probability: f64) -> u32 {
    if success <= 0.0 || success >= 1.0 {
        return if success <= 0.0 { 0 } else { trials as u32 };
    }
    let (mut below, mut log_choose) = (0.0, 0.0f64);
    for successes in 0..trials {
        let (yes, no) = (successes as f64, (trials - successes) as f64);
        below += (log_choose + yes * success.ln() + no * (1.0 - success).ln()).exp();
        if below > probability {
            return successes as u32;
        }
        log_choose += (no / (yes + 1.0)).ln();
    }
    trials as u32
}

/// A document as its sketch shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sketch<'a> {
    pub document: u32,
    pub shingles: u32,
    pub slots: &'a [u8],
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// The sketches refused it.
    Unlike,
    /// The sets refused it.
    Different,
    /// It is a copy, of this similarity.
    Copy(f64),
}

/// Tells copies from candidates, for one thread.
pub(crate) struct Verifier<'a> {
    pub criterion: &'a Criterion,
    pub checks: Checks,
    sets: SetReader<'a>,
}

impl<'a> Verifier<'a> {
    /// With the sets of all threads.
    pub fn new(
        criterion: &'a Criterion,
        config: &DedupConfig,
        documents: &'a dyn Documents,
        cache: &'a SetCache,
    ) -> Self {
        let sets = SetReader::new(cache, documents, config.shingling, config.text);
        Self { criterion, checks: Checks::default(), sets }
    }

    /// The documents that could not be read since the last call, some of them more than once.
    pub fn take_unreadable(&mut self) -> Vec<(u32, Unreadable)> {
        self.sets.take_unreadable()
    }

    /// Only by the sketches: may this be a copy?
    pub fn may_be_copy(&mut self, left: Sketch<'_>, right: Sketch<'_>) -> Option<u32> {
        self.checks.candidates += 1;
        let agreements = agreements(left.slots, right.slots);
        (agreements >= self.criterion.agreements_min(left.shingles.min(right.shingles))).then_some(agreements)
    }

    /// By everything that is asked for.
    pub fn judge(&mut self, left: Sketch<'_>, right: Sketch<'_>) -> Verdict {
        match self.may_be_copy(left, right) {
            Some(agreements) => self.judge_likely(agreements, left.document, right.document),
            None => Verdict::Unlike,
        }
    }

    /// By everything that is asked for, after the sketches let a pair pass with so many agreements.
    pub fn judge_likely(&mut self, agreements: u32, left: u32, right: u32) -> Verdict {
        match self.criterion.verification {
            Verification::Exact => self.judge_sets(left, right),
            Verification::Estimate => {
                self.judge_estimate(similarity_of_agreements(agreements, self.criterion.slots))
            }
        }
    }

    /// By a similarity that sketches tell.
    pub fn judge_estimate(&mut self, similarity: f64) -> Verdict {
        if similarity < self.criterion.threshold {
            return Verdict::Unlike;
        }
        self.checks.copies += 1;
        Verdict::Copy(similarity)
    }

    /// By the sets alone.
    pub fn judge_sets(&mut self, left: u32, right: u32) -> Verdict {
        self.checks.verified += 1;
        let (left, right) = (self.sets.get(left), self.sets.get(right));
        let (small, large) = (left.len().min(right.len()), left.len().max(right.len()));
        // No pair is more similar than its sizes, and rounding keeps the order.
        if (small as f64 / large as f64) < self.criterion.threshold {
            return Verdict::Different;
        }
        let similarity = jaccard(&left, &right);
        if similarity < self.criterion.threshold {
            return Verdict::Different;
        }
        self.checks.copies += 1;
        Verdict::Copy(similarity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_at_the_threshold_is_refused_once_in_a_million_times() {
        // Computed with exact fractions.
        #[rustfmt::skip]
        let table = [
            (200, 0.0,    0),
            (200, 1.0,  200),
            (  1, 0.5,    0),
            (200, 0.1,    3),
            (200, 0.5,   67),
            (200, 0.8,  131),
            (200, 0.98, 184),
            (128, 0.9,   97),
            ( 64, 0.3,    4),
            ( 20, 0.999, 17),
        ];
        for (slots, threshold, expected) in table {
            assert_eq!(
                binomial_quantile(slots, threshold, REFUSED_IN_ERROR),
                expected,
                "{slots} at {threshold}"
            );
        }
    }
}
