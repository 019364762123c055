//! Keep it: a collection on disk, with every answer in WARC files, a table of pages and their links.
//!
//! ```text
//! my.crivello/
//!   manifest.json          what this folder is; its lock
//!   crawl.json, hosts.tsv  what its crawl was told
//!   store/
//!     warc/crivello-00000.warc.gz …   every answer, byte for byte (WARC 1.1, one gzip member per record)
//!     links.log            the links of each page, for the graph and for going on after a crash
//!     pages.tbl            one record per address that was dealt with: the commit point
//!     safe                 how many of them were certainly on the disk a moment ago
//! ```
//!
//! A page exists when its record is in `pages.tbl`. Its WARC records and links are handed to the system before it,
//! so what stands behind the last page in the other two files is the rest of a crash and is cut off when the store
//! is opened again. `store/` is the truth: `graph/` and `index/` can be rebuilt from it at any time.
//!
//! ```no_run
//! # fn main() -> Result<(), store::Error> {
//! use store::{Collection, StoreReader};
//!
//! let collection = Collection::open("my.crivello".as_ref())?;
//! let mut reader = StoreReader::open(&collection)?;
//! let mut pages = reader.pages()?;
//! while let Some((key, page)) = pages.next()? {
//!     println!("{key} {} {}", page.status, page.url);
//! }
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod collection;
mod described;
mod digest;
mod error;
mod failed;
mod gzip;
mod link_log;
mod page_record;
mod purge;
mod reader;
mod safe;
mod told;
mod warc_file;
mod warc_record;
mod warc_scan;
mod writer;

pub use collection::{Collection, Manifest, VERSION as COLLECTION_VERSION};
pub use digest::Digest;
pub use error::Error;
pub use failed::{FailedAddress, WhyFailed};
pub use gzip::GzipCompressor;
pub use link_log::{LINKS as LINKS_FORMAT, LINKS_OLDEST, LinkView, decode_links, encode_links};
pub use page_record::{PAGES as PAGES_FORMAT, PAGES_OLDEST, PageFlags, PageRecord, RecordKind, WarcPlace};
pub use purge::{Purged, purge};
pub use reader::{LinkReader, PageScan, RecordReader, StoreReader, StoredPage, check_table};
pub use told::{Told, Typed};
pub use warc_file::WARC_BYTES_MAX;
pub use warc_record::{WarcHead, WarcRecordBuilder};
pub use warc_scan::{ScannedRecord, scan_warc};
pub use writer::{NewPage, Recovery, StorePoint, StoreWriter, SyncHandles};
