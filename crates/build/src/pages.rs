//! All stored pages as documents, in the order of the table, read by several threads.

use std::sync::mpsc;

use page::Document;
use store::{Collection, PageRecord, StoreReader};

use crate::{Covered, Error, read_document};

/// Pages that are read together, then handed on together.
const BATCH: usize = 256;

/// A page of the table with its document.
pub struct ReadPage {
    /// Its place in the table.
    pub offset: u64,
    /// What the table says.
    pub record: PageRecord,
    /// What the page says, or why it cannot be read.
    pub document: Result<Document, Error>,
}

/// Reads all pages of a collection with several threads and shows them in the order of the table.
pub fn for_each_page<E: From<Error>>(
    collection: &Collection,
    see: impl FnMut(ReadPage) -> Result<(), E>,
) -> Result<(), E> {
    for_each_page_from(collection, Covered::default(), see).map(drop)
}

/// The same for pages that are not covered yet. Says what is covered then.
///
/// While one batch is shown, the next one is being read, so that whoever watches is never waited for.
pub fn for_each_page_from<E: From<Error>>(
    collection: &Collection,
    start: Covered,
    mut see: impl FnMut(ReadPage) -> Result<(), E>,
) -> Result<Covered, E> {
    let store = StoreReader::open(collection).map_err(Error::from)?;
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let reading = scope.spawn(|| read_batches(&store, start.table_bytes, sender));
        for batch in receiver {
            for page in batch {
                see(page)?;
            }
        }
        let table_bytes = reading.join().expect("reading pages does not panic").map_err(Error::from)?;
        Ok(Covered { table_bytes })
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
