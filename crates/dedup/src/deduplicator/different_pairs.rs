//! Pairs whose sets were compared in vain, so that they are not compared again in the next band.
//!
//! A hash table of eight bytes a pair that grows up to a largest size. Each pair has a bucket of eight places, about a
//! line of the cache, and may go on to a few next ones if that is full. When these are full too, which happens only at
//! the largest size, a newer pair takes the place of an older one. So it may forget, and then work is done twice, but it
//! never takes a pair for one that it is not.

use super::pair::Pair;
use crate::mix::scramble;

/// The places of a bucket.
const BUCKET: usize = 8;

/// The buckets in which a pair can be.
const BUCKETS_TRIED: usize = 4;

/// A place that was never used: the pair (0, 0), which nobody asks for.
const FREE: u64 = 0;

/// See the header of the file.
#[derive(Debug)]
pub(crate) struct DifferentPairs {
    table: Vec<u64>,
    taken: usize,
    places_max: usize,
}

impl DifferentPairs {
    /// With so much memory for what is remembered.
    pub fn new(memory_bytes: u64) -> Self {
        let places = usize::try_from(memory_bytes / 8).unwrap_or(usize::MAX).clamp(1 << 10, 1 << 40);
        // A power of two, rounded down.
        let places_max = 1 << places.ilog2();
        Self { table: vec![FREE; 1 << 10], taken: 0, places_max }
    }

    /// So many pairs are worth being gathered before they are remembered.
    pub fn at_once_max(&self) -> usize {
        self.places_max / 8
    }

    /// Remembers a pair.
    pub fn insert(&mut self, pair: Pair) {
        if self.taken * 2 > self.table.len() && self.table.len() < self.places_max {
            self.grow();
        }
        self.put(pair.packed());
    }

    /// Whether the pair is remembered.
    pub fn contains(&self, pair: Pair) -> bool {
        let pair = pair.packed();
        for start in bucket_starts(pair, self.table.len()) {
            let bucket = &self.table[start..start + BUCKET];
            if bucket.contains(&pair) {
                return true;
            }
            // Only behind a full bucket there can be more.
            if bucket.contains(&FREE) {
                break;
            }
        }
        false
    }

    fn put(&mut self, pair: u64) {
        for start in bucket_starts(pair, self.table.len()) {
            let bucket = &mut self.table[start..start + BUCKET];
            if bucket.contains(&pair) {
                return;
            }
            if let Some(free) = bucket.iter_mut().find(|place| **place == FREE) {
                *free = pair;
                self.taken += 1;
                return;
            }
        }
        // The low bits of a pair are as good as any to choose who is forgotten.
        let forgotten =
            bucket_starts(pair, self.table.len()).next().map(|start| start + pair as usize % BUCKET);
        self.table[forgotten.expect("a bucket was tried")] = pair;
    }

    fn grow(&mut self) {
        let twice = vec![FREE; self.table.len() * 2];
        let old = std::mem::replace(&mut self.table, twice);
        self.taken = 0;
        old.into_iter().filter(|pair| *pair != FREE).for_each(|pair| self.put(pair));
    }
}

fn bucket_starts(pair: u64, places: usize) -> impl Iterator<Item = usize> {
    let mixed = scramble(pair);
    let start = (mixed >> 24) as usize & !(BUCKET - 1);
    (0..BUCKETS_TRIED).map(move |next| (start + next * BUCKET) & (places - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: u32) -> impl Iterator<Item = Pair> {
        (0..count).map(|n| Pair::new(n % 700, 700 + n / 700))
    }

    #[test]
    fn nothing_is_forgotten_while_there_is_room() {
        let mut different = DifferentPairs::new(8 << 18);
        pairs(100_000).for_each(|pair| different.insert(pair));
        pairs(100_000).for_each(|pair| different.insert(pair));
        assert!(pairs(100_000).all(|pair| different.contains(pair)));
        assert!(!pairs(200_000).skip(100_000).any(|pair| different.contains(pair)));
        assert!(different.table.len() <= 1 << 18);
    }

    #[test]
    fn the_memory_has_an_end_and_most_of_it_is_used() {
        let mut different = DifferentPairs::new(8 << 12);
        pairs(100_000).for_each(|pair| different.insert(pair));
        assert_eq!(different.table.len(), 1 << 12);
        let known = pairs(100_000).filter(|pair| different.contains(*pair)).count();
        assert!((3400..=4096).contains(&known), "{known}");
    }
}
