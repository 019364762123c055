//! How the frontier of a crawl looks: hosts that are ready, that rest, that are being asked, and addresses in memory and on disk.
//!
//! Only the workers of a running crawl know that. Each counts its hosts about once a second, and the distributor writes the sum to
//! `frontier/status` for whoever asks from outside. A crawl that ends removes the file, one that is killed leaves it: its
//! moment tells. What waits in the end is in the ready log, and counted from there.
//!
//! ```text
//! 1 moment (ms) ready resting in flight full idle   addresses in memory   on disk   seconds left   (numbers, with spaces)
//! ```
//!
//! Cost: a look at each host of a worker, at most a fiftieth of its time.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use frontier::decode_host_fact;
use frontier::{
    HOSTS_FORMAT, HostFact, PolitenessPolicy, ReadyPlace, ReadyScan, ReadyUrl, VisitState, Workbench,
};
use fs_err as fs;
use journal::JournalReader;
use page::{PageUrl, Timestamp};
use sieve::SieveState;
use store::{Collection, StoreReader};

use crate::Error;
use crate::distributor::Mark;
use crate::site_state::SiteState;

/// The version of the file.
const VERSION: u64 = 1;

/// How many hosts and addresses wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrontierCounts {
    /// Hosts that could be asked now.
    pub hosts_ready: u64,
    /// Hosts with addresses that rest, or whose machine does.
    pub hosts_resting: u64,
    /// Hosts that are being asked.
    pub hosts_in_flight: u64,
    /// Hosts with addresses that have given all the pages that they may.
    pub hosts_full: u64,
    /// Hosts without addresses.
    pub hosts_idle: u64,
    /// Addresses that wait in memory.
    pub addresses_in_memory: u64,
    /// Addresses that wait on disk.
    pub addresses_on_disk: u64,
    /// What waits takes at least so long, at the rests that hosts and machines have.
    pub seconds_left: u64,
}

impl FrontierCounts {
    /// Counts the hosts of one worker.
    pub(crate) fn of(bench: &Workbench<SiteState>, policy: &PolitenessPolicy, now: Instant) -> Self {
        let mut counts = Self::default();
        let mut by_machine: Vec<u64> = Vec::new();
        let mut left = Duration::ZERO;
        for host in bench.glances() {
            let len = host.queue_len;
            let place = match () {
                () if host.is_out => &mut counts.hosts_in_flight,
                () if len == 0 => &mut counts.hosts_idle,
                () if host.is_frozen => &mut counts.hosts_full,
                () if host.rests_until.is_some_and(|moment| moment <= now) => &mut counts.hosts_ready,
                () => &mut counts.hosts_resting,
            };
            *place += 1;
            let in_memory = host.state.map_or(0, VisitState::queue_len_in_memory);
            counts.addresses_on_disk += len - in_memory;
            counts.addresses_in_memory += in_memory;
            if !host.is_frozen && len > 0 {
                // What a host on disk asks for is there, too: without it, it takes at least so long.
                let asked = host.state.map_or(Duration::ZERO, |state| state.data.crawl_delay());
                left = left.max(times(policy.host_delay.max(asked), len));
                let machine = host.machine as usize;
                by_machine.resize(by_machine.len().max(machine + 1), 0);
                by_machine[machine] += len;
            }
        }
        let of_machines = by_machine.iter().map(|len| times(policy.address_delay, *len)).max();
        Self { seconds_left: left.max(of_machines.unwrap_or_default()).as_secs(), ..counts }
    }

    /// The same for several workers: they work at the same time.
    pub(crate) fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            hosts_ready: sum.hosts_ready + one.hosts_ready,
            hosts_resting: sum.hosts_resting + one.hosts_resting,
            hosts_in_flight: sum.hosts_in_flight + one.hosts_in_flight,
            hosts_full: sum.hosts_full + one.hosts_full,
            hosts_idle: sum.hosts_idle + one.hosts_idle,
            addresses_in_memory: sum.addresses_in_memory + one.addresses_in_memory,
            addresses_on_disk: sum.addresses_on_disk + one.addresses_on_disk,
            seconds_left: sum.seconds_left.max(one.seconds_left),
        })
    }

    fn numbers(&self) -> [u64; 8] {
        let Self { hosts_ready, hosts_resting, hosts_in_flight, hosts_full, hosts_idle, .. } = *self;
        let Self { addresses_in_memory, addresses_on_disk, seconds_left, .. } = *self;
        [
            hosts_ready,
            hosts_resting,
            hosts_in_flight,
            hosts_full,
            hosts_idle,
            addresses_in_memory,
            addresses_on_disk,
            seconds_left,
        ]
    }
}

