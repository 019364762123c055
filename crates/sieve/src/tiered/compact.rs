//! A set of signatures of one shard in memory, in seven to eight bytes each: an answer takes one cache line, seldom two.
//!
//! ```text
//! shard  = buckets of 64 bytes, each of an equally wide range of signatures, in their order
//! bucket = 10 places: signature minus where the range begins (48 bits), by how many buckets it was moved on (3 bits);
//!          the last two bits are unused
//! moved  = 0 to 5, 6 where a signature was removed, 7 where none ever was
//! ```
//!
//! Signatures are hashes, so that ranges fill evenly, and the bucket of a signature is computed. Whoever finds their
//! bucket full goes to the next one, six at most; the few that find no room there, or many that were made to collide, are
//! in a table of their own. Where nine places in ten are taken, there are an eighth more buckets: all is copied then, from
//! front to back, which is a walk through memory and not a search, and one shard at a time.
//!
//! A signature takes as many bits as lead to its bucket less than it has, and there are 48 for it: so a shard has at least
//! 2^(its bits − 48) buckets, 256 KiB where signatures have 64 bits.
//!
//! After Cleary, "Compact hash tables using bidirectional linear probing" (1984), for what need not be stored. We differ
//! in that there are buckets, and that their order is that of signatures.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use crate::newcomers::SignatureHasher;

/// Places of a bucket.
const PLACES: usize = 10;

/// Bits of what is stored of a signature.
const STORED_BITS: u32 = 48;

/// Nobody is moved on further than this less one.
const MOVES: u32 = 6;

/// What is told of a place instead of how far its signature was moved.
const REMOVED: u32 = 6;
const EMPTY: u32 = 7;

/// The lowest bit of what is told of each place.
const FIRST_BITS: u32 = 0o1_111_111_111;

/// What one of those takes for whom there is no room.
const STRAY_BYTES: usize = 10;

/// So many questions are under way at a time.
pub(crate) const AHEAD: usize = 16;

/// See the module.
#[derive(Debug)]
pub(crate) struct CompactTable {
    buckets: Vec<Bucket>,
    /// How many signatures the range of a bucket has.
    width: u64,
    local_bits: u32,
    /// Places that are not empty, those of removed signatures too.
    taken: usize,
    /// Those for whom there is no room near their bucket.
    strays: HashSet<u64, BuildHasherDefault<SignatureHasher>>,
}

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Bucket {
    low: [u32; PLACES],
    high: [u16; PLACES],
    /// Three bits for each place.
    moved: u32,
}

const EMPTY_BUCKET: Bucket = Bucket { low: [0; PLACES], high: [0; PLACES], moved: u32::MAX };

impl Bucket {
    #[inline]
    fn moved(&self, place: usize) -> u32 {
        self.moved >> (3 * place) & 7
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.moved(PLACES - 1) != EMPTY
    }

    /// Where this is stored, moved by so much.
    #[inline]
    fn find(&self, stored: u64, moved: u32) -> Option<usize> {
        let (low, high) = (stored as u32, (stored >> 32) as u16);
        let mut alike = 0u32;
        for place in 0..PLACES {
            alike |= u32::from(self.low[place] == low) << place;
        }
        while alike != 0 {
            let place = alike.trailing_zeros() as usize;
            if self.high[place] == high && self.moved(place) == moved {
                return Some(place);
            }
            alike &= alike - 1;
        }
        None
    }

    #[inline]
    fn stored(&self, place: usize) -> u64 {
        u64::from(self.high[place]) << 32 | u64::from(self.low[place])
    }

    fn mark(&mut self, place: usize, moved: u32) {
        self.moved = self.moved & !(7 << (3 * place)) | moved << (3 * place);
    }

    /// Puts something into the first place that nothing is in, if there is one. Tells what was said of that place.
    #[inline]
    fn put(&mut self, stored: u64, moved: u32) -> Option<u32> {
        // Both are 6 and more: their upper two bits are set.
        let free = self.moved >> 1 & self.moved >> 2 & FIRST_BITS;
        if free == 0 {
            return None;
        }
        let place = free.trailing_zeros() as usize / 3;
        let before = self.moved(place);
        (self.low[place], self.high[place]) = (stored as u32, (stored >> 32) as u16);
        self.mark(place, moved);
        Some(before)
    }
}

