//! Was the crawler polite? An observer that sees every request and forgets almost all of it.
//!
//! It measures from the arrival of one request to the arrival of the next, per host and per IP address, and knows
//! which answers are still under way. A host's delay is the longer of the policy's and its own `Crawl-delay`.
//!
//! Memory: two words of state per host and per address, one bit per page. Time: two uncontended locks per request.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::Serialize;

/// Crawlers count in milliseconds; a gap may be short by one of them.
const GAP_TOLERANCE: Duration = Duration::from_millis(1);
const EXAMPLES_MAX: usize = 10;

/// What is asked of a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditPolicy {
    /// Least time from one request to the next, for one host.
    pub host_delay: Duration,
    /// Least time from one request to the next, for one IP address.
    pub address_delay: Duration,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditReport {
    /// Requests of any kind.
    pub requests: u64,
    /// Hosts that got at least one request.
    pub hosts: u64,
    /// The sum of the five kinds of violation below.
    pub violations: u64,
    /// Requests that came too soon after the one before to the same host.
    pub host_gap_violations: u64,
    /// Requests that came too soon after the one before to the same IP address.
    pub address_gap_violations: u64,
    /// Requests that came while another answer of the same host or IP address was under way.
    pub overlapping: u64,
    /// Requests to hosts that had not been asked for their robots.txt yet.
    pub robots_not_first: u64,
    /// Requests for what robots.txt forbids.
    pub forbidden_hits: u64,
    /// Pages answered with 200 once more. Wasteful, not impolite.
    pub refetched: u64,
    /// Requests for addresses that stand only in comments, scripts and other places where no link is.
    pub phantom_hits: u64,
    /// The shortest time between two requests to one host; none when no host had two.
    pub shortest_host_gap_ms: Option<f64>,
    /// The first few violations, in words.
    pub examples: Vec<String>,
}

/// What the audit has to know of a host.
#[derive(Debug, Clone)]
pub struct AuditedHost {
    /// For the examples.
    pub name: String,
    /// From its robots.txt; zero when there is none.
    pub crawl_delay: Duration,
}

/// What a request asks for, as far as manners go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The robots.txt.
    Robots,
    /// Something that may be asked for.
    Allowed,
    /// Something that robots.txt forbids.
    Forbidden,
    /// Something that no link leads to.
    Phantom,
}

/// The observer.
#[derive(Debug)]
pub struct PolitenessAudit {
    policy: AuditPolicy,
    hosts: Vec<(AuditedHost, Mutex<Watched>)>,
    addresses: Vec<Mutex<Watched>>,
    pages_answered: Vec<AtomicU64>,
    counts: Counts,
    examples: Mutex<Vec<String>>,
}

/// The state of a host or of an IP address.
#[derive(Debug, Default)]
struct Watched {
    last_arrival: Option<Instant>,
    shortest_gap: Option<Duration>,
    under_way: u32,
    robots_asked: bool,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    host_gap: AtomicU64,
    address_gap: AtomicU64,
    overlapping: AtomicU64,
    robots_not_first: AtomicU64,
    forbidden: AtomicU64,
    refetched: AtomicU64,
    phantom: AtomicU64,
}

/// A request under way. Dropping it says that the answer is out.
#[derive(Debug)]
pub struct Visit<'a> {
    audit: &'a PolitenessAudit,
    host: u32,
    address: u32,
}

