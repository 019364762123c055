//! Writing pages, and taking up a store that was left in the middle of it.
//!
//! A page is appended to three buffers and becomes real by [`StoreWriter::flush`], which hands them to the system in
//! the order WARC, links, table. So after `kill -9` at any moment the table never names bytes that are not there;
//! opening the store cuts off what no record names. After a power cut even that order can be lost: then records at
//! the end of the table whose bytes are missing are dropped, and their addresses are fetched again.

use std::fs::File;
use std::path::PathBuf;

use fs_err as fs;
use journal::{FieldWriter, JournalReader, JournalWriter};
use page::{CopyOf, Fetched, Link, Outcome, PageKey, PageUrl, RecordNumber, Timestamp};

use crate::link_log::{LINKS, LINKS_OLDEST};
use crate::page_record::{PAGES, PAGES_OLDEST};
use crate::safe::Safe;
use crate::warc_file::{WarcFileWriter, path_of};
use crate::warc_record::CompressedPair;
use crate::{
    Collection, Digest, Error, PageRecord, WARC_BYTES_MAX, WarcPlace, WarcRecordBuilder, WhyFailed,
    encode_links,
};

/// The one writer of a store.
#[derive(Debug)]
pub struct StoreWriter {
    warc: WarcFileWriter,
    links: JournalWriter,
    pages: JournalWriter,
    record_count: u64,
    last_answer: Option<WarcPlace>,
    warc_info: WarcRecordBuilder,
    fields: FieldWriter,
    dir: PathBuf,
}

/// What was found when a store was taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Records in the table.
    pub record_count: u64,
    /// Records at its end that had to be dropped because their bytes are not there.
    pub dropped_records: u64,
}

/// A moment of a store, from which it can be opened again without reading what was before: see [`StoreWriter::point`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorePoint {
    /// How many records the table had.
    pub records: u64,
    /// The place behind the last of them.
    pub pages: PageKey,
    /// The length of the links.
    pub links: u64,
    /// The last answer of the archive.
    pub warc: Option<WarcPlace>,
}

/// Everything about one page, compressed and encoded outside the lock that the writer stands behind.
#[derive(Debug)]
pub struct NewPage {
    record: PageRecord,
    warc: Option<CompressedPair>,
    links: Option<FieldWriter>,
}

impl NewPage {
    /// Something of which there is nothing to archive: a failure, a forbidden address.
    pub fn bare(record: PageRecord) -> Self {
        Self { record, warc: None, links: None }
    }

    /// An answer with its links. Fills in the record what the answer tells.
    pub fn fetched(
        mut record: PageRecord,
        fetched: &Fetched,
        links: &[Link],
        builder: &mut WarcRecordBuilder,
    ) -> Self {
        record.elapsed_ms = fetched.elapsed.as_millis().try_into().unwrap_or(u32::MAX);
        let response = match &fetched.outcome {
            Outcome::Response(response) => response,
            Outcome::Failed(failure) => {
                record.failure = Some(*failure);
                return Self::bare(record);
            }
        };
        record.status = response.status;
        record.content_type = response.content_type().0.to_owned();
        record.body_bytes = response.body().len() as u64;
        record.flags.truncated = response.truncated.is_some();
        record.digest = Digest::of(&[&response.raw_body]);
        let warc = builder.exchange(fetched, response, record.digest);
        let links = encoded(&record.url, links);
        Self { record, warc: Some(warc), links }
    }

    /// An answer that is not kept: what it was, and, if it is no page, where it leads.
    pub fn unkept(mut record: PageRecord, fetched: &Fetched, links: &[Link]) -> Self {
        record.elapsed_ms = fetched.elapsed.as_millis().try_into().unwrap_or(u32::MAX);
        match &fetched.outcome {
            Outcome::Failed(failure) => record.failure = Some(*failure),
            Outcome::Response(response) => {
                record.status = response.status;
                record.content_type = response.content_type().0.to_owned();
                record.body_bytes = response.body().len() as u64;
                record.flags.truncated = response.truncated.is_some();
            }
        }
        let links = if record.is_page() { None } else { encoded(&record.url, links) };
        Self { record, warc: None, links }
    }

    /// A page that came from a file.
    pub fn imported(
        mut record: PageRecord,
        content_type: &str,
        body: &[u8],
        links: &[Link],
        builder: &mut WarcRecordBuilder,
    ) -> Self {
        record.status = 200;
        record.content_type = content_type.to_owned();
        record.body_bytes = body.len() as u64;
        record.digest = Digest::of(&[body]);
        let warc = builder.resource(&record.url, record.at, content_type, body);
        let links = encoded(&record.url, links);
        Self { record, warc: Some(warc), links }
    }

    /// The record as it will stand in the table, but for the places.
    pub fn record(&self) -> &PageRecord {
        &self.record
    }

