//! Work on several threads whose results come out in order.
//!
//! The three forms of the MinHash report: serial; threads that take the next block when they are done with one, as
//! OpenMP's dynamic schedule does; and one producer that reads for several consumers. All three run through
//! [`in_order`], which hands results to the caller in the order of the jobs, on the caller's own thread. So whoever
//! writes files needs no lock, and the files are the same for any form and any number of threads.
//!
//! No thread runs ahead of the oldest unfinished job by more than a few jobs per thread: that bounds the memory.

use std::collections::BTreeMap;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How the work is shared between threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Execution {
    /// On the caller's thread.
    Serial,
    /// So many threads read and sketch.
    Threads(usize),
    /// One thread reads, so many sketch.
    ProducerConsumer(usize),
}

impl Execution {
    /// The threads that compute, at least one.
    pub fn threads(self) -> usize {
        match self {
            Self::Serial => 1,
            Self::Threads(threads) | Self::ProducerConsumer(threads) => threads.max(1),
        }
    }
}

/// How many jobs a thread may be ahead of the oldest that is not finished.
const AHEAD_PER_THREAD: usize = 4;

/// Does all jobs, on so many threads, and finishes them in order on this one. Stops at the first error of `finish`.
///
/// `worker` makes what a thread keeps from job to job.
pub(crate) fn in_order<Job, Worker, Done: Send, Failure>(
    threads: usize,
    jobs: impl Iterator<Item = Job> + Send,
    worker: impl Fn() -> Worker + Sync,
    work: impl Fn(&mut Worker, Job) -> Done + Sync,
    finish: impl FnMut(Done) -> Result<(), Failure>,
) -> Result<(), Failure> {
    in_order_ahead(threads, threads * AHEAD_PER_THREAD, jobs, worker, work, finish)
}

/// The same, where threads may be ahead of the oldest unfinished job by so many jobs: what is done is small, and one job may
/// take as long as many others.
pub(crate) fn in_order_ahead<Job, Worker, Done: Send, Failure>(
    threads: usize,
    ahead_max: usize,
    jobs: impl Iterator<Item = Job> + Send,
    worker: impl Fn() -> Worker + Sync,
    work: impl Fn(&mut Worker, Job) -> Done + Sync,
    mut finish: impl FnMut(Done) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if threads <= 1 {
        let mut worker = worker();
        return jobs.map(|job| work(&mut worker, job)).try_for_each(finish);
    }
    let jobs = Mutex::new(jobs.enumerate());
    let line = Line::new(ahead_max);
    let (sender, results) = channel();
    thread::scope(|scope| {
        // Whatever way this thread leaves, also by a panic, nobody may wait for it.
        let closing = CloseOnDrop(&line);
        for _ in 0..threads {
            let sender = sender.clone();
            let (jobs, line, worker, work) = (&jobs, &line, &worker, &work);
            scope.spawn(move || {
                let _closing = CloseOnPanic(line);
                let mut worker = worker();
                while let Some((number, job)) = line.next_job(jobs) {
                    if sender.send((number, work(&mut worker, job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (number, done) in &results {
            early.insert(number, done);
            while let Some(done) = early.remove(&next) {
                next += 1;
                finish(done)?;
                line.finished(next);
            }
        }
        drop(closing);
        Ok(())
    })
}

/// Lets one thread fetch what the jobs need and `consume` take it from a queue of so many places.
pub(crate) fn produce_and_consume<Item: Send, R>(
    places: usize,
    produce: impl FnOnce(&mut dyn FnMut(Item) -> bool) + Send,
    consume: impl FnOnce(&mut (dyn Iterator<Item = Item> + Send)) -> R,
) -> R {
    let (sender, items) = sync_channel(places);
    thread::scope(|scope| {
        scope.spawn(move || produce(&mut |item| sender.send(item).is_ok()));
        // Taken by value, so that a consumer who stops early closes the queue and the producer ends.
        let mut items = items.into_iter();
        let result = consume(&mut items);
        drop(items);
        result
    })
}

/// Which jobs were taken and finished, and whether anybody still wants results.
struct Line {
    ahead_max: usize,
    state: Mutex<LineState>,
    moved: Condvar,
}

struct LineState {
    taken: usize,
    finished: usize,
    is_closed: bool,
}

impl Line {
    fn new(ahead_max: usize) -> Self {
        let state = LineState { taken: 0, finished: 0, is_closed: false };
        Self { ahead_max, state: Mutex::new(state), moved: Condvar::new() }
    }

    /// The next job, once there is room for it; none when all are taken or nobody wants results any more.
    fn next_job<Job>(&self, jobs: &Mutex<impl Iterator<Item = Job>>) -> Option<Job> {
        let mut jobs = lock(jobs);
        let is_full =
            |state: &mut LineState| !state.is_closed && state.taken >= state.finished + self.ahead_max;
        let mut state =
            self.moved.wait_while(lock(&self.state), is_full).unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return None;
        }
        state.taken += 1;
        drop(state);
        jobs.next()
    }

    fn finished(&self, jobs: usize) {
        lock(&self.state).finished = jobs;
        self.moved.notify_all();
    }

    fn close(&self) {
        lock(&self.state).is_closed = true;
        self.moved.notify_all();
    }
}

struct CloseOnDrop<'a>(&'a Line);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A job that panics is never finished: without this, the others would wait for it.
struct CloseOnPanic<'a>(&'a Line);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [1, 2, 3, 8] {
            let mut seen = Vec::new();
            let result = in_order(
                threads,
                0..500u64,
                || 0u64,
                |spins, job| {
                    // Jobs of different length, so that they overtake each other.
                    *spins = (0..(job * 7919) % 1000).fold(*spins, u64::wrapping_add);
                    job * 2
                },
                |done| {
                    seen.push(done);
                    Ok::<(), ()>(())
                },
            );
            assert_eq!(result, Ok(()));
            assert_eq!(seen, (0..500).map(|job| job * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nobody_runs_far_ahead_and_an_error_stops_everybody() {
        let started = AtomicUsize::new(0);
        let result = in_order(
            2,
            0..1_000_000,
            || (),
            |(), job: usize| {
                started.fetch_add(1, Ordering::Relaxed);
                job
            },
            |job| if job < 10 { Ok(()) } else { Err(job) },
        );
        assert_eq!(result, Err(10));
        assert!(started.into_inner() <= 11 + 2 * AHEAD_PER_THREAD);
    }

    #[test]
    fn a_panic_of_one_thread_is_a_panic_of_the_caller() {
        let outcome = std::panic::catch_unwind(|| {
            in_order(2, 0..1000, || (), |(), job| assert_ne!(job, 3), |()| Ok::<(), ()>(()))
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn a_producer_ends_when_its_consumer_does() {
        let produced = AtomicUsize::new(0);
        let taken = produce_and_consume(
            3,
            |give| {
                while give(produced.fetch_add(1, Ordering::Relaxed)) {}
            },
            |items| items.take(5).collect::<Vec<_>>(),
        );
        assert_eq!(taken, [0, 1, 2, 3, 4]);
        assert!(produced.into_inner() <= 5 + 3 + 2);
    }
}
