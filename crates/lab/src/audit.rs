//! Was the crawler polite? An observer that sees every request and forgets almost all of it.
//!
//! The rules are those that a crawler is told, and nothing is added for good measure:
//!
//! - One request at a time, per host and per IP address.
//! - A visit is one request, or several to one host, each of which follows an answer that ended before the visit was as
//!   old as a visit may become. A host that asks for a `Crawl-delay` has visits of one request, and an error ends a visit.
//! - From the end of a visit to the next passes the rest: the policy's delay, the host's own `Crawl-delay`, or so many
//!   times what the visit took, whichever is longest. IP addresses rest alike.
//! - After 429 or 503 with `Retry-After` a host is left alone for that long, and after any other answer that speaks of
//!   trouble (429, 5xx) at least for the time that the policy names.
//! - robots.txt is the first thing that is asked for; while it answers with 5xx or 429, it is the only thing; and what
//!   it forbids is not asked for at all.
//!
//! Both ends of a rest are seen from here: an answer ends before its last bytes are sent and a request begins after its
//! last bytes have come, so what we measure is never shorter than what the crawler kept; and a visit is never longer.
//! No tolerance is needed.
//!
//! Memory: a few words of state per host and per address, one bit per page. Time: two uncontended locks per request.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::Serialize;

const EXAMPLES_MAX: usize = 10;

/// What is asked of a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AuditPolicy {
    /// Least time from the end of an answer to the next request, for one host.
    pub host_delay: Duration,
    /// Least time from the end of an answer to the next request, for one IP address.
    pub address_delay: Duration,
    /// Host and address rest at least this many times as long as the last visit took.
    pub rest_ratio: f64,
    /// No request of a visit comes after an answer that ended when the visit was older. Zero: a visit is one request.
    pub visit_time: Duration,
    /// Least time from the end of an answer that speaks of trouble to the next request, for one host.
    pub error_rest: Duration,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditReport {
    /// Requests of any kind.
    pub requests: u64,
    /// Hosts that got at least one request.
    pub hosts: u64,
    /// The sum of the eight kinds of violation below.
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
    /// Requests to hosts whose robots.txt could not be had, for anything else.
    pub closed_hits: u64,
    /// Requests to hosts that had asked to be left alone until later.
    pub pause_violations: u64,
    /// Requests to hosts that had answered with an error a moment ago.
    pub error_rest_violations: u64,
    /// Pages answered with 200 once more. Wasteful, not impolite.
    pub refetched: u64,
    /// Requests for addresses that stand only in comments, scripts and other places where no link is.
    pub phantom_hits: u64,
    /// The shortest time from one visit to the next to one host; none when no host had two.
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
    hosts: Vec<WatchedHost>,
    addresses: Vec<Mutex<Watched>>,
    pages_answered: Vec<AtomicU64>,
    counts: Counts,
    examples: Mutex<Vec<String>>,
}

/// A host, and how it is doing.
#[derive(Debug)]
struct WatchedHost {
    about: AuditedHost,
    watched: Mutex<Watched>,
}

/// The state of a host or of an IP address.
#[derive(Debug, Default)]
struct Watched {
    is_known: bool,
    last: Option<LastAnswer>,
    /// When the visit began to which the last request belongs.
    visit_began: Option<Instant>,
    shortest_gap: Option<Duration>,
    under_way: u32,
    /// Of a host: what is known of its robots.txt.
    robots: RobotsState,
    /// Of a host: nothing but robots.txt was answered since it said how long to wait.
    only_robots: bool,
    /// Of a host: it wants to be left alone until then.
    pause_until: Option<Instant>,
}

/// When an answer was out, whose it was, how long the visit had taken until then, and whether it spoke of trouble.
#[derive(Debug, Clone, Copy)]
struct LastAnswer {
    ended: Instant,
    host: u32,
    visit_took: Duration,
    is_error: bool,
    /// It did not say for how long it wants to be left alone.
    is_vague: bool,
}

