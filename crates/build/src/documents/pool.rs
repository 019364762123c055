//! Threads that squeeze blocks. Whichever is ready first, blocks come back in the order in which they were given.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::block::{BlockEncoder, Squeezing};
use super::dictionary::Learnt;
use super::raw_block::RawBlock;

/// A block and its squeezed bytes.
pub(super) struct Squeezed {
    pub(super) raw: RawBlock,
    pub(super) payload: Vec<u8>,
}

/// A block to be squeezed, with its number.
struct Job {
    number: u64,
    raw: RawBlock,
}

/// What came of the job of this number.
struct Answer {
    number: u64,
    squeezed: io::Result<Squeezed>,
}

/// Workers that know the same of the texts.
pub(super) struct Pool {
    jobs: Option<Sender<Job>>,
    answers: Receiver<Answer>,
    workers: Vec<JoinHandle<()>>,
    given: u64,
    /// The number of the block that is handed back next.
    next: u64,
    early: BTreeMap<u64, io::Result<Squeezed>>,
    /// Bytes of blocks that were given and not handed back.
    bytes: usize,
}

impl Pool {
    pub(super) fn new(threads: usize, learnt: Option<&Arc<Learnt>>) -> Self {
        let (jobs, queue) = channel();
        let (sender, answers) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let squeezing = Arc::new(Squeezing::new(learnt.cloned()));
        let start = |_| {
            let (queue, sender, squeezing) = (queue.clone(), sender.clone(), squeezing.clone());
            std::thread::spawn(move || work(&queue, &sender, squeezing))
        };
        let workers = (0..threads.max(1)).map(start).collect();
        Self { jobs: Some(jobs), answers, workers, given: 0, next: 0, early: BTreeMap::new(), bytes: 0 }
    }

    /// How much memory the blocks take that are in here.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn give(&mut self, block: RawBlock) {
        self.bytes += block.bytes();
        if let Some(jobs) = &self.jobs {
            // Nobody listens only if all workers died, and then no answer comes either.
            let _ = jobs.send(Job { number: self.given, raw: block });
        }
        self.given += 1;
    }

    /// Hands back the next block, waiting for it; `None` if all were handed back.
    pub(super) fn take(&mut self) -> Option<io::Result<Squeezed>> {
        if self.next == self.given {
            return None;
        }
        while !self.early.contains_key(&self.next) {
            match self.answers.recv() {
                Ok(Answer { number, squeezed }) => self.early.insert(number, squeezed),
                Err(_) => return Some(Err(io::Error::other("a thread that compresses documents has died"))),
            };
        }
        let answer = self.early.remove(&self.next)?;
        self.next += 1;
        if let Ok(squeezed) = &answer {
            self.bytes -= squeezed.raw.bytes();
        }
        Some(answer)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// Squeezes until there is nothing left and nobody gives more.
fn work(queue: &Mutex<Receiver<Job>>, answers: &Sender<Answer>, squeezing: Arc<Squeezing>) {
    let mut encoder = BlockEncoder::new(squeezing);
    loop {
        let job = queue.lock().map(|queue| queue.recv());
        let Ok(Ok(Job { number, raw })) = job else { return };
        let squeezed = encoder.encode(&raw).map(|payload| Squeezed { raw, payload });
        if answers.send(Answer { number, squeezed }).is_err() {
            return;
        }
    }
}
