//! Places: who takes care of which site, and how everything gets there.
//!
//! A site is looked for when its first address, or a guest, comes for it; what comes meanwhile waits. Once its machine
//! is known, it goes with all that waits to the worker of that machine, together with what earlier runs learnt of it.
//! A site that has no machine is remembered too, and whatever comes for it is given up at once.
//!
//! What waits is bounded: [`Places::is_crowded`] tells whoever sends to wait until some sites are found.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use fetch::RobotsRules;
use frontier::{HostFact, QueuedUrl};
use page::{FetchFailure, PageUrl, Site};
use store::{NewPage, PageRecord, RecordKind};
use tokio::sync::mpsc;

use super::known::KnownSites;
use super::register::{Place, Register};
use super::searching::{Searching, Waiting};
use crate::guest::{Asker, Guest};
use crate::letters::{Letter, Message, MovedSite};
use crate::shared::Shared;
use crate::site_state::{ROBOTS_LIFETIME, Robots, SiteState};
use crate::{Error, Progress};

/// Addresses travel to workers in bundles of this many.
const BUNDLE: usize = 256;

/// All sites of a crawl.
pub(super) struct Places {
    shared: Arc<Shared>,
    known: KnownSites,
    register: Register,
    searching: Searching,
    workers: Vec<Outgoing>,
    /// Where those who look for machines put what they found, and where it is taken out.
    finding: mpsc::UnboundedSender<Found>,
    pub(super) found: mpsc::UnboundedReceiver<Found>,
}

/// Messages for one worker that are not sent yet.
struct Outgoing {
    channel: mpsc::Sender<Vec<Message>>,
    bundle: Vec<Message>,
    site_count: u32,
}

/// The machine of a site.
pub(super) struct Found {
    site: Site,
    address: Result<IpAddr, FetchFailure>,
}

impl Places {
    pub(super) fn new(
        shared: Arc<Shared>,
        known: KnownSites,
        channels: Vec<mpsc::Sender<Vec<Message>>>,
    ) -> Self {
        let outgoing = |channel| Outgoing { channel, bundle: Vec::new(), site_count: 0 };
        let (finding, found) = mpsc::unbounded_channel();
        let workers: Vec<Outgoing> = channels.into_iter().map(outgoing).collect();
        let searching = Searching::new(shared.config.searching_bytes());
        Self { register: Register::new(workers.len()), shared, known, searching, workers, finding, found }
    }

    /// Do so many addresses wait for their site to be found that nobody should send more?
    pub(super) fn is_crowded(&self) -> bool {
        self.searching.is_crowded()
    }

    /// Waits until a site is found, or known not to be, and gives it what waits for it. Some site must be looked for.
    pub(super) async fn place_next(&mut self) -> Result<(), Error> {
        let found = self.found.recv().await.expect("one end of it is ours");
        self.place(found).await
    }

    /// Sends an address to whoever takes care of its site, once that is known.
    pub(super) async fn send(&mut self, queued: QueuedUrl, url: &PageUrl) -> Result<(), Error> {
        let site = url.site();
        match self.register.get(&site) {
            Some(Place::Nowhere(failure)) => self.give_up(url.clone(), &queued, failure)?,
            Some(Place::At { worker, site_index }) => {
                self.post(worker, Message::Url { site_index, url: queued }).await;
            }
            None => {
                if self.searching.add_url(&site, queued) {
                    self.search(site);
                }
            }
        }
        Ok(())
    }

    /// Takes a letter of a worker where it belongs: see [`crate::letters`].
    pub(super) async fn deliver(&mut self, letter: Letter) -> Result<(), Error> {
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
                self.settle(&site, address, message, Waiting { urls, ..Waiting::default() }).await;
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
        let site = guest.url.site();
        match self.register.get(&site) {
            Some(Place::Nowhere(failure)) => Some(self.turn_away(guest, failure)),
            Some(Place::At { worker, site_index }) => Some((worker, Message::Guest { site_index, guest })),
            None => {
                if self.searching.add_guest(&site, guest) {
                    self.search(site);
                }
                None
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
        let answer = guest.refused(failure, self.shared.clock.now());
        (answer.asker.worker, Message::Answer(Box::new(answer)))
    }

    /// Looks for the machine of a site, beside everything else.
    fn search(&self, site: Site) {
        Progress::add(&self.shared.progress.sites, 1);
        let (shared, found) = (self.shared.clone(), self.finding.clone());
        tokio::task::spawn_local(async move {
            let address = shared.resolver.resolve(&site.host()).await;
            // The distributor may have stopped meanwhile.
            let _ = found.send(Found { site, address });
        });
    }

    /// Gives all sites that were found meanwhile to their workers.
    pub(super) async fn place_found(&mut self) -> Result<(), Error> {
        while let Ok(found) = self.found.try_recv() {
            self.place(found).await?;
        }
        Ok(())
    }

    /// A site has got its machine: give it, with the addresses that waited, to the worker of that machine.
    pub(super) async fn place(&mut self, found: Found) -> Result<(), Error> {
        let Found { site, address } = found;
        let waiting = self.searching.take(&site).expect("a site is searched for once");
        let address = match address {
            Ok(address) => address,
            Err(failure) => {
                tracing::warn!(site = %site, reason = failure.as_str(), "site cannot be visited");
                for queued in &waiting.urls {
                    self.give_up(queued.url(&site), queued, failure)?;
                }
                for guest in waiting.guests {
                    let (worker, message) = self.turn_away(guest, failure);
                    self.post(worker, message).await;
                    self.send_bundle(worker).await;
                }
                self.register.set(&site, Place::Nowhere(failure));
                return Ok(());
            }
        };
        let message = self.introduce(&site, address)?;
        self.settle(&site, address, message, waiting).await;
        Ok(())
    }

    /// Gives a site, which the message introduces, with all that waits for it to the worker of its machine.
    async fn settle(&mut self, site: &Site, address: IpAddr, introduction: Message, waiting: Waiting) {
        let worker = worker_of(address, self.workers.len());
        let site_index = self.workers[worker].site_count;
        self.workers[worker].site_count += 1;
        self.post(worker, introduction).await;
        for url in waiting.urls {
            self.post(worker, Message::Url { site_index, url }).await;
        }
        for guest in waiting.guests {
            self.post(worker, Message::Guest { site_index, guest }).await;
        }
        self.send_bundle(worker).await;
        self.register.set(site, Place::At { worker, site_index });
    }

    /// A site as its worker first hears of it, with what earlier runs learnt.
    fn introduce(&mut self, site: &Site, address: IpAddr) -> Result<Message, Error> {
        let known = self.known.take(site.as_str());
        let now = self.shared.clock.now();
        let name = self.shared.config.robots_name();
        let last_known = self.known.robots_of(&known)?.map(|(fact, at)| match fact {
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
        // Its neighbours may have been visited by an earlier run, too. They do not all come at once, so it stays.
        let machine_paused = self.known.pause_of(&address.to_string());
        let paused = known.pause_until.max(machine_paused).map(|until| Instant::now() + until.since(now));
        let crawl_delay = self.shared.is_restart.then(|| self.shared.started + state.crawl_delay());
        let not_before = paused.max(crawl_delay);
        Ok(Message::Site { site: site.clone(), state: Box::new(state), not_before })
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

    /// Waits until no worker reads what is sent any more.
    pub(super) async fn workers_gone(&self) {
        for worker in &self.workers {
            worker.channel.closed().await;
        }
    }

    /// Sends what is gathered to all workers.
    pub(super) async fn send_bundles(&mut self) {
        for worker in 0..self.workers.len() {
            self.send_bundle(worker).await;
        }
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
