//! Who matters, while the crawl still runs: an estimate of ranks in fixed memory.
//!
//! Each page that is read gives a point to each of the distinct pages that it links to; a redirect hands on all that it has
//! received. So the points of a page are how many pages link to it, as far as is known. The points of *hosts* are how many
//! pages of other registrable domains link there, and one for being there: whoever links to himself, from whichever of his
//! hosts, does not get more of the crawl for it.
//!
//! That is the plainest estimate, and it is hard to beat. The part of all PageRank that a fifth of the pages has, chosen one
//! after the other by each estimate, hosts in turn (a simulation on the links of whole webs; PageRank without navigation):
//!
//! ```text
//!                                  breadth   cash   points   PageRank so far   who knows all ranks
//! lab, 12 hosts, three webs         0.396    0.422   0.429        0.437             0.450
//! rust-doc, 32,104 pages, one host  0.438    0.619   0.662        0.619             0.687
//! hollins.edu, 6,012 pages          0.323    0.334   0.363        0.370             0.422
//! ```
//!
//! Cash is what a page has received, handed on to its targets in equal parts: one link from a page with few links outweighs
//! many from pages with many, long before enough is known to say so. PageRank so far is computed anew, on all links that
//! are known, whenever their number has grown by a sixteenth; it needs those links in memory, and loses where cash does.
//! Pages with the same number of points stay in the order of arrival, which is worth something by itself.
//!
//! Points are kept in [tables](super::points) of fixed size, without a lock, and nothing is kept on disk: a restart reads the
//! links of all stored pages again, in their order.
//!
//! Cost: the memory that it is given, a thirty-second of the crawl's; two random memory accesses per link and per question.
//!
//! After Cho, Garcia-Molina, Page, "Efficient crawling through URL ordering" (WWW 1998), where points are called backlink
//! count; cash is from Abiteboul, Preda, Cobena, "Adaptive on-line page importance computation" (WWW 2003).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use page::{Link, LinkKind, Site, registrable_domain};
use xxhash_rust::xxh3::xxh3_64;

use super::points::PointTables;
use super::{Means, Priority, PriorityPolicy, SeenPage};
use crate::QueuedUrl;