impl CompactTable {
    /// An empty set for about so many signatures that have so many bits within their shard.
    pub(crate) fn for_keys(count: u64, local_bits: u32) -> Self {
        Self::with_buckets(buckets_for(count, local_bits), local_bits)
    }

    fn with_buckets(count: u64, local_bits: u32) -> Self {
        let width = (1u64 << local_bits).div_ceil(count);
        let buckets = vec![EMPTY_BUCKET; count as usize];
        Self { buckets, width, local_bits, taken: 0, strays: HashSet::default() }
    }

    /// How much memory such a set takes.
    pub(crate) fn bytes_for(count: u64, local_bits: u32) -> u64 {
        buckets_for(count, local_bits) * size_of::<Bucket>() as u64
    }

    /// How much memory it takes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.buckets.len() * size_of::<Bucket>() + self.strays.capacity() * STRAY_BYTES) as u64
    }

    /// How many places are taken.
    pub(crate) fn taken(&self) -> u64 {
        self.taken as u64
    }

    /// How much memory it will take with one more, if it has to be copied for that.
    pub(crate) fn bytes_if_it_must_grow(&self) -> Option<u64> {
        let is_full = (self.taken + 1) * 10 > self.buckets.len() * PLACES * 9;
        is_full.then(|| next_count(self.buckets.len() as u64) * size_of::<Bucket>() as u64)
    }

    /// Makes an eighth more buckets and puts all into them, without what was removed.
    pub(crate) fn grow(&mut self) {
        let mut larger = Self::with_buckets(next_count(self.buckets.len() as u64), self.local_bits);
        for (number, bucket) in self.buckets.iter().enumerate() {
            for place in 0..PLACES {
                let moved = bucket.moved(place);
                if moved < MOVES {
                    larger.put((number as u64 - u64::from(moved)) * self.width + bucket.stored(place));
                }
            }
        }
        self.strays.iter().for_each(|local| larger.put(*local));
        *self = larger;
    }

    /// Says whether the signature is in the set.
    #[inline]
    pub(crate) fn contains(&self, local: u64) -> bool {
        let (bucket, stored) = self.place_of(local);
        for moved in 0..MOVES {
            let Some(candidate) = self.buckets.get(bucket + moved as usize) else { break };
            if candidate.find(stored, moved).is_some() {
                return true;
            }
            if !candidate.is_full() {
                return false;
            }
        }
        self.strays.contains(&local)
    }

    /// The same of many, in the order in which they come. Memory is asked for ahead of its use.
    pub(crate) fn contains_each<T>(
        &self,
        asked: &[T],
        local: impl Fn(&T) -> u64,
        mut see: impl FnMut(&T, bool),
    ) {
        asked.iter().take(AHEAD).for_each(|one| self.prefetch(local(one)));
        for (number, one) in asked.iter().enumerate() {
            if let Some(ahead) = asked.get(number + AHEAD) {
                self.prefetch(local(ahead));
            }
            see(one, self.contains(local(one)));
        }
    }

    /// Asks for the memory where a signature has its place, so that it is near when it is looked for.
    #[inline]
    pub(crate) fn prefetch(&self, local: u64) {
        filter::prefetch_line(&self.buckets[self.place_of(local).0]);
    }

    /// Adds a signature, for which [`Self::bytes_if_it_must_grow`] sees that there is room.
    pub(crate) fn insert(&mut self, local: u64) {
        if !self.contains(local) {
            self.put(local);
        }
    }

    /// Takes a signature out of the set.
    pub(crate) fn remove(&mut self, local: u64) {
        let (bucket, stored) = self.place_of(local);
        for moved in 0..MOVES {
            let Some(candidate) = self.buckets.get_mut(bucket + moved as usize) else { break };
            if let Some(place) = candidate.find(stored, moved) {
                // Its place stays taken for whoever was moved on because of it.
                candidate.mark(place, REMOVED);
                return;
            }
            if !candidate.is_full() {
                return;
            }
        }
        self.strays.remove(&local);
    }

    /// The bucket of a signature, and what is stored of it.
    #[inline]
    fn place_of(&self, local: u64) -> (usize, u64) {
        // A range may be wider than its share by less than one: so this is the bucket, or the one behind it.
        let near = (u128::from(local) * self.buckets.len() as u128) >> self.local_bits;
        let bucket = near as u64 - u64::from(near as u64 * self.width > local);
        (bucket as usize, local - bucket * self.width)
    }

    /// Adds a signature that is not there.
    #[inline]
    fn put(&mut self, local: u64) {
        let (bucket, stored) = self.place_of(local);
        for moved in 0..MOVES {
            let Some(candidate) = self.buckets.get_mut(bucket + moved as usize) else { break };
            if let Some(before) = candidate.put(stored, moved) {
                self.taken += usize::from(before == EMPTY);
                return;
            }
        }
        self.strays.insert(local);
    }
}

