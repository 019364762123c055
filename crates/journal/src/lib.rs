//! What was really written? The ground that every file on disk stands on.
//!
//! Everything that must survive `kill -9` goes through this crate, in one of three forms. Each tells damaged, truncated
//! and foreign bytes from ours by an error that names the file.
//!
//! - A **journal** ([`JournalWriter`], [`JournalReader`]) only grows: records with checksums, of which a torn last one is
//!   noticed and cut off.
//! - A **sealed file** ([`SealedWriter`], [`SealedFile`]) is written once and then read at random through a map, with a
//!   checksum for each block.
//! - A **generation** ([`Generation`]) is a folder of such files that is made as a whole and takes the place of the one
//!   before by one rename of its manifest. A single file does the same by [`replace_file`] or [`replace_sealed`].
//!
//! What has to be sorted before it is written, and does not fit into memory, goes through [`ExternalSort`] or
//! [`StringSort`]. Numbers that take as few bytes as they need are [`varint`]s everywhere.
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

mod append;
mod bytes;
mod error;
mod fields;
mod folder_size;
mod generation;
mod kept_pages;
mod lock;
mod reader;
mod replace;
mod sealed;
mod sort;
pub mod varint;
mod writer;

pub use append::append_whole;
pub use bytes::{Bytes, u32_at, u64_at};
pub use error::{Error, hint_for_io, is_full_disk};
pub use fields::{FieldReader, FieldWriter, Malformed};
pub use folder_size::folder_bytes;
pub use generation::{Generation, is_generation, remove_leftovers};
pub use kept_pages::{PAGE_BYTES, PageUses};
pub use lock::FileLock;
pub use reader::{JournalReader, Record, read_record_at};
pub use replace::{replace_file, sync_folder};
pub use sealed::{Kind, Sealed, SealedFile, SealedWriter, replace_sealed, write_sealed};
pub use sort::{
    BufferSort, ByComparison, ExternalSort, STRING_BYTES_MAX, SortRecord, Sorted, SortedStrings, StringSort,
};
pub use writer::JournalWriter;

/// What a journal or a sealed file ([`SealedFile`]) holds, written in its first bytes. A journal is:
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
