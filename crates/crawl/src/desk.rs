//! The desk where workers hand in pages. A page and its links are taken together, under one lock: the page goes to
//! the store, the links to the outbox, in the same order. So "all links of the first n records" is always a prefix of
//! what the distributor has taken out, which is what a restart counts on.

use std::sync::Mutex;

use journal::{FieldReader, FieldWriter, Malformed};
use page::{Clock, PageUrl};
use sieve::Candidate;
use store::{NewPage, StoreWriter, SyncHandles};

use crate::Error;

/// Buffered pages beyond this are written by whoever brings the next one.
const BUFFERED_BYTES_MAX: usize = 1 << 20;

/// A link that was admitted, on its way to the sieve.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) url: &'a PageUrl,
    pub(crate) fingerprint: u64,
    pub(crate) depth: u16,
}

/// The one place where pages are handed in.
#[derive(Debug)]
pub(crate) struct Desk {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: StoreWriter,
    outbox: FieldWriter,
}

/// Links taken out of the outbox.
#[derive(Debug)]
pub(crate) struct OfferBatch {
    fields: FieldWriter,
    /// All links of the records before this one are in this batch or in earlier ones.
    pub(crate) records_through: u64,
}

impl Desk {
    pub(crate) fn new(store: StoreWriter) -> Self {
        Self { inner: Mutex::new(Inner { store, outbox: FieldWriter::new() }) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("nobody panics at the desk")
    }

    /// Takes a page and its links. Returns how many bytes the outbox has.
    pub(crate) fn commit(
        &self,
        page: NewPage,
        offers: &[Offer<'_>],
        clock: &dyn Clock,
    ) -> Result<usize, Error> {
        let mut inner = self.lock();
        inner.store.append(page, clock.now())?;
        for offer in offers {
            inner.outbox.fixed(&offer.fingerprint.to_le_bytes()).number(u64::from(offer.depth));
            inner.outbox.text(offer.url.as_str());
        }
        if inner.store.buffered_bytes() > BUFFERED_BYTES_MAX {
            inner.store.flush()?;
        }
        Ok(inner.outbox.as_bytes().len())
    }

    /// Takes all links out.
    pub(crate) fn take_offers(&self) -> OfferBatch {
        let mut inner = self.lock();
        let fields = std::mem::take(&mut inner.outbox);
        OfferBatch { fields, records_through: inner.store.record_count() }
    }

    pub(crate) fn outbox_bytes(&self) -> usize {
        self.lock().outbox.as_bytes().len()
    }

    /// Makes everything handed in survive the end of the process.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        Ok(self.lock().store.flush()?)
    }

    /// The same, with handles to wait for the disk after the lock is free again.
    pub(crate) fn flush_for_sync(&self) -> Result<SyncHandles, Error> {
        Ok(self.lock().store.flush_for_sync()?)
    }
}

impl OfferBatch {
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.as_bytes().is_empty()
    }

    pub(crate) fn for_each(
        &self,
        mut see: impl FnMut(Candidate<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut fields = FieldReader::new(self.fields.as_bytes());
        while !fields.is_empty() {
            see(next_candidate(&mut fields).expect("the outbox holds what commit wrote"))?;
        }
        Ok(())
    }
}

fn next_candidate<'a>(fields: &mut FieldReader<'a>) -> Result<Candidate<'a>, Malformed> {
    let fingerprint = u64::from_le_bytes(fields.fixed()?);
    Ok(Candidate { fingerprint, depth: fields.small()?, url: fields.text()? })
}
