//! What was read of each page, once: the part `documents/` of a collection.
//!
//! A page is decoded and parsed a single time; what came of it is a [`StoredDocument`], and whoever needs text later (copies,
//! index, snippets, exports) reads it here instead of gunzipping and parsing HTML again. A document is known by its key, the
//! place of its page in `pages.tbl`. Documents are added in the order of their keys by a [`DocumentWriter`] and read by key, or
//! one after the other, from a [`DocumentStore`].
//!
//! # The bytes
//!
//! Two journals (see [`journal::Format`]), so that every byte has a checksum and a torn end is cut off:
//!
//! ```text
//! blocks.log  = record*            dictionary or block, in no order that matters: keys.log says what is where
//! dictionary  = what zstd trained
//! block       = count meta_bytes text_bytes meta_frame_bytes meta_frame text_frame_bytes text_frame
//! meta_frame  = zstd of meta*      level 3, without dictionary
//! text_frame  = zstd of text*      level 6, with the dictionary if there is one: texts of a block in a row
//! meta        = url title flags(1) language published+1 modified+1 canonical text_bytes spans_bytes spans
//! spans       = count kind(1)* start_delta* length*
//!
//! keys.log    = made_from (dictionary? block* commit)*    at most one dictionary
//! made_from   = 0 created_at parser_version
//! dictionary  = 1 offset bytes
//! block       = 2 offset bytes text_bytes count first_key key_delta*
//! commit      = 3 covered documents
//! ```
//!
//! All numbers but `kind` are varints of [`journal::FieldWriter`]. Blocks are on the disk before `keys.log` names them, and
//! they count from the `commit` behind them: so after `kill -9` the store is as it was after the last commit, and what stands
//! behind is cut off by the next writer.
//!
//! # What was measured
//!
//! Texts alone, bytes on disk by bytes of text; seconds of one core for all; microseconds to decode a block. 32,104 pages of the
//! documentation of Rust (72 MB), and 540 pages of manuals in five languages (9.5 MB):
//!
//! | dictionary | block | level | Rust | s | µs | manuals | µs |
//! |---|---|---|---|---|---|---|---|
//! | none | 16 KiB | 3 | 0.186 | 0.21 | 25 | 0.342 | 45 |
//! | none | 32 KiB | 6 | 0.146 | 0.62 | 43 | 0.318 | 66 |
//! | none | 128 KiB | 6 | 0.115 | 0.51 | 87 | 0.307 | 174 |
//! | 112 KiB | 32 KiB | 3 | 0.143 | 0.28 | 49 | 0.317 | 119 |
//! | 112 KiB | 32 KiB | 6 | 0.126 | 0.61 | 48 | 0.291 | 95 |
//! | **256 KiB** | **32 KiB** | **6** | 0.125 | 0.74 | 54 | 0.276 | 112 |
//! | 256 KiB | 32 KiB | 9 | 0.122 | 1.31 | 62 | – | – |
//! | 256 KiB | 64 KiB | 6 | 0.113 | 0.65 | 81 | 0.273 | 211 |
//! | 256 KiB | 128 KiB | 6 | 0.103 | 0.62 | 137 | 0.270 | 306 |
//! | 256 KiB | 32 KiB | 19 | – | – | – | 0.252 | 166 |
//!
//! With everything that is no text (addresses, titles, 64 spans a document) the documentation of Rust takes 0.19 of the bytes of
//! its texts and 1.2 s, a document comes back in 43 µs in the middle and in 93 µs nine times of ten, and all of them, one after
//! the other, in 0.23 s. Manuals of unrelated prose take a third: no level that can be paid for makes a quarter of them.
//!
//! Small blocks with a large dictionary win: the dictionary gives what a large block would, and costs the reader nothing.
//! Larger blocks break the 150 µs that a text may take; higher levels pay five times the time for a tenth of the bytes.

mod block;
mod catalogue;
mod dictionary;
mod document;
mod error;
mod language;
mod pool;
mod reader;
mod writer;

pub use document::{DocumentAbout, StoredDocument};
pub use error::DocumentsError;
pub use language::detect_language;
pub use reader::{DocumentScan, DocumentStore, Summary};
pub use writer::{DocumentWriter, WriterOptions};

use journal::Format;

/// The version of the bytes.
pub const VERSION: u32 = 1;

/// What `blocks.log` begins with.
pub const BLOCKS: Format = Format { magic: *b"CRVDOCBL", version: VERSION };

/// What `keys.log` begins with.
pub const KEYS: Format = Format { magic: *b"CRVDOCKY", version: VERSION };

const BLOCKS_FILE: &str = "blocks.log";
const KEYS_FILE: &str = "keys.log";

/// What a store was made from. One that was made from something else is made anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFrom {
    /// When the collection was made, as its manifest says.
    pub created_at: String,
    /// The version of the reader of pages: [`parse::VERSION`].
    pub parser_version: u32,
}