/// What holds for one request at a host or at an IP address.
#[derive(Debug, Clone, Copy)]
struct Rule {
    delay: Duration,
    rest_ratio: f64,
    visit_time: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RobotsState {
    #[default]
    NotAsked,
    Unreachable,
    Answered,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    host_gap: AtomicU64,
    address_gap: AtomicU64,
    overlapping: AtomicU64,
    robots_not_first: AtomicU64,
    forbidden: AtomicU64,
    closed: AtomicU64,
    pause: AtomicU64,
    error_rest: AtomicU64,
    refetched: AtomicU64,
    phantom: AtomicU64,
}

/// A request under way. Dropping it says that the answer is out.
#[derive(Debug)]
pub struct Visit<'a> {
    audit: &'a PolitenessAudit,
    host: u32,
    address: u32,
    asked: Asked,
    ended: Option<Instant>,
    answer: Option<Answer>,
}

/// What was answered, as far as manners go.
#[derive(Debug, Clone, Copy)]
struct Answer {
    status: u16,
    retry_after: Option<Duration>,
}

impl PolitenessAudit {
    /// An observer of these hosts, of IP addresses and of pages that are known by number.
    pub fn new(policy: AuditPolicy, hosts: Vec<AuditedHost>, addresses: u32, pages: u32) -> Self {
        Self {
            policy,
            hosts: hosts.into_iter().map(|about| WatchedHost { about, watched: Mutex::default() }).collect(),
            addresses: (0..addresses).map(|_| Mutex::default()).collect(),
            pages_answered: (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            counts: Counts::default(),
            examples: Mutex::default(),
        }
    }

    /// A request has arrived; it is under way until the result is dropped or ended.
    pub fn begin(&self, host_number: u32, address: u32, path: &str, asked: Asked, at: Instant) -> Visit<'_> {
        self.counts.requests.fetch_add(1, Relaxed);
        let WatchedHost { about, watched } = &self.hosts[host_number as usize];
        let mut watched = lock(watched);
        // A crawler that asks for robots.txt again may have died before it could read what the first answer said.
        let knows_delay = asked != Asked::Robots || !watched.only_robots;
        let own_delay = if knows_delay { about.crawl_delay } else { Duration::ZERO };
        let robots = if asked == Asked::Robots { RobotsState::Answered } else { watched.robots };
        let is_paused = watched.pause_until.is_some_and(|until| at < until);
        let AuditPolicy { host_delay, address_delay, rest_ratio, error_rest, .. } = self.policy;
        let visit_time = if about.crawl_delay.is_zero() { self.policy.visit_time } else { Duration::ZERO };
        let after_error = watched.last.filter(|last| last.is_error && last.is_vague);
        let is_hasty = after_error.is_some_and(|last| at.saturating_duration_since(last.ended) < error_rest);
        let rule = Rule { delay: host_delay.max(own_delay), rest_ratio, visit_time };
        let host = watched.arrive(host_number, at, rule);
        drop(watched);
        let rule = Rule { delay: address_delay, ..rule };
        let on_address = lock(&self.addresses[address as usize]).arrive(host_number, at, rule);

        let counts = &self.counts;
        let is_busy = host.is_busy || on_address.is_busy;
        let is_forbidden = asked == Asked::Forbidden;
        let findings = [
            (host.is_too_soon, &counts.host_gap, "too soon for the host", host.gap),
            (on_address.is_too_soon, &counts.address_gap, "too soon for the address", on_address.gap),
            (is_busy, &counts.overlapping, "while another answer was under way", None),
            (robots == RobotsState::NotAsked, &counts.robots_not_first, "before robots.txt", None),
            (robots == RobotsState::Unreachable, &counts.closed, "although robots.txt is unreachable", None),
            (is_forbidden, &counts.forbidden, "although robots.txt forbids it", None),
            (is_paused, &counts.pause, "before its Retry-After was over", host.gap),
            (is_hasty, &counts.error_rest, "right after an error", host.gap),
        ];
        for (_, count, what, gap) in findings.into_iter().filter(|(wrong, ..)| *wrong) {
            count.fetch_add(1, Relaxed);
            self.remember(&about.name, path, what, gap);
        }
        counts.phantom.fetch_add(u64::from(asked == Asked::Phantom), Relaxed);
        Visit { audit: self, host: host_number, address, asked, ended: None, answer: None }
    }

