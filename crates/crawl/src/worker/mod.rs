//! A worker: one thread with one reactor that takes care of some machines, from the first request to the commit.
//!
//! The loop does four things in turn: it takes in addresses, starts the visits that are due, lands those that came
//! back (which frees their site), and reads one landed page. Landing comes before reading, and one round of the
//! reactor in between, so that the next request to a site is on its way while the last answer is still being parsed.
//!
//! A large answer holds one of a few permits from the moment it turns out to be large until it is committed. The loop
//! never waits for one: it always reads what has landed, and so those who wait for a permit always get it.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use dedup::TextPrinter;
use fetch::{RobotsRules, RobotsVerdict, retry_after, robots_from};
use frontier::{HostFact, QueuedUrl, SiteId, Turn, Workbench};
use page::{FetchFailure, Fetched, Outcome, Response, Site};
use store::{NewPage, PageFlags, PageRecord, RecordKind, WarcRecordBuilder};
use tokio::sync::mpsc;

use crate::elsewhere::{Asker, Guest, GuestAnswer, Letter, MovedSite};
use crate::read::{self, Reading};
use crate::seen_cache::SeenCache;
use crate::shared::Shared;
use crate::site_state::{PAUSE_MAX, ROBOTS_LIFETIME, Robots, SiteState, TRIES_MAX, backoff};
use crate::visit::{Errand, Landed, Visit};
use crate::{Distance, Error, Progress, RestCause, Resting};

/// Redirects of robots.txt that are followed (RFC 9309, section 2.3.1.2).
const ROBOTS_HOPS_MAX: u8 = 5;

/// Addresses that are settled without a request in one turn of a site, before others have theirs.
const UNVISITED_PER_TURN_MAX: usize = 64;

/// While something outside the workbench has to change first, look again after this time.
const RECHECK: Duration = Duration::from_millis(5);

/// A site that has given its share lets others go first for at least this time, and for at most so many of its rests.
const SIT_OUT_MIN: Duration = Duration::from_millis(20);
const SIT_OUT_TURNS_MAX: u64 = 4;

/// How long answers are waited for when the crawl is asked to stop. Who is later is asked again by the next run.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// What the distributor tells a worker.
#[derive(Debug)]
pub(crate) enum Message {
    /// A new site; it gets the next index, from zero.
    Site { site: Site, state: Box<SiteState>, not_before: Option<Instant> },
    /// An address of the site with this index.
    Url { site_index: u32, url: QueuedUrl },
    /// The robots.txt of another site is on the site with this index.
    Guest { site_index: u32, guest: Guest },
    /// What was found where the robots.txt of one of our sites is.
    Answer(Box<GuestAnswer>),
    /// Where one of our sites is now.
    Address { site: SiteId, address: IpAddr },
}

/// The state of one thread.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    index: usize,
    letters: mpsc::UnboundedSender<Letter>,
    bench: Workbench<SiteState>,
    sites: Vec<SiteId>,
    inbox: mpsc::Receiver<Vec<Message>>,
    landed: (mpsc::UnboundedSender<Landed>, mpsc::UnboundedReceiver<Landed>),
    unread: VecDeque<Landed>,
    in_flight: usize,
    visits_max: usize,
    open_connections: usize,
    open_connections_max: usize,
    give_up_at: Option<Instant>,
    cache: SeenCache,
    warc: WarcRecordBuilder,
    printer: TextPrinter,
}

impl Worker {
    pub(crate) fn new(
        shared: Arc<Shared>,
        index: usize,
        bench: Workbench<SiteState>,
        inbox: mpsc::Receiver<Vec<Message>>,
        letters: mpsc::UnboundedSender<Letter>,
    ) -> Self {
        let config = &shared.config;
        Self {
            index,
            letters,
            bench,
            sites: Vec::new(),
            inbox,
            landed: mpsc::unbounded_channel(),
            unread: VecDeque::new(),
            in_flight: 0,
            visits_max: config.visits_per_worker_max(),
            open_connections: 0,
            open_connections_max: config.connections_per_worker_max() / 2,
            give_up_at: None,
            cache: SeenCache::new(config.cache_bytes_per_worker()),
            warc: WarcRecordBuilder::new(config.compression_level),
            printer: TextPrinter::default(),
            shared,
        }
    }

