//! The agent: opens the parts of a crawl, starts its threads, and waits for them.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use dedup::CopyMarks;
use fetch::NameResolver;
use frontier::{ReadyLog, ReadyPlace, Workbench};
use page::{Clock, PageUrl};
use sieve::{Sieve, SieveKind};
use store::{Collection, StorePoint, StoreWriter};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use crate::checkpointer::{self, Checkpoints};
use crate::desk::Desk;
use crate::distributor::{Distributor, KnownSites, Mark};
use crate::letters::{Letter, Message};
use crate::past::Past;
use crate::quotas::Quotas;
use crate::request_log::RequestLog;
use crate::restore;
use crate::room::Room;
use crate::shared::Shared;
use crate::worker::{Handover, Unread, Worker, read_all};
use crate::{CrawlConfig, CrawlReport, Error, Progress, StopReason};

/// Bundles of addresses that may wait for a worker before the distributor waits too.
const BUNDLES_MAX: usize = 16;

/// A crawl that is ready to run.
pub struct Agent<'c> {
    collection: &'c Collection,
    shared: Arc<Shared>,
    sieve: Box<dyn Sieve>,
    ready: ReadyLog,
    folder: PathBuf,
    mark: Mark,
    known: KnownSites,
    past: Past,
    /// Where the page table stood at the last checkpoint.
    since: StorePoint,
    /// Knows no page yet.
    copies: CopyMarks,
}

/// Stops a running crawl from another thread.
#[derive(Clone)]
pub struct StopHandle(Arc<Shared>);

impl StopHandle {
    /// Asks the crawl to stop. It finishes what is under way, makes everything durable, and returns.
    pub fn stop(&self) {
        self.0.stop(Ok(StopReason::Asked));
    }
}

impl<'c> Agent<'c> {
    /// Opens the crawl of a collection: a new one, or one that was left at any moment in any way.
    pub fn open(
        collection: &'c Collection,
        config: CrawlConfig,
        resolver: NameResolver,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let mut sieve = sieve::open(&collection.part("sieve")?, config.sieve.kind, config.sieve_options())?;
        let folder = collection.part("frontier")?;
        let is_lost = sieve.note().is_empty() && folder.join("ready.log").exists();
        let mut mark = if is_lost {
            restore::rebuild_sieve(&mut *sieve, collection)?
        } else {
            let (path, what) = (collection.dir().join("sieve/state"), "its note is wrong");
            Mark::decode(sieve.note()).map_err(|_| sieve::Error::Damaged { path, what })?
        };
        let forgets = matches!(sieve.kind(), SieveKind::Memory | SieveKind::Bloom);
        let mut past = restore::last_checkpoint(collection, &config, mark, forgets)?;
        let (store, recovery) = StoreWriter::open_since(collection, past.store)?;
        if recovery.record_count < past.store.records {
            past = Past::new(&config);
        }
        if recovery.dropped_records > 0 {
            tracing::warn!(
                records = recovery.dropped_records,
                "the end of the page table was lost and is fetched again"
            );
        }
        let ready = match mark.ready_count {
            0 => ReadyLog::create(&folder)?,
            count => ReadyLog::open_at(&folder, mark.ready, count)?,
        };
        let ready = ready.with_parts_of(config.ready_part_bytes);
        mark.ready = mark.ready.max(ReadyPlace::START);
        if forgets {
            restore::remind_sieve(&mut *sieve, collection, mark.ready)?;
        }
        let since = past.store;
        past.read_table(collection, store.point())?;
        past.read_log(&folder, mark.ready)?;

        let mut known = KnownSites::new(folder.join("hosts.log"));
        known.note_pages(&past.sites);
        let quotas = Quotas::new(&config.budget);
        quotas.note_stored(&past.sites, &past.domains);
        let copies = CopyMarks::new(&collection.part("dedup")?.join("watch"), config.copies_bytes())?;
        // Records that a power cut took are written anew by other pages, so their links do not count as taken.
        mark.records_through = mark.records_through.min(past.store.records);
        // Links that were refused under other rules are in the store: judge them again.
        if mark.rules != config.rules_fingerprint() {
            mark = Mark { records_through: 0, rules: config.rules_fingerprint(), ..mark };
        }
        let mut host_log = restore::read_host_log(collection, &mut known)?;
        let under_way = restore::open_under_way(collection, &config, clock.now(), &mut host_log, &mut known)?;
        let open_log = |path: &PathBuf| RequestLog::open(path, clock.now(), &config.user_agent);
        let request_log = config.audit.as_ref().map(open_log).transpose()?;
        let is_restart = mark.ready_count > 0;
        let progress = Arc::new(Progress::default());
        Progress::add(&progress.copies_exact, past.copies_exact);
        Progress::add(&progress.copies_near, past.copies_near);
        let room = Arc::new(Room::new(collection.dir()));
        progress.watch_room(room.clone());
        let desk = Desk::new(store, config.copies, sieve.keeps_visits(), room.clone());
        let shared = Shared::new(
            config,
            quotas,
            resolver,
            clock,
            desk,
            room,
            host_log,
            request_log,
            under_way,
            progress,
            past.pages_stored,
            is_restart,
        );
        let shared = Arc::new(shared);
        Ok(Self { collection, shared, sieve, ready, folder, mark, known, past, since, copies })
    }

    /// Counters that change while the crawl runs.
    pub fn progress(&self) -> Arc<Progress> {
        self.shared.progress.clone()
    }

