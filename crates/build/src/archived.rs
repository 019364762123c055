//! Pages as documents, read from the archive by several threads.

use std::sync::mpsc;

use page::PageKey;
use store::{Collection, PageRecord, StoreReader};

use crate::documents::StoredDocument;
use crate::{Covered, Error, read_document};

/// Pages that are read together, then handed on together.
const BATCH: usize = 64;

/// A page of the table with its document.
pub struct ReadPage {
    /// Its place in the table.
    pub key: PageKey,
    /// What the table says.
    pub record: PageRecord,
    /// What the page says, or why it cannot be read.
    pub document: Result<StoredDocument, Error>,
}

/// Shows the pages that are not covered yet, read from the archive by several threads. Says what is covered then.
///
/// While one batch is shown, the next one is being read, so that whoever watches is never waited for.
pub(crate) fn for_each_page_from<E: From<Error>>(
    collection: &Collection,
    start: Covered,
    mut see: impl FnMut(ReadPage) -> Result<(), E>,
) -> Result<Covered, E> {
    let store = StoreReader::open(collection).map_err(Error::from)?;
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let reading = scope.spawn(|| read_batches(&store, start, sender));
        for batch in receiver {
            for page in batch {
                see(page)?;
            }
        }
        Ok(reading.join().expect("reading pages does not panic").map_err(Error::from)?)
    })
}

fn read_batches(
    store: &StoreReader,
    start: Covered,
    sender: mpsc::SyncSender<Vec<ReadPage>>,
) -> Result<Covered, store::Error> {
    let mut pages = store.pages_from(start.end())?;
    let thread_count = std::thread::available_parallelism().map_or(1, usize::from);
    loop {
        let mut records = Vec::with_capacity(BATCH);
        while records.len() < BATCH
            && let Some((key, record)) = pages.next()?
        {
            if record.is_page() {
                records.push((key, record));
            }
        }
        let covered = Covered { table_bytes: pages.position(), ..start };
        // An error of the receiver ends the loop there; then nobody wants more.
        if records.is_empty() || sender.send(read_batch(store, records, thread_count)).is_err() {
            return Ok(covered);
        }
    }
}

fn read_batch(
    store: &StoreReader,
    records: Vec<(PageKey, PageRecord)>,
    thread_count: usize,
) -> Vec<ReadPage> {
    let part_len = records.len().div_ceil(thread_count);
    let mut records = records.into_iter();
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..thread_count)
            .map(|_| {
                let part: Vec<_> = records.by_ref().take(part_len).collect();
                scope.spawn(move || part.into_iter().map(|page| read_page(store, page)).collect::<Vec<_>>())
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("reading pages does not panic")).collect()
    })
}

fn read_page(store: &StoreReader, (key, record): (PageKey, PageRecord)) -> ReadPage {
    ReadPage { key, document: read_document(store, key, &record), record }
}
