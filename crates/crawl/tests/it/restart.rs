//! Crawls that are stopped in the middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crawl::{Agent, CrawlBudget, CrawlConfig, SieveChoice, StopReason};
use lab::LabConfig;
use page::{Clock, SystemClock};
use store::Collection;

use crate::fake_web::Lab;

#[test]
fn a_crawl_that_is_stopped_again_and_again_finds_the_same() {
    let lab = Lab::start(
        LabConfig { seed: 21, hosts: 8, pages: 500, ..LabConfig::default() },
        Duration::from_millis(5),
    );
    let mut stops = 0;
    loop {
        let collection = Collection::open_or_create(&lab.collection_path(), SystemClock.now()).unwrap();
        let agent = Agent::open(&collection, lab.config(), lab.resolver(), Arc::new(SystemClock)).unwrap();
        let (handle, progress) = (agent.stop_handle(), agent.progress());
        let is_over = AtomicBool::new(false);
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                // Stop by what was done, not by time, so that a slow machine does the same.
                while progress.pages_this_run.load(Relaxed) < 40 && !is_over.load(Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                handle.stop();
            });
            let report = agent.run(lab.seeds()).unwrap();
            is_over.store(true, Relaxed);
            report
        });
        if report.reason == StopReason::Finished {
            break;
        }
        stops += 1;
        assert!(stops < 100, "it never ends");
    }
    assert!(stops >= 5, "it was stopped only {stops} times");
    lab.assert_truth();
    lab.assert_polite();
}

#[test]
fn a_lost_sieve_is_rebuilt_from_the_ready_log() {
    let lab = Lab::start(
        LabConfig { seed: 22, hosts: 6, pages: 300, slow_ms: 5, ..LabConfig::default() },
        Duration::ZERO,
    );
    let budget = CrawlBudget { pages_max: Some(120), ..CrawlBudget::default() };
    lab.crawl(CrawlConfig { budget, ..lab.config() });
    std::fs::remove_dir_all(lab.collection_path().join("sieve")).unwrap();
    lab.crawl(lab.config());
    lab.assert_truth();
    assert_eq!(lab.server.audit().refetched, 0);
}

#[test]
fn a_bloom_sieve_goes_on_after_a_stop_without_fetching_anything_twice() {
    let lab = Lab::start(
        LabConfig { seed: 23, hosts: 6, pages: 300, slow_ms: 5, ..LabConfig::default() },
        Duration::ZERO,
    );
    let config = CrawlConfig { sieve: SieveChoice::Bloom, ..lab.config() };
    for pages_max in [50, 150] {
        let budget = CrawlBudget { pages_max: Some(pages_max), ..CrawlBudget::default() };
        lab.crawl(CrawlConfig { budget, ..config.clone() });
    }
    lab.crawl(config);
    // A filter for millions of addresses does not err on a few hundred.
    lab.assert_truth();
    assert_eq!(lab.server.audit().refetched, 0);
}