    /// Why the address failed, if it did.
    pub fn why_failed(&self) -> Option<WhyFailed> {
        self.record.why_failed_with(self.links.is_some())
    }

    /// Notes that it repeats a page that was stored before.
    pub fn mark_copy(&mut self, copy: CopyOf) {
        self.record.copy_of = Some(copy);
    }
}

fn encoded(url: &PageUrl, links: &[Link]) -> Option<FieldWriter> {
    if links.is_empty() {
        return None;
    }
    let mut fields = FieldWriter::new();
    encode_links(url, links, &mut fields);
    Some(fields)
}

impl StoreWriter {
    /// Opens the store of a collection to go on writing, and cuts off what a crash left behind.
    pub fn open(collection: &Collection) -> Result<(Self, Recovery), Error> {
        Self::open_as(collection, WARC_BYTES_MAX, None)
    }

    /// The same, but what was before a moment is not read again, if it is still there. Otherwise all is read.
    pub fn open_since(collection: &Collection, since: StorePoint) -> Result<(Self, Recovery), Error> {
        Self::open_as(collection, WARC_BYTES_MAX, Some(since))
    }

    /// Opens the store with another size of WARC files.
    pub fn open_with(collection: &Collection, warc_bytes_max: u64) -> Result<(Self, Recovery), Error> {
        Self::open_as(collection, warc_bytes_max, None)
    }

    fn open_as(
        collection: &Collection,
        warc_bytes_max: u64,
        since: Option<StorePoint>,
    ) -> Result<(Self, Recovery), Error> {
        assert!(collection.is_writable(), "the collection was opened to be read");
        let dir = collection.part("store")?;
        let paths =
            Paths { warc: dir.join("warc"), links: dir.join("links.log"), pages: dir.join("pages.tbl") };
        let end = paths.sound_end(since)?;
        let safe = Safe::read(&dir)?.records;
        if end.record_count < safe {
            return Err(Error::Lost { path: dir, safe, found: end.record_count });
        }
        let pages = match end.pages {
            0 => paths.create_table()?,
            position => {
                JournalWriter::raise_version(&paths.pages, PAGES, PAGES_OLDEST)?;
                JournalWriter::open_at(&paths.pages, PAGES, position)?
            }
        };
        let links = match end.links {
            0 => JournalWriter::create(&paths.links, LINKS)?,
            position => {
                JournalWriter::raise_version(&paths.links, LINKS, LINKS_OLDEST)?;
                JournalWriter::open_at(&paths.links, LINKS, position)?
            }
        };
        let warc = WarcFileWriter::open(&paths.warc, end.warc, warc_bytes_max)?;
        let recovery = Recovery { record_count: end.record_count, dropped_records: end.dropped_records };
        let (warc_info, fields) = (WarcRecordBuilder::new(6), FieldWriter::new());
        let (record_count, last_answer) = (end.record_count, end.warc);
        Ok((Self { warc, links, pages, record_count, last_answer, warc_info, fields, dir }, recovery))
    }

    /// Adds a page. Returns the number of records before it.
    pub fn append(&mut self, mut page: NewPage, now: Timestamp) -> Result<RecordNumber, Error> {
        if let Some(records) = &page.warc {
            page.record.warc = Some(self.warc.append(records, &mut self.warc_info, now)?);
            self.last_answer = page.record.warc;
        }
        page.record.links_offset = page.links.as_ref().map(|links| self.links.append(links.as_bytes()));
        self.fields.clear();
        page.record.encode(&mut self.fields);
        self.pages.append(self.fields.as_bytes());
        let number = self.next_record();
        self.record_count += 1;
        Ok(number)
    }

    /// The number of the record that is appended next.
    pub fn next_record(&self) -> RecordNumber {
        RecordNumber::new(self.record_count)
    }

    /// How many records the table has, with those that wait in memory.
    pub fn record_count(&self) -> u64 {
        self.record_count
    }

    /// This moment. It is one to open the store from as soon as all that was added is on the disk.
    pub fn point(&self) -> StorePoint {
        let (pages, links) = (PageKey::new(self.pages.position()), self.links.position());
        StorePoint { records: self.record_count, pages, links, warc: self.last_answer }
    }

    /// How much waits in memory.
    pub fn buffered_bytes(&self) -> usize {
        self.warc.buffered_bytes() + self.links.buffered_bytes() + self.pages.buffered_bytes()
    }

    /// Makes what was added survive the end of the process.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.warc.flush()?;
        self.links.flush()?;
        Ok(self.pages.flush()?)
    }

    /// Flushes, and gives handles with which the caller can wait for the disk without keeping the writer.
    pub fn flush_for_sync(&mut self) -> Result<SyncHandles, Error> {
        self.flush()?;
        let files = [self.warc.handle()?, self.links.handle()?, self.pages.handle()?];
        let safe = Safe { records: self.record_count, table_bytes: self.pages.position() };
        Ok(SyncHandles { files, dir: self.dir.clone(), safe })
    }
}

