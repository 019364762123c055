//! Short addresses first: what stands near the front page of a site is more often what the site is for.
//!
//! An address costs a point for each byte, thirty-two for each folder and sixty-four for a query; its weight falls as the cost
//! grows. Nothing is learnt and nothing kept.

use std::sync::Arc;

use page::Site;

use super::{Priority, PriorityPolicy};
use crate::QueuedUrl;

/// The shortest first.
pub(super) const SHORT: Priority = Priority {
    name: "short",
    help: "Short addresses first: few folders, no query, few letters",
    needs_topic: false,
    policy: Some(|_| Arc::new(Shortness)),
};

#[derive(Debug)]
struct Shortness;

const FOLDER_COST: u64 = 32;
const QUERY_COST: u64 = 64;
/// The weight of an address that costs nothing.
const WEIGHT_MAX: u64 = 1 << 16;

impl PriorityPolicy for Shortness {
    fn weight(&self, _: &Site, url: &QueuedUrl) -> u64 {
        let (path, query) =
            url.path.split_once('?').map_or((&*url.path, None), |(path, query)| (path, Some(query)));
        let folders = path.bytes().filter(|byte| *byte == b'/').count().saturating_sub(1) as u64;
        let query_cost = query.map_or(0, |_| QUERY_COST);
        WEIGHT_MAX / (1 + url.path.len() as u64 + folders * FOLDER_COST + query_cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Ordinal, PageUrl};

    #[test]
    fn fewer_folders_no_query_and_fewer_letters_come_first() {
        let paths = ["/", "/a", "/abc", "/a/", "/a/b", "/a?b=1", "/a/b?c=1", "/a/b/c/d/e"];
        let weights = paths.map(|path| {
            let url = PageUrl::parse(&format!("http://a.test{path}")).unwrap();
            Shortness.weight(&url.site(), &QueuedUrl::new(Ordinal::new(0), 0, 0, &url))
        });
        assert!(weights.is_sorted_by(|before, after| before > after), "{weights:?}");
    }
}
