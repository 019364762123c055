//! How what was found differs from the truth.
//!
//! Whoever looked gives plain values: addresses, pairs of pages, classes of pages. So the lab needs to know nobody who
//! crawls, and each comparison is a count of what is missing and of what is too many.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use crate::Truth;

/// What should be there, and how what is there differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Differences {
    /// How many there should be.
    pub expected: u64,
    /// Those that are not there.
    pub missing: u64,
    /// Those that are there and should not be.
    pub extra: u64,
}

/// How stored pages differ from those that there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageDifferences {
    /// Each address once.
    pub pages: Differences,
    /// How many were stored although they were there already.
    pub twice: u64,
}

impl Truth {
    /// Compares the addresses of stored pages with those that there are.
    pub fn compare_pages(&self, stored: impl IntoIterator<Item = String>) -> PageDifferences {
        let (mut found, mut twice) = (BTreeSet::new(), 0);
        for address in stored {
            twice += u64::from(!found.insert(address));
        }
        let expected: BTreeSet<&str> = self.pages.iter().map(String::as_str).collect();
        let missing = expected.iter().filter(|address| !found.contains(**address)).count() as u64;
        let extra = found.iter().filter(|address| !expected.contains(address.as_str())).count() as u64;
        PageDifferences { pages: Differences { expected: expected.len() as u64, missing, extra }, twice }
    }

    /// Begins to compare distinct links between stored pages with the [`arcs`](Self::arcs), one at a time: there may be
    /// more than fit into memory as addresses.
    pub fn arc_check(&self) -> ArcCheck<'_> {
        let number = self.pages.iter().map(String::as_str).zip(0..).collect();
        let mut expected = self.arc_positions.clone();
        expected.sort_unstable();
        ArcCheck { number, expected, found: 0, extra: 0 }
    }

    /// Unites groups of copies that have a page in common.
    pub fn copy_families(&self) -> Vec<BTreeSet<&str>> {
        let mut family_of: HashMap<&str, usize> = HashMap::new();
        let mut families: Vec<BTreeSet<&str>> = Vec::new();
        for group in &self.copies {
            let mut united: BTreeSet<&str> = group.pages.iter().map(String::as_str).collect();
            let known: BTreeSet<usize> =
                united.iter().filter_map(|url| family_of.get(url).copied()).collect();
            for family in known {
                united.append(&mut families[family]);
            }
            family_of.extend(united.iter().map(|url| (*url, families.len())));
            families.push(united);
        }
        families.retain(|family| !family.is_empty());
        families
    }
}

/// Sees links one by one.
#[derive(Debug)]
pub struct ArcCheck<'t> {
    number: HashMap<&'t str, u32>,
    expected: Vec<(u32, u32)>,
    found: u64,
    extra: u64,
}

impl ArcCheck<'_> {
    /// Takes a link that was found, which comes once.
    pub fn see(&mut self, source: &str, target: &str) {
        let arc = self.number.get(source).zip(self.number.get(target));
        match arc.is_some_and(|(&source, &target)| self.expected.binary_search(&(source, target)).is_ok()) {
            true => self.found += 1,
            false => self.extra += 1,
        }
    }

    /// Says what was missing and too many, when all links were seen.
    pub fn finish(self) -> Differences {
        let expected = self.expected.len() as u64;
        Differences { expected, missing: expected - self.found, extra: self.extra }
    }
}

/// How the links of a graph differ from those that there are.
#[derive(Debug, PartialEq, Eq)]
pub struct LinkDifferences {
    /// In numbers.
    pub counts: Differences,
    /// The links that are too many, as nodes.
    pub extra: Vec<(u32, u32)>,
}

