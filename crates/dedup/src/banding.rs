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
//! After Leskovec, Rajaraman, Ullman, "Mining of Massive Datasets", section 3.4.

/// The probability with which a pair exactly at the threshold becomes a candidate, at least.
pub const RECALL_AT_THRESHOLD: f64 = 0.9999;

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
