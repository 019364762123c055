//! Is this page a copy of one that was seen before? What a crawler asks for each page.
//!
//! Method: the digest of the text finds exact copies, its SimHash those that differ in up to [`COPY_DISTANCE_MAX`] bits. Both
//! stand in a [`HammingIndex`], the digests in one of distance 0: so both keep to a budget of memory, go on in scratch
//! files beyond it, and are filled again by whoever starts again. Exact copies are not stored, near ones are, so a page is
//! compared with every different text. Short texts have SimHashes that are near by chance; they are compared exactly.
//!
//! Mirrors: [`SiteCopies`] counts how many pages two sites have in common.
//!
//! Cost: two searches and up to two inserts; for a million pages 1.4 µs of CPU time per page in memory, and 3.1 µs within
//! 64 MiB (`examples/hamming.rs`). 69 bytes of the budget per different page. Beyond the budget 8 bytes per different page for who and where it is, and 8 bytes per site.

use std::path::Path;

use crate::hamming::{Error, HammingIndex};
use crate::mirrors::{Mirror, SiteCopies};

/// SimHashes of near copies differ in at most so many bits of 64 (Manku, Jain, Das Sarma 2007).
pub const COPY_DISTANCE_MAX: u32 = 3;

/// Texts with fewer words are only compared exactly.
pub const WORDS_MIN: u32 = 20;

/// What is asked about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedPage {
    /// The number under which it is named to later copies.
    pub id: u32,
    /// The number of its site.
    pub site: u32,
    /// The digest of its text.
    pub digest: u128,
    /// The SimHash of its text.
    pub simhash: u64,
    /// How many words its text has.
    pub words: u32,
}

/// What a page is a copy of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOf {
    /// The same text, first seen on this page.
    Exact(u32),
    /// Nearly the text of this page, of all the nearest one, and of these the first; and its distance.
    Near(u32, u32),
}

/// Remembers pages and tells copies. The same pages in the same order give the same answers, whatever the budget.
#[derive(Debug)]
pub struct CopyWatch {
    exact: HammingIndex<u128>,
    near: HammingIndex<u64>,
    /// (id, site) of each different text in the order of arrival. The indexes know them by their place.
    originals: Vec<(u32, u32)>,
    sites: SiteCopies,
}

impl CopyWatch {
    /// A watch that takes about so much memory for what it compares, and a folder for the rest.
    pub fn new(folder: &Path, memory_bytes_max: usize) -> Result<Self, Error> {
        // By what an entry takes: 20 bytes and 48.
        let exact_bytes = memory_bytes_max / 10 * 3;
        Ok(Self {
            exact: HammingIndex::with_budget(0, &folder.join("exact"), exact_bytes)?,
            near: HammingIndex::with_budget(
                COPY_DISTANCE_MAX,
                &folder.join("near"),
                memory_bytes_max - exact_bytes,
            )?,
            originals: Vec::new(),
            sites: SiteCopies::default(),
        })
    }

    /// Says what a page is a copy of, and remembers it.
    pub fn see(&mut self, page: WatchedPage) -> Result<Option<CopyOf>, Error> {
        let is_long = page.words >= WORDS_MIN;
        let exact = self.exact.nearest(page.digest)?;
        let near = if exact.is_none() && is_long { self.near.nearest(page.simhash)? } else { None };
        let (copy_of, site) = match exact.or(near) {
            Some(found) => {
                let (id, site) = self.originals[found.id as usize];
                let copy_of =
                    if exact.is_some() { CopyOf::Exact(id) } else { CopyOf::Near(id, found.distance) };
                (Some(copy_of), Some(site))
            }
            None => (None, None),
        };
        self.sites.count(page.site, site);
        if exact.is_none() {
            let place = u32::try_from(self.originals.len()).map_err(|_| Error::Full)?;
            self.originals.push((page.id, page.site));
            let exact = self.exact.insert(page.digest, place);
            let near = if is_long { self.near.insert(page.simhash, place) } else { Ok(()) };
            // If the disk refuses, both have it nevertheless.
            exact.and(near)?;
        }
        Ok(copy_of)
    }

