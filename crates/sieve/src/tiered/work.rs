//! The thread that writes and merges runs while offers go on.
//!
//! It is given tables and runs that nobody changes any more, and gives back runs that are on the disk. What it made
//! counts only once the owner of the sieve has named it in the state; what was made for nothing is removed at the next
//! start.
//!
//! When the disk is full, a job is tried again and again until there is room; meanwhile whoever asks for what is done
//! is told.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::code::Entry;
use super::recent::Recent;
use super::remark::Remark;
use super::run::{Entries, Run, Shape, run_path};
use super::run_writer::{BitsAKey, FilterBuilder, RunWriter};
use super::signature::{SHARDS, Signature};
use crate::Error;
use crate::manifest::RunFacts;

/// A job that the disk had no room for is tried again after this time.
const ROOM_RECHECK: Duration = Duration::from_millis(100);

/// Something to be written.
pub(crate) enum Job<S> {
    /// Tables that are full become runs, one for each shard, with numbers from here on.
    Spill { recent: Arc<Recent<S>>, first_number: u64, bits_a_key: BitsAKey },
    /// Runs of one shard that follow each other in age, the oldest first, become one.
    Merge { inputs: Vec<Arc<Run<S>>>, facts: RunFacts, drops_forgotten: bool, bits_a_key: f64 },
}

/// A run and what the state says of it.
#[derive(Debug, Clone)]
pub(crate) struct Part<S> {
    pub(crate) facts: RunFacts,
    pub(crate) run: Arc<Run<S>>,
}

/// What came of a job.
pub(crate) enum Done<S> {
    /// Runs for what the tables hold.
    Spilled(Vec<Part<S>>),
    /// A run, or none if nothing was left, that takes the place of some others.
    Merged { shard: usize, inputs: Vec<PathBuf>, part: Option<Part<S>> },
}

/// Where the files are, and how long signatures are.
#[derive(Debug, Clone)]
pub(crate) struct Workplace {
    pub(crate) dir: PathBuf,
    pub(crate) signature_bits: u32,
}

/// The thread, from the outside.
pub(crate) struct Worker<S: Signature> {
    jobs: Option<Sender<Job<S>>>,
    done: Receiver<Result<Done<S>, Error>>,
    under_way: usize,
    thread: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    /// The disk has no room for the job that is under way.
    refusal: Arc<Mutex<Option<Error>>>,
}

impl<S: Signature> Worker<S> {
    pub(crate) fn start(workplace: Workplace) -> Result<Self, Error> {
        let (jobs, todo) = channel::<Job<S>>();
        let (report, done) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let refusal = Arc::new(Mutex::new(None));
        let refused = refusal.clone();
        let work = move || {
            for job in todo {
                let outcome = do_patiently(&workplace, &job, &stopped, &refused);
                if stopped.load(Relaxed) || report.send(outcome).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("sieve-merges".into()).spawn(work)?;
        Ok(Self { jobs: Some(jobs), done, under_way: 0, thread: Some(thread), stop, refusal })
    }

    pub(crate) fn give(&mut self, job: Job<S>) {
        self.under_way += 1;
        let jobs = self.jobs.as_ref().expect("it is dropped with the worker");
        // If it has ended, whoever asks for what is done is told.
        let _ = jobs.send(job);
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.under_way > 0
    }

    /// What is done, if anything is; with `waits`, whatever is done next. A disk that is full is told once for each time that
    /// it refused, and the job stays under way.
    pub(crate) fn take_done(&mut self, waits: bool) -> Result<Option<Done<S>>, Error> {
        if self.under_way == 0 {
            return Ok(None);
        }
        let ended = || Error::Io(std::io::Error::other("the thread that merges the sieve's runs has ended"));
        let outcome = match (self.done.try_recv(), waits) {
            (Ok(outcome), _) => outcome,
            (Err(TryRecvError::Empty), false) => match self.take_refusal() {
                Some(error) => return Err(error),
                None => return Ok(None),
            },
            (Err(TryRecvError::Empty), true) => loop {
                match (self.done.recv_timeout(ROOM_RECHECK), self.take_refusal()) {
                    (Ok(outcome), _) => break outcome,
                    (Err(RecvTimeoutError::Disconnected), _) => return Err(ended()),
                    (Err(RecvTimeoutError::Timeout), Some(error)) => return Err(error),
                    (Err(RecvTimeoutError::Timeout), None) => {}
                }
            },
            (Err(TryRecvError::Disconnected), _) => return Err(ended()),
        };
        self.under_way -= 1;
        outcome.map(Some)
    }
}

impl<S: Signature> Worker<S> {
    fn take_refusal(&self) -> Option<Error> {
        self.refusal.lock().expect("nobody panics with it").take()
    }
}

impl<S: Signature> Drop for Worker<S> {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // It has told its panic itself.
            let _ = thread.join();
        }
    }
}

/// Does a job as soon as the disk has room for it, unless the sieve is closed before.
fn do_patiently<S: Signature>(
    workplace: &Workplace,
    job: &Job<S>,
    stop: &AtomicBool,
    refusal: &Mutex<Option<Error>>,
) -> Result<Done<S>, Error> {
    loop {
        match do_job(workplace, job, stop) {
            Err(error) if error.is_full_disk() && !stop.load(Relaxed) => {
                remove_what_was_begun(workplace, job);
                *refusal.lock().expect("nobody panics with it") = Some(error);
                std::thread::sleep(ROOM_RECHECK);
            }
            outcome => {
                *refusal.lock().expect("nobody panics with it") = None;
                return outcome;
            }
        }
    }
}

