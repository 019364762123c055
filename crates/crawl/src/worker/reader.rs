//! Reading: the end of an answer's way. What has landed is read, judged and handed in at the desk with its links.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use dedup::TextPrinter;
use store::{NewPage, PageFlags, PageRecord, RecordKind, WarcRecordBuilder};

use crate::read::{self, Reading};
use crate::seen_cache::SeenCache;
use crate::shared::Shared;
use crate::visit::{Errand, Landed};
use crate::{Distance, Error};

/// What one thread needs to read answers, one at a time.
pub(super) struct Reader {
    shared: Arc<Shared>,
    cache: SeenCache,
    warc: WarcRecordBuilder,
    printer: TextPrinter,
}

impl Reader {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            cache: SeenCache::new(shared.config.cache_bytes_per_reader()),
            warc: WarcRecordBuilder::new(shared.config.compression_level),
            printer: TextPrinter::default(),
            shared,
        }
    }

    /// Reads a landed answer and commits it with its links. Those of a robots.txt are the sitemaps that it names.
    pub(super) fn read(&mut self, landed: Landed, sitemaps: &[String]) -> Result<(), Error> {
        let body_bytes = landed.body_bytes();
        let Landed { errand, fetched, permit, .. } = landed;
        let (ordinal, distance, reading) = match &errand {
            Errand::Robots | Errand::Guest(_) => (None, Distance::default(), read_robots(sitemaps)),
            Errand::Page(queued) => {
                let distance = Distance { depth: queued.depth, hops: queued.hops };
                let reading = read::read_answer(&fetched, distance, &self.shared.config, &mut self.printer);
                (Some(queued.ordinal), distance, reading)
            }
        };
        self.shared.show_page(&fetched.url, &reading.title, distance, &reading.links);
        let record = PageRecord::new(reading.kind, fetched.url.clone(), fetched.at);
        let flags = PageFlags { noindex: reading.noindex, ..record.flags };
        let (depth, failure) = (distance.depth, reading.failure);
        let record = PageRecord { ordinal, depth, failure, flags, print: reading.print, ..record };
        let page = if self.shared.config.keeps_pages {
            NewPage::fetched(record, &fetched, &reading.links, &mut self.warc)
        } else {
            NewPage::unkept(record, &fetched, &reading.links)
        };
        self.hand_in(page, &reading, distance)?;
        drop(fetched);
        self.shared.progress.unread_bytes.fetch_sub(body_bytes, Relaxed);
        drop(permit);
        if let Errand::Page(_) = errand {
            self.shared.add_active(-1);
        }
        Ok(())
    }

    /// Commits a page with those of its links that may be followed.
    fn hand_in(&mut self, page: NewPage, reading: &Reading, distance: Distance) -> Result<(), Error> {
        let (offers, left_out) =
            read::offers(&reading.links, distance, &self.shared.admission, &mut self.cache);
        self.shared.progress.left_out.add(left_out);
        let committed = self.shared.commit(page, &offers)?;
        if committed.offers_dropped {
            // They are news again on a page that is no copy.
            offers.iter().for_each(|offer| self.cache.forget(offer.fingerprint));
        }
        self.shared.progress.count_copy(committed.copy);
        self.shared.note_outbox(committed.outbox_bytes);
        Ok(())
    }
}

fn read_robots(sitemaps: &[String]) -> Reading {
    Reading { links: read::sitemap_links(sitemaps), ..Reading::bare(RecordKind::Robots) }
}
