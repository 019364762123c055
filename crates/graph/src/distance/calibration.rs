//! What estimates are off by, measured on a few nodes whose distances are known exactly.
//!
//! Most balls of a web graph are almost the same set: the nodes that reach the core. So the errors of their counters
//! are the same error, which no averaging over nodes removes and averaging over runs removes slowly (as the root of their
//! number). But one batch of exact searches, backwards from some random nodes, shows it. We divide it out: an estimate is
//! multiplied by the mean ratio of truth to estimate of the measured nodes whose estimates are nearest to it. Small balls,
//! whose counters are nearly exact, have neighbours that say so.
//!
//! The measured nodes also tell what is left: each is corrected by its neighbours without itself, and the difference from
//! its truth is an honest error.
//!
//! On cnr-2000 with 5 runs of 64 registers and seeds 0, 1, 2 the root mean square error of harmonic centrality is 4.4, 2.4 and
//! 1.0 % without calibration and 1.7, 1.5 and 1.0 % with 128 nodes.
//!
//! This is the ratio estimator of survey sampling (Cochran, "Sampling techniques", chapter 6), taken locally.

/// How many measured nodes on both sides together say what the correction is.
const NEIGHBOURS: usize = 16;

/// Corrections for one kind of number, by its estimate.
pub(crate) struct Calibration {
    /// Estimate and truth of the measured nodes, by estimate.
    known: Vec<(f64, f64)>,
}

impl Calibration {
    /// Learns from nodes whose estimate and truth are known.
    pub fn new(known: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut known: Vec<(f64, f64)> = known.filter(|(estimate, _)| *estimate > 0.0).collect();
        known.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Self { known }
    }

    /// What an estimate becomes.
    pub fn correct(&self, estimate: f64) -> f64 {
        let place = self.known.partition_point(|(known, _)| *known < estimate);
        estimate * self.factor(place, None)
    }

    /// The root mean square of what is left after correction, as a part of the truth. Absent if too little is known.
    pub fn error(&self) -> Option<f64> {
        let errors = self.known.iter().enumerate().filter(|(_, (_, truth))| *truth > 0.0).map(
            |(place, (estimate, truth))| (estimate * self.factor(place, Some(place)) / truth - 1.0).powi(2),
        );
        let (sum, count) = errors.fold((0.0, 0), |(sum, count), error| (sum + error, count + 1));
        (count >= NEIGHBOURS).then(|| (sum / f64::from(count as u32)).sqrt())
    }

    /// True by estimated sum around a place, without one node.
    fn factor(&self, place: usize, without: Option<usize>) -> f64 {
        let from = place.saturating_sub(NEIGHBOURS / 2).min(self.known.len().saturating_sub(NEIGHBOURS));
        let upto = (from + NEIGHBOURS).min(self.known.len());
        // Each node weighs the same, whatever its size: the mean of ratios, not the ratio of means.
        let near = (from..upto).filter(|near| Some(*near) != without).map(|near| self.known[near]);
        let (sum, count) =
            near.fold((0.0, 0.0), |(sum, count), (estimate, truth)| (sum + truth / estimate, count + 1.0));
        if count > 0.0 { sum / count } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_error_of_large_numbers_is_divided_out_and_small_numbers_stay() {
        let off = |truth: f64| if truth > 100.0 { truth * 0.9 } else { truth };
        let truths = || (0..200).map(|power| 1.1f64.powi(power));
        let calibration = Calibration::new(truths().step_by(3).map(|truth| (off(truth), truth)));
        for truth in [1.2, 7.0, 1000.0, 1e8] {
            assert!((calibration.correct(off(truth)) / truth - 1.0).abs() < 1e-9, "{truth}");
        }
        assert!(calibration.error().unwrap() < 0.03);
    }

    #[test]
    fn without_knowledge_nothing_is_corrected() {
        let calibration = Calibration::new(std::iter::empty());
        assert_eq!((calibration.correct(5.0), calibration.error()), (5.0, None));
        // Nodes that nobody reaches are estimated and known to be zero.
        assert_eq!(Calibration::new([(0.0, 0.0)].into_iter()).correct(0.0), 0.0);
    }
}
