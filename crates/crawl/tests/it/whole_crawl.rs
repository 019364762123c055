//! Crawls that run from beginning to end.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crawl::{CrawlBudget, CrawlConfig, StopReason};
use lab::{LabConfig, Reply, ScriptedHost};

use crate::fake_web::Lab;
use crate::scripted::Zoo;

fn small_web(seed: u64) -> LabConfig {
    LabConfig { seed, hosts: 12, pages: 600, slow_ms: 20, ..LabConfig::default() }
}

#[test]
fn a_crawl_finds_the_truth_politely() {
    for seed in [1, 2, 3] {
        let lab = Lab::start(small_web(seed), Duration::from_millis(5));
        let report = lab.crawl(lab.config());
        assert_eq!(report.reason, StopReason::Finished);
        assert_eq!(report.pages_stored, lab.truth.pages.len() as u64);
        lab.assert_truth();
        lab.assert_polite();
    }
}

#[test]
fn several_hosts_on_one_address_are_still_visited_one_at_a_time() {
    let lab =
        Lab::start(LabConfig { hosts_per_address: 6, pages: 300, ..small_web(4) }, Duration::from_millis(5));
    lab.crawl(lab.config());
    lab.assert_truth();
    lab.assert_polite();
}

#[test]
fn a_second_crawl_of_a_finished_one_fetches_nothing() {
    let lab = Lab::start(small_web(5), Duration::ZERO);
    lab.crawl(lab.config());
    let requests = lab.server.requests();
    let report = lab.crawl(lab.config());
    assert_eq!((report.reason, report.pages_this_run), (StopReason::Finished, 0));
    assert_eq!(lab.server.requests(), requests);
}

#[test]
fn page_budgets_are_met_exactly_and_can_be_raised() {
    let lab = Lab::start(small_web(6), Duration::ZERO);
    let with_budget =
        |pages_max| CrawlConfig { budget: CrawlBudget { pages_max, ..lab.config().budget }, ..lab.config() };
    for pages_max in [1, 37, 200] {
        let report = lab.crawl(with_budget(Some(pages_max)));
        assert_eq!((report.reason, report.pages_stored), (StopReason::PageBudget, pages_max));
        assert_eq!(lab.stored_pages().len() as u64, pages_max);
    }
    lab.crawl(with_budget(None));
    lab.assert_truth();
}

#[test]
fn what_robots_txt_forbids_takes_nothing_from_the_budget() {
    let zoo = Zoo::start(1, |_| {
        let host = |name: &str, address, robots: &'static str| {
            ScriptedHost::new(name, address, move |path, _| match path {
                "/robots.txt" => Reply::text(robots),
                "/" => Reply::links(["/1", "/2", "/3"]),
                _ => Reply::page("page"),
            })
        };
        let closed = "User-agent: *\nDisallow: /";
        vec![host("a.test", 0, closed), host("b.test", 1, closed), host("open.test", 2, "")]
    });
    let duration_max = Some(Duration::from_secs(5));
    let budget = CrawlBudget { pages_max: Some(4), duration_max, ..CrawlBudget::default() };
    let seeds = ["a.test", "b.test", "open.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl(CrawlConfig { budget, ..zoo.config() }, &seeds);
    assert_eq!((report.reason, report.pages_stored), (StopReason::PageBudget, 4));
}

#[test]
fn host_budgets_hold_for_every_host_and_can_be_raised() {
    let lab = Lab::start(small_web(7), Duration::ZERO);
    let with_budget = |pages_per_host_max| CrawlConfig {
        budget: CrawlBudget { pages_per_host_max, ..lab.config().budget },
        ..lab.config()
    };
    for per_host in [3, 10] {
        let report = lab.crawl(with_budget(Some(per_host)));
        assert_eq!(report.reason, StopReason::Finished);
        let mut counts = HashMap::new();
        for url in lab.stored_pages() {
            *counts.entry(page::PageUrl::parse(&url).unwrap().site()).or_insert(0) += 1;
        }
        assert!(counts.values().all(|&count| count <= per_host), "{counts:?}");
        assert_eq!(counts.values().max(), Some(&per_host));
    }
    lab.crawl(with_budget(None));
    lab.assert_truth();
}

#[test]
fn depth_is_counted_along_shortest_paths() {
    for depth_max in [0, 1, 2, 4] {
        // Redirects make no arc of the truth, so this web has none.
        let lab = Lab::start(LabConfig { redirect_rate: 0.0, ..small_web(8) }, Duration::ZERO);
        let budget = CrawlBudget { depth_max: Some(depth_max), ..CrawlBudget::default() };
        lab.crawl(CrawlConfig { budget, ..lab.config() });
        assert_eq!(lab.stored_pages(), pages_within(&lab, depth_max), "depth {depth_max}");
    }
}

#[test]
fn a_short_way_counts_even_if_a_longer_one_is_quicker() {
    let zoo = Zoo::start(1, |port| {
        let target = format!("http://target.test:{port}/");
        let to_target = target.clone();
        let quick = ScriptedHost::new("quick.test", 0, move |path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/" => Reply::links(["/1"]),
            _ => Reply::links([&*to_target]),
        });
        let slow = ScriptedHost::new("slow.test", 1, move |path, _| match path {
            "/robots.txt" => Reply::status(404),
            _ => Reply { thinks: Duration::from_millis(1500), ..Reply::links([&*target]) },
        });
        let target = ScriptedHost::new("target.test", 2, |path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/" => Reply::links(["/below"]),
            _ => Reply::page("two links from the slow seed, three from the quick one"),
        });
        vec![quick, slow, target]
    });
    let budget = CrawlBudget { depth_max: Some(2), ..zoo.config().budget };
    let seeds = ["quick.test", "slow.test"].map(|host| zoo.web.url(host, "/"));
    zoo.crawl(CrawlConfig { budget, ..zoo.config() }, &seeds);
    assert!(zoo.pages().contains("target.test/below"), "{:?}", zoo.pages());
}

fn pages_within(lab: &Lab, steps: u16) -> BTreeSet<String> {
    let mut reached: BTreeSet<String> = lab.truth.seeds.iter().cloned().collect();
    for _ in 0..steps {
        let arcs = lab.truth.arcs().filter(|(source, _)| reached.contains(*source));
        let further: Vec<String> = arcs.map(|(_, target)| target.to_owned()).collect();
        reached.extend(further);
    }
    reached
}

#[test]
fn a_small_memory_budget_changes_nothing_but_the_speed() {
    let lab = Lab::start(small_web(9), Duration::ZERO);
    lab.crawl(CrawlConfig { memory_bytes: 1 << 20, ..lab.config() });
    lab.assert_truth();
}

#[test]
fn more_hosts_than_memory_holds_are_visited_politely_and_found_whole() {
    let web = LabConfig {
        hosts: 500,
        pages: 1500,
        hosts_per_address: 5,
        crawl_delay_rate: 0.1,
        crawl_delay_s: 0.1,
        ..small_web(10)
    };
    let lab = Lab::start(web, Duration::from_millis(20));
    let config = CrawlConfig { memory_bytes: 1 << 20, workers: 1, ..lab.config() };
    let overflow = lab.collection_path().join("frontier/overflow-0");
    let report = lab.crawl(config);
    assert_eq!(report.reason, StopReason::Finished);
    lab.assert_truth();
    lab.assert_polite();
    // A few hosts of some hundred bytes fill the memory of the queues, and hosts without addresses go first.
    assert!(std::fs::metadata(overflow).unwrap().len() > 0, "hosts were on disk");
}
