//! The tiered sieve: sorted runs on disk in shards, merged in the background, and in memory all signatures of as many
//! shards as fit, filters for the others, and what is recent.
//!
//! ```text
//!   offers ─► batch ─┬─► held? ────────────────────────────┬─► newcomers ─► flush: outlet, log, state
//!                    │   all of a shard, one cache line    │               │
//!                    └─► recent? ─► filters ─► runs? ──────┘               └─► full tables ─► runs ─► merged, four at
//!                        tables     10 bits    one read                                               a time
//!                        in memory  a key      if a filter says so
//! ```
//!
//! Offers are looked at some ten thousand at a time, shard by shard, in the order of their signatures ([`batch`]). An
//! address that is known is dropped at once and costs neither memory nor disk; one that is new waits for the next
//! flush. A flush passes the newcomers, appends their signatures to a log, and replaces the state: it writes what is
//! new and nothing else. When the tables in memory are full they are given to a thread that makes runs of them, and of
//! every four runs of a level one of the next ([`tiers`]); offers and flushes go on meanwhile.
//!
//! # Cost
//!
//! Memory: five eighths are for all that was seen, at seven to eight bytes an address as long as they suffice, which is 21
//! million addresses in 256 MiB ([`held`]). Of what is more there are filters instead, of 10 bits an address, which are
//! in the same share; when they would take more than a quarter of the memory they get fewer bits, and below 4 none. 11 to
//! 21 bytes for each recent address, of which there is at most one for 355 bytes of the memory, twice (those whose runs
//! are being written count until they are), and 40 for each that waits.
//! Disk: 5.2 bytes an address at twenty million of them, 4.5 at a billion ([`run`]); each address is written once to
//! the log and once for each level. Reads: none as long as everything is held. Beyond, none for an address that is new,
//! but for one in a hundred a run; one for an address that is known, not recent and not held.
//!
//! # What makes a crash harmless
//!
//! A run is complete and on the disk before a state names it, and is removed only when a state is in force that does
//! not. The log counts up to the byte that the state names. So state, log, runs and the outlet's note change together,
//! by the rename of one file; whatever else lies in the folder is removed at the next start.
//!
//! # What is kept of an address
//!
//! Beside its signature an address may have a remark, its last visit ([`Visit`]), or a tombstone that makes it unseen.
//! The newest holds; a run without remarks has no byte for them.
//!
//! After O'Neil and others, "The log-structured merge-tree" (1996), and the notes' section on sieves on databases. We
//! differ in that nothing is asked one by one, that the order of arrival is kept, and in what a key costs. Of
//! Mercator's sieve it keeps the batch and the atomic flush, and not the rewriting of everything with the world
//! stopped.

mod batch;
mod bits;
mod code;
mod commit;
mod compact;
mod held;
mod import;
mod log;
mod look_up;
mod recent;
mod remark;
mod run;
mod run_writer;
mod signature;
mod table;
mod tiers;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fs_err as fs;
use journal::JournalWriter;
use page::Fingerprint;

pub use self::log::{LOG, show_record};
pub use self::look_up::look_up;
pub use self::remark::{Known, Visit};
pub use self::run::{RUN, scan_run};
pub use self::signature::Signature;
pub use self::table::Table;

use self::batch::Batch;
use self::code::Entry;
use self::held::Held;
use self::log::log_path;
use self::recent::Recent;
use self::remark::Remark;
use self::run_writer::{BitsAKey, FILTER_BITS_MAX};
use self::signature::SHARDS;
use self::tiers::Tiers;
use self::work::{Worker, Workplace};
use crate::manifest::Manifest;
use crate::newcomers::Newcomers;
use crate::state::State;
use crate::{Candidate, Error, Flushed, Outlet, Sieve, SieveKind, SieveOptions};

/// Opens the tiered sieve with signatures of the length that it has or that is asked for.
pub(crate) fn open_tiered(dir: &Path, options: SieveOptions) -> Result<Box<dyn Sieve>, Error> {
    let found = match State::of(dir)? {
        Some(state) if state.kind == SieveKind::Tiered => Some(state.signature_bits()),
        // Their lists have signatures of 64 bits, which become runs.
        Some(state)
            if matches!(state.kind, SieveKind::Mercator | SieveKind::Offline) && state.generation > 0 =>
        {
            Some(64)
        }
        _ => None,
    };
    let bits = match (options.signature_bits, found) {
        (Some(asked), Some(found)) if asked != found => {
            return Err(Error::OtherSignatures { path: dir.to_owned(), found, asked });
        }
        (asked, found) => asked.or(found).unwrap_or(64),
    };
    Ok(match bits {
        128 => Box::new(TieredSieve::<u128>::open(dir, options.memory_bytes, bits)?),
        _ => Box::new(TieredSieve::<u64>::open(dir, options.memory_bytes, bits)?),
    })
}