impl PolitenessAudit {
    /// An observer of these hosts, of IP addresses and of pages that are known by number.
    pub fn new(policy: AuditPolicy, hosts: Vec<AuditedHost>, addresses: u32, pages: u32) -> Self {
        Self {
            policy,
            hosts: hosts.into_iter().map(|host| (host, Mutex::default())).collect(),
            addresses: (0..addresses).map(|_| Mutex::default()).collect(),
            pages_answered: (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            counts: Counts::default(),
            examples: Mutex::default(),
        }
    }

    /// A request has arrived; it is under way until the result is dropped or ended.
    pub fn begin(&self, host: u32, address: u32, path: &str, asked: Asked, at: Instant) -> Visit<'_> {
        self.counts.requests.fetch_add(1, Relaxed);
        let (about, watched_host) = &self.hosts[host as usize];
        let host_delay = self.policy.host_delay.max(about.crawl_delay);
        let mut watched = lock(watched_host);
        let robots_first = watched.robots_asked || asked == Asked::Robots;
        watched.robots_asked |= asked == Asked::Robots;
        let (host_gap, host_busy) = watched.arrive(at);
        drop(watched);
        let (address_gap, address_busy) = lock(&self.addresses[address as usize]).arrive(at);

        let counts = &self.counts;
        let host_short = too_short(host_gap, host_delay);
        let address_short = too_short(address_gap, self.policy.address_delay);
        let findings = [
            (host_short, &counts.host_gap, "too soon for the host", host_gap),
            (address_short, &counts.address_gap, "too soon for the address", address_gap),
            (host_busy || address_busy, &counts.overlapping, "while another answer was under way", None),
            (!robots_first, &counts.robots_not_first, "before robots.txt", None),
            (asked == Asked::Forbidden, &counts.forbidden, "although robots.txt forbids it", None),
        ];
        for (_, count, what, gap) in findings.into_iter().filter(|(wrong, ..)| *wrong) {
            count.fetch_add(1, Relaxed);
            self.remember(&about.name, path, what, gap);
        }
        counts.phantom.fetch_add(u64::from(asked == Asked::Phantom), Relaxed);
        Visit { audit: self, host, address }
    }

    fn remember(&self, host: &str, path: &str, what: &str, gap: Option<Duration>) {
        let mut examples = lock(&self.examples);
        if examples.len() < EXAMPLES_MAX {
            let gap = gap.map(|gap| format!(", {} ms after the one before", gap.as_millis()));
            examples.push(format!("http://{host}{path} was asked for {what}{}", gap.unwrap_or_default()));
        }
    }

    /// What was seen so far.
    pub fn report(&self) -> AuditReport {
        let read = |count: &AtomicU64| count.load(Relaxed);
        let counts = &self.counts;
        let mut report = AuditReport {
            requests: read(&counts.requests),
            hosts: 0,
            violations: 0,
            host_gap_violations: read(&counts.host_gap),
            address_gap_violations: read(&counts.address_gap),
            overlapping: read(&counts.overlapping),
            robots_not_first: read(&counts.robots_not_first),
            forbidden_hits: read(&counts.forbidden),
            refetched: read(&counts.refetched),
            phantom_hits: read(&counts.phantom),
            shortest_host_gap_ms: None,
            examples: lock(&self.examples).clone(),
        };
        report.violations = report.host_gap_violations
            + report.address_gap_violations
            + report.overlapping
            + report.robots_not_first
            + report.forbidden_hits;
        report.hosts = self.hosts.iter().filter(|(_, host)| lock(host).last_arrival.is_some()).count() as u64;
        let shortest = self.hosts.iter().filter_map(|(_, host)| lock(host).shortest_gap).min();
        report.shortest_host_gap_ms = shortest.map(|gap| gap.as_secs_f64() * 1000.0);
        report
    }
}

impl Watched {
    /// The time since the request before, and whether an answer is under way.
    fn arrive(&mut self, at: Instant) -> (Option<Duration>, bool) {
        // Two workers may read the clock in one order and come here in the other: then the gap is zero.
        let gap = self.last_arrival.map(|last| at.saturating_duration_since(last));
        self.last_arrival = Some(self.last_arrival.map_or(at, |last| last.max(at)));
        if let Some(gap) = gap {
            self.shortest_gap = Some(self.shortest_gap.map_or(gap, |shortest| shortest.min(gap)));
        }
        self.under_way += 1;
        (gap, self.under_way > 1)
    }
}

impl Visit<'_> {
    /// The answer is a page, with status 200 and its body.
    pub fn answered_page(&self, page: u32) {
        let bit = 1 << (page % 64);
        let before = self.audit.pages_answered[page as usize / 64].fetch_or(bit, Relaxed);
        if before & bit != 0 {
            self.audit.counts.refetched.fetch_add(1, Relaxed);
        }
    }

    /// The answer is out.
    pub fn end(self) {}
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        lock(&self.audit.hosts[self.host as usize].1).under_way -= 1;
        lock(&self.audit.addresses[self.address as usize]).under_way -= 1;
    }
}

