//! Stored pages as documents: for snippets one by one, for the index all of them, read by several threads.

use std::sync::mpsc;

use crawl::read_document;
use index::Index;
use page::Document;
use search::{PageReader, PageText, Sites};
use store::{Collection, PageRecord, StoreReader};

use crate::output::errln;

/// Gives the search the text of its results, straight from the archive.
pub struct ArchivePages {
    store: StoreReader,
}

impl ArchivePages {
    /// The pages of a collection.
    pub fn new(collection: &Collection) -> anyhow::Result<Self> {
        Ok(Self { store: StoreReader::open(collection)? })
    }
}

impl PageReader for ArchivePages {
    fn read(&self, key: u64) -> Option<PageText> {
        let page = self.store.page_at(key).map_err(crawl::Error::from);
        match page.and_then(|record| Ok((read_document(&self.store, &record)?, record))) {
            Ok((document, record)) => Some(PageText {
                url: record.url.as_str().to_owned(),
                title: document.title,
                text: document.text,
            }),
            Err(error) => {
                errln!("a result cannot be shown: {error}");
                None
            }
        }
    }
}

/// The hosts of all documents of an index.
pub fn sites_of(collection: &Collection, index: &Index) -> anyhow::Result<Sites> {
    let mut pages = StoreReader::open(collection)?.pages()?;
    let mut sites = Sites::new(index.documents());
    while let Some((key, record)) = pages.next()? {
        if record.is_page() {
            sites.add(record.url.host(), index.find_key(key));
        }
    }
    Ok(sites)
}

/// Pages that are read together, then handed on together.
const BATCH: usize = 256;

/// A page of the table with its document.
pub struct ReadPage {
    /// Its place in the table.
    pub offset: u64,
    /// What the table says.
    pub record: PageRecord,
    /// What the page says, or why it cannot be read.
    pub document: Result<Document, crawl::Error>,
}

/// Reads all pages of a collection with several threads and shows them in the order of the table.
pub fn for_each_page(
    collection: &Collection,
    see: impl FnMut(ReadPage) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for_each_page_from(collection, 0, see).map(drop)
}

/// The same for pages whose place in the table is not before `start`. Says where the table ends: a record that its
/// writer did not finish lies behind that.
///
/// While one batch is shown, the next one is being read, so that whoever watches is never waited for.
pub fn for_each_page_from(
    collection: &Collection,
    start: u64,
    mut see: impl FnMut(ReadPage) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let store = StoreReader::open(collection)?;
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let reading = scope.spawn(|| read_batches(&store, start, sender));
        for batch in receiver {
            for page in batch {
                see(page)?;
            }
        }
        Ok(reading.join().expect("reading pages does not panic")?)
    })
}

fn read_batches(
    store: &StoreReader,
    start: u64,
    sender: mpsc::SyncSender<Vec<ReadPage>>,
) -> Result<u64, store::Error> {
    let mut pages = store.pages()?;
    let thread_count = std::thread::available_parallelism().map_or(1, usize::from);
    loop {
        let mut records = Vec::with_capacity(BATCH);
        while records.len() < BATCH
            && let Some((offset, record)) = pages.next()?
        {
            if offset >= start && record.is_page() {
                records.push((offset, record));
            }
        }
        if records.is_empty() {
            return Ok(pages.position());
        }
        // An error of the receiver ends the loop there; then nobody wants more.
        if sender.send(read_batch(store, &records, thread_count)).is_err() {
            return Ok(pages.position());
        }
    }
}

fn read_batch(store: &StoreReader, records: &[(u64, PageRecord)], thread_count: usize) -> Vec<ReadPage> {
    let read = |(offset, record): &(u64, PageRecord)| ReadPage {
        offset: *offset,
        document: read_document(store, record),
        record: record.clone(),
    };
    let part_len = records.len().div_ceil(thread_count);
    std::thread::scope(|scope| {
        let parts: Vec<_> = records
            .chunks(part_len)
            .map(|part| scope.spawn(move || part.iter().map(read).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("reading pages does not panic")).collect()
    })
}
