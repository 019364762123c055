//! Which segments may hold this term? One question to the filters of all of them.
//!
//! Filters of one shape stand together ([`crate::term_filter`] says which shapes there are). Up to [`LIST_MAX`] of them
//! are a list; more are the rows of a [`SlicedBloofi`]. A row takes whole words of 64 filters, so with the few segments of
//! a usual index it would hold up to 64 times the bytes of the filters, to save some nanoseconds.
//!
//! Cost: four probes for each segment of a list, four rows for all of a [`SlicedBloofi`]; a dictionary search, which is
//! some twenty cache misses and may have to read from disk, for each segment that has the term and for one in a hundred
//! of the others.

use std::sync::atomic::{AtomicU64, Ordering};

use filter::index::{FilterIndex, NaiveIndex, SlicedBloofi};
use filter::{BloomFilter, FilterShape};

/// So many filters of one shape are a list: half of what a word of a row has room for.
const LIST_MAX: usize = 32;

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
    classes: Vec<Class>,
    lookups: AtomicU64,
    segments_asked: AtomicU64,
    false_positives: AtomicU64,
}

/// Filters of one shape.
#[derive(Debug)]
enum Class {
    List(NaiveIndex),
    Rows(SlicedBloofi),
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
            classes: shapes.iter().map(|shape| Class::new(*shape, &of_shape(shape))).collect(),
            lookups: AtomicU64::new(0),
            segments_asked: AtomicU64::new(0),
            false_positives: AtomicU64::new(0),
        }
    }

    /// The segments that may hold the term, in order; all that do are among them.
    pub(crate) fn segments_for(&self, term: &str) -> Vec<usize> {
        let mut segments = Vec::new();
        let mut found = Vec::new();
        for class in &self.classes {
            let filters = class.filters();
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

impl Class {
    fn new(shape: FilterShape, filters: &[(u64, &BloomFilter)]) -> Self {
        const PROOF: &str = "all have this shape, and each segment its own number";
        if filters.len() > LIST_MAX {
            let mut rows = SlicedBloofi::new(shape);
            rows.insert_all(filters).expect(PROOF);
            return Self::Rows(rows);
        }
        let mut list = NaiveIndex::new(shape);
        filters.iter().for_each(|(id, filter)| list.insert(*id, filter).expect(PROOF));
        Self::List(list)
    }

    fn filters(&self) -> &dyn FilterIndex {
        match self {
            Self::List(list) => list,
            Self::Rows(rows) => rows,
        }
    }
}
