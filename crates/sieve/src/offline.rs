//! The offline sieve: three files and almost no memory.
//!
//! - Z, `seen-N`: the signatures of everything that was seen, sorted.
//! - F: what is still to be visited, in the order of discovery; this is the outlet's ready log.
//! - A, `arrived`: whatever is offered, as it comes, until the next flush.
//!
//! A flush sorts the signatures of A on disk, keeps of equal ones the first position and the smallest distance, merges
//! them with Z into a new list, and gathers the positions of those that Z does not have. These positions are sorted too,
//! and A is read once more beside them: so addresses come out in the order in which they arrived, although their
//! signatures were sorted.
//!
//! Cost: a few buffers of memory, whatever is offered. An offer writes its address and 13 bytes to A; a flush reads A
//! twice, sorts 14 bytes an offer on disk, and reads and writes 8 bytes for every address that was ever seen. All access
//! is sequential. A flush is wanted when A has so many offers that this is worth it.
//!
//! A is scratch: what waits when the process ends is offered again by the crawl. The rest is atomic as Mercator's sieve
//! is, by the renamed `state`. After the lecture notes' section on an offline sieve; Mercator's is the same with the
//! signatures of A in memory.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::{ExternalSort, SortRecord, Sorted, varint};
use page::Fingerprint;

use crate::seen_file::{SeenReader, SeenWriter, remove_other_lists, seen_path};
use crate::state::State;
use crate::{Candidate, Error, Flushed, Outlet, Sieve, SieveKind};

/// So many offers are gathered for each byte that may be used: the disk is large.
const OFFERS_A_BYTE: u64 = 1;

/// See the module.
#[derive(Debug)]
pub struct OfflineSieve {
    dir: PathBuf,
    state: State,
    arrived: Option<BufWriter<fs::File>>,
    /// An offer on its way there.
    record: Vec<u8>,
    arrivals: u64,
    arrivals_max: u64,
    sort_bytes: usize,
}

/// An offer as it is sorted: by signature, then by position in A.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    signature: u64,
    position: u64,
    depth: u16,
    hops: u8,
}

impl SortRecord for Arrival {
    fn put_after(&self, before: &Self, bytes: &mut Vec<u8>) {
        varint::put(bytes, self.signature - before.signature);
        varint::put(bytes, self.position);
        varint::put(bytes, u64::from(self.depth));
        bytes.push(self.hops);
    }

    fn step(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let mut rest = *bytes;
        let signature = self.signature.checked_add(varint::take(&mut rest)?)?;
        let position = varint::take(&mut rest)?;
        let depth = u16::try_from(varint::take(&mut rest)?).ok()?;
        let (&hops, rest) = rest.split_first()?;
        *self = Self { signature, position, depth, hops };
        *bytes = rest;
        Some(())
    }
}

/// A newcomer as it is sorted: by position in A.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Newcomer {
    position: u64,
    depth: u16,
    hops: u8,
}

impl SortRecord for Newcomer {
    fn put_after(&self, before: &Self, bytes: &mut Vec<u8>) {
        varint::put(bytes, self.position - before.position);
        varint::put(bytes, u64::from(self.depth));
        bytes.push(self.hops);
    }

    fn step(&mut self, bytes: &mut &[u8]) -> Option<()> {
        let mut rest = *bytes;
        let position = self.position.checked_add(varint::take(&mut rest)?)?;
        let depth = u16::try_from(varint::take(&mut rest)?).ok()?;
        let (&hops, rest) = rest.split_first()?;
        *self = Self { position, depth, hops };
        *bytes = rest;
        Some(())
    }
}

impl OfflineSieve {
    /// Opens the sieve in `dir`, or starts an empty one. A fraction of `memory_bytes` is used, for sorting.
    pub fn open(dir: &Path, memory_bytes: u64) -> Result<Self, Error> {
        fs::create_dir_all(dir)?;
        let state = State::read(dir, SieveKind::Offline)?;
        remove_other_lists(dir, state.generation)?;
        let sieve = Self {
            dir: dir.to_owned(),
            state,
            arrived: None,
            record: Vec::new(),
            arrivals: 0,
            arrivals_max: (memory_bytes * OFFERS_A_BYTE).clamp(64, 1 << 26),
            sort_bytes: (memory_bytes / 4).clamp(64 << 10, 64 << 20) as usize,
        };
        // The checksum of the list is told now, not by the next flush.
        if sieve.state.generation > 0 {
            let mut list = SeenReader::open(&seen_path(dir, sieve.state.generation), sieve.state.seen)?;
            while list.next()?.is_some() {}
        }
        sieve.remove_arrived()?;
        Ok(sieve)
    }

    fn arrived_path(&self) -> PathBuf {
        self.dir.join("arrived")
    }