/// The best linked first.
pub(super) const RANK: Priority = Priority {
    name: "rank",
    help: "Best linked, as far as is known, first fetched; with --max-pages, hosts get pages by how well they are linked",
    needs_topic: false,
    policy: Some(|means: &Means<'_>| Arc::new(RankEstimate::new(means.memory_bytes))),
};

/// Ranks of addresses and sites as far as links tell.
#[derive(Debug)]
struct RankEstimate {
    pages: PointTables,
    hosts: PointTables,
    /// All points of all sites.
    host_points: AtomicU64,
}

impl RankEstimate {
    fn new(memory_bytes: usize) -> Self {
        Self {
            pages: PointTables::new(memory_bytes / 8 * 7),
            hosts: PointTables::new(memory_bytes / 8),
            host_points: AtomicU64::new(0),
        }
    }
}

/// Does a link lead to somebody else's pages?
fn is_elsewhere(link: &Link, page: &page::PageUrl) -> bool {
    link.target.site_str() != page.site_str()
        && registrable_domain(link.target.host()) != registrable_domain(page.host())
}

impl PriorityPolicy for RankEstimate {
    fn weight(&self, site: &Site, url: &QueuedUrl) -> u64 {
        self.pages.get(url.url(site).fingerprint().get())
    }

    fn learns_from_pages(&self) -> bool {
        true
    }

    /// A page gives points to what it links to.
    fn see_page(&self, seen: &SeenPage<'_>) {
        let SeenPage { url: page, links, .. } = *seen;
        let is_redirect = links.iter().any(|link| link.kind == LinkKind::Redirect);
        let points = if is_redirect { self.pages.get(page.fingerprint().get()) } else { 1 };
        let is_vote = |link: &&&Link| {
            let is_arc = link.kind.is_arc() && !link.nofollow && link.target != *page;
            is_arc || link.kind == LinkKind::Redirect
        };
        let (mut pages, mut hosts) = (Vec::new(), Vec::new());
        for link in links.iter().filter(is_vote) {
            pages.push(link.target.fingerprint().get());
            if is_elsewhere(link, page) {
                hosts.push(xxh3_64(link.target.site_str().as_bytes()));
            }
        }
        for prints in [&mut pages, &mut hosts] {
            prints.sort_unstable();
            prints.dedup();
        }
        pages.into_iter().for_each(|print| self.pages.add(print, points));
        self.host_points.fetch_add(hosts.len() as u64 * points, Relaxed);
        hosts.into_iter().for_each(|print| self.hosts.add(print, points));
    }

    fn see_site(&self) {
        self.host_points.fetch_add(1, Relaxed);
    }

    fn share_of(&self, site: &Site, pages_max: u64) -> Option<u64> {
        let points = 1 + self.hosts.get(xxh3_64(site.as_str().as_bytes()));
        let all = self.host_points.load(Relaxed).max(points);
        Some((u128::from(pages_max) * u128::from(points) / u128::from(all)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::PageUrl;

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    fn link(target: &str, kind: LinkKind, nofollow: bool) -> Link {
        Link { nofollow, ..Link::bare(url(target), kind) }
    }

    #[test]
    fn a_page_gives_a_point_to_each_page_that_it_links_to_and_a_redirect_hands_them_on() {
        let ranks = RankEstimate::new(1 << 20);
        let anchor = |target| link(target, LinkKind::Anchor, false);
        let home = [
            anchor("http://a.test/1"),
            anchor("http://a.test/1"),
            anchor("http://b.test/"),
            anchor("http://a.test/"),
            link("http://a.test/hidden", LinkKind::Anchor, true),
            link("http://a.test/listed", LinkKind::Sitemap, false),
        ];
        let moved = [link("http://a.test/new", LinkKind::Redirect, false)];
        let one = [anchor("http://a.test/2"), anchor("http://b.test/")];
        for (page, links) in [("a.test/", &home[..]), ("a.test/1", &one), ("b.test/", &moved)] {
            let (url, links) = (url(&format!("http://{page}")), links.iter().collect::<Vec<_>>());
            ranks.see_page(&SeenPage { url: &url, title: "", links: &links });
        }
        let expected = [
            ("http://a.test/", 0),
            ("http://a.test/1", 1),
            ("http://a.test/2", 1),
            ("http://b.test/", 2),
            ("http://a.test/hidden", 0),
            ("http://a.test/listed", 0),
            ("http://a.test/new", 2),
        ];
        for (text, points) in expected {
            let url = url(text);
            assert_eq!(
                ranks.weight(&url.site(), &QueuedUrl::new(page::Ordinal::new(0), 0, 0, &url)),
                points,
                "{text}"
            );
        }
    }

    #[test]
    fn shares_follow_links_from_other_hosts_and_add_up() {
        let ranks = RankEstimate::new(1 << 20);
        (0..3).for_each(|_| ranks.see_site());
        let anchor = |target| link(target, LinkKind::Anchor, false);
        for page in 0..40 {
            let page = url(&format!("http://a.test/{page}"));
            let to_b = ["http://b.test/", "http://b.test/other"].map(anchor);
            // His own hosts are no others.
            let to_himself = ["http://a.test/", "http://www.a.test/"].map(anchor);
            let links = [&to_himself, &to_b[..]].concat();
            ranks.see_page(&SeenPage { url: &page, title: "", links: &links.iter().collect::<Vec<_>>() });
        }
        let shares = ["a", "b", "c"]
            .map(|name| ranks.share_of(&url(&format!("http://{name}.test/")).site(), 1000).unwrap());
        // b has 41 points of 43, the others one each.
        assert_eq!(shares, [23, 953, 23]);
    }
}