impl LinkDifferences {
    /// Compares pairs of pages, as positions in the truth, with arcs between nodes. `node_of` says which node a page is; a
    /// page that is none misses all of its links.
    pub fn new<'a>(
        node_of: &[Option<u32>],
        expected: impl Iterator<Item = &'a (u32, u32)>,
        found: impl Iterator<Item = (u32, u32)>,
    ) -> Self {
        let (mut missing, mut counts) = (HashSet::new(), Differences::default());
        for (source, target) in expected {
            counts.expected += 1;
            match (node_of[*source as usize], node_of[*target as usize]) {
                (Some(source), Some(target)) => drop(missing.insert((source, target))),
                _ => counts.missing += 1,
            }
        }
        let extra: Vec<_> = found.filter(|arc| !missing.remove(arc)).collect();
        counts.missing += missing.len() as u64;
        counts.extra = extra.len() as u64;
        Self { counts, extra }
    }
}

/// Pages, whatever they are known by, divided into classes. Two divisions differ by the joins between pages that one has and the
/// other has not; they are equal when there is none.
#[derive(Debug)]
pub struct Classes<K>(HashMap<K, K>);

/// Each page is a class of its own.
impl<K> Default for Classes<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Copy + Ord + Hash> Classes<K> {
    /// Puts two pages into one class.
    pub fn join(&mut self, left: K, right: K) {
        let (left, right) = (self.name(left), self.name(right));
        if left != right {
            self.0.insert(left.max(right), left.min(right));
        }
    }

    fn name(&self, mut page: K) -> K {
        while let Some(next) = self.0.get(&page) {
            page = *next;
        }
        page
    }

    /// Compares this division of some pages, which is the right one, with another.
    pub fn compare(&self, found: &Self, pages: &[K]) -> Differences {
        Differences {
            expected: self.joins_missing(&Self::default(), pages),
            missing: self.joins_missing(found, pages),
            extra: found.joins_missing(self, pages),
        }
    }

    /// How many joins `other` lacks to have at least our classes.
    fn joins_missing(&self, other: &Self, pages: &[K]) -> u64 {
        let mut parts: HashMap<K, BTreeSet<K>> = HashMap::new();
        for &page in pages {
            parts.entry(self.name(page)).or_default().insert(other.name(page));
        }
        parts.values().map(|parts| parts.len() as u64 - 1).sum()
    }
}

/// Counts those of some links, from a page to a page, that are not on more than half of the pages of any directory that their
/// page is in. `addresses` are those of all pages, `has_links` says which of them link anywhere, `sources` who links to one.
pub fn count_rare_links(
    addresses: &[String],
    has_links: impl Fn(u32) -> bool,
    sources: impl Fn(u32) -> Vec<u32>,
    links: &[(u32, u32)],
) -> u64 {
    let mut pages_in: HashMap<&str, usize> = HashMap::new();
    for (address, _) in addresses.iter().zip(0..).filter(|(_, page)| has_links(*page)) {
        directories(address).for_each(|directory| *pages_in.entry(directory).or_default() += 1);
    }
    let is_rare = |link: &&(u32, u32)| {
        let sources = sources(link.1);
        let is_frequent_in = |directory: &str| {
            let is_in = |page: &&u32| addresses[**page as usize].starts_with(directory);
            2 * sources.iter().filter(is_in).count() > pages_in[directory]
        };
        !directories(&addresses[link.0 as usize]).any(is_frequent_in)
    };
    links.iter().filter(is_rare).count() as u64
}

