//! Pages that are gone: forgotten on request, or replaced by a newer version of themselves.
//!
//! They are in the table and in the archive, and nowhere else: not in results, graph, copies and exports. A page that was
//! stored again under its address has replaced what was there before. What was forgotten is in a journal:
//!
//! ```text
//! forgotten.log = record*
//! record = at rule count key_delta*      at: when; rule: what was asked for, for people; keys: places in pages.tbl, increasing
//! ```
//!
//! Numbers and texts are those of [`journal::FieldWriter`]. A page that is stored later under the address of a forgotten one
//! has another key, and can be found.
//!
//! Cost: a scan of the table and 16 bytes a page while the replaced ones are looked for; eight bytes for each that is gone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter, Malformed};
use page::{Fingerprint, PageKey, Timestamp};
use store::{Collection, StoreReader};

use crate::{Covered, Error};

/// What the journal of forgotten pages begins with.
pub const FORGOTTEN_FORMAT: Format = Format { magic: *b"CRVFORGT", version: 1 };

/// The journal of what was forgotten in a collection.
pub fn forgotten_path(dir: &Path) -> PathBuf {
    dir.join("forgotten.log")
}

/// The pages that are gone, of some part of the table.
#[derive(Debug, Default)]
pub struct Gone {
    /// Increasing.
    keys: Vec<PageKey>,
    stamp: String,
}

impl Gone {
    /// Those among the pages that are covered.
    pub fn of(collection: &Collection, covered: Covered) -> Result<Self, Error> {
        let stamp = gone_stamp(collection, covered)?;
        let mut keys = forgotten(collection)?;
        keys.extend(replaced(collection, covered)?);
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| *key < covered.end());
        Ok(Self { keys, stamp })
    }

    /// Those among all pages that are there now.
    pub fn now(collection: &Collection) -> Result<Self, Error> {
        Self::of(collection, Covered::of(collection, collection.table_bytes()?))
    }

    /// Whether a page is gone.
    pub fn has(&self, key: PageKey) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// All of them, increasing.
    pub fn keys(&self) -> &[PageKey] {
        &self.keys
    }

    /// What they were told from: another stamp means that others may be gone.
    pub fn stamp(&self) -> &str {
        &self.stamp
    }
}

/// The stamp of what is gone, without looking for it.
pub fn gone_stamp(collection: &Collection, covered: Covered) -> Result<String, Error> {
    Ok(format!("{covered}, {} bytes of forgotten.log", forgotten_bytes(collection)?))
}

/// How long the journal is: it only grows.
pub fn forgotten_bytes(collection: &Collection) -> Result<u64, Error> {
    match std::fs::metadata(forgotten_path(collection.dir())) {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// The pages that were forgotten, in the order in which that was asked for.
pub fn forgotten(collection: &Collection) -> Result<Vec<PageKey>, Error> {
    let mut keys = Vec::new();
    for request in requests(&forgotten_path(collection.dir()))? {
        keys.extend(request.keys);
    }
    Ok(keys)
}

/// What somebody asked to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// When.
    pub at: Timestamp,
    /// In words.
    pub rule: String,
    /// The pages that it was about.
    pub keys: Vec<PageKey>,
}

/// Reads a journal of forgotten pages; one that is not there is empty.
pub fn requests(path: &Path) -> Result<Vec<Request>, Error> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let (mut journal, mut requests) = (JournalReader::open(path, FORGOTTEN_FORMAT)?, Vec::new());
    while let Some(record) = journal.next_record()? {
        let (offset, what) = (record.offset, "a request cannot be read");
        let request = Request::decode(record.payload);
        requests.push(request.map_err(|_| journal::Error::Damaged {
            path: path.to_owned(),
            offset,
            what,
        })?);
    }
    Ok(requests)
}

/// Adds to the journal of a collection, and waits until that is on the disk.
pub fn remember(collection: &Collection, request: &Request) -> Result<(), Error> {
    let path = forgotten_path(collection.dir());
    let mut journal = if path.exists() {
        JournalWriter::open(&path, FORGOTTEN_FORMAT)?
    } else {
        JournalWriter::create(&path, FORGOTTEN_FORMAT)?
    };
    journal.append(request.encode().as_bytes());
    journal.sync()?;
    Ok(journal::sync_folder(collection.dir())?)
}

impl Request {
    fn encode(&self) -> FieldWriter {
        let mut fields = FieldWriter::new();
        fields.number(self.at.0).text(&self.rule).number(self.keys.len() as u64);
        let mut previous = 0;
        for key in &self.keys {
            fields.number(key.get() - previous);
            previous = key.get();
        }
        fields
    }

    fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(record);
        let (at, rule) = (Timestamp(fields.number()?), fields.text()?.to_owned());
        let (mut keys, mut key) = (Vec::new(), 0u64);
        for _ in 0..fields.number()? {
            key = key.checked_add(fields.number()?).ok_or(Malformed)?;
            keys.push(PageKey::new(key));
        }
        if fields.is_empty() { Ok(Self { at, rule, keys }) } else { Err(Malformed) }
    }
}

/// The pages that were stored again later.
fn replaced(collection: &Collection, covered: Covered) -> Result<Vec<PageKey>, Error> {
    let mut newest: HashMap<Fingerprint, PageKey> = HashMap::new();
    let (mut pages, mut replaced) = (StoreReader::open(collection)?.pages()?, Vec::new());
    while let Some((key, record)) = pages.next()? {
        if key >= covered.end() {
            break;
        }
        if record.is_page() {
            replaced.extend(newest.insert(record.url.fingerprint(), key));
        }
    }
    Ok(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_comes_back_as_it_was_or_not_at_all() {
        let keys = [16, 17, 1 << 40].map(PageKey::new).to_vec();
        let request = Request { at: Timestamp(7), rule: "host a.test".into(), keys };
        let bytes = request.encode();
        assert_eq!(Request::decode(bytes.as_bytes()).unwrap(), request);
        for cut in 0..bytes.as_bytes().len() {
            assert!(Request::decode(&bytes.as_bytes()[..cut]).is_err(), "{cut}");
        }
    }
}
