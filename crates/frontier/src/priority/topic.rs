//! Words around the link: what the anchor text, the address and the title of the linking page have of a topic, and what led there.
//!
//! ```text
//! score of a link = 512 × part of the topic's words that anchor and address have
//!                 + 256 × part that the title of the linking page has
//!                 + the score of the linking page / 4
//! ```
//!
//! So a page inherits of the pages that led to it, less with each step, and a good page that only a poor link leads to is found
//! a little later. Of all links to an address the best counts. The score is at most 1024, in [tables](super::points) of fixed
//! size. A restart is shown the links of stored pages again, with their anchors, but not the titles of pages: it knows a little
//! less than a crawl that was never stopped, and learns it anew.
//!
//! Cost: a look for each word of the topic in each anchor and address; two random memory accesses for each link and question.
//!
//! After Hersovici et al., "The shark-search algorithm. An application: tailored Web site mapping" (WWW 1998), who compare
//! vectors of words and look at the text around the anchor, too.

use std::sync::Arc;

use page::Site;

use super::points::PointTables;
use super::{Means, Priority, PriorityPolicy, SeenPage, Topic};
use crate::QueuedUrl;

/// What links speak of the topic first.
pub(super) const TOPIC: Priority = Priority {
    name: "topic",
    help: "Links first that speak of --topic: by their words, their address, and the title and the way of their page",
    needs_topic: true,
    policy: Some(|means: &Means<'_>| {
        Arc::new(Nearness { topic: means.topic.clone(), scores: PointTables::new(means.memory_bytes) })
    }),
};

const OF_LINK: u64 = 512;
const OF_TITLE: u64 = 256;
/// What is left of a page's score for what it links to: a quarter.
const INHERITED: u64 = 4;

#[derive(Debug)]
struct Nearness {
    topic: Topic,
    scores: PointTables,
}

impl Nearness {
    fn share(&self, found: u32, of: u64) -> u64 {
        of * u64::from(found) / u64::from(self.topic.len().max(1))
    }
}

impl PriorityPolicy for Nearness {
    fn weight(&self, site: &Site, url: &QueuedUrl) -> u64 {
        self.scores.get(url.url(site).fingerprint().get())
    }

    fn learns_from_pages(&self) -> bool {
        true
    }

    fn see_page(&self, page: &SeenPage<'_>) {
        let inherited = self.scores.get(page.url.fingerprint().get()) / INHERITED;
        let of_page = inherited + self.share(self.topic.found_in(page.title), OF_TITLE);
        for link in page.links {
            let found = self.topic.found_in_either(&link.anchor, link.target.path_and_query());
            let score = of_page + self.share(found, OF_LINK);
            if score > 0 {
                self.scores.raise(link.target.fingerprint().get(), score);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Link, LinkKind, Ordinal, PageUrl};

    fn url(path: &str) -> PageUrl {
        PageUrl::parse(&format!("http://a.test{path}")).unwrap()
    }

    #[test]
    fn words_of_link_and_title_count_and_what_led_to_the_page_a_little() {
        let policy = Nearness { topic: Topic::new("rust book"), scores: PointTables::new(1 << 16) };
        let link = |path: &str, anchor: &str| Link {
            anchor: anchor.into(),
            ..Link::bare(url(path), LinkKind::Anchor)
        };
        let see = |path: &str, title: &str, links: &[Link]| {
            policy.see_page(&SeenPage { url: &url(path), title, links: &links.iter().collect::<Vec<_>>() });
        };
        see(
            "/",
            "Home",
            &[link("/1", "The Rust Book"), link("/book", "read"), link("/2", "other"), link("/4", "x")],
        );
        see("/1", "The Rust Book", &[link("/3", "other")]);
        see("/2", "Cooking", &[link("/3", "rust"), link("/5", "salt")]);
        let weight =
            |path: &str| policy.weight(&url(path).site(), &QueuedUrl::new(Ordinal::new(0), 0, 0, &url(path)));
        // /3 has the title of /1 and a quarter of its score, which is more than a word of its other link.
        assert_eq!(["/1", "/book", "/2", "/3", "/4", "/5"].map(weight), [512, 256, 0, 384, 0, 0]);
    }
}
