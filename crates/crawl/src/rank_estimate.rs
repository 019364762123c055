//! Who matters, while the crawl still runs: an estimate of ranks in fixed memory.
//!
//! Each page that is read gives away what it has: one point of its own and what it has received until then, damped by
//! 0.85 and divided equally among the distinct pages that it links to. This is one sweep of PageRank, in the order in
//! which pages happen to be fetched; a page that is linked to from pages that are themselves well linked to is ahead. A
//! redirect hands on all that it has received.
//!
//! The points of *hosts* are those that come from other hosts, and one for being there: whoever links to himself does
//! not get more of the crawl for it.
//!
//! Points are kept in two tables (count-min: a key has a place in each, and the smaller number counts), so an estimate
//! is never too low, and too high by what the keys in the same place have. There is no lock, and nothing is kept on
//! disk: a restart reads the links of all stored pages again, in their order.
//!
//! Cost: a thirty-second of the crawl's memory; two random memory accesses per link and per question.
//!
//! After Abiteboul, Preda, Cobena, "Adaptive on-line page importance computation" (WWW 2003), whose cash our points are. We
//! differ in that pages keep what they received after giving it away, since they are fetched once, and that each page
//! brings a point of its own, so that points do not run dry in pages which are done. The tables are from Cormode,
//! Muthukrishnan, "An improved data stream summary: the count-min sketch and its applications" (2005).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use frontier::{Importance, QueuedUrl};
use page::{Link, LinkKind, PageUrl, Site};
use xxhash_rust::xxh3::xxh3_64;

use crate::Admission;

/// A point, in the units of the tables.
const POINT: u64 = 1 << 12;

/// The part of the points that is given away, in hundredths.
const DAMPING_PERCENT: u64 = 85;

/// Ranks of addresses and sites as far as links tell.
#[derive(Debug)]
pub(crate) struct RankEstimate {
    pages: PointTables,
    hosts: PointTables,
    /// All points of all sites.
    host_points: AtomicU64,
}

impl RankEstimate {
    pub(crate) fn new(memory_bytes: usize) -> Self {
        Self {
            pages: PointTables::new(memory_bytes / 8 * 7),
            hosts: PointTables::new(memory_bytes / 8),
            host_points: AtomicU64::new(0),
        }
    }

    /// A page gives away what it has to those of its links that this crawl may follow.
    pub(crate) fn see(&self, page: &PageUrl, depth: u16, links: &[Link], admission: &Admission) {
        let is_redirect = links.iter().any(|link| link.kind == LinkKind::Redirect);
        let counts = |link: &&Link| match link.kind {
            LinkKind::Redirect => true,
            kind => kind.is_arc() && !link.nofollow && link.target != *page,
        };
        let mut targets: Vec<(u64, &Link)> =
            links.iter().filter(counts).map(|link| (link.target.fingerprint(), link)).collect();
        targets.sort_unstable_by_key(|(print, _)| *print);
        targets.dedup_by_key(|(print, _)| *print);
        let received = self.pages.get(page.fingerprint());
        let points = if is_redirect { received } else { (POINT + received) * DAMPING_PERCENT / 100 };
        let each = points / (targets.len() as u64).max(1);
        for (print, link) in targets {
            if admission.admit(&link.target, link.kind, link.nofollow, depth).is_none() {
                continue;
            }
            self.pages.add(print, each);
            if link.target.site_str() != page.site_str() {
                self.hosts.add(xxh3_64(link.target.site_str().as_bytes()), each);
                self.host_points.fetch_add(each, Relaxed);
            }
        }
    }

    /// A site is there.
    pub(crate) fn add_site(&self) {
        self.host_points.fetch_add(POINT, Relaxed);
    }

    /// How many of so many pages a site should give.
    pub(crate) fn share_of(&self, site: &Site, pages_max: u64) -> u64 {
        let points = POINT + self.hosts.get(xxh3_64(site.as_str().as_bytes()));
        let all = self.host_points.load(Relaxed).max(points);
        (u128::from(pages_max) * u128::from(points) / u128::from(all)) as u64
    }
}

