//! The desk where workers hand in pages. A page and its links are taken together, under one lock: the page goes to
//! the store, the links to the outbox, in the same order. So "all links of the first n records" is always a prefix of
//! what the distributor has taken out, which is what a restart counts on.
//!
//! Here, too, a page is told to be a copy of an earlier one, since only here there is an earlier and a later.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex};

use dedup::{CopyMarks, MirrorSite};
use journal::{FieldReader, FieldWriter, Malformed};
use page::{Clock, CopyKind, Fingerprint, PageUrl};
use sieve::{Candidate, Visit};
use store::{NewPage, PageRecord, StorePoint, StoreWriter, SyncHandles};

use crate::room::Room;
use crate::{CopyLinks, Distance, Error};

/// Buffered pages beyond this are written by whoever brings the next one.
const BUFFERED_BYTES_MAX: usize = 1 << 20;

/// A link that was admitted, on its way to the sieve.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) url: &'a PageUrl,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) distance: Distance,
}

/// The one place where pages are handed in.
#[derive(Debug)]
pub(crate) struct Desk {
    inner: Mutex<Inner>,
    copy_links: CopyLinks,
    knows_copies: AtomicBool,
    room: Arc<Room>,
}

#[derive(Debug)]
struct Inner {
    store: StoreWriter,
    /// Nothing as long as earlier pages are read.
    copies: Option<CopyMarks>,
    copies_changed: bool,
    outbox: FieldWriter,
    /// Visits on their way to the sieve, if it keeps them.
    visits: Option<FieldWriter>,
}

/// What became of a page that was handed in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Committed {
    pub(crate) outbox_bytes: usize,
    /// It repeats an earlier page.
    pub(crate) copy: Option<CopyKind>,
    /// Its links are kept, but not followed.
    pub(crate) offers_dropped: bool,
}

/// Links taken out of the outbox.
#[derive(Debug)]
pub(crate) struct OfferBatch {
    fields: FieldWriter,
    visits: FieldWriter,
    /// Up to here the sieve has taken the links.
    taken: usize,
    /// All links of the records before this one are in this batch or in earlier ones.
    pub(crate) records_through: u64,
}

impl Desk {
    pub(crate) fn new(
        store: StoreWriter,
        copy_links: CopyLinks,
        keeps_visits: bool,
        room: Arc<Room>,
    ) -> Self {
        let visits = keeps_visits.then(FieldWriter::new);
        let inner = Inner { store, copies: None, copies_changed: true, outbox: FieldWriter::new(), visits };
        Self { inner: Mutex::new(inner), copy_links, knows_copies: AtomicBool::new(false), room }
    }

    /// From now on pages with a print can be handed in: `copies` knows those that are in the store already.
    pub(crate) fn set_copies(&self, copies: CopyMarks) {
        self.lock().copies = Some(copies);
        self.knows_copies.store(true, Release);
    }

    /// Can pages with a print be handed in?
    pub(crate) fn knows_copies(&self) -> bool {
        self.knows_copies.load(Acquire)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("nobody panics at the desk")
    }