    /// Works until the crawl stops and everything under way is done.
    pub(crate) async fn run(mut self) -> Result<(), Error> {
        loop {
            while let Ok(messages) = self.inbox.try_recv() {
                self.take_in(messages)?;
            }
            while let Ok(landed) = self.landed.1.try_recv() {
                self.land(landed)?;
            }
            let next_due = self.start_visits()?;
            if !self.unread.is_empty() {
                tokio::task::yield_now().await;
                let landed = self.unread.pop_front().expect("it was not empty");
                self.read(landed)?;
                continue;
            }
            if self.shared.is_stopping() {
                let give_up_at = *self.give_up_at.get_or_insert_with(|| Instant::now() + STOP_PATIENCE);
                if self.in_flight == 0 || Instant::now() >= give_up_at {
                    return Ok(());
                }
                self.wait(Some(give_up_at)).await?;
            } else {
                if self.in_flight == 0 {
                    self.tell_rest(next_due);
                }
                self.wait(next_due).await?;
            }
        }
    }

    /// Tells whoever watches whom we wait for, and why.
    fn tell_rest(&self, next_due: Option<Instant>) {
        let next = self.bench.next_due().filter(|(until, _)| next_due == Some(*until));
        let resting = next.map(|(until, id)| {
            let (state, policy) = (self.bench.site(id), &self.shared.config.policy);
            let everybody = policy.host_delay.max(policy.address_delay);
            let asked = state.data.crawl_delay();
            let cause = match until.saturating_duration_since(Instant::now()) {
                left if left > everybody.max(asked) => RestCause::Pause,
                left if left > everybody || asked > everybody => RestCause::CrawlDelay,
                _ => RestCause::Delay,
            };
            Resting { site: state.site().clone(), until, cause }
        });
        self.shared.progress.set_resting(self.index, resting);
    }

    async fn wait(&mut self, next_due: Option<Instant>) -> Result<(), Error> {
        let stopping = self.shared.is_stopping();
        let shared = self.shared.clone();
        let due = next_due.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
        tokio::select! {
            biased;
            Some(landed) = self.landed.1.recv() => self.land(landed),
            Some(messages) = self.inbox.recv(), if !stopping => self.take_in(messages),
            () = tokio::time::sleep_until(due.into()), if next_due.is_some() => Ok(()),
            () = shared.stopping(), if !stopping => Ok(()),
        }
    }

    fn take_in(&mut self, messages: Vec<Message>) -> Result<(), Error> {
        for message in messages {
            match message {
                Message::Site { site, state, not_before } => {
                    let is_full = self.site_is_full(&state);
                    let id = self.bench.add_site(site, state.address, not_before, *state);
                    if is_full {
                        self.bench.freeze(id);
                    }
                    if let Some(ranks) = &self.shared.ranks {
                        ranks.add_site();
                    }
                    self.sites.push(id);
                }
                Message::Url { site_index, url } => {
                    let id = self.sites[site_index as usize];
                    if self.bench.site(id).data.has_moved {
                        self.write(Letter::Astray(self.bench.site(id).site().clone(), url));
                        continue;
                    }
                    self.bench.push(id, url)?;
                    if self.bench.site(id).is_frozen() {
                        self.shared.add_active(-1);
                    }
                }
                Message::Guest { site_index, guest } => {
                    let id = self.sites[site_index as usize];
                    self.bench.site_mut(id).data.guests.push_back(guest);
                    self.bench.add_errand(id);
                }
                Message::Answer(answer) => self.land_from_elsewhere(*answer)?,
                Message::Address { site, address } => self.find_at(site, address)?,
            }
        }
        Ok(())
    }

