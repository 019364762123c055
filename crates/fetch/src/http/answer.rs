//! From bytes to a [`Response`]: the part that the network and the archive have in common.

use page::{Response, Truncation};

use super::body::BodyReader;
use super::chunks::{ChunkReader, Progress};
use super::head::{Framing, Head, NotHttp, find_head_end, parse_head};
use crate::coding;
use crate::limits::FetchLimits;

/// Interim answers (1xx) before the real one. A server that sends more of them has nothing to say.
const INTERIM_ANSWERS_MAX: usize = 16;
/// Most heads, and small pages with them, fit into a first read of this size. Every fetch that waits for its answer holds
/// that much.
const FIRST_READ_BYTES: usize = 16 << 10;

/// The head of an answer while it is being read.
pub(crate) struct HeadReader<'a> {
    /// Where the next bytes go.
    pub buffer: Vec<u8>,
    limits: &'a FetchLimits,
    head_start: usize,
    /// No empty line ends before here.
    searched: usize,
    interim_count: usize,
}

impl<'a> HeadReader<'a> {
    pub fn new(limits: &'a FetchLimits) -> Self {
        let buffer = Vec::with_capacity(FIRST_READ_BYTES);
        Self { buffer, limits, head_start: 0, searched: 0, interim_count: 0 }
    }

    /// Reads what has come so far; `None` when more is needed. Interim answers are dropped.
    pub fn advance(&mut self) -> Result<Option<Head>, NotHttp> {
        loop {
            self.skip_empty_lines();
            if !begins_like_http(&self.buffer[self.head_start..]) {
                return Err(NotHttp);
            }
            let Some(end) = find_head_end(&self.buffer, self.searched) else {
                // The last three bytes may be the front of what is searched for.
                self.searched = self.buffer.len().saturating_sub(3).max(self.head_start);
                return if self.buffer.len() > self.limits.head_bytes_max { Err(NotHttp) } else { Ok(None) };
            };
            if end > self.limits.head_bytes_max {
                return Err(NotHttp);
            }
            let head = parse_head(&self.buffer[self.head_start..end], self.limits)?;
            self.searched = end;
            match head.status {
                // We never ask for another protocol.
                101 => return Err(NotHttp),
                100..=199 if self.interim_count == INTERIM_ANSWERS_MAX => return Err(NotHttp),
                100..=199 => {
                    self.interim_count += 1;
                    self.head_start = end;
                }
                _ => return Ok(Some(head)),
            }
        }
    }

    /// The bytes of the head that [`advance`](Self::advance) returned.
    pub fn raw_head(&self) -> &[u8] {
        &self.buffer[self.head_start..self.searched]
    }

    /// What has come of the body so far.
    pub fn body_bytes(&self) -> &[u8] {
        &self.buffer[self.searched..]
    }

    /// Some servers end the previous body with an empty line too many.
    fn skip_empty_lines(&mut self) {
        let rest = &self.buffer[self.head_start..];
        self.head_start += rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        self.searched = self.searched.max(self.head_start);
    }
}

/// Tells a greeting of some other protocol at its first bytes, instead of waiting for a head that never ends.
fn begins_like_http(bytes: &[u8]) -> bool {
    bytes.iter().zip(b"HTTP/").all(|(given, expected)| given == expected)
}

/// Puts an answer together from its parts and undoes its codings.
pub(crate) fn finish(
    head: Head,
    raw_head: Vec<u8>,
    body: BodyReader,
    truncated: Option<Truncation>,
    limits: &FetchLimits,
) -> Response {
    let payload = body.chunks.as_ref().map_or(&body.raw, |chunks| &chunks.payload);
    let decoded = coding::decode(&head.codings, payload, limits);
    assemble(head, raw_head, body, truncated, decoded)
}

/// The same with the codings undone already.
pub(crate) fn assemble(
    head: Head,
    raw_head: Vec<u8>,
    body: BodyReader,
    truncated: Option<Truncation>,
    decoded: Option<(Vec<u8>, Option<Truncation>)>,
) -> Response {
    let payload = body.chunks.map(|chunks| chunks.payload);
    let (decoded_body, damage) = match decoded {
        Some((decoded, damage)) => (Some(decoded), damage),
        None => (payload, None),
    };
    Response {
        status: head.status,
        raw_head,
        raw_body: body.raw,
        decoded_body,
        headers: head.headers,
        truncated: truncated.or(damage),
    }
}

/// Reads an answer from archived bytes, with the same code as from the network; `None` when the head is none.
///
/// Archives of other tools often keep the headers of a body that they have already decoded. So a body that is not
/// chunked or not compressed although its head says so is taken as it is.
pub fn decode_stored(raw_head: &[u8], raw_body: &[u8], limits: &FetchLimits) -> Option<Response> {
    let mut head = parse_stored_head(raw_head, limits)?;
    if head.framing == Framing::Chunked && !begins_with_a_chunk(raw_body) {
        head.framing = Framing::UntilClose;
    }
    let bytes_max = raw_body.len();
    let mut body = BodyReader::new(head.framing, bytes_max, raw_body);
    let truncated = match (head.framing, body.advance()) {
        (Framing::Length(length), _) if (bytes_max as u64) < length => Some(Truncation::Disconnect),
        (Framing::Chunked, Progress::More | Progress::TooLong) => Some(Truncation::Disconnect),
        (_, Progress::Broken) => Some(Truncation::Unspecified),
        _ => None,
    };
    Some(finish(head, raw_head.to_vec(), body, truncated, limits))
}

/// Some archives drop the empty line at the end.
fn parse_stored_head(raw_head: &[u8], limits: &FetchLimits) -> Option<Head> {
    match find_head_end(raw_head, 0) {
        Some(end) => parse_head(&raw_head[..end], limits).ok(),
        None => {
            let lines = raw_head.trim_ascii_end();
            parse_head(&[lines, b"\r\n\r\n"].concat(), limits).ok()
        }
    }
}

fn begins_with_a_chunk(raw_body: &[u8]) -> bool {
    let mut chunks = ChunkReader::default();
    let front = &raw_body[..raw_body.len().min(1024)];
    chunks.advance(front) != Progress::Broken || !chunks.payload.is_empty()
}