/// The tiered sieve, in a folder of its own; see the module.
pub struct TieredSieve<S: Signature> {
    workplace: Workplace,
    state: State,
    /// Only these bits of a fingerprint count.
    mask: u64,
    sizes: Sizes,
    batch: Batch<S>,
    newcomers: Newcomers<S>,
    remarks: Vec<(S, Remark)>,
    recent: Recent<S>,
    /// Tables that are full and become runs, until these are in force.
    frozen: Option<Arc<Recent<S>>>,
    tiers: Tiers<S>,
    held: Held,
    logs: Logs,
    worker: Option<Worker<S>>,
    next_number: u64,
    /// Files that the next state does not name.
    obsolete: Vec<PathBuf>,
    has_new_files: bool,
    offers: u64,
}

/// How the memory is divided.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    recent_max: usize,
    newcomers_max: usize,
    batch_max: usize,
    filter_bits: f64,
    /// Of tables that hold everything and of filters for the rest, together.
    held_bytes: u64,
}

impl Sizes {
    fn of(memory_bytes: u64) -> Self {
        Self {
            recent_max: (memory_bytes / 544).max(64) as usize,
            newcomers_max: (memory_bytes / 1024).clamp(64, 1 << 20) as usize,
            batch_max: (memory_bytes >> 13).clamp(16, 1 << 15) as usize,
            filter_bits: (memory_bytes / 4 * 8) as f64,
            held_bytes: memory_bytes / 8 * 5,
        }
    }

    /// So many addresses are in the tables at most: the last flush before they are full is let in. Where the memory is
    /// a power of two, they fill 72 % of their slots, which are doubled at 75.
    fn recent_room(&self) -> usize {
        self.recent_max + self.newcomers_max
    }

    /// How many bits the filters have for each of so many keys.
    fn bits_a_key(&self, keys: u64) -> f64 {
        self.filter_bits / keys.max(1) as f64
    }

    /// So much is left for tables where filters take so much.
    fn held_room(&self, filter_bytes: u64) -> u64 {
        self.held_bytes.saturating_sub(filter_bytes)
    }

    /// Begins to hold what there is room for, given what a manifest says of the runs. Tells what the others' filters have.
    fn hold<S: Signature>(&self, manifest: &Manifest) -> (Held, BitsAKey) {
        let mut counts = [0; SHARDS];
        manifest.runs.iter().for_each(|run| counts[run.shard] += run.count);
        let room = |asked: u64| {
            let bits = self.bits_a_key(asked).min(FILTER_BITS_MAX) * asked as f64;
            self.held_room(bits as u64 / 8)
        };
        let (held, asked) = Held::new::<S>(manifest.signature_bits, &counts, room);
        let bits_a_key = held.spare_filters(self.bits_a_key(asked));
        (held, bits_a_key)
    }
}

/// The logs of what is in memory.
#[derive(Debug, Default)]
struct Logs {
    /// Of the tables that become runs: number, and up to where it counts.
    frozen: Vec<(u64, u64)>,
    /// Of the others; the last one is written to.
    recent: Vec<(u64, u64)>,
    writer: Option<JournalWriter>,
}

impl<S: Signature> TieredSieve<S> {
    /// Opens the sieve in `dir`, or starts an empty one, with signatures of 48 to 64 bits for `u64` and 128 for `u128`.
    /// It stays within about `memory_bytes`. A list that another kind left becomes runs.
    pub fn open(dir: &Path, memory_bytes: u64, signature_bits: u32) -> Result<Self, Error> {
        let is_sound =
            if S::LOW_BITS == 0 { (48..=64).contains(&signature_bits) } else { signature_bits == 128 };
        if !is_sound {
            return Err(Error::NoSuchSignature { asked: signature_bits });
        }
        fs::create_dir_all(dir)?;
        let sizes = Sizes::of(memory_bytes);
        let workplace = Workplace { dir: dir.to_owned(), signature_bits };
        import::import_list::<S>(&workplace, sizes.recent_max as u64 / SHARDS as u64)?;
        let state = State::read(dir, SieveKind::Tiered)?;
        let manifest = read_manifest(dir, &state, signature_bits)?;
        if manifest.signature_bits != signature_bits {
            let (found, asked) = (manifest.signature_bits, signature_bits);
            return Err(Error::OtherSignatures { path: dir.to_owned(), found, asked });
        }
        remove_what_is_not_named(dir, &manifest)?;
        let (mut held, bits_a_key) = sizes.hold::<S>(&manifest);
        let see = |entry: &Entry<S>| held.put(entry, sizes.held_bytes);
        let tiers = Tiers::open(dir, &manifest.runs, &bits_a_key, see)?;
        let room = sizes.held_room(tiers.filter_bytes());
        let mut recent = Recent::with_room(sizes.recent_room());
        for &(number, end) in &manifest.logs {
            log::read(&log_path(dir, number), end, |entry: Entry<S>| {
                recent.put(&entry);
                held.put(&entry, room);
            })?;
        }
        let writer = match manifest.logs.last() {
            Some(&(number, end)) => Some(JournalWriter::open_at(&log_path(dir, number), LOG, end)?),
            None => None,
        };
        Ok(Self {
            mask: u64::MAX << (64 - signature_bits.min(64)),
            newcomers: Newcomers::new(dir, memory_bytes / 64)?,
            batch: Batch::new(sizes.batch_max),
            remarks: Vec::new(),
            recent,
            frozen: None,
            tiers,
            held,
            logs: Logs { frozen: Vec::new(), recent: manifest.logs, writer },
            worker: None,
            next_number: manifest.next_number,
            obsolete: Vec::new(),
            has_new_files: false,
            offers: 0,
            workplace,
            state,
            sizes,
        })
    }

