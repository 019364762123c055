//! Pages of every sort that a store can be given, made from a seed.

use std::io::Write;
use std::time::Duration;

use page::{
    CopyKind, CopyOf, FetchFailure, Fetched, Link, LinkKind, NearPrint, Outcome, PageUrl, RecordNumber,
    Response, TextPrint, Timestamp, Truncation,
};
use store::{NewPage, PageFlags, PageRecord, RecordKind, WarcRecordBuilder};

/// SplitMix64: random enough for tests, and the same everywhere.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// What a store is given.
#[derive(Clone)]
pub struct Sample {
    record: PageRecord,
    content: Content,
    links: Vec<Link>,
}

#[derive(Clone)]
enum Content {
    Nothing,
    Answer(Box<Fetched>),
    File { content_type: &'static str, body: Vec<u8> },
}

/// The sorts of pages, in the order in which they take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Plain,
    Chunked,
    Gzip,
    Truncated,
    Redirect,
    Missing,
    Robots,
    Failed,
    Forbidden,
    Imported,
}

pub const SORTS: [Sort; 10] = [
    Sort::Plain,
    Sort::Chunked,
    Sort::Gzip,
    Sort::Truncated,
    Sort::Redirect,
    Sort::Missing,
    Sort::Robots,
    Sort::Failed,
    Sort::Forbidden,
    Sort::Imported,
];

/// As many pages as asked for, of all sorts.
pub fn samples(seed: u64, count: usize) -> Vec<Sample> {
    let mut rng = Rng(seed);
    (0..count)
        .map(|number| sample(SORTS[rng.below(SORTS.len())], number as u64, &mut rng).printed(number as u64))
        .map(Sample::with_navigation)
        .collect()
}

pub fn sample(sort: Sort, number: u64, rng: &mut Rng) -> Sample {
    let url = url(&format!("http://a.test/{sort:?}/{number}"));
    let kind = match sort {
        Sort::Robots => RecordKind::Robots,
        Sort::Failed => RecordKind::Failed,
        Sort::Forbidden => RecordKind::Forbidden,
        Sort::Imported => RecordKind::Imported,
        _ => RecordKind::Fetched,
    };
    let at = Timestamp(1_700_000_000_000 + number * 1000);
    let ordinal = (sort != Sort::Robots && sort != Sort::Imported).then_some(page::Ordinal::new(number));
    let flags = PageFlags { noindex: number.is_multiple_of(7), truncated: false };
    let record = PageRecord { ordinal, flags, depth: 3, ..PageRecord::new(kind, url.clone(), at) };
    let content = match sort {
        Sort::Forbidden => Content::Nothing,
        Sort::Imported => Content::File { content_type: "text/plain; charset=utf-8", body: words(rng) },
        _ => Content::Answer(Box::new(fetched(sort, url, at, rng))),
    };
    let has_links =
        matches!(sort, Sort::Plain | Sort::Chunked | Sort::Gzip | Sort::Redirect | Sort::Imported);
    let links = if has_links { some_links(rng) } else { Vec::new() };
    Sample { record, content, links }
}

fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

fn words(rng: &mut Rng) -> Vec<u8> {
    let count = rng.below(200);
    (0..count).flat_map(|_| format!("word{} ", rng.below(1000)).into_bytes()).collect()
}

fn some_links(rng: &mut Rng) -> Vec<Link> {
    let count = rng.below(6);
    let link = |rng: &mut Rng| Link {
        target: url(&format!("http://{}.test/path/{}", rng.below(3), rng.below(1000))),
        anchor: ["", "più", "a longer text of a link"][rng.below(3)].to_owned(),
        kind: [LinkKind::Anchor, LinkKind::Frame, LinkKind::Canonical, LinkKind::Redirect][rng.below(4)],
        nofollow: rng.below(2) == 1,
        in_navigation: false,
    };
    (0..count).map(|_| link(rng)).collect()
}

