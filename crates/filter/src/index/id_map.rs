//! Where is the filter with this id? A hash map from ids to slots.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::IndexError;

/// Slots by id. The default hasher would cost more than the rest of a delete.
#[derive(Debug, Clone, Default)]
pub(super) struct IdMap {
    slots: HashMap<u64, u32, BuildHasherDefault<IdHasher>>,
}

impl IdMap {
    pub(super) fn get(&self, id: u64) -> Option<usize> {
        self.slots.get(&id).map(|slot| *slot as usize)
    }

    pub(super) fn slot(&self, id: u64) -> Result<usize, IndexError> {
        self.get(id).ok_or(IndexError::IdUnknown { id })
    }

    pub(super) fn check_free(&self, id: u64) -> Result<(), IndexError> {
        if self.slots.contains_key(&id) { Err(IndexError::IdTaken { id }) } else { Ok(()) }
    }

    pub(super) fn set(&mut self, id: u64, slot: usize) {
        self.slots.insert(
            id,
            u32::try_from(slot).expect("no index has 2^32 filters: their bits alone would fill a disk"),
        );
    }

    pub(super) fn remove(&mut self, id: u64) -> Result<usize, IndexError> {
        self.slots.remove(&id).map(|slot| slot as usize).ok_or(IndexError::IdUnknown { id })
    }

    /// Makes room for so many ids more.
    pub(super) fn reserve(&mut self, ids: usize) {
        self.slots.reserve(ids);
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        self.slots.keys().copied()
    }

    /// An entry and one byte of control per bucket; buckets are a power of two of which 7/8 are used.
    pub(super) fn memory_bytes(&self) -> usize {
        match self.slots.capacity() {
            0 => 0,
            capacity => (capacity * 8 / 7).next_power_of_two() * (size_of::<(u64, u32)>() + 1),
        }
    }
}

/// A multiplication folded to 64 bits: ids are given by the program, not by strangers.
#[derive(Debug, Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, id: u64) {
        let product = u128::from(self.0 ^ id ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}
