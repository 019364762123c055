//! What a crawl says while it waits, and of start addresses that it knows.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crawl::{CrawlBudget, CrawlConfig, StopReason, Subject, WaitingStats};
use lab::{Reply, ScriptedHost};
use page::Timestamp;
use store::Collection;

use crate::scripted::Zoo;

#[test]
fn whoever_is_waited_for_is_named_with_the_cause_and_the_time() {
    let zoo = Zoo::start(1, |_| {
        let slow = ScriptedHost::new("slow.test", 0, |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nCrawl-delay: 0.4"),
            "/" => Reply::links(["/1"]),
            _ => Reply::page("slow"),
        });
        let tired = ScriptedHost::new("tired.test", 1, |path, count| match (path, count) {
            ("/robots.txt", _) => Reply::status(404),
            (_, 1) => Reply::status(503).with("Retry-After: 2"),
            _ => Reply::page("awake"),
        });
        let quick = ScriptedHost::new("quick.test", 2, |path, _| match path {
            "/robots.txt" => Reply::status(404),
            _ => Reply::page("done at once"),
        });
        vec![slow, tired, quick]
    });
    let mut told = BTreeSet::new();
    let seeds = ["slow.test", "tired.test", "quick.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl_watched(zoo.config(), &seeds, |progress| {
        let is_idle = progress.in_flight.load(Relaxed) == 0 && progress.active.load(Relaxed) > 0;
        if let Some(next) = progress.next_to_visit().filter(|_| is_idle) {
            let left = next.until.saturating_duration_since(Instant::now());
            assert!(left <= Duration::from_secs(2), "{next:?}");
            // Longer than anybody rests without a reason.
            if left > Duration::from_millis(50) {
                told.insert(format!("{} {:?}", next.site.host(), next.cause));
            }
        }
    });
    assert_eq!((report.reason, report.pages_stored), (StopReason::Finished, 4));
    assert!(told.into_iter().eq(["slow.test CrawlDelay", "tired.test Pause"]));
}

#[test]
fn a_ready_log_that_lost_its_end_is_told_by_who_counts_what_waits() {
    let zoo = Zoo::start(1, |_| {
        vec![ScriptedHost::new("a.test", 0, |path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/" => Reply::links(["/1", "/2", "/3"]),
            _ => Reply::page("page"),
        })]
    });
    let seed = zoo.web.url("a.test", "/");
    let budget = CrawlBudget { pages_max: Some(2), ..zoo.config().budget };
    let config = CrawlConfig { budget, ..zoo.config() };
    zoo.crawl(config.clone(), std::slice::from_ref(&seed));

    let collection = Collection::open(&zoo.collection_path()).unwrap();
    let count = || WaitingStats::gather(&collection, Timestamp(0));
    let why_waiting =
        || crawl::why(&collection, &config, &[], &Subject::Host("a.test".into()), &[], Timestamp(0));
    assert_eq!(count().unwrap().unwrap().addresses, 2);
    assert!(why_waiting().is_ok());
    let log = collection.dir().join("frontier/ready.log");
    let whole = std::fs::read(&log).unwrap();
    for bytes in [whole.len() - 1, whole.len() / 2] {
        std::fs::write(&log, &whole[..bytes]).unwrap();
        for told in [count().unwrap_err().to_string(), why_waiting().unwrap_err().to_string()] {
            assert!(told.contains("ready.log` is damaged") && told.contains("end is missing"), "{told}");
        }
    }
}

#[test]
fn a_start_address_that_was_met_before_and_is_no_page_is_told() {
    let zoo = Zoo::start(1, |_| {
        vec![ScriptedHost::new("a.test", 0, |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /closed"),
            "/" => Reply::links(["/gone", "/closed", "/good"]),
            "/good" => Reply::page("good"),
            _ => Reply::status(404),
        })]
    });
    let url = |path: &str| zoo.web.url("a.test", path);
    let first = zoo.crawl(zoo.config(), &[url("/")]);
    assert_eq!(first.failed, 0, "a dead link is no failure");
    let second = zoo.crawl(zoo.config(), &["/gone", "/closed", "/good", "/"].map(url));
    let reasons: BTreeSet<String> =
        second.failures.first().iter().map(|failed| failed.why.to_string()).collect();
    assert!(reasons.into_iter().eq(["HTTP 404", "forbidden by robots.txt"]), "{:?}", second.failures);
    assert_eq!((second.failed, second.pages_this_run), (2, 0));
}
