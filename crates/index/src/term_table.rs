//! Numbers for terms: the first term seen is 0, the next new one 1, and so on.
//!
//! The bytes of all terms lie one after the other in one arena; a hash table with linear probing holds numbers and parts of
//! hashes. A map of strings would cost an allocation and some 60 bytes for each term; this costs its bytes plus 20 to 36.
//!
//! Nearly every word is one that was met before, so what counts is to find it: its hash is two loads and a multiplication, and
//! a slot that is another word's is told by the part of the hash that it holds.

use xxhash_rust::xxh3::xxh3_64;

const EMPTY: u32 = u32::MAX;

/// The terms met since the last flush.
#[derive(Debug, Default)]
pub(crate) struct TermTable {
    arena: Vec<u8>,
    /// Where each term ends in the arena.
    ends: Vec<u32>,
    /// A power of two of slots, at most half of them taken.
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    number: u32,
    /// Part of the term's hash, so that growing does not hash again and probing rarely compares bytes.
    hash: u32,
}

const FREE: Slot = Slot { number: EMPTY, hash: 0 };

impl TermTable {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(crate) fn term(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.arena[start..self.ends[number] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.arena.capacity() + 4 * self.ends.capacity() + std::mem::size_of::<Slot>() * self.slots.len()
    }

    /// The number of `term`, a new one if it has not been seen.
    #[inline]
    pub(crate) fn number(&mut self, term: &[u8]) -> u32 {
        let hash = hash(term);
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get(at) {
            if slot.number == EMPTY {
                break;
            }
            if slot.hash == hash && are_same(self.term(slot.number), term) {
                return slot.number;
            }
            at = (at + 1) & mask;
        }
        self.insert(term, hash)
    }

    #[inline(never)]
    fn insert(&mut self, term: &[u8], hash: u32) -> u32 {
        if self.slots.len() <= 2 * self.ends.len() {
            self.grow();
        }
        let number = self.ends.len() as u32;
        self.put(Slot { number, hash });
        self.arena.extend_from_slice(term);
        self.ends.push(self.arena.len() as u32);
        number
    }

    fn put(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = slot.hash as usize & mask;
        while self.slots[at].number != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// The numbers in the order of their terms.
    pub(crate) fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.ends.len() as u32).collect();
        numbers.sort_unstable_by_key(|&number| self.term(number));
        numbers
    }

    fn grow(&mut self) {
        let size = (4 * self.ends.len()).next_power_of_two().max(1024);
        let before = std::mem::replace(&mut self.slots, vec![FREE; size]);
        for slot in before.into_iter().filter(|slot| slot.number != EMPTY) {
            self.put(slot);
        }
    }
}

/// Part of a hash of a term. Short ones, as nearly all are, are read as two words that overlap.
#[inline]
fn hash(term: &[u8]) -> u32 {
    let (low, high) = match term.len() {
        17.. => return (xxh3_64(term) >> 32) as u32,
        8.. => ends::<8>(term),
        4.. => ends::<4>(term),
        0 => (0, 0),
        length => (u64::from(term[0]) << 8 | u64::from(term[length - 1]), term[length / 2].into()),
    };
    // Odd numbers with no pattern: the digits of the square roots of 2 and 3.
    let (low, high) = (low ^ 0x6a09_e667_f3bc_c909, high ^ 0xbb67_ae85_84ca_a73b ^ (term.len() as u64) << 56);
    let product = u128::from(low) * u128::from(high);
    ((product >> 64) as u64 ^ product as u64) as u32
}

#[inline]
fn are_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && match one.len() {
            17.. | 0..4 => one == other,
            8.. => ends::<8>(one) == ends::<8>(other),
            _ => ends::<4>(one) == ends::<4>(other),
        }
}

/// The first and the last bytes of a term that has as many.
#[inline]
fn ends<const BYTES: usize>(term: &[u8]) -> (u64, u64) {
    let word = |bytes: Option<&[u8; BYTES]>| {
        let mut word = [0; 8];
        word[..BYTES].copy_from_slice(bytes.unwrap_or(&[0; BYTES]));
        u64::from_le_bytes(word)
    };
    (word(term.first_chunk()), word(term.last_chunk()))
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
    }
}
