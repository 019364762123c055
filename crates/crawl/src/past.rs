//! The past: what earlier runs have come to, as far as a restart must know it.
//!
//! All of it follows from the page table and the ready log, by looking at each of their records once. So that a restart need
//! not, it is written to a file now and then, the *checkpoint*, with the places up to which both were looked at: a restart
//! reads that file and the records behind those places. The checkpoint is a shortcut and nothing else: without it, or with one
//! that does not fit, everything is read again.
//!
//! While a crawl goes on, one thread ([`Checkpointer`](crate::checkpointer)) brings the file up to date. Only it and a restart
//! have the past in memory.
//!
//! Cost: a bit for each address that was ever met, 16 bytes for each site, and the hosts of the seeds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use frontier::{ReadyPlace, ReadyScan, ReadyUrl};
use page::{CopyKind, Fingerprint, Ordinal, PageUrl, RecordNumber};
use store::{Collection, PageRecord, RecordKind, StorePoint, StoreReader};
use xxhash_rust::xxh3::xxh3_64;

use crate::{CrawlConfig, Error};

/// What the page table and the ready log say about earlier runs, up to some place in each.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Past {
    /// The rules under which it was gathered: see [`CrawlConfig::rules_fingerprint`].
    pub(crate) rules: u64,
    /// Up to where the page table was looked at…
    pub(crate) store: StorePoint,
    /// …and the ready log.
    pub(crate) ready: ReadyPlace,
    /// The parts of the ready log before that which still matter, with how many addresses each holds.
    pub(crate) parts: BTreeMap<Ordinal, u64>,
    pub(crate) pages_stored: u64,
    pub(crate) copies_exact: u64,
    pub(crate) copies_near: u64,
    pub(crate) done: Done,
    /// Pages of each site, and of each registrable domain if these have budgets, by hashes of their names.
    pub(crate) sites: HashMap<u64, u64>,
    pub(crate) domains: HashMap<u64, u64>,
    /// Of each host the address that was met first, and how deep, if that matters.
    pub(crate) entries: HashMap<u64, (Ordinal, u16)>,
    /// Addresses of depth zero: seeds, and what those redirected to.
    pub(crate) starts: HashSet<Fingerprint>,
    /// The sites that they are on.
    pub(crate) start_sites: HashSet<Box<str>>,
    /// Which ordinals were found by redirects, and by how many; all others by none.
    pub(crate) hops: HashMap<Ordinal, u8>,
    /// Whether those are counted.
    pub(crate) counts_domains: bool,
    pub(crate) counts_entries: bool,
}

