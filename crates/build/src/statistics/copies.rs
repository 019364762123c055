//! What is worth knowing about the copies of a collection, mirrors among it.
//!
//! A host is a mirror of another when most of its pages are copies of pages there. Groups are counted host by host; one
//! that spreads over very many hosts (a "parked domain" page) says nothing about any two of them and is passed over, so
//! that the count of pairs stays small.

use std::collections::{BTreeMap, HashMap};

use dedup::GroupsFile;
use serde::Serialize;

use crate::Covered;

/// The numbers about copies.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct CopyStats {
    /// Pages were copies when their similarity was at least this.
    pub threshold: f64,
    /// Groups of pages that are copies of each other.
    pub groups: u64,
    /// Copies that say exactly what an earlier page says.
    pub exact: u64,
    /// All other copies.
    pub near: u64,
    /// Pages in the largest group.
    pub largest_group: u64,
    /// No page was stored since the groups were made.
    pub up_to_date: bool,
    /// Hosts that are mostly copies of others.
    pub mirrors: Vec<Mirror>,
}

/// Two hosts of which one has mostly pages that are copies of the other's.
#[derive(Debug, PartialEq, Serialize)]
pub struct Mirror {
    /// The host whose pages are mostly copies.
    pub host: String,
    /// The host that it is a mirror of.
    pub of: String,
    /// Its pages.
    pub pages: u64,
    /// Those that are in a group with a page of the other.
    pub shared: u64,
}

/// A host with fewer pages is no mirror.
const MIRROR_PAGES_MIN: u64 = 5;
/// Of the pages of a mirror at least this share are copies.
const MIRROR_SHARE_MIN: f64 = 0.8;
/// A group on more hosts is passed over.
const HOSTS_OF_GROUP_MAX: usize = 64;

/// Counts the pages of hosts, and which groups they are in.
#[derive(Debug, Default)]
pub struct HostCounts {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
    pages: Vec<u64>,
    /// For each group the hosts with pages in it, and how many.
    in_groups: Vec<HashMap<u32, u64>>,
}

impl HostCounts {
    /// Counts a page of a host, with the group that it is in.
    pub fn add(&mut self, host: &str, group: Option<usize>) {
        let number = match self.numbers.get(host) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.numbers.insert(host.to_owned(), number);
                self.names.push(host.to_owned());
                self.pages.push(0);
                number
            }
        };
        self.pages[number as usize] += 1;
        if let Some(group) = group {
            let groups_min = self.in_groups.len().max(group + 1);
            self.in_groups.resize_with(groups_min, HashMap::new);
            *self.in_groups[group].entry(number).or_default() += 1;
        }
    }

    /// Says how many hosts there are.
    pub fn hosts(&self) -> u64 {
        self.names.len() as u64
    }

    /// Finds each mirror once: of two hosts that mirror each other the one with fewer pages, or the later name.
    pub fn mirrors(&self) -> Vec<Mirror> {
        let mut shared: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for group in self.in_groups.iter().filter(|group| group.len() <= HOSTS_OF_GROUP_MAX) {
            for (&host, &pages) in group {
                for &other in group.keys().filter(|other| **other != host) {
                    *shared.entry((host, other)).or_default() += pages;
                }
            }
        }
        let is_mirror = |host: u32, other: u32| {
            let pages = self.pages[host as usize];
            let found = shared.get(&(host, other)).copied().unwrap_or(0);
            pages >= MIRROR_PAGES_MIN && found as f64 >= MIRROR_SHARE_MIN * pages as f64
        };
        let goes_first =
            |host: u32| (std::cmp::Reverse(self.pages[host as usize]), &self.names[host as usize]);
        let mut mirrors: Vec<Mirror> = shared
            .iter()
            .filter(|((host, other), _)| {
                is_mirror(*host, *other)
                    && !(is_mirror(*other, *host) && goes_first(*host) < goes_first(*other))
            })
            .map(|(&(host, other), &shared)| Mirror {
                host: self.names[host as usize].clone(),
                of: self.names[other as usize].clone(),
                pages: self.pages[host as usize],
                shared,
            })
            .collect();
        mirrors.sort_by(|left, right| (&left.host, &left.of).cmp(&(&right.host, &right.of)));
        mirrors
    }
}

impl CopyStats {
    /// Puts together what the groups say and what was counted beside.
    pub fn new(groups: &GroupsFile, hosts: &HostCounts, covered: Covered) -> Self {
        Self {
            threshold: groups.source.threshold,
            groups: groups.len() as u64,
            exact: groups.source.exact_copies,
            near: groups.copies().saturating_sub(groups.source.exact_copies),
            largest_group: groups.iter().map(|group| group.len() as u64).max().unwrap_or(0),
            up_to_date: groups.source.stamp == covered.to_string(),
            mirrors: hosts.mirrors(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_share_most_pages_are_mirrors() {
        let mut counts = HostCounts::default();
        for page in 0..10 {
            counts.add("large.test", Some(page));
            // Four of five pages are copies.
            if page < 5 {
                counts.add("mirror.test", (page != 4).then_some(page));
            }
            // Three of five are not enough, and four pages are too few.
            if page < 5 {
                counts.add("other.test", (page < 3).then_some(page));
            }
            if page < 4 {
                counts.add("small.test", Some(page));
            }
        }
        let mirror = Mirror { host: "mirror.test".into(), of: "large.test".into(), pages: 5, shared: 4 };
        let found = counts.mirrors();
        assert_eq!((found.len(), counts.hosts()), (2, 4), "{found:?}");
        assert_eq!(found[0], mirror);
        assert_eq!((found[1].host.as_str(), found[1].of.as_str()), ("mirror.test", "small.test"));
    }

    #[test]
    fn of_two_mirrors_the_later_name_is_the_mirror() {
        let mut counts = HostCounts::default();
        for page in 0..6 {
            counts.add("b.test", Some(page));
            counts.add("a.test", Some(page));
        }
        let found = counts.mirrors();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].host.as_str(), found[0].of.as_str()), ("b.test", "a.test"));
    }
}