    fn remove_arrived(&self) -> Result<(), Error> {
        let path = self.arrived_path();
        if path.exists() {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Sorts what has arrived by signature.
    fn sorted_arrivals(&mut self) -> Result<Sorted<Arrival>, Error> {
        let mut sort = ExternalSort::new(&self.dir, self.sort_bytes);
        self.for_each_arrival(|position, signature, depth, hops, _| {
            Ok(sort.push(Arrival { signature, position, depth, hops })?)
        })?;
        Ok(sort.finish()?)
    }

    /// Writes the union of the old list and what has arrived as the next one, and sorts what is new by position.
    fn merge(&mut self, generation: u64) -> Result<(Sorted<Newcomer>, u64), Error> {
        let mut arrivals = self.sorted_arrivals()?;
        let mut newcomers = ExternalSort::new(&self.dir, self.sort_bytes);
        let mut writer = SeenWriter::create(&seen_path(&self.dir, generation))?;
        let mut old = match self.state.generation {
            0 => None,
            generation => Some(SeenReader::open(&seen_path(&self.dir, generation), self.state.seen)?),
        };
        let mut next_known = || old.as_mut().map_or(Ok(None), SeenReader::next);
        let (mut known, mut arrival) = (next_known()?, arrivals.next()?);
        while let Some(first) = arrival {
            while let Some(signature) = known.filter(|known| *known < first.signature) {
                writer.push(signature)?;
                known = next_known()?;
            }
            let mut nearest = Newcomer { position: first.position, depth: first.depth, hops: first.hops };
            arrival = arrivals.next()?;
            while let Some(again) = arrival.take_if(|again| again.signature == first.signature) {
                nearest.depth = nearest.depth.min(again.depth);
                nearest.hops = nearest.hops.min(again.hops);
                arrival = arrivals.next()?;
            }
            if known != Some(first.signature) {
                writer.push(first.signature)?;
                newcomers.push(nearest)?;
            }
        }
        while let Some(signature) = known {
            writer.push(signature)?;
            known = next_known()?;
        }
        Ok((newcomers.finish()?, writer.finish()?))
    }

    /// Shows the outlet what is new, in the order of arrival.
    fn pass(&mut self, mut newcomers: Sorted<Newcomer>, outlet: &mut dyn Outlet) -> Result<(), Error> {
        let mut next = newcomers.next()?;
        self.for_each_arrival(|position, signature, _, _, url| {
            if let Some(Newcomer { depth, hops, .. }) = next.take_if(|next| next.position == position) {
                outlet.pass(Candidate { fingerprint: Fingerprint::new(signature), depth, hops, url })?;
                next = newcomers.next()?;
            }
            Ok(())
        })
    }

    /// Reads A from front to back.
    fn for_each_arrival(
        &mut self,
        mut see: impl FnMut(u64, u64, u16, u8, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(arrived) = &mut self.arrived else { return Ok(()) };
        arrived.flush()?;
        let file = arrived.get_mut();
        file.seek(SeekFrom::Start(0))?;
        let shown = show_arrivals(BufReader::with_capacity(256 << 10, &mut *file), self.arrivals, &mut see);
        // Whatever came of it, the next offer goes to the end.
        file.seek(SeekFrom::End(0))?;
        shown
    }
}

fn show_arrivals(
    mut reader: impl Read,
    arrivals: u64,
    see: &mut impl FnMut(u64, u64, u16, u8, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut url = Vec::new();
    for position in 0..arrivals {
        let mut head = [0; 13];
        reader.read_exact(&mut head)?;
        let signature = u64::from_le_bytes(head[..8].try_into().expect("eight bytes were cut out"));
        let (depth, hops) = (u16::from_le_bytes([head[8], head[9]]), head[10]);
        url.resize(usize::from(u16::from_le_bytes([head[11], head[12]])), 0);
        reader.read_exact(&mut url)?;
        let changed = |_| std::io::Error::other("the sieve's scratch file was changed");
        see(position, signature, depth, hops, std::str::from_utf8(&url).map_err(changed)?)?;
    }
    Ok(())
}

impl Sieve for OfflineSieve {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        let Candidate { fingerprint, depth, hops, url } = candidate;
        let length = u16::try_from(url.len()).map_err(|_| std::io::Error::other("an address is too long"))?;
        if self.arrived.is_none() {
            let mut options = fs::OpenOptions::new();
            let file =
                options.read(true).write(true).create(true).truncate(true).open(self.arrived_path())?;
            self.arrived = Some(BufWriter::with_capacity(64 << 10, file));
        }
        let arrived = self.arrived.as_mut().expect("it was opened above");
        let record = &mut self.record;
        record.clear();
        record.extend_from_slice(&fingerprint.get().to_le_bytes());
        record.extend_from_slice(&depth.to_le_bytes());
        record.push(hops);
        record.extend_from_slice(&length.to_le_bytes());
        record.extend_from_slice(url.as_bytes());
        // In one piece, which the buffer takes whole or not at all: if the disk is full, the offer can be repeated.
        arrived.write_all(record)?;
        self.arrivals += 1;
        Ok(())
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        let offered = self.arrivals;
        let mut state = State { generation: self.state.generation + 1, ..self.state.clone() };
        if offered > 0 {
            let (newcomers, seen) = self.merge(state.generation)?;
            state.seen = seen;
            self.pass(newcomers, outlet)?;
        }
        let passed = state.seen - self.state.seen;
        if passed == 0 {
            if offered > 0 {
                fs::remove_file(seen_path(&self.dir, state.generation))?;
            }
            state.generation = self.state.generation;
        }
        state.note = outlet.seal()?;
        state.write(&self.dir)?;
        let old = std::mem::replace(&mut self.state, state);
        self.arrivals = 0;
        if self.arrived.take().is_some() {
            self.remove_arrived()?;
        }
        if old.generation > 0 && passed > 0 {
            fs::remove_file(seen_path(&self.dir, old.generation))?;
        }
        Ok(Flushed { offered, passed })
    }

    fn kind(&self) -> SieveKind {
        SieveKind::Offline
    }

    fn pending(&self) -> u64 {
        self.arrivals
    }

    fn is_full(&self) -> bool {
        self.arrivals >= self.arrivals_max
    }

    fn seen(&self) -> u64 {
        self.state.seen
    }

    fn note(&self) -> &[u8] {
        &self.state.note
    }
}
