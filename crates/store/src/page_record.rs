//! One line of the page table: what became of an address, and where its bytes are.
//!
//! ```text
//! record = kind flags ordinal+1 url status failure+1 at depth elapsed_ms
//!          content_type body_bytes digest(20)
//!          warc_file+1 [warc_offset warc_bytes]
//!          links_offset+1
//!          print [text_digest(16) [simhash(8) check(8)]]
//!          copy [original]
//! ```
//!
//! All are numbers or strings of [`journal::FieldWriter`]; `+1` leaves 0 for "none". `print` is 0 without text, 1 with
//! the digest alone, 2 with all; `copy` is 0, or the number of a [`CopyKind`], which `original` follows. A record of
//! version 1 ends behind the links: so a table of that version can be gone on with, and its first records stay as they
//! are.

use journal::{FieldReader, FieldWriter, Format, Malformed};
use page::{CopyKind, CopyOf, FetchFailure, NearPrint, Ordinal, PageUrl, RecordNumber, TextPrint, Timestamp};

use crate::Digest;

/// What `pages.tbl` begins with. Version 1 had no prints.
pub const PAGES: Format = Format { magic: *b"CRVPAGES", version: 2 };
/// The first version of it that is still read. It is raised to the last when somebody writes.
pub const PAGES_OLDEST: u32 = 1;

/// What sort of thing a record tells of. The numbers are written to disk and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RecordKind {
    /// An address of the frontier was fetched, with whatever status.
    Fetched = 0,
    /// A robots.txt was fetched.
    Robots = 1,
    /// A sitemap was fetched.
    Sitemap = 2,
    /// No answer could be had.
    Failed = 3,
    /// robots.txt forbids it; it was not asked for.
    Forbidden = 4,
    /// It came from a file, not from a server.
    Imported = 5,
}

impl RecordKind {
    fn from_number(number: u8) -> Option<Self> {
        [Self::Fetched, Self::Robots, Self::Sitemap, Self::Failed, Self::Forbidden, Self::Imported]
            .get(number as usize)
            .copied()
    }
}

/// Properties of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageFlags {
    /// The page asks not to be found.
    pub noindex: bool,
    /// The body is not the whole body.
    pub truncated: bool,
}

/// Where a WARC record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarcPlace {
    /// The number in the file's name.
    pub file: u32,
    /// Where its gzip member starts.
    pub offset: u64,
    /// How long the member is.
    pub bytes: u64,
}

impl WarcPlace {
    /// The first byte behind it.
    pub fn end(self) -> u64 {
        // A place that cannot be, in a record that somebody else wrote, lies behind the end of every file.
        self.offset.saturating_add(self.bytes)
    }
}

/// What became of one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRecord {
    /// What sort of thing this tells of.
    pub kind: RecordKind,
    /// Properties of the page.
    pub flags: PageFlags,
    /// Its number in the frontier's log, which marks it as done there.
    pub ordinal: Option<Ordinal>,
    /// The address.
    pub url: PageUrl,
    /// The HTTP status, 0 without an answer.
    pub status: u16,
    /// Why there is no answer.
    pub failure: Option<FetchFailure>,
    /// When it was asked for.
    pub at: Timestamp,
    /// How many links away from a seed.
    pub depth: u16,
    /// How long the answer took.
    pub elapsed_ms: u32,
    /// The `Content-Type` as the server gave it.
    pub content_type: String,
    /// The length of the content, decoded.
    pub body_bytes: u64,
    /// Of the payload, as in the WARC record.
    pub digest: Digest,
    /// Where the answer is kept.
    pub warc: Option<WarcPlace>,
    /// Where the links are kept in `links.log`.
    pub links_offset: Option<u64>,
    /// What the page says, if it says something. Not known of pages stored by version 1.
    pub print: Option<TextPrint>,
    /// Which page it repeats.
    pub copy_of: Option<CopyOf>,
}

impl PageRecord {
    /// A record about an address of which nothing else is known yet.
    pub fn new(kind: RecordKind, url: PageUrl, at: Timestamp) -> Self {
        Self {
            kind,
            flags: PageFlags::default(),
            ordinal: None,
            url,
            status: 0,
            failure: None,
            at,
            depth: 0,
            elapsed_ms: 0,
            content_type: String::new(),
            body_bytes: 0,
            digest: Digest::default(),
            warc: None,
            links_offset: None,
            print: None,
            copy_of: None,
        }
    }

    /// Is it a page: something with content that a reader could look at?
    pub fn is_page(&self) -> bool {
        matches!(self.kind, RecordKind::Fetched | RecordKind::Imported) && (200..300).contains(&self.status)
    }