    fn signature(&self, fingerprint: Fingerprint, url: &str) -> S {
        S::of(fingerprint.get() & self.mask, url)
    }

    /// Says whether a key is known by what was flushed, and was not forgotten.
    fn knows(&self, key: S) -> Result<bool, Error> {
        match self.held.knows(key) {
            Some(is_known) => Ok(is_known),
            None => Ok(self.find(key)?.is_some()),
        }
    }

    /// What is known of a key by what was flushed: nothing if it is unseen or forgotten.
    fn find(&self, key: S) -> Result<Option<Option<Remark>>, Error> {
        if self.held.knows(key) == Some(false) {
            return Ok(None);
        }
        let found = match self.recent.find(key) {
            None => match self.frozen.as_ref().and_then(|frozen| frozen.find(key)) {
                None => self.tiers.find(key)?,
                found => found,
            },
            found => found,
        };
        Ok(found.filter(|remark| *remark != Some(Remark::Forgotten)))
    }
}

impl<S: Signature> Sieve for TieredSieve<S> {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        let Candidate { fingerprint, depth, hops, url } = candidate;
        let key = self.signature(fingerprint, url);
        self.offers += 1;
        self.batch.urls.push_str(url);
        self.batch.offers.push((key, fingerprint, self.batch.urls.len() as u32, depth, hops));
        if self.batch.offers.len() >= self.sizes.batch_max { self.sift() } else { Ok(()) }
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        self.sift()?;
        self.take_done(false)?;
        let (mut entries, forgotten) = self.new_entries()?;
        let passed = self.newcomers.len() as u64;
        self.newcomers.pass(outlet)?;
        let note = outlet.seal()?;
        self.write_log(&mut entries)?;
        if self.has_new_files {
            // Their names must be on the disk before a state has them.
            journal::sync_folder(&self.workplace.dir)?;
            self.has_new_files = false;
        }
        let state = self.next_state(passed, forgotten, note);
        state.write(&self.workplace.dir)?;
        self.state = state;
        self.after_commit(&entries)?;
        self.give_work()?;
        Ok(Flushed { offered: std::mem::take(&mut self.offers), passed })
    }

    fn kind(&self) -> SieveKind {
        SieveKind::Tiered
    }

    fn pending(&self) -> u64 {
        // Remarks wait for a flush that is made for offers, unless they have become too many.
        self.offers + if self.is_full() { self.remarks.len() as u64 } else { 0 }
    }

    fn is_full(&self) -> bool {
        self.newcomers.len() + self.remarks.len() >= self.sizes.newcomers_max
    }

    fn seen(&self) -> u64 {
        self.state.seen
    }

    fn note(&self) -> &[u8] {
        &self.state.note
    }

    fn keeps_visits(&self) -> bool {
        true
    }

    fn note_visit(&mut self, fingerprint: Fingerprint, url: &str, visit: Visit) -> Result<(), Error> {
        self.remarks.push((self.signature(fingerprint, url), Remark::Visited(visit)));
        Ok(())
    }

    fn forget(&mut self, fingerprint: Fingerprint, url: &str) -> Result<(), Error> {
        self.remarks.push((self.signature(fingerprint, url), Remark::Forgotten));
        Ok(())
    }

    fn look_up(&self, fingerprint: Fingerprint, url: &str) -> Result<Option<Known>, Error> {
        Ok(Some(match self.find(self.signature(fingerprint, url))? {
            None => Known::Unseen,
            Some(Some(Remark::Visited(visit))) => Known::Visited(visit),
            Some(_) => Known::Seen,
        }))
    }

    fn settle(&mut self) -> Result<(), Error> {
        while self.worker.as_ref().is_some_and(Worker::is_busy) {
            self.take_done(true)?;
        }
        Ok(())
    }
}

fn read_manifest(dir: &Path, state: &State, signature_bits: u32) -> Result<Manifest, Error> {
    if state.parts.is_empty() {
        return Ok(Manifest { signature_bits, next_number: 1, logs: Vec::new(), runs: Vec::new() });
    }
    let (path, what) = (dir.join("state"), "its list of parts cannot be read");
    Manifest::decode(&state.parts).map_err(|_| Error::Damaged { path, what })
}

/// Removes logs and runs of which the state knows nothing: they were being written when the last process ended.
fn remove_what_is_not_named(dir: &Path, manifest: &Manifest) -> Result<(), Error> {
    let runs = manifest.runs.iter().map(|run| run::run_path(dir, run.number));
    let named: std::collections::HashSet<PathBuf> =
        runs.chain(manifest.logs.iter().map(|(number, _)| log_path(dir, *number))).collect();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if (name.starts_with("run-") || name.starts_with("recent-")) && !named.contains(&entry.path()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
