//! The head of an answer: where it ends, what it says, and how the body behind it is delimited.
//!
//! The end of a head is searched for as bytes arrive, each byte once; only then is it parsed, once, by `httparse`
//! with its lenient options on, because servers are what they are and browsers read them. Where leniency would
//! let two readers see different bodies (two different `Content-Length`s) we refuse instead.

use memchr::memchr;
use std::mem::MaybeUninit;

use crate::coding::Coding;
use crate::limits::{FetchLimits, HEADERS_MAX};

/// What the head of an answer says.
#[derive(Debug)]
pub(crate) struct Head {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub framing: Framing,
    /// Undo these, in this order, to get at the content.
    pub codings: Vec<Coding>,
    /// As far as the head says, the connection may carry another request after the body.
    pub reusable: bool,
}

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// There is none, whatever the headers say.
    Empty,
    Length(u64),
    Chunked,
    UntilClose,
}

/// The bytes are not the head of an answer, or not one that can be trusted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotHttp;

/// The offset behind the empty line that ends a head, searching line ends from `from` on.
pub(crate) fn find_head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut line_start = from;
    while let Some(offset) = memchr(b'\n', &bytes[line_start..]) {
        line_start += offset + 1;
        match &bytes[line_start..] {
            [b'\n', ..] => return Some(line_start + 1),
            [b'\r', b'\n', ..] => return Some(line_start + 2),
            _ => {}
        }
    }
    None
}

/// Reads a whole head, up to and including its empty line.
pub(crate) fn parse_head(bytes: &[u8], limits: &FetchLimits) -> Result<Head, NotHttp> {
    let mut table = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let table = &mut table[..limits.headers_max.min(HEADERS_MAX)];
    let mut parsed = httparse::Response::new(&mut []);
    let complete = lenient_parser().parse_response_with_uninit_headers(&mut parsed, bytes, table);
    if !complete.is_ok_and(|status| status.is_complete()) {
        return Err(NotHttp);
    }
    let status = parsed.code.filter(|code| *code >= 100).ok_or(NotHttp)?;
    let is_http_1_1 = parsed.version == Some(1);
    let headers: Vec<_> =
        parsed.headers.iter().map(|header| (lower_case(header.name), text_of(header.value))).collect();
    let mut head =
        Head { status, headers, framing: Framing::Empty, codings: Vec::new(), reusable: is_http_1_1 };
    head.settle_framing(is_http_1_1)?;
    Ok(head)
}

fn lenient_parser() -> httparse::ParserConfig {
    let mut parser = httparse::ParserConfig::default();
    parser
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_space_before_first_header_name(true)
        .ignore_invalid_headers_in_responses(true);
    parser
}

impl Head {
    /// The rules of RFC 9112, section 6.3, for the answer to a GET.
    fn settle_framing(&mut self, is_http_1_1: bool) -> Result<(), NotHttp> {
        if self.list("connection").any(|option| option.eq_ignore_ascii_case("close")) {
            self.reusable = false;
        }
        self.codings = Coding::stack(self.list("content-encoding")).unwrap_or_default();
        let length = self.content_length()?;
        if matches!(self.status, 100..=199 | 204 | 304) {
            self.framing = Framing::Empty;
            return Ok(());
        }
        // Browsers do not believe in chunks of an HTTP/1.0 server: there, the header was left over by some proxy.
        let mut transfer_codings: Vec<&str> =
            self.list("transfer-encoding").filter(|_| is_http_1_1).collect();
        if transfer_codings.iter().all(|coding| coding.eq_ignore_ascii_case("identity")) {
            transfer_codings.clear();
        }
        if transfer_codings.is_empty() {
            self.framing = match length {
                DeclaredLength::Bytes(bytes) => Framing::Length(bytes),
                DeclaredLength::None | DeclaredLength::Unreadable => Framing::UntilClose,
            };
        } else {
            let chunked = transfer_codings.pop_if(|last| last.eq_ignore_ascii_case("chunked")).is_some();
            let below = Coding::stack(transfer_codings.into_iter());
            self.codings.splice(0..0, below.unwrap_or_default());
            self.framing = if chunked { Framing::Chunked } else { Framing::UntilClose };
            // Both lengths at once is how requests are smuggled: read it, but trust nothing behind it.
            self.reusable &= length == DeclaredLength::None;
        }
        self.reusable &= self.framing != Framing::UntilClose;
        Ok(())
    }

    /// The comma-separated elements of all headers of a name.
    fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers
            .iter()
            .filter(move |(key, _)| key == name)
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|element| !element.is_empty())
    }

    /// One length may be said many times; two lengths mean that somebody lies.
    fn content_length(&self) -> Result<DeclaredLength, NotHttp> {
        let mut found = DeclaredLength::None;
        for element in self.list("content-length") {
            let length = if element.bytes().all(|byte| byte.is_ascii_digit()) {
                DeclaredLength::Bytes(element.parse().unwrap_or(u64::MAX))
            } else {
                DeclaredLength::Unreadable
            };
            if found != DeclaredLength::None && found != length {
                return Err(NotHttp);
            }
            found = length;
        }
        Ok(found)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeclaredLength {
    None,
    Bytes(u64),
    /// Not a number. Browsers then read until the connection closes.
    Unreadable,
}

fn lower_case(name: &str) -> String {
    name.trim_end().to_ascii_lowercase()
}

/// A header value as text: UTF-8 if it is that, Latin-1 otherwise, folded lines joined.
fn text_of(value: &[u8]) -> String {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|&byte| char::from(byte)).collect(),
    };
    if !text.contains(['\r', '\n']) {
        return text;
    }
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
