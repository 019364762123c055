//! Is this page a copy of one that was seen before? What a crawler asks for each page.
//!
//! Method: the digest of the text finds exact copies, its SimHash those that differ in up to [`COPY_DISTANCE_MAX`]
//! bits. The digests stand in a [`HammingIndex`] of distance 0, which goes on in scratch files beyond its budget of
//! memory: so every exact copy is found. The SimHashes stand in a [`NearWindow`], in memory only: a page is compared
//! with those of as many different texts as the budget holds, the newest, that it meets there; whoever compares all
//! pages later finds the others, and [`CopyWatch::forgotten`] says how many were not there any more. What the SimHash
//! finds is a candidate only, and counts if the [checks](crate::PagePrint::check) agree. Exact copies are not kept,
//! near ones are. Short texts have SimHashes that are near by chance; they are compared exactly.
//!
//! Mirrors: [`SiteCopies`] counts how many pages two sites have in common.
//!
//! Cost: two searches and up to two inserts, at a cost that does not grow with the number of pages
//! (`examples/watch.rs`). 81 bytes of the budget per different page as long as there is room. Who and where a page is stands
//! in a scratch file. Beyond the budget 16 bytes per site.

use std::path::Path;

use page::NearPrint;

use crate::hamming::{Error, HammingIndex};
use crate::mirrors::{Mirror, SiteCopies};
use crate::near_window::NearWindow;
use crate::originals::{Original, Originals};

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
    /// What similar texts are found by. None of a text of fewer than [`WORDS_MIN`] words.
    pub near: Option<NearPrint>,
}

/// What a page is a copy of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyFound {
    /// The same text, first seen on this page.
    Exact(u32),
    /// Nearly the text of this page: of all similar ones that with the nearest SimHash, and of these the first; and its
    /// distance.
    Near(u32, u32),
}

/// Remembers pages and tells copies. The same pages in the same order give the same answers: of exact copies whatever
/// the budget, of near ones with the same budget.
#[derive(Debug)]
pub struct CopyWatch {
    exact: HammingIndex<u128>,
    near: NearWindow,
    /// Each different text in the order of arrival. The indexes know them by their place.
    originals: Originals,
    sites: SiteCopies,
}

impl CopyWatch {
    /// A watch that takes about so much memory for what it compares, and a folder for the rest.
    pub fn new(folder: &Path, memory_bytes_max: usize) -> Result<Self, Error> {
        // By what an entry takes: 20 bytes and 61.
        let exact_bytes = memory_bytes_max / 4;
        Ok(Self {
            exact: HammingIndex::with_budget(0, &folder.join("exact"), exact_bytes)?,
            near: NearWindow::new(memory_bytes_max - exact_bytes),
            originals: Originals::new(folder)?,
            sites: SiteCopies::default(),
        })
    }

    /// Says what a page is a copy of, and remembers it.
    pub fn see(&mut self, page: WatchedPage) -> Result<Option<CopyFound>, Error> {
        let exact = self.exact.nearest(page.digest)?;
        let near = match page.near {
            Some(print) if exact.is_none() => self.near.nearest(print),
            _ => None,
        };
        let (copy_of, site) = match exact.or(near) {
            Some(found) => {
                let Original { id, site } = self.originals.at(found.id as usize)?;
                let copy_of =
                    if exact.is_some() { CopyFound::Exact(id) } else { CopyFound::Near(id, found.distance) };
                (Some(copy_of), Some(site))
            }
            None => (None, None),
        };
        self.sites.count(page.site, site);
        if exact.is_none() {
            self.keep(page)?;
        }
        Ok(copy_of)
    }

    /// Remembers a page of which it is known what it is a copy of, at a fraction of the cost. Pages come in the order
    /// of their ids.
    pub fn remember(&mut self, page: WatchedPage, copy_of: Option<CopyFound>) -> Result<(), Error> {
        let original = match copy_of {
            Some(CopyFound::Exact(of) | CopyFound::Near(of, _)) => self.originals.of_page(of)?,
            None => None,
        };
        self.sites.count(page.site, original.map(|original| original.site));
        // A copy of a page that is not there was marked by a table that lost it.
        if original.is_none() || matches!(copy_of, Some(CopyFound::Near(..))) {
            self.keep(page)?;
        }
        Ok(())
    }

