//! What passed lately: signatures and remarks in memory, a table for each shard. A log has the same on disk (`log.rs`).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::code::Entry;
use super::remark::Remark;
use super::signature::{SHARDS, Signature, shard_of};
use super::table::Table;
use crate::newcomers::SignatureHasher;

/// See the module.
#[derive(Debug)]
pub(crate) struct Recent<S> {
    /// All signatures that passed or were remarked on.
    shards: Vec<Table<S>>,
    remarks: HashMap<S, Remark, BuildHasherDefault<SignatureHasher>>,
}

impl<S: Signature> Recent<S> {
    /// Nothing yet, with room for so many.
    pub(crate) fn with_room(count: usize) -> Self {
        let table = || Table::with_room(count / SHARDS);
        Self { shards: std::iter::repeat_with(table).take(SHARDS).collect(), remarks: HashMap::default() }
    }

    /// What is known of a key: nothing, or that it is here and what is remarked.
    #[inline]
    pub(crate) fn find(&self, key: S) -> Option<Option<Remark>> {
        let is_here = self.shards[shard_of(key.high())].contains(key);
        is_here.then(|| if self.remarks.is_empty() { None } else { self.remarks.get(&key).copied() })
    }

    /// Takes an entry; the newest holds.
    pub(crate) fn put(&mut self, entry: &Entry<S>) {
        self.shards[shard_of(entry.key.high())].insert(entry.key);
        match entry.remark {
            Some(remark) => drop(self.remarks.insert(entry.key, remark)),
            None if self.remarks.is_empty() => {}
            None => drop(self.remarks.remove(&entry.key)),
        }
    }

    /// How much room it takes, in signatures: a remark takes as much as four of them.
    pub(crate) fn weight(&self) -> usize {
        self.shards.iter().map(Table::len).sum::<usize>() + 4 * self.remarks.len()
    }

    pub(crate) fn has_remarks(&self) -> bool {
        !self.remarks.is_empty()
    }

    /// The entries of a shard, sorted.
    pub(crate) fn sorted(&self, shard: usize) -> Vec<Entry<S>> {
        let entry = |key| Entry { key, remark: self.remarks.get(&key).copied() };
        self.shards[shard].sorted().into_iter().map(entry).collect()
    }
}
