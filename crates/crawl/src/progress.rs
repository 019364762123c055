//! How a crawl is doing, readable at any moment from any thread, and how it ended.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use dedup::MirrorSite;
use page::{CopyKind, Site};

use crate::room::{FullDisk, Room};
use crate::status::FrontierCounts;
use crate::{Failures, LeftOut};

/// Counters of a running crawl.
#[derive(Debug, Default)]
pub struct Progress {
    /// Pages in the collection, those of earlier runs included.
    pub pages_stored: AtomicU64,
    /// Pages stored by this run.
    pub pages_this_run: AtomicU64,
    /// Requests sent by this run, robots.txt included.
    pub requests: AtomicU64,
    /// Addresses given up by this run, and seeds that are no page.
    pub failed: AtomicU64,
    /// Addresses that robots.txt forbids.
    pub forbidden: AtomicU64,
    /// Pages in the collection that say the same as an earlier one, word for word.
    pub copies_exact: AtomicU64,
    /// Pages in the collection that say nearly the same as an earlier one.
    pub copies_near: AtomicU64,
    /// Bytes of bodies, as they came over the wire.
    pub bytes_fetched: AtomicU64,
    /// Bytes of bodies that have come and are not committed yet.
    pub unread_bytes: AtomicU64,
    /// The most that they ever were.
    pub unread_bytes_peak: AtomicU64,
    /// Sites known to this run.
    pub sites: AtomicU64,
    /// Requests under way.
    pub in_flight: AtomicU64,
    /// Addresses that wait for their turn or are under way, but for those of sites whose budget is used up.
    pub active: AtomicI64,
    /// Different addresses ever seen.
    pub seen: AtomicU64,
    /// Links that this run left out before the sieve.
    pub left_out: LeftOutCounts,
    /// What each worker has counted of its hosts.
    frontier: Mutex<Vec<FrontierCounts>>,
    /// Who knows whether the disk is full.
    room: OnceLock<Arc<Room>>,
    /// What each worker waits for that has nothing under way.
    resting: Mutex<Vec<Option<Resting>>>,
}

/// Links that are left out before the sieve, counted from many threads.
#[derive(Debug, Default)]
pub struct LeftOutCounts {
    place: AtomicU64,
    shape: AtomicU64,
    site_depth: AtomicU64,
    full: AtomicU64,
}

impl LeftOutCounts {
    pub(crate) fn add(&self, more: LeftOut) {
        if more != LeftOut::default() {
            Progress::add(&self.place, more.place);
            Progress::add(&self.shape, more.shape);
            Progress::add(&self.site_depth, more.site_depth);
            Progress::add(&self.full, more.full);
        }
    }

    /// How many there are so far.
    pub fn get(&self) -> LeftOut {
        LeftOut {
            place: self.place.load(Relaxed),
            shape: self.shape.load(Relaxed),
            site_depth: self.site_depth.load(Relaxed),
            full: self.full.load(Relaxed),
        }
    }
}

/// A site that is visited next, but not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resting {
    /// The site.
    pub site: Site,
    /// When its turn comes.
    pub until: Instant,
    /// Why not sooner.
    pub cause: RestCause,
}

/// Why a site rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestCause {
    /// Everybody rests so long.
    Delay,
    /// Its robots.txt asks for more than that.
    CrawlDelay,
    /// It asked to be left alone for a while, or it failed.
    Pause,
}

