//! Taking up a crawl where it was left, or starting one: from the files to the state in memory.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use dedup::CopyMarks;
use frontier::{HostFact, HostLog, ReadyLog, ReadyScan, ReadyUrl, UnderWay};
use page::{CopyKind, Fingerprint, Ordinal, PageUrl, RecordNumber, Timestamp};
use sieve::{Candidate, Outlet, Sieve};
use store::{Collection, PageRecord, RecordKind, StoreReader};

use crate::desk::visit_of;
use crate::distributor::{Distributor, KnownSites, Mark};
use crate::quotas::Quotas;
use crate::shared::Shared;
use crate::{Admission, CopyLinks, CrawlConfig, Distance, Error, FailedAddress};

/// What the page table says about earlier runs.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// One bit per ordinal of the ready log: set if it is done.
    done: Vec<u64>,
    pub(crate) pages_stored: u64,
    pub(crate) copies_exact: u64,
    pub(crate) copies_near: u64,
    pub(crate) record_count: u64,
}

impl Past {
    /// Reads the whole page table. Counts pages per site, for the budgets, and shows all pages to `copies`.
    pub(crate) fn read(
        collection: &Collection,
        quotas: &Quotas,
        copies: &mut CopyMarks,
        sites: &mut KnownSites,
    ) -> Result<Self, Error> {
        let mut past = Self::default();
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((_, record)) = pages.next()? {
            copies.see(RecordNumber::new(past.record_count), &record.url, record.print)?;
            past.record_count += 1;
            match record.copy_of.map(|copy| copy.kind) {
                Some(CopyKind::Exact) => past.copies_exact += 1,
                Some(CopyKind::Near) => past.copies_near += 1,
                None => {}
            }
            // What failed is tried again by the next run: the network, the server, the name or the start page may be
            // back.
            if let Some(ordinal) = record.ordinal
                && record.why_failed().is_none()
            {
                past.mark_done(ordinal);
            }
            if record.is_page() && record.kind == RecordKind::Fetched {
                past.pages_stored += 1;
                let pages_stored = sites.add_page(record.url.site_str());
                quotas.count_stored(&record.url, pages_stored);
            }
        }
        Ok(past)
    }

    fn mark_done(&mut self, ordinal: Ordinal) {
        let (word, bit) = (ordinal.index() / 64, ordinal.index() % 64);
        if word >= self.done.len() {
            self.done.resize(word + 1, 0);
        }
        self.done[word] |= 1 << bit;
    }

    pub(crate) fn is_done(&self, ordinal: Ordinal) -> bool {
        let (word, bit) = (ordinal.index() / 64, ordinal.index() % 64);
        self.done.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }
}

/// Fills an empty sieve from the ready log, which has every address that ever passed: for when the sieve's folder was
/// lost or deleted. The mark says that no links were taken, so that those of all pages are offered again.
///
/// The note stays empty until the last address is in, so that a rebuild that is cut short is begun anew.
pub(crate) fn rebuild_sieve(sieve: &mut dyn Sieve, ready_path: &Path) -> Result<Mark, Error> {
    let (ready_end, ready_count) = ReadyLog::measure(ready_path)?;
    let mark = Mark { ready_end, ready_count, ..Mark::default() };
    let mut scan = ReadyScan::open(ready_path, journal::HEADER_BYTES, ready_end)?;
    let mut addresses: Vec<String> = Vec::new();
    while scan.next_record(|ready| addresses.push(ready.url.to_owned()))? {
        for url in addresses.drain(..) {
            let Ok(page_url) = PageUrl::from_normalised(&url) else { continue };
            // What passes is in the log already, with its distance.
            sieve.offer(Candidate { fingerprint: page_url.fingerprint(), depth: 0, hops: 0, url: &url })?;
        }
        if sieve.is_full() {
            sieve.flush(&mut Sealed(Vec::new()))?;
        }
    }
    sieve.flush(&mut Sealed(mark.encode()))?;
    Ok(mark)
}

/// An outlet that lets everything fall: what passes is in the ready log already.
struct Sealed(Vec<u8>);

impl Outlet for Sealed {
    fn pass(&mut self, _: Candidate<'_>) -> std::io::Result<()> {
        Ok(())
    }

    fn seal(&mut self) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}

/// Opens the log of what is known about sites and reads it.
pub(crate) fn read_host_log(collection: &Collection, sites: &mut KnownSites) -> Result<HostLog, Error> {
    let path = collection.part("frontier")?.join("hosts.log");
    Ok(HostLog::open(&path, |name, _, fact, place| sites.note(name, &fact, place))?)
}

/// Opens the table of visits under way, if the policy needs one. Machines that were being visited when the last run was killed
/// rest as if the visit had lasted until now, or as long as any visit can. The table is emptied, so that this is written to the
/// log of hosts before: this run may be killed, too.
pub(crate) fn open_under_way(
    collection: &Collection,
    config: &CrawlConfig,
    now: Timestamp,
    host_log: &mut HostLog,
    sites: &mut KnownSites,
) -> Result<Option<UnderWay>, Error> {
    let path = collection.part("frontier")?.join("under-way");
    let CrawlConfig { policy, limits, .. } = config;
    for (address, began) in UnderWay::left_in(&path)? {
        let took = now.since(began).min(policy.visit_time + limits.total_timeout);
        let until = now.after(took.mul_f64(policy.rest_ratio) + Duration::from_millis(1));
        sites.note_pause(&address.to_string(), until);
        host_log.append(&address.to_string(), now, &HostFact::PauseUntil(until))?;
    }
    if policy.rest_ratio > 0.0 { Ok(Some(UnderWay::create(&path, config.requests_max())?)) } else { Ok(None) }
}

