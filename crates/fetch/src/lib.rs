//! Get it: one page over HTTP/1.1, byte for byte, from an address that may be reached and a site that agrees.
//!
//! A host name becomes an address by a [`NameResolver`], behind which an [`AddressGuard`] refuses whatever is not
//! public; [`RobotsRules`] tell whether the site wants to be asked; the [`HttpFetcher`] asks. A server that
//! misbehaves is data: each of its ways to do so ends within the [`FetchLimits`] as a [`page::Fetched`].
//!
//! ```no_run
//! # async fn example() -> Result<(), page::FetchFailure> {
//! use fetch::{AddressGuard, FetchLimits, HttpFetcher, NameResolver, RobotsVerdict, robots_from};
//!
//! let resolver = NameResolver::new(AddressGuard::default());
//! let fetcher = HttpFetcher::new(FetchLimits::default(), "crivello/0.1", std::sync::Arc::new(page::SystemClock));
//! let url = page::PageUrl::parse("http://example.org/a").unwrap();
//! let address = (resolver.resolve(url.host()).await?, url.port()).into();
//! let mut connection = None;
//! let robots = fetcher.fetch(&url.site().robots_url(), address, &mut connection).await;
//! if let RobotsVerdict::Rules(rules) = robots_from(&robots, "crivello")
//!     && rules.allows(url.path_and_query())
//! {
//!     let fetched = fetcher.fetch(&url, address, &mut connection).await;
//! }
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod coding;
mod guard;
mod http;
mod limits;
mod resolver;
mod retry_after;
mod robots;

use std::path::PathBuf;

pub use guard::{AddressGuard, Cidr, ParseCidrError};
pub use http::{Connection, HttpFetcher, LARGE_BODY_BYTES, LargeBodyPermit, decode_stored};
pub use limits::{FetchLimits, HEADERS_MAX};
pub use resolver::NameResolver;
pub use retry_after::retry_after;
pub use robots::{ROBOTS_BYTES_MAX, RobotsRules, RobotsVerdict, robots_from};

/// What can go wrong on our own side.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table of hosts cannot be read.
    #[error("cannot read the table of hosts `{}`: {source}", path.display())]
    ReadTable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line of the table of hosts is not one.
    #[error("{}:{line_number}: expected `address<TAB>host`, found `{line}`", path.display())]
    TableLine {
        /// The file.
        path: PathBuf,
        /// Counted from one.
        line_number: usize,
        /// The line, or its front.
        line: String,
    },
    /// A root certificate cannot be used.
    #[error("not a usable root certificate in DER form: {reason}")]
    RootCertificate {
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::ReadTable { .. } | Self::RootCertificate { .. } => None,
            Self::TableLine { .. } => {
                Some("write an IP address, a tab and the name of a host on each line; `#` begins a comment")
            }
        }
    }
}
