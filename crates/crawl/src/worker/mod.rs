//! A worker: one thread with one reactor that takes care of some machines, from the first request to the commit.
//!
//! The loop does four things in turn: it takes in addresses, starts the visits that are due, lands those that came
//! back (which frees their site), and reads one landed page. Landing comes before reading, and one round of the
//! reactor in between, so that the next request to a site is on its way while the last answer is still being parsed.
//!
//! A large answer holds one of a few permits from the moment it turns out to be large until it is committed. The loop
//! never waits for one: it always reads what has landed, and so those who wait for a permit always get it.
//!
//! Here is the loop. The rest is told by [`departing`] (what a turn is used for), [`robots`] (which rules hold), [`moving`]
//! (a site is elsewhere), [`landing`] (an answer has come) and [`reader`] (it is read).

mod departing;
mod handover;
mod landing;
mod moving;
mod reader;
mod robots;
mod visiting;

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use frontier::{SiteId, Turn, Workbench};
use page::Outcome;
use tokio::sync::mpsc;
use tokio::time::Sleep;

pub(crate) use self::handover::{Handover, Unread, read_all};
use self::reader::Reader;
use crate::letters::{Letter, Message};
use crate::shared::Shared;
use crate::site_state::SiteState;
use crate::status::FrontierCounts;
use crate::visit::{Errand, Landed};
use crate::{Error, Progress, RestCause, Resting};

/// While something outside the workbench has to change first, look again after this time.
const RECHECK: Duration = Duration::from_millis(5);

/// How long answers are waited for when the crawl is asked to stop. Who is later is asked again by the next run.
const STOP_PATIENCE: Duration = Duration::from_secs(3);

/// Hosts are counted this often, or so seldom that it takes one part of so many of the time.
const COUNT_EVERY: Duration = Duration::from_secs(1);
const COUNT_SHARE: u32 = 50;

/// The state of one thread.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    index: usize,
    letters: mpsc::UnboundedSender<Letter>,
    bench: Workbench<SiteState>,
    inbox: mpsc::Receiver<Vec<Message>>,
    /// Where visits under way put what came of them, and where it is taken out.
    landing: mpsc::UnboundedSender<Landed>,
    landed: mpsc::UnboundedReceiver<Landed>,
    unread: VecDeque<Landed>,
    /// To whom it gives them, if it does not read itself.
    handover: Option<Handover>,
    in_flight: usize,
    visits_max: usize,
    open_connections: usize,
    open_connections_max: usize,
    give_up_at: Option<Instant>,
    /// When hosts are counted again, if anything has happened since.
    next_count: Instant,
    is_uncounted: bool,
    reader: Reader,
}

impl Worker {
    pub(crate) fn new(
        shared: Arc<Shared>,
        index: usize,
        bench: Workbench<SiteState>,
        inbox: mpsc::Receiver<Vec<Message>>,
        letters: mpsc::UnboundedSender<Letter>,
        handover: Option<Handover>,
    ) -> Self {
        let config = &shared.config;
        let (landing, landed) = mpsc::unbounded_channel();
        Self {
            index,
            letters,
            bench,
            inbox,
            landing,
            landed,
            unread: VecDeque::new(),
            handover,
            in_flight: 0,
            visits_max: config.visits_per_worker_max(),
            open_connections: 0,
            open_connections_max: config.connections_per_worker_max() / 2,
            give_up_at: None,
            next_count: Instant::now(),
            is_uncounted: true,
            reader: Reader::new(shared.clone()),
            shared,
        }
    }

    /// Works until the crawl stops and everything under way is done.
    pub(crate) async fn run(mut self) -> Result<(), Error> {
        // One for all waits: a new one for each would wake the reactor by a system call, for each page.
        let mut alarm = pin!(tokio::time::sleep(Duration::ZERO));
        loop {
            while let Ok(messages) = self.inbox.try_recv() {
                self.take_in(messages)?;
            }
            while let Ok(landed) = self.landed.try_recv() {
                self.land(landed)?;
            }
            self.tell_frontier();
            let next_due = self.start_visits()?;
            self.hand_over()?;
            let is_readable = self.shared.desk.knows_copies();
            if !self.unread.is_empty() && is_readable {
                tokio::task::yield_now().await;
                let landed = self.unread.pop_front().expect("it was not empty");
                let sitemaps = self.bench.wake(landed.site)?.data.sitemaps();
                self.reader.read(landed, sitemaps)?;
                continue;
            }
            if self.shared.is_stopping() {
                let give_up_at = *self.give_up_at.get_or_insert_with(|| Instant::now() + STOP_PATIENCE);
                if self.in_flight == 0 || Instant::now() >= give_up_at {
                    return Ok(());
                }
                self.wait(Some(give_up_at), alarm.as_mut()).await?;
            } else {
                if self.in_flight == 0 {
                    self.tell_rest(next_due)?;
                }
                let next_count = self.is_uncounted.then_some(self.next_count);
                let is_full = self.in_flight + self.unread_count() >= self.visits_max;
                let next_read = (!is_readable || is_full).then(|| Instant::now() + RECHECK);
                let due = next_due.into_iter().chain(next_count).chain(next_read).min();
                self.wait(due, alarm.as_mut()).await?;
            }
        }
    }

    /// Gives what has landed to whoever reads it, if there is somebody.
    fn hand_over(&mut self) -> Result<(), Error> {
        let Some(handover) = &mut self.handover else { return Ok(()) };
        for landed in self.unread.drain(..) {
            let sitemaps = match landed.errand {
                Errand::Page(_) => Vec::new(),
                _ => self.bench.wake(landed.site)?.data.sitemaps().to_vec(),
            };
            handover.give(landed, sitemaps);
        }
        Ok(())
    }

