//! Looks at a file of the work folder and checks it, for whoever wants to know what it is.
//!
//! Columns have no head of their own: which they are is told by their names, and whether they are whole by the journal
//! beside them.

use std::io::Read;
use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, Format, JournalReader, Malformed};

use super::block_log::FORMAT;
use super::files::{BLOCKS, DIGEST_BYTES, KEY_BYTES, checksum};
use crate::Error;

/// The journal of sketches.
pub const SKETCHES_FORMAT: Format = FORMAT;
/// The journal of bands that are done.
pub const BANDS_FORMAT: Format = super::banded_groups::FORMAT;

/// What a record of the two journals says, as far as it can be told without the other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkRecord<'r> {
    /// The first record: how sketches were made, and of what.
    MadeFrom(&'r str),
    /// A block of so many documents that are sketched; in the journal of bands, what one of them joined.
    Documents(u64),
}

impl<'r> WorkRecord<'r> {
    /// Reads a record.
    pub fn decode(record: &'r [u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(record);
        match fields.text() {
            Ok(name) if fields.is_empty() => Ok(Self::MadeFrom(name)),
            _ => Ok(Self::Documents(FieldReader::new(record).number()?)),
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Digests of the shingles of documents.
    Digests,
    /// Keys that candidates have in common.
    Keys,
    /// The slots of sketches, a byte each.
    Slots,
}

/// Checks a column, and says what it holds and of how many documents; `None` for a file that is no column.
pub fn check_column(path: &Path) -> Result<Option<(ColumnKind, u64)>, Error> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let journal = path.with_file_name(BLOCKS);
    let (kind, column) =
        match name.strip_prefix("keys.").and_then(|rest| rest.strip_suffix(".col")?.parse().ok()) {
            Some(number) => (ColumnKind::Keys, 1usize.saturating_add(number)),
            None if name == "digests.col" => (ColumnKind::Digests, 0),
            None if name == "slots.rec" => (ColumnKind::Slots, 0),
            None => return Ok(None),
        };
    if !journal.is_file() {
        return Ok(None);
    }
    let blocks = read_checksums(&journal, column)?;
    let documents: u64 = blocks.iter().map(|(documents, _)| documents).sum();
    let width = match kind {
        ColumnKind::Digests => DIGEST_BYTES as u64,
        ColumnKind::Keys => KEY_BYTES as u64,
        ColumnKind::Slots => fs::metadata(path)?.len().checked_div(documents).unwrap_or(0),
    };
    let mut file = std::io::BufReader::new(fs::File::open(path)?);
    let mut offset = 0;
    let mut take = |bytes: u64| -> Result<Vec<u8>, Error> {
        let mut part = Vec::new();
        file.by_ref().take(bytes).read_to_end(&mut part)?;
        let whole = part.len() as u64 == bytes;
        offset += part.len() as u64;
        if whole { Ok(part) } else { Err(damaged(path, offset, "the end is missing")) }
    };
    let mut place = 0;
    for (documents, expected) in blocks {
        if kind == ColumnKind::Slots {
            for _ in 0..documents {
                let record = take(width)?;
                let sound = record
                    .split_last_chunk()
                    .is_some_and(|(content, sum)| checksum(content) == u32::from_le_bytes(*sum));
                if !sound {
                    return Err(damaged(path, place, "a checksum is wrong"));
                }
                place += width;
            }
        } else {
            if Some(checksum(&take(documents * width)?)) != expected {
                return Err(damaged(path, place, "a checksum is wrong"));
            }
            place += documents * width;
        }
    }
    Ok(Some((kind, documents)))
}

fn damaged(path: &Path, offset: u64, what: &'static str) -> Error {
    Error::Damaged { path: path.to_owned(), offset, what }
}

/// Of each block the number of documents, and the checksum of a column.
fn read_checksums(journal: &Path, column: usize) -> Result<Vec<(u64, Option<u32>)>, Error> {
    let mut reader = JournalReader::open(journal, FORMAT)?;
    // The first record is the name of the work.
    reader.next_record()?;
    let mut blocks = Vec::new();
    while let Some(record) = reader.next_record()? {
        let mut fields = FieldReader::new(record.payload);
        let offset = record.offset;
        let documents = fields.number().map_err(|_| damaged(journal, offset, "a record cannot be read"))?;
        for _ in 0..3 {
            fields.number().map_err(|_| damaged(journal, offset, "a record cannot be read"))?;
        }
        let mut checksum = None;
        for _ in 0..=column {
            checksum = fields.fixed().ok().map(u32::from_le_bytes);
        }
        blocks.push((documents, checksum));
    }
    Ok(blocks)
}
