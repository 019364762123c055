//! What is held in memory of all that was ever seen: the signatures of whole shards, as many as the memory allows.
//!
//! Of a shard that is held everything is: an offer is known if its signature is there and new if it is not, at the cost of
//! one cache line, whatever its age, and no run is asked. Of the others the filters are in memory and the runs answer.
//! When a shard that must grow finds no room the last one is let go, for good: an address of it costs a look into filters
//! and a read from then on, and its runs get their filters. Only what is forgotten leaves a shard that is held.
//!
//! It follows from runs and logs, which stay the truth: at a start it is filled from them.
//!
//! Signatures of 128 bits are not held: they would take 16 bytes each.

use super::code::Entry;
use super::compact::{AHEAD, CompactTable};
use super::remark::Remark;
use super::run_writer::BitsAKey;
use super::signature::{SHARD_BITS, SHARDS, Signature, shard_of};

/// See the module.
#[derive(Debug)]
pub(crate) struct Held {
    /// Those that are held; the others are behind them.
    shards: Vec<CompactTable>,
    first_bits: u32,
}

impl Held {
    /// Begins to hold as many shards as there is room for, of which each has so many signatures at most. `room` tells
    /// how many bytes there are, given how many signatures are not held. With it, how many these are.
    pub(crate) fn new<S: Signature>(
        signature_bits: u32,
        counts: &[u64; SHARDS],
        room: impl Fn(u64) -> u64,
    ) -> (Self, u64) {
        let local_bits = signature_bits.min(64) - SHARD_BITS;
        let bytes = |count: &u64| CompactTable::bytes_for(*count, local_bits);
        let is_room = |held: &usize| {
            let (held, others) = counts.split_at(*held);
            held.iter().map(bytes).sum::<u64>() <= room(others.iter().sum())
        };
        let most = if S::LOW_BITS > 0 { 0 } else { SHARDS };
        let held = (0..=most).rev().find(is_room).unwrap_or(0);
        let table = |count: &u64| CompactTable::for_keys(*count, local_bits);
        let shards = counts[..held].iter().map(table).collect();
        (Self { shards, first_bits: signature_bits.min(64) }, counts[held..].iter().sum())
    }

    /// What filters have of which each could have so many bits a key: those of shards that are held are not needed.
    pub(crate) fn spare_filters(&self, bits_a_key: f64) -> BitsAKey {
        std::array::from_fn(|shard| if shard < self.shards.len() { 0.0 } else { bits_a_key })
    }

    /// How many signatures are held, about.
    pub(crate) fn signatures(&self) -> u64 {
        self.shards.iter().map(CompactTable::taken).sum()
    }

    /// How much memory they take.
    pub(crate) fn bytes(&self) -> u64 {
        self.shards.iter().map(CompactTable::bytes).sum()
    }

    /// Says whether a key is known; nothing if its shard is not held.
    pub(crate) fn knows<S: Signature>(&self, key: S) -> Option<bool> {
        let shard = self.shards.get(shard_of(key.high()))?;
        Some(shard.contains(self.local(key)))
    }

    /// Shows of each of many keys of one shard whether it is known. False if the shard is not held.
    pub(crate) fn know_each<S: Signature>(
        &self,
        shard: usize,
        asked: &[(S, u32)],
        mut see: impl FnMut(u32, bool),
    ) -> bool {
        let Some(shard) = self.shards.get(shard) else { return false };
        shard.contains_each(asked, |(key, _)| self.local(*key), |(_, place), is_known| see(*place, is_known));
        true
    }

    /// Takes an entry that is newer than all before, if its shard is held and stays so in so many bytes.
    pub(crate) fn put<S: Signature>(&mut self, entry: &Entry<S>, room: u64) {
        let (number, local) = (shard_of(entry.key.high()), self.local(entry.key));
        if entry.remark == Some(Remark::Forgotten) {
            if let Some(shard) = self.shards.get_mut(number) {
                shard.remove(local);
            }
            return;
        }
        while let Some(grown) = self.shards.get(number).and_then(CompactTable::bytes_if_it_must_grow) {
            // Both are there while one is copied to the other.
            if self.bytes() + grown <= room {
                self.shards[number].grow();
                break;
            }
            self.let_go_of_one();
        }
        if let Some(shard) = self.shards.get_mut(number) {
            shard.insert(local);
        }
    }