fn fetched(sort: Sort, url: PageUrl, at: Timestamp, rng: &mut Rng) -> Fetched {
    let request_head = format!("GET {} HTTP/1.1\r\nHost: a.test\r\n\r\n", url.path_and_query()).into_bytes();
    let outcome = match sort {
        Sort::Failed => Outcome::Failed(FetchFailure::TimedOut),
        _ => Outcome::Response(response(sort, words(rng))),
    };
    let address = Some(([127, 0, 0, 1], 80).into());
    Fetched { url, address, at, elapsed: Duration::from_millis(rng.next() % 900), request_head, outcome }
}

/// An answer as it comes over the wire.
fn response(sort: Sort, body: Vec<u8>) -> Response {
    let (status, reason) = match sort {
        Sort::Redirect => (301, "Moved Permanently"),
        Sort::Missing => (404, "Not Found"),
        _ => (200, "OK"),
    };
    let mut headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
    let mut header = |name: &str, value: String| headers.push((name.to_owned(), value));
    let (mut raw_body, mut decoded_body, mut truncated) = (body.clone(), None, None);
    match sort {
        Sort::Chunked => {
            header("transfer-encoding", "chunked".into());
            raw_body = chunked(&body);
            decoded_body = Some(body);
        }
        Sort::Gzip => {
            raw_body = gzip(&body);
            decoded_body = Some(body);
            header("content-encoding", "gzip".into());
            header("content-length", raw_body.len().to_string());
        }
        Sort::Truncated => {
            header("content-length", (body.len() + 1000).to_string());
            truncated = Some(Truncation::Disconnect);
        }
        Sort::Redirect => {
            header("location", "/elsewhere".into());
            header("content-length", "0".into());
            raw_body.clear();
        }
        _ => header("content-length", body.len().to_string()),
    }
    let mut raw_head = format!("HTTP/1.1 {status} {reason}\r\n");
    for (name, value) in &headers {
        raw_head.push_str(&format!("{name}: {value}\r\n"));
    }
    raw_head.push_str("\r\n");
    Response { status, raw_head: raw_head.into_bytes(), raw_body, decoded_body, headers, truncated }
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    for chunk in body.chunks(100) {
        wire.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        wire.extend(chunk);
        wire.extend(b"\r\n");
    }
    wire.extend(b"0\r\n\r\n");
    wire
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

impl Sample {
    pub fn new_page(&self, builder: &mut WarcRecordBuilder) -> NewPage {
        let record = self.record.clone();
        match &self.content {
            Content::Nothing => NewPage::bare(record),
            Content::Answer(fetched) => NewPage::fetched(record, fetched, &self.links, builder),
            Content::File { content_type, body } => {
                NewPage::imported(record, content_type, body, &self.links, builder)
            }
        }
    }

    /// The same with what version 2 knows of a page: one in three has a print, one in six is a copy.
    pub fn printed(mut self, number: u64) -> Self {
        let near = NearPrint { simhash: number << 32, check: number << 40 | 7 };
        let near = number.is_multiple_of(2).then_some(near);
        self.record.print =
            number.is_multiple_of(3).then_some(TextPrint { digest: u128::from(number) << 100 | 5, near });
        let kind = if number.is_multiple_of(4) { CopyKind::Near } else { CopyKind::Exact };
        self.record.copy_of =
            number.is_multiple_of(6).then_some(CopyOf { kind, original: RecordNumber::new(16 + number) });
        self
    }

    /// The same with what version 2 of the links knows of them: every other one is navigation.
    pub fn with_navigation(mut self) -> Self {
        self.links.iter_mut().step_by(2).for_each(|link| link.in_navigation = true);
        self
    }

    /// The record that must come back, but for the places.
    pub fn expected_record(&self) -> PageRecord {
        self.new_page(&mut WarcRecordBuilder::new(1)).record().clone()
    }

    /// The bytes that must come back, if any are kept.
    pub fn expected_block(&self) -> Option<Vec<u8>> {
        match &self.content {
            Content::Nothing => None,
            Content::File { body, .. } => Some(body.clone()),
            Content::Answer(fetched) => match &fetched.outcome {
                Outcome::Response(response) => Some([&response.raw_head[..], &response.raw_body].concat()),
                Outcome::Failed(_) => None,
            },
        }
    }

    /// The links that must come back.
    pub fn expected_links(&self) -> Vec<Link> {
        self.links.clone()
    }
}