    /// Writes the record.
    pub fn encode(&self, out: &mut FieldWriter) {
        let flags = u64::from(self.flags.noindex) | u64::from(self.flags.truncated) << 1;
        out.number(self.kind as u64)
            .number(flags)
            .number(self.ordinal.map_or(0, |ordinal| ordinal.get() + 1));
        out.text(self.url.as_str()).number(u64::from(self.status));
        out.number(self.failure.map_or(0, |failure| failure as u64 + 1));
        out.number(self.at.0).number(u64::from(self.depth)).number(u64::from(self.elapsed_ms));
        out.text(&self.content_type).number(self.body_bytes).fixed(&self.digest.0);
        match self.warc {
            None => out.number(0),
            Some(place) => out.number(u64::from(place.file) + 1).number(place.offset).number(place.bytes),
        };
        out.number(self.links_offset.map_or(0, |offset| offset + 1));
        match self.print {
            None => out.number(0),
            Some(TextPrint { digest, near: None }) => out.number(1).fixed(&digest.to_le_bytes()),
            Some(TextPrint { digest, near: Some(NearPrint { simhash, check }) }) => {
                out.number(2).fixed(&digest.to_le_bytes());
                out.fixed(&simhash.to_le_bytes()).fixed(&check.to_le_bytes())
            }
        };
        match self.copy_of {
            None => out.number(0),
            Some(copy) => out.number(copy.kind as u64).number(copy.original.get()),
        };
    }

    /// Reads a record.
    pub fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(record);
        let kind = RecordKind::from_number(fields.small()?).ok_or(Malformed)?;
        let flags = fields.number()?;
        let ordinal = fields.number()?.checked_sub(1).map(Ordinal::new);
        let url = PageUrl::from_normalised(fields.text()?).map_err(|_| Malformed)?;
        let status = fields.small()?;
        let failure = match fields.small::<u8>()?.checked_sub(1) {
            None => None,
            Some(number) => Some(FetchFailure::from_number(number).ok_or(Malformed)?),
        };
        let version_1 = Self {
            kind,
            flags: PageFlags { noindex: flags & 1 != 0, truncated: flags & 2 != 0 },
            ordinal,
            url,
            status,
            failure,
            at: Timestamp(fields.number()?),
            depth: fields.small()?,
            elapsed_ms: fields.small()?,
            content_type: fields.text()?.to_owned(),
            body_bytes: fields.number()?,
            digest: Digest(fields.fixed()?),
            warc: match fields.small::<u64>()?.checked_sub(1) {
                None => None,
                Some(file) => Some(WarcPlace {
                    file: file.try_into().map_err(|_| Malformed)?,
                    offset: fields.number()?,
                    bytes: fields.number()?,
                }),
            },
            links_offset: fields.number()?.checked_sub(1),
            print: None,
            copy_of: None,
        };
        if fields.is_empty() {
            return Ok(version_1);
        }
        Ok(Self { print: decode_print(&mut fields)?, copy_of: decode_copy(&mut fields)?, ..version_1 })
    }
}

fn decode_print(fields: &mut FieldReader<'_>) -> Result<Option<TextPrint>, Malformed> {
    let parts: u8 = fields.small()?;
    if parts == 0 {
        return Ok(None);
    }
    let digest = u128::from_le_bytes(fields.fixed()?);
    let near = match parts {
        1 => None,
        2 => {
            let simhash = u64::from_le_bytes(fields.fixed()?);
            Some(NearPrint { simhash, check: u64::from_le_bytes(fields.fixed()?) })
        }
        _ => return Err(Malformed),
    };
    Ok(Some(TextPrint { digest, near }))
}

fn decode_copy(fields: &mut FieldReader<'_>) -> Result<Option<CopyOf>, Malformed> {
    let kind = match fields.small::<u8>()? {
        0 => return Ok(None),
        1 => CopyKind::Exact,
        2 => CopyKind::Near,
        _ => return Err(Malformed),
    };
    Ok(Some(CopyOf { kind, original: RecordNumber::new(fields.number()?) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_went() {
        let url = PageUrl::parse("http://a.test/x").unwrap();
        let bare = PageRecord::new(RecordKind::Forbidden, url.clone(), Timestamp(5));
        let full = PageRecord {
            flags: PageFlags { noindex: true, truncated: true },
            ordinal: Some(Ordinal::new(0)),
            status: 200,
            failure: Some(FetchFailure::TimedOut),
            depth: 3,
            elapsed_ms: 70_000,
            content_type: "text/html; charset=utf-8".into(),
            body_bytes: 1 << 40,
            digest: Digest::of(&[b"x"]),
            warc: Some(WarcPlace { file: 0, offset: 1 << 33, bytes: 99 }),
            links_offset: Some(16),
            ..PageRecord::new(RecordKind::Fetched, url, Timestamp(1_794_782_024_123))
        };
        let short = PageRecord { print: Some(TextPrint { digest: 7, near: None }), ..full.clone() };
        let copy = PageRecord {
            print: Some(TextPrint {
                digest: u128::MAX - 5,
                near: Some(NearPrint { simhash: 1 << 63, check: 9 }),
            }),
            copy_of: Some(CopyOf { kind: CopyKind::Near, original: RecordNumber::new(1 << 40) }),
            ..full.clone()
        };
        for record in [bare, full, short, copy] {
            let mut out = FieldWriter::new();
            record.encode(&mut out);
            assert_eq!(PageRecord::decode(out.as_bytes()).unwrap(), record);
            // Where version 1 ended, a record may end.
            let version_1 = PageRecord { print: None, copy_of: None, ..record };
            for cut in 0..out.as_bytes().len() {
                let decoded = PageRecord::decode(&out.as_bytes()[..cut]);
                assert!(decoded.is_err() || decoded.is_ok_and(|decoded| decoded == version_1));
            }
        }
    }
}
