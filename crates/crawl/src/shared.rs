//! What all threads of a crawl share.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fetch::{HttpFetcher, NameResolver};
use frontier::{HostFact, HostLog, Priority, PriorityPolicy, SeenPage, Slot, UnderWay};
use page::{Clock, Link, PageUrl};
use store::{NewPage, RecordKind, WhyFailed};
use tokio::sync::Notify;

use crate::desk::{Committed, Desk, Offer};
use crate::quotas::Quotas;
use crate::request_log::RequestLog;
use crate::room::{ROOM_RECHECK, Room};
use crate::{Admission, CrawlConfig, Distance, Error, Failures, Progress, StopReason};

/// Configuration, counters, and the few things with a lock.
pub(crate) struct Shared {
    pub(crate) config: CrawlConfig,
    pub(crate) admission: Admission,
    pub(crate) fetcher: HttpFetcher,
    pub(crate) resolver: NameResolver,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) desk: Desk,
    pub(crate) room: Arc<Room>,
    host_log: Mutex<HostLog>,
    pub(crate) request_log: Option<RequestLog>,
    /// Visits that must be known after a kill: none if only fixed rests are kept.
    under_way: Option<Mutex<UnderWay>>,
    pub(crate) progress: Arc<Progress>,
    failures: Mutex<Failures>,
    pub(crate) pages: PageBudget,
    /// Who decides which address of a site is next, if that is not the first to come.
    pub(crate) priority: Option<Arc<dyn PriorityPolicy>>,
    /// When this run began. On a restart, nobody knows whom the run before asked last, so everybody rests from here.
    pub(crate) started: Instant,
    pub(crate) is_restart: bool,
    /// Wakes the distributor: the outbox is full, or the last address is done.
    pub(crate) distributor_wake: Notify,
    outbox_is_full: AtomicBool,
    stop: Stop,
}

/// Why and whether to stop; the first reason stays.
#[derive(Debug, Default)]
struct Stop {
    asked: AtomicBool,
    outcome: Mutex<Option<Result<StopReason, Error>>>,
    workers_wake: Notify,
}

impl Shared {
    #[expect(clippy::too_many_arguments, reason = "called once, by the agent")]
    pub(crate) fn new(
        config: CrawlConfig,
        quotas: Quotas,
        resolver: NameResolver,
        clock: Arc<dyn Clock>,
        desk: Desk,
        room: Arc<Room>,
        host_log: HostLog,
        request_log: Option<RequestLog>,
        under_way: Option<UnderWay>,
        progress: Arc<Progress>,
        pages_stored: u64,
        is_restart: bool,
    ) -> Self {
        progress.pages_stored.store(pages_stored, Relaxed);
        Self {
            admission: Admission::new(&config).with_quotas(quotas),
            fetcher: HttpFetcher::new(config.limits_within_memory(), &config.user_agent, clock.clone())
                .guarded_by(resolver.guard().clone())
                .with_large_bodies_at_once(config.large_bodies_max()),
            priority: Priority::policy(&config.priority, config.priority_bytes(), &config.topic),
            pages: PageBudget::new(config.budget.pages_max, pages_stored),
            config,
            resolver,
            clock,
            desk,
            room,
            host_log: Mutex::new(host_log),
            request_log,
            under_way: under_way.map(Mutex::new),
            progress,
            failures: Mutex::default(),
            started: Instant::now(),
            is_restart,
            distributor_wake: Notify::new(),
            outbox_is_full: AtomicBool::new(false),
            stop: Stop::default(),
        }
    }

    /// The moment of the first request. On a restart everybody rests first.
    pub(crate) fn rest_until(&self) -> Instant {
        self.started + if self.is_restart { self.config.policy.unknown_rest() } else { Duration::ZERO }
    }

    /// Writes down that a visit begins, if that must be known after a kill.
    pub(crate) fn note_visit(&self, address: IpAddr) -> Result<Option<Slot>, Error> {
        let Some(under_way) = &self.under_way else { return Ok(None) };
        let mut under_way = under_way.lock().expect("nobody panics with it");
        self.room.unless_full(under_way.begin(address, self.clock.now()))
    }

    /// Writes down what was learnt about a site or a machine.
    pub(crate) fn note_fact(&self, name: &str, fact: &HostFact) -> Result<(), Error> {
        let mut log = self.host_log.lock().expect("nobody panics with the log");
        self.room.unless_full(log.append(name, self.clock.now(), fact))?;
        Ok(())
    }

    /// Looks for room on a disk that was full: all that waits to be written, and a little more, must have it.
    pub(crate) fn look_for_room(&self) -> Result<(), Error> {
        let logs = || {
            self.host_log.lock().expect("nobody panics with the log").flush()?;
            self.request_log.as_ref().map_or(Ok(()), RequestLog::flush)
        };
        let written = self.desk.flush().and_then(|()| logs()).and_then(|()| self.room.probe());
        if self.room.unless_full(written)?.is_some() {
            self.room.note_room();
        }
        Ok(())
    }

    /// Does something as soon as the disk has room for it. For a thread that has nothing else to do meanwhile; somebody who
    /// asks to stop is told that there is none.
    pub(crate) fn patiently<T>(&self, mut act: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
        loop {
            match act() {
                Err(error) if error.is_full_disk() && !self.was_asked_to_stop() => {
                    self.room.note_full(&error);
                    std::thread::sleep(ROOM_RECHECK);
                    self.look_for_room()?;
                }
                outcome => return outcome,
            }
        }
    }