    /// Starts all visits that are due. Returns when to look again.
    fn start_visits(&mut self) -> Result<Option<Instant>, Error> {
        loop {
            if self.shared.is_stopping() || self.in_flight + self.unread.len() >= self.visits_max {
                return Ok(None);
            }
            if self.shared.outbox_is_full() {
                return Ok(Some(Instant::now() + RECHECK));
            }
            match self.bench.next_turn(Instant::now()) {
                Turn::Idle => return Ok(None),
                Turn::WaitUntil(moment) => return Ok(Some(moment)),
                Turn::Visit(id) => {
                    if !self.begin(id)? {
                        return Ok(Some(Instant::now() + RECHECK));
                    }
                }
            }
        }
    }

    /// Uses the turn of a site. False if the page budget has no ticket left for it just now.
    fn begin(&mut self, id: SiteId) -> Result<bool, Error> {
        if let Some(guest) = self.bench.site_mut(id).data.guests.pop_front() {
            self.bench.take_errand(id);
            self.begin_guest(id, guest);
            return Ok(true);
        }
        if self.robots_are_old(id) {
            self.look_again(id);
            return Ok(true);
        }
        let state = self.bench.site(id);
        match &state.data.robots {
            Robots::Unknown { url, .. } => {
                let url = url.clone();
                if url.site() == *state.site() {
                    self.depart(id, Errand::Robots, url);
                } else {
                    self.ask_elsewhere(id, url);
                }
                Ok(true)
            }
            Robots::Closed(failure) => {
                let failure = *failure;
                self.give_up_queue(id, failure)?;
                Ok(true)
            }
            Robots::Known { .. } => self.begin_page(id),
        }
    }

    /// Uses the turn of a site for the robots.txt of another one. That is not subject to the rules of this one: whoever
    /// redirects there has said that it is for everybody.
    fn begin_guest(&mut self, id: SiteId, guest: Guest) {
        if let Robots::Closed(failure) = self.bench.site(id).data.robots {
            self.write(Letter::Answer(Box::new(guest.refused(failure, &self.shared))));
            self.bench.release_unvisited(id);
        } else {
            self.depart(id, Errand::Guest(guest.asker), guest.url);
        }
    }

    /// Has the robots.txt of a site fetched by whoever takes care of the site that it is on. Until then the site waits.
    fn ask_elsewhere(&mut self, id: SiteId, url: page::PageUrl) {
        self.write(Letter::Ask(Guest { url, asker: Asker { worker: self.index, site: id } }));
        self.bench.hold(id);
        self.bench.release_unvisited(id);
    }

    fn write(&self, letter: Letter) {
        // A distributor that is gone has stopped the crawl.
        let _ = self.letters.send(letter);
    }

    /// Sends for the first address of the queue that robots.txt allows.
    fn begin_page(&mut self, id: SiteId) -> Result<bool, Error> {
        if let Some(pause) = self.turns_to_sit_out(id) {
            self.bench.site_mut(id).data.has_sat_out = true;
            self.bench.defer(id, Instant::now() + pause);
            return Ok(true);
        }
        self.bench.site_mut(id).data.has_sat_out = false;
        if !self.shared.pages.take_ticket() {
            self.bench.release_unvisited(id);
            return Ok(false);
        }
        for _ in 0..UNVISITED_PER_TURN_MAX {
            let Some(queued) = self.bench.take_url(id)? else { break };
            let state = self.bench.site(id);
            let url = queued.url(state.site());
            let Robots::Known { rules, .. } = &state.data.robots else { unreachable!("begin saw the rules") };
            if rules.allows(url.path_and_query()) {
                self.depart(id, Errand::Page(queued), url);
                return Ok(true);
            }
            Progress::add(&self.shared.progress.forbidden, 1);
            let record = PageRecord {
                ordinal: Some(queued.ordinal),
                depth: queued.depth,
                ..PageRecord::new(RecordKind::Forbidden, url, self.shared.clock.now())
            };
            self.settle(NewPage::bare(record))?;
        }
        self.shared.pages.return_ticket();
        self.bench.release_unvisited(id);
        Ok(true)
    }

