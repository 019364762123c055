//! What was really written? Append-only files of checksummed records, and files that are replaced whole.
//!
//! Everything that must survive `kill -9` goes through this crate: a torn last record is noticed and cut off, a
//! damaged one in the middle is an error that names the file, and a replaced file is either the old or the new one.
//!
//! ```
//! # fn main() -> Result<(), journal::Error> {
//! use journal::{Format, JournalReader, JournalWriter};
//!
//! const FORMAT: Format = Format { magic: *b"EXAMPLE1", version: 1 };
//! let dir = tempfile::tempdir().unwrap();
//! let path = dir.path().join("events.log");
//!
//! let mut writer = JournalWriter::create(&path, FORMAT)?;
//! let offset = writer.append(b"first");
//! writer.append(b"second");
//! writer.flush()?;
//!
//! let mut reader = JournalReader::open(&path, FORMAT)?;
//! assert_eq!(reader.read_at(offset)?, b"first");
//! assert_eq!(reader.count()?, 2);
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod error;
mod fields;
mod reader;
mod replace;
mod writer;

pub use error::{Error, hint_for_io};
pub use fields::{FieldReader, FieldWriter, Malformed};
pub use reader::{JournalReader, Record};
pub use replace::{replace_file, sync_folder};
pub use writer::JournalWriter;

/// What a journal holds, written in its first bytes.
///
/// ```text
/// file   = magic (8) version (u32) zero (u32) record*
/// record = length (u32) checksum of payload (u32) checksum of these eight bytes (u32) payload
/// ```
///
/// All numbers are little-endian, all checksums CRC-32. The second checksum is what tells a torn record (the file
/// ends inside it) from a damaged length, which would otherwise look the same and silently end the file there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Eight bytes that no other file starts with.
    pub magic: [u8; 8],
    /// The version of the payloads; a reader refuses any other, but for those that it is told to take.
    pub version: u32,
}

/// The bytes before the first record.
pub const HEADER_BYTES: u64 = 16;

/// The bytes before a payload.
pub const RECORD_HEADER_BYTES: u64 = 12;

/// No record is longer; a length beyond this is damage.
pub const RECORD_BYTES_MAX: u64 = 256 << 20;
