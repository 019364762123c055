//! The sieve on a log-structured merge tree: fjall, what RocksDB is to other crawlers.
//!
//! Cost: for an address that is new, a look into the memory table and into the filter of each level; for one that is
//! known, a block of 4 KiB decoded, from the cache or from the disk. A key takes 8 bytes and its place in a block,
//! measured by `crivello bench sieve`; compaction writes it once for each level. Three quarters of the memory are for the
//! database: a half of that for its cache, an eighth for each table that it has not written yet.

use std::path::Path;

use fjall::{Database as Fjall, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::Database;
use crate::SieveKind;

/// See the module.
pub struct Lsm {
    database: Fjall,
    keys: Keyspace,
    facts: Keyspace,
}

const FACTS_KEY: &[u8] = b"facts";

impl Lsm {
    /// Makes an empty database. fjall cannot open one in the making of which it was killed, so it is made beside its place,
    /// and comes there when it is whole.
    fn make(place: &Path, building: &Path, memory_bytes: u64) -> Result<(), String> {
        let told = |error: std::io::Error| error.to_string();
        if building.exists() {
            std::fs::remove_dir_all(building).map_err(told)?;
        }
        drop(Self::open_at(building, memory_bytes)?);
        std::fs::rename(building, place).map_err(told)?;
        place.parent().map_or(Ok(()), journal::sync_folder).map_err(told)
    }

    fn open_at(place: &Path, memory_bytes: u64) -> Result<Self, String> {
        let told = |error: fjall::Error| error.to_string();
        let table_bytes = (memory_bytes / 8).clamp(64 << 10, 64 << 20);
        let database =
            Fjall::builder(place).cache_size(memory_bytes / 2).worker_threads(1).open().map_err(told)?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(table_bytes);
        let keys = database.keyspace("keys", options).map_err(told)?;
        let facts = database.keyspace("facts", KeyspaceCreateOptions::default).map_err(told)?;
        Ok(Self { database, keys, facts })
    }
}

impl Database for Lsm {
    const KIND: SieveKind = SieveKind::Lsm;

    fn open(dir: &Path, memory_bytes: u64) -> Result<Self, String> {
        let place = dir.join("lsm");
        if !place.exists() {
            Self::make(&place, &dir.join("lsm.new"), memory_bytes)?;
        }
        Self::open_at(&place, memory_bytes)
    }

    fn contains(&self, signature: u64) -> Result<bool, String> {
        self.keys.contains_key(signature.to_be_bytes()).map_err(|error| error.to_string())
    }

    fn facts(&self) -> Result<Option<Vec<u8>>, String> {
        let found = self.facts.get(FACTS_KEY).map_err(|error| error.to_string())?;
        Ok(found.map(|bytes| bytes.to_vec()))
    }

    fn commit(&mut self, signatures: &[u64], facts: &[u8]) -> Result<(), String> {
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncAll));
        for signature in signatures {
            batch.insert(&self.keys, signature.to_be_bytes(), []);
        }
        batch.insert(&self.facts, FACTS_KEY, facts);
        batch.commit().map_err(|error| error.to_string())
    }

    fn for_each(&self, see: &mut dyn FnMut(u64)) -> Result<(), String> {
        for entry in self.keys.iter() {
            let key = entry.key().map_err(|error| error.to_string())?;
            let bytes =
                key.as_ref().try_into().map_err(|_| "a key has another length than ours".to_owned())?;
            see(u64::from_be_bytes(bytes));
        }
        Ok(())
    }
}