    /// How long a site that has given more than its share of the page budget lets others go first: as many rests as it
    /// has had shares. Then it has its turn, so that the budget is used up even if the others have nothing more to give.
    fn turns_to_sit_out(&self, id: SiteId) -> Option<Duration> {
        let (ranks, pages_max) = (self.shared.ranks.as_ref()?, self.shared.config.budget.pages_max?);
        let state = self.bench.site(id);
        let share = ranks.share_of(state.site(), pages_max).max(1);
        let times = state.data.pages_stored / share;
        let rest = self.shared.config.policy.host_delay.max(SIT_OUT_MIN);
        (times > 0 && !state.data.has_sat_out).then(|| rest * times.min(SIT_OUT_TURNS_MAX) as u32)
    }

    fn depart(&mut self, id: SiteId, errand: Errand, url: page::PageUrl) {
        let data = &mut self.bench.site_mut(id).data;
        let connection = data.connection.take();
        self.open_connections -= usize::from(connection.is_some());
        let visit = Visit { site: id, errand, url, address: data.address, connection };
        self.in_flight += 1;
        Progress::add(&self.shared.progress.requests, 1);
        Progress::add(&self.shared.progress.in_flight, 1);
        let (shared, landed) = (self.shared.clone(), self.landed.0.clone());
        tokio::task::spawn_local(async move {
            // The worker may be gone after a failure; then nobody waits for this visit any more.
            let _ = landed.send(visit.run(shared).await);
        });
    }

    /// A visit came back: free the site, and see what is to be done with the answer.
    fn land(&mut self, mut landed: Landed) -> Result<(), Error> {
        self.in_flight -= 1;
        self.shared.progress.in_flight.fetch_sub(1, Relaxed);
        self.keep_connection(landed.site, landed.connection.take());
        if let Outcome::Response(response) = &landed.fetched.outcome {
            Progress::add(&self.shared.progress.bytes_fetched, response.raw_body.len() as u64);
        }
        match landed.errand {
            Errand::Robots => self.land_robots(landed),
            Errand::Guest(asker) => self.land_guest(landed, asker),
            Errand::Page(_) => self.land_page(landed),
        }
    }

    fn keep_connection(&mut self, id: SiteId, connection: Option<fetch::Connection>) {
        if connection.is_some() && self.open_connections < self.open_connections_max {
            self.open_connections += 1;
            self.bench.site_mut(id).data.connection = connection;
        }
    }

    fn release(&mut self, id: SiteId, elapsed: Duration, pause: Duration) {
        let site_delay = self.bench.site(id).data.crawl_delay().max(pause);
        self.bench.release(id, Instant::now(), elapsed, site_delay);
    }

    fn land_page(&mut self, mut landed: Landed) -> Result<(), Error> {
        let Errand::Page(queued) = &mut landed.errand else { unreachable!("land saw the errand") };
        let data = &mut self.bench.site_mut(landed.site).data;
        // A pause means that the same address is worth another try after it.
        let pause = match &landed.fetched.outcome {
            Outcome::Failed(failure) => data.failed(*failure),
            Outcome::Response(response) => {
                data.answered();
                pause_asked_for(response, queued.tries, &self.shared)
            }
        };
        let is_page = read::is_page(&landed.fetched, queued.depth, &self.shared.config);
        if is_page {
            data.pages_stored += 1;
            self.count_page();
        } else {
            self.shared.pages.return_ticket();
        }
        let must_retry = pause.is_some() && queued.tries + 1 < TRIES_MAX;
        let (id, elapsed) = (landed.site, landed.fetched.elapsed);
        if must_retry {
            queued.tries += 1;
            let again = queued.clone();
            self.bench.push(id, again)?;
        } else {
            self.keep_unread(landed);
        }
        if let Some(pause) = pause {
            self.remember_pause(id, pause)?;
        }
        self.freeze_if_full(id);
        self.release(id, elapsed, pause.unwrap_or_default());
        Ok(())
    }

