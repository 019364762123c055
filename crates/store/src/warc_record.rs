//! WARC 1.1 records (ISO 28500:2017) as wget and Heritrix write them and as their readers expect them.
//!
//! Per answer two records, `request` and `response`, that name each other. A block is the HTTP message byte for byte,
//! chunks and compression included, and the payload digest is taken over the bytes behind the head *as they stand in
//! the record*: that is what wget writes and what `warcio check` verifies.

use std::io::Write;

use page::{Fetched, PageUrl, Response, Timestamp};
use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::gzip::append_stored_member;
use crate::{Digest, GzipCompressor};

/// Builds compressed records; keep one per thread.
#[derive(Debug)]
pub struct WarcRecordBuilder {
    compressor: GzipCompressor,
    plain: Vec<u8>,
    /// Makes the record ids of this run different from those of every other.
    salt: u64,
    serial: u64,
}

/// How the bytes of a record become a gzip member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Compressed,
    /// They were compressed by whoever sent them.
    AsItIs,
}

/// Small ones are compressed in any case: most of them is the head.
const STORED_FROM_BYTES: usize = 2 << 10;

/// An answer that became longer when its codings were undone came compressed, whatever its head says.
fn packing_of(response: &Response) -> Packing {
    let sent_bytes = response.raw_body.len();
    if sent_bytes >= STORED_FROM_BYTES && response.body().len() > sent_bytes {
        Packing::AsItIs
    } else {
        Packing::Compressed
    }
}

/// The records of one answer, ready to be appended to a WARC file.
#[derive(Debug)]
pub(crate) struct CompressedPair {
    pub(crate) bytes: Vec<u8>,
    /// Where the second record, the one with the content, starts within `bytes`.
    pub(crate) response_start: usize,
}

impl WarcRecordBuilder {
    /// `level` is that of [`GzipCompressor::new`].
    pub fn new(level: i32) -> Self {
        use std::hash::{BuildHasher, RandomState};
        let salt = RandomState::new().hash_one(0);
        Self { compressor: GzipCompressor::new(level), plain: Vec::new(), salt, serial: 0 }
    }

    /// A `request` and a `response` record.
    pub(crate) fn exchange(
        &mut self,
        fetched: &Fetched,
        response: &Response,
        digest: Digest,
    ) -> CompressedPair {
        let (request_id, response_id) = (self.next_id(&fetched.url), self.next_id(&fetched.url));
        let mut bytes = Vec::with_capacity(fetched.request_head.len() + response.raw_body.len() / 3 + 1024);
        self.start("request", &request_id, &fetched.url, fetched.at);
        self.header_display("WARC-Concurrent-To", format_args!("{response_id}"));
        self.header_display("WARC-Block-Digest", Digest::of(&[&fetched.request_head]));
        let request = [&fetched.request_head[..]];
        self.finish("application/http;msgtype=request", &request, Packing::Compressed, &mut bytes);

        let response_start = bytes.len();
        self.start("response", &response_id, &fetched.url, fetched.at);
        if let Some(address) = fetched.address {
            self.header_display("WARC-IP-Address", address.ip());
        }
        self.header_display("WARC-Concurrent-To", format_args!("{request_id}"));
        self.header_display("WARC-Payload-Digest", digest);
        self.header_display("WARC-Block-Digest", Digest::of(&[&response.raw_head, &response.raw_body]));
        if let Some(truncation) = response.truncated {
            self.header_display("WARC-Truncated", truncation.as_str());
        }
        let block = [&response.raw_head[..], &response.raw_body[..]];
        self.finish("application/http;msgtype=response", &block, packing_of(response), &mut bytes);
        CompressedPair { bytes, response_start }
    }

    /// A `resource` record: a file that came without HTTP.
    pub(crate) fn resource(
        &mut self,
        url: &PageUrl,
        at: Timestamp,
        content_type: &str,
        body: &[u8],
    ) -> CompressedPair {
        let id = self.next_id(url);
        let digest = Digest::of(&[body]);
        self.start("resource", &id, url, at);
        self.header_display("WARC-Payload-Digest", digest);
        self.header_display("WARC-Block-Digest", digest);
        let mut bytes = Vec::new();
        self.finish(content_type, &[body], Packing::Compressed, &mut bytes);
        CompressedPair { bytes, response_start: 0 }
    }

    /// The `warcinfo` record that opens each file.
    pub(crate) fn warcinfo(&mut self, file_name: &str, at: Timestamp) -> Vec<u8> {
        let software = concat!("Crivello/", env!("CARGO_PKG_VERSION"));
        let block = format!(
            "software: {software}\r\nformat: WARC File Format 1.1\r\n\
             conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        );
        self.serial += 1;
        let id = record_id(file_name, self.salt, self.serial);
        self.plain.clear();
        self.plain.extend_from_slice(b"WARC/1.1\r\n");
        self.header_display("WARC-Type", "warcinfo");
        self.header_display("WARC-Record-ID", id);
        self.header_display("WARC-Date", at);
        self.header_display("WARC-Filename", file_name);
        self.header_display("WARC-Block-Digest", Digest::of(&[block.as_bytes()]));
        let mut bytes = Vec::new();
        self.finish("application/warc-fields", &[block.as_bytes()], Packing::Compressed, &mut bytes);
        bytes
    }

    /// A record that stands where another one was, without compression: so many spaces fill it up.
    pub(crate) fn removed(&mut self, kind: &str, reason: &str, filling: usize, at: Timestamp) -> Vec<u8> {
        self.serial += 1;
        let id = record_id(reason, self.salt, self.serial);
        let length = reason.len() + filling;
        let mut record = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {id}\r\nWARC-Date: {at}\r\n\
             Content-Type: application/warc-fields\r\nContent-Length: {length}\r\n\r\n{reason}"
        )
        .into_bytes();
        record.resize(record.len() + filling, b' ');
        record.extend_from_slice(b"\r\n\r\n");
        record
    }