impl Progress {
    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Relaxed);
    }

    pub(crate) fn count_copy(&self, kind: Option<CopyKind>) {
        match kind {
            Some(CopyKind::Exact) => Self::add(&self.copies_exact, 1),
            Some(CopyKind::Near) => Self::add(&self.copies_near, 1),
            None => {}
        }
    }

    /// How the frontier looked about a second ago.
    pub fn frontier(&self) -> FrontierCounts {
        FrontierCounts::sum(self.frontier.lock().expect("nobody panics with it").iter().copied())
    }

    /// Notes what a worker has counted.
    pub(crate) fn set_frontier(&self, worker: usize, counts: FrontierCounts) {
        let mut all = self.frontier.lock().expect("nobody panics with it");
        if all.len() <= worker {
            all.resize(worker + 1, FrontierCounts::default());
        }
        all[worker] = counts;
    }

    pub(crate) fn watch_room(&self, room: Arc<Room>) {
        // There is one crawl, and it has one disk.
        let _ = self.room.set(room);
    }

    /// The disk that is full, if the crawl waits for room on it.
    pub fn full_disk(&self) -> Option<FullDisk> {
        self.room.get()?.full_disk()
    }

    /// Whom a crawl waits for that has nothing under way.
    pub fn next_to_visit(&self) -> Option<Resting> {
        let now = Instant::now();
        let resting = self.resting.lock().expect("nobody panics with it");
        resting.iter().flatten().filter(|site| site.until > now).min_by_key(|site| site.until).cloned()
    }

    /// Notes whom a worker waits for.
    pub(crate) fn set_resting(&self, worker: usize, next: Option<Resting>) {
        let mut resting = self.resting.lock().expect("nobody panics with it");
        if resting.len() <= worker {
            resting.resize(worker + 1, None);
        }
        resting[worker] = next;
    }

    pub(crate) fn add_unread(&self, bytes: u64) {
        let before = self.unread_bytes.fetch_add(bytes, Relaxed);
        self.unread_bytes_peak.fetch_max(before + bytes, Relaxed);
    }
}

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing is left to fetch.
    Finished,
    /// The collection has as many pages as were asked for.
    PageBudget,
    /// Its time was over.
    Duration,
    /// Somebody asked it to stop.
    Asked,
}

/// How a crawl went.
#[derive(Debug, Clone)]
pub struct CrawlReport {
    /// Why it ended.
    pub reason: StopReason,
    /// Pages in the collection.
    pub pages_stored: u64,
    /// Pages stored by this run.
    pub pages_this_run: u64,
    /// Requests sent by this run.
    pub requests: u64,
    /// Addresses given up by this run, and seeds that are no page.
    pub failed: u64,
    /// The first of them, and why.
    pub failures: Failures,
    /// Addresses that robots.txt forbids, met by this run.
    pub forbidden: u64,
    /// Pages in the collection that say the same as an earlier one, word for word.
    pub copies_exact: u64,
    /// Pages in the collection that say nearly the same as an earlier one.
    pub copies_near: u64,
    /// Pages that the last ones were not compared with, for want of memory: near copies of them are not among the above.
    pub copies_not_compared: u64,
    /// Sites most of whose pages are copies of pages of one other site.
    pub mirrors: Vec<MirrorSite>,
    /// Bytes of bodies fetched by this run.
    pub bytes_fetched: u64,
    /// Sites known to this run.
    pub sites: u64,
    /// Addresses that still wait.
    pub waiting: u64,
    /// Links that this run left out before the sieve.
    pub left_out: LeftOut,
    /// How long this run took.
    pub elapsed: Duration,
}

impl CrawlReport {
    /// True if nothing is left to fetch within the budgets.
    pub fn is_finished(&self) -> bool {
        matches!(self.reason, StopReason::Finished | StopReason::PageBudget)
    }

    pub(crate) fn new(
        progress: &Progress,
        failures: Failures,
        copies_not_compared: u64,
        mirrors: Vec<MirrorSite>,
        reason: StopReason,
        elapsed: Duration,
    ) -> Self {
        Self {
            reason,
            pages_stored: progress.pages_stored.load(Relaxed),
            pages_this_run: progress.pages_this_run.load(Relaxed),
            requests: progress.requests.load(Relaxed),
            failed: progress.failed.load(Relaxed),
            failures,
            forbidden: progress.forbidden.load(Relaxed),
            copies_exact: progress.copies_exact.load(Relaxed),
            copies_near: progress.copies_near.load(Relaxed),
            copies_not_compared,
            mirrors,
            bytes_fetched: progress.bytes_fetched.load(Relaxed),
            sites: progress.sites.load(Relaxed),
            waiting: progress.active.load(Relaxed).max(0) as u64,
            left_out: progress.left_out.get(),
            elapsed,
        }
    }
}
