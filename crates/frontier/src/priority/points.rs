//! Numbers by key, in fixed memory: a key has a place in each of two tables, and the smaller number counts. So what is read is
//! never too low, and too high by what the keys in the same places have. There is no lock.
//!
//! After Cormode, Muthukrishnan, "An improved data stream summary: the count-min sketch and its applications" (2005).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Points by key, in fixed memory.
#[derive(Debug)]
pub(super) struct PointTables {
    rows: [Box<[AtomicU32]>; 2],
}

impl PointTables {
    pub(super) fn new(memory_bytes: usize) -> Self {
        let places = (memory_bytes / 2 / size_of::<AtomicU32>()).max(1024).next_power_of_two() / 2;
        let row = || (0..places).map(|_| AtomicU32::new(0)).collect();
        Self { rows: [row(), row()] }
    }

    /// The places of a key: the two halves of its print.
    fn places(&self, print: u64) -> [&AtomicU32; 2] {
        let halves = [print as u32, (print >> 32) as u32];
        std::array::from_fn(|row| &self.rows[row][halves[row] as usize & (self.rows[row].len() - 1)])
    }

    /// Reads the number of a key.
    pub(super) fn get(&self, print: u64) -> u64 {
        let points = self.places(print).map(|place| place.load(Relaxed));
        u64::from(points[0].min(points[1]))
    }

    /// Adds to the number of a key.
    pub(super) fn add(&self, print: u64, points: u64) {
        let points = u32::try_from(points).unwrap_or(u32::MAX);
        for place in self.places(print) {
            // Who has four billion points stays there.
            let _ = place.fetch_update(Relaxed, Relaxed, |before| Some(before.saturating_add(points)));
        }
    }

    /// Raises the number of a key to this one, if it is smaller.
    pub(super) fn raise(&self, print: u64, to: u64) {
        let to = u32::try_from(to).unwrap_or(u32::MAX);
        self.places(print).into_iter().for_each(|place| _ = place.fetch_max(to, Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn more_keys_than_places_only_make_estimates_larger() {
        let tables = PointTables::new(0);
        let keys: Vec<u64> = (0..5000u64).map(|key| xxh3_64(&key.to_le_bytes())).collect();
        keys.iter().for_each(|key| tables.add(*key, 3));
        assert!(keys.iter().all(|key| tables.get(*key) >= 3));
        tables.add(keys[0], u64::MAX);
        tables.add(keys[0], 5);
        assert_eq!(tables.get(keys[0]), u64::from(u32::MAX));
    }

    #[test]
    fn a_number_is_raised_and_never_lowered() {
        let tables = PointTables::new(1 << 16);
        for (to, expected) in [(5, 5), (3, 5), (9, 9)] {
            tables.raise(77, to);
            assert_eq!(tables.get(77), expected);
        }
    }
}
