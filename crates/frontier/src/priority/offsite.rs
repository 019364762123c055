//! What other sites link to first: whoever links to himself chooses by other reasons than his readers have.
//!
//! A page that is read gives a point to each distinct address of another registrable domain that it links to. Of a site, the
//! addresses with the most points are next; those that only the site itself names keep the order of arrival behind them.
//!
//! Cost: the memory that it is given ([`super::points`]), two random memory accesses for each link that leads elsewhere and
//! for each question.

use std::sync::Arc;

use page::{Site, registrable_domain};

use super::points::PointTables;
use super::{Means, Priority, PriorityPolicy, SeenPage};
use crate::QueuedUrl;

/// What others name first.
pub(super) const OFFSITE: Priority = Priority {
    name: "offsite",
    help: "What pages of other domains link to first",
    needs_topic: false,
    policy: Some(|means: &Means<'_>| Arc::new(FromElsewhere(PointTables::new(means.memory_bytes)))),
};

#[derive(Debug)]
struct FromElsewhere(PointTables);

impl PriorityPolicy for FromElsewhere {
    fn weight(&self, site: &Site, url: &QueuedUrl) -> u64 {
        self.0.get(url.url(site).fingerprint().get())
    }

    fn learns_from_pages(&self) -> bool {
        true
    }

    fn see_page(&self, page: &SeenPage<'_>) {
        let home = registrable_domain(page.url.host());
        let is_elsewhere = |host: &str| host != page.url.host() && registrable_domain(host) != home;
        let elsewhere = page.links.iter().filter(|link| is_elsewhere(link.target.host()));
        let mut prints: Vec<u64> = elsewhere.map(|link| link.target.fingerprint().get()).collect();
        prints.sort_unstable();
        prints.dedup();
        prints.into_iter().for_each(|print| self.0.add(print, 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Link, LinkKind, Ordinal, PageUrl};

    #[test]
    fn links_of_other_domains_count_once_a_page_and_ones_own_do_not() {
        let policy = FromElsewhere(PointTables::new(1 << 16));
        let url = |text: &str| PageUrl::parse(text).unwrap();
        let targets = [
            "http://b.test/x",
            "http://b.test/x",
            "http://b.test/y",
            "http://www.a.test/z",
            "http://a.test/w",
        ];
        let links = targets.map(|target| Link::bare(url(target), LinkKind::Anchor));
        for page in ["http://a.test/1", "http://a.test/2"] {
            let page = url(page);
            policy.see_page(&SeenPage { url: &page, title: "", links: &links.iter().collect::<Vec<_>>() });
        }
        let weight = |text: &str| {
            let url = url(text);
            policy.weight(&url.site(), &QueuedUrl::new(Ordinal::new(0), 0, 0, &url))
        };
        assert_eq!(targets.map(weight), [2, 2, 2, 0, 0]);
    }
}