/// Lists the directories that an address is in, from that of its host.
fn directories(address: &str) -> impl Iterator<Item = &str> {
    let path = address.split('?').next().unwrap_or_default();
    path.match_indices('/').skip(2).map(|(at, _)| &path[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FakeWeb, LabConfig};

    #[test]
    fn differences_are_counted_in_joins() {
        let classes = |joins: &[(u64, u64)]| {
            let mut classes = Classes::default();
            joins.iter().for_each(|(left, right)| classes.join(*left, *right));
            classes
        };
        let pages: Vec<u64> = (0..8).collect();
        // Expected joins, found joins, missing, too many.
        type Joins = &'static [(u64, u64)];
        let rows: [(Joins, Joins, u64, u64); 5] = [
            (&[], &[], 0, 0),
            (&[(3, 1), (1, 2)], &[(1, 2), (2, 3)], 0, 0),
            (&[(1, 2), (2, 3)], &[(1, 2)], 1, 0),
            (&[(1, 2)], &[(1, 2), (2, 3), (4, 5)], 0, 2),
            (&[(1, 2), (3, 4)], &[(1, 3), (2, 4)], 2, 2),
        ];
        for (expected, found, missing, extra) in rows {
            let differences = classes(expected).compare(&classes(found), &pages);
            let joins = expected.len() as u64;
            assert_eq!(differences, Differences { expected: joins, missing, extra });
        }
    }

    #[test]
    fn the_truth_differs_from_itself_in_nothing_and_from_others_in_what_they_lack_and_add() {
        let config = LabConfig { pages: 60, hosts: 4, ..LabConfig::default() };
        let truth = FakeWeb::new(config).truth(80);
        let (pages, arcs) = (truth.pages.len() as u64, truth.arc_positions.len() as u64);
        let whole = Differences { expected: pages, missing: 0, extra: 0 };
        let same = truth.compare_pages(truth.pages.clone());
        assert_eq!(same, PageDifferences { pages: whole, twice: 0 });
        let others =
            truth.pages[1..].iter().cloned().chain(["http://x.test/".into(), truth.pages[1].clone()]);
        let other = truth.compare_pages(others);
        assert_eq!(other, PageDifferences { pages: Differences { missing: 1, extra: 1, ..whole }, twice: 1 });
        let mut check = truth.arc_check();
        truth.arcs().skip(2).for_each(|(source, target)| check.see(source, target));
        check.see("http://x.test/", &truth.pages[0]);
        assert_eq!(check.finish(), Differences { expected: arcs, missing: 2, extra: 1 });
    }

    #[test]
    fn a_page_that_is_no_node_misses_its_links() {
        let expected = [(0, 1), (1, 2), (2, 0)];
        let node_of = [Some(7), Some(8), None];
        let found = LinkDifferences::new(&node_of, expected.iter(), [(7, 8), (8, 7)].into_iter());
        let counts = Differences { expected: 3, missing: 2, extra: 1 };
        assert_eq!(found, LinkDifferences { counts, extra: vec![(8, 7)] });
    }

    #[test]
    fn families_with_a_page_in_common_are_one() {
        let group = |pages: &[&str]| crate::CopyGroup {
            kind: crate::CopyKind::Near,
            pages: pages.iter().map(|page| (*page).to_owned()).collect(),
            jaccard: 0.9,
        };
        let copies = vec![group(&["a", "b"]), group(&["c", "d"]), group(&["b", "e"]), group(&["e", "d"])];
        let truth = Truth {
            copies,
            ..FakeWeb::new(LabConfig { pages: 1, hosts: 1, ..LabConfig::default() }).truth(80)
        };
        assert_eq!(truth.copy_families(), [BTreeSet::from(["a", "b", "c", "d", "e"])]);
    }

    #[test]
    fn links_of_less_than_half_of_every_directory_are_rare() {
        let addresses: Vec<String> =
            ["/a/1", "/a/2", "/b/1", "/b/2", "/b/3", "/x"].map(|path| format!("http://h.test{path}")).into();
        // Both pages of /a/ link to page 5, and one of the three of /b/ does.
        let sources = |page: u32| if page == 5 { vec![0, 1, 2] } else { vec![0] };
        let rare = |links: &[(u32, u32)]| count_rare_links(&addresses, |page| page < 5, sources, links);
        assert_eq!((rare(&[(0, 5)]), rare(&[(1, 5)])), (0, 0));
        assert_eq!(rare(&[(0, 4)]), 1);
    }
}
