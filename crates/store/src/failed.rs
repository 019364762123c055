//! Which addresses failed, and why: those that gave no answer, and start addresses that gave no page.
//!
//! A dead link somewhere on the web is an ordinary answer. A start address is different: somebody named it and waits
//! for its pages, so whatever is not one is a failure. What failed is tried again by the next run, and an address that
//! was had then has not failed any more; so the last record of an address decides.

use std::collections::HashMap;
use std::fmt;

use page::{FetchFailure, Fingerprint, PageUrl, Timestamp};

use crate::{Error, PageRecord, RecordKind, StoreReader};

/// Why there is no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyFailed {
    /// There is no answer.
    NoAnswer(FetchFailure),
    /// The answer to a start address is no page, and leads to none.
    Status(u16),
    /// robots.txt forbids a start address.
    Forbidden,
}

impl fmt::Display for WhyFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer(failure) => f.write_str(failure.as_str()),
            Self::Status(status @ 300..400) => write!(f, "HTTP {status}, which leads nowhere"),
            Self::Status(status) => write!(f, "HTTP {status}"),
            Self::Forbidden => f.write_str("forbidden by robots.txt"),
        }
    }
}

/// An address that failed and was not had since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAddress {
    /// The address.
    pub url: PageUrl,
    /// Why, when it was tried last.
    pub why: WhyFailed,
    /// When that was.
    pub at: Timestamp,
    /// How many runs have given it up.
    pub tries: u64,
}

impl PageRecord {
    /// Why the address failed, if it did.
    pub fn why_failed(&self) -> Option<WhyFailed> {
        self.why_failed_with(self.links_offset.is_some())
    }

    /// The same for a record whose links are not written yet.
    pub(crate) fn why_failed_with(&self, has_links: bool) -> Option<WhyFailed> {
        // Seeds, and what they redirect to, are no link away from a seed.
        let is_start = self.depth == 0 && self.ordinal.is_some();
        match self.kind {
            RecordKind::Failed => {
                Some(WhyFailed::NoAnswer(self.failure.unwrap_or(FetchFailure::Disconnected)))
            }
            RecordKind::Forbidden if is_start => Some(WhyFailed::Forbidden),
            RecordKind::Fetched if is_start && !self.is_page() && !has_links => {
                Some(WhyFailed::Status(self.status))
            }
            _ => None,
        }
    }
}

impl StoreReader {
    /// All addresses that failed, in the order of their first failure.
    pub fn failed(&self) -> Result<Vec<FailedAddress>, Error> {
        let mut failed: HashMap<Fingerprint, (u64, FailedAddress)> = HashMap::new();
        let (mut pages, mut number) = (self.pages()?, 0);
        while let Some((_, record)) = pages.next()? {
            number += 1;
            let key = record.url.fingerprint();
            let Some(why) = record.why_failed() else {
                // The robots.txt of a site that cannot be reached is no page that was had.
                if record.kind != RecordKind::Robots {
                    failed.remove(&key);
                }
                continue;
            };
            let new = || (number, FailedAddress { url: record.url.clone(), why, at: record.at, tries: 0 });
            let (_, address) = failed.entry(key).or_insert_with(new);
            *address = FailedAddress { url: record.url, why, at: record.at, tries: address.tries + 1 };
        }
        let mut failed: Vec<_> = failed.into_values().collect();
        failed.sort_unstable_by_key(|(number, _)| *number);
        Ok(failed.into_iter().map(|(_, address)| address).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: RecordKind, depth: u16, status: u16) -> PageRecord {
        let url = PageUrl::parse("http://a.test/").unwrap();
        PageRecord {
            ordinal: Some(page::Ordinal::new(0)),
            depth,
            status,
            ..PageRecord::new(kind, url, Timestamp(0))
        }
    }

    #[test]
    fn what_is_a_failure_depends_on_who_named_the_address() {
        let refused = Some(FetchFailure::ConnectionRefused);
        let failed = PageRecord { failure: refused, ..record(RecordKind::Failed, 7, 0) };
        assert_eq!(failed.why_failed().unwrap().to_string(), "connection refused");
        let rows = [
            (RecordKind::Fetched, 200, None),
            (RecordKind::Fetched, 404, Some("HTTP 404")),
            (RecordKind::Fetched, 503, Some("HTTP 503")),
            (RecordKind::Fetched, 302, Some("HTTP 302, which leads nowhere")),
            (RecordKind::Forbidden, 0, Some("forbidden by robots.txt")),
            (RecordKind::Sitemap, 200, None),
        ];
        for (kind, status, expected) in rows {
            let why = record(kind, 0, status).why_failed().map(|why| why.to_string());
            assert_eq!(why.as_deref(), expected, "{kind:?} {status}");
            assert_eq!(
                record(kind, 1, status).why_failed(),
                None,
                "a link that leads to nothing is no failure"
            );
        }
        let leads_on = PageRecord { links_offset: Some(16), ..record(RecordKind::Fetched, 0, 302) };
        assert_eq!(leads_on.why_failed(), None);
        let robots = PageRecord { ordinal: None, ..record(RecordKind::Robots, 0, 404) };
        assert_eq!(robots.why_failed(), None);
    }
}
