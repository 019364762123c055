//! Crawls that go on under other rules than they began with.

use std::sync::Arc;
use std::time::Duration;

use crawl::{Agent, CrawlBudget, CrawlConfig, Scope};
use fetch::{AddressGuard, NameResolver};
use lab::LabConfig;
use page::{Clock, SystemClock};
use store::Collection;

use crate::fake_web::Lab;

fn lab(seed: u64) -> Lab {
    Lab::start(LabConfig { seed, hosts: 8, pages: 300, slow_ms: 5, ..LabConfig::default() }, Duration::ZERO)
}

#[test]
fn wider_rules_find_what_narrower_ones_had_refused() {
    let lab = lab(51);
    let budget = CrawlBudget { depth_max: Some(1), ..CrawlBudget::default() };
    let narrow = [
        CrawlConfig { budget, ..lab.config() },
        CrawlConfig { scope: Scope::Host, ..lab.config() },
        CrawlConfig { exclude: vec![regex::Regex::new("[0-9]").unwrap()], ..lab.config() },
    ];
    for config in narrow {
        lab.crawl(config);
        assert!(lab.stored_pages().len() < lab.truth.pages.len());
    }
    lab.crawl(lab.config());
    lab.assert_truth();
    assert_eq!(lab.server.audit().refetched, 0);
}

#[test]
fn a_new_exclusion_holds_for_addresses_that_wait() {
    let lab = lab(52);
    let budget = CrawlBudget { pages_max: Some(30), ..CrawlBudget::default() };
    lab.crawl(CrawlConfig { budget, ..lab.config() });
    let before = lab.stored_pages();
    lab.crawl(CrawlConfig { exclude: vec![regex::Regex::new(".").unwrap()], ..lab.config() });
    let seeds = lab.truth.seeds.iter().cloned().collect();
    assert_eq!(lab.stored_pages(), before.union(&seeds).cloned().collect(), "seeds alone are still fetched");
    lab.crawl(lab.config());
    lab.assert_truth();
}

#[test]
fn what_failed_is_tried_again_by_the_next_run() {
    let lab = lab(53);
    let collection = Collection::open_or_create(&lab.collection_path(), SystemClock.now()).unwrap();
    let table = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(table.path(), lab.server.hosts_tsv()).unwrap();
    let mut closed = NameResolver::new(AddressGuard::default());
    closed.load_table(table.path()).unwrap();
    let agent = Agent::open(&collection, lab.config(), closed, Arc::new(SystemClock)).unwrap();
    let report = agent.run(lab.seeds()).unwrap();
    assert_eq!((report.pages_stored, report.failed), (0, lab.truth.seeds.len() as u64));
    drop(collection);
    lab.crawl(lab.config());
    lab.assert_truth();
}
