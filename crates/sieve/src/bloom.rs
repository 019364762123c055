//! The Bloom sieve: filters in memory, and no list at all.
//!
//! An address passes if no filter has seen it. That takes a few nanoseconds, one cache line for each filter, two to three
//! bytes of memory an address, and no disk. The price: of the addresses that are new, a small part is taken for old ones
//! and never fetched. At most one in a thousand is promised ([`RATE`]), however many there are.
//!
//! A filter is made for a number of addresses, and beyond it its rate grows. So when one is full the next one is added,
//! twice as large and with half the rate: the rates 1/2000, 1/4000, 1/8000, … sum up to 1/1000 for ever. The first takes
//! an eighth of the memory. When all of it is used up the sieve goes on to grow and says so in the log, because to lose
//! more pages than promised, in silence, would be worse.
//!
//! The filters are not kept. After a restart they are filled again from the log of what has passed
//! ([`Sieve::remember`]), which costs a moment and leaves nothing to be damaged. What was offered and had not passed
//! when the process ended is offered again by the crawl.
//!
//! After the lecture notes' section on Bloom filters, and Almeida and others, "Scalable Bloom filters" (2007); a filter is
//! a [`filter::BlockedBloomFilter`].

use std::path::{Path, PathBuf};

use filter::{BlockedBloomFilter, BlockedShape};
use page::Fingerprint;

use crate::newcomers::Newcomers;
use crate::state::State;
use crate::{Candidate, Error, Flushed, Outlet, Sieve, SieveKind};

/// So many of the new addresses are missed at most.
pub const RATE: f64 = 1e-3;

/// A sieve that forgets nothing and sometimes remembers what never was.
#[derive(Debug)]
pub struct BloomSieve {
    dir: PathBuf,
    state: State,
    filters: Vec<Filter>,
    memory_bytes: u64,
    newcomers: Newcomers<u64>,
    newcomers_max: usize,
    offers: u64,
}

/// A filter and for how many keys it is made.
#[derive(Debug)]
struct Filter {
    bits: BlockedBloomFilter,
    keys: u64,
    keys_max: u64,
}

impl Filter {
    fn new(keys_max: u64, rate: f64) -> Self {
        Self { bits: BlockedBloomFilter::new(BlockedShape::for_rate(keys_max, rate)), keys: 0, keys_max }
    }
}

impl BloomSieve {
    /// Opens the sieve in `dir`, or starts an empty one.
    ///
    /// After a restart, [`remember`](Sieve::remember) everything that has passed before anything is offered.
    pub fn open(dir: &Path, memory_bytes: u64) -> Result<Self, Error> {
        fs_err::create_dir_all(dir)?;
        // At half the rate an address takes 17.5 bits.
        let first_keys = (memory_bytes / 8 * 8 * 2 / 35).max(64);
        Ok(Self {
            dir: dir.to_owned(),
            state: State::read(dir, SieveKind::Bloom)?,
            filters: vec![Filter::new(first_keys, RATE / 2.0)],
            memory_bytes,
            newcomers: Newcomers::new(dir, memory_bytes / 8)?,
            newcomers_max: (memory_bytes / 512).clamp(64, 1 << 22) as usize,
            offers: 0,
        })
    }

    /// How many addresses the first filter is made for.
    pub fn first_capacity(&self) -> u64 {
        self.filters[0].keys_max
    }

    /// How much memory the filters take.
    pub fn filter_bytes(&self) -> u64 {
        self.filters.iter().map(|filter| filter.bits.shape().bits() / 8).sum()
    }

    fn contains(&self, signature: u64) -> bool {
        self.filters.iter().any(|filter| filter.bits.contains(signature))
    }

    fn insert(&mut self, signature: u64) {
        let number = self.filters.len();
        let last = self.filters.last_mut().expect("there is always one");
        if last.keys < last.keys_max {
            last.keys += u64::from(last.bits.insert(signature));
            return;
        }
        let mut next = Filter::new(last.keys_max * 2, RATE / 2f64.powi(number as i32 + 1));
        next.keys += u64::from(next.bits.insert(signature));
        self.filters.push(next);
        let (bytes, budget) = (self.filter_bytes(), self.memory_bytes);
        if bytes > budget {
            tracing::warn!(
                bytes,
                budget,
                "the filters of the sieve are larger than its memory; --sieve tiered is not"
            );
        }
    }
}

impl Sieve for BloomSieve {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        self.offers += 1;
        let signature = candidate.fingerprint.get();
        // Who waits is asked first: a shorter way to an address counts as long as it has not passed.
        if self.newcomers.meet_again(signature, candidate) || self.contains(signature) {
            return Ok(());
        }
        self.newcomers.offer(signature, candidate)
    }

    fn remember(&mut self, fingerprint: Fingerprint) {
        self.insert(fingerprint.get());
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        self.newcomers.pass(outlet)?;
        let passed = self.newcomers.len() as u64;
        let state = State { seen: self.state.seen + passed, note: outlet.seal()?, ..self.state.clone() };
        state.write(&self.dir)?;
        self.state = state;
        let signatures: Vec<u64> = self.newcomers.signatures().collect();
        signatures.into_iter().for_each(|signature| self.insert(signature));
        self.newcomers.clear()?;
        Ok(Flushed { offered: std::mem::take(&mut self.offers), passed })
    }

    fn kind(&self) -> SieveKind {
        SieveKind::Bloom
    }

    fn pending(&self) -> u64 {
        self.offers
    }

    fn is_full(&self) -> bool {
        self.newcomers.len() >= self.newcomers_max
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

    fn offer(sieve: &mut BloomSieve, number: u64) {
        let url = format!("http://{number}.test/");
        let fingerprint = Fingerprint::new(xxhash_rust::xxh3::xxh3_64(url.as_bytes()));
        sieve.offer(Candidate { fingerprint, depth: 1, hops: 0, url: &url }).unwrap();
    }

    #[test]
    fn as_few_are_lost_as_promised_however_many_there_are() {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let mut sieve = BloomSieve::open(dir.path(), 64 << 10).unwrap();
        // Thirty times what the first filter is made for, and twice what the memory is.
        let count = 30 * sieve.first_capacity();
        let mut passed = Collected::default();
        for number in 0..count {
            offer(&mut sieve, number);
            if sieve.is_full() {
                sieve.flush(&mut passed).unwrap();
            }
        }
        sieve.flush(&mut passed).unwrap();
        let lost = count - sieve.seen();
        assert!(lost as f64 <= RATE * count as f64, "{lost} of {count} are lost");
        assert!(sieve.filters.len() >= 4 && lost > 0, "{} filters, {lost} lost", sieve.filters.len());
    }
}
