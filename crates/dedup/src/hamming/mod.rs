//! Every stored fingerprint within a few bits of a given one, without looking at all of them.
//!
//! Two pages that are nearly the same have SimHashes that differ in few bits. [`HammingIndex`] holds fingerprints with
//! ids and finds *all* that differ from a query in at most k bits: k itself included, nothing missed.
//!
//! Method: fingerprints are cut into k + 1 blocks, and kept once per block, sorted by it. Two that differ in at most k
//! bits agree in a block (`shape.rs`), so a query reads one stretch of each of the k + 1 tables and counts bits
//! (`kernel.rs`). New entries go to a short tail that is scanned whole; a full tail becomes a run (`run.rs`), and runs
//! are merged so that each is at least [four times](RUNS_RATIO) as long as the next. So an entry is moved O(log n)
//! times and a query looks at O(log n) runs. Beyond a budget of memory runs are merged on disk (`disk_run.rs`,
//! `merge.rs`), where a query costs k + 1 reads per run.
//!
//! Cost for k = 3 and 64 bits: four stretches of n / 65,536 entries, and 48 bytes per entry with half a byte or so for
//! offsets. In memory a query takes 0.4 µs among a million and 1.2 µs among ten million, an insert 0.2 to 0.35 µs; on
//! disk, in one run that the system has cached, a query takes 6 and 11 µs (`examples/hamming.rs`). If the bits of
//! fingerprints are biased, stretches are longer: with each bit the same in seven of ten, 3.5 µs among ten million.
//!
//! After Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling" (2007). We differ in that the tables have
//! one array of offsets instead of a search by interpolation, in that entries can be added, and in that there is always
//! one table per block: more tables with longer keys take twice to four times the memory.

mod disk_run;
mod error;
mod fingerprint;
mod kernel;
mod merge;
mod run;
mod shape;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use fs_err as fs;

pub use disk_run::RUN_MAGIC;
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use shape::DISTANCE_MAX;

pub(crate) use kernel::prefetch;

use disk_run::DiskRun;
use kernel::Isa;
use run::{Entries, Run, Stretches};
use shape::Shape;

/// A run is at least so many times as long as the one after it.
pub const RUNS_RATIO: usize = 4;

/// Entries that are scanned one by one before they are sorted.
const TAIL_ENTRIES: usize = 512;

/// How many runs are asked for before the first is read.
const RUNS_AHEAD: usize = 8;

/// Runs in memory get this much even if the budget is smaller, or each tail would be written to disk by itself.
const ROOM_BYTES_MIN: usize = 256 << 10;

/// Something that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// In how many bits it differs from the query.
    pub distance: u32,
    /// What it was inserted with.
    pub id: u32,
}

/// Fingerprints with ids, to be searched by distance. The same fingerprint and the same id may be in it many times.
///
/// ```
/// # fn main() -> Result<(), dedup::hamming::Error> {
/// use dedup::hamming::{HammingIndex, Near};
///
/// let mut index = HammingIndex::<u64>::new(3);
/// index.insert(0b1111_0000, 7)?;
/// assert_eq!(index.nearest(0b1111_0111)?, Some(Near { distance: 3, id: 7 }));
/// assert_eq!(index.nearest(0b1111_1111)?, None);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HammingIndex<F: Fingerprint> {
    shape: Shape,
    isa: Isa,
    tail: Entries<F>,
    tail_entries_max: usize,
    /// The oldest and longest first.
    runs: Vec<Run<F>>,
    disk: Option<Disk<F>>,
}

/// Where runs go that do not fit into memory.
#[derive(Debug)]
struct Disk<F> {
    folder: PathBuf,
    memory_bytes_max: usize,
    room_bytes_min: usize,
    /// The oldest and longest first. All are older than those in memory.
    runs: Vec<DiskRun<F>>,
    files_made: u64,
}

