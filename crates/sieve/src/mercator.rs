//! The Mercator sieve: a sorted file of fingerprints on disk, and a batch of newcomers in memory.
//!
//! Offers are gathered: their fingerprints in memory, the addresses themselves in a list that spills to disk. A flush
//! sorts the batch, walks once through the sorted file of everything ever seen, writes the union to a new file, and
//! then reads the addresses back in the order of arrival and passes those that were new. All access to the disk is
//! sequential.
//!
//! Cost: 16 bytes of memory per waiting offer; a flush of b offers over n known addresses sorts b and reads and
//! writes 8n bytes. So flushes should be rare when n is large, which is what the memory is for.
//!
//! A flush is atomic. The new list is written beside the old one, the outlet makes durable what passed, and then one
//! renamed file, `state`, names the new list and carries the outlet's note. A crash before that moment leaves the
//! old state in force, a crash after it the new one.
//!
//! After Heydon and Najork, "Mercator: A Scalable, Extensible Web Crawler" (1999), and the lecture notes' section on
//! Mercator's sieve. We differ in that equal offers of one batch pass with the smallest depth and the fewest hops among
//! them, which a crawl limited by depth and by redirects needs.

use std::path::{Path, PathBuf};

use fs_err as fs;
use page::Fingerprint;

use crate::seen_file::{SeenReader, SeenWriter, remove_other_lists, seen_path};
use crate::spill::SpillList;
use crate::state::State;
use crate::{Candidate, Error, Flushed, Outlet, Sieve, SieveKind};

/// The sieve of Mercator, in a folder of its own.
#[derive(Debug)]
pub struct MercatorSieve {
    dir: PathBuf,
    state: State,
    /// Fingerprint, place in the order of arrival, distance: sorted at the flush.
    batch: Vec<Waiting>,
    /// How many offers the list of addresses holds: more than the batch, after a flush that failed half-way.
    arrivals: u32,
    batch_len_max: usize,
    urls: SpillList,
}

/// Ordered by fingerprint, then by arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    fingerprint: Fingerprint,
    arrival: u32,
    depth: u16,
    hops: u8,
}

impl MercatorSieve {
    /// Opens the sieve in `dir`, or starts an empty one. It stays within about `memory_bytes`.
    pub fn open(dir: &Path, memory_bytes: u64) -> Result<Self, Error> {
        fs::create_dir_all(dir)?;
        let state = State::read(dir, SieveKind::Mercator)?;
        remove_other_lists(dir, state.generation)?;
        // A quarter for addresses before they spill, the rest for the batch.
        let urls =
            SpillList::new(&dir.join("waiting"), (memory_bytes / 4).clamp(4 << 10, 64 << 20) as usize)?;
        let batch_len_max =
            (memory_bytes * 3 / 4 / size_of::<Waiting>() as u64).clamp(64, u64::from(u32::MAX)) as usize;
        let sieve = Self { dir: dir.to_owned(), state, batch: Vec::new(), arrivals: 0, batch_len_max, urls };
        if sieve.state.generation > 0 {
            SeenReader::open(&sieve.seen_path(sieve.state.generation), sieve.state.seen)?;
        }
        Ok(sieve)
    }

    fn seen_path(&self, generation: u64) -> PathBuf {
        seen_path(&self.dir, generation)
    }

    /// Keeps of each fingerprint in the sorted batch the first arrival, with the smallest distance of all.
    fn fold_equal_offers(&mut self) {
        self.batch.dedup_by(|later, first| {
            let equal = later.fingerprint == first.fingerprint;
            if equal {
                first.depth = first.depth.min(later.depth);
                first.hops = first.hops.min(later.hops);
            }
            equal
        });
    }

    /// Writes the union of the old list and the batch, which shares nothing with it, as the list of the next state.
    fn write_union(&self, next: &State) -> Result<(), Error> {
        let mut writer = SeenWriter::create(&self.seen_path(next.generation))?;
        let mut newcomers = self.batch.iter().map(|waiting| waiting.fingerprint.get()).peekable();
        if self.state.generation > 0 {
            let mut old = SeenReader::open(&self.seen_path(self.state.generation), self.state.seen)?;
            while let Some(known) = old.next()? {
                while let Some(newcomer) = newcomers.next_if(|&newcomer| newcomer < known) {
                    writer.push(newcomer)?;
                }
                writer.push(known)?;
            }
        }
        for newcomer in newcomers {
            writer.push(newcomer)?;
        }
        assert_eq!(writer.finish()?, next.seen, "the number of fingerprints was known before");
        Ok(())
    }

