//! CPU time, mostly of this thread: what others do on the machine is not counted, what they do to the caches is.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How long this thread has run.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How many seconds this thread has run.
pub fn thread_seconds() -> f64 {
    now().as_secs_f64()
}

/// How many seconds all threads of this process have run.
pub fn process_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32).as_secs_f64()
}

/// Does some work and tells the nanoseconds that it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = now();
    let result = std::hint::black_box(work());
    (result, (now() - start).as_nanos() as f64)
}

/// Nanoseconds of one call, the best of five runs of at least 2 ms.
pub fn time(mut call: impl FnMut(usize)) -> f64 {
    let mut run = |count: usize| timed(|| (0..count).for_each(&mut call)).1;
    let mut count = 16;
    while run(count) < 2e6 && count < 1 << 24 {
        count *= 2;
    }
    (0..5).map(|_| run(count) / count as f64).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds of a job that cannot be repeated on the same thing; the best of some runs.
pub fn time_once<T>(runs: usize, mut make: impl FnMut() -> T, mut job: impl FnMut(&mut T)) -> f64 {
    let mut run = || {
        let mut thing = make();
        timed(|| job(&mut thing)).1
    };
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds of a look-up, the best of three passes over all that is asked.
pub fn look_up_ns<T>(asked: &[u64], mut look_up: impl FnMut(u64) -> T) -> f64 {
    let pass = |look_up: &mut dyn FnMut(u64) -> T| {
        timed(|| asked.iter().for_each(|hash| drop(std::hint::black_box(look_up(*hash))))).1
    };
    (0..3).map(|_| pass(&mut look_up) / asked.len() as f64).fold(f64::INFINITY, f64::min)
}
