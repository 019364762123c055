//! Pages as documents, read from the archive by several threads.

use std::sync::mpsc;

use page::PageKey;
use store::{Collection, PageRecord, StoreReader};

use crate::documents::StoredDocument;
use crate::{Covered, Error, read_document};

/// So many pages are read together, then handed on together, …
const BATCH_PAGES: usize = 16;

/// … or fewer, if they have more bytes than this.
const BATCH_BYTES: u64 = 1 << 20;

/// A page of the table with its document.
pub struct ReadPage {
    /// Its place in the table.
    pub key: PageKey,
    /// What the table says.
    pub record: PageRecord,
    /// What the page says, or why it cannot be read.
    pub document: Result<StoredDocument, Error>,
}

/// Pages that are read together.
type Batch = Vec<(PageKey, PageRecord)>;

/// Shows the pages that are not covered yet, read from the archive by several threads. Says what is covered then.
///
/// Batches go to the threads in turn and are taken from them in turn, so that pages come in the order of the table. Each
/// thread has one batch in hand, one that waits for it, and one that waits for us: so memory is bounded by a few batches, or
/// as many pages where they are large. Threads live as long as there are pages, since what the allocator keeps for a thread is
/// not given back at once when the thread ends.
pub(crate) fn for_each_page_from<E: From<Error>>(
    collection: &Collection,
    start: Covered,
    mut see: impl FnMut(ReadPage) -> Result<(), E>,
) -> Result<Covered, E> {
    let store = &StoreReader::open(collection).map_err(Error::from)?;
    std::thread::scope(|scope| {
        let start_reader = |_| {
            let (sender, batches) = mpsc::sync_channel::<Batch>(1);
            let (answers, receiver) = mpsc::sync_channel(1);
            scope.spawn(move || {
                let mut read = batches.into_iter().map(|batch| read_batch(store, batch));
                // Nobody listens any more where something went wrong, and whoever listened tells it.
                read.try_for_each(|batch| answers.send(batch))
            });
            (sender, receiver)
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..threads).map(start_reader).unzip();
        let scanning = scope.spawn(move || give_batches(store, start, &senders));
        for receiver in receivers.iter().cycle() {
            // The first thread without a batch in its turn has none because there are no more.
            let Ok(batch) = receiver.recv() else { break };
            batch.into_iter().try_for_each(&mut see)?;
        }
        // Whoever waits to be heard ends, also where a thread died before the others.
        drop(receivers);
        Ok(scanning.join().expect("reading the table does not panic").map_err(Error::from)?)
    })
}

fn give_batches(
    store: &StoreReader,
    start: Covered,
    readers: &[mpsc::SyncSender<Batch>],
) -> Result<Covered, store::Error> {
    let mut pages = store.pages_from(start.end())?;
    for reader in readers.iter().cycle() {
        let (mut batch, mut bytes) = (Batch::new(), 0);
        while batch.len() < BATCH_PAGES
            && bytes < BATCH_BYTES
            && let Some((key, record)) = pages.next()?
        {
            if record.is_page() {
                bytes += record.body_bytes;
                batch.push((key, record));
            }
        }
        if batch.is_empty() || reader.send(batch).is_err() {
            break;
        }
    }
    Ok(Covered { table_bytes: pages.position(), ..start })
}

fn read_batch(store: &StoreReader, batch: Batch) -> Vec<ReadPage> {
    batch.into_iter().map(|page| read_page(store, page)).collect()
}

fn read_page(store: &StoreReader, (key, record): (PageKey, PageRecord)) -> ReadPage {
    ReadPage { key, document: read_document(store, key, &record), record }
}
