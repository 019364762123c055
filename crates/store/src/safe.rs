//! How much of the page table was certainly on the disk a moment ago: the file `safe`, `records bytes` in digits.
//!
//! A table that ends early reads like one that was just begun, since a torn end is what a crash leaves. This is how the
//! two are told apart: a table with less than this has not been cut by a crash, and nobody may take what is left for
//! all. Earlier versions wrote the number of records alone; then only those who read the whole table notice.
//!
//! A crawl that goes on meanwhile is not mistaken for a loss: it adds to the table first and writes this file after.

use std::io::ErrorKind;
use std::path::Path;

use fs_err as fs;
use journal::JournalReader;

use crate::Error;
use crate::page_record::{PAGES, PAGES_OLDEST};

const SAFE: &str = "safe";
const TABLE: &str = "pages.tbl";

/// What was certainly there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Safe {
    pub(crate) records: u64,
    pub(crate) table_bytes: u64,
}

impl Safe {
    /// Of the store in this folder; nothing if nothing is known.
    pub(crate) fn read(dir: &Path) -> Result<Self, Error> {
        let bytes = match fs::read(dir.join(SAFE)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        // It is not synced, so a power cut may leave anything in it. It only protects: without it nothing is lost.
        let text = String::from_utf8_lossy(&bytes);
        let mut numbers = text.split_ascii_whitespace().map_while(|number| number.parse().ok());
        Ok(Self { records: numbers.next().unwrap_or(0), table_bytes: numbers.next().unwrap_or(0) })
    }

    /// Replaces what was known.
    pub(crate) fn write(self, dir: &Path) -> Result<(), Error> {
        // Not synced itself: older numbers are as true, and say less.
        let temporary = dir.join("safe.tmp");
        fs::write(&temporary, format!("{} {}", self.records, self.table_bytes))?;
        Ok(fs::rename(&temporary, dir.join(SAFE))?)
    }

    /// A table that is shorter than it was is an error, told by its length alone.
    pub(crate) fn check_length(dir: &Path) -> Result<(), Error> {
        let safe = Self::read(dir)?;
        let path = dir.join(TABLE);
        let length = if path.exists() { fs::metadata(&path)?.len() } else { 0 };
        if length >= safe.table_bytes {
            return Ok(());
        }
        let found = if length < journal::HEADER_BYTES {
            0
        } else {
            JournalReader::open_since(&path, PAGES, PAGES_OLDEST)?.count()?
        };
        Err(Error::Lost { path, safe: safe.records, found })
    }
}