/// Buckets for so many signatures: one of the numbers that growing leads to.
fn buckets_for(count: u64, local_bits: u32) -> u64 {
    let mut buckets = 1 << local_bits.saturating_sub(STORED_BITS);
    while buckets * PLACES as u64 * 9 < (count + 1) * 10 {
        buckets = next_count(buckets);
    }
    buckets
}

fn next_count(buckets: u64) -> u64 {
    buckets + (buckets / 8).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Numbers that look like hashes.
    fn local(number: u64, bits: u32) -> u64 {
        (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
            >> (64 - bits)
    }

    fn insert(table: &mut CompactTable, local: u64) {
        if table.bytes_if_it_must_grow().is_some() {
            table.grow();
        }
        table.insert(local);
    }

    #[test]
    fn it_holds_what_a_set_would_while_it_grows_and_signatures_go_and_come_again() {
        for bits in [44, 48, 52, 60] {
            let (mut table, mut set) = (CompactTable::for_keys(0, bits), BTreeSet::new());
            for number in 0..60_000 {
                insert(&mut table, local(number % 50_000, bits));
                set.insert(local(number % 50_000, bits));
                if number % 3 == 0 {
                    table.remove(local(number / 2, bits));
                    set.remove(&local(number / 2, bits));
                }
            }
            for number in 0..60_000 {
                let local = local(number, bits);
                assert_eq!(table.contains(local), set.contains(&local), "{number} with {bits} bits");
            }
            let all: Vec<u64> = (0..60_000).map(|number| local(number, bits)).collect();
            let mut known = 0;
            table.contains_each(
                &all,
                |local| *local,
                |local, is_there| {
                    assert_eq!(is_there, set.contains(local));
                    known += usize::from(is_there);
                },
            );
            assert_eq!(known, set.len());
        }
    }

    #[test]
    fn the_first_and_the_last_signature_of_a_shard_have_their_places() {
        for bits in [44, 60] {
            for count in [1, 1000, 77_777] {
                let mut table = CompactTable::for_keys(count, bits);
                let ends = [0, 1, (1 << bits) - 2, (1 << bits) - 1];
                ends.iter().for_each(|local| table.insert(*local));
                assert!(ends.iter().all(|local| table.contains(*local)));
                assert!(!table.contains(2) && !table.contains((1 << bits) - 3));
            }
        }
    }

    #[test]
    fn signatures_that_were_made_to_collide_are_found_and_cost_what_they_cost_elsewhere() {
        let mut table = CompactTable::for_keys(100_000, 60);
        (0..5000).for_each(|local| insert(&mut table, local));
        assert!((0..5000).all(|local| table.contains(local)) && !table.contains(5000));
        (0..5000).step_by(2).for_each(|local| table.remove(local));
        assert!((0..5000).all(|local| table.contains(local) == (local % 2 == 1)));
        insert(&mut table, 4);
        table.grow();
        assert!((0..5000).all(|local| table.contains(local) == (local % 2 == 1 || local == 4)));
        assert!(table.bytes() < CompactTable::bytes_for(130_000, 60) + 200_000);
    }

    #[test]
    fn a_signature_takes_between_seven_bytes_and_eight() {
        let mut table = CompactTable::for_keys(0, 60);
        for number in 0..400_000 {
            insert(&mut table, local(number, 60));
            if number > 50_000 {
                let each = table.bytes() as f64 / number as f64;
                assert!((7.0..8.3).contains(&each), "{each} bytes at {number}");
            }
        }
        assert!(table.strays.len() < 40, "{} have no place", table.strays.len());
    }
}