fn times(rest: Duration, count: u64) -> Duration {
    rest.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The file of a collection.
fn status_path(dir: &Path) -> PathBuf {
    dir.join("frontier/status")
}

/// Writes how the frontier looks now. It is not synced: the next one comes in a second.
pub(crate) fn write_status(dir: &Path, now: Timestamp, counts: &FrontierCounts) -> Result<(), Error> {
    let numbers = [VERSION, now.0].into_iter().chain(counts.numbers());
    let text = numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    let (path, temporary) = (status_path(dir), dir.join("frontier/status.tmp"));
    fs::write(&temporary, text)?;
    Ok(fs::rename(temporary, path)?)
}

/// The crawl has ended.
pub(crate) fn remove_status(dir: &Path) {
    // Whoever finds it sees how old it is.
    let _ = fs::remove_file(status_path(dir));
}

fn read_status(dir: &Path) -> Option<(Timestamp, FrontierCounts)> {
    let text = std::fs::read_to_string(status_path(dir)).ok()?;
    let numbers: Option<Vec<u64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    let &[VERSION, at, ready, resting, in_flight, full, idle, in_memory, on_disk, left] = &numbers?[..]
    else {
        return None;
    };
    let counts = FrontierCounts {
        hosts_ready: ready,
        hosts_resting: resting,
        hosts_in_flight: in_flight,
        hosts_full: full,
        hosts_idle: idle,
        addresses_in_memory: in_memory,
        addresses_on_disk: on_disk,
        seconds_left: left,
    };
    Some((Timestamp(at), counts))
}

/// What waits in a collection, as its files tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitingStats {
    /// Addresses that were met and are not settled.
    pub addresses: u64,
    /// Hosts that they are on.
    pub hosts: u64,
    /// Those of them that are left alone for a while: they asked for it, or rest long.
    pub hosts_paused: u64,
    /// What a running crawl says, and when it did; one that was killed may have left it.
    pub live: Option<(Timestamp, FrontierCounts)>,
}

impl WaitingStats {
    /// Counts what waits. Nothing of a collection that nobody crawled into.
    pub fn gather(collection: &Collection, now: Timestamp) -> Result<Option<Self>, Error> {
        let folder = collection.dir().join("frontier");
        if !folder.join("ready.log").exists() {
            return Ok(None);
        }
        let mut done = HashSet::new();
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((_, record)) = pages.next()? {
            if let Some(ordinal) = record.ordinal.filter(|_| record.why_failed().is_none()) {
                done.insert(ordinal);
            }
        }
        let mut stats = Self { live: read_status(collection.dir()), ..Self::default() };
        // Before the log is read: a crawl that goes on writes the log first.
        let end = ready_end(collection)?;
        let mut sites: HashMap<Box<str>, bool> = HashMap::new();
        let mut scan = ReadyScan::open(&folder, ReadyPlace::START, end)?;
        let mut see = |address: ReadyUrl<'_>| {
            if !done.contains(&address.ordinal)
                && let Ok(url) = PageUrl::from_normalised(address.url)
            {
                stats.addresses += 1;
                sites.entry(url.site_str().into()).or_default();
            }
        };
        while scan.next_record(&mut see)? {}
        note_pauses(collection, now, &mut sites)?;
        stats.hosts = sites.len() as u64;
        stats.hosts_paused = sites.values().filter(|is_paused| **is_paused).count() as u64;
        Ok(Some(stats))
    }
}

/// Up to where the ready log was certainly written, as the mark of the sieve says; nothing if there is none.
pub(crate) fn ready_end(collection: &Collection) -> Result<Option<ReadyPlace>, Error> {
    let state = SieveState::of(&collection.dir().join("sieve"))?;
    let mark = state.map(|state| Mark::decode(&state.note)).transpose().ok().flatten();
    Ok(mark.filter(|mark| mark.ready_count > 0).map(|mark| mark.ready))
}

fn note_pauses(
    collection: &Collection,
    now: Timestamp,
    sites: &mut HashMap<Box<str>, bool>,
) -> Result<(), Error> {
    let path = collection.dir().join("frontier/hosts.log");
    if !path.exists() {
        return Ok(());
    }
    let mut log = JournalReader::open(&path, HOSTS_FORMAT)?;
    while let Some(record) = log.next_record()? {
        let offset = record.offset;
        let (site, _, fact) = decode_host_fact(record.payload)
            .map_err(|_| frontier::Error::Malformed { path: path.clone(), offset })?;
        if let (Some(is_paused), HostFact::PauseUntil(until)) = (sites.get_mut(site), fact) {
            *is_paused |= until > now;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_anything_else_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("frontier")).unwrap();
        assert_eq!(read_status(dir.path()), None);
        let counts = FrontierCounts {
            hosts_ready: 1,
            hosts_resting: 2,
            addresses_on_disk: 3,
            seconds_left: 4,
            ..Default::default()
        };
        write_status(dir.path(), Timestamp(77), &counts).unwrap();
        assert_eq!(read_status(dir.path()), Some((Timestamp(77), counts)));
        for foreign in ["", "2 77 1 2 3 4 5 6 7 8", "1 77 1 2 3 4 5 6 7", "1 77 1 2 3 4 5 6 7 x"] {
            std::fs::write(status_path(dir.path()), foreign).unwrap();
            assert_eq!(read_status(dir.path()), None, "{foreign}");
        }
        remove_status(dir.path());
        assert!(!status_path(dir.path()).exists());
    }

    #[test]
    fn workers_add_up_and_the_slowest_decides_how_long_it_takes() {
        let one =
            FrontierCounts { hosts_ready: 1, hosts_in_flight: 5, seconds_left: 9, ..Default::default() };
        let other = FrontierCounts { hosts_ready: 2, hosts_full: 1, seconds_left: 4, ..Default::default() };
        let sum = FrontierCounts::sum([one, other].into_iter());
        assert_eq!((sum.hosts_ready, sum.hosts_in_flight, sum.hosts_full, sum.seconds_left), (3, 5, 1, 9));
    }
}
