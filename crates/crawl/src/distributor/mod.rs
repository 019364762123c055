//! The distributor: the one thread that owns the sieve, and what a crawl is restarted from.
//!
//! It takes links out of the desk's outbox, lets them fall through the sieve, writes those that pass to the ready log,
//! finds the machine of each site, and sends each address to the worker that takes care of that machine.
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

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::{Duration, Instant};

use fetch::RobotsRules;
use frontier::{HostFact, QueuedUrl, ReadyLog, ReadyScan, ReadyUrl};
use journal::{FieldReader, FieldWriter, Malformed};
use page::{FetchFailure, PageUrl, Site, Timestamp};
use sieve::{Candidate, Outlet, Sieve};
use store::{NewPage, PageRecord, RecordKind};
use tokio::sync::mpsc;

use crate::elsewhere::{Asker, Guest, Letter, MovedSite};
use crate::shared::Shared;
use crate::site_state::{ROBOTS_LIFETIME, Robots, SiteState};
use crate::worker::Message;
use crate::{Distance, Error, Progress, StopReason};

/// Addresses travel to workers in bundles of this many.
const BUNDLE: usize = 256;

/// Between two flushes that only serve to find work sooner.
const FLUSH_PAUSE_MIN: Duration = Duration::from_millis(100);

/// How often pages are handed to the system, and how often to the disk.
const STORE_FLUSH_EVERY: Duration = Duration::from_millis(100);
const STORE_SYNC_EVERY: Duration = Duration::from_secs(2);

/// What the sieve's state carries for us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The ready log is valid up to this byte…
    pub(crate) ready_end: u64,
    /// …and has this many addresses.
    pub(crate) ready_count: u64,
    /// The sieve has taken the links of this many page records…
    pub(crate) records_through: u64,
    /// …as these rules of admission let them: see [`crate::CrawlConfig::rules_fingerprint`].
    pub(crate) rules: u64,
}

impl Mark {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut fields = FieldWriter::new();
        fields
            .number(self.ready_end)
            .number(self.ready_count)
            .number(self.records_through)
            .number(self.rules);
        fields.as_bytes().to_vec()
    }

    pub(crate) fn decode(note: &[u8]) -> Result<Self, Malformed> {
        if note.is_empty() {
            return Ok(Self::default());
        }
        let mut fields = FieldReader::new(note);
        let (ready_end, ready_count) = (fields.number()?, fields.number()?);
        Ok(Self { ready_end, ready_count, records_through: fields.number()?, rules: fields.number()? })
    }
}

/// What passes the sieve goes to the ready log; the mark seals it.
struct ReadyOutlet<'a> {
    log: &'a mut ReadyLog,
    records_through: u64,
    mark: Mark,
}

impl Outlet for ReadyOutlet<'_> {
    fn pass(&mut self, candidate: Candidate<'_>) -> std::io::Result<()> {
        self.log.append(candidate.depth, candidate.hops, candidate.url);
        Ok(())
    }

    fn seal(&mut self) -> std::io::Result<Vec<u8>> {
        let (ready_end, ready_count) = self.log.sync().map_err(std::io::Error::other)?;
        self.mark = Mark { ready_end, ready_count, records_through: self.records_through, ..self.mark };
        Ok(self.mark.encode())
    }
}

/// Who takes care of a site.
#[derive(Debug)]
enum Place {
    /// Its machine is being looked for; meanwhile its addresses wait here, and those who want its robots.txt.
    Searching(Vec<QueuedUrl>, Vec<Guest>),
    /// This worker knows it under this index.
    At { worker: usize, site_index: u32 },
    /// It has no machine that we may ask.
    Nowhere(FetchFailure),
}

/// What was known about a site when this run started.
#[derive(Debug, Default)]
pub(crate) struct KnownSite {
    pub(crate) pages_stored: u64,
    pub(crate) robots: Option<(HostFact, Timestamp)>,
    pub(crate) pause_until: Option<Timestamp>,
}

