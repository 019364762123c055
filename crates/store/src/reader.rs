//! Reading pages back: all of them in order, or one by its place.

use std::collections::HashMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fs_err as fs;
use journal::{JournalReader, Malformed};
use page::{Link, PageKey};

use crate::gzip::decompress_member;
use crate::link_log::{LINKS, LINKS_OLDEST, LinkView, see_links};
use crate::page_record::{PAGES, PAGES_OLDEST};
use crate::purge::is_removed;
use crate::safe::Safe;
use crate::warc_file::{file_name, path_of};
use crate::{Collection, Error, PageRecord, WarcHead, WarcPlace, decode_links};

/// No record is read that says it is larger: what we wrote is bounded by the fetch limits.
const RECORD_BYTES_MAX: usize = 1 << 30;

/// The answer that was kept, as it came over the wire.
#[derive(Debug, Clone)]
pub struct StoredPage {
    /// The headers of the WARC record.
    pub head: WarcHead,
    /// The whole record; the block is within.
    record: Vec<u8>,
}

impl StoredPage {
    /// The HTTP message, or the file itself for a `resource` record.
    pub fn block(&self) -> &[u8] {
        &self.record[self.head.block_start..self.head.block_start + self.head.block_bytes]
    }

    /// True if the block is an HTTP answer.
    pub fn is_http(&self) -> bool {
        self.head.header("warc-type") == Some("response")
    }
}

/// A store that is read. It can be shared: reading takes no lock but a short one on the open files.
#[derive(Debug)]
pub struct StoreReader {
    dir: PathBuf,
    warc_files: Mutex<HashMap<u32, std::sync::Arc<std::fs::File>>>,
}

impl StoreReader {
    /// Opens the store of a collection.
    pub fn open(collection: &Collection) -> Result<Self, Error> {
        Ok(Self { dir: collection.part("store")?, warc_files: Mutex::default() })
    }

    /// All records of the table, in the order in which they were written. A new collection has none. A table that ends
    /// before what was certainly written is an error at its end.
    pub fn pages(&self) -> Result<PageScan, Error> {
        // Before the table is opened: whoever writes adds to the table first.
        let safe = Safe::read(&self.dir)?;
        PageScan::open(&self.pages_path(), safe)
    }

    /// The records from a place of the table on, which is that of a record or the end.
    pub fn pages_from(&self, key: PageKey) -> Result<PageScan, Error> {
        if key == PageKey::START {
            return self.pages();
        }
        // Those before are not counted: whoever opened the collection has seen that the table is long enough.
        let mut scan = PageScan::open(&self.pages_path(), Safe::default())?;
        if let Some(journal) = &mut scan.journal {
            journal.seek(key.get());
        }
        Ok(scan)
    }

    /// The addresses of all stored pages, as often as they are there.
    pub fn page_addresses(&self) -> Result<Vec<String>, Error> {
        let (mut pages, mut addresses) = (self.pages()?, Vec::new());
        while let Some((_, record)) = pages.next()? {
            addresses.extend(record.is_page().then(|| record.url.as_str().to_owned()));
        }
        Ok(addresses)
    }

    /// The record at a place of the table.
    pub fn page_at(&self, key: PageKey) -> Result<PageRecord, Error> {
        self.records()?.at(key)
    }

    /// A reader of records here and there, for whoever wants many: those that lie near each other are read together.
    pub fn records(&self) -> Result<RecordReader, Error> {
        let path = self.pages_path();
        Ok(RecordReader { journal: JournalReader::open_since(&path, PAGES, PAGES_OLDEST)?, path })
    }

    /// The answer behind a record, checked by its gzip checksum. `None` if none was kept, or if it was removed.
    pub fn read(&self, page: &PageRecord) -> Result<Option<StoredPage>, Error> {
        let Some(place) = page.warc else { return Ok(None) };
        let path = path_of(&self.dir.join("warc"), place.file);
        let damaged = |what| Error::DamagedWarc { path: path.clone(), offset: place.offset, what };
        let file = self.warc_file(&path, place)?;
        if place.bytes > RECORD_BYTES_MAX as u64 {
            return Err(damaged("the record is longer than any that we write"));
        }
        let mut member = vec![0; place.bytes as usize];
        file.read_exact_at(&mut member, place.offset).map_err(|_| damaged("the record is cut off"))?;
        let record = decompress_member(&member, RECORD_BYTES_MAX)
            .ok_or_else(|| damaged("the compressed bytes are wrong"))?;
        let head = WarcHead::parse(&record).ok_or_else(|| damaged("the record's head is wrong"))?;
        Ok((!is_removed(&head)).then_some(StoredPage { head, record }))
    }

    /// A reader of the links of pages. Each caller has its own, so that scans read ahead.
    pub fn links(&self) -> Result<LinkReader, Error> {
        let path = self.dir.join("links.log");
        let journal =
            if path.exists() { Some(JournalReader::open_since(&path, LINKS, LINKS_OLDEST)?) } else { None };
        Ok(LinkReader { path, journal })
    }

