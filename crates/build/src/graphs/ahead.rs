//! Links read ahead: one thread reads and decodes those of the next pages while another does something with those before.
//!
//! Two passes over all links are most of what a graph costs, and half of that is to read them.
//!
//! Cost: the links of a few batches in memory.

use std::sync::mpsc;

use page::PageKey;
use store::{PageRecord, StoreReader};

use crate::Error;

/// A batch has so many links, or those of one page more.
const BATCH_LINKS: usize = 4096;

/// So many batches wait at most.
const BATCHES_WAITING: usize = 4;

/// What was read of the links of a page.
pub(super) trait PageLinks: Send {
    /// How many links there are.
    fn count(&self) -> usize;
}

/// Shows what `read` makes of the records of the table, in their order, up to the byte `end`.
pub(super) fn read_ahead<Links: PageLinks>(
    store: &StoreReader,
    end: u64,
    read: impl FnMut(PageKey, &PageRecord) -> Result<Links, Error> + Send,
    mut see: impl FnMut(PageKey, PageRecord, Links) -> Result<(), Error>,
) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let (sender, batches) = mpsc::sync_channel(BATCHES_WAITING);
        let reading = scope.spawn(move || read_batches(store, end, read, &sender));
        for batch in batches {
            for (key, record, links) in batch {
                see(key, record, links)?;
            }
        }
        reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

type Batch<Links> = Vec<(PageKey, PageRecord, Links)>;

fn read_batches<Links: PageLinks>(
    store: &StoreReader,
    end: u64,
    mut read: impl FnMut(PageKey, &PageRecord) -> Result<Links, Error>,
    sender: &mpsc::SyncSender<Batch<Links>>,
) -> Result<(), Error> {
    let (mut pages, mut batch, mut count) = (store.pages()?, Vec::new(), 0);
    while let Some((key, record)) = pages.next()?.filter(|(key, _)| key.get() < end) {
        let links = read(key, &record)?;
        count += links.count() + 1;
        batch.push((key, record, links));
        // Nobody listens any more where something went wrong, and whoever listened tells it.
        if count >= BATCH_LINKS {
            count = 0;
            if sender.send(std::mem::take(&mut batch)).is_err() {
                return Ok(());
            }
        }
    }
    let _ = sender.send(batch);
    Ok(())
}
