//! Numbers for terms: the first term seen is 0, the next new one 1, and so on.
//!
//! The bytes of all terms lie one after the other in one arena; a hash table with linear probing holds numbers only.
//! A map of strings would cost an allocation and some 60 bytes for each term; this costs its bytes plus 16.

use xxhash_rust::xxh3::xxh3_64;

const EMPTY: u32 = u32::MAX;

/// The terms met since the last flush.
#[derive(Debug, Default)]
pub(crate) struct TermTable {
    arena: Vec<u8>,
    /// Where each term ends in the arena.
    ends: Vec<u32>,
    /// Part of each term's hash, so that growing does not hash again and probing rarely compares bytes.
    hashes: Vec<u32>,
    /// Numbers of terms, a power of two of slots, at most half of them taken.
    slots: Vec<u32>,
}

impl TermTable {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn term(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.arena[start..self.ends[number] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.arena.len() + 4 * (self.ends.len() + self.hashes.len() + self.slots.len())
    }

    /// The number of `term`, a new one if it has not been seen.
    pub(crate) fn number(&mut self, term: &[u8]) -> u32 {
        if self.slots.len() <= 2 * self.ends.len() {
            self.grow();
        }
        let hash = xxh3_64(term) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => break,
                number if self.hashes[number as usize] == hash && self.term(number) == term => return number,
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = self.ends.len() as u32;
        self.slots[slot] = number;
        self.arena.extend_from_slice(term);
        self.ends.push(self.arena.len() as u32);
        self.hashes.push(hash);
        number
    }

    /// The numbers in the order of their terms.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.ends.len() as u32).collect();
        numbers.sort_unstable_by_key(|&number| self.term(number));
        numbers
    }

    pub(crate) fn clear(&mut self) {
        self.arena.clear();
        self.ends.clear();
        self.hashes.clear();
        self.slots.fill(EMPTY);
    }

    fn grow(&mut self) {
        let size = (4 * self.ends.len()).next_power_of_two().max(1024);
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for (number, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_occurrence_and_survive_growth() {
        let mut table = TermTable::default();
        for round in 0..2 {
            for number in 0..10_000u32 {
                assert_eq!(table.number(format!("term{number}").as_bytes()), number, "round {round}");
            }
        }
        assert_eq!(table.len(), 10_000);
        assert_eq!(table.term(0), b"term0");
        let sorted = table.sorted();
        assert!(sorted.windows(2).all(|pair| table.term(pair[0]) < table.term(pair[1])));
        table.clear();
        assert_eq!(table.number(b"again"), 0);
    }
}