    /// Takes a page and its links.
    pub(crate) fn commit(
        &self,
        mut page: NewPage,
        offers: &[Offer<'_>],
        clock: &dyn Clock,
    ) -> Result<Committed, Error> {
        let inner = &mut *self.lock();
        let number = inner.store.next_record();
        let PageRecord { url, print, .. } = page.record();
        let copy_of = match &mut inner.copies {
            Some(copies) => copies.see(number, url, *print)?,
            None => {
                assert!(print.is_none(), "pages are read when copies can be told");
                None
            }
        };
        if let Some(copy) = copy_of {
            page.mark_copy(copy);
            inner.copies_changed = true;
        }
        if let Some(visits) = &mut inner.visits
            && let Some(visit) = visit_of(page.record())
        {
            let url = &page.record().url;
            visits.fixed(&url.fingerprint().get().to_le_bytes()).number(visit.at_seconds);
            visits.number(u64::from(visit.outcome)).number(u64::from(visit.digest)).text(url.as_str());
        }
        inner.store.append(page, clock.now())?;
        let offers_dropped = copy_of.is_some() && self.copy_links == CopyLinks::Skip;
        for offer in offers.iter().filter(|_| !offers_dropped) {
            let Distance { depth, hops } = offer.distance;
            inner.outbox.fixed(&offer.fingerprint.get().to_le_bytes());
            inner.outbox.number(u64::from(depth)).number(u64::from(hops)).text(offer.url.as_str());
        }
        if inner.store.buffered_bytes() > BUFFERED_BYTES_MAX {
            // What the disk has no room for stays in memory; nothing is asked for until it has.
            self.room.unless_full(inner.store.flush())?;
        }
        let outbox_bytes = inner.outbox.as_bytes().len();
        Ok(Committed { outbox_bytes, copy: copy_of.map(|copy| copy.kind), offers_dropped })
    }

    /// Sites that turned out to be mirrors since this was asked last.
    pub(crate) fn new_mirrors(&self) -> Vec<MirrorSite> {
        let inner = &mut *self.lock();
        match &mut inner.copies {
            Some(copies) if std::mem::take(&mut inner.copies_changed) => copies.new_mirrors(),
            _ => Vec::new(),
        }
    }

    /// All sites that are mirrors.
    pub(crate) fn mirrors(&self) -> Vec<MirrorSite> {
        self.lock().copies.as_ref().map(CopyMarks::mirrors).unwrap_or_default()
    }

    /// Pages that new ones are not compared with any more.
    pub(crate) fn forgotten_prints(&self) -> u64 {
        self.lock().copies.as_ref().map_or(0, CopyMarks::forgotten)
    }

    /// Takes all links out.
    pub(crate) fn take_offers(&self) -> OfferBatch {
        let mut inner = self.lock();
        let fields = std::mem::take(&mut inner.outbox);
        let visits = inner.visits.as_mut().map(std::mem::take).unwrap_or_default();
        OfferBatch { fields, visits, taken: 0, records_through: inner.store.record_count() }
    }

    pub(crate) fn outbox_bytes(&self) -> usize {
        self.lock().outbox.as_bytes().len()
    }

    /// Makes everything handed in survive the end of the process.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        Ok(self.lock().store.flush()?)
    }

    /// The same, with handles to wait for the disk after the lock is free again, and the moment that is there then.
    pub(crate) fn flush_for_sync(&self) -> Result<(SyncHandles, StorePoint), Error> {
        let mut inner = self.lock();
        Ok((inner.store.flush_for_sync()?, inner.store.point()))
    }
}

impl OfferBatch {
    pub(crate) fn is_empty(&self) -> bool {
        self.fields.as_bytes().is_empty()
    }

    pub(crate) fn for_each_visit(
        &self,
        mut see: impl FnMut(Fingerprint, &str, Visit) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut fields = FieldReader::new(self.visits.as_bytes());
        while !fields.is_empty() {
            let (fingerprint, visit, url) = next_visit(&mut fields).expect("visits are what commit wrote");
            see(fingerprint, url, visit)?;
        }
        Ok(())
    }

    /// Shows the links that were not taken yet. The one that was refused comes first the next time.
    pub(crate) fn for_each(
        &mut self,
        mut see: impl FnMut(Candidate<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut fields = FieldReader::new(&self.fields.as_bytes()[self.taken..]);
        while !fields.is_empty() {
            see(next_candidate(&mut fields).expect("the outbox holds what commit wrote"))?;
            self.taken = self.fields.as_bytes().len() - fields.remaining();
        }
        Ok(())
    }
}

/// What the sieve keeps of a record: of addresses that it let through, when they were asked for and what came of it.
pub(crate) fn visit_of(record: &PageRecord) -> Option<Visit> {
    record.ordinal?;
    let digest = record.print.map_or(0, |print| print.digest as u32);
    Some(Visit { at_seconds: record.at.0 / 1000, outcome: record.status, digest })
}

fn next_visit<'a>(fields: &mut FieldReader<'a>) -> Result<(Fingerprint, Visit, &'a str), Malformed> {
    let fingerprint = Fingerprint::new(u64::from_le_bytes(fields.fixed()?));
    let visit = Visit { at_seconds: fields.number()?, outcome: fields.small()?, digest: fields.small()? };
    Ok((fingerprint, visit, fields.text()?))
}

fn next_candidate<'a>(fields: &mut FieldReader<'a>) -> Result<Candidate<'a>, Malformed> {
    let fingerprint = Fingerprint::new(u64::from_le_bytes(fields.fixed()?));
    Ok(Candidate { fingerprint, depth: fields.small()?, hops: fields.small()?, url: fields.text()? })
}
