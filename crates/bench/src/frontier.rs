//! The frontier alone: who may be asked next, with a fetcher that answers at once.
//!
//! A million hosts on a quarter of a million machines, ten addresses each, in two workbenches on two threads, as a crawl has
//! them: a host belongs to the thread of its machine, so nobody waits for a lock. Every host rests for a second, by a clock that is
//! made up: it goes on as fast as hosts become due, so that a workbench is never without work and no visit waits. A visit takes
//! a turn, takes an address, and releases the host; every second one finds an address that is pushed to another host.
//!
//! Memory is what the process takes at its peak: what a crawl keeps of each host beside its queue (rules, counts) goes to disk
//! with it.
//!
//! Last come a thousand hosts alone, and beside a hundred thousand on one machine: what a visit costs them, and how many they have
//! in the same time, if so many can be under way as a worker has.
//!
//! The claims: 200,000 visits a second on two cores, a million hosts with ten million addresses in 256 MiB (ten
//! million hosts in 512), and hosts that lose less than a twentieth to a crowded machine.

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use ::frontier::{PolitenessPolicy, QueuedUrl, SiteId, Turn, Workbench};
use page::{Ordinal, PageUrl};

use crate::clock::process_seconds;
use crate::process::peak_memory_bytes;
use crate::{Error, Row, Surroundings, Yardstick};

/// Threads that have a workbench.
const THREADS: u32 = 2;

/// Hosts on one machine.
const HOSTS_PER_MACHINE: u32 = 4;

/// What the claims say.
const VISIT_NS_MAX: f64 = 1e9 / 200_000.0;
const MEMORY_MIB_MAX: f64 = 256.0;

/// The same with more hosts than this, up to ten million.
const MANY_HOSTS: u32 = 1_000_000;
const MANY_MEMORY_MIB_MAX: f64 = 512.0;

/// Hosts of a crowded machine, hosts beside them, requests that can be under way (fewer than could be made), how long each takes,
/// and how often that is.
const CROWD: u32 = 100_000;
const BESIDE: u32 = 1000;
const UNDER_WAY_MAX: usize = 16;
const TICK: Duration = Duration::from_millis(20);
const TICKS: u32 = 5000;

/// How long a host rests.
const REST: Duration = Duration::from_secs(1);

/// The frontier alone.
#[derive(Debug)]
pub struct FrontierBench {
    /// Hosts in all.
    pub hosts: u32,
    /// Addresses that wait at the beginning.
    pub addresses: u64,
    /// Visits that are made.
    pub visits: u64,
    /// What queues may use.
    pub queue_bytes: u64,
}

impl Yardstick for FrontierBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let folder = tempfile::tempdir_in(".").or_else(|_| tempfile::tempdir())?;
        surroundings.say("hosts and addresses are queued");
        let empty_mib = peak_mib();
        let (hands, filled_cpu, _) =
            self.on_all_threads((0..THREADS).collect(), |thread| Hand::new(self, thread, folder.path()))?;
        let filled_mib = peak_mib();
        let on_disk = journal::folder_bytes(folder.path())? as f64;
        surroundings.say("hosts are visited");
        let visits = self.visits / u64::from(THREADS);
        let (done, cpu, wall) = self.on_all_threads(hands, |mut hand| {
            hand.visit(visits)?;
            Ok(hand)
        })?;
        let made: u64 = done.iter().map(|hand| hand.visits).sum();
        let peak_mib = peak_mib();
        drop(done);
        surroundings.say("hosts are visited beside a crowded machine");
        let (alone, crowded) = (beside_crowd(folder.path(), 0)?, beside_crowd(folder.path(), CROWD)?);
        let row = Row::informative;
        Ok(vec![
            Row::absolute("a visit, both cores".into(), "ns", wall * 1e9 / made as f64, VISIT_NS_MAX),
            row("a visit, CPU time".into(), "ns", cpu * 1e9 / made as f64),
            row("an address queued, CPU time".into(), "ns", filled_cpu * 1e9 / self.addresses as f64),
            Row::absolute(
                "memory with all hosts and addresses".into(),
                "MiB",
                peak_mib - empty_mib,
                if self.hosts > MANY_HOSTS { MANY_MEMORY_MIB_MAX } else { MEMORY_MIB_MAX },
            ),
            row("memory before the first visit".into(), "MiB", filled_mib - empty_mib),
            row(
                "memory of a host".into(),
                "bytes",
                (filled_mib - empty_mib - self.queue_bytes as f64 / 1048576.0) * 1048576.0
                    / f64::from(self.hosts),
            ),
            row("on disk".into(), "bytes/address", on_disk / self.addresses as f64),
            Row::new(
                "time a visit, beside a crowded machine".into(),
                "ms",
                crowded.0,
                "without it",
                Ok(alone.0),
                Some(1.05),
            ),
            row("CPU time a visit, beside a crowded machine".into(), "ns", crowded.1),
            row("CPU time a visit, without it".into(), "ns", alone.1),
        ])
    }
}