impl<F: Fingerprint> HammingIndex<F> {
    /// An empty index in memory that finds what differs in at most `distance` bits.
    ///
    /// # Panics
    /// If the distance is more than [`DISTANCE_MAX`].
    pub fn new(distance: u32) -> Self {
        let tail =
            Entries { fingerprints: Vec::with_capacity(TAIL_ENTRIES), ids: Vec::with_capacity(TAIL_ENTRIES) };
        Self {
            shape: Shape::new::<F>(distance),
            isa: Isa::detect(),
            tail,
            tail_entries_max: TAIL_ENTRIES,
            runs: Vec::new(),
            disk: None,
        }
    }

    /// An empty index that takes about so much memory and then goes on in files in a folder.
    ///
    /// The files are scratch. They do not outlive the index: the folder is made if it is missing, runs that an earlier
    /// index left there are deleted, and whoever starts again inserts everything again. The budget covers runs, the
    /// merging of them, and what must be known of runs on disk. The least that an index needs is a quarter of a megabyte
    /// and 12 bytes per page of 4096 on disk (0.14 bytes per entry of 64 bits for a distance of 3).
    ///
    /// # Panics
    /// If the distance is more than [`DISTANCE_MAX`].
    pub fn with_budget(distance: u32, folder: &Path, memory_bytes_max: usize) -> Result<Self, Error> {
        fs::create_dir_all(folder)?;
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with("hamming-") && name.ends_with(".run") {
                fs::remove_file(path)?;
            }
        }
        let disk = Disk {
            folder: folder.to_owned(),
            memory_bytes_max,
            room_bytes_min: ROOM_BYTES_MIN,
            runs: Vec::new(),
            files_made: 0,
        };
        Ok(Self { disk: Some(disk), ..Self::new(distance) })
    }

    /// Adds an entry. An error says that the disk refused or that the index is full. If the disk refused, the entry is
    /// in nevertheless, memory may exceed the budget, and a later insert tries the disk again.
    pub fn insert(&mut self, fingerprint: F, id: u32) -> Result<(), Error> {
        if self.len() >= u64::from(u32::MAX) {
            return Err(Error::Full);
        }
        self.tail.fingerprints.push(fingerprint);
        self.tail.ids.push(id);
        if self.tail.ids.len() < self.tail_entries_max { Ok(()) } else { self.freeze() }
    }

    /// Tells (id, distance) of every entry at most the index's distance away, in no particular order.
    pub fn find(&self, query: F, mut see: impl FnMut(u32, u32)) -> Result<(), Error> {
        const NOTHING: std::ops::Range<usize> = 0..0;
        const NOWHERE: Stretches = [NOTHING; shape::TABLES_MAX];
        let mut stretches = [NOWHERE; RUNS_AHEAD];
        for runs in self.runs.chunks(RUNS_AHEAD) {
            for (run, stretches) in runs.iter().zip(&mut stretches) {
                run.locate(&self.shape, query, stretches);
            }
            for (run, stretches) in runs.iter().zip(&stretches) {
                run.scan(self.isa, &self.shape, query, stretches, &mut see);
            }
        }
        self.isa.scan(&[&self.tail.fingerprints], query, self.shape.distance, &mut |_, place, distance| {
            see(self.tail.ids[place], distance);
        });
        for run in self.disk.iter().flat_map(|disk| &disk.runs) {
            run.find(self.isa, &self.shape, query, &mut see)?;
        }
        Ok(())
    }

    /// The nearest entry, and of equally near ones that with the smallest id.
    pub fn nearest(&self, query: F) -> Result<Option<Near>, Error> {
        let mut nearest = None::<Near>;
        self.find(query, |id, distance| {
            let found = Near { distance, id };
            nearest = Some(nearest.map_or(found, |nearest| nearest.min(found)));
        })?;
        Ok(nearest)
    }

    /// Makes one run of all, in memory or on disk, so that queries are fastest.
    pub fn compact(&mut self) -> Result<(), Error> {
        if self.disk.as_ref().is_some_and(|disk| !disk.runs.is_empty()) {
            self.freeze_tail();
            return self.spill(true);
        }
        if self.runs.len() + self.tail.ids.len().min(1) > 1 {
            self.merge_from(0);
        }
        Ok(())
    }

    /// How many entries there are.
    pub fn len(&self) -> u64 {
        let in_runs: u64 = self.runs.iter().map(|run| run.len() as u64).sum();
        let on_disk: u64 = self.disk.iter().flat_map(|disk| &disk.runs).map(DiskRun::len).sum();
        on_disk + in_runs + self.tail.ids.len() as u64
    }

    /// Whether nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is found differs in at most so many bits.
    pub fn distance(&self) -> u32 {
        self.shape.distance
    }

    /// How many runs a query looks at: in memory and on disk.
    pub fn run_counts(&self) -> (usize, usize) {
        (self.runs.len(), self.disk.as_ref().map_or(0, |disk| disk.runs.len()))
    }

    /// The memory in use. A merge needs that of one more table for a while.
    pub fn memory_bytes(&self) -> usize {
        self.run_bytes() + self.fixed_bytes()
    }

    fn run_bytes(&self) -> usize {
        self.runs.iter().map(Run::memory_bytes).sum()
    }

    /// What stays when all runs are on disk.
    fn fixed_bytes(&self) -> usize {
        let on_disk: usize = self.disk.iter().flat_map(|disk| &disk.runs).map(DiskRun::memory_bytes).sum();
        self.tail.memory_bytes() + on_disk
    }

    /// Ends the tail, and writes the runs to disk if the next merge might not fit into memory.
    fn freeze(&mut self) -> Result<(), Error> {
        self.freeze_tail();
        let Some(disk) = &self.disk else { return Ok(()) };
        let room_bytes = disk.memory_bytes_max.saturating_sub(self.fixed_bytes()).max(disk.room_bytes_min);
        let merge_bytes = self.run_bytes() / self.shape.tables();
        if self.run_bytes() + merge_bytes > room_bytes { self.spill(false) } else { Ok(()) }
    }

    /// Makes a run of the tail and of all runs that would be too short to stand before it.
    fn freeze_tail(&mut self) {
        let lengths = self.runs.iter().map(Run::len);
        let first = first_to_merge(lengths, self.tail.ids.len());
        self.merge_from(first);
    }

    fn merge_from(&mut self, first: usize) {
        if self.tail.ids.is_empty() && first == self.runs.len() {
            return;
        }
        let older = self.runs.split_off(first);
        self.runs.push(Run::merge(&self.shape, older, &self.tail));
        self.tail.fingerprints.clear();
        self.tail.ids.clear();
    }

    /// Writes all runs in memory to disk as one, together with those there that are too short, or with all.
    fn spill(&mut self, with_all: bool) -> Result<(), Error> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        let in_memory = self.runs.iter().map(Run::len).sum();
        let lengths = disk.runs.iter().map(|run| run.len() as usize);
        let first = if with_all { 0 } else { first_to_merge(lengths, in_memory) };
        if in_memory == 0 && disk.runs.len() - first < 2 {
            return Ok(());
        }
        let path = disk.folder.join(format!("hamming-{}.run", disk.files_made));
        disk.files_made += 1;
        let merged = merge::merge_to_disk(&path, &self.shape, &disk.runs[first..], &self.runs)?;
        disk.runs.truncate(first);
        disk.runs.push(merged);
        self.runs.clear();
        Ok(())
    }
}

/// Which runs are merged with something new of some length: those from here on.
fn first_to_merge(
    lengths: impl DoubleEndedIterator<Item = usize> + ExactSizeIterator,
    newer: usize,
) -> usize {
    let mut first = lengths.len();
    let mut merged = newer;
    for length in lengths.rev() {
        if length >= RUNS_RATIO * merged {
            break;
        }
        merged += length;
        first -= 1;
    }
    first
}
