//! The sieve on a B-tree: redb, the BerkeleyDB of the notes.
//!
//! Cost: an offer walks from the root to a leaf, three or four pages, from the cache or from the disk. Signatures are
//! hashes, so that every key that is new changes another leaf: once the tree is larger than the cache, a flush reads and
//! writes a page of 4 KiB for nearly each of them. Leaves are two thirds full, and pages are copied before they are
//! changed: 20 to 40 bytes an address on disk. Three quarters of the memory are its cache.

use std::path::Path;

use redb::{
    Builder, Database as Redb, Durability, ReadOnlyTable, ReadableDatabase, ReadableTable, TableDefinition,
    TableError,
};

use super::Database;
use crate::SieveKind;

const KEYS: TableDefinition<'_, u64, ()> = TableDefinition::new("keys");
const FACTS: TableDefinition<'_, u8, &[u8]> = TableDefinition::new("facts");

/// See the module.
pub struct Btree {
    database: Redb,
    /// The keys as they were at the last commit, so that an offer need not begin a transaction; none before the first.
    keys: Result<Option<ReadOnlyTable<u64, ()>>, String>,
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Btree {
    /// Makes an empty database. redb cannot open one in the making of which it was killed, so it is made beside its place, and
    /// comes there when it is whole.
    fn make(place: &Path, building: &Path) -> Result<(), String> {
        if building.exists() {
            std::fs::remove_file(building).map_err(told)?;
        }
        drop(Builder::new().create(building).map_err(told)?);
        std::fs::rename(building, place).map_err(told)?;
        place.parent().map_or(Ok(()), journal::sync_folder).map_err(told)
    }

    fn open_keys(&self) -> Result<Option<ReadOnlyTable<u64, ()>>, String> {
        match self.database.begin_read().map_err(told)?.open_table(KEYS) {
            Ok(table) => Ok(Some(table)),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(told(error)),
        }
    }
}

impl Database for Btree {
    const KIND: SieveKind = SieveKind::Btree;

    fn open(dir: &Path, memory_bytes: u64) -> Result<Self, String> {
        let path = dir.join("btree.redb");
        let is_there = path.exists();
        if !is_there {
            Self::make(&path, &dir.join("btree.redb.new"))?;
        }
        let mut builder = Builder::new();
        builder.set_cache_size(memory_bytes as usize);
        let mut database = builder.create(path).map_err(told)?;
        if is_there && !database.check_integrity().map_err(told)? {
            return Err("the checksums of its pages are wrong".into());
        }
        let mut opened = Self { database, keys: Ok(None) };
        opened.keys = opened.open_keys();
        Ok(opened)
    }

    fn contains(&self, signature: u64) -> Result<bool, String> {
        let Some(keys) = self.keys.as_ref().map_err(String::clone)? else { return Ok(false) };
        Ok(keys.get(signature).map_err(told)?.is_some())
    }

    fn facts(&self) -> Result<Option<Vec<u8>>, String> {
        let table = match self.database.begin_read().map_err(told)?.open_table(FACTS) {
            Ok(table) => table,
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(told(error)),
        };
        Ok(table.get(0).map_err(told)?.map(|value| value.value().to_vec()))
    }

    fn commit(&mut self, signatures: &[u64], facts: &[u8]) -> Result<(), String> {
        // Whoever reads keeps old pages from being used again.
        self.keys = Err("its last transaction has failed".into());
        let outcome = self.write(signatures, facts);
        self.keys = self.open_keys();
        outcome
    }

    fn for_each(&self, see: &mut dyn FnMut(u64)) -> Result<(), String> {
        let Some(keys) = self.keys.as_ref().map_err(String::clone)? else { return Ok(()) };
        for entry in keys.iter().map_err(told)? {
            see(entry.map_err(told)?.0.value());
        }
        Ok(())
    }
}

impl Btree {
    fn write(&self, signatures: &[u64], facts: &[u8]) -> Result<(), String> {
        let mut transaction = self.database.begin_write().map_err(told)?;
        transaction.set_durability(Durability::Immediate).map_err(told)?;
        {
            let mut table = transaction.open_table(KEYS).map_err(told)?;
            for &signature in signatures {
                table.insert(signature, ()).map_err(told)?;
            }
            transaction.open_table(FACTS).map_err(told)?.insert(0, facts).map_err(told)?;
        }
        transaction.commit().map_err(told)
    }
}
