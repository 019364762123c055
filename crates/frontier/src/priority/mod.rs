//! Which address of a site is next: a file for each way to choose, and the list of all of them.
//!
//! A new one is a file beside the others, with its [`Priority`] (the name, the line of help, how it is made), its
//! [`PriorityPolicy`] and its tests, and an entry in [`Priority::ALL`]. The command line, its help and the crawl read that
//! list and know nothing else of it.

mod breadth;
mod combined;
mod keywords;
mod offsite;
mod points;
mod rank;
mod short;
mod topic;
mod topic_words;

use std::sync::Arc;

use page::{Link, PageUrl, Site};

pub use self::topic_words::Topic;

use crate::QueuedUrl;

/// How much an address matters, as far as is known now. It is asked and told from many threads.
///
/// A crawl that is taken up again makes a new policy and shows it all pages of earlier runs, in their order: so nothing
/// of it needs to be on disk.
pub trait PriorityPolicy: std::fmt::Debug + Send + Sync {
    /// Says how much an address matters. More is better; addresses that matter the same are taken in the order of arrival.
    fn weight(&self, site: &Site, url: &QueuedUrl) -> u64;

    /// Says whether it wants to be shown pages. If not, nobody reads the links of earlier runs for it.
    fn learns_from_pages(&self) -> bool {
        false
    }

    /// Is shown a page that was read.
    fn see_page(&self, _page: &SeenPage<'_>) {}

    /// Is told that there is one more site.
    fn see_site(&self) {}

    /// Says how many of so many pages a site should give, if that is not all the same to it.
    fn share_of(&self, _site: &Site, _pages_max: u64) -> Option<u64> {
        None
    }
}

/// A page that was read, as far as it tells which address is next.
#[derive(Debug, Clone, Copy)]
pub struct SeenPage<'a> {
    /// Where it is.
    pub url: &'a PageUrl,
    /// What it is called; empty if it was read by an earlier run.
    pub title: &'a str,
    /// Those of its links that this crawl may follow.
    pub links: &'a [&'a Link],
}

/// What a policy is made with.
#[derive(Debug)]
pub struct Means<'a> {
    /// It may take about so much.
    pub memory_bytes: usize,
    /// What pages should speak of.
    pub topic: &'a Topic,
}

/// Makes a policy.
type MakePolicy = fn(&Means<'_>) -> Arc<dyn PriorityPolicy>;

/// A way to choose, as users name it.
#[derive(Clone, Copy)]
pub struct Priority {
    /// The word on the command line.
    pub name: &'static str,
    /// What it does, in a line of help.
    pub help: &'static str,
    /// It is of no use to whoever names no topic.
    pub needs_topic: bool,
    /// Makes the policy. Without one, addresses are taken in the order of arrival.
    policy: Option<MakePolicy>,
}

impl Priority {
    /// All there are; the first is meant if nothing is said.
    pub const ALL: &'static [Self] =
        &[breadth::BREADTH, rank::RANK, short::SHORT, offsite::OFFSITE, keywords::KEYWORDS, topic::TOPIC];

    /// Finds one by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|priority| priority.name == name).copied()
    }

    /// So many ways can be combined.
    pub const WAYS_MAX: usize = combined::WAYS_MAX;

    /// Makes what chooses by one way, or by several, of which the first decides and the next among what is about the same to
    /// it; nothing if the first to come is the first to go.
    pub fn policy(ways: &[Self], memory_bytes: usize, topic: &Topic) -> Option<Arc<dyn PriorityPolicy>> {
        let made = ways.iter().filter_map(|way| way.policy);
        let means = Means { memory_bytes: memory_bytes / made.clone().count().max(1), topic };
        let mut policies: Vec<Arc<dyn PriorityPolicy>> =
            made.take(Self::WAYS_MAX).map(|make| make(&means)).collect();
        match policies.len() {
            0 | 1 => policies.pop(),
            _ => Some(Arc::new(combined::Combined(policies))),
        }
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl std::fmt::Debug for Priority {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PolitenessPolicy, Workbench};
    use page::{LinkKind, Ordinal};
    use std::time::{Duration, Instant};

    #[test]
    fn each_priority_is_found_by_a_name_of_its_own() {
        for priority in Priority::ALL {
            let found = Priority::named(priority.name).map(|found| found.help);
            assert_eq!(found, Some(priority.help), "{priority:?}");
        }
        assert_eq!(Priority::named("best").map(|priority| priority.name), None);
        assert_eq!(Priority::default().name, "breadth");
    }

    #[test]
    fn whatever_the_priority_none_is_lost_and_none_comes_twice() {
        let alone = Priority::ALL.iter().map(|priority| vec![*priority]);
        for priority in alone.chain([["topic", "short"].map(|name| Priority::named(name).unwrap()).to_vec()])
        {
            let (dir, now) = (tempfile::tempdir().unwrap(), Instant::now());
            let policy = Priority::policy(&priority, 1 << 16, &Topic::new("1 2 3"));
            let rest = PolitenessPolicy { host_delay: Duration::ZERO, ..PolitenessPolicy::default() };
            // Most of the queue is on disk.
            let bench = Workbench::new(rest, &dir.path().join("overflow"), 8 << 10, now).unwrap();
            let mut bench: Workbench<()> = bench.in_order_of(policy.clone());
            let urls: Vec<PageUrl> =
                (0..500).map(|page| PageUrl::parse(&format!("http://a.test/{page}")).unwrap()).collect();
            let site = bench.add_site(urls[0].site(), "127.0.0.1".parse().unwrap(), None, ()).unwrap();
            for (ordinal, url) in (0..).map(Ordinal::new).zip(&urls) {
                bench.push(site, QueuedUrl::new(ordinal, 0, 0, url)).unwrap();
            }
            let mut taken = Vec::new();
            while let Some(url) = bench.take_url(site).unwrap() {
                taken.push(url.ordinal.get());
                // Each links to the one whose number is half of its own.
                let link = Link::bare(urls[url.ordinal.index() / 2].clone(), LinkKind::Anchor);
                let seen = SeenPage { url: &urls[url.ordinal.index()], title: "", links: &[&link] };
                policy.iter().for_each(|policy| policy.see_page(&seen));
            }
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..500), "{priority:?}");
        }
    }
}