/// Brings a distributor to where the last run left off, and adds the seeds of this one.
pub(crate) async fn take_up(
    distributor: &mut Distributor,
    collection: &Collection,
    past: &Past,
    seeds: &[PageUrl],
) -> Result<(), Error> {
    let admission = &distributor.shared.clone().admission;
    let hops = remember_passed(distributor, admission)?;
    if distributor.shared.priority.as_ref().is_some_and(|policy| policy.learns_from_pages()) {
        show_pages(&distributor.shared, collection, &hops)?;
    }
    let mut known = KnownSeeds::new(seeds);
    offer_lost_links(distributor, collection, admission, &hops, &mut known)?;
    known.tell(&distributor.shared);
    drop(hops);
    for seed in seeds {
        admission.add_seed(seed);
        distributor.offer(seed, Distance::default())?;
    }
    // The rules of this run hold for what waits, too: so a crawl can be led out of a trap.
    let wanted =
        |ordinal, depth, url: &PageUrl| !past.is_done(ordinal) && admission.admits_waiting(url, depth);
    distributor.send_ready(journal::HEADER_BYTES, wanted).await?;
    distributor.flush_patiently().await
}

/// Which ordinals were found by redirects, and by how many; all others by none.
type Hops = HashMap<Ordinal, u8>;

/// Where the page of a record stood.
fn distance_of(record: &PageRecord, hops: &Hops) -> Distance {
    let hops = record.ordinal.and_then(|ordinal| hops.get(&ordinal).copied()).unwrap_or(0);
    Distance { depth: record.depth, hops }
}

/// Reads the ready log for what it says about the past. Addresses of depth zero were seeds of earlier runs, or what
/// those redirected to; all of them have passed the sieve, in case that lives in memory only.
fn remember_passed(distributor: &mut Distributor, admission: &Admission) -> Result<Hops, Error> {
    let mark = distributor.mark;
    let mut scan = ReadyScan::open(&distributor.ready_path, journal::HEADER_BYTES, mark.ready_end)?;
    let sieve = &mut distributor.sieve;
    let mut hops = Hops::new();
    let mut see = |ready: ReadyUrl<'_>| {
        if ready.hops > 0 {
            hops.insert(ready.ordinal, ready.hops);
        }
        let Ok(url) = PageUrl::from_normalised(ready.url) else { return };
        sieve.remember(url.fingerprint());
        admission.meet(&url, ready.depth);
        if ready.depth == 0 {
            admission.add_seed(&url);
        }
    };
    while scan.next_record(&mut see)? {}
    Ok(hops)
}

/// What earlier runs knew about priorities is in no file: their links, in the order of their pages, tell it again.
fn show_pages(shared: &Shared, collection: &Collection, hops: &Hops) -> Result<(), Error> {
    let store = StoreReader::open(collection)?;
    let (mut pages, mut links) = (store.pages()?, store.links()?);
    while let Some((_, record)) = pages.next()? {
        shared.show_page(&record.url, "", distance_of(&record, hops), &links.of(&record)?);
    }
    Ok(())
}

/// The links of records behind the mark were on their way to the sieve when the last run ended. If the rules of
/// admission have changed since, the mark is at the beginning, and all links are judged anew. Those of copies count if
/// this run follows them; their records say what is a copy.
fn offer_lost_links(
    distributor: &mut Distributor,
    collection: &Collection,
    admission: &Admission,
    hops: &Hops,
    known: &mut KnownSeeds,
) -> Result<(), Error> {
    let store = StoreReader::open(collection)?;
    let (mut pages, mut links) = (store.pages()?, store.links()?);
    let skips_copies = distributor.shared.config.copies == CopyLinks::Skip;
    let mut index = 0;
    while let Some((_, record)) = pages.next()? {
        index += 1;
        known.see(&record);
        if index <= distributor.mark.records_through {
            continue;
        }
        if let Some(visit) = visit_of(&record) {
            distributor.sieve.note_visit(record.url.fingerprint(), record.url.as_str(), visit)?;
        }
        if record.links_offset.is_none() {
            continue;
        }
        if skips_copies && record.copy_of.is_some() {
            continue;
        }
        let (links, page) = (links.of(&record)?, distance_of(&record, hops));
        links.iter().for_each(|link| admission.follow_seed(&link.target, link.kind, page));
        for (link, distance) in admission.choose(&links, page).links {
            distributor.offer(&link.target, distance)?;
        }
        // However much was lost, memory is bounded; what passes is sent out with the rest of the log.
        if distributor.sieve.is_full() {
            let shared = distributor.shared.clone();
            shared.patiently(|| distributor.flush_sieve())?;
        }
    }
    Ok(())
}

/// Start addresses that earlier runs met as links. The sieve does not let them through again, so whoever names them now
/// is told what became of them then.
struct KnownSeeds(HashMap<Fingerprint, Option<FailedAddress>>);

impl KnownSeeds {
    fn new(seeds: &[PageUrl]) -> Self {
        Self(seeds.iter().map(|seed| (seed.fingerprint(), None)).collect())
    }

    /// The last record of an address decides. What failed then anyway is tried again by this run.
    fn see(&mut self, record: &PageRecord) {
        if self.0.is_empty() || record.ordinal.is_none() {
            return;
        }
        if let Some(last) = self.0.get_mut(&record.url.fingerprint()) {
            let as_start = PageRecord { depth: 0, ..record.clone() };
            let why = as_start.why_failed().filter(|_| record.why_failed().is_none());
            *last = why.map(|why| FailedAddress { url: record.url.clone(), why });
        }
    }

    fn tell(self, shared: &Shared) {
        for FailedAddress { url, why } in self.0.into_values().flatten() {
            shared.note_failure(&url, why);
        }
    }
}
