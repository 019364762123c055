//! Banding: how many slots of a sketch must agree, all at once, to make two documents a candidate.
//!
//! A sketch is cut into `bands` bands of `rows` slots. Two documents of similarity s agree in a slot with probability s,
//! in a whole band with s^rows, and in at least one of them with 1 - (1 - s^rows)^bands. More rows mean fewer candidates
//! that are none, and more missed copies. We take as many rows as a wanted recall at the threshold allows; every pair
//! above the threshold is found with higher probability still.
//!
//! The usual optimum (as in datasketch) weighs misses against false candidates and misses half of the pairs at the
//! threshold. False candidates cost us a comparison of 200 bytes; a missed copy cannot be repaired.
//!
//! All this takes slots for independent. Those of [`Scheme::Seed`] and [`Scheme::OnePermutation`] are not: for one pair of
//! small sets they agree too often or too seldom all together. For these the threshold is lowered by two of the standard
//! errors that more slots would not cure, those of sets of [`SMALL_UNION`] shingles, before rows are chosen.
//!
//! After Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", section 3.4.

use crate::minhash::Scheme;
use crate::minhash::seed::xor_error_at;

/// The probability with which a pair exactly at the threshold becomes a candidate, at least.
pub const RECALL_AT_THRESHOLD: f64 = 0.9999;

/// The shingles of two short texts that are still worth being found.
const SMALL_UNION: usize = 50;

/// How a sketch is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Banding {
    /// The number of bands.
    pub bands: usize,
    /// The slots of each.
    pub rows: usize,
}

impl Banding {
    /// The most rows with which a pair at the threshold is found with [`RECALL_AT_THRESHOLD`]; one row if none does.
    pub fn for_threshold(slots: usize, threshold: f64) -> Self {
        (1..=slots)
            .rev()
            .map(|rows| Self { bands: slots / rows, rows })
            .find(|banding| banding.recall(threshold) >= RECALL_AT_THRESHOLD)
            .unwrap_or(Self { bands: slots, rows: 1 })
    }

    /// The same for the slots of a scheme, whether they are independent or not.
    pub fn for_scheme(scheme: Scheme, slots: usize, threshold: f64) -> Self {
        let lowered = match scheme {
            Scheme::MultiplyAdd | Scheme::FastSimilarity => threshold,
            Scheme::Seed | Scheme::OnePermutation => {
                // The error of endless slots.
                (threshold - 2.0 * xor_error_at(threshold, usize::MAX, SMALL_UNION)).max(0.0)
            }
        };
        Self::for_threshold(slots, lowered)
    }

    /// The probability that a pair of this similarity shares a band.
    pub fn recall(self, similarity: f64) -> f64 {
        1.0 - (1.0 - similarity.powi(self.rows as i32)).powi(self.bands as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_rows_as_the_recall_allows() {
        #[rustfmt::skip]
        let table = [
            // slots, threshold, bands, rows
            (200, 0.0, 200,   1),
            (200, 0.1, 200,   1),
            (200, 0.3, 100,   2),
            (200, 0.5, 100,   2),
            (200, 0.6,  66,   3),
            (200, 0.7,  50,   4),
            (200, 0.8,  33,   6),
            (200, 0.9,  22,   9),
            (200, 0.95, 14,  14),
            (200, 0.99,  7,  28),
            (200, 1.0,   1, 200),
            (128, 0.8,  25,   5),
            (  1, 0.8,   1,   1),
        ];
        for (slots, threshold, bands, rows) in table {
            assert_eq!(
                Banding::for_threshold(slots, threshold),
                Banding { bands, rows },
                "{slots} slots at {threshold}"
            );
        }
    }

    #[test]
    fn slots_that_are_not_independent_are_cut_with_more_care() {
        for threshold in (0..=100).map(|percent| f64::from(percent) / 100.0) {
            let plain = Banding::for_threshold(200, threshold);
            for scheme in Scheme::ALL {
                let banding = Banding::for_scheme(scheme, 200, threshold);
                match scheme {
                    Scheme::MultiplyAdd | Scheme::FastSimilarity => assert_eq!(banding, plain),
                    _ => assert!(
                        banding.rows <= plain.rows && banding.recall(threshold) >= plain.recall(threshold)
                    ),
                }
            }
        }
        assert_eq!(Banding::for_scheme(Scheme::Seed, 200, 0.95), Banding { bands: 20, rows: 10 });
        assert_eq!(Banding::for_scheme(Scheme::Seed, 200, 1.0), Banding { bands: 1, rows: 200 });
    }

    #[test]
    fn more_similar_pairs_are_found_more_often_and_one_more_row_would_miss_too_many() {
        for threshold in (20..=100).map(|percent| f64::from(percent) / 100.0) {
            let banding = Banding::for_threshold(200, threshold);
            assert!(banding.recall(threshold) >= RECALL_AT_THRESHOLD, "at {threshold}");
            assert!(banding.recall((threshold + 0.05).min(1.0)) >= banding.recall(threshold));
            let rows = banding.rows + 1;
            let greedy = Banding { bands: 200 / rows, rows };
            assert!(greedy.recall(threshold) < RECALL_AT_THRESHOLD, "at {threshold}");
        }
    }
}
