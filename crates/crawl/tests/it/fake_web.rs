//! A fake web that is being served, and a collection that is being filled from it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crawl::{Agent, CrawlBudget, CrawlConfig, CrawlReport, Scope};
use fetch::{AddressGuard, NameResolver};
use frontier::PolitenessPolicy;
use lab::{FakeWeb, LabConfig, LabServer, Truth};
use page::{Clock, PageUrl, SystemClock};
use store::{Collection, StoreReader};

use crate::policies::{NO_REST, audited};

pub struct Lab {
    pub server: LabServer,
    pub truth: Truth,
    pub policy: PolitenessPolicy,
    dir: tempfile::TempDir,
}

impl Lab {
    pub fn start(config: LabConfig, delay: Duration) -> Self {
        Self::start_with(config, PolitenessPolicy { host_delay: delay, address_delay: delay, ..NO_REST })
    }

    /// The audit holds the crawl to the policy that it is given.
    pub fn start_with(config: LabConfig, policy: PolitenessPolicy) -> Self {
        let web = Arc::new(FakeWeb::new(config));
        let server = LabServer::start(web.clone(), 0, audited(policy)).unwrap();
        let truth = web.truth(server.port());
        Self { server, truth, policy, dir: tempfile::tempdir().unwrap() }
    }

    pub fn collection_path(&self) -> PathBuf {
        self.dir.path().join("test.crivello")
    }

    pub fn config(&self) -> CrawlConfig {
        CrawlConfig {
            policy: self.policy,
            // A crawl that would never end is a failure, too.
            budget: CrawlBudget { duration_max: Some(Duration::from_secs(60)), ..CrawlBudget::default() },
            scope: Scope::All,
            memory_bytes: 64 << 20,
            // Every restart goes on from a checkpoint and a log in parts.
            checkpoint_every: 10,
            ready_part_bytes: 1 << 10,
            ..CrawlConfig::default()
        }
    }

    pub fn resolver(&self) -> NameResolver {
        let table = self.dir.path().join("hosts.tsv");
        std::fs::write(&table, self.server.hosts_tsv()).unwrap();
        let mut resolver = NameResolver::new(AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]));
        resolver.load_table(&table).unwrap();
        resolver
    }

    pub fn seeds(&self) -> Vec<PageUrl> {
        self.truth.seeds.iter().map(|seed| PageUrl::parse(seed).unwrap()).collect()
    }

    pub fn crawl(&self, config: CrawlConfig) -> CrawlReport {
        let collection = Collection::open_or_create(&self.collection_path(), SystemClock.now()).unwrap();
        let agent = Agent::open(&collection, config, self.resolver(), Arc::new(SystemClock)).unwrap();
        agent.run(self.seeds()).unwrap()
    }

    /// The addresses of all stored pages. Panics if one is there twice.
    pub fn stored_pages(&self) -> BTreeSet<String> {
        let collection = Collection::open(&self.collection_path()).unwrap();
        let mut pages = StoreReader::open(&collection).unwrap().pages().unwrap();
        let mut stored = BTreeSet::new();
        while let Some((_, page)) = pages.next().unwrap() {
            if page.is_page() {
                assert!(stored.insert(page.url.as_str().to_owned()), "{} is stored twice", page.url);
            }
        }
        stored
    }

    /// All arcs between stored pages that may be followed.
    pub fn stored_arcs(&self) -> BTreeSet<(String, String)> {
        let stored = self.stored_pages();
        let collection = Collection::open(&self.collection_path()).unwrap();
        let store = StoreReader::open(&collection).unwrap();
        let (mut pages, mut links) = (store.pages().unwrap(), store.links().unwrap());
        let mut arcs = BTreeSet::new();
        while let Some((_, page)) = pages.next().unwrap() {
            for link in links.of(&page).unwrap() {
                if page.is_page()
                    && link.kind.is_arc()
                    && !link.nofollow
                    && stored.contains(link.target.as_str())
                {
                    arcs.insert((page.url.as_str().to_owned(), link.target.as_str().to_owned()));
                }
            }
        }
        arcs
    }

    pub fn assert_truth(&self) {
        let (stored, expected) =
            (self.stored_pages(), self.truth.pages.iter().cloned().collect::<BTreeSet<_>>());
        let (missing, extra): (Vec<_>, Vec<_>) =
            (expected.difference(&stored).take(5).collect(), stored.difference(&expected).take(5).collect());
        assert!(missing.is_empty() && extra.is_empty(), "missing {missing:?}, extra {extra:?}");
        let arcs = self.stored_arcs();
        let owned = |(source, target): (&str, &str)| (source.to_owned(), target.to_owned());
        let expected: BTreeSet<_> = self.truth.arcs().map(owned).collect();
        let (missing, extra): (Vec<_>, Vec<_>) =
            (expected.difference(&arcs).take(5).collect(), arcs.difference(&expected).take(5).collect());
        assert!(missing.is_empty() && extra.is_empty(), "arcs missing {missing:?}, extra {extra:?}");
    }

    pub fn assert_polite(&self) {
        let audit = self.server.audit();
        assert_eq!(audit.violations, 0, "{:?}", audit.examples);
    }
}
