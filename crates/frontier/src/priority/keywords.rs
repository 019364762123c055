//! Words in the address: those of a topic, wherever they stand in path and query.
//!
//! The weight is two to the number of different words that are found, so that one word more is a band more. Nothing is learnt.

use std::sync::Arc;

use page::Site;

use super::{Means, Priority, PriorityPolicy, Topic};
use crate::QueuedUrl;

/// Addresses with words of the topic first.
pub(super) const KEYWORDS: Priority = Priority {
    name: "keywords",
    help: "Addresses first that have words of --topic in them, the most words first",
    needs_topic: true,
    policy: Some(|means: &Means<'_>| Arc::new(Keywords(means.topic.clone()))),
};

#[derive(Debug)]
struct Keywords(Topic);

impl PriorityPolicy for Keywords {
    fn weight(&self, _: &Site, url: &QueuedUrl) -> u64 {
        (1 << self.0.found_in(&url.path)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Ordinal, PageUrl};

    #[test]
    fn each_word_of_the_topic_that_an_address_has_doubles_its_weight() {
        let policy = Keywords(Topic::new("Rust book, RUST"));
        let rows = [("/", 0), ("/rust-lang", 1), ("/Trust", 1), ("/books/rust?x=rust", 3), ("/boo", 0)];
        for (path, weight) in rows {
            let url = PageUrl::parse(&format!("http://a.test{path}")).unwrap();
            let queued = QueuedUrl::new(Ordinal::new(0), 0, 0, &url);
            assert_eq!(policy.weight(&url.site(), &queued), weight, "{path}");
        }
    }
}
