//! What a worker knows about a site beside its queue: its rules, its connection, and how it behaves.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use fetch::{Connection, RobotsRules, retry_after};
use frontier::{Kept, Slot};
use journal::{FieldReader, FieldWriter, Malformed};
use page::{FetchFailure, Outcome, PageUrl, Response, Timestamp};

use crate::guest::Guest;

/// robots.txt is asked for again after a day (RFC 9309, section 2.4).
pub(crate) const ROBOTS_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// An address, and robots.txt, are tried this often before they are given up.
pub(crate) const TRIES_MAX: u8 = 3;

/// A site that failed this often in a row, whatever was asked, is given up as a whole.
const FAILURES_IN_A_ROW_MAX: u32 = 6;

/// A site is left alone at most this long, whatever its `Retry-After` says.
pub(crate) const PAUSE_MAX: Duration = Duration::from_secs(24 * 3600);

/// Longer `Crawl-delay`s are cut to this.
const CRAWL_DELAY_MAX: Duration = Duration::from_secs(3600);

/// After an answer that speaks of trouble (429, 5xx) a site rests at least this long, twice as long after the next one, and
/// so on up to the most.
pub(crate) const ERROR_REST_MIN: Duration = Duration::from_secs(1);
const ERROR_REST_MAX: Duration = Duration::from_secs(16);

/// Does the site want to be crawled?
#[derive(Debug)]
pub(crate) enum Robots {
    /// It has to be asked. The address is that of robots.txt or of what it redirects to, be it on another site.
    Unknown { url: PageUrl, hops: u8, tries: u8 },
    /// It has been asked.
    Known { rules: RobotsRules, at: Timestamp },
    /// It cannot be reached, so nothing may be fetched.
    Closed(FetchFailure),
}

/// One site, as its worker sees it.
#[derive(Debug)]
pub(crate) struct SiteState {
    pub(crate) address: IpAddr,
    pub(crate) robots: Robots,
    pub(crate) connection: Option<Connection>,
    pub(crate) pages_stored: u64,
    /// Other sites whose robots.txt is here.
    pub(crate) guests: VecDeque<Guest>,
    /// What its robots.txt said when it was last read. Until it is read again, that holds.
    crawl_delay: Duration,
    /// The visit that is under way.
    pub(crate) visit: Option<VisitUnderWay>,
    failures_in_a_row: u32,
    /// Answers in a row that spoke of trouble.
    errors_in_a_row: u32,
}

/// Requests that follow each other without a rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisitUnderWay {
    pub(crate) began: Instant,
    /// Where that is written down, if it must be.
    pub(crate) slot: Option<Slot>,
}

impl SiteState {
    pub(crate) fn new(address: IpAddr, robots: Robots, pages_stored: u64) -> Self {
        Self {
            address,
            robots,
            connection: None,
            pages_stored,
            guests: VecDeque::new(),
            crawl_delay: Duration::ZERO,
            visit: None,
            failures_in_a_row: 0,
            errors_in_a_row: 0,
        }
    }

    /// The same site at another address: its robots.txt is asked for there, and its wishes hold until then.
    pub(crate) fn moved_to(&self, address: IpAddr, robots_url: PageUrl) -> Self {
        let unknown = Robots::Unknown { url: robots_url, hops: 0, tries: 0 };
        Self { crawl_delay: self.crawl_delay, ..Self::new(address, unknown, self.pages_stored) }
    }

    /// The sitemaps that its robots.txt names.
    pub(crate) fn sitemaps(&self) -> &[String] {
        match &self.robots {
            Robots::Known { rules, .. } => rules.sitemaps(),
            _ => &[],
        }
    }

    /// The rest that the site itself asks for.
    pub(crate) fn crawl_delay(&self) -> Duration {
        self.crawl_delay
    }

    /// What it asks for from now on.
    pub(crate) fn take_crawl_delay(&mut self, rules: &RobotsRules) {
        self.crawl_delay = rules.crawl_delay().unwrap_or_default().min(CRAWL_DELAY_MAX);
    }

    /// Takes note of how a request ended. Returns how long to leave the site alone, if it is worth another try then.
    pub(crate) fn hear(&mut self, outcome: &Outcome, tries: u8, now: Timestamp) -> Option<Duration> {
        match outcome {
            Outcome::Failed(failure) => self.failed(*failure),
            Outcome::Response(response) => {
                self.failures_in_a_row = 0;
                let is_error = response.status == 429 || response.status >= 500;
                self.errors_in_a_row = if is_error { self.errors_in_a_row + 1 } else { 0 };
                pause_asked_for(response, tries, now)
            }
        }
    }