    /// Keeps a text that no page before had.
    fn keep(&mut self, page: WatchedPage) -> Result<(), Error> {
        let place = u32::try_from(self.originals.len()).map_err(|_| Error::Full)?;
        self.originals.push(Original { id: page.id, site: page.site })?;
        if let Some(print) = page.near {
            self.near.insert(print, place);
        }
        // If the disk refuses, it is in nevertheless, and stays in memory until there is room.
        match self.exact.insert(page.digest, place) {
            Err(Error::Io(error) | Error::Run(journal::Error::Io(error)))
                if journal::is_full_disk(&error) =>
            {
                Ok(())
            }
            outcome => Ok(outcome?),
        }
    }

    /// Different texts that pages are not compared with any more, for want of room. Only near copies of them are
    /// missed.
    pub fn forgotten(&self) -> u64 {
        self.near.forgotten()
    }

    /// Sites most of whose pages are on another one too, by their numbers.
    pub fn mirrors(&self) -> Vec<Mirror> {
        self.sites.mirrors()
    }

    /// The memory in use.
    pub fn memory_bytes(&self) -> usize {
        self.exact.memory_bytes()
            + self.near.memory_bytes()
            + self.originals.memory_bytes()
            + self.sites.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::row_bits::are_similar;

    /// Without a check it is a short text.
    fn page(id: u32, digest: u8, flips: &[u32], check: Option<u64>) -> WatchedPage {
        let centre = crate::mix::scramble(centre(digest));
        let simhash = flips.iter().fold(centre, |bits, flip| bits ^ 1 << flip);
        let near = check.map(|check| NearPrint { simhash, check });
        WatchedPage { id, site: id % 7, digest: u128::from(digest), near }
    }

    /// Pages of the same number have SimHashes that are near.
    fn centre(digest: u8) -> u64 {
        u64::from(digest % 64)
    }

    /// Looks at all pages that came before.
    fn naive(before: &[WatchedPage], page: &WatchedPage) -> Option<CopyFound> {
        if let Some(first) = before.iter().find(|other| other.digest == page.digest) {
            return Some(CopyFound::Exact(first.id));
        }
        let is_first = |at: usize| before[..at].iter().all(|other| other.digest != before[at].digest);
        let candidates = (0..before.len()).filter(|at| is_first(*at)).filter_map(|at| {
            let (print, other) = (page.near?, before[at].near?);
            let distance = (print.simhash ^ other.simhash).count_ones();
            let is_near = distance <= crate::COPY_DISTANCE_MAX && are_similar(print.check, other.check);
            is_near.then_some((distance, before[at].id))
        });
        candidates.min_by_key(|(distance, _)| *distance).map(|(distance, id)| CopyFound::Near(id, distance))
    }

    proptest! {
        #[test]
        fn it_answers_as_a_look_at_all_earlier_pages(
            texts in prop::collection::vec(
                (any::<u8>(), prop::collection::vec(0u32..64, 0..6), prop::option::weighted(0.8, 0u64..32)), 1..100
            ),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut watch = CopyWatch::new(folder.path(), 0).unwrap();
            let mut before = Vec::new();
            let mut crowds = [0; 64];
            for ((digest, flips, check), number) in texts.iter().zip(0u32..) {
                // Of a crowd the newest eight count, so there is none.
                let crowd = &mut crowds[centre(*digest) as usize];
                *crowd += 1;
                if *crowd > 8 {
                    continue;
                }
                // Ids need not grow.
                let page = page(1000 - number, *digest, flips, *check);
                prop_assert_eq!(watch.see(page).unwrap(), naive(&before, &page));
                before.push(page);
            }
        }
    }

    #[test]
    fn who_is_told_what_pages_repeat_answers_as_who_found_it_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut found_out = CopyWatch::new(&folder.path().join("found"), 1 << 20).unwrap();
        let mut told = CopyWatch::new(&folder.path().join("told"), 1 << 20).unwrap();
        let pages = |from: u32| {
            (from..from + 3000).map(|id| {
                let text = xxhash_rust::xxh3::xxh3_64(&(id % 1700).to_le_bytes());
                page(id, (text % 251) as u8, &[(text % 61) as u32, (text % 7) as u32], Some(text >> 60))
            })
        };
        let mut copies = 0;
        for page in pages(0) {
            let answer = found_out.see(page).unwrap();
            copies += usize::from(answer.is_some());
            told.remember(page, answer).unwrap();
        }
        assert!(copies > 1000 && copies < 3000, "{copies}");
        assert_eq!(told.mirrors(), found_out.mirrors());
        for page in pages(3000) {
            assert_eq!(told.see(page).unwrap(), found_out.see(page).unwrap());
        }
        assert_eq!(told.originals.len(), found_out.originals.len());
    }

