//! Hosts that follow a script, and a crawl of them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crawl::{Agent, CrawlBudget, CrawlConfig, CrawlReport, Progress, Scope};
use fetch::{AddressGuard, NameResolver};
use frontier::PolitenessPolicy;
use lab::{ScriptedHost, ScriptedWeb};
use page::{Clock, FetchFailure, PageUrl, SystemClock};
use store::{Collection, PageRecord, StoreReader};

use crate::policies::{NO_REST, audited};

pub struct Zoo {
    pub web: ScriptedWeb,
    pub policy: PolitenessPolicy,
    dir: tempfile::TempDir,
}

impl Zoo {
    /// Every host and every address rests for so long.
    pub fn start(delay_ms: u64, hosts: impl FnOnce(u16) -> Vec<ScriptedHost>) -> Self {
        let delay = Duration::from_millis(delay_ms);
        Self::start_with(PolitenessPolicy { host_delay: delay, address_delay: delay, ..NO_REST }, hosts)
    }

    pub fn start_with(policy: PolitenessPolicy, hosts: impl FnOnce(u16) -> Vec<ScriptedHost>) -> Self {
        let audit = audited(policy);
        let web = ScriptedWeb::start(audit, hosts).unwrap();
        Self { web, policy, dir: tempfile::tempdir().unwrap() }
    }

    pub fn config(&self) -> CrawlConfig {
        CrawlConfig {
            policy: self.policy,
            // A crawl that would never end is a failure, too.
            budget: CrawlBudget { duration_max: Some(Duration::from_secs(20)), ..CrawlBudget::default() },
            scope: Scope::All,
            memory_bytes: 64 << 20,
            // Every restart goes on from a checkpoint and a log in parts.
            checkpoint_every: 10,
            ready_part_bytes: 1 << 10,
            workers: 2,
            ..CrawlConfig::default()
        }
    }

    /// Crawls on from what earlier calls left.
    pub fn crawl(&self, config: CrawlConfig, seeds: &[String]) -> CrawlReport {
        self.crawl_watched(config, seeds, |_| {})
    }

    /// The same while somebody looks at its progress again and again.
    pub fn crawl_watched(
        &self,
        config: CrawlConfig,
        seeds: &[String],
        watch: impl FnMut(&Progress) + Send,
    ) -> CrawlReport {
        let table = self.dir.path().join("hosts.tsv");
        std::fs::write(&table, self.web.hosts_tsv()).unwrap();
        let mut resolver = Self::resolver();
        resolver.load_table(&table).unwrap();
        self.run(config, resolver, Arc::new(SystemClock), seeds, watch)
    }

    /// One that finds nothing yet.
    pub fn resolver() -> NameResolver {
        NameResolver::new(AddressGuard::new(vec!["127.40.0.0/16".parse().unwrap()]))
    }

    pub fn crawl_with(
        &self,
        config: CrawlConfig,
        resolver: NameResolver,
        clock: Arc<dyn Clock>,
        seeds: &[String],
    ) -> CrawlReport {
        self.run(config, resolver, clock, seeds, |_| {})
    }

    fn run(
        &self,
        config: CrawlConfig,
        resolver: NameResolver,
        clock: Arc<dyn Clock>,
        seeds: &[String],
        mut watch: impl FnMut(&Progress) + Send,
    ) -> CrawlReport {
        let collection = Collection::open_or_create(&self.collection_path(), SystemClock.now()).unwrap();
        let agent = Agent::open(&collection, config, resolver, clock).unwrap();
        let (progress, is_over) = (agent.progress(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    watch(&progress);
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            let report = agent.run(seeds.iter().map(|seed| PageUrl::parse(seed).unwrap()).collect());
            is_over.store(true, Relaxed);
            report.unwrap()
        })
    }

    pub fn collection_path(&self) -> PathBuf {
        self.dir.path().join("zoo.crivello")
    }

    pub fn records(&self) -> Vec<PageRecord> {
        let collection = Collection::open(&self.collection_path()).unwrap();
        let mut pages = StoreReader::open(&collection).unwrap().pages().unwrap();
        let mut records = Vec::new();
        while let Some((_, record)) = pages.next().unwrap() {
            records.push(record);
        }
        records
    }

    /// Host and path of the pages that were stored.
    pub fn pages(&self) -> BTreeSet<String> {
        let records = self.records();
        let pages = records.iter().filter(|record| record.is_page());
        pages.map(|record| format!("{}{}", record.url.host(), record.url.path_and_query())).collect()
    }

    /// Why addresses failed, by path.
    pub fn failures(&self) -> Vec<(String, FetchFailure)> {
        let records = self.records();
        let failed = records.iter().filter_map(|record| Some((record, record.failure?)));
        failed.map(|(record, failure)| (record.url.path_and_query().to_owned(), failure)).collect()
    }

    #[track_caller]
    pub fn assert_polite(&self) {
        let audit = self.web.audit();
        assert_eq!(audit.violations, 0, "{:?}", audit.examples);
    }
}