    /// Removes from the sorted batch what the old list knows.
    ///
    /// The list is read here and once more while it is written anew: the header of the new file has the count, and
    /// most flushes of a crawl that nears its end find nothing new, in which case nothing needs to be written at all.
    fn drop_known(&mut self) -> Result<(), Error> {
        if self.state.generation == 0 {
            return Ok(());
        }
        let mut old = SeenReader::open(&self.seen_path(self.state.generation), self.state.seen)?;
        let mut known = old.next()?;
        let mut kept = 0;
        for index in 0..self.batch.len() {
            let waiting = self.batch[index];
            while known.is_some_and(|known| known < waiting.fingerprint.get()) {
                known = old.next()?;
            }
            if known != Some(waiting.fingerprint.get()) {
                self.batch[kept] = waiting;
                kept += 1;
            }
        }
        self.batch.truncate(kept);
        // To the end, where the checksum is: a changed fingerprint must not let an old address through.
        while known.is_some() {
            known = old.next()?;
        }
        Ok(())
    }

    /// Shows the outlet what is new, in the order of arrival.
    fn pass_new(&mut self, outlet: &mut dyn Outlet) -> Result<(), Error> {
        self.batch.sort_unstable_by_key(|waiting| waiting.arrival);
        let mut new = self.batch.iter().peekable();
        let mut arrival = 0;
        self.urls.for_each(|url| {
            if let Some(waiting) = new.next_if(|waiting| waiting.arrival == arrival) {
                let Waiting { fingerprint, depth, hops, .. } = *waiting;
                outlet.pass(Candidate { fingerprint, depth, hops, url })?;
            }
            arrival += 1;
            Ok(())
        })
    }
}

impl Sieve for MercatorSieve {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        self.urls.push(candidate.url)?;
        let Candidate { fingerprint, depth, hops, .. } = candidate;
        self.batch.push(Waiting { fingerprint, arrival: self.arrivals, depth, hops });
        self.arrivals += 1;
        Ok(())
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        let offered = self.batch.len() as u64;
        self.batch.sort_unstable();
        self.fold_equal_offers();
        self.drop_known()?;
        let passed = self.batch.len() as u64;
        let mut state = State { seen: self.state.seen + passed, ..self.state.clone() };
        if passed > 0 {
            state.generation += 1;
            self.write_union(&state)?;
            self.pass_new(outlet)?;
        }
        state.note = outlet.seal()?;
        state.write(&self.dir)?;
        let old = std::mem::replace(&mut self.state, state);
        self.batch.clear();
        self.arrivals = 0;
        self.urls.clear()?;
        if old.generation > 0 && passed > 0 {
            fs::remove_file(self.seen_path(old.generation))?;
        }
        Ok(Flushed { offered, passed })
    }

    fn kind(&self) -> SieveKind {
        SieveKind::Mercator
    }

    fn pending(&self) -> u64 {
        self.batch.len() as u64
    }

    fn is_full(&self) -> bool {
        self.batch.len() >= self.batch_len_max
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

    fn offer_all(sieve: &mut MercatorSieve, keys: &[u64]) {
        for &key in keys {
            sieve
                .offer(Candidate {
                    fingerprint: Fingerprint::new(key),
                    depth: 1,
                    hops: 0,
                    url: &format!("http://{key}.test/"),
                })
                .unwrap();
        }
    }

    #[test]
    fn a_flipped_or_missing_byte_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let mut sieve = MercatorSieve::open(dir.path(), 1 << 20).unwrap();
        offer_all(&mut sieve, &[10, 20, 30]);
        sieve.flush(&mut Collected::default()).unwrap();
        drop(sieve);
        let path = dir.path().join("seen-1");
        let good = std::fs::read(&path).unwrap();
        let attempt = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let mut sieve = MercatorSieve::open(dir.path(), 1 << 20)?;
            offer_all(&mut sieve, &[25]);
            sieve.flush(&mut Collected::default())
        };
        for position in 0..good.len() {
            let mut bad = good.clone();
            bad[position] ^= 1;
            assert!(matches!(attempt(&bad), Err(Error::Damaged { .. })), "byte {position}");
        }
        assert!(matches!(attempt(&good[..good.len() - 1]), Err(Error::Damaged { .. })));
    }
}