/// The state of the distributor's thread.
pub(crate) struct Distributor {
    pub(crate) shared: Arc<Shared>,
    pub(crate) sieve: Box<dyn Sieve>,
    pub(crate) ready: ReadyLog,
    pub(crate) ready_path: PathBuf,
    pub(crate) mark: Mark,
    pub(crate) known: HashMap<Box<str>, KnownSite>,
    places: HashMap<Site, Place>,
    workers: Vec<Outgoing>,
    letterbox: mpsc::UnboundedReceiver<Letter>,
    found: (mpsc::UnboundedSender<Found>, mpsc::UnboundedReceiver<Found>),
    records_through: u64,
    last_flush: Instant,
    flush_cost: Duration,
    last_store_flush: Instant,
    last_store_sync: Instant,
}

/// Messages for one worker that are not sent yet.
struct Outgoing {
    channel: mpsc::Sender<Vec<Message>>,
    bundle: Vec<Message>,
    site_count: u32,
}

/// The machine of a site.
struct Found {
    site: Site,
    address: Result<IpAddr, FetchFailure>,
}

impl Distributor {
    #[expect(clippy::too_many_arguments, reason = "called once, by the agent")]
    pub(crate) fn new(
        shared: Arc<Shared>,
        sieve: Box<dyn Sieve>,
        ready: ReadyLog,
        ready_path: PathBuf,
        mark: Mark,
        known: HashMap<Box<str>, KnownSite>,
        channels: Vec<mpsc::Sender<Vec<Message>>>,
        letterbox: mpsc::UnboundedReceiver<Letter>,
    ) -> Self {
        let now = Instant::now();
        let outgoing = |channel| Outgoing { channel, bundle: Vec::new(), site_count: 0 };
        Self {
            shared,
            sieve,
            ready,
            ready_path,
            mark,
            known,
            places: HashMap::new(),
            workers: channels.into_iter().map(outgoing).collect(),
            letterbox,
            found: mpsc::unbounded_channel(),
            records_through: mark.records_through,
            last_flush: now,
            flush_cost: Duration::ZERO,
            last_store_flush: now,
            last_store_sync: now,
        }
    }

    /// Works until the crawl stops.
    pub(crate) async fn run(mut self) -> Result<Self, Error> {
        while !self.shared.is_stopping() {
            self.take_offers()?;
            self.place_found().await?;
            if self.flush_is_due() {
                self.flush().await?;
            }
            self.keep_store()?;
            if let Some(reason) = self.reason_to_stop() {
                self.shared.stop(Ok(reason));
                break;
            }
            self.wait().await?;
        }
        Ok(self)
    }

