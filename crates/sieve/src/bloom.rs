//! The Bloom sieve: a filter in memory, and no list at all.
//!
//! An address passes if the filter has not seen it. That takes a few nanoseconds, one cache line and two bytes per
//! address, and no disk. The price: of the addresses that are new, a small part is taken for old ones and never
//! fetched. With 16 bits per address that is about one in a thousand when the filter is full, less before.
//!
//! The filter itself is not kept. After a restart it is filled again from the log of what has passed
//! ([`Sieve::remember`]), which costs a moment and leaves nothing to be damaged. What was offered and had not passed
//! when the process ended is offered again by the crawl.
//!
//! Use it when memory is plentiful, disks are slow, and a thousandth of the pages may be missed. After the lecture
//! notes' section on Bloom filters; the filter is [`filter::BlockedBloomFilter`].

use std::path::{Path, PathBuf};

use filter::{BlockedBloomFilter, BlockedShape};
use page::Fingerprint;

use crate::spill::SpillList;
use crate::state::{SieveKind, State};
use crate::{Candidate, Error, Flushed, Outlet, Sieve};

/// Every block has 512 bits, and this many addresses when the filter is as full as it should be.
const ADDRESSES_PER_BLOCK: u64 = 32;

/// A sieve that forgets nothing and sometimes remembers what never was.
#[derive(Debug)]
pub struct BloomSieve {
    dir: PathBuf,
    state: State,
    filter: BlockedBloomFilter,
    /// Of the addresses that wait, in the order of `urls`.
    distances: Vec<Distance>,
    urls: SpillList,
    capacity: u64,
}

/// How far an address is from a seed: links, and redirects since the last of them.
#[derive(Debug, Clone, Copy)]
struct Distance {
    depth: u16,
    hops: u8,
}

impl BloomSieve {
    /// Opens the sieve in `dir`, or starts an empty one. The filter takes three quarters of `memory_bytes`.
    ///
    /// After a restart, [`remember`](Sieve::remember) everything that has passed before anything is offered.
    pub fn open(dir: &Path, memory_bytes: u64) -> Result<Self, Error> {
        fs_err::create_dir_all(dir)?;
        let state = State::read(dir, SieveKind::Bloom)?;
        let blocks = (memory_bytes / 4 * 3 / 64).max(1);
        let filter = BlockedBloomFilter::new(BlockedShape::new(blocks, 0));
        let urls =
            SpillList::new(&dir.join("waiting"), (memory_bytes / 8).clamp(4 << 10, 64 << 20) as usize)?;
        Ok(Self {
            dir: dir.to_owned(),
            state,
            filter,
            distances: Vec::new(),
            urls,
            capacity: blocks * ADDRESSES_PER_BLOCK,
        })
    }

    /// How many addresses the filter is made for; beyond, more and more new ones are taken for old.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }
}

impl Sieve for BloomSieve {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        if self.filter.insert(candidate.fingerprint.get()) {
            self.urls.push(candidate.url)?;
            self.distances.push(Distance { depth: candidate.depth, hops: candidate.hops });
        }
        Ok(())
    }

    fn remember(&mut self, fingerprint: Fingerprint) {
        self.filter.insert(fingerprint.get());
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        let mut distances = self.distances.iter();
        self.urls.for_each(|url| {
            let Distance { depth, hops } = *distances.next().expect("every address has its distance");
            let fingerprint = Fingerprint::new(xxhash_rust::xxh3::xxh3_64(url.as_bytes()));
            Ok(outlet.pass(Candidate { fingerprint, depth, hops, url })?)
        })?;
        let passed = self.distances.len() as u64;
        let state = State { seen: self.state.seen + passed, note: outlet.seal()?, ..self.state.clone() };
        state.write(&self.dir)?;
        self.state = state;
        self.distances.clear();
        self.urls.clear()?;
        Ok(Flushed { offered: passed, passed })
    }

    fn pending(&self) -> u64 {
        self.distances.len() as u64
    }

    fn is_full(&self) -> bool {
        self.distances.len() >= 1 << 22
    }

    fn seen(&self) -> u64 {
        self.state.seen
    }

    fn note(&self) -> &[u8] {
        &self.state.note
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collected;

    fn fingerprint(number: u64) -> Fingerprint {
        Fingerprint::new(xxhash_rust::xxh3::xxh3_64(format!("http://{number}.test/").as_bytes()))
    }

    fn offer(sieve: &mut BloomSieve, number: u64) {
        let url = format!("http://{number}.test/");
        sieve.offer(Candidate { fingerprint: fingerprint(number), depth: 1, hops: 0, url: &url }).unwrap();
    }

    #[test]
    fn nothing_passes_twice_even_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let mut sieve = BloomSieve::open(dir.path(), 1 << 20).unwrap();
        for number in (0..1000).chain(0..1000) {
            offer(&mut sieve, number);
        }
        let mut passed = Collected::default();
        sieve.flush(&mut passed).unwrap();
        let expected: Vec<String> = (0..1000).map(|number| format!("http://{number}.test/")).collect();
        assert_eq!(passed.urls, expected);
        drop(sieve);

        let mut sieve = BloomSieve::open(dir.path(), 1 << 20).unwrap();
        assert_eq!(sieve.seen(), 1000);
        (0..1000).for_each(|number| sieve.remember(fingerprint(number)));
        (990..1010).for_each(|number| offer(&mut sieve, number));
        let mut passed = Collected::default();
        sieve.flush(&mut passed).unwrap();
        assert_eq!(passed.urls.len(), 10);
    }

    #[test]
    fn as_few_are_lost_as_promised() {
        let dir = tempfile::tempdir().unwrap();
        let mut sieve = BloomSieve::open(dir.path(), 256 << 10).unwrap();
        let capacity = sieve.capacity();
        (0..capacity).for_each(|number| offer(&mut sieve, number));
        let lost = capacity - sieve.pending();
        assert!(lost * 1000 < capacity * 2, "{lost} of {capacity}");
    }

    #[test]
    fn a_sieve_of_another_kind_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        BloomSieve::open(dir.path(), 1 << 20).unwrap().flush(&mut Collected::default()).unwrap();
        assert!(matches!(crate::MercatorSieve::open(dir.path(), 1 << 20), Err(Error::OtherKind { .. })));
    }
}