    #[test]
    fn a_small_budget_loses_no_exact_copy_and_only_old_near_ones() {
        let folder = tempfile::tempdir().unwrap();
        let mut small = CopyWatch::new(&folder.path().join("small"), 0).unwrap();
        let mut large = CopyWatch::new(&folder.path().join("large"), 1 << 30).unwrap();
        let (mut copies, mut asked, mut lost) = (0, 0, 0);
        for id in 0..40_000u32 {
            let text = if id % 5 == 0 { id / 3 } else { id };
            let digest = xxhash_rust::xxh3::xxh3_128(&text.to_le_bytes());
            // Every third is near its neighbour.
            let simhash = xxhash_rust::xxh3::xxh3_64(&(text / 3).to_le_bytes()) ^ u64::from(text % 3);
            let check = crate::mix::scramble(u64::from(text / 3));
            let page = WatchedPage { id, site: id % 11, digest, near: Some(NearPrint { simhash, check }) };
            let (answer, expected) = (small.see(page).unwrap(), large.see(page).unwrap());
            let original = match expected {
                Some(CopyFound::Near(original, _)) => original,
                _ => id,
            };
            // Texts that are near each other come soon after each other, or ten thousand pages later.
            if id - original < 1000 {
                assert_eq!(answer, expected, "page {id}");
            }
            if (1000..4000).contains(&(id - original)) {
                asked += 1;
                lost += u32::from(answer != expected);
            }
            copies += usize::from(answer.is_some());
        }
        assert!(asked > 100 && lost * 50 < asked, "{lost} of {asked}");
        assert!(copies > 8_000 && small.exact.run_counts().1 > 0, "{copies} copies");
        assert!(small.forgotten() > 20_000 && large.forgotten() == 0);
        assert!(small.memory_bytes() < large.memory_bytes());
    }

    #[test]
    fn a_candidate_whose_check_differs_gives_way_to_one_that_is_farther_away() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = CopyWatch::new(folder.path(), 1 << 20).unwrap();
        for page in [page(0, 0, &[], Some(!0 << 32)), page(1, 64, &[5, 6, 7], Some(!0 << 8))] {
            assert_eq!(watch.see(page).unwrap(), None);
        }
        assert_eq!(watch.see(page(2, 128, &[], Some(!0))).unwrap(), Some(CopyFound::Near(1, 3)));
    }

    #[test]
    fn a_mirror_is_found_whichever_of_the_two_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = CopyWatch::new(folder.path(), 1 << 20).unwrap();
        for text in 0..20u32 {
            let (first, second) = if text % 2 == 0 { (3, 8) } else { (8, 3) };
            let digest = u128::from(text);
            for (site, id) in [(first, 2 * text), (second, 2 * text + 1)] {
                watch.see(WatchedPage { id, site, digest, near: None }).unwrap();
            }
        }
        assert_eq!(watch.mirrors(), [Mirror { site: 8, of: 3, pages: 20 }]);
    }
}
