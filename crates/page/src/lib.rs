//! What travels? The nouns of a crawl, without IO and without threads.
//!
//! A [`PageUrl`] falls through the sieve onto the frontier, is fetched into a [`Fetched`], read into a
//! [`Document`] with its [`Link`]s, and kept. Its numbers have types ([`PageKey`], [`DocId`], …). Every other crate speaks in these types; this one knows nobody.
//!
//! ```
//! use page::PageUrl;
//!
//! let base = PageUrl::parse("http://Example.org/a/b.html#top").unwrap();
//! assert_eq!(base.as_str(), "http://example.org/a/b.html");
//! assert_eq!(base.join("../c?x=1").unwrap().as_str(), "http://example.org/c?x=1");
//! assert_eq!(base.site().as_str(), "http://example.org");
//! ```
#![forbid(unsafe_code)]

mod counted;
mod document;
mod domain;
mod fetched;
mod identity;
mod outline;
mod page_url;
mod size;
mod text_print;
mod time;

pub use counted::{counted, thousands};
pub use document::{Document, Link, LinkKind};
pub use domain::registrable_domain;
pub use fetched::{ContentType, FetchFailure, Fetched, Outcome, Response, Truncation};
pub use identity::{DocId, Fingerprint, NodeId, Ordinal, PageKey, RecordNumber, SetId};
pub use outline::{Outline, Span, SpanKind};
pub use page_url::{PageUrl, Site, URL_BYTES_MAX, UrlBase, UrlError};
pub use size::{ParseSizeError, format_bytes, parse_bytes, parse_memory};
pub use text_print::{CopyKind, CopyOf, NearPrint, TextPrint};
pub use time::{Clock, ParseDurationError, SystemClock, Timestamp, parse_duration};