    fn count_page(&self) {
        self.shared.pages.page_stored();
        Progress::add(&self.shared.progress.pages_stored, 1);
        Progress::add(&self.shared.progress.pages_this_run, 1);
    }

    /// A pause must hold after a restart too, whatever the delays of the next run.
    fn remember_pause(&self, id: SiteId, pause: Duration) -> Result<(), Error> {
        if pause > Duration::ZERO {
            // The clock has cut off a part of a millisecond.
            let until = self.shared.clock.now().after(pause + Duration::from_millis(1));
            self.note_fact(id, &HostFact::PauseUntil(until))?;
        }
        Ok(())
    }

    fn note_fact(&self, id: SiteId, fact: &HostFact) -> Result<(), Error> {
        let site = self.bench.site(id).site().as_str();
        let mut log = self.shared.host_log.lock().expect("nobody panics with the log");
        Ok(log.append(site, self.shared.clock.now(), fact)?)
    }

    fn site_is_full(&self, state: &SiteState) -> bool {
        self.shared.config.budget.pages_per_host_max.is_some_and(|max| state.pages_stored >= max)
    }

    fn freeze_if_full(&mut self, id: SiteId) {
        let state = self.bench.site(id);
        if self.site_is_full(&state.data) && !state.is_frozen() {
            let waiting = state.queue_len();
            self.bench.freeze(id);
            self.shared.add_active(-(waiting as i64));
        }
    }

    fn robots_are_old(&self, id: SiteId) -> bool {
        match &self.bench.site(id).data.robots {
            Robots::Known { at, .. } => self.shared.clock.now().since(*at) > ROBOTS_LIFETIME,
            _ => false,
        }
    }

    /// Forgets the rules of a site, and holds it until it is known where to ask for them.
    fn look_again(&mut self, id: SiteId) {
        let state = self.bench.site_mut(id);
        let (site, address) = (state.site().clone(), state.data.address);
        state.data.robots = Robots::Unknown { url: site.robots_url(), hops: 0, tries: 0 };
        self.write(Letter::LookAgain { asker: Asker { worker: self.index, site: id }, site, address });
        self.bench.hold(id);
        self.bench.release_unvisited(id);
    }

    /// A site that was looked for is where it was, or has moved: then it leaves, with its queue, for the worker of its
    /// new machine. What stays here is held for good.
    fn find_at(&mut self, id: SiteId, address: IpAddr) -> Result<(), Error> {
        if self.bench.site(id).data.address == address {
            self.bench.resume(id, Instant::now());
            return Ok(());
        }
        let mut urls = Vec::new();
        while let Some(url) = self.bench.take_url(id)? {
            urls.push(url);
        }
        let state = self.bench.site_mut(id);
        state.data.has_moved = true;
        self.open_connections -= usize::from(state.data.connection.take().is_some());
        let (site, not_before) = (state.site().clone(), state.next_fetch());
        let state = state.data.moved_to(address, site.robots_url());
        self.write(Letter::Moved(Box::new(MovedSite { site, state, not_before, urls })));
        Ok(())
    }

    fn land_robots(&mut self, landed: Landed) -> Result<(), Error> {
        let pause = self.judge_robots(landed.site, &landed.fetched)?;
        self.remember_pause(landed.site, pause)?;
        self.release(landed.site, landed.fetched.elapsed, pause);
        self.keep_unread(landed);
        Ok(())
    }