fn too_short(gap: Option<Duration>, delay: Duration) -> bool {
    gap.is_some_and(|gap| gap + GAP_TOLERANCE < delay)
}

/// The audit has no half-done states, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Three hosts, the first two on one address; the last asks for two seconds. One second is the rule.
    fn audit() -> PolitenessAudit {
        let host = |name: &str, crawl_delay| AuditedHost { name: name.to_owned(), crawl_delay };
        let hosts =
            vec![host("a.test", Duration::ZERO), host("b.test", Duration::ZERO), host("c.test", 2 * SECOND)];
        PolitenessAudit::new(AuditPolicy { host_delay: SECOND, address_delay: SECOND }, hosts, 2, 100)
    }

    /// Plays requests (host, what, milliseconds) one after the other, and reports
    /// (violations, host gaps, address gaps, overlaps, robots late, forbidden).
    fn play(requests: &[(u32, Asked, u64)]) -> [u64; 6] {
        let (audit, start) = (audit(), Instant::now());
        for &(host, asked, at_ms) in requests {
            audit.begin(host, host / 2, "/x", asked, start + Duration::from_millis(at_ms)).end();
        }
        let report = audit.report();
        assert_eq!(report.examples.len() as u64, report.violations);
        [
            report.violations,
            report.host_gap_violations,
            report.address_gap_violations,
            report.overlapping,
            report.robots_not_first,
            report.forbidden_hits,
        ]
    }

    #[test]
    fn each_kind_of_violation_is_counted_and_nothing_else() {
        use Asked::*;
        type Case<'a> = (&'a str, &'a [(u32, Asked, u64)], [u64; 6]);
        let cases: [Case; 8] = [
            ("polite", &[(0, Robots, 0), (0, Allowed, 1000), (1, Robots, 2000), (2, Robots, 0)], [0; 6]),
            ("one millisecond early is rounding", &[(0, Robots, 0), (0, Allowed, 999)], [0; 6]),
            ("too soon", &[(0, Robots, 0), (0, Allowed, 900)], [2, 1, 1, 0, 0, 0]),
            ("hosts of one address", &[(0, Robots, 0), (1, Robots, 900)], [1, 0, 1, 0, 0, 0]),
            ("own delay", &[(2, Robots, 0), (2, Allowed, 1500)], [1, 1, 0, 0, 0, 0]),
            ("own delay kept", &[(2, Robots, 0), (2, Allowed, 2000)], [0; 6]),
            ("robots late", &[(0, Allowed, 0), (0, Robots, 1000)], [1, 0, 0, 0, 1, 0]),
            ("forbidden", &[(0, Robots, 0), (0, Forbidden, 1000)], [1, 0, 0, 0, 0, 1]),
        ];
        for (name, requests, expected) in cases {
            assert_eq!(play(requests), expected, "{name}");
        }
    }

    #[test]
    fn two_requests_at_once_overlap_even_when_no_delay_is_asked_for() {
        for second_host in [0, 1] {
            let audit = PolitenessAudit { policy: AuditPolicy::default(), ..audit() };
            let at = Instant::now();
            let first = audit.begin(0, 0, "/robots.txt", Asked::Robots, at);
            let second = audit.begin(second_host, 0, "/robots.txt", Asked::Robots, at);
            second.end();
            first.end();
            audit.begin(0, 0, "/", Asked::Allowed, at).end();
            let report = audit.report();
            assert_eq!((report.overlapping, report.violations), (1, 1), "{:?}", report.examples);
        }
    }

    #[test]
    fn pages_answered_twice_are_counted_but_no_violation() {
        let (audit, start) = (audit(), Instant::now());
        audit.begin(0, 0, "/robots.txt", Asked::Robots, start).end();
        for second in 1..=3 {
            audit.begin(0, 0, "/", Asked::Allowed, start + second * SECOND).answered_page(70);
        }
        let report = audit.report();
        assert_eq!((report.refetched, report.violations, report.requests, report.hosts), (2, 0, 4, 1));
        assert_eq!(report.shortest_host_gap_ms, Some(1000.0));
    }
}
