//! How long a site rests between two requests.

use std::time::Duration;

/// The rules that hold for every site; a site's own robots.txt can only make them longer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolitenessPolicy {
    /// Between the end of one request to a site and the start of the next.
    pub host_delay: Duration,
    /// The same for all sites of one machine.
    pub address_delay: Duration,
    /// A site rests at least this many times as long as its last answer took: slow sites get more rest.
    pub rest_ratio: f64,
}

impl Default for PolitenessPolicy {
    fn default() -> Self {
        Self { host_delay: Duration::from_secs(4), address_delay: Duration::from_secs(4), rest_ratio: 0.0 }
    }
}

impl PolitenessPolicy {
    /// How long a site rests after an answer that took `elapsed`; `site_delay` is what the site itself asks for.
    pub fn site_rest(&self, elapsed: Duration, site_delay: Duration) -> Duration {
        self.host_delay.max(site_delay).max(elapsed.mul_f64(self.rest_ratio))
    }

    /// How long the machine rests after an answer that took `elapsed`.
    pub fn address_rest(&self, elapsed: Duration) -> Duration {
        self.address_delay.max(elapsed.mul_f64(self.rest_ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_all_rests_holds() {
        let seconds = Duration::from_secs;
        let policy = PolitenessPolicy { host_delay: seconds(4), address_delay: seconds(1), rest_ratio: 2.0 };
        let cases = [(0, 0, 4, 1), (0, 10, 10, 1), (3, 0, 6, 6), (3, 30, 30, 6), (1, 1, 4, 2)];
        for (elapsed, crawl_delay, site, address) in cases {
            assert_eq!(policy.site_rest(seconds(elapsed), seconds(crawl_delay)), seconds(site));
            assert_eq!(policy.address_rest(seconds(elapsed)), seconds(address));
        }
    }
}
