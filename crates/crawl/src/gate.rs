//! The shape of an address: does it look like one of those that traps make without end?
//!
//! A server that joins relative links wrongly makes `/a/b/a/b/a/b/…`, a list with filters makes a page for each of their
//! combinations, and a page that carries its own history makes ever longer addresses. Each of these has a sign that can be seen
//! in the address alone, so that whatever follows from it costs neither memory nor disk.
//!
//! Cost: one pass over the address, and eight over the segments of a path that has more of them than may repeat themselves.
//!
//! The limits are those of other crawlers, or looser: Heritrix refuses a path that repeats itself more than twice and keeps
//! 6,000 links of a page, and the default rules of Nutch refuse a segment that comes three times.

use std::fmt;

use page::{PageUrl, URL_BYTES_MAX};

/// Segments that repeat themselves together are looked for up to this many: `/a/b/a/b` has two.
const PERIOD_MAX: usize = 8;

/// What the gate before the sieve lets through, whatever the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateLimits {
    /// Of one page so many different addresses are followed, the first.
    pub links_per_page_max: usize,
    /// Longer addresses are not followed.
    pub url_bytes_max: usize,
    /// Addresses with more parameters in their query are not followed.
    pub parameters_max: usize,
    /// Addresses whose path repeats itself more often, in a row, are not followed.
    pub repeats_max: usize,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self { links_per_page_max: 10_000, url_bytes_max: URL_BYTES_MAX, parameters_max: 16, repeats_max: 3 }
    }
}

/// What is wrong with the shape of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misshape {
    /// It has more bytes than this.
    Long(usize),
    /// Its query has more parameters than this.
    Parameters(usize),
    /// Its path repeats itself more often than this.
    Repeats(usize),
}

impl fmt::Display for Misshape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(max) => write!(f, "it is longer than --max-url-bytes {max}"),
            Self::Parameters(max) => {
                write!(f, "its query has more parameters than --max-url-parameters {max}")
            }
            Self::Repeats(max) => {
                write!(f, "its path repeats itself more often than --max-url-repeats {max}")
            }
        }
    }
}

impl GateLimits {
    /// Finds what is wrong with the shape of an address, if anything is.
    pub fn misshape(&self, url: &PageUrl) -> Option<Misshape> {
        if url.as_str().len() > self.url_bytes_max {
            return Some(Misshape::Long(self.url_bytes_max));
        }
        let (path, query) = url.path_and_query().split_once('?').unwrap_or((url.path_and_query(), ""));
        if !query.is_empty() && query.split('&').count() > self.parameters_max {
            return Some(Misshape::Parameters(self.parameters_max));
        }
        repeats_itself(path, self.repeats_max).then_some(Misshape::Repeats(self.repeats_max))
    }
}

/// Does the same run of segments come more than `max` times in a row?
fn repeats_itself(path: &str, max: usize) -> bool {
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.bytes().filter(|byte| *byte == b'/').count() < max {
        return false;
    }
    let segments: Vec<&str> = path.split('/').collect();
    (1..=PERIOD_MAX).any(|period| {
        // So many segments in a row are each the same as the one a period before.
        let mut alike = 0;
        segments.iter().zip(segments.iter().skip(period)).any(|(before, segment)| {
            alike = if before == segment { alike + 1 } else { 0 };
            alike >= period * max
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_traps_have_are_seen_and_others_are_not() {
        let limits = GateLimits { url_bytes_max: 60, parameters_max: 3, ..GateLimits::default() };
        let rows = [
            ("http://a.test/", None),
            ("http://a.test/a/a/a", None),
            ("http://a.test/a/a/a/a", Some(Misshape::Repeats(3))),
            ("http://a.test/x/a/b/a/b/a/b/c", None),
            ("http://a.test/x/a/b/a/b/a/b/a/b/c", Some(Misshape::Repeats(3))),
            ("http://a.test/a/b/a/c/a/d/a/e/a/f", None),
            ("http://a.test/2026/01/01/01/1", None),
            ("http://a.test/1/2/3/4/1/2/3/4/1/2/3/4/1/2/3", None),
            ("http://a.test/1/2/3/4/1/2/3/4/1/2/3/4/1/2/3/4", Some(Misshape::Repeats(3))),
            ("http://a.test/?a=1&b=2&c=3", None),
            ("http://a.test/?a=1&b=2&c=3&d", Some(Misshape::Parameters(3))),
            ("http://a.test/a&b&c&d&e", None),
            ("http://a.test/?x=/a/a/a/a/a", None),
            ("http://a.test/0123456789012345678901234567890123456789012345", None),
            ("http://a.test/01234567890123456789012345678901234567890123456", Some(Misshape::Long(60))),
        ];
        for (text, expected) in rows {
            assert_eq!(limits.misshape(&PageUrl::parse(text).unwrap()), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn repeats_are_those_that_a_slow_reader_counts(text in "[ab]{1,3}(/[ab]{0,2}){0,14}", max in 1usize..5) {
            let segments: Vec<&str> = text.split('/').collect();
            let times = |start: usize, period: usize| {
                let first = &segments[start..start + period];
                segments[start..].chunks(period).take_while(|run| *run == first).count()
            };
            let most = (1..=PERIOD_MAX.min(segments.len()))
                .flat_map(|period| (0..=segments.len() - period).map(move |start| (start, period)))
                .map(|(start, period)| times(start, period))
                .max()
                .unwrap();
            proptest::prop_assert_eq!(repeats_itself(&format!("/{text}"), max), most > max);
        }
    }
}