    /// How long the site rests because its last answers spoke of trouble, whatever they asked for.
    pub(crate) fn error_rest(&self) -> Duration {
        match self.errors_in_a_row {
            0 => Duration::ZERO,
            errors => ERROR_REST_MIN.saturating_mul(1 << (errors - 1).min(31)).min(ERROR_REST_MAX),
        }
    }

    /// Counts a failure. A site that never answers is closed. Returns how long to leave it alone, if that can help.
    fn failed(&mut self, failure: FetchFailure) -> Option<Duration> {
        // A server that answers nonsense is there; one that cannot be spoken to may not be.
        self.failures_in_a_row += u32::from(failure.is_transient() || failure == FetchFailure::Tls);
        if self.failures_in_a_row >= FAILURES_IN_A_ROW_MAX {
            self.robots = Robots::Closed(failure);
        }
        failure.is_transient().then(|| backoff(self.failures_in_a_row))
    }
}

/// A site whose turn is far away goes to disk without its connection, its guests and a visit: it has none of them then.
impl Kept for SiteState {
    fn may_leave(&self) -> bool {
        self.connection.is_none() && self.guests.is_empty() && self.visit.is_none()
    }

    fn memory_bytes(&self) -> usize {
        match &self.robots {
            Robots::Unknown { url, .. } => url.as_str().len(),
            Robots::Known { rules, .. } => rules.memory_bytes(),
            Robots::Closed(_) => 0,
        }
    }

    fn encode(&self, fields: &mut FieldWriter) {
        match self.address {
            IpAddr::V4(address) => fields.bytes(&address.octets()),
            IpAddr::V6(address) => fields.bytes(&address.octets()),
        };
        match &self.robots {
            Robots::Unknown { url, hops, tries } => {
                fields.number(0).text(url.as_str()).number((*hops).into()).number((*tries).into())
            }
            Robots::Known { rules, at } => fields.number(1).bytes(&rules.pack()).number(at.0),
            Robots::Closed(failure) => fields.number(2).number(*failure as u64),
        };
        let crawl_delay = u64::try_from(self.crawl_delay.as_nanos()).unwrap_or(u64::MAX);
        fields.number(self.pages_stored).number(crawl_delay);
        fields.number(self.failures_in_a_row.into()).number(self.errors_in_a_row.into());
    }

    fn decode(fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let address = fields.bytes()?;
        let address = match (<[u8; 4]>::try_from(address), <[u8; 16]>::try_from(address)) {
            (Ok(octets), _) => IpAddr::from(octets),
            (_, Ok(octets)) => IpAddr::from(octets),
            _ => return Err(Malformed),
        };
        let robots = match fields.number()? {
            0 => {
                let url = PageUrl::from_normalised(fields.text()?).map_err(|_| Malformed)?;
                Robots::Unknown { url, hops: fields.small()?, tries: fields.small()? }
            }
            1 => {
                let rules = RobotsRules::unpack(fields.bytes()?).ok_or(Malformed)?;
                Robots::Known { rules, at: Timestamp(fields.number()?) }
            }
            _ => Robots::Closed(FetchFailure::from_number(fields.small()?).ok_or(Malformed)?),
        };
        let pages_stored = fields.number()?;
        Ok(Self {
            crawl_delay: Duration::from_nanos(fields.number()?),
            failures_in_a_row: fields.small()?,
            errors_in_a_row: fields.small()?,
            ..Self::new(address, robots, pages_stored)
        })
    }
}

/// 429 and 503 ask for a pause, with or without saying how long.
fn pause_asked_for(response: &Response, tries: u8, now: Timestamp) -> Option<Duration> {
    matches!(response.status, 429 | 503).then(|| {
        let asked = retry_after(response, now);
        asked.unwrap_or_else(|| backoff(u32::from(tries) + 1)).min(PAUSE_MAX)
    })
}