impl Importance for RankEstimate {
    fn of(&self, site: &Site, url: &QueuedUrl) -> u64 {
        self.pages.get(url.url(site).fingerprint())
    }
}

/// Points by key, in fixed memory.
#[derive(Debug)]
struct PointTables {
    rows: [Box<[AtomicU32]>; 2],
}

impl PointTables {
    fn new(memory_bytes: usize) -> Self {
        let places = (memory_bytes / 2 / size_of::<AtomicU32>()).max(1024).next_power_of_two() / 2;
        let row = || (0..places).map(|_| AtomicU32::new(0)).collect();
        Self { rows: [row(), row()] }
    }

    /// The places of a key: the two halves of its print.
    fn places(&self, print: u64) -> [&AtomicU32; 2] {
        let halves = [print as u32, (print >> 32) as u32];
        std::array::from_fn(|row| &self.rows[row][halves[row] as usize & (self.rows[row].len() - 1)])
    }

    fn get(&self, print: u64) -> u64 {
        let points = self.places(print).map(|place| place.load(Relaxed));
        u64::from(points[0].min(points[1]))
    }

    fn add(&self, print: u64, points: u64) {
        let points = u32::try_from(points).unwrap_or(u32::MAX);
        for place in self.places(print) {
            // Who has a million points stays there.
            let _ = place.fetch_update(Relaxed, Relaxed, |before| Some(before.saturating_add(points)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CrawlConfig, Scope};

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    fn link(target: &str, kind: LinkKind, nofollow: bool) -> Link {
        Link { nofollow, ..Link::bare(url(target), kind) }
    }

    #[test]
    fn a_page_shares_what_it_has_among_its_links_and_a_redirect_hands_it_on() {
        let ranks = RankEstimate::new(1 << 20);
        let admission = Admission::new(&CrawlConfig { scope: Scope::All, ..CrawlConfig::default() });
        let anchor = |target| link(target, LinkKind::Anchor, false);
        let home = [
            anchor("http://a.test/1"),
            anchor("http://a.test/1"),
            anchor("http://b.test/"),
            anchor("http://a.test/"),
            link("http://a.test/hidden", LinkKind::Anchor, true),
            link("http://a.test/listed", LinkKind::Sitemap, false),
        ];
        ranks.see(&url("http://a.test/"), 0, &home, &admission);
        ranks.see(
            &url("http://b.test/"),
            1,
            &[link("http://a.test/new", LinkKind::Redirect, false)],
            &admission,
        );
        ranks.see(&url("http://a.test/1"), 1, &[anchor("http://a.test/2")], &admission);
        let half = POINT * 85 / 100 / 2;
        let expected = [
            ("http://a.test/", 0),
            ("http://a.test/1", half),
            ("http://b.test/", half),
            ("http://a.test/hidden", 0),
            ("http://a.test/listed", 0),
            ("http://a.test/new", half),
            ("http://a.test/2", (POINT + half) * 85 / 100),
        ];
        for (text, points) in expected {
            let url = url(text);
            assert_eq!(ranks.of(&url.site(), &QueuedUrl::new(0, 0, &url)), points, "{text}");
        }
    }

    #[test]
    fn shares_follow_links_from_other_hosts_and_add_up() {
        let ranks = RankEstimate::new(1 << 20);
        let admission = Admission::new(&CrawlConfig { scope: Scope::All, ..CrawlConfig::default() });
        (0..3).for_each(|_| ranks.add_site());
        let anchor = |target| link(target, LinkKind::Anchor, false);
        for page in 0..40 {
            let page = url(&format!("http://a.test/{page}"));
            ranks.see(&page, 0, &[anchor("http://a.test/"), anchor("http://b.test/")], &admission);
        }
        let shares =
            ["a", "b", "c"].map(|name| ranks.share_of(&url(&format!("http://{name}.test/")).site(), 1000));
        // b has 1 + 40 · 0.85 / 2 points of 20, the others one each.
        assert_eq!(shares, [50, 899, 50]);
    }

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
}