    /// Sites most of whose pages are on another one too, by their numbers.
    pub fn mirrors(&self) -> Vec<Mirror> {
        self.sites.mirrors()
    }

    /// The memory in use.
    pub fn memory_bytes(&self) -> usize {
        self.exact.memory_bytes()
            + self.near.memory_bytes()
            + self.originals.capacity() * size_of::<(u32, u32)>()
            + self.sites.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(id: u32, digest: u8, flips: &[u32], words: u32) -> WatchedPage {
        let simhash = flips.iter().fold(0x0123_4567_89ab_cdef, |bits, flip| bits ^ 1 << flip);
        WatchedPage { id, site: id % 7, digest: u128::from(digest), simhash, words }
    }

    /// Looks at all pages that came before.
    fn naive(before: &[WatchedPage], page: &WatchedPage) -> Option<CopyOf> {
        if let Some(first) = before.iter().find(|other| other.digest == page.digest) {
            return Some(CopyOf::Exact(first.id));
        }
        let is_first = |at: usize| before[..at].iter().all(|other| other.digest != before[at].digest);
        let distance = |other: &WatchedPage| (other.simhash ^ page.simhash).count_ones();
        (0..before.len())
            .filter(|at| is_first(*at) && before[*at].words >= WORDS_MIN && page.words >= WORDS_MIN)
            .map(|at| &before[at])
            .filter(|other| distance(other) <= COPY_DISTANCE_MAX)
            .min_by_key(|other| distance(other))
            .map(|other| CopyOf::Near(other.id, distance(other)))
    }

    proptest! {
        #[test]
        fn it_answers_as_a_look_at_all_earlier_pages(
            texts in prop::collection::vec(
                (any::<u8>(), prop::collection::vec(0u32..64, 0..8), WORDS_MIN - 3..WORDS_MIN + 9), 1..150
            ),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut watch = CopyWatch::new(folder.path(), 0).unwrap();
            let mut before = Vec::new();
            for ((digest, flips, words), number) in texts.iter().zip(0u32..) {
                // Ids need not grow.
                let page = page(1000 - number, *digest, flips, *words);
                prop_assert_eq!(watch.see(page).unwrap(), naive(&before, &page));
                before.push(page);
            }
        }
    }

    #[test]
    fn a_small_budget_changes_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let mut small = CopyWatch::new(&folder.path().join("small"), 0).unwrap();
        let mut large = CopyWatch::new(&folder.path().join("large"), 1 << 30).unwrap();
        let mut copies = 0;
        for id in 0..40_000u32 {
            let text = if id % 5 == 0 { id / 3 } else { id };
            let digest = xxhash_rust::xxh3::xxh3_128(&text.to_le_bytes());
            // Every third is near its neighbour.
            let simhash = xxhash_rust::xxh3::xxh3_64(&(text / 3).to_le_bytes()) ^ u64::from(text % 3);
            let page = WatchedPage { id, site: id % 11, digest, simhash, words: 100 };
            let answer = small.see(page).unwrap();
            assert_eq!(answer, large.see(page).unwrap(), "page {id}");
            copies += usize::from(answer.is_some());
        }
        assert!(copies > 8_000 && small.exact.run_counts().1 > 0 && small.near.run_counts().1 > 0);
        assert!(small.memory_bytes() < large.memory_bytes());
    }

    #[test]
    fn a_mirror_is_found_whichever_of_the_two_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = CopyWatch::new(folder.path(), 1 << 20).unwrap();
        for text in 0..20u32 {
            let (first, second) = if text % 2 == 0 { (3, 8) } else { (8, 3) };
            let digest = u128::from(text);
            for (site, id) in [(first, 2 * text), (second, 2 * text + 1)] {
                watch.see(WatchedPage { id, site, digest, simhash: 0, words: 5 }).unwrap();
            }
        }
        assert_eq!(watch.mirrors(), [Mirror { site: 8, of: 3, pages: 20 }]);
    }
}