    /// A handle that stops the crawl.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(self.shared.clone())
    }

    /// Crawls from the seeds, and from whatever earlier runs left over, until there is a reason to stop.
    pub fn run(self, seeds: Vec<PageUrl>) -> Result<CrawlReport, Error> {
        if seeds.is_empty() && self.mark.ready_count == 0 {
            return Err(Error::NoSeeds);
        }
        let shared = self.shared.clone();
        let mut channels = Vec::new();
        let mut inboxes = Vec::new();
        for _ in 0..shared.config.workers {
            let (sender, receiver) = mpsc::channel(BUNDLES_MAX);
            channels.push(sender);
            inboxes.push(receiver);
        }
        let frontier_dir = self.collection.part("frontier")?;
        let mut benches = Vec::new();
        for index in 0..inboxes.len() {
            let overflow = frontier_dir.join(format!("overflow-{index}"));
            let memory_bytes = shared.config.queue_bytes_per_worker();
            let bench = Workbench::new(shared.config.policy, &overflow, memory_bytes, shared.rest_until())?;
            benches.push(bench.in_order_of(shared.priority.clone()));
        }
        let (letters, letterbox) = mpsc::unbounded_channel();
        let (alive, readers_gone) = mpsc::channel(1);
        thread::scope(|scope| {
            let readers = start_readers(scope, &shared, alive);
            for (index, (inbox, bench)) in inboxes.into_iter().zip(benches).enumerate() {
                let handover = Handover::new(&readers);
                let worker = Worker::new(shared.clone(), index, bench, inbox, letters.clone(), handover);
                spawn(scope, format!("worker-{index}"), &shared, worker.run());
            }
            drop(readers);
            self.work(scope, channels, letterbox, readers_gone, &seeds)
        })?;
        let reason = shared.take_outcome().unwrap_or(Ok(StopReason::Asked))?;
        let (failures, mirrors) = (shared.take_failures(), shared.desk.mirrors());
        let (forgotten, elapsed) = (shared.desk.forgotten_prints(), shared.started.elapsed());
        Ok(CrawlReport::new(&shared.progress, failures, forgotten, mirrors, reason, elapsed))
    }

    /// Starts the threads that serve all workers, and runs the distributor on this one.
    fn work<'s>(
        self,
        scope: &'s thread::Scope<'s, '_>,
        channels: Vec<mpsc::Sender<Vec<Message>>>,
        letterbox: mpsc::UnboundedReceiver<Letter>,
        readers_gone: mpsc::Receiver<Infallible>,
        seeds: &[PageUrl],
    ) -> Result<(), Error>
    where
        'c: 's,
    {
        let Self { collection, shared, sieve, ready, folder, mark, known, past, since, copies } = self;
        // A collection that has no checkpoint gets one soon.
        let addresses = if since.records > 0 { mark.ready_count } else { 0 };
        let (checkpoints, moments) =
            Checkpoints::new(shared.config.checkpoint_every, since.records, addresses);
        let (watcher, checkpointed) = (shared.clone(), shared.clone());
        let pages_before = past.record_count();
        spawn(scope, "copies".to_owned(), &shared, async move {
            let is_stopping = || watcher.is_stopping();
            if let Some(copies) = restore::read_copies(collection, copies, pages_before, is_stopping)? {
                watcher.desk.set_copies(copies);
            }
            Ok(())
        });
        spawn(scope, "checkpoints".to_owned(), &shared, async move {
            checkpointer::run(collection, &checkpointed.config, moments);
            Ok(())
        });
        let distributor = Distributor::new(
            shared.clone(),
            sieve,
            ready,
            folder,
            mark,
            checkpoints,
            known,
            channels,
            letterbox,
        );
        if let Err(error) = distribute(distributor, collection, past, since, readers_gone, seeds) {
            shared.stop(Err(error));
        }
        Ok(())
    }
}

/// Starts threads that read what workers fetch, if there are to be any; each holds `alive` until it ends.
fn start_readers<'s>(
    scope: &'s thread::Scope<'s, '_>,
    shared: &Arc<Shared>,
    alive: mpsc::Sender<Infallible>,
) -> Vec<std::sync::mpsc::Sender<Unread>> {
    let start = |index| {
        let (sender, answers) = std::sync::mpsc::channel();
        let (alive, reading) = (alive.clone(), shared.clone());
        spawn(scope, format!("reader-{index}"), shared, async move {
            let _alive = alive;
            read_all(reading, answers)
        });
        sender
    };
    (0..shared.config.readers).map(start).collect()
}

/// Runs the distributor, and its last act when all workers and readers have ended.
fn distribute(
    mut distributor: Distributor,
    collection: &Collection,
    past: Past,
    since: StorePoint,
    mut readers_gone: mpsc::Receiver<Infallible>,
    seeds: &[PageUrl],
) -> Result<(), Error> {
    on_one_thread(async {
        restore::take_up(&mut distributor, collection, &past, since, seeds).await?;
        drop(past);
        let distributor = distributor.run().await?;
        distributor.workers_gone().await;
        readers_gone.recv().await;
        distributor.finish()
    })
}

/// Runs a worker on a thread of its own; its failure stops the crawl.
fn spawn<'s>(
    scope: &'s thread::Scope<'s, '_>,
    name: String,
    shared: &Arc<Shared>,
    work: impl Future<Output = Result<(), Error>> + Send + 's,
) {
    let shared = shared.clone();
    let body = move || {
        let _watch = StopOnPanic(&shared);
        if let Err(error) = on_one_thread(work) {
            shared.stop(Err(error));
        }
    };
    thread::Builder::new()
        .name(name)
        .spawn_scoped(scope, body)
        .expect("the system has room for a few threads");
}

/// A worker that panics would leave its addresses active for ever: everybody else stops, and then the panic is told.
struct StopOnPanic<'s>(&'s Shared);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(Ok(StopReason::Asked));
        }
    }
}

fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has room for a reactor");
    LocalSet::new().block_on(&runtime, work)
}