    /// The last thing that happens, when all workers are done: the sieve takes what is left, and all is synced.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.take_offers()?;
        if self.sieve.pending() > 0 || self.records_through != self.mark.records_through {
            self.flush_sieve()?;
        }
        self.tell_mirrors();
        Ok(self.shared.desk.flush_for_sync()?.sync()?)
    }

    async fn wait(&mut self) -> Result<(), Error> {
        let shared = self.shared.clone();
        tokio::select! {
            Some(found) = self.found.1.recv() => self.place(found).await?,
            Some(letter) = self.letterbox.recv() => self.deliver(letter).await?,
            () = shared.distributor_wake.notified() => {}
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
        let idle = self.shared.progress.active.load(SeqCst) == 0 && self.sieve.pending() == 0;
        (idle && self.shared.desk.outbox_bytes() == 0).then_some(StopReason::Finished)
    }

    /// Moves the links that have come in since the last time into the sieve.
    fn take_offers(&mut self) -> Result<(), Error> {
        let batch = self.shared.desk.take_offers();
        if !batch.is_empty() {
            let sieve = &mut self.sieve;
            batch.for_each(|candidate| Ok(sieve.offer(candidate)?))?;
            self.shared.note_outbox(0);
        }
        self.records_through = batch.records_through;
        Ok(())
    }

    /// Offers an address that did not come from a page of this run: a seed, or a link that a crash left behind.
    pub(crate) fn offer(&mut self, url: &PageUrl, distance: Distance) -> Result<(), Error> {
        let Distance { depth, hops } = distance;
        let candidate = Candidate { fingerprint: url.fingerprint(), depth, hops, url: url.as_str() };
        Ok(self.sieve.offer(candidate)?)
    }

    fn flush_is_due(&self) -> bool {
        if self.sieve.pending() == 0 {
            return false;
        }
        if self.sieve.is_full() || self.shared.progress.active.load(Relaxed) == 0 {
            return true;
        }
        // A crawl that is limited by depth goes level by level, so that every address is met by a shortest path first.
        let goes_by_level = self.shared.config.budget.depth_max.is_some();
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
        self.send_ready(from.ready_end, |_, _, _| true).await
    }

    fn flush_sieve(&mut self) -> Result<(), Error> {
        let mut outlet =
            ReadyOutlet { log: &mut self.ready, records_through: self.records_through, mark: self.mark };
        let flushed = self.sieve.flush(&mut outlet)?;
        self.mark = outlet.mark;
        self.shared.progress.seen.store(self.sieve.seen(), Relaxed);
        tracing::debug!(offered = flushed.offered, passed = flushed.passed, "sieve flushed");
        Ok(())
    }

    /// Sends out the addresses of the ready log from a byte on to its end, but for those that are not wanted.
    ///
    /// They are read back from the log so that even the largest flush needs no memory of its own.
    pub(crate) async fn send_ready(
        &mut self,
        from: u64,
        wanted: impl Fn(u64, u16, &PageUrl) -> bool,
    ) -> Result<(), Error> {
        let mut scan = ReadyScan::open(&self.ready_path, from, self.mark.ready_end)?;
        let mut part: Vec<(QueuedUrl, PageUrl)> = Vec::new();
        loop {
            let more = scan.next_record(|ready: ReadyUrl<'_>| {
                if let Ok(url) = PageUrl::from_normalised(ready.url)
                    && wanted(ready.ordinal, ready.depth, &url)
                {
                    part.push((QueuedUrl::new(ready.ordinal, ready.depth, ready.hops, &url), url));
                }
            })?;
            self.shared.add_active(part.len() as i64);
            for (queued, url) in part.drain(..) {
                self.send(queued, &url).await?;
            }
            if !more {
                break;
            }
            // Sites get their machines meanwhile; otherwise everything would gather in `Place::Searching`.
            tokio::task::yield_now().await;
            self.place_found().await?;
        }
        for worker in 0..self.workers.len() {
            self.send_bundle(worker).await;
        }
        Ok(())
    }

    async fn send(&mut self, queued: QueuedUrl, url: &PageUrl) -> Result<(), Error> {
        match self.places.entry(url.site()) {
            Entry::Vacant(vacant) => {
                let site = vacant.key().clone();
                vacant.insert(Place::Searching(vec![queued], Vec::new()));
                self.search(site);
                Ok(())
            }
            Entry::Occupied(mut occupied) => match occupied.get_mut() {
                Place::Searching(waiting, _) => {
                    waiting.push(queued);
                    Ok(())
                }
                Place::Nowhere(failure) => {
                    let failure = *failure;
                    self.give_up(url.clone(), &queued, failure)
                }
                Place::At { worker, site_index } => {
                    let (worker, site_index) = (*worker, *site_index);
                    self.post(worker, Message::Url { site_index, url: queued }).await;
                    Ok(())
                }
            },
        }
    }

    /// Takes a letter of a worker where it belongs: see [`crate::elsewhere`].
    async fn deliver(&mut self, letter: Letter) -> Result<(), Error> {
        let reply = match letter {
            Letter::Answer(answer) => Some((answer.asker.worker, Message::Answer(answer))),
            Letter::Ask(guest) => self.receive(guest),
            Letter::LookAgain { asker, site, address } => {
                self.search_again(asker, site, address);
                None
            }
            Letter::Moved(moved) => {
                let MovedSite { site, state, not_before, urls } = *moved;
                let (address, state) = (state.address, Box::new(state));
                let message = Message::Site { site: site.clone(), state, not_before: Some(not_before) };
                self.settle(site, address, message, urls, Vec::new()).await;
                None
            }
            Letter::Astray(site, queued) => {
                let url = queued.url(&site);
                return self.send(queued, &url).await;
            }
        };
        if let Some((worker, message)) = reply {
            self.post(worker, message).await;
            self.send_bundle(worker).await;
        }
        Ok(())
    }

    /// Takes a guest to the worker of the site that it wants to ask, or has it wait until there is one.
    fn receive(&mut self, guest: Guest) -> Option<(usize, Message)> {
        match self.places.get_mut(&guest.url.site()) {
            None => {
                let site = guest.url.site();
                self.places.insert(site.clone(), Place::Searching(Vec::new(), vec![guest]));
                self.search(site);
                None
            }
            Some(Place::Searching(_, guests)) => {
                guests.push(guest);
                None
            }
            Some(&mut Place::Nowhere(failure)) => Some(self.turn_away(guest, failure)),
            Some(&mut Place::At { worker, site_index }) => {
                Some((worker, Message::Guest { site_index, guest }))
            }
        }
    }

    /// Looks whether a site is still where it was, and tells the worker that asked. A name that cannot be resolved just
    /// now leaves the site where it is.
    fn search_again(&self, asker: Asker, site: Site, address: IpAddr) {
        let (shared, channel) = (self.shared.clone(), self.workers[asker.worker].channel.clone());
        tokio::task::spawn_local(async move {
            let address = shared.resolver.resolve_near(&site.host(), address).await.unwrap_or(address);
            let message = Message::Address { site: asker.site, address };
            // A worker that is gone has failed and said so.
            let _ = channel.send(vec![message]).await;
        });
    }

    /// The answer to a guest of a site that has no machine.
    fn turn_away(&self, guest: Guest, failure: FetchFailure) -> (usize, Message) {
        (guest.asker.worker, Message::Answer(Box::new(guest.refused(failure, &self.shared))))
    }

    /// Looks for the machine of a site, beside everything else.
    fn search(&self, site: Site) {
        Progress::add(&self.shared.progress.sites, 1);
        let (shared, found) = (self.shared.clone(), self.found.0.clone());
        tokio::task::spawn_local(async move {
            let address = shared.resolver.resolve(&site.host()).await;
            // The distributor may have stopped meanwhile.
            let _ = found.send(Found { site, address });
        });
    }

    async fn place_found(&mut self) -> Result<(), Error> {
        while let Ok(found) = self.found.1.try_recv() {
            self.place(found).await?;
        }
        Ok(())
    }

    /// A site has got its machine: give it, with the addresses that waited, to the worker of that machine.
    async fn place(&mut self, found: Found) -> Result<(), Error> {
        let Found { site, address } = found;
        let Some(Place::Searching(waiting, guests)) = self.places.remove(&site) else {
            unreachable!("a site is searched for once");
        };
        let address = match address {
            Ok(address) => address,
            Err(failure) => {
                tracing::warn!(site = %site, reason = failure.as_str(), "site cannot be visited");
                for queued in &waiting {
                    self.give_up(queued.url(&site), queued, failure)?;
                }
                for guest in guests {
                    let (worker, message) = self.turn_away(guest, failure);
                    self.post(worker, message).await;
                    self.send_bundle(worker).await;
                }
                self.places.insert(site, Place::Nowhere(failure));
                return Ok(());
            }
        };
        let message = self.introduce(&site, address);
        self.settle(site, address, message, waiting, guests).await;
        Ok(())
    }

    /// Gives a site, which the message introduces, with all that waits for it to the worker of its machine.
    async fn settle(
        &mut self,
        site: Site,
        address: IpAddr,
        introduction: Message,
        urls: Vec<QueuedUrl>,
        guests: Vec<Guest>,
    ) {
        let worker = worker_of(address, self.workers.len());
        let site_index = self.workers[worker].site_count;
        self.workers[worker].site_count += 1;
        self.post(worker, introduction).await;
        for url in urls {
            self.post(worker, Message::Url { site_index, url }).await;
        }
        for guest in guests {
            self.post(worker, Message::Guest { site_index, guest }).await;
        }
        self.send_bundle(worker).await;
        self.places.insert(site, Place::At { worker, site_index });
    }

    /// A site as its worker first hears of it, with what earlier runs learnt.
    fn introduce(&mut self, site: &Site, address: IpAddr) -> Message {
        let known = self.known.remove(site.as_str()).unwrap_or_default();
        let now = self.shared.clock.now();
        let name = self.shared.config.robots_name();
        let last_known = known.robots.map(|(fact, at)| match fact {
            HostFact::Robots(body) => (RobotsRules::parse(&body, name), at),
            _ => (RobotsRules::allow_all(), at),
        });
        let unknown = Robots::Unknown { url: site.robots_url(), hops: 0, tries: 0 };
        let mut state = SiteState::new(address, unknown, known.pages_stored);
        if let Some((rules, at)) = last_known {
            // Old rules are asked for again, but their delay holds until then.
            state.take_crawl_delay(&rules);
            if now.since(at) < ROBOTS_LIFETIME {
                state.robots = Robots::Known { rules, at };
            }
        }
        let paused = known.pause_until.map(|until| Instant::now() + until.since(now));
        let crawl_delay = self.shared.is_restart.then(|| self.shared.started + state.crawl_delay());
        let not_before = paused.max(crawl_delay);
        Message::Site { site: site.clone(), state: Box::new(state), not_before }
    }

    fn give_up(&self, url: PageUrl, queued: &QueuedUrl, failure: FetchFailure) -> Result<(), Error> {
        let record = PageRecord {
            ordinal: Some(queued.ordinal),
            depth: queued.depth,
            failure: Some(failure),
            ..PageRecord::new(RecordKind::Failed, url, self.shared.clock.now())
        };
        self.shared.commit(NewPage::bare(record), &[])?;
        self.shared.add_active(-1);
        Ok(())
    }

    async fn post(&mut self, worker: usize, message: Message) {
        let outgoing = &mut self.workers[worker];
        outgoing.bundle.push(message);
        if outgoing.bundle.len() >= BUNDLE {
            self.send_bundle(worker).await;
        }
    }

    async fn send_bundle(&mut self, worker: usize) {
        let outgoing = &mut self.workers[worker];
        if !outgoing.bundle.is_empty() {
            // A worker that is gone has failed and said so; the crawl is about to stop.
            let _ = outgoing.channel.send(std::mem::take(&mut outgoing.bundle)).await;
        }
    }

    fn tell_mirrors(&self) {
        for mirror in self.shared.desk.new_mirrors() {
            tracing::info!(site = mirror.site, of = mirror.of, pages = mirror.pages, "site is a mirror");
        }
    }

    fn keep_store(&mut self) -> Result<(), Error> {
        if self.last_store_sync.elapsed() >= STORE_SYNC_EVERY {
            self.shared.desk.flush_for_sync()?.sync()?;
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

/// All sites of one machine belong to one worker, so that its politeness needs no lock.
fn worker_of(address: IpAddr, worker_count: usize) -> usize {
    let bits = match address {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64 ^ address.to_bits() as u64,
    };
    (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % worker_count
}
