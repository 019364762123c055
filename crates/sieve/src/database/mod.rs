//! Sieves on databases of others: every offer is a question to the database, every flush one transaction.
//!
//! What passes, the outlet's note and the number of addresses are written in one transaction of the database, which is
//! the atomic step; the file `state` only says of which kind the sieve is. So a database with keys of which the ready log
//! knows nothing cannot be.
//!
//! ```text
//! keys  = signature (u64, big-endian): nothing
//! facts = seen (u64) sum of all signatures (u64, each mixed) note checksum of all before (u64, XXH3)
//! ```
//!
//! Databases check little of what they read. So all keys are read when a sieve is opened, and their number and their sum
//! are compared with the facts: damage is told, and not met as an address that comes twice. That takes some seconds for
//! ten million addresses.
//!
//! After the notes' section on sieves based on NoSQL databases, which names both: a B-tree with a part of it in memory,
//! and a log-structured merge tree.

mod btree;
mod lsm;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::newcomers::Newcomers;
use crate::state::State;
use crate::{Candidate, Error, Flushed, Outlet, Sieve, SieveKind};

/// A sieve on a log-structured merge tree; see [`lsm`].
pub type LsmSieve = DatabaseSieve<lsm::Lsm>;

/// A sieve on a B-tree; see [`btree`].
pub type BtreeSieve = DatabaseSieve<btree::Btree>;

/// What a database does for a sieve.
pub trait Database: Send + Sized {
    /// Which sieve it makes.
    const KIND: SieveKind;

    /// Opens the database in a folder, or starts an empty one.
    fn open(dir: &Path, memory_bytes: u64) -> Result<Self, String>;

    /// Says whether a signature is there.
    fn contains(&self, signature: u64) -> Result<bool, String>;

    /// What was written with the last signatures.
    fn facts(&self) -> Result<Option<Vec<u8>>, String>;

    /// Adds signatures and replaces the facts, in one step that survives the end of the machine.
    fn commit(&mut self, signatures: &[u64], facts: &[u8]) -> Result<(), String>;

    /// Shows all signatures.
    fn for_each(&self, see: &mut dyn FnMut(u64)) -> Result<(), String>;
}

/// See the module.
pub struct DatabaseSieve<D: Database> {
    dir: PathBuf,
    database: D,
    facts: Facts,
    newcomers: Newcomers<u64>,
    newcomers_max: usize,
    offers: u64,
}

/// What is written with the last signatures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    seen: u64,
    sum: u64,
    note: Vec<u8>,
}

impl Facts {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = [self.seen.to_le_bytes(), self.sum.to_le_bytes()].concat();
        bytes.extend_from_slice(&self.note);
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<8>()?;
        let (seen, rest) = content.split_first_chunk::<8>()?;
        let (sum, note) = rest.split_first_chunk::<8>()?;
        let is_sound = xxh3_64(content) == u64::from_le_bytes(*checksum);
        let facts =
            Self { seen: u64::from_le_bytes(*seen), sum: u64::from_le_bytes(*sum), note: note.to_vec() };
        is_sound.then_some(facts)
    }

    fn add(&mut self, signature: u64) {
        self.seen += 1;
        self.sum = self.sum.wrapping_add(xxh3_64(&signature.to_le_bytes()));
    }
}

impl<D: Database> DatabaseSieve<D> {
    /// Opens the sieve in `dir`, or starts an empty one. Most of `memory_bytes` is for the database.
    pub fn open(dir: &Path, memory_bytes: u64) -> Result<Self, Error> {
        fs_err::create_dir_all(dir)?;
        let state = State::read(dir, D::KIND)?;
        if State::of(dir)?.is_none() {
            state.write(dir)?;
        }
        let path = dir.to_owned();
        // Bytes that a database does not expect can make it panic, in the middle of which nothing of ours is.
        let opened = catch_unwind(AssertUnwindSafe(|| Self::open_checked(dir, memory_bytes)));
        let panicked = |_| Error::Damaged { path: path.clone(), what: "its database cannot be read" };
        let (database, facts) = opened.map_err(panicked)??;
        Ok(Self {
            dir: dir.to_owned(),
            database,
            facts,
            newcomers: Newcomers::new(dir, memory_bytes / 16)?,
            newcomers_max: (memory_bytes / 1024).clamp(64, 1 << 20) as usize,
            offers: 0,
        })
    }

    fn open_checked(dir: &Path, memory_bytes: u64) -> Result<(D, Facts), Error> {
        let refused = |what| Error::Database { path: dir.to_owned(), what };
        let database = D::open(dir, memory_bytes / 4 * 3).map_err(refused)?;
        let damaged = |what| Error::Damaged { path: dir.to_owned(), what };
        let facts = match database.facts().map_err(refused)? {
            Some(bytes) => {
                Facts::decode(&bytes).ok_or_else(|| damaged("what its database says of itself is wrong"))?
            }
            None => Facts::default(),
        };
        let mut found = Facts { note: facts.note.clone(), ..Facts::default() };
        database.for_each(&mut |signature| found.add(signature)).map_err(refused)?;
        if found == facts {
            Ok((database, facts))
        } else {
            Err(damaged("its database has lost or changed signatures"))
        }
    }

    fn refused(&self) -> impl Fn(String) -> Error + use<D> {
        let path = self.dir.clone();
        move |what| Error::Database { path: path.clone(), what }
    }
}

impl<D: Database> Sieve for DatabaseSieve<D> {
    fn offer(&mut self, candidate: Candidate<'_>) -> Result<(), Error> {
        self.offers += 1;
        let signature = candidate.fingerprint.get();
        let is_settled = self.newcomers.meet_again(signature, candidate)
            || self.database.contains(signature).map_err(self.refused())?;
        if is_settled { Ok(()) } else { self.newcomers.offer(signature, candidate) }
    }

    fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<Flushed, Error> {
        self.newcomers.pass(outlet)?;
        let mut facts = Facts { note: outlet.seal()?, ..self.facts.clone() };
        let mut signatures: Vec<u64> = self.newcomers.signatures().collect();
        signatures.iter().for_each(|signature| facts.add(*signature));
        // Databases that are trees take sorted keys with fewer pages touched.
        signatures.sort_unstable();
        self.database.commit(&signatures, &facts.encode()).map_err(self.refused())?;
        self.facts = facts;
        self.newcomers.clear()?;
        Ok(Flushed { offered: std::mem::take(&mut self.offers), passed: signatures.len() as u64 })
    }

    fn kind(&self) -> SieveKind {
        D::KIND
    }

    fn pending(&self) -> u64 {
        self.offers
    }

    fn is_full(&self) -> bool {
        self.newcomers.len() >= self.newcomers_max
    }

    fn seen(&self) -> u64 {
        self.facts.seen
    }

    fn note(&self) -> &[u8] {
        &self.facts.note
    }
}

impl<D: Database> Drop for DatabaseSieve<D> {
    /// For those who look at `state` without opening a database: how many addresses there are.
    fn drop(&mut self) {
        if let Ok(Some(state)) = State::of(&self.dir) {
            // Nothing depends on it.
            let _ = State { seen: self.facts.seen, ..state }.write(&self.dir);
        }
    }
}