/// By what a site, a host or a domain is known.
pub(crate) fn name_key(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

impl Past {
    /// Nothing was looked at yet.
    pub(crate) fn new(config: &CrawlConfig) -> Self {
        Self {
            rules: config.rules_fingerprint(),
            counts_domains: config.budget.pages_per_domain_max.is_some(),
            counts_entries: config.budget.site_depth_max.is_some(),
            ..Self::default()
        }
    }

    /// The same with what a checkpoint says of it, which goes by the same rules.
    pub(crate) fn counting_as(self, config: &CrawlConfig) -> Self {
        let Self { rules, counts_domains, counts_entries, .. } = Self::new(config);
        Self { rules, counts_domains, counts_entries, ..self }
    }

    /// Looks at the records of the page table up to a moment of it.
    pub(crate) fn read_table(&mut self, collection: &Collection, through: StorePoint) -> Result<(), Error> {
        if through.records > self.store.records {
            let mut pages = StoreReader::open(collection)?.pages_from(self.store.pages)?;
            for _ in self.store.records..through.records {
                let Some((_, record)) = pages.next()? else { break };
                self.see_record(&record);
            }
        }
        self.store = through;
        Ok(())
    }

    /// Looks at the addresses of the ready log up to a place of it.
    pub(crate) fn read_log(&mut self, folder: &Path, through: ReadyPlace) -> Result<(), Error> {
        let mut scan = ReadyScan::open(folder, self.ready, Some(through))?;
        while scan.next_record(|ready| self.see_ready(ready))? {}
        self.ready = through;
        Ok(())
    }

    fn see_record(&mut self, record: &PageRecord) {
        match record.copy_of.map(|copy| copy.kind) {
            Some(CopyKind::Exact) => self.copies_exact += 1,
            Some(CopyKind::Near) => self.copies_near += 1,
            None => {}
        }
        if let Some(ordinal) = record.ordinal {
            // What failed is tried again by the next run: the network, the server, the name or the start page may be
            // back.
            if record.why_failed().is_none() {
                self.done.insert(ordinal);
            }
            // Its line in the ready log may be gone.
            self.meet(ordinal, record.depth, &record.url);
        }
        if record.is_page() && record.kind == RecordKind::Fetched {
            self.pages_stored += 1;
            *self.sites.entry(name_key(record.url.site_str())).or_default() += 1;
            if self.counts_domains {
                let domain = page::registrable_domain(record.url.host());
                *self.domains.entry(name_key(domain)).or_default() += 1;
            }
        }
    }

    fn see_ready(&mut self, ready: ReadyUrl<'_>) {
        if ready.hops > 0 {
            self.hops.insert(ready.ordinal, ready.hops);
        }
        if (ready.depth == 0 || self.counts_entries)
            && let Ok(url) = PageUrl::from_normalised(ready.url)
        {
            self.meet(ready.ordinal, ready.depth, &url);
        }
    }

    /// An address of this ordinal has passed the sieve.
    fn meet(&mut self, ordinal: Ordinal, depth: u16, url: &PageUrl) {
        if self.counts_entries {
            let entry = self.entries.entry(name_key(url.host())).or_insert((ordinal, depth));
            *entry = (*entry).min((ordinal, depth));
        }
        if depth == 0 && self.starts.insert(url.fingerprint()) && !self.start_sites.contains(url.site_str()) {
            self.start_sites.insert(url.site_str().into());
        }
    }

    /// How many records the page table has.
    pub(crate) fn record_count(&self) -> RecordNumber {
        RecordNumber::new(self.store.records)
    }

    /// Is an address of a part of the ready log still to be kept there?
    pub(crate) fn is_wanted(&self, ordinal: Ordinal, hops: u8) -> bool {
        hops > 0 || !self.done.contains(ordinal)
    }
}

/// Which ordinals are done: a bit each, but for those before the first that is not.
#[derive(Debug, Default, PartialEq, Clone)]
pub(crate) struct Done {
    /// Words before the first that is kept; all their bits are set.
    pub(crate) words_before: usize,
    pub(crate) words: Vec<u64>,
}

impl Done {
    pub(crate) fn insert(&mut self, ordinal: Ordinal) {
        let (word, bit) = (ordinal.index() / 64, ordinal.index() % 64);
        let Some(word) = word.checked_sub(self.words_before) else { return };
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    pub(crate) fn contains(&self, ordinal: Ordinal) -> bool {
        let (word, bit) = (ordinal.index() / 64, ordinal.index() % 64);
        let Some(word) = word.checked_sub(self.words_before) else { return true };
        self.words.get(word).is_some_and(|word| word >> bit & 1 == 1)
    }

    /// How many of some ordinals are not done.
    pub(crate) fn missing(&self, from: Ordinal, to: Ordinal) -> u64 {
        (from.get()..to.get()).filter(|ordinal| !self.contains(Ordinal::new(*ordinal))).count() as u64
    }

    /// Forgets the words at the beginning whose bits are all set.
    pub(crate) fn shorten(&mut self) {
        let full = self.words.iter().take_while(|word| **word == u64::MAX).count();
        self.words.drain(..full);
        self.words_before += full;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_known_after_its_beginning_is_forgotten() {
        let mut done = Done::default();
        for number in (0..200).chain([300, 301]) {
            done.insert(Ordinal::new(number));
        }
        let before = done.clone();
        done.shorten();
        assert_eq!((done.words_before, done.words.len()), (3, 2));
        for number in 0..400 {
            let ordinal = Ordinal::new(number);
            assert_eq!(done.contains(ordinal), before.contains(ordinal), "{number}");
        }
        assert_eq!(done.missing(Ordinal::new(100), Ordinal::new(310)), 100 + 8);
        done.insert(Ordinal::new(5));
        assert!(done.contains(Ordinal::new(5)));
    }
}
