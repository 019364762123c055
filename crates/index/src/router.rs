//! Which segments may hold this term? One question to the filters of all of them.
//!
//! Filters of one shape stand together ([`crate::term_filter`] says which shapes there are), in an [`AdaptiveBloofi`] that
//! is told how many they are, that it will only be searched, and that it may take twice the bytes of the filters. So a
//! few are a list, and more than 32 are rows: a row takes whole words of 64 filters, and with the few segments of a usual
//! index it would hold up to 64 times the bytes of the filters, to save some nanoseconds.
//!
//! Cost: four probes for each segment of a list, four rows for all of many; a dictionary search, which is some twenty
//! cache misses and may have to read from disk, for each segment that has the term and for one in a hundred of the others.

use std::sync::atomic::{AtomicU64, Ordering};

use filter::index::{AdaptiveBloofi, Expected, FilterIndex};
use filter::{BloomFilter, FilterShape};

/// What an index holds for an id beside the filter, at most.
const ID_BYTES: usize = 256;

/// What routing has saved since the index was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoutingReport {
    /// Terms that were looked up.
    pub lookups: u64,
    /// Dictionaries that were searched for them.
    pub segments_asked: u64,
    /// Dictionaries that were not, because a filter said no.
    pub segments_skipped: u64,
    /// Dictionaries that were searched and did not have the term.
    pub false_positives: u64,
}

/// The filters of all segments.
#[derive(Debug)]
pub(crate) struct Router {
    segment_count: usize,
    /// One index for each shape.
    classes: Vec<AdaptiveBloofi>,
    lookups: AtomicU64,
    segments_asked: AtomicU64,
    false_positives: AtomicU64,
}

impl Router {
    /// The filter of segment i is `filters[i]`.
    pub(crate) fn new(filters: &[BloomFilter]) -> Self {
        let mut shapes: Vec<FilterShape> = Vec::new();
        for filter in filters {
            if !shapes.contains(filter.shape()) {
                shapes.push(*filter.shape());
            }
        }
        let of_shape = |shape: &FilterShape| -> Vec<(u64, &BloomFilter)> {
            (0..).zip(filters).filter(|(_, filter)| filter.shape() == shape).collect()
        };
        Self {
            segment_count: filters.len(),
            classes: shapes.iter().map(|shape| index_of(*shape, &of_shape(shape))).collect(),
            lookups: AtomicU64::new(0),
            segments_asked: AtomicU64::new(0),
            false_positives: AtomicU64::new(0),
        }
    }

    /// The segments that may hold the term, in order; all that do are among them.
    pub(crate) fn segments_for(&self, term: &str) -> Vec<usize> {
        let mut segments = Vec::new();
        let mut found = Vec::new();
        for filters in &self.classes {
            filters.search(&filters.shape().hash(term.as_bytes()), &mut found);
            segments.extend(found.iter().map(|&id| id as usize));
        }
        segments.sort_unstable();
        self.lookups.fetch_add(1, Ordering::Relaxed);
        self.segments_asked.fetch_add(segments.len() as u64, Ordering::Relaxed);
        segments
    }

    /// A segment that was asked did not have the term.
    pub(crate) fn count_false_positive(&self) {
        self.false_positives.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn report(&self) -> RoutingReport {
        let lookups = self.lookups.load(Ordering::Relaxed);
        let segments_asked = self.segments_asked.load(Ordering::Relaxed);
        RoutingReport {
            lookups,
            segments_asked,
            // Another thread may be between its two counts.
            segments_skipped: (lookups * self.segment_count as u64).saturating_sub(segments_asked),
            false_positives: self.false_positives.load(Ordering::Relaxed),
        }
    }
}

/// The filters of one shape, to be searched.
fn index_of(shape: FilterShape, filters: &[(u64, &BloomFilter)]) -> AdaptiveBloofi {
    let bytes = filters.len() * shape.bits() as usize / 8;
    let expected = Expected {
        sets: filters.len(),
        memory_bytes_max: 2 * bytes + ID_BYTES * filters.len(),
        ..Expected::default()
    };
    let mut index = AdaptiveBloofi::expecting(shape, expected);
    index.insert_all(filters).expect("all have this shape, and each segment its own number");
    index
}

#[cfg(test)]
mod tests {
    use filter::index::Structure;

    use super::*;

    #[test]
    fn a_few_segments_are_a_list_and_many_are_rows() {
        let shape = FilterShape::new(1 << 16, 4, 0);
        let filters: Vec<BloomFilter> = (0..80).map(|_| BloomFilter::new(shape)).collect();
        let batch: Vec<(u64, &BloomFilter)> = (0..).zip(&filters).collect();
        for (count, is_list) in [(1, true), (8, true), (30, true), (33, false), (80, false)] {
            let index = index_of(shape, &batch[..count]);
            let bytes = count * shape.bits() as usize / 8;
            assert_eq!(index.structure() == Structure::Naive, is_list, "{count}");
            assert!(
                index.memory_bytes() <= 2 * bytes + ID_BYTES * count,
                "{count}: {}",
                index.memory_bytes()
            );
        }
    }
}