    /// A robots.txt came back that was fetched here for another site: free this one, and send the answer on.
    fn land_guest(&mut self, landed: Landed, asker: Asker) -> Result<(), Error> {
        let Landed { site: id, fetched, permit, .. } = landed;
        let data = &mut self.bench.site_mut(id).data;
        let pause = match &fetched.outcome {
            Outcome::Failed(failure) => data.failed(*failure),
            Outcome::Response(response) => {
                data.answered();
                pause_asked_for(response, 0, &self.shared)
            }
        };
        let pause = pause.unwrap_or_default();
        self.remember_pause(id, pause)?;
        self.release(id, fetched.elapsed, pause);
        self.write(Letter::Answer(Box::new(GuestAnswer { asker, fetched, permit })));
        Ok(())
    }

    /// The answer to a letter: the rules of a site that were kept elsewhere.
    fn land_from_elsewhere(&mut self, answer: GuestAnswer) -> Result<(), Error> {
        let GuestAnswer { asker: Asker { site, .. }, fetched, permit } = answer;
        let pause = self.judge_robots(site, &fetched)?;
        let rest = pause.max(self.bench.site(site).data.crawl_delay());
        self.bench.resume(site, Instant::now() + rest);
        self.keep_unread(Landed { site, errand: Errand::Robots, fetched, permit, connection: None });
        Ok(())
    }

    /// Learns what an answer to a request for the robots.txt of a site means, wherever it came from. Returns how long
    /// to leave the site alone.
    fn judge_robots(&mut self, id: SiteId, fetched: &Fetched) -> Result<Duration, Error> {
        let verdict = robots_from(fetched, self.shared.config.robots_name());
        let now = self.shared.clock.now();
        let data = &mut self.bench.site_mut(id).data;
        let Robots::Unknown { url, hops, tries } = &mut data.robots else {
            unreachable!("robots.txt was asked for")
        };
        match verdict {
            RobotsVerdict::Rules(rules) => {
                self.learn_rules(id, rules);
                self.note_fact(id, &robots_fact(fetched))?;
            }
            RobotsVerdict::Redirect(target) if *hops < ROBOTS_HOPS_MAX => {
                *url = target;
                *hops += 1;
            }
            RobotsVerdict::Unavailable | RobotsVerdict::Redirect(_) => {
                self.learn_rules(id, RobotsRules::allow_all());
                self.note_fact(id, &HostFact::NoRobots)?;
            }
            RobotsVerdict::Unreachable if *tries + 1 < TRIES_MAX && is_worth_another_try(fetched) => {
                *tries += 1;
                return Ok(asked_pause(fetched, now).unwrap_or(backoff(u32::from(*tries))));
            }
            RobotsVerdict::Unreachable => {
                // What is wrong with another site would be said of this one.
                let failure =
                    if *hops > 0 { FetchFailure::RobotsUnreachable } else { why_unreachable(fetched) };
                data.robots = Robots::Closed(failure);
            }
        }
        Ok(Duration::ZERO)
    }

    fn keep_unread(&mut self, landed: Landed) {
        self.shared.progress.add_unread(landed.body_bytes());
        self.unread.push_back(landed);
    }

    fn learn_rules(&mut self, id: SiteId, rules: RobotsRules) {
        let at = self.shared.clock.now();
        let data = &mut self.bench.site_mut(id).data;
        data.take_crawl_delay(&rules);
        data.robots = Robots::Known { rules, at };
    }

    /// Gives up all addresses of a site that cannot be reached.
    fn give_up_queue(&mut self, id: SiteId, failure: FetchFailure) -> Result<(), Error> {
        for _ in 0..UNVISITED_PER_TURN_MAX {
            let Some(queued) = self.bench.take_url(id)? else { break };
            let url = queued.url(self.bench.site(id).site());
            let record = PageRecord {
                ordinal: Some(queued.ordinal),
                depth: queued.depth,
                failure: Some(failure),
                ..PageRecord::new(RecordKind::Failed, url, self.shared.clock.now())
            };
            self.settle(NewPage::bare(record))?;
        }
        self.bench.release_unvisited(id);
        Ok(())
    }