    /// Takes many entries, each newer than those before it. Memory is asked for ahead of its use.
    pub(crate) fn put_each<S: Signature>(&mut self, entries: &[Entry<S>], room: u64) {
        for (number, entry) in entries.iter().enumerate() {
            if let Some(Entry { key, .. }) = entries.get(number + AHEAD)
                && let Some(shard) = self.shards.get(shard_of(key.high()))
            {
                shard.prefetch(self.local(*key));
            }
            self.put(entry, room);
        }
    }

    /// Lets go of shards until the others fit into so many bytes.
    pub(crate) fn fit(&mut self, room: u64) {
        while self.bytes() > room {
            self.let_go_of_one();
        }
    }

    fn let_go_of_one(&mut self) {
        if let Some(shard) = self.shards.pop() {
            tracing::info!(
                addresses = shard.taken(),
                shards_left = self.shards.len(),
                "the sieve's memory is full: it asks the disk for more of what it has seen"
            );
        }
    }

    /// A signature as a number within its shard.
    #[inline]
    fn local<S: Signature>(&self, key: S) -> u64 {
        (key.high() & (u64::MAX >> SHARD_BITS)) >> (64 - self.first_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64, remark: Option<Remark>) -> Entry<u64> {
        Entry { key: (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) & !0xfff, remark }
    }

    /// Holds so many signatures of 52 bits in so many bytes.
    fn held(count: u64, room: u64) -> Held {
        let (mut held, asked) = Held::new::<u64>(52, &[0; SHARDS], |_| room);
        assert_eq!((held.shards.len(), asked), (SHARDS.min(room as usize / 64), 0));
        let entries: Vec<Entry<u64>> = (0..count).map(|number| entry(number, None)).collect();
        held.put_each(&entries, room);
        held
    }

    #[test]
    fn everything_is_known_until_there_is_no_room_and_then_whole_shards_are_not() {
        for room in [2 << 10, 20 << 10, 100 << 10] {
            let held = held(10_000, room);
            assert!(held.bytes() <= room);
            assert_eq!(held.shards.len() == SHARDS, room == 100 << 10, "{} shards", held.shards.len());
            for number in 0..20_000 {
                let key = entry(number, None).key;
                let expected = (shard_of(key) < held.shards.len()).then_some(number < 10_000);
                assert_eq!(held.knows(key), expected, "{number} in {room} bytes");
            }
            let bits = held.spare_filters(7.0);
            assert!((0..SHARDS).all(|shard| (bits[shard] == 0.0) == (shard < held.shards.len())));
        }
    }

    #[test]
    fn a_start_holds_as_much_as_fits_beside_the_filters_of_the_rest() {
        let room = |asked: u64| (40u64 << 10).saturating_sub(asked);
        let counts = [1000; SHARDS];
        let (held, asked) = Held::new::<u64>(52, &counts, room);
        assert!(held.bytes() <= room(asked) && asked == (SHARDS - held.shards.len()) as u64 * 1000);
        let one_more = (held.shards.len() + 1) as u64 * CompactTable::bytes_for(1000, 48);
        assert!(one_more > room(asked - 1000), "there is room for one more");
        assert_eq!(Held::new::<u128>(128, &counts, |_| u64::MAX).1, 16_000, "long signatures are not held");
    }

    #[test]
    fn what_is_forgotten_is_unknown_until_it_comes_again() {
        let mut held = held(5000, 1 << 20);
        let forgotten = |number| entry(number, Some(Remark::Forgotten));
        held.put_each(&(0..5000).step_by(3).map(forgotten).collect::<Vec<_>>(), 1 << 20);
        held.put(&entry(9, None), 1 << 20);
        for number in 0..5000 {
            assert_eq!(held.knows(entry(number, None).key), Some(number % 3 != 0 || number == 9));
        }
    }
}
