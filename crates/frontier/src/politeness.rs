//! How long a site rests between two visits, and how long a visit is.
//!
//! There are two rules, and both can hold. By the first a site has a *gap* between the end of one request and the start of the
//! next. By the second it has a *ratio*: it is visited on one connection for at most so long, request after request; then
//! what the visit really took is measured, and the site rests so many times as long. So a fast site gives many pages in
//! a visit, a slow one few, and either is busy with us for the same share of its time, 1 / (1 + ratio).
//!
//! After the notes on crawling, "Gestione della politeness": fetch for s, measure s', rest for s' / p, where the ratio is 1 / p.

use std::time::Duration;

/// The rules that hold for every site; a site's own robots.txt can only make them longer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolitenessPolicy {
    /// Between the end of one visit to a site and the start of the next.
    pub host_delay: Duration,
    /// The same for all sites of one machine.
    pub address_delay: Duration,
    /// A site rests at least this many times as long as its last visit took: slow sites get more rest.
    pub rest_ratio: f64,
    /// A visit goes on, request after request, until it is so old. Zero: a visit is one request.
    pub visit_time: Duration,
}

impl Default for PolitenessPolicy {
    fn default() -> Self {
        let delay = Duration::from_secs(4);
        Self { host_delay: delay, address_delay: delay, rest_ratio: 0.0, visit_time: Duration::ZERO }
    }
}

impl PolitenessPolicy {
    /// May a visit that is so old go on? A site that asks for a delay has it between any two requests.
    pub fn goes_on(&self, visit_elapsed: Duration, site_delay: Duration) -> bool {
        visit_elapsed < self.visit_time && site_delay.is_zero()
    }

    /// How long everybody rests whom nobody knows anything of, after a restart. Longer rests are written down, and by the
    /// ratio each rest is another: so that not all of them are, everybody rests for a second.
    pub fn unknown_rest(&self) -> Duration {
        let by_ratio = if self.rest_ratio > 0.0 { Duration::from_secs(1) } else { Duration::ZERO };
        self.host_delay.max(self.address_delay).max(by_ratio)
    }

    /// How long a site rests after a visit that took `elapsed`; `site_delay` is what the site itself asks for.
    pub fn site_rest(&self, elapsed: Duration, site_delay: Duration) -> Duration {
        self.host_delay.max(site_delay).max(elapsed.mul_f64(self.rest_ratio))
    }

    /// How long the machine rests after a visit that took `elapsed`.
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
        let (host_delay, address_delay) = (seconds(4), seconds(1));
        let policy = PolitenessPolicy { host_delay, address_delay, rest_ratio: 2.0, visit_time: seconds(2) };
        let cases = [(0, 0, 4, 1), (0, 10, 10, 1), (3, 0, 6, 6), (3, 30, 30, 6), (1, 1, 4, 2)];
        for (elapsed, crawl_delay, site, address) in cases {
            assert_eq!(policy.site_rest(seconds(elapsed), seconds(crawl_delay)), seconds(site));
            assert_eq!(policy.address_rest(seconds(elapsed)), seconds(address));
        }
    }

    #[test]
    fn a_visit_goes_on_until_it_is_old_enough_and_never_where_a_delay_is_asked_for() {
        let seconds = Duration::from_secs;
        let policy = PolitenessPolicy { visit_time: seconds(2), ..PolitenessPolicy::default() };
        for (elapsed, site_delay, expected) in [(0, 0, true), (1, 0, true), (2, 0, false), (0, 1, false)] {
            assert_eq!(
                policy.goes_on(seconds(elapsed), seconds(site_delay)),
                expected,
                "{elapsed} {site_delay}"
            );
        }
        assert!(
            !PolitenessPolicy::default().goes_on(Duration::ZERO, Duration::ZERO),
            "a visit is one request"
        );
    }
}
