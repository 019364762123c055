//! The register: which worker takes care of which site, for all sites of a crawl, in 13 bytes each (and up to as many again
//! that are free).
//!
//! A site is known by 64 bits of a hash of its name: of ten million sites, two have the same in one crawl of 370,000. What such a
//! pair would do to each other is to be fetched from one of them.

use hashbrown::HashTable;
use page::{FetchFailure, Site};
use xxhash_rust::xxh3::xxh3_64;

/// Numbers from here on are failures.
const NOWHERE: u32 = u32::MAX - 255;

/// Who takes care of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// This worker knows it under this index.
    At { worker: usize, site_index: u32 },
    /// It has no machine that we may ask.
    Nowhere(FetchFailure),
}

/// All sites that were found or could not be.
#[derive(Debug)]
pub(super) struct Register {
    table: HashTable<Entry>,
    workers: u32,
}

/// A site, in numbers of four bytes so that nothing lies between two of them.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: [u32; 2],
    place: u32,
}

impl Entry {
    fn key(&self) -> u64 {
        u64::from(self.key[0]) << 32 | u64::from(self.key[1])
    }
}

impl Register {
    pub(super) fn new(workers: usize) -> Self {
        Self { table: HashTable::new(), workers: workers as u32 }
    }

    /// The place of a site, if it has one.
    pub(super) fn get(&self, site: &Site) -> Option<Place> {
        let key = xxh3_64(site.as_str().as_bytes());
        let number = self.table.find(key, |entry| entry.key() == key)?.place;
        if number >= NOWHERE {
            let failure = FetchFailure::from_number((number - NOWHERE) as u8);
            return Some(Place::Nowhere(failure.expect("it was a failure")));
        }
        Some(Place::At { worker: (number % self.workers) as usize, site_index: number / self.workers })
    }

    /// Gives a site a place, whatever it had before.
    pub(super) fn set(&mut self, site: &Site, place: Place) {
        let number = match place {
            Place::Nowhere(failure) => NOWHERE + failure as u32,
            Place::At { worker, site_index } => site_index
                .checked_mul(self.workers)
                .map(|number| number + worker as u32)
                .filter(|number| *number < NOWHERE)
                .expect("fewer than four billion sites"),
        };
        let key = xxh3_64(site.as_str().as_bytes());
        match self.table.find_mut(key, |entry| entry.key() == key) {
            Some(entry) => entry.place = number,
            None => {
                let entry = Entry { key: [(key >> 32) as u32, key as u32], place: number };
                self.table.insert_unique(key, entry, Entry::key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::PageUrl;

    #[test]
    fn everybody_is_found_where_they_were_put_last() {
        let mut register = Register::new(3);
        let site = |number: u32| PageUrl::parse(&format!("http://{number}.test/")).unwrap().site();
        let place = |number: u32| match number % 10 {
            9 => Place::Nowhere(FetchFailure::TimedOut),
            _ => Place::At { worker: (number % 3) as usize, site_index: number },
        };
        for round in 0..2 {
            (0..1000).for_each(|number| register.set(&site(number), place(number + round)));
            assert!((0..1000).all(|number| register.get(&site(number)) == Some(place(number + round))));
        }
        assert_eq!(register.get(&site(1000)), None);
        assert_eq!(size_of::<Entry>(), 12);
    }
}