impl FrontierBench {
    /// Does some work with each of these, on a thread for each. Tells CPU and wall seconds of all.
    fn on_all_threads<I: Send, T: Send>(
        &self,
        inputs: Vec<I>,
        work: impl Fn(I) -> Result<T, Error> + Sync,
    ) -> Result<(Vec<T>, f64, f64), Error> {
        let (cpu, begin) = (process_seconds(), Instant::now());
        let done: Result<Vec<T>, Error> = std::thread::scope(|scope| {
            let threads: Vec<_> = inputs.into_iter().map(|input| scope.spawn(|| work(input))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it tells its errors")).collect()
        });
        Ok((done?, process_seconds() - cpu, begin.elapsed().as_secs_f64()))
    }
}

/// One thread: its workbench, and what it has done.
struct Hand {
    bench: Workbench<()>,
    hosts: u32,
    now: Instant,
    next_ordinal: u64,
    random: u64,
    visits: u64,
}

impl Hand {
    fn new(settings: &FrontierBench, thread: u32, folder: &Path) -> Result<Self, Error> {
        let policy = PolitenessPolicy {
            host_delay: REST,
            address_delay: Duration::ZERO,
            ..PolitenessPolicy::default()
        };
        let (overflow, now) = (folder.join(format!("overflow-{thread}")), Instant::now());
        let memory_bytes = settings.queue_bytes as usize / THREADS as usize;
        let mut bench = Workbench::new(policy, &overflow, memory_bytes, now)?;
        let hosts = settings.hosts / THREADS;
        for host in 0..hosts {
            let address = Ipv4Addr::from_bits(((thread << 24) | (host / HOSTS_PER_MACHINE)) + (1 << 28));
            let url = page(thread, host, 0);
            // Their numbers follow each other, so that nobody has to remember them.
            assert_eq!(bench.add_site(url.site(), address.into(), None, ())?, SiteId::nth(host));
        }
        let mut hand = Self { bench, hosts, now, next_ordinal: 0, random: u64::from(thread) + 1, visits: 0 };
        // As they come: one after the other to hosts in any order.
        for number in 0..settings.addresses / u64::from(THREADS) {
            hand.push((number % u64::from(hosts)) as u32, thread)?;
        }
        Ok(hand)
    }

    fn push(&mut self, host: u32, thread: u32) -> Result<(), Error> {
        let ordinal = self.next_ordinal;
        self.next_ordinal += 1;
        let queued = QueuedUrl::new(Ordinal::new(ordinal), 1, 0, &page(thread, host, ordinal));
        Ok(self.bench.push(SiteId::nth(host), queued)?)
    }

    /// Makes so many visits, or as many as there are addresses for.
    fn visit(&mut self, visits: u64) -> Result<(), Error> {
        while self.visits < visits {
            match self.bench.next_turn(self.now)? {
                Turn::Idle => break,
                Turn::WaitUntil(moment) => self.now = moment,
                Turn::Visit(site) => {
                    std::hint::black_box(self.bench.take_url(site)?);
                    self.bench.release(site, self.now, Duration::ZERO, Duration::ZERO)?;
                    self.visits += 1;
                    if self.visits.is_multiple_of(2) {
                        self.random ^= self.random << 13;
                        self.random ^= self.random >> 7;
                        self.random ^= self.random << 17;
                        self.push((self.random % u64::from(self.hosts)) as u32, 0)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// How long a visit takes of the time of hosts that stand beside so many on one machine, by a clock that is made up, in ms, and of
/// the processor, in ns.
fn beside_crowd(folder: &Path, crowd: u32) -> Result<(f64, f64), Error> {
    let policy = PolitenessPolicy { host_delay: REST, address_delay: REST, ..PolitenessPolicy::default() };
    let start = Instant::now();
    let mut bench = Workbench::<()>::new(policy, &folder.join(format!("crowd-{crowd}")), 8 << 20, start)?;
    for host in 0..crowd + BESIDE {
        let machine = if host < crowd { 0 } else { host - crowd + 1 };
        let site = page(0, host, 0).site();
        let id = bench.add_site(site, Ipv4Addr::from_bits(machine + (1 << 28)).into(), None, ())?;
        let addresses: u64 = if host < crowd { 2 } else { 128 };
        for ordinal in 0..addresses {
            bench.push(id, QueuedUrl::new(Ordinal::new(ordinal), 1, 0, &page(0, host, ordinal)))?;
        }
    }
    let queued = process_seconds();
    let (mut under_way, mut visits, mut all) = (Vec::new(), 0u64, 0u64);
    for tick in 0..TICKS {
        let now = start + TICK * tick;
        for id in under_way.drain(..) {
            bench.release(id, now, Duration::ZERO, Duration::ZERO)?;
        }
        while under_way.len() < UNDER_WAY_MAX
            && let Turn::Visit(id) = bench.next_turn(now)?
        {
            std::hint::black_box(bench.take_url(id)?);
            all += 1;
            visits += u64::from(id >= SiteId::nth(crowd));
            under_way.push(id);
        }
    }
    let elapsed_ms = TICK.as_secs_f64() * f64::from(TICKS) * 1e3;
    Ok((elapsed_ms / visits as f64, (process_seconds() - queued) * 1e9 / all as f64))
}

fn page(thread: u32, host: u32, number: u64) -> PageUrl {
    let text = format!("http://host-{thread}-{host}.test/folder/page-{number}.html");
    PageUrl::from_normalised(&text).expect("it is in normal form")
}

fn peak_mib() -> f64 {
    peak_memory_bytes() as f64 / 1048576.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_a_small_frontier_is_visited_once() {
        let settings = FrontierBench { hosts: 200, addresses: 2000, visits: 1 << 20, queue_bytes: 64 << 10 };
        let folder = tempfile::tempdir().unwrap();
        let mut hand = Hand::new(&settings, 1, folder.path()).unwrap();
        hand.visit(u64::MAX).unwrap();
        // Every second visit brings an address more.
        assert_eq!(hand.visits, hand.next_ordinal);
        assert!(hand.visits > 1900, "{}", hand.visits);
    }
}