    fn start(&mut self, kind: &str, id: &str, url: &PageUrl, at: Timestamp) {
        self.plain.clear();
        self.plain.extend_from_slice(b"WARC/1.1\r\n");
        self.header_display("WARC-Type", kind);
        self.header_display("WARC-Record-ID", id);
        self.header_display("WARC-Date", at);
        self.header_display("WARC-Target-URI", url);
    }

    fn header_display(&mut self, name: &str, value: impl std::fmt::Display) {
        write!(self.plain, "{name}: {value}\r\n").expect("writing to memory cannot fail");
    }

    fn finish(&mut self, content_type: &str, block: &[&[u8]], packing: Packing, out: &mut Vec<u8>) {
        let length: usize = block.iter().map(|piece| piece.len()).sum();
        self.header_display("Content-Type", content_type);
        self.header_display("Content-Length", length);
        self.plain.extend_from_slice(b"\r\n");
        for piece in block {
            self.plain.extend_from_slice(piece);
        }
        self.plain.extend_from_slice(b"\r\n\r\n");
        match packing {
            Packing::Compressed => self.compressor.append_member(&self.plain, out),
            Packing::AsItIs => append_stored_member(&self.plain, 0, out),
        }
    }

    fn next_id(&mut self, url: &PageUrl) -> String {
        self.serial += 1;
        record_id(url.as_str(), self.salt, self.serial)
    }
}

/// `<urn:uuid:…>`, version 4 in form: 122 bits of a hash that nobody else computes from the same input.
fn record_id(name: &str, salt: u64, serial: u64) -> String {
    let seed = salt ^ serial.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits =
        xxh3_128_with_seed(name.as_bytes(), seed) & !(0xf << 76) & !(0b11 << 62) | 4 << 76 | 0b10 << 62;
    let hex = format!("{bits:032x}");
    format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The head of a WARC record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarcHead {
    /// Names as written and values, in order.
    pub headers: Vec<(String, String)>,
    /// Where the block starts within the record.
    pub block_start: usize,
    /// How long the block is.
    pub block_bytes: usize,
}

impl WarcHead {
    /// Reads the head of an uncompressed record.
    pub fn parse(record: &[u8]) -> Option<Self> {
        let end = record.windows(4).position(|window| window == b"\r\n\r\n")?;
        let text = std::str::from_utf8(&record[..end]).ok()?;
        let mut lines = text.split("\r\n");
        if !lines.next()?.starts_with("WARC/1.") {
            return None;
        }
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned())))
            .collect::<Option<_>>()?;
        let mut head = Self { headers, block_start: end + 4, block_bytes: 0 };
        head.block_bytes = head.header("content-length")?.parse().ok()?;
        (head.block_start.checked_add(head.block_bytes)? <= record.len()).then_some(head)
    }

    /// The value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_ids_are_uuids_and_all_different() {
        let mut ids: Vec<String> = (0..1000).map(|serial| record_id("http://a.test/", 7, serial)).collect();
        assert!(
            ids.iter().all(|id| id.len() == 47 && &id[24..25] == "4" && "89ab".contains(&id[29..30])),
            "{}",
            ids[0]
        );
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 1000);
    }

    /// The records of an answer that was sent as the first, and is the second.
    fn archived(sent: &[u8], decoded: Option<Vec<u8>>) -> CompressedPair {
        let response = Response { raw_body: sent.into(), decoded_body: decoded, ..Response::default() };
        let fetched = Fetched {
            url: PageUrl::parse("http://a.test/").unwrap(),
            address: None,
            at: Timestamp(0),
            elapsed: Default::default(),
            request_head: Vec::new(),
            outcome: page::Outcome::Response(response.clone()),
        };
        WarcRecordBuilder::new(1).exchange(&fetched, &response, Digest::of(&[sent]))
    }

    #[test]
    fn what_came_compressed_is_stored_as_it_is_and_all_else_is_compressed() {
        let (long, short) = (b"crivello ".repeat(1000), b"crivello ".repeat(100));
        let cases = [
            (&long, None, false),
            (&long, Some(long.repeat(2)), true),
            // Chunks make it longer, and so does what only says to be compressed.
            (&long, Some(long[1..].to_vec()), false),
            (&long, Some(long.clone()), false),
            (&short, Some(short.repeat(9)), false),
        ];
        for (sent, decoded, is_stored) in cases {
            let pair = archived(sent, decoded);
            let member = &pair.bytes[pair.response_start..];
            assert_eq!(member.len() > sent.len(), is_stored);
            let record = crate::gzip::decompress_member(member, 1 << 20).unwrap();
            let head = WarcHead::parse(&record).unwrap();
            assert_eq!(&record[head.block_start..][..head.block_bytes], &sent[..]);
        }
    }

    #[test]
    fn heads_that_lie_are_refused() {
        let good = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
        let head = WarcHead::parse(good).unwrap();
        assert_eq!((head.header("warc-type"), head.block_bytes), (Some("response"), 3));
        assert_eq!(&good[head.block_start..head.block_start + 3], b"abc");
        for bad in [
            "",
            "HTTP/1.1 200 OK\r\n\r\n",
            "WARC/1.1\r\nContent-Length: 99\r\n\r\nabc",
            "WARC/1.1\r\nx\r\n\r\n",
        ] {
            assert_eq!(WarcHead::parse(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
