//! Counters for operators, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use serde::Serialize;

use crate::backend::{CollectionInfo, HotInfo};

/// Upper bounds of the latency histogram, in microseconds, and how Prometheus writes them, in seconds.
const BUCKETS: [(u64, &str); 11] = [
    (500, "0.0005"),
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (1_000_000, "1"),
    (5_000_000, "5"),
];

/// What came of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueryOutcome {
    /// There are results.
    Found,
    /// There are none.
    NotFound,
    /// It could not be understood.
    Bad,
    /// The queue was full.
    Busy,
    /// Something is broken.
    Failed,
}

const OUTCOMES: [(QueryOutcome, &str); 5] = [
    (QueryOutcome::Found, "found"),
    (QueryOutcome::NotFound, "not_found"),
    (QueryOutcome::Bad, "bad"),
    (QueryOutcome::Busy, "busy"),
    (QueryOutcome::Failed, "failed"),
];

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    outcomes: [AtomicU64; OUTCOMES.len()],
    buckets: [AtomicU64; BUCKETS.len()],
    latency_us_sum: AtomicU64,
    latency_count: AtomicU64,
    requests_in_flight: AtomicI64,
}

/// Queries so far, as JSON shows them.
#[derive(Debug, Serialize)]
pub(crate) struct QueryCounts {
    total: u64,
    found: u64,
    not_found: u64,
    bad: u64,
    busy: u64,
    failed: u64,
}

impl Metrics {
    /// A query ended.
    pub(crate) fn query(&self, outcome: QueryOutcome, elapsed: Duration) {
        self.outcomes[outcome as usize].fetch_add(1, Relaxed);
        let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        if let Some(bucket) = BUCKETS.iter().position(|(bound_us, _)| elapsed_us <= *bound_us) {
            self.buckets[bucket].fetch_add(1, Relaxed);
        }
        self.latency_us_sum.fetch_add(elapsed_us, Relaxed);
        self.latency_count.fetch_add(1, Relaxed);
    }

    /// A request is under way as long as the returned value lives.
    pub(crate) fn request(&self) -> InFlight<'_> {
        self.requests_in_flight.fetch_add(1, Relaxed);
        InFlight(&self.requests_in_flight)
    }

    pub(crate) fn query_counts(&self) -> QueryCounts {
        let count = |outcome: QueryOutcome| self.outcomes[outcome as usize].load(Relaxed);
        QueryCounts {
            total: self.outcomes.iter().map(|count| count.load(Relaxed)).sum(),
            found: count(QueryOutcome::Found),
            not_found: count(QueryOutcome::NotFound),
            bad: count(QueryOutcome::Bad),
            busy: count(QueryOutcome::Busy),
            failed: count(QueryOutcome::Failed),
        }
    }

    /// The exposition text.
    pub(crate) fn render(&self, collection: &CollectionInfo) -> String {
        let mut text = String::new();
        self.render_queries(&mut text);
        self.render_latency(&mut text);
        let in_flight = self.requests_in_flight.load(Relaxed);
        gauge(&mut text, "crivello_requests_in_flight", "Requests under way.", in_flight);
        gauge(&mut text, "crivello_documents", "Pages in the index.", collection.documents);
        gauge(&mut text, "crivello_hosts", "Hosts in the index.", collection.hosts);
        gauge(&mut text, "crivello_index_bytes", "Size of the index on disk.", collection.index_bytes);
        collection.hot.iter().for_each(|hot| render_hot(hot, &mut text));
        text
    }

    fn render_queries(&self, text: &mut String) {
        text.push_str("# HELP crivello_queries_total Queries, by what came of them.\n");
        text.push_str("# TYPE crivello_queries_total counter\n");
        for (outcome, name) in OUTCOMES {
            let count = self.outcomes[outcome as usize].load(Relaxed);
            let _ = writeln!(text, "crivello_queries_total{{outcome=\"{name}\"}} {count}");
        }
    }

    fn render_latency(&self, text: &mut String) {
        let name = "crivello_query_duration_seconds";
        let _ = writeln!(text, "# HELP {name} Time from query to answer, waiting included.");
        let _ = writeln!(text, "# TYPE {name} histogram");
        let mut cumulated = 0;
        for ((_, bound), bucket) in BUCKETS.iter().zip(&self.buckets) {
            cumulated += bucket.load(Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {cumulated}");
        }
        let count = self.latency_count.load(Relaxed);
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(text, "{name}_sum {}", self.latency_us_sum.load(Relaxed) as f64 / 1e6);
        let _ = writeln!(text, "{name}_count {count}");
    }
}

fn render_hot(hot: &HotInfo, text: &mut String) {
    gauge(
        text,
        "crivello_hot_budget_bytes",
        "How much of the index may be kept in memory.",
        hot.budget_bytes,
    );
    gauge(text, "crivello_hot_bytes", "How much of the index is kept in memory.", hot.kept_bytes);
    let asked = "Pages of lists that were asked for, since the index was opened.";
    gauge(text, "crivello_hot_pages_asked", asked, hot.pages_asked);
    let kept = "Those of them that were in memory because they are kept.";
    gauge(text, "crivello_hot_pages_kept", kept, hot.pages_kept);
}

fn gauge(text: &mut String, name: &str, help: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

/// Counts one request as under way until it is dropped.
#[derive(Debug)]
pub(crate) struct InFlight<'a>(&'a AtomicI64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
