//! The distributor: the one thread that owns the sieve, and what a crawl is restarted from.
//!
//! It takes links out of the desk's outbox, lets them fall through the sieve, writes those that pass to the ready log,
//! has the machine of each site found, and each address sent to the worker that takes care of that machine ([`places`]).
//!
//! # Why nothing is lost and nothing comes twice
//!
//! - An address is *known* from the moment the sieve's state is renamed into place. That state names the length of the
//!   ready log and the number of page records whose links the sieve has taken ([`Mark`]). So ready log, sieve and mark
//!   change together or not at all.
//! - An address is *done* when a record with its ordinal is in the page table. A restart sends out what is in the ready
//!   log and not done.
//! - Links of page records behind the mark were in memory only. A restart offers them again from the store; those that
//!   had passed before are known to the sieve and do not pass twice.

mod known;
mod mark;
mod places;
mod register;
mod searching;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::{Duration, Instant};

use frontier::{QueuedUrl, ReadyLog, ReadyPlace, ReadyScan, ReadyUrl};
use page::{Ordinal, PageUrl};
use sieve::{Candidate, Sieve};
use tokio::sync::mpsc;

pub(crate) use self::known::KnownSites;
pub(crate) use self::mark::Mark;
use self::mark::ReadyOutlet;
use self::places::Places;
use crate::checkpointer::Checkpoints;
use crate::desk::OfferBatch;
use crate::letters::{Letter, Message};
use crate::shared::Shared;
use crate::{Distance, Error, StopReason, status};

/// Between two flushes that only serve to find work sooner.
const FLUSH_PAUSE_MIN: Duration = Duration::from_millis(100);

/// How often pages are handed to the system, and how often to the disk.
const STORE_FLUSH_EVERY: Duration = Duration::from_millis(100);
const STORE_SYNC_EVERY: Duration = Duration::from_secs(2);

/// How often the frontier is told to whoever asks from outside.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// The state of the distributor's thread.
pub(crate) struct Distributor {
    pub(crate) shared: Arc<Shared>,
    pub(crate) sieve: Box<dyn Sieve>,
    pub(crate) ready: ReadyLog,
    /// Where the ready log is.
    pub(crate) folder: PathBuf,
    pub(crate) mark: Mark,
    checkpoints: Checkpoints,
    places: Places,
    letterbox: mpsc::UnboundedReceiver<Letter>,
    /// Links that the sieve had no room for.
    refused: Option<OfferBatch>,
    records_through: u64,
    last_flush: Instant,
    flush_cost: Duration,
    last_store_flush: Instant,
    last_store_sync: Instant,
    last_status: Option<Instant>,
}

impl Distributor {
    #[expect(clippy::too_many_arguments, reason = "called once, by the agent")]
    pub(crate) fn new(
        shared: Arc<Shared>,
        sieve: Box<dyn Sieve>,
        ready: ReadyLog,
        folder: PathBuf,
        mark: Mark,
        checkpoints: Checkpoints,
        known: KnownSites,
        channels: Vec<mpsc::Sender<Vec<Message>>>,
        letterbox: mpsc::UnboundedReceiver<Letter>,
    ) -> Self {
        let now = Instant::now();
        Self {
            places: Places::new(shared.clone(), known, channels),
            shared,
            sieve,
            ready,
            folder,
            mark,
            checkpoints,
            letterbox,
            refused: None,
            records_through: mark.records_through,
            last_flush: now,
            flush_cost: Duration::ZERO,
            last_store_flush: now,
            last_store_sync: now,
            last_status: None,
        }
    }

    /// Works until the crawl stops.
    pub(crate) async fn run(mut self) -> Result<Self, Error> {
        while !self.shared.is_stopping() {
            if self.shared.room.is_full() {
                self.shared.look_for_room()?;
            }
            self.places.place_found().await?;
            if !self.shared.room.is_full() {
                self.work().await?;
            }
            if let Some(reason) = self.reason_to_stop() {
                self.shared.stop(Ok(reason));
                break;
            }
            self.wait().await?;
        }
        Ok(self)
    }

    /// What is done in each round, as far as the disk has room for it.
    async fn work(&mut self) -> Result<(), Error> {
        let shared = self.shared.clone();
        let taken = self.take_offers();
        if shared.room.unless_full(taken)?.is_some() && self.flush_is_due() {
            let flushed = self.flush().await;
            shared.room.unless_full(flushed)?;
        }
        let kept = self.keep_store();
        shared.room.unless_full(kept)?;
        let told = self.tell_status();
        shared.room.unless_full(told)?;
        Ok(())
    }

