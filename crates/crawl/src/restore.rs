//! Taking up a crawl where it was left, or starting one: from the files to the state in memory.

use std::collections::HashMap;
use std::time::Duration;

use dedup::CopyMarks;
use frontier::{HostFact, HostLog, ReadyLog, ReadyPlace, ReadyScan, ReadyUrl, UnderWay};
use frontier::{list_ready_parts, ready_part_path};
use fs_err as fs;
use page::{Fingerprint, Ordinal, PageKey, PageUrl, RecordNumber, Timestamp};
use sieve::{Candidate, Outlet, Sieve, SieveKind};
use store::{Collection, PageRecord, StorePoint, StoreReader};

use crate::checkpointer::load_fitting;
use crate::desk::visit_of;
use crate::distributor::{Distributor, KnownSites, Mark};
use crate::past::Past;
use crate::shared::Shared;
use crate::{Admission, CopyLinks, CrawlConfig, Distance, Error, FailedAddress};

/// What earlier runs have come to, by the last checkpoint and what was written since; or by all that was ever written, if there
/// is no checkpoint that fits. `mark` is that of the sieve, and `forgets` says that the sieve must be told everything.
pub(crate) fn last_checkpoint(
    collection: &Collection,
    config: &CrawlConfig,
    mark: Mark,
    forgets: bool,
) -> Result<Past, Error> {
    let folder = collection.part("frontier")?;
    let fits =
        |past: &Past| !forgets && past.ready <= mark.ready && past.store.records <= mark.records_through;
    let Some(past) = load_fitting(&folder, config).filter(fits) else { return Ok(Past::new(config)) };
    for part in list_ready_parts(&folder)?.into_iter().filter(|part| *part < past.ready.part) {
        if !past.parts.contains_key(&part) {
            fs::remove_file(ready_part_path(&folder, part))?;
        }
    }
    for part in past.parts.keys() {
        let (path, what) = (ready_part_path(&folder, *part), "it is missing");
        if !path.exists() {
            return Err(frontier::Error::from(journal::Error::Damaged { path, offset: 0, what }).into());
        }
    }
    Ok(past)
}

/// Tells a sieve that lives in memory all addresses that have passed. Those that are done may be in the page table alone.
pub(crate) fn remind_sieve(
    sieve: &mut dyn Sieve,
    collection: &Collection,
    end: ReadyPlace,
) -> Result<(), Error> {
    let mut pages = StoreReader::open(collection)?.pages()?;
    while let Some((_, record)) = pages.next()? {
        if record.ordinal.is_some() {
            sieve.remember(record.url.fingerprint());
        }
    }
    let mut scan = ReadyScan::open(&collection.part("frontier")?, ReadyPlace::START, Some(end))?;
    let mut see = |ready: ReadyUrl<'_>| {
        if let Ok(url) = PageUrl::from_normalised(ready.url) {
            sieve.remember(url.fingerprint());
        }
    };
    while scan.next_record(&mut see)? {}
    Ok(())
}

/// Fills an empty sieve with every address that ever passed: for when the sieve's folder was lost or deleted. They are in the
/// ready log, or in the page table if they are done. The mark says that no links were taken, so that those of all pages are
/// offered again.
///
/// The note stays empty until the last address is in, so that a rebuild that is cut short is begun anew.
pub(crate) fn rebuild_sieve(sieve: &mut dyn Sieve, collection: &Collection) -> Result<Mark, Error> {
    let folder = collection.part("frontier")?;
    let (ready, ready_count) = ReadyLog::measure(&folder)?;
    let mark = Mark { ready, ready_count, ..Mark::default() };
    let mut pages = StoreReader::open(collection)?.pages()?;
    while let Some((_, record)) = pages.next()? {
        if record.ordinal.is_some() {
            offer_known(sieve, &record.url)?;
        }
    }
    let mut scan = ReadyScan::open(&folder, ReadyPlace::START, Some(ready))?;
    let mut addresses: Vec<PageUrl> = Vec::new();
    while scan.next_record(|ready| addresses.extend(PageUrl::from_normalised(ready.url).ok()))? {
        addresses.drain(..).try_for_each(|url| offer_known(sieve, &url))?;
    }
    sieve.flush(&mut Sealed(mark.encode()))?;
    Ok(mark)
}

/// Offers an address that is in the ready log or done: what passes goes nowhere.
fn offer_known(sieve: &mut dyn Sieve, url: &PageUrl) -> Result<(), Error> {
    sieve.offer(Candidate { fingerprint: url.fingerprint(), depth: 0, hops: 0, url: url.as_str() })?;
    if sieve.is_full() {
        sieve.flush(&mut Sealed(Vec::new()))?;
    }
    Ok(())
}

