//! A set of signatures in memory: one array, open addressing, doubled when it is three quarters full.
//!
//! They stand about in their own order. So whoever asks in that order finds what is asked for side by side; but whoever
//! inserts in that order must make the room first: the smallest ones of many are a heap at the front of a table that is
//! too short.
//!
//! Cost: 11 to 21 bytes a signature of 64 bits; an answer takes one cache line, seldom two.

use super::signature::{Signature, mixed};

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Table<S> {
    /// A power of two of them, or none; the default signature marks an empty one.
    slots: Vec<S>,
    len: usize,
    /// The default signature itself, which no slot can hold.
    has_default: bool,
}

const SLOTS_MIN: usize = 16;

impl<S: Signature> Table<S> {
    /// An empty set that so many fit into before it is doubled. Memory is taken as they come.
    pub fn with_room(count: usize) -> Self {
        let slots = (count * 4 / 3 + 1).next_power_of_two().max(SLOTS_MIN);
        Self { slots: vec![S::default(); slots], ..Self::default() }
    }

    /// Says whether the signature is in the set.
    #[inline]
    pub fn contains(&self, signature: S) -> bool {
        if signature == S::default() {
            return self.has_default;
        }
        if self.slots.is_empty() {
            return false;
        }
        let mut place = self.place(signature);
        loop {
            let slot = self.slots[place];
            if slot == signature {
                return true;
            }
            if slot == S::default() {
                return false;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a signature. False if it was there.
    pub fn insert(&mut self, signature: S) -> bool {
        if signature == S::default() {
            let is_new = !std::mem::replace(&mut self.has_default, true);
            self.len += usize::from(is_new);
            return is_new;
        }
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let is_new = self.put(signature);
        self.len += usize::from(is_new);
        is_new
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// All of them, sorted.
    pub fn sorted(&self) -> Vec<S> {
        let mut all: Vec<S> = self.slots.iter().copied().filter(|slot| *slot != S::default()).collect();
        if self.has_default {
            all.push(S::default());
        }
        all.sort_unstable();
        all
    }

    #[inline]
    fn place(&self, signature: S) -> usize {
        (mixed(signature.high()) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    fn put(&mut self, signature: S) -> bool {
        let mut place = self.place(signature);
        while self.slots[place] != S::default() {
            if self.slots[place] == signature {
                return false;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = signature;
        true
    }

    fn grow(&mut self) {
        let larger = (self.slots.len() * 2).max(SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![S::default(); larger]);
        for signature in old {
            if signature != S::default() {
                self.put(signature);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_holds_what_a_set_would() {
        let mut table = Table::<u64>::default();
        let mut set = std::collections::BTreeSet::new();
        assert!(!table.contains(0) && !table.contains(7));
        for number in 0..5000u64 {
            let signature = ((number * number) % 1009) << (number % 5 * 12);
            assert_eq!(table.insert(signature), set.insert(signature), "{signature}");
        }
        assert_eq!((table.len(), table.sorted()), (set.len(), set.iter().copied().collect()));
        assert!((0..5000).all(|number| table.contains(number) == set.contains(&number)));
    }
}
