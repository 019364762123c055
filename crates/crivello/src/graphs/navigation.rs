//! Which links of a host are navigation?
//!
//! The store does not know where on a page a link stands. But navigation repeats itself: a link with the same target and the
//! same words on more than half of a host's pages is taken for navigation. Hosts with few pages have none.
//!
//! Links are counted by lossy counting: after every [`BUCKET_PAGES`] pages of a host those are forgotten that cannot be
//! frequent. So a link on at most half of the pages is never taken for navigation, and one on more than 9/16 always is.
//!
//! Cost: a number a link of the last [`BUCKET_PAGES`] pages of each host, 24 bytes each, and those that are frequent.
//!
//! After Manku and Motwani, "Approximate frequency counts over data streams" (2002).

use std::collections::{HashMap, HashSet};

use store::LinkRecord;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A host with fewer pages has no navigation.
const PAGES_MIN: u32 = 8;
/// How often rare links are forgotten.
const BUCKET_PAGES: u32 = 16;

/// The links of each host that are on most of its pages.
#[derive(Debug, Default)]
pub struct Navigation {
    hosts: HashMap<String, Host>,
}

#[derive(Debug, Default)]
struct Host {
    pages: u32,
    counts: HashMap<u64, Count>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    pages: u32,
    /// How often it may have been seen and forgotten before.
    missed: u32,
}

impl Navigation {
    /// Counts the links of a page. The order of pages decides nothing but what is between 1/2 and 9/16.
    pub fn add_page(&mut self, host: &str, links: &[LinkRecord]) {
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.to_owned(), Host::default());
        }
        let host = self.hosts.get_mut(host).expect("it was just put there");
        let distinct: HashSet<u64> = links.iter().filter(|link| link.kind.is_arc()).map(print_of).collect();
        let missed = host.pages / BUCKET_PAGES;
        for print in distinct {
            host.counts.entry(print).or_insert(Count { pages: 0, missed }).pages += 1;
        }
        host.pages += 1;
        if host.pages.is_multiple_of(BUCKET_PAGES) {
            let bucket = host.pages / BUCKET_PAGES;
            host.counts.retain(|_, count| count.pages + count.missed > bucket);
        }
    }

    /// All pages were counted: forgets what is not on most pages.
    pub fn finish(mut self) -> Self {
        self.hosts.retain(|_, host| {
            let pages = host.pages;
            host.counts.retain(|_, count| pages >= PAGES_MIN && 2 * count.pages > pages);
            !host.counts.is_empty()
        });
        self
    }

    /// Whether a link of a page of this host is navigation. Asked after [`Navigation::finish`].
    pub fn has(&self, host: &str, link: &LinkRecord) -> bool {
        self.hosts.get(host).is_some_and(|host| host.counts.contains_key(&print_of(link)))
    }
}

fn print_of(link: &LinkRecord) -> u64 {
    xxh3_64_with_seed(link.anchor.as_bytes(), xxh3_64_with_seed(link.target.as_bytes(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::LinkKind;

    fn link(target: &str, anchor: &str) -> LinkRecord {
        LinkRecord { target: target.into(), anchor: anchor.into(), kind: LinkKind::Anchor, nofollow: false }
    }

    #[test]
    fn what_is_on_most_pages_of_a_host_is_navigation() {
        // On how many of how many pages, in one stretch at the end; is it navigation?
        let rows = [(5, 8, true), (4, 8, false), (7, 7, false), (600, 1000, true), (500, 1000, false)];
        for (on, pages, expected) in rows {
            let mut navigation = Navigation::default();
            for page in 0..pages {
                let mut links =
                    vec![link("http://a/own", &page.to_string()), link("http://a/", "other words")];
                links.pop_if(|_| page % 2 == 0);
                if page >= pages - on {
                    // Twice on one page counts once.
                    links.extend([link("http://a/", "home"), link("http://a/", "home")]);
                }
                navigation.add_page("a", &links);
            }
            let navigation = navigation.finish();
            assert_eq!(navigation.has("a", &link("http://a/", "home")), expected, "{on} of {pages}");
            assert!(!navigation.has("a", &link("http://a/", "other words")), "{on} of {pages}");
            assert!(!navigation.has("b", &link("http://a/", "home")), "{on} of {pages}");
        }
    }

    #[test]
    fn rare_links_are_forgotten_while_pages_come() {
        let mut navigation = Navigation::default();
        for page in 0..10_000 {
            let rare = (0..10).map(|number| link(&format!("http://a/{page}/{number}"), ""));
            navigation.add_page("a", &rare.chain([link("http://a/", "home")]).collect::<Vec<_>>());
            assert!(navigation.hosts["a"].counts.len() <= 10 * BUCKET_PAGES as usize * 2 + 1);
        }
        assert_eq!(navigation.finish().hosts["a"].counts.len(), 1);
    }
}
