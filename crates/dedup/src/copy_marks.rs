//! Marks: which stored page does this one repeat?
//!
//! Every page with a print is shown to a [`CopyWatch`] in the order in which pages enter the table, and what it
//! answers goes into the page's record. So the table is the truth: whoever starts again shows it the records that are
//! there, in the same order, and the next page is judged as if nothing had happened. Which of two equal pages is the
//! original is decided by who comes first, once and for all.
//!
//! Cost: one to three microseconds per page, however many there are, and less at a restart per page of the table.
//! Memory beyond the budget of the watch: for each site its name and 40 to 70 bytes.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use page::{CopyKind, CopyOf, PageUrl, RecordNumber, TextPrint};
use xxhash_rust::xxh3::xxh3_64;

use crate::{CopyFound, CopyWatch, Error, Mirror, WatchedPage};

/// A site that is mostly a copy of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorSite {
    /// The one that is a copy.
    pub site: String,
    /// The other.
    pub of: String,
    /// Pages that they have in common.
    pub pages: u32,
}

/// Finds what pages repeat, for whoever writes them into the table.
#[derive(Debug)]
pub struct CopyMarks {
    watch: CopyWatch,
    sites: SiteNumbers,
    /// Mirrors that were told already.
    told: HashSet<u32>,
}

impl CopyMarks {
    /// Knows no page yet. The folder is for what does not fit into the memory; what an earlier run left there is
    /// deleted.
    pub fn new(folder: &Path, memory_bytes: usize) -> Result<Self, Error> {
        let watch = CopyWatch::new(folder, memory_bytes)?;
        Ok(Self { watch, sites: SiteNumbers::default(), told: HashSet::new() })
    }

    /// Looks at the page whose record is about to become, or already is, the `number`-th of the table: tells what it
    /// repeats, and remembers it. A page without a print repeats nothing.
    pub fn see(
        &mut self,
        number: RecordNumber,
        url: &PageUrl,
        print: Option<TextPrint>,
    ) -> Result<Option<CopyOf>, Error> {
        let Some(page) = self.watched(number, url, print) else { return Ok(None) };
        let copy_of = |kind, id: u32| CopyOf { kind, original: RecordNumber::new(id.into()) };
        Ok(self.watch.see(page)?.map(|copy| match copy {
            CopyFound::Exact(id) => copy_of(CopyKind::Exact, id),
            CopyFound::Near(id, _) => copy_of(CopyKind::Near, id),
        }))
    }

    /// Remembers a page whose record is the `number`-th of the table and says what it repeats.
    pub fn remember(
        &mut self,
        number: RecordNumber,
        url: &PageUrl,
        print: Option<TextPrint>,
        copy_of: Option<CopyOf>,
    ) -> Result<(), Error> {
        let Some(page) = self.watched(number, url, print) else { return Ok(()) };
        let found = copy_of.and_then(|copy| {
            let original = u32::try_from(copy.original.get()).ok()?;
            // How near it is matters to nobody any more.
            Some(if copy.kind == CopyKind::Exact {
                CopyFound::Exact(original)
            } else {
                CopyFound::Near(original, 0)
            })
        });
        Ok(self.watch.remember(page, found)?)
    }

    fn watched(
        &mut self,
        number: RecordNumber,
        url: &PageUrl,
        print: Option<TextPrint>,
    ) -> Option<WatchedPage> {
        let TextPrint { digest, near } = print?;
        // Nobody has a table of four thousand million records; its last pages would go without marks.
        let id = u32::try_from(number.get()).ok()?;
        Some(WatchedPage { id, site: self.sites.number_of(url.site_str()), digest, near })
    }

    /// Different pages that new ones are not compared with, for want of room: near copies of them have no mark.
    pub fn forgotten(&self) -> u64 {
        self.watch.forgotten()
    }

    /// All sites that are mostly copies of another.
    pub fn mirrors(&self) -> Vec<MirrorSite> {
        self.watch.mirrors().into_iter().map(|mirror| self.with_names(mirror)).collect()
    }

    /// Those that were not told before.
    pub fn new_mirrors(&mut self) -> Vec<MirrorSite> {
        let mut mirrors = self.watch.mirrors();
        mirrors.retain(|mirror| self.told.insert(mirror.site));
        mirrors.into_iter().map(|mirror| self.with_names(mirror)).collect()
    }

    fn with_names(&self, mirror: Mirror) -> MirrorSite {
        let name = |number: u32| self.sites.name(number).to_owned();
        MirrorSite { site: name(mirror.site), of: name(mirror.of), pages: mirror.pages }
    }
}

/// Sites in the order in which they came, each name once.
#[derive(Debug, Default)]
struct SiteNumbers {
    /// By 64 bits of the name: among ten million sites no two have the same, but for one time in 370,000.
    numbers: HashMap<u64, u32>,
    names: String,
    /// Where each name ends.
    ends: Vec<usize>,
}

impl SiteNumbers {
    /// The number of a site; a new one gets the next.
    fn number_of(&mut self, site: &str) -> u32 {
        let Self { numbers, names, ends } = self;
        *numbers.entry(xxh3_64(site.as_bytes())).or_insert_with(|| {
            names.push_str(site);
            ends.push(names.len());
            u32::try_from(ends.len() - 1).expect("there are fewer sites than records")
        })
    }

    fn name(&self, number: u32) -> &str {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start..self.ends[number as usize]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_numbers_in_the_order_of_their_coming_and_names() {
        let mut sites = SiteNumbers::default();
        let names = ["http://a.test", "https://a.test", "http://b.test:81", "http://a.test"];
        assert_eq!(names.map(|name| sites.number_of(name)), [0, 1, 2, 0]);
        assert_eq!([0, 1, 2].map(|number| sites.name(number)), names[..3]);
    }
}
