//! Several ways to choose at once: the first decides, and the next among what is about the same to it.
//!
//! About the same are weights of as many bits: to have five links or six matters less than whether the address is short. Four
//! ways fit, with a band of sixteen each.

use std::sync::Arc;

use page::Site;

use super::{PriorityPolicy, SeenPage};
use crate::QueuedUrl;

/// More are not looked at: what would they decide?
pub(super) const WAYS_MAX: usize = 4;

const BAND_BITS: u32 = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Combined(pub(super) Vec<Arc<dyn PriorityPolicy>>);

impl PriorityPolicy for Combined {
    fn weight(&self, site: &Site, url: &QueuedUrl) -> u64 {
        let band = |policy: &Arc<dyn PriorityPolicy>| {
            u64::from((u64::BITS - policy.weight(site, url).leading_zeros()).min((1 << BAND_BITS) - 1))
        };
        // The first decides how many bits the weight has, so that the disk keeps what it decides apart.
        let mut policies = self.0.iter();
        let first = policies.next().map_or(0, band);
        let rest = policies.fold(0, |weight, policy| weight << BAND_BITS | band(policy));
        let rest_bits = BAND_BITS * (self.0.len() as u32).saturating_sub(1);
        if first == 0 { rest } else { (1 << rest_bits | rest) << (first - 1) }
    }

    fn learns_from_pages(&self) -> bool {
        self.0.iter().any(|policy| policy.learns_from_pages())
    }

    fn see_page(&self, page: &SeenPage<'_>) {
        self.0.iter().for_each(|policy| policy.see_page(page));
    }

    fn see_site(&self) {
        self.0.iter().for_each(|policy| policy.see_site());
    }

    fn share_of(&self, site: &Site, pages_max: u64) -> Option<u64> {
        self.0.iter().find_map(|policy| policy.share_of(site, pages_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Ordinal, PageUrl};

    /// The weight is a digit of the address.
    #[derive(Debug)]
    struct Digit(usize);

    impl PriorityPolicy for Digit {
        fn weight(&self, _: &Site, url: &QueuedUrl) -> u64 {
            1 << (url.path.as_bytes()[self.0 + 1] - b'0') >> 1
        }
    }

    #[test]
    fn the_first_decides_and_the_next_among_equals() {
        let ways: [Arc<dyn PriorityPolicy>; 3] = [Arc::new(Digit(0)), Arc::new(Digit(1)), Arc::new(Digit(2))];
        let weight = |path: &str, ways: &[Arc<dyn PriorityPolicy>]| {
            let url = PageUrl::parse(&format!("http://a.test/{path}")).unwrap();
            Combined(ways.to_vec()).weight(&url.site(), &QueuedUrl::new(Ordinal::new(0), 0, 0, &url))
        };
        for count in 1..=3 {
            let mut paths: Vec<String> = (0..1000).map(|number| format!("{number:03}")).collect();
            paths.sort_by_key(|path| weight(path, &ways[..count]));
            let prefixes: Vec<&str> = paths.iter().map(|path| &path[..count]).collect();
            assert!(prefixes.is_sorted(), "{count} ways");
        }
    }
}