    /// Has somebody asked to stop, whatever else there was to stop for?
    fn was_asked_to_stop(&self) -> bool {
        let outcome = self.stop.outcome.lock().expect("nobody panics with it");
        matches!(*outcome, Some(Ok(StopReason::Asked) | Err(_)))
    }

    /// The visit has ended, and the rest after it is known.
    pub(crate) fn forget_visit(&self, slot: Option<Slot>) -> Result<(), Error> {
        if let (Some(slot), Some(under_way)) = (slot, &self.under_way) {
            under_way.lock().expect("nobody panics with it").end(slot)?;
        }
        Ok(())
    }

    /// Asks everybody to stop; what is under way is finished first.
    pub(crate) fn stop(&self, outcome: Result<StopReason, Error>) {
        let mut first = self.stop.outcome.lock().expect("nobody panics with it");
        if first.is_none() {
            *first = Some(outcome);
        }
        self.stop.asked.store(true, SeqCst);
        self.stop.workers_wake.notify_waiters();
        self.distributor_wake.notify_one();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.asked.load(Relaxed)
    }

    /// Ends when somebody asks to stop.
    pub(crate) async fn stopping(&self) {
        let woken = self.stop.workers_wake.notified();
        if !self.is_stopping() {
            woken.await;
        }
    }

    pub(crate) fn take_outcome(&self) -> Option<Result<StopReason, Error>> {
        self.stop.outcome.lock().expect("nobody panics with it").take()
    }

    /// Shows a page to whoever decides which address is next, with those of its links that may be followed.
    pub(crate) fn show_page(&self, url: &PageUrl, title: &str, distance: Distance, links: &[Link]) {
        let Some(policy) = self.priority.as_ref().filter(|policy| policy.learns_from_pages()) else { return };
        let chosen = self.admission.choose(links, distance).links;
        let links: Vec<&Link> = chosen.into_iter().map(|(link, _)| link).collect();
        policy.see_page(&SeenPage { url, title, links: &links });
    }

    /// Hands in what became of an address, with the links that go on to the sieve.
    pub(crate) fn commit(&self, page: NewPage, offers: &[Offer<'_>]) -> Result<Committed, Error> {
        self.tell(&page);
        self.desk.commit(page, offers, &*self.clock)
    }

    /// Counts a failure, and tells whoever wants to hear it: `info` every failure, `debug` everything else too.
    fn tell(&self, page: &NewPage) {
        let record = page.record();
        let (url, status, bytes) = (record.url.as_str(), record.status, record.body_bytes);
        if let Some(why) = page.why_failed() {
            self.note_failure(&record.url, why);
        } else if record.kind == RecordKind::Forbidden {
            tracing::debug!(url, "forbidden by robots.txt");
        } else {
            tracing::debug!(status, bytes, url, "fetched");
        }
    }

    pub(crate) fn note_failure(&self, url: &PageUrl, why: WhyFailed) {
        Progress::add(&self.progress.failed, 1);
        self.failures.lock().expect("nobody panics with them").add(url, why);
        tracing::info!(url = url.as_str(), reason = %why, "failed");
    }

    pub(crate) fn take_failures(&self) -> Failures {
        std::mem::take(&mut *self.failures.lock().expect("nobody panics with them"))
    }

    /// Counts addresses that became active or, when negative, that no longer are.
    pub(crate) fn add_active(&self, change: i64) {
        let before = self.progress.active.fetch_add(change, SeqCst);
        if before + change == 0 {
            self.distributor_wake.notify_one();
        }
    }

    pub(crate) fn outbox_is_full(&self) -> bool {
        self.outbox_is_full.load(Relaxed)
    }

    /// Called after each commit and each time links were taken out. The distributor looks into the outbox by itself
    /// a few times a second; waking it for every page would cost more than the page's links.
    pub(crate) fn note_outbox(&self, bytes: usize) {
        let is_full = bytes > self.config.outbox_bytes();
        self.outbox_is_full.store(is_full, Relaxed);
        if is_full {
            self.distributor_wake.notify_one();
        }
    }
}

/// How many pages may still be fetched. A request takes a ticket before it starts and gives it back if what came is no
/// page, so that the budget is met exactly and never exceeded.
#[derive(Debug)]
pub(crate) struct PageBudget {
    tickets: AtomicI64,
    stored: AtomicU64,
    max: Option<u64>,
}

impl PageBudget {
    fn new(max: Option<u64>, stored: u64) -> Self {
        let tickets = max.map_or(i64::MAX, |max| max.saturating_sub(stored) as i64);
        Self { tickets: AtomicI64::new(tickets), stored: AtomicU64::new(stored), max }
    }

    pub(crate) fn take_ticket(&self) -> bool {
        self.tickets.fetch_update(Relaxed, Relaxed, |tickets| (tickets > 0).then(|| tickets - 1)).is_ok()
    }

    pub(crate) fn return_ticket(&self) {
        self.tickets.fetch_add(1, Relaxed);
    }

    /// A ticket was used for a page.
    pub(crate) fn page_stored(&self) {
        self.stored.fetch_add(1, Relaxed);
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.max.is_some_and(|max| self.stored.load(Relaxed) >= max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_meet_the_budget_exactly() {
        let budget = PageBudget::new(Some(5), 3);
        assert!(budget.take_ticket() && budget.take_ticket());
        assert!(!budget.take_ticket());
        budget.return_ticket();
        budget.page_stored();
        assert!(!budget.is_used_up() && budget.take_ticket());
        budget.page_stored();
        assert!(budget.is_used_up() && !budget.take_ticket());
        assert!(PageBudget::new(Some(3), 9).is_used_up());
        assert!(PageBudget::new(None, 9).take_ticket());
    }
}