/// The files of a store, to be synced in their order.
#[derive(Debug)]
pub struct SyncHandles {
    files: [File; 3],
    dir: PathBuf,
    safe: Safe,
}

impl SyncHandles {
    /// Waits until everything that was flushed before is on the disk.
    pub fn sync(&self) -> Result<(), Error> {
        self.files.iter().try_for_each(|file| file.sync_data())?;
        self.safe.write(&self.dir)
    }
}

/// Up to where the three files agree.
#[derive(Debug, Default, Clone)]
struct SoundEnd {
    pages: u64,
    links: u64,
    warc: Option<WarcPlace>,
    record_count: u64,
    dropped_records: u64,
}

struct Paths {
    warc: PathBuf,
    links: PathBuf,
    pages: PathBuf,
}

impl Paths {
    /// The table comes first and is on the disk before anything else is written: a store without one was never a store.
    fn create_table(&self) -> Result<JournalWriter, Error> {
        let mut table = JournalWriter::create(&self.pages, PAGES)?;
        table.sync()?;
        journal::sync_folder(self.pages.parent().expect("the table is in a folder"))?;
        Ok(table)
    }

    /// Is what was there at a moment still there, as far as lengths tell?
    fn reach(&self, point: StorePoint) -> Result<bool, Error> {
        let answers_are_there = match point.warc {
            Some(place) => length_of(&path_of(&self.warc, place.file))? >= place.end(),
            None => true,
        };
        let tables_are_there =
            length_of(&self.pages)? >= point.pages.get() && length_of(&self.links)? >= point.links;
        Ok(answers_are_there && tables_are_there && point.records > 0)
    }

    /// Reads the table, from a moment on or whole. A record counts if its bytes are there; behind the first that does not, none does.
    fn sound_end(&self, since: Option<StorePoint>) -> Result<SoundEnd, Error> {
        let mut end = SoundEnd::default();
        let links_length = length_of(&self.links)?;
        if length_of(&self.pages)? < journal::HEADER_BYTES {
            return if links_length <= journal::HEADER_BYTES && length_of(&path_of(&self.warc, 0))? == 0 {
                Ok(end)
            } else {
                Err(journal::Error::Foreign { path: self.pages.clone() }.into())
            };
        }
        let mut table = JournalReader::open_since(&self.pages, PAGES, PAGES_OLDEST)?;
        end.pages = table.position();
        if links_length >= journal::HEADER_BYTES {
            end.links = journal::HEADER_BYTES;
        }
        if let Some(StorePoint { records, pages, links, warc }) = since
            && self.reach(StorePoint { records, pages, links, warc })?
        {
            table.seek(pages.get());
            end = SoundEnd { pages: pages.get(), links, warc, record_count: records, dropped_records: 0 };
        }
        let mut warc_length = (u32::MAX, 0);
        let mut first_short: Option<WarcPlace> = None;
        // The last links that were named, and where everything ended before the record that names them.
        let mut last_links: Option<(u64, SoundEnd)> = None;
        while let Some(record) = table.next_record()? {
            let (offset, page) = (record.offset, PageRecord::decode(record.payload));
            let page = page.map_err(|_| Error::Malformed { path: self.pages.clone(), offset })?;
            if let Some(place) = page.warc
                && warc_length.0 != place.file
            {
                warc_length = (place.file, length_of(&path_of(&self.warc, place.file))?);
            }
            if let (Some(short), Some(place)) = (first_short, page.warc)
                && short.file < place.file
            {
                // A file is synced before the next one is begun, so this is not what a power cut leaves.
                let path = path_of(&self.warc, short.file);
                return Err(Error::DamagedWarc { path, offset: short.offset, what: "its end is missing" });
            }
            let short = page.warc.filter(|place| place.end() > warc_length.1);
            first_short = first_short.or(short);
            let links_are_there = page.links_offset.is_none_or(|offset| offset < links_length);
            if end.dropped_records > 0 || short.is_some() || !links_are_there {
                end.dropped_records += 1;
                continue;
            }
            if let Some(offset) = page.links_offset {
                last_links = Some((offset, end.clone()));
            }
            end.record_count += 1;
            end.warc = page.warc.or(end.warc);
            end.pages = table.position();
        }
        if let Some((offset, before)) = last_links {
            let mut links = JournalReader::open_since(&self.links, LINKS, LINKS_OLDEST)?;
            links.seek(offset);
            if links.next_record()?.is_none() {
                // The file ends inside these links: all those before are whole.
                let dropped_records = end.dropped_records + end.record_count - before.record_count;
                return Ok(SoundEnd { links: offset, dropped_records, ..before });
            }
            end.links = links.position();
        }
        Ok(end)
    }
}

fn length_of(path: &std::path::Path) -> Result<u64, Error> {
    if path.exists() { Ok(fs::metadata(path)?.len()) } else { Ok(0) }
}