    /// Answers that are not read yet.
    fn unread_count(&self) -> usize {
        self.unread.len() + self.handover.as_ref().map_or(0, Handover::waiting)
    }

    /// Counts hosts and addresses for whoever watches, about once a second.
    fn tell_frontier(&mut self) {
        let begin = Instant::now();
        if begin < self.next_count || !self.is_uncounted {
            return;
        }
        self.is_uncounted = false;
        let counts = FrontierCounts::of(&self.bench, &self.shared.config.policy, begin);
        self.shared.progress.set_frontier(self.index, counts);
        self.next_count = Instant::now() + COUNT_EVERY.max(begin.elapsed() * COUNT_SHARE);
    }

    /// Tells whoever watches whom we wait for, and why.
    fn tell_rest(&mut self, next_due: Option<Instant>) -> Result<(), Error> {
        let next = self.bench.next_due().filter(|(until, _)| next_due == Some(*until));
        let mut resting = None;
        if let Some((until, id)) = next {
            let (state, policy) = (self.bench.wake(id)?, &self.shared.config.policy);
            let everybody = policy.host_delay.max(policy.address_delay);
            let asked = state.data.crawl_delay();
            let cause = match until.saturating_duration_since(Instant::now()) {
                left if left > everybody.max(asked) => RestCause::Pause,
                left if left > everybody || asked > everybody => RestCause::CrawlDelay,
                _ => RestCause::Delay,
            };
            resting = Some(Resting { site: state.site().clone(), until, cause });
        }
        self.shared.progress.set_resting(self.index, resting);
        Ok(())
    }

    /// Waits until there is something to do, at most until the next thing is due.
    async fn wait(&mut self, next_due: Option<Instant>, mut alarm: Pin<&mut Sleep>) -> Result<(), Error> {
        let stopping = self.shared.is_stopping();
        let shared = self.shared.clone();
        if let Some(due) = next_due.map(Into::into).filter(|due| *due != alarm.deadline()) {
            alarm.as_mut().reset(due);
        }
        tokio::select! {
            biased;
            Some(landed) = self.landed.recv() => self.land(landed),
            Some(messages) = self.inbox.recv(), if !stopping => self.take_in(messages),
            () = alarm, if next_due.is_some() => Ok(()),
            () = shared.stopping(), if !stopping => Ok(()),
        }
    }

    /// Does what the distributor says.
    fn take_in(&mut self, messages: Vec<Message>) -> Result<(), Error> {
        self.is_uncounted = true;
        for message in messages {
            match message {
                Message::Site { site, state, not_before } => {
                    let is_full = self.site_is_full(&site, &state);
                    let id = self.bench.add_site(site, state.address, not_before, *state)?;
                    if is_full {
                        self.bench.freeze(id);
                    }
                    if let Some(policy) = &self.shared.priority {
                        policy.see_site();
                    }
                }
                Message::Url { site_index, url } => {
                    let id = SiteId::nth(site_index);
                    if let Some(url) = self.send_after(id, url)? {
                        self.bench.push(id, url)?;
                        if let Some(error) = self.bench.take_refusal() {
                            self.shared.room.note_full(&error.into());
                        }
                        if self.bench.is_frozen(id) {
                            self.shared.add_active(-1);
                        }
                    }
                }
                Message::Guest { site_index, guest } => {
                    let id = SiteId::nth(site_index);
                    self.bench.wake(id)?.data.guests.push_back(guest);
                    self.bench.add_errand(id)?;
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
            if self.shared.is_stopping() || self.in_flight + self.unread_count() >= self.visits_max {
                return Ok(None);
            }
            if self.shared.outbox_is_full() || self.shared.room.is_full() {
                return Ok(Some(Instant::now() + RECHECK));
            }
            match self.bench.next_turn(Instant::now())? {
                Turn::Idle => return Ok(None),
                Turn::WaitUntil(moment) => return Ok(Some(moment)),
                Turn::Visit(id) => {
                    self.is_uncounted = true;
                    if !self.begin(id)? {
                        return Ok(Some(Instant::now() + RECHECK));
                    }
                }
            }
        }
    }

    /// Writes to whoever it concerns.
    fn write(&self, letter: Letter) {
        // A distributor that is gone has stopped the crawl.
        let _ = self.letters.send(letter);
    }

    /// A visit came back: free the site, and see what is to be done with the answer.
    fn land(&mut self, mut landed: Landed) -> Result<(), Error> {
        self.is_uncounted = true;
        self.in_flight -= 1;
        self.shared.progress.in_flight.fetch_sub(1, Relaxed);
        self.keep_connection(landed.site, landed.connection.take());
        if let (Some(log), Some((began, ended))) = (&self.shared.request_log, landed.moments) {
            self.shared.room.unless_full(log.add(&landed.fetched, began, ended))?;
        }
        if let Outcome::Response(response) = &landed.fetched.outcome {
            Progress::add(&self.shared.progress.bytes_fetched, response.raw_body.len() as u64);
        }
        match landed.errand {
            Errand::Robots => self.land_robots(landed),
            Errand::Guest(asker) => self.land_guest(landed, asker),
            Errand::Page(_) => self.land_page(landed),
        }
    }

    /// Keeps a connection for the next visit, if there is room for one more.
    fn keep_connection(&mut self, id: SiteId, connection: Option<fetch::Connection>) {
        if connection.is_some() && self.open_connections < self.open_connections_max {
            self.open_connections += 1;
            self.bench.site_mut(id).data.connection = connection;
        }
    }
}