    /// Commits what is known of an address that needs no reading.
    fn settle(&self, page: NewPage) -> Result<(), Error> {
        let committed = self.shared.commit(page, &[])?;
        self.shared.note_outbox(committed.outbox_bytes);
        self.shared.add_active(-1);
        Ok(())
    }

    /// Reads a landed answer and commits it with its links.
    fn read(&mut self, landed: Landed) -> Result<(), Error> {
        let body_bytes = landed.body_bytes();
        let Landed { site, errand, fetched, permit, .. } = landed;
        let (ordinal, distance, reading) = match &errand {
            Errand::Robots | Errand::Guest(_) => (None, Distance::default(), self.read_robots(site)),
            Errand::Page(queued) => {
                let distance = Distance { depth: queued.depth, hops: queued.hops };
                let reading = read::read_answer(&fetched, distance, &self.shared.config, &mut self.printer);
                (Some(queued.ordinal), distance, reading)
            }
        };
        if let Some(ranks) = &self.shared.ranks {
            ranks.see(&fetched.url, distance, &reading.links, &self.shared.admission);
        }
        let record = PageRecord::new(reading.kind, fetched.url.clone(), fetched.at);
        let flags = PageFlags { noindex: reading.noindex, ..record.flags };
        let (depth, failure) = (distance.depth, reading.failure);
        let record = PageRecord { ordinal, depth, failure, flags, print: reading.print, ..record };
        let page = NewPage::fetched(record, &fetched, &reading.links, &mut self.warc);
        let offers = read::offers(&reading.links, distance, &self.shared.admission, &mut self.cache);
        let committed = self.shared.commit(page, &offers)?;
        if committed.offers_dropped {
            // They are news again on a page that is no copy.
            offers.iter().for_each(|offer| self.cache.forget(offer.fingerprint));
        }
        self.shared.progress.count_copy(committed.copy);
        drop(fetched);
        self.shared.progress.unread_bytes.fetch_sub(body_bytes, Relaxed);
        drop(permit);
        self.shared.note_outbox(committed.outbox_bytes);
        if let Errand::Page(_) = errand {
            self.shared.add_active(-1);
        }
        Ok(())
    }

    /// The sitemaps that a robots.txt names are its links.
    fn read_robots(&self, site: SiteId) -> Reading {
        let named = match &self.bench.site(site).data.robots {
            Robots::Known { rules, .. } => rules.sitemaps(),
            _ => &[],
        };
        Reading { links: read::sitemap_links(named), ..Reading::bare(RecordKind::Robots) }
    }
}

/// 429 and 503 ask for a pause, with or without saying how long.
fn pause_asked_for(response: &Response, tries: u8, shared: &Shared) -> Option<Duration> {
    matches!(response.status, 429 | 503).then(|| {
        let asked = retry_after(response, shared.clock.now());
        asked.unwrap_or_else(|| backoff(u32::from(tries) + 1)).min(PAUSE_MAX)
    })
}

fn asked_pause(fetched: &Fetched, now: page::Timestamp) -> Option<Duration> {
    match &fetched.outcome {
        Outcome::Response(response) => retry_after(response, now).map(|pause| pause.min(PAUSE_MAX)),
        Outcome::Failed(_) => None,
    }
}

/// What the user does not allow stays forbidden.
fn is_worth_another_try(fetched: &Fetched) -> bool {
    !matches!(fetched.outcome, Outcome::Failed(FetchFailure::AddressNotAllowed))
}

fn why_unreachable(fetched: &Fetched) -> FetchFailure {
    match fetched.outcome {
        Outcome::Failed(failure) => failure,
        Outcome::Response(_) => FetchFailure::RobotsUnreachable,
    }
}

fn robots_fact(fetched: &Fetched) -> HostFact {
    match &fetched.outcome {
        Outcome::Response(response) => {
            let body = response.body();
            HostFact::Robots(body[..body.len().min(fetch::ROBOTS_BYTES_MAX)].to_vec())
        }
        Outcome::Failed(_) => HostFact::NoRobots,
    }
}