    fn remember(&self, host: &str, path: &str, what: &str, gap: Option<Duration>) {
        let mut examples = lock(&self.examples);
        if examples.len() < EXAMPLES_MAX {
            let gap = gap.map(|gap| format!(", {} ms after the one before", gap.as_millis()));
            examples.push(format!("http://{host}{path} was asked for {what}{}", gap.unwrap_or_default()));
        }
    }

    /// Whether no request is under way.
    pub fn is_idle(&self) -> bool {
        self.addresses.iter().all(|address| lock(address).under_way == 0)
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
            closed_hits: read(&counts.closed),
            pause_violations: read(&counts.pause),
            error_rest_violations: read(&counts.error_rest),
            refetched: read(&counts.refetched),
            phantom_hits: read(&counts.phantom),
            shortest_host_gap_ms: None,
            examples: lock(&self.examples).clone(),
        };
        report.violations = report.host_gap_violations
            + report.address_gap_violations
            + report.overlapping
            + report.robots_not_first
            + report.forbidden_hits
            + report.closed_hits
            + report.pause_violations
            + report.error_rest_violations;
        report.hosts = self.hosts.iter().filter(|host| lock(&host.watched).is_known).count() as u64;
        let shortest = self.hosts.iter().filter_map(|host| lock(&host.watched).shortest_gap).min();
        report.shortest_host_gap_ms = shortest.map(|gap| gap.as_secs_f64() * 1000.0);
        report
    }
}

/// What is to be said of a request.
struct Arrival {
    gap: Option<Duration>,
    is_too_soon: bool,
    is_busy: bool,
}

impl Watched {
    fn arrive(&mut self, host: u32, at: Instant, rule: Rule) -> Arrival {
        self.is_known = true;
        self.under_way += 1;
        let is_busy = self.under_way > 1;
        let Some(last) = self.last else {
            self.visit_began = Some(at);
            return Arrival { gap: None, is_too_soon: false, is_busy };
        };
        // Two workers may read the clock in one order and come here in the other: then the gap is zero.
        let gap = at.saturating_duration_since(last.ended);
        let has_rested = gap >= rule.delay.max(last.visit_took.mul_f64(rule.rest_ratio));
        let goes_on = last.host == host && !last.is_error && last.visit_took < rule.visit_time;
        // Whoever has rested begins a visit, even if the one before could have gone on.
        if !has_rested && goes_on {
            return Arrival { gap: None, is_too_soon: false, is_busy };
        }
        self.visit_began = Some(at);
        self.shortest_gap = Some(self.shortest_gap.map_or(gap, |shortest| shortest.min(gap)));
        Arrival { gap: Some(gap), is_too_soon: !has_rested, is_busy }
    }

    fn leave(&mut self, host: u32, ended: Instant, answer: Option<Answer>) {
        self.under_way -= 1;
        let visit_took =
            self.visit_began.map_or(Duration::ZERO, |began| ended.saturating_duration_since(began));
        let is_error = answer.is_some_and(|answer| answer.status == 429 || answer.status >= 500);
        let is_vague = answer.is_some_and(|answer| answer.retry_after.is_none());
        self.last = Some(LastAnswer { ended, host, visit_took, is_error, is_vague });
    }

