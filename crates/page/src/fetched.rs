//! What came back from a server: an answer, or the reason why there is none. A server that misbehaves is data.

use std::net::SocketAddr;
use std::time::Duration;

use crate::{PageUrl, Timestamp};

/// The result of one request.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// What was asked for.
    pub url: PageUrl,
    /// The machine that was asked.
    pub address: Option<SocketAddr>,
    /// When the request was sent.
    pub at: Timestamp,
    /// How long it took until the last byte.
    pub elapsed: Duration,
    /// The request head as it was sent, for the archive.
    pub request_head: Vec<u8>,
    /// What came of it.
    pub outcome: Outcome,
}

/// An answer or a failure.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The server answered, with whatever status.
    Response(Response),
    /// No usable answer came.
    Failed(FetchFailure),
}

/// An HTTP answer, both as it came over the wire and as it is read.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Status line and headers, byte for byte, with the empty line that ends them.
    pub raw_head: Vec<u8>,
    /// The body byte for byte: chunked and compressed if the server sent it so.
    pub raw_body: Vec<u8>,
    /// The body with chunks joined and compression undone; `None` when that changes nothing.
    pub decoded_body: Option<Vec<u8>>,
    /// Header names in lower case and values, in order.
    pub headers: Vec<(String, String)>,
    /// Set when the body is not the whole body.
    pub truncated: Option<Truncation>,
}

impl Response {
    /// The content: the body with all codings undone.
    pub fn body(&self) -> &[u8] {
        self.decoded_body.as_deref().unwrap_or(&self.raw_body)
    }

    /// The first header of that (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The declared type of the content.
    pub fn content_type(&self) -> ContentType<'_> {
        ContentType(self.header("content-type").unwrap_or(""))
    }

    /// 301, 302, 303, 307 or 308.
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

/// The value of a `Content-Type` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentType<'a>(pub &'a str);

impl<'a> ContentType<'a> {
    /// The type without parameters, as it was written.
    pub fn essence(self) -> &'a str {
        self.0.split(';').next().unwrap_or("").trim()
    }

    /// The `charset` parameter.
    pub fn charset(self) -> Option<&'a str> {
        self.0.split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
        })
    }

    /// HTML or XHTML.
    pub fn is_html(self) -> bool {
        let essence = self.essence();
        essence.eq_ignore_ascii_case("text/html") || essence.eq_ignore_ascii_case("application/xhtml+xml")
    }

    /// Plain text that is worth indexing as it is.
    pub fn is_plain_text(self) -> bool {
        let essence = self.essence();
        essence.eq_ignore_ascii_case("text/plain") || essence.eq_ignore_ascii_case("text/markdown")
    }
}

/// Why a body is incomplete. The names are those of the WARC standard's `WARC-Truncated`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// Larger than we take.
    Length,
    /// Slower than we wait.
    Time,
    /// The connection ended early.
    Disconnect,
    /// It could not be read to its end (broken chunks, damaged compression).
    Unspecified,
}

impl Truncation {
    /// The word that WARC files use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
            Self::Unspecified => "unspecified",
        }
    }
}

/// Why there is no answer. The numbers are written to disk and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FetchFailure {
    /// The host name has no address.
    NameNotFound = 0,
    /// The address is private and the user did not allow it.
    AddressNotAllowed = 1,
    /// Nobody listens there.
    ConnectionRefused = 2,
    /// Connecting, the headers or the whole took too long.
    TimedOut = 3,
    /// The connection ended before an answer.
    Disconnected = 4,
    /// The certificate or the handshake was not acceptable.
    Tls = 5,
    /// The answer was not HTTP, or broke its limits.
    NotHttp = 6,
    /// robots.txt could not be had, so the site counts as closed.
    RobotsUnreachable = 7,
    /// It answered with a redirect, and so did all before it, as often as redirects are followed.
    TooManyRedirects = 8,
    /// No way leads there, or we have no socket left.
    Unreachable = 9,
}

impl FetchFailure {
    /// The failure behind a number from disk.
    pub fn from_number(number: u8) -> Option<Self> {
        use FetchFailure::*;
        [
            NameNotFound,
            AddressNotAllowed,
            ConnectionRefused,
            TimedOut,
            Disconnected,
            Tls,
            NotHttp,
            RobotsUnreachable,
            TooManyRedirects,
            Unreachable,
        ]
        .get(number as usize)
        .copied()
    }

    /// Can it go away by itself? Then it is worth another try.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::TimedOut | Self::Disconnected | Self::ConnectionRefused | Self::Unreachable)
    }

    /// A few words for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NameNotFound => "host name not found",
            Self::AddressNotAllowed => "private address, not allowed",
            Self::ConnectionRefused => "connection refused",
            Self::TimedOut => "timed out",
            Self::Disconnected => "connection lost",
            Self::Tls => "TLS failed",
            Self::NotHttp => "not a valid HTTP answer",
            Self::RobotsUnreachable => "robots.txt unreachable",
            Self::Unreachable => "cannot be reached",
            Self::TooManyRedirects => "more than 5 redirects in a row (10 from a start address)",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_as_servers_write_them() {
        let cases = [
            ("text/html", true, None),
            ("Text/HTML; Charset=\"UTF-8\"", true, Some("UTF-8")),
            ("application/xhtml+xml;charset=x", true, Some("x")),
            ("image/png", false, None),
            ("", false, None),
            ("text/html; charset=", true, None),
        ];
        for (value, html, charset) in cases {
            let content_type = ContentType(value);
            assert_eq!((content_type.is_html(), content_type.charset()), (html, charset), "for {value:?}");
        }
    }
}