    /// Tells whoever asks from outside how the frontier looks.
    fn tell_status(&mut self) -> Result<(), Error> {
        if self.last_status.is_some_and(|last| last.elapsed() < STATUS_EVERY) {
            return Ok(());
        }
        self.last_status = Some(Instant::now());
        let Shared { room, clock, progress, .. } = &*self.shared;
        status::write_status(room.folder(), clock.now(), &progress.frontier())
    }

    /// Waits until all workers have ended.
    pub(crate) async fn workers_gone(&self) {
        self.places.workers_gone().await;
    }

    /// The last thing that happens, when all workers are done: the sieve takes what is left, and all is synced.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let shared = self.shared.clone();
        shared.patiently(|| {
            self.take_offers()?;
            if self.sieve.pending() > 0 || self.records_through != self.mark.records_through {
                self.flush_sieve()?;
            }
            self.tell_mirrors();
            let (handles, point) = self.shared.desk.flush_for_sync()?;
            handles.sync()?;
            let Mark { ready, ready_count, records_through, .. } = self.mark;
            self.checkpoints.note_synced(point, ready_count);
            self.checkpoints.note_flushed(records_through, ready, ready_count);
            Ok(())
        })?;
        status::remove_status(shared.room.folder());
        Ok(())
    }

    async fn wait(&mut self) -> Result<(), Error> {
        let shared = self.shared.clone();
        tokio::select! {
            Some(found) = self.places.found.recv() => self.places.place(found).await?,
            Some(letter) = self.letterbox.recv() => self.places.deliver(letter).await?,
            () = shared.distributor_wake.notified(), if !shared.room.is_full() => {}
            () = tokio::time::sleep(STORE_FLUSH_EVERY) => {}
        }
        Ok(())
    }

    fn reason_to_stop(&self) -> Option<StopReason> {
        let budget = &self.shared.config.budget;
        if self.shared.pages.is_used_up() {
            return Some(StopReason::PageBudget);
        }
        if budget.duration_max.is_some_and(|max| self.shared.started.elapsed() >= max) {
            return Some(StopReason::Duration);
        }
        // Whoever ends the last address first puts its links into the outbox and then says that it is done. So the
        // outbox is looked at last.
        let is_taken = self.sieve.pending() == 0 && self.refused.is_none();
        let idle = self.shared.progress.active.load(SeqCst) == 0 && is_taken;
        (idle && self.shared.desk.outbox_bytes() == 0).then_some(StopReason::Finished)
    }

    /// Moves the links that have come in since the last time into the sieve. Those that it has no room for wait.
    fn take_offers(&mut self) -> Result<(), Error> {
        let mut batch = self.refused.take().unwrap_or_else(|| self.shared.desk.take_offers());
        if !batch.is_empty() {
            let sieve = &mut self.sieve;
            if let Err(error) = batch.for_each(|candidate| Ok(sieve.offer(candidate)?)) {
                self.refused = Some(batch);
                return Err(error);
            }
            self.shared.note_outbox(0);
        }
        let sieve = &mut self.sieve;
        batch.for_each_visit(|fingerprint, url, visit| Ok(sieve.note_visit(fingerprint, url, visit)?))?;
        self.records_through = batch.records_through;
        Ok(())
    }

    /// Offers an address that did not come from a page of this run: a seed, or a link that a crash left behind.
    pub(crate) fn offer(&mut self, url: &PageUrl, distance: Distance) -> Result<(), Error> {
        let Distance { depth, hops } = distance;
        let candidate = Candidate { fingerprint: url.fingerprint(), depth, hops, url: url.as_str() };
        let Self { sieve, shared, .. } = self;
        shared.patiently(|| Ok(sieve.offer(candidate)?))
    }

    fn flush_is_due(&self) -> bool {
        if self.sieve.pending() == 0 {
            return false;
        }
        if self.sieve.is_full() || self.shared.progress.active.load(Relaxed) == 0 {
            return true;
        }
        // A crawl that is limited by depth goes level by level, so that every address is met by a shortest path first.
        let budget = &self.shared.config.budget;
        let goes_by_level = budget.depth_max.is_some() || budget.site_depth_max.is_some();
        // Otherwise flush often enough to keep everybody busy, and seldom enough to spend a tenth of the time on it.
        !goes_by_level && self.last_flush.elapsed() >= FLUSH_PAUSE_MIN.max(self.flush_cost * 10)
    }

    /// Lets what is new through the sieve, and sends it on its way.
    pub(crate) async fn flush(&mut self) -> Result<(), Error> {
        let begin = Instant::now();
        let from = self.mark;
        self.flush_sieve()?;
        self.flush_cost = begin.elapsed();
        self.last_flush = Instant::now();
        self.send_ready(from.ready, |_| true, |_, _| true).await
    }

    /// The same while there is nothing else to do than to wait for room on the disk.
    pub(crate) async fn flush_patiently(&mut self) -> Result<(), Error> {
        let (shared, from) = (self.shared.clone(), self.mark.ready);
        shared.patiently(|| self.flush_sieve())?;
        self.send_ready(from, |_| true, |_, _| true).await
    }

    /// Flushes the sieve. If that fails, ready log and mark are those of before, and it can be repeated.
    pub(crate) fn flush_sieve(&mut self) -> Result<(), Error> {
        self.ready.begin_part_if_long()?;
        let mut outlet =
            ReadyOutlet { log: &mut self.ready, records_through: self.records_through, mark: self.mark };
        let flushed = match self.sieve.flush(&mut outlet) {
            Ok(flushed) => flushed,
            Err(error) => {
                let Mark { ready, ready_count, .. } = self.mark;
                // Something that follows a flush may fail, too: then the sieve names what is in the log now.
                if Mark::decode(self.sieve.note()).is_ok_and(|note| note.ready_count <= ready_count) {
                    self.ready = ReadyLog::open_at(&self.folder, ready, ready_count)?
                        .with_parts_of(self.shared.config.ready_part_bytes);
                }
                return Err(error.into());
            }
        };
        self.mark = outlet.mark;
        let Mark { ready, ready_count, records_through, .. } = self.mark;
        self.checkpoints.note_flushed(records_through, ready, ready_count);
        self.shared.progress.seen.store(self.sieve.seen(), Relaxed);
        tracing::debug!(offered = flushed.offered, passed = flushed.passed, "sieve flushed");
        Ok(())
    }

    /// Sends out the addresses of the ready log from a place on to its end, but for those that do not wait or are not wanted.
    ///
    /// They are read back from the log so that even the largest flush needs no memory of its own.
    pub(crate) async fn send_ready(
        &mut self,
        from: ReadyPlace,
        waits: impl Fn(Ordinal) -> bool,
        wanted: impl Fn(u16, &PageUrl) -> bool,
    ) -> Result<(), Error> {
        let mut scan = ReadyScan::open(&self.folder, from, Some(self.mark.ready))?;
        let mut part: Vec<(QueuedUrl, PageUrl)> = Vec::new();
        let shared = self.shared.clone();
        let admission = &shared.admission;
        loop {
            let more = scan.next_record(|ready: ReadyUrl<'_>| {
                if !waits(ready.ordinal) {
                    return;
                }
                let Ok(url) = PageUrl::from_normalised(ready.url) else { return };
                admission.meet(&url, ready.depth);
                if wanted(ready.depth, &url) {
                    part.push((QueuedUrl::new(ready.ordinal, ready.depth, ready.hops, &url), url));
                }
            })?;
            self.shared.add_active(part.len() as i64);
            for (queued, url) in part.drain(..) {
                self.places.send(queued, &url).await?;
            }
            if !more {
                break;
            }
            // Sites get their machines meanwhile; otherwise everything would wait for them. And what is fetched is kept.
            tokio::task::yield_now().await;
            let kept = self.keep_store();
            shared.room.unless_full(kept)?;
            self.places.place_found().await?;
            while self.places.is_crowded() {
                self.places.place_next().await?;
            }
        }
        self.places.send_bundles().await;
        Ok(())
    }

    fn tell_mirrors(&self) {
        for mirror in self.shared.desk.new_mirrors() {
            tracing::info!(site = mirror.site, of = mirror.of, pages = mirror.pages, "site is a mirror");
        }
    }

    fn keep_store(&mut self) -> Result<(), Error> {
        if self.last_store_sync.elapsed() >= STORE_SYNC_EVERY {
            let (handles, point) = self.shared.desk.flush_for_sync()?;
            handles.sync()?;
            self.checkpoints.note_synced(point, self.mark.ready_count);
            self.tell_mirrors();
            self.last_store_sync = Instant::now();
            self.last_store_flush = self.last_store_sync;
        } else if self.last_store_flush.elapsed() >= STORE_FLUSH_EVERY {
            self.shared.desk.flush()?;
            self.last_store_flush = Instant::now();
        }
        Ok(())
    }
}