    /// Of a host: learns what a crawler has to learn from an answer.
    fn learn(&mut self, asked: Asked, answer: Answer, ended: Instant) {
        let Answer { status, retry_after } = answer;
        if asked == Asked::Robots {
            let is_unreachable = status == 429 || status >= 500;
            self.robots = if is_unreachable { RobotsState::Unreachable } else { RobotsState::Answered };
        }
        self.only_robots = asked == Asked::Robots;
        if let (429 | 503, Some(pause)) = (status, retry_after) {
            self.pause_until = self.pause_until.max(Some(ended + pause));
        }
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

    /// The answer has this status, and this `Retry-After`. A visit that ends without was not answered.
    pub fn answered(&mut self, status: u16, retry_after: Option<Duration>) {
        self.answer = Some(Answer { status, retry_after });
    }

    /// The answer is out, all but its last bytes.
    pub fn end(self) {}

    /// The same, at a moment that is given.
    pub fn end_at(mut self, moment: Instant) {
        self.ended = Some(moment);
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let ended = self.ended.unwrap_or_else(Instant::now);
        let mut host = lock(&self.audit.hosts[self.host as usize].watched);
        host.leave(self.host, ended, self.answer);
        if let Some(answer) = self.answer {
            host.learn(self.asked, answer, ended);
        }
        drop(host);
        lock(&self.audit.addresses[self.address as usize]).leave(self.host, ended, self.answer);
    }
}

/// The audit has no half-done states, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Asked::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn audit(rest_ratio: f64) -> PolitenessAudit {
        let host = |name: &str, crawl_delay| AuditedHost { name: name.to_owned(), crawl_delay };
        let hosts =
            vec![host("a.test", Duration::ZERO), host("b.test", Duration::ZERO), host("c.test", 2 * SECOND)];
        let policy =
            AuditPolicy { host_delay: SECOND, address_delay: SECOND, rest_ratio, ..AuditPolicy::default() };
        PolitenessAudit::new(policy, hosts, 2, 100)
    }

    /// Host, what is asked for, when it comes, how long it takes (ms), the status; 503 says `Retry-After: 5`.
    type Exchange = (u32, Asked, u64, u64, u16);

    /// Plays requests one after the other to three hosts, the first two on one address; the last asks for two seconds.
    /// One second is the rule, or three times what the answer took. Reports the violations:
    /// host gaps, address gaps, robots late, forbidden, closed, pauses.
    fn play(exchanges: &[Exchange]) -> [u64; 6] {
        let (audit, start) = (audit(3.0), Instant::now());
        for &(host, asked, at_ms, took_ms, status) in exchanges {
            let began = start + Duration::from_millis(at_ms);
            let mut visit = audit.begin(host, host / 2, "/x", asked, began);
            visit.answered(status, (status == 503).then_some(5 * SECOND));
            visit.end_at(began + Duration::from_millis(took_ms));
        }
        let report = audit.report();
        assert_eq!(report.examples.len() as u64, report.violations);
        let kinds = [
            report.host_gap_violations,
            report.address_gap_violations,
            report.robots_not_first,
            report.forbidden_hits,
            report.closed_hits,
            report.pause_violations,
        ];
        assert_eq!(kinds.iter().sum::<u64>() + report.overlapping, report.violations);
        kinds
    }

    #[test]
    fn each_kind_of_violation_is_counted_and_nothing_else() {
        type Case<'a> = (&'a str, &'a [Exchange], [u64; 6]);
        let cases: &[Case] = &[
            (
                "polite",
                &[
                    (0, Robots, 0, 9, 200),
                    (0, Allowed, 1009, 9, 200),
                    (1, Robots, 2018, 9, 404),
                    (2, Robots, 0, 9, 200),
                ],
                [0; 6],
            ),
            (
                "a millisecond is one",
                &[(0, Robots, 0, 0, 200), (0, Allowed, 999, 0, 200)],
                [1, 1, 0, 0, 0, 0],
            ),
            ("from the end", &[(0, Robots, 0, 300, 200), (0, Allowed, 1299, 0, 200)], [1, 1, 0, 0, 0, 0]),
            ("from the end, kept", &[(0, Robots, 0, 300, 200), (0, Allowed, 1300, 0, 200)], [0; 6]),
            ("slow answers", &[(0, Robots, 0, 500, 200), (0, Allowed, 1999, 0, 200)], [1, 1, 0, 0, 0, 0]),
            ("slow answers, kept", &[(0, Robots, 0, 500, 200), (0, Allowed, 2000, 0, 200)], [0; 6]),
            ("hosts of one address", &[(0, Robots, 0, 0, 200), (1, Robots, 900, 0, 200)], [0, 1, 0, 0, 0, 0]),
            ("a slow neighbour", &[(0, Robots, 0, 500, 200), (1, Robots, 1900, 0, 200)], [0, 1, 0, 0, 0, 0]),
            ("own delay", &[(2, Robots, 0, 0, 200), (2, Allowed, 1500, 0, 200)], [1, 0, 0, 0, 0, 0]),
            ("own delay kept", &[(2, Robots, 0, 0, 200), (2, Allowed, 2000, 0, 200)], [0; 6]),
            ("own delay, not read", &[(2, Robots, 0, 0, 200), (2, Robots, 1500, 0, 200)], [0; 6]),
            (
                "own delay, forgotten",
                &[(2, Robots, 0, 0, 200), (2, Allowed, 2000, 0, 200), (2, Robots, 3500, 0, 200)],
                [1, 0, 0, 0, 0, 0],
            ),
            ("robots late", &[(0, Allowed, 0, 0, 200), (0, Robots, 1000, 0, 200)], [0, 0, 1, 0, 0, 0]),
            ("forbidden", &[(0, Robots, 0, 0, 200), (0, Forbidden, 1000, 0, 200)], [0, 0, 0, 1, 0, 0]),
            ("closed", &[(0, Robots, 0, 0, 500), (0, Allowed, 1000, 0, 200)], [0, 0, 0, 0, 1, 0]),
            (
                "closed, then open",
                &[(0, Robots, 0, 0, 500), (0, Robots, 1000, 0, 404), (0, Allowed, 2000, 0, 200)],
                [0; 6],
            ),
            (
                "pause",
                &[(0, Robots, 0, 0, 200), (0, Allowed, 1000, 0, 503), (0, Allowed, 5999, 0, 200)],
                [0, 0, 0, 0, 0, 1],
            ),
            (
                "pause kept, and no concern of the neighbour",
                &[
                    (0, Robots, 0, 0, 200),
                    (0, Allowed, 1000, 0, 503),
                    (1, Robots, 2000, 0, 200),
                    (0, Allowed, 6000, 0, 200),
                ],
                [0; 6],
            ),
            ("pause of robots.txt", &[(0, Robots, 0, 0, 503), (0, Robots, 4000, 0, 200)], [0, 0, 0, 0, 0, 1]),
        ];
        for (name, exchanges, expected) in cases {
            assert_eq!(play(exchanges), *expected, "{name}");
        }
    }

    /// The same exchanges, watched by an audit that knows visits of one second and a rest of two seconds after errors.
    /// Reports host gaps, address gaps, and what came right after an error.
    fn play_visits(exchanges: &[Exchange]) -> [u64; 3] {
        let mut audit = audit(3.0);
        audit.policy = AuditPolicy { visit_time: SECOND, error_rest: 2 * SECOND, ..audit.policy };
        let start = Instant::now();
        for &(host, asked, at_ms, took_ms, status) in exchanges {
            let began = start + Duration::from_millis(at_ms);
            let mut visit = audit.begin(host, host / 2, "/x", asked, began);
            visit.answered(status, None);
            visit.end_at(began + Duration::from_millis(took_ms));
        }
        let report = audit.report();
        let kinds = [report.host_gap_violations, report.address_gap_violations, report.error_rest_violations];
        assert_eq!(kinds.iter().sum::<u64>(), report.violations, "{:?}", report.examples);
        kinds
    }

    #[test]
    fn visits_of_several_requests_are_as_long_as_they_may_be_and_rest_by_what_they_took() {
        let robots = (0, Robots, 0, 10, 200);
        type Case<'a> = (&'a str, &'a [Exchange], [u64; 3]);
        let cases: &[Case] = &[
            ("one after the other", &[robots, (0, Allowed, 11, 900, 200), (0, Allowed, 912, 9, 200)], [0; 3]),
            (
                "the last answer ended when the visit was a second old",
                &[robots, (0, Allowed, 11, 989, 200), (0, Allowed, 1001, 9, 200)],
                [1, 1, 0],
            ),
            (
                "three times what the visit took, not what its last answer took",
                &[robots, (0, Allowed, 11, 990, 200), (0, Allowed, 4003, 9, 200)],
                [1, 1, 0],
            ),
            ("and kept", &[robots, (0, Allowed, 11, 990, 200), (0, Allowed, 4004, 9, 200)], [0; 3]),
            (
                "after a rest a new one begins, though the one before was young",
                &[
                    robots,
                    (0, Allowed, 1010, 10, 200),
                    (0, Allowed, 1021, 900, 200),
                    (0, Allowed, 1922, 9, 200),
                ],
                [0; 3],
            ),
            ("a neighbour has no part in it", &[robots, (1, Robots, 11, 9, 200)], [0, 1, 0]),
            (
                "who asks for a delay has visits of one request",
                &[(2, Robots, 0, 10, 200), (2, Allowed, 11, 10, 200)],
                [1, 1, 0],
            ),
            (
                "an error ends a visit",
                &[robots, (0, Allowed, 11, 9, 500), (0, Allowed, 21, 9, 200)],
                [1, 1, 1],
            ),
            ("and has a rest", &[robots, (0, Allowed, 11, 9, 500), (0, Allowed, 2019, 9, 200)], [0, 0, 1]),
            ("which is kept", &[robots, (0, Allowed, 11, 9, 429), (0, Allowed, 2020, 9, 200)], [0; 3]),
            (
                "what is missing is no error",
                &[robots, (0, Allowed, 11, 9, 404), (0, Allowed, 21, 9, 200)],
                [0; 3],
            ),
        ];
        for (name, exchanges, expected) in cases {
            assert_eq!(play_visits(exchanges), *expected, "{name}");
        }
    }

    #[test]
    fn two_requests_at_once_overlap_even_when_no_delay_is_asked_for() {
        for second_host in [0, 1] {
            let audit = PolitenessAudit { policy: AuditPolicy::default(), ..audit(0.0) };
            let at = Instant::now();
            let mut first = audit.begin(0, 0, "/robots.txt", Robots, at);
            first.answered(200, None);
            let mut second = audit.begin(second_host, 0, "/robots.txt", Robots, at);
            second.answered(200, None);
            second.end_at(at);
            first.end_at(at);
            audit.begin(0, 0, "/", Allowed, at).end_at(at);
            let report = audit.report();
            assert_eq!((report.overlapping, report.violations), (1, 1), "{:?}", report.examples);
        }
    }

    #[test]
    fn pages_answered_twice_are_counted_but_no_violation() {
        let (audit, start) = (audit(0.0), Instant::now());
        let mut robots = audit.begin(0, 0, "/robots.txt", Robots, start);
        robots.answered(404, None);
        robots.end_at(start);
        for second in 1..=3 {
            let visit = audit.begin(0, 0, "/", Allowed, start + second * SECOND);
            visit.answered_page(70);
            visit.end_at(start + second * SECOND);
        }
        let report = audit.report();
        assert_eq!((report.refetched, report.violations, report.requests, report.hosts), (2, 0, 4, 1));
        assert_eq!(report.shortest_host_gap_ms, Some(1000.0));
    }
}
