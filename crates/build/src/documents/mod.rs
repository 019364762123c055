//! What was read of each page, once: the part `documents/` of a collection.
//!
//! A page is decoded and parsed a single time; what came of it is a [`StoredDocument`], and whoever needs text later (copies,
//! index, snippets, exports) reads it here instead of gunzipping and parsing HTML again. A document is known by its key, the
//! place of its page in `pages.tbl`. Documents are added in the order of their keys by a [`DocumentWriter`] and read by key, or
//! one after the other, from a [`DocumentStore`].
//!
//! # The bytes
//!
//! Two journals (see [`journal::Format`]), so that every byte has a checksum and a torn end is cut off, and a table of what the
//! second one says (`places`, see `catalogue.rs`), so that nobody has to read it to open a store:
//!
//! ```text
//! blocks.log  = record*            dictionary or block, in no order that matters: keys.log says what is where
//! dictionary  = words and dictionaries: see `dictionary.rs`
//! block       = count frame(abouts) frame(spans) frame(texts)+     a text of more than 64 KiB is alone: that much, then 256 KiB each
//! frame(x)    = raw_bytes frame_bytes zstd     level 6, each with its dictionary if there is one
//! abouts      = about*             see `document.rs`
//! spans       = coded_bytes* (spans_bytes span_count kind(1)* length* step*)*
//! texts       = coded text*        see `words.rs`; as they are where nothing was learnt
//!
//! keys.log    = made_from (dictionary* block* commit)*    a block has the dictionary before it
//! made_from   = 0 created_at parser_version
//! dictionary  = 1 offset bytes
//! block       = 2 offset bytes text_bytes count first_key key_delta*
//! commit      = 3 covered documents
//! ```
//!
//! All numbers but `kind` are varints of [`journal::FieldWriter`]. Blocks are on the disk before `keys.log` names them, and
//! they count from the `commit` behind them: so after `kill -9` the store is as it was after the last commit, and what stands
//! behind is cut off by the next writer. The text of one document is made of its codes alone, whatever else is in its
//! block.
//!
//! # What was measured
//!
//! Texts and what is learnt of them, bytes on disk by bytes of text; seconds of one core to squeeze all; microseconds to unpack a
//! block, without its words. Five collections together (manuals of Python, PostgreSQL, Java and Rust, and the sites of 27
//! projects in several languages: 52 MB), and those 27 sites alone (10 MB):
//!
//! | words | dictionary | block | level | all | s | µs | sites | µs |
//! |---|---|---|---|---|---|---|---|---|
//! | as they are | 256 KiB | 32 KiB | 6 | 0.226 | 1.0 | 44 | 0.298 | 65 |
//! | as they are | 256 KiB | 32 KiB | 9 | – | – | – | 0.293 | 65 |
//! | as they are | 1 MiB | 32 KiB | 6 | 0.221 | 1.1 | 37 | 0.286 | 57 |
//! | coded | none | 64 KiB | 6 | 0.219 | 0.5 | 39 | 0.286 | 42 |
//! | coded | 256 KiB | 32 KiB | 6 | 0.214 | 0.5 | 25 | 0.282 | 30 |
//! | coded | 512 KiB | 32 KiB | 6 | 0.209 | 0.6 | 25 | 0.274 | 30 |
//! | **coded** | **512 KiB** | **64 KiB** | **6** | 0.203 | 0.6 | 53 | 0.267 | 50 |
//!
//! Codes of words halve what zstd has to read, so that a block may be twice as large and is unpacked in the same time. A dictionary that is not
//! trained but cut out of texts is 2 to 4 % worse; codes of one byte for the most frequent words gain nothing, since zstd
//! knows frequent bytes by itself; learning anew for each 16 MB gains 4 %, and costs more than squeezing.
//!
//! A quarter was looked for and is not to be had at this price. All files of those 27 sites, as they are imported (769 pages, 9.2 MB of
//! text), by the bytes of their texts, and CPU seconds from pages to documents and copies; 0.033 of each is what was learnt, which larger
//! collections hardly feel:
//!
//! | block | level | all | s |
//! |---|---|---|---|
//! | **64 KiB** | **6** | 0.285 | 1.1 |
//! | 64 KiB | 9 | 0.283 | 1.4 |
//! | 64 KiB | 12 | 0.283 | 1.3 |
//! | 64 KiB | 16 | 0.277 | 2.3 |
//! | 64 KiB | 19 | 0.266 | 2.9 |
//! | 96 KiB | 6 | 0.281 | 1.2 |
//! | 128 KiB | 6 | 0.279 | 1.2 |
//! | 128 KiB | 12 | 0.276 | 1.2 |
//! | 128 KiB | 17, and what was learnt at 19 | 0.260 | 2.5 |
//! | 192 KiB | 12 | 0.271 | 1.3 |
//!
//! Half the dictionary is worse (0.290), twice as much brings nothing. Larger blocks would make each of ten results wait longer for
//! two per cent of bytes; levels from 16 on cost more than all the rest of reading pages.
//!
//! With everything that is no text the documentation of Rust takes 0.128 of the bytes of its texts (0.178 without codes), and
//! manuals of prose in many languages 0.27 (0.31).

mod block;
mod catalogue;
mod dictionary;
mod document;
mod error;
mod language;
mod pool;
mod raw_block;
mod reader;
mod words;
mod writer;

pub use catalogue::check_places;
pub use document::{DocumentAbout, StoredDocument, VERSION};
pub use error::DocumentsError;
pub use language::detect_language;
pub use reader::{DocumentBeginning, DocumentScan, DocumentStore, Summary};
pub use writer::{DocumentWriter, WriterOptions, remove_store};

use journal::Format;

/// What `blocks.log` begins with.
pub const BLOCKS: Format = Format { magic: *b"CRVDOCBL", version: VERSION };

/// What `keys.log` begins with.
pub const KEYS: Format = Format { magic: *b"CRVDOCKY", version: VERSION };

/// How `places` is written.
pub const PLACES: Format = Format { magic: *b"CRVDOCPL", version: VERSION };

const BLOCKS_FILE: &str = "blocks.log";
const KEYS_FILE: &str = "keys.log";
const PLACES_FILE: &str = "places";

/// What a store was made from. One that was made from something else is made anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFrom {
    /// When the collection was made, as its manifest says.
    pub created_at: String,
    /// The version of the reader of pages: [`parse::VERSION`].
    pub parser_version: u32,
}
