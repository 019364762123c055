//! The memory sieve: a dictionary of signatures in memory, and a queue on disk of what waits.
//!
//! Cost: 9 to 18 bytes of memory for every address that was ever seen (a table that doubles), one or two cache lines an
//! offer, and no disk but for addresses that wait. It is the fastest while it fits and has no bound: what it may use
//! decides only when it wants to be flushed.
//!
//! The dictionary is not kept. After a restart it is filled again from the log of what has passed
//! ([`Sieve::remember`]). After the lecture notes: "a simple dictionary of signatures in memory, with a queue on disk, is
//! enough for a small crawl".

use std::path::{Path, PathBuf};

use page::Fingerprint;

use crate::newcomers::Newcomers;
use crate::state::State;
use crate::tiered::Table;
use crate::{Candidate, Error, Flushed, Outlet, Sieve, SieveKind};

/// See the module.
#[derive(Debug)]
pub struct MemorySieve {
    dir: PathBuf,
    state: State,
    seen: Table<u64>,
    newcomers: Newcomers<u64>,
    newcomers_max: usize,
    offers: u64,
}

impl MemorySieve {
    /// Opens the sieve in `dir`, or starts an empty one.
    ///
    /// After a restart, [`remember`](Sieve::remember) everything that has passed before anything is offered.
    pub fn open(dir: &Path, memory_bytes: u64) -> Result<Self, Error> {
        fs_err::create_dir_all(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            state: State::read(dir, SieveKind::Memory)?,
            seen: Table::default(),
            newcomers: Newcomers::new(dir, memory_bytes / 8)?,
            newcomers_max: (memory_bytes / 512).clamp(64, 1 << 22) as usize,
            offers: 0,
        })
    }
}

impl Sieve for MemorySieve {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        self.offers += 1;
        let signature = candidate.fingerprint.get();
        if self.seen.contains(signature) { Ok(()) } else { self.newcomers.offer(signature, candidate) }
    }

    fn remember(&mut self, fingerprint: Fingerprint) {
        self.seen.insert(fingerprint.get());
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        self.newcomers.pass(outlet)?;
        let passed = self.newcomers.len() as u64;
        let state = State { seen: self.state.seen + passed, note: outlet.seal()?, ..self.state.clone() };
        state.write(&self.dir)?;
        self.state = state;
        for signature in self.newcomers.signatures() {
            self.seen.insert(signature);
        }
        self.newcomers.clear()?;
        Ok(Flushed { offered: std::mem::take(&mut self.offers), passed })
    }

    fn kind(&self) -> SieveKind {
        SieveKind::Memory
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