/// Runs that were begun in vain take room that others need. What is not there cannot be removed.
fn remove_what_was_begun<S>(workplace: &Workplace, job: &Job<S>) {
    let numbers = match job {
        Job::Spill { first_number, .. } => *first_number..*first_number + SHARDS as u64,
        Job::Merge { facts, .. } => facts.number..facts.number + 1,
    };
    for number in numbers {
        let _ = fs_err::remove_file(run_path(&workplace.dir, number));
    }
}

fn do_job<S: Signature>(workplace: &Workplace, job: &Job<S>, stop: &AtomicBool) -> Result<Done<S>, Error> {
    match job {
        Job::Spill { recent, first_number, bits_a_key } => {
            spill(workplace, recent, *first_number, bits_a_key)
        }
        Job::Merge { inputs, facts, drops_forgotten, bits_a_key } => {
            let part = merge(workplace, inputs, *facts, *drops_forgotten, *bits_a_key, stop)?;
            let inputs = inputs.iter().map(|run| run.path().to_owned()).collect();
            Ok(Done::Merged { shard: facts.shard, inputs, part })
        }
    }
}

fn spill<S: Signature>(
    workplace: &Workplace,
    recent: &Recent<S>,
    first_number: u64,
    bits_a_key: &BitsAKey,
) -> Result<Done<S>, Error> {
    let mut parts = Vec::new();
    for (shard, &bits_a_key) in bits_a_key.iter().enumerate() {
        let entries = recent.sorted(shard);
        let count = entries.len() as u64;
        if count == 0 {
            continue;
        }
        let facts = RunFacts { shard, number: first_number + shard as u64, level: 0, count, identity: 0 };
        let mut writer = create(workplace, facts, recent.has_remarks(), bits_a_key)?;
        for entry in &entries {
            writer.push(entry)?;
        }
        parts.push(finish(writer, facts)?);
    }
    Ok(Done::Spilled(parts))
}

fn merge<S: Signature>(
    workplace: &Workplace,
    inputs: &[Arc<Run<S>>],
    facts: RunFacts,
    drops_forgotten: bool,
    bits_a_key: f64,
    stop: &AtomicBool,
) -> Result<Option<Part<S>>, Error> {
    let has_remarks = inputs.iter().any(|run| run.shape().code.has_remarks);
    let mut writer = create(workplace, facts, has_remarks, bits_a_key)?;
    let mut union = Union::new(inputs)?;
    let mut count: u64 = 0;
    while let Some(entry) = union.next()? {
        if drops_forgotten && entry.remark == Some(Remark::Forgotten) {
            continue;
        }
        count += 1;
        writer.push(&entry)?;
        if count.is_multiple_of(1 << 12) && stop.load(Relaxed) {
            return Err(std::io::Error::other("the sieve is closed").into());
        }
    }
    if count == 0 {
        drop(writer);
        fs_err::remove_file(run_path(&workplace.dir, facts.number))?;
        return Ok(None);
    }
    finish(writer, RunFacts { count, ..facts }).map(Some)
}

/// Begins the run that these facts tell of; its count may be more than there will be.
pub(crate) fn create<S: Signature>(
    workplace: &Workplace,
    facts: RunFacts,
    has_remarks: bool,
    bits_a_key: f64,
) -> Result<RunWriter<S>, Error> {
    let shape = Shape::for_keys(facts.shard, workplace.signature_bits, facts.count, has_remarks);
    let filter = FilterBuilder::new(facts.count, bits_a_key);
    RunWriter::create(&run_path(&workplace.dir, facts.number), shape, filter)
}

/// Ends a run.
pub(crate) fn finish<S: Signature>(writer: RunWriter<S>, facts: RunFacts) -> Result<Part<S>, Error> {
    let (run, identity) = writer.finish()?;
    Ok(Part { facts: RunFacts { count: run.count(), identity, ..facts }, run: Arc::new(run) })
}

/// Several runs as one: of equal keys the entry of the newest run.
struct Union<'r, S> {
    /// The oldest first.
    runs: Vec<(Entries<'r, S>, Option<Entry<S>>)>,
}

impl<'r, S: Signature> Union<'r, S> {
    fn new(inputs: &'r [Arc<Run<S>>]) -> Result<Self, Error> {
        let mut runs = Vec::new();
        for input in inputs {
            let mut entries = input.entries();
            let first = entries.next()?;
            runs.push((entries, first));
        }
        Ok(Self { runs })
    }

    /// There are four runs or a few more: looking at all of them is quicker than a heap.
    fn next(&mut self) -> Result<Option<Entry<S>>, Error> {
        let heads = self.runs.iter().filter_map(|(_, head)| head.as_ref());
        let Some(key) = heads.map(|entry| entry.key).min() else { return Ok(None) };
        let mut newest = None;
        for (entries, head) in &mut self.runs {
            if head.as_ref().is_some_and(|entry| entry.key == key) {
                newest = std::mem::replace(head, entries.next()?);
            }
        }
        Ok(newest)
    }
}