/// Shows all pages of the table before a record to whoever tells copies, with what their records say. Nothing if there is no
/// time for that.
pub(crate) fn read_copies(
    collection: &Collection,
    mut copies: CopyMarks,
    before: RecordNumber,
    is_stopping: impl Fn() -> bool,
) -> Result<Option<CopyMarks>, Error> {
    // The crawl goes on meanwhile, and writes: what it is certain of is behind these.
    let mut pages = StoreReader::open(collection)?.pages_from(PageKey::new(journal::HEADER_BYTES))?;
    let mut number = RecordNumber::new(0);
    while number < before {
        if is_stopping() {
            return Ok(None);
        }
        let Some((_, record)) = pages.next()? else { break };
        copies.remember(number, &record.url, record.print, record.copy_of)?;
        number = number.next();
    }
    Ok(Some(copies))
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

/// Brings a distributor to where the last run left off, and adds the seeds of this one. `since` is where the page table stood
/// at the last checkpoint.
pub(crate) async fn take_up(
    distributor: &mut Distributor,
    collection: &Collection,
    past: &Past,
    since: StorePoint,
    seeds: &[PageUrl],
) -> Result<(), Error> {
    let admission = &distributor.shared.clone().admission;
    for site in &past.start_sites {
        if let Ok(url) = PageUrl::parse(site) {
            admission.add_seed(&url);
        }
    }
    admission.meet_all(past.entries.iter().map(|(host, (_, depth))| (*host, *depth)));
    if distributor.shared.priority.as_ref().is_some_and(|policy| policy.learns_from_pages()) {
        show_pages(&distributor.shared, collection, &past.hops)?;
    }
    KnownSeeds::new(seeds, &*distributor.sieve, past)?.tell(collection, &distributor.shared)?;
    offer_lost_links(distributor, collection, admission, &past.hops, since)?;
    for seed in seeds {
        admission.add_seed(seed);
        distributor.offer(seed, Distance::default())?;
    }
    // The rules of this run hold for what waits, too: so a crawl can be led out of a trap.
    let wanted = |depth, url: &PageUrl| admission.admits_waiting(url, depth);
    distributor.send_ready(ReadyPlace::START, |ordinal| !past.done.contains(ordinal), wanted).await?;
    distributor.flush_patiently().await
}

/// Which ordinals were found by redirects, and by how many; all others by none.
type Hops = HashMap<Ordinal, u8>;

/// Where the page of a record stood.
fn distance_of(record: &PageRecord, hops: &Hops) -> Distance {
    let hops = record.ordinal.and_then(|ordinal| hops.get(&ordinal).copied()).unwrap_or(0);
    Distance { depth: record.depth, hops }
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
    since: StorePoint,
) -> Result<(), Error> {
    let store = StoreReader::open(collection)?;
    let has_taken = since.records <= distributor.mark.records_through;
    let since = if has_taken { since } else { StorePoint::default() };
    let (mut pages, mut links) = (store.pages_from(since.pages)?, store.links()?);
    let skips_copies = distributor.shared.config.copies == CopyLinks::Skip;
    let mut index = since.records;
    while let Some((_, record)) = pages.next()? {
        index += 1;
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
    /// Those that were start addresses before, or that nobody has met, are none. A sieve that cannot say is not believed.
    fn new(seeds: &[PageUrl], sieve: &dyn Sieve, past: &Past) -> Result<Self, Error> {
        let mut known = HashMap::new();
        for seed in seeds.iter().filter(|seed| !past.starts.contains(&seed.fingerprint())) {
            let can_tell = sieve.kind() == SieveKind::Tiered;
            if !can_tell || sieve.look_up(seed.fingerprint(), seed.as_str())?.is_some() {
                known.insert(seed.fingerprint(), None);
            }
        }
        Ok(Self(known))
    }

    /// The last record of an address decides. What failed then anyway is tried again by this run.
    fn see(&mut self, record: &PageRecord) {
        if record.ordinal.is_none() {
            return;
        }
        if let Some(last) = self.0.get_mut(&record.url.fingerprint()) {
            let as_start = PageRecord { depth: 0, ..record.clone() };
            let why = as_start.why_failed().filter(|_| record.why_failed().is_none());
            *last = why.map(|why| FailedAddress { url: record.url.clone(), why });
        }
    }

    /// Looks for them in the page table, if there are any.
    fn tell(mut self, collection: &Collection, shared: &Shared) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((_, record)) = pages.next()? {
            self.see(&record);
        }
        for FailedAddress { url, why } in self.0.into_values().flatten() {
            shared.note_failure(&url, why);
        }
        Ok(())
    }
}
