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

use crate::seen_file::{SeenReader, SeenWriter};
use crate::spill::SpillList;
use crate::state::{SieveKind, State};
use crate::{Candidate, Error, Flushed, Outlet, Sieve};

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
        remove_other_generations(dir, state.generation)?;
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
        self.dir.join(seen_name(generation))
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
        let mut writer = SeenWriter::create(&self.seen_path(next.generation), next.seen)?;
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
        writer.finish()
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

fn seen_name(generation: u64) -> String {
    format!("seen-{generation}")
}

fn remove_other_generations(dir: &Path, generation: u64) -> Result<(), Error> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("seen-") && name != seen_name(generation) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collected;
    use std::collections::HashSet;

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

    /// An outlet whose disk is full.
    struct Refusing;

    impl Outlet for Refusing {
        fn pass(&mut self, _: Candidate<'_>) -> std::io::Result<()> {
            Ok(())
        }
        fn seal(&mut self) -> std::io::Result<Vec<u8>> {
            Err(std::io::Error::other("disk full"))
        }
    }

    #[test]
    fn equal_offers_pass_once_with_the_smallest_depth() {
        #[derive(Default)]
        struct Distances(Vec<(u64, u16, u8)>);
        impl Outlet for Distances {
            fn pass(&mut self, candidate: Candidate<'_>) -> std::io::Result<()> {
                self.0.push((candidate.fingerprint.get(), candidate.depth, candidate.hops));
                Ok(())
            }
            fn seal(&mut self) -> std::io::Result<Vec<u8>> {
                Ok(b"note".to_vec())
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let mut sieve = MercatorSieve::open(dir.path(), 1 << 20).unwrap();
        for (fingerprint, depth, hops) in [(9, 5, 0), (4, 2, 3), (9, 3, 2), (9, 4, 1)] {
            let fingerprint = Fingerprint::new(fingerprint);
            sieve.offer(Candidate { fingerprint, depth, hops, url: "u" }).unwrap();
        }
        let mut distances = Distances::default();
        sieve.flush(&mut distances).unwrap();
        assert_eq!(distances.0, [(9, 3, 0), (4, 2, 3)]);
        drop(sieve);
        assert_eq!(MercatorSieve::open(dir.path(), 1 << 20).unwrap().note(), b"note");
    }

    #[test]
    fn a_flush_that_fails_leaves_the_old_state_in_force() {
        let keys = |range: std::ops::Range<u64>| range.collect::<Vec<_>>();
        // In the smaller one the addresses that wait are on disk.
        for memory_bytes in [1 << 20, 8 << 10] {
            let dir = tempfile::tempdir().unwrap();
            let mut sieve = MercatorSieve::open(dir.path(), memory_bytes).unwrap();
            offer_all(&mut sieve, &keys(0..200));
            sieve.flush(&mut Collected::default()).unwrap();
            offer_all(&mut sieve, &keys(100..400));
            assert!(sieve.flush(&mut Refusing).is_err());
            assert_eq!(State::read(dir.path(), SieveKind::Mercator).unwrap().seen, 200);
            offer_all(&mut sieve, &keys(300..600));
            let mut passed = Collected::default();
            sieve.flush(&mut passed).unwrap();
            let expected: Vec<String> = (200..600).map(|key| format!("http://{key}.test/")).collect();
            assert_eq!(passed.urls, expected, "the same call can be repeated");
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
            sieve.flush(&mut Refusing)
        };
        for position in 0..good.len() {
            let mut bad = good.clone();
            bad[position] ^= 1;
            assert!(matches!(attempt(&bad), Err(Error::Damaged { .. })), "byte {position}");
        }
        assert!(matches!(attempt(&good[..good.len() - 1]), Err(Error::Damaged { .. })));
    }

    proptest::proptest! {
        #[test]
        fn it_lets_through_what_a_hash_set_would(batches in proptest::collection::vec(proptest::collection::vec(0u64..200, 0..400), 1..8)) {
            // In memory where there is such a place: each flush would wait for the disk.
            let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
            let mut known = HashSet::new();
            for keys in &batches {
                // A new sieve each time: nothing may live in memory only. With 8 KiB, long lists of addresses spill.
                let mut sieve = MercatorSieve::open(dir.path(), 8 << 10).unwrap();
                offer_all(&mut sieve, keys);
                let mut passed = Collected::default();
                sieve.flush(&mut passed).unwrap();
                let expected: Vec<String> =
                    keys.iter().filter(|key| known.insert(**key)).map(|key| format!("http://{key}.test/")).collect();
                proptest::prop_assert_eq!(passed.urls, expected);
                proptest::prop_assert_eq!(sieve.seen(), known.len() as u64);
            }
        }
    }
}