/// One second, then four, sixteen, …, at most a quarter of an hour.
pub(crate) fn backoff(failures: u32) -> Duration {
    Duration::from_secs(4u64.saturating_pow(failures.saturating_sub(1)).min(900))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_never_answers_is_closed() {
        let url = PageUrl::parse("http://a.test/robots.txt").unwrap();
        let unknown = Robots::Unknown { url, hops: 0, tries: 0 };
        let mut site = SiteState::new([127, 0, 0, 1].into(), unknown, 0);
        let rests: Vec<u64> =
            (0..6).map(|_| site.failed(FetchFailure::TimedOut).unwrap().as_secs()).collect();
        assert_eq!(rests, [1, 4, 16, 64, 256, 900]);
        assert!(matches!(site.robots, Robots::Closed(FetchFailure::TimedOut)));
    }

    #[test]
    fn a_site_in_trouble_rests_longer_and_longer_until_it_answers_well() {
        let url = PageUrl::parse("http://a.test/robots.txt").unwrap();
        let unknown = Robots::Unknown { url, hops: 0, tries: 0 };
        let mut site = SiteState::new([127, 0, 0, 1].into(), unknown, 0);
        let mut rest_after = |status| {
            let answer = Outcome::Response(Response { status, ..Response::default() });
            site.hear(&answer, 0, Timestamp(0));
            site.error_rest().as_secs()
        };
        let statuses = [200, 500, 502, 429, 503, 500, 500, 404, 500];
        assert_eq!(statuses.map(&mut rest_after), [0, 1, 2, 4, 8, 16, 16, 0, 1]);
    }

    fn unknown_site() -> SiteState {
        let url = PageUrl::parse("http://a.test/robots.txt").unwrap();
        SiteState::new([127, 0, 0, 1].into(), Robots::Unknown { url, hops: 0, tries: 0 }, 0)
    }

    #[test]
    fn a_crawl_delay_counts_up_to_an_hour() {
        let mut site = unknown_site();
        for (asked, seconds) in [("7", 7), ("3600", 3600), ("3601", 3600), ("99999999", 3600)] {
            let robots = format!("User-agent: *\nCrawl-delay: {asked}");
            site.take_crawl_delay(&RobotsRules::parse(robots.as_bytes(), "x"));
            assert_eq!(site.crawl_delay(), Duration::from_secs(seconds), "{asked}");
        }
    }

    #[test]
    fn a_pause_counts_up_to_a_day() {
        for (asked, seconds) in [("7", 7), ("86400", 86_400), ("86401", 86_400), ("99999999999", 86_400)] {
            let headers = vec![("retry-after".to_owned(), asked.to_owned())];
            let answer = Outcome::Response(Response { status: 503, headers, ..Response::default() });
            let pause = unknown_site().hear(&answer, 0, Timestamp(0));
            assert_eq!(pause, Some(Duration::from_secs(seconds)), "{asked}");
        }
    }

    #[test]
    fn what_is_known_of_a_site_comes_back_from_disk() {
        let url = PageUrl::parse("http://elsewhere.test/robots.txt").unwrap();
        let rules = RobotsRules::parse(b"User-agent: *\nDisallow: /a\nCrawl-delay: 7", "x");
        let robots = [
            Robots::Unknown { url, hops: 2, tries: 1 },
            Robots::Known { rules: rules.clone(), at: Timestamp(12_345) },
            Robots::Closed(FetchFailure::Unreachable),
        ];
        for (robots, address) in robots.into_iter().zip(["127.0.0.1", "::1", "10.1.2.3"]) {
            let mut site = SiteState::new(address.parse().unwrap(), robots, 77);
            site.take_crawl_delay(&rules);
            (site.failures_in_a_row, site.errors_in_a_row) = (3, 4);
            assert!(site.may_leave());
            let mut fields = FieldWriter::new();
            site.encode(&mut fields);
            let mut fields = FieldReader::new(fields.as_bytes());
            let back = SiteState::decode(&mut fields).unwrap();
            assert!(fields.is_empty());
            assert_eq!(format!("{back:?}"), format!("{site:?}"));
            site.visit = Some(VisitUnderWay { began: Instant::now(), slot: None });
            assert!(!site.may_leave(), "a visit cannot be written down");
        }
    }

    #[test]
    fn a_site_that_answers_now_and_then_is_not_closed() {
        let url = PageUrl::parse("http://a.test/robots.txt").unwrap();
        let unknown = Robots::Unknown { url, hops: 0, tries: 0 };
        let mut site = SiteState::new([127, 0, 0, 1].into(), unknown, 0);
        for _ in 0..3 {
            let rests: Vec<u64> =
                (0..3).map(|_| site.failed(FetchFailure::TimedOut).unwrap().as_secs()).collect();
            assert_eq!(rests, [1, 4, 16]);
            let answer = Outcome::Response(Response { status: 200, ..Response::default() });
            assert_eq!(site.hear(&answer, 0, Timestamp(0)), None);
        }
        assert!(matches!(site.robots, Robots::Unknown { .. }));
    }
}