    /// The name of the WARC file that a page is in.
    pub fn warc_file_name(place: WarcPlace) -> String {
        file_name(place.file)
    }

    /// All bytes of the store on disk.
    pub fn bytes_on_disk(&self) -> Result<u64, Error> {
        if self.dir.exists() { Ok(journal::folder_bytes(&self.dir)?) } else { Ok(0) }
    }

    fn pages_path(&self) -> PathBuf {
        self.dir.join("pages.tbl")
    }

    fn warc_file(&self, path: &Path, place: WarcPlace) -> Result<std::sync::Arc<std::fs::File>, Error> {
        let mut files = self.warc_files.lock().expect("nobody panics while opening a file");
        if let Some(file) = files.get(&place.file) {
            return Ok(file.clone());
        }
        let file = std::sync::Arc::new(fs::File::open(path)?.into_parts().0);
        files.insert(place.file, file.clone());
        Ok(file)
    }
}

/// Reads single records of the table.
#[derive(Debug)]
pub struct RecordReader {
    path: PathBuf,
    journal: JournalReader,
}

impl RecordReader {
    /// The record at a place of the table.
    pub fn at(&mut self, key: PageKey) -> Result<PageRecord, Error> {
        let record = PageRecord::decode(self.journal.read_at(key.get())?);
        record.map_err(|_| Error::Malformed { path: self.path.clone(), offset: key.get() })
    }
}

/// The records of the table, one after the other.
#[derive(Debug)]
pub struct PageScan {
    path: PathBuf,
    journal: Option<JournalReader>,
    records_seen: u64,
    safe: Safe,
}

impl PageScan {
    pub(crate) fn open(path: &Path, safe: Safe) -> Result<Self, Error> {
        let journal =
            if path.exists() { Some(JournalReader::open_since(path, PAGES, PAGES_OLDEST)?) } else { None };
        Ok(Self { path: path.to_owned(), journal, records_seen: 0, safe })
    }

    /// The next record and its place, which [`StoreReader::page_at`] takes.
    #[expect(clippy::should_implement_trait, reason = "a fallible step, as in fallible iterators")]
    pub fn next(&mut self) -> Result<Option<(PageKey, PageRecord)>, Error> {
        let next = match &mut self.journal {
            Some(journal) => journal.next_record()?,
            None => None,
        };
        let Some(record) = next else {
            let (safe, found) = (self.safe.records, self.records_seen);
            let lost = || Error::Lost { path: self.path.clone(), safe, found };
            return if found < safe { Err(lost()) } else { Ok(None) };
        };
        self.records_seen += 1;
        let offset = record.offset;
        match PageRecord::decode(record.payload) {
            Ok(page) => Ok(Some((PageKey::new(offset), page))),
            Err(_) => Err(Error::Malformed { path: self.path.clone(), offset }),
        }
    }

    /// How far the scan has come, in bytes of the table.
    pub fn position(&self) -> u64 {
        self.journal.as_ref().map_or(0, JournalReader::position)
    }
}

/// Refuses a page table that has fewer whole records than were certainly written, according to the file `safe` beside it.
pub fn check_table(path: &Path) -> Result<(), Error> {
    let Some(dir) = path.parent() else { return Ok(()) };
    let mut scan = PageScan::open(path, Safe::read(dir)?)?;
    while scan.next()?.is_some() {}
    Ok(())
}

/// Reads the links of pages.
#[derive(Debug)]
pub struct LinkReader {
    path: PathBuf,
    journal: Option<JournalReader>,
}

impl LinkReader {
    /// The links of a page, in the order of the page.
    pub fn of(&mut self, page: &PageRecord) -> Result<Vec<Link>, Error> {
        let mut links = Vec::new();
        self.with_record(page, |record| {
            links = decode_links(&page.url, record)?;
            Ok(())
        })?;
        Ok(links)
    }

    /// Shows the links of a page, in the order of the page. No address is made of their targets, which is what reading them costs most.
    pub fn see(&mut self, page: &PageRecord, mut see: impl FnMut(LinkView<'_>)) -> Result<(), Error> {
        self.with_record(page, |record| {
            see_links(&page.url, record, |link| {
                see(link);
                Ok(())
            })
        })
    }

    /// Reads the record of a page, if it has one.
    fn with_record(
        &mut self,
        page: &PageRecord,
        read: impl FnOnce(&[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Error> {
        let Some(offset) = page.links_offset else { return Ok(()) };
        let malformed = || Error::Malformed { path: self.path.clone(), offset };
        let Some(journal) = &mut self.journal else { return Err(malformed()) };
        if journal.position() != offset {
            journal.seek(offset);
        }
        let missing =
            || journal::Error::Damaged { path: self.path.clone(), offset, what: "a record is missing" };
        let record = journal.next_record()?.ok_or_else(missing)?;
        read(record.payload).map_err(|_| malformed())
    }
}
