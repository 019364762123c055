//! Pages and sites that would fill the disk with addresses, and the gate that leaves them out.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use crawl::{CrawlBudget, CrawlConfig, GateLimits, StopReason};
use lab::{Reply, ScriptedHost};

use crate::scripted::Zoo;

/// Bytes of all files in a folder.
fn bytes_in(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries
        .map(
            |entry| {
                if entry.path().is_dir() { bytes_in(&entry.path()) } else { entry.metadata().unwrap().len() }
            },
        )
        .sum()
}

/// A host whose every page links to so many addresses that were never there before.
fn flood(links: usize) -> ScriptedHost {
    ScriptedHost::new("flood.test", 0, move |path, _| match path {
        "/robots.txt" => Reply::status(404),
        path => {
            let mut body = String::with_capacity(links * 40);
            for link in 0..links {
                write!(body, "<a href=/a-page-of-the-flood{path}x{link}>x</a>").unwrap();
            }
            Reply::page(body)
        }
    })
}

#[test]
fn a_page_with_two_hundred_thousand_links_puts_few_of_them_on_disk() {
    let on_disk = |links_per_page_max| {
        let zoo = Zoo::start(0, |_| vec![flood(200_000)]);
        let gate = GateLimits { links_per_page_max, ..GateLimits::default() };
        let budget = CrawlBudget { pages_max: Some(1), ..zoo.config().budget };
        let report =
            zoo.crawl(CrawlConfig { gate, budget, ..zoo.config() }, &[zoo.web.url("flood.test", "/")]);
        assert_eq!(report.pages_stored, 1);
        let dir = zoo.collection_path();
        (report.left_out.place, bytes_in(&dir.join("sieve")) + bytes_in(&dir.join("frontier")))
    };
    // A page is read up to its 50,000th link: the parser has a limit, too.
    let (none_left_out, all_bytes) = on_disk(usize::MAX);
    let (most_left_out, few_bytes) = on_disk(1000);
    assert_eq!((none_left_out, most_left_out), (0, 49_000));
    assert!(all_bytes > 2_500_000, "{all_bytes} bytes for all");
    assert!(few_bytes < 150_000, "{few_bytes} bytes for a thousand addresses");
    let (_, usual_bytes) = on_disk(GateLimits::default().links_per_page_max);
    assert!(usual_bytes < 1_200_000, "{usual_bytes} bytes by default");
}

#[test]
fn links_to_a_host_that_is_full_cost_nothing_and_come_back_with_a_larger_budget() {
    // Each page leads to the next alone, so that whoever forgets the last link has nothing left.
    let zoo = Zoo::start(0, |_| vec![two_chains(0).remove(1)]);
    let with_budget = |pages_per_host_max| CrawlConfig {
        budget: CrawlBudget { pages_per_host_max, pages_max: Some(8), ..zoo.config().budget },
        ..zoo.config()
    };
    let seeds = [zoo.web.url("far.test", "/")];
    let report = zoo.crawl(with_budget(Some(3)), &seeds);
    assert_eq!((report.reason, report.pages_stored), (StopReason::Finished, 3));
    assert_eq!(report.left_out.full, 1);
    let report = zoo.crawl(with_budget(Some(5)), &[]);
    assert_eq!((report.reason, report.pages_stored), (StopReason::Finished, 5));
    let report = zoo.crawl(with_budget(None), &[]);
    assert_eq!((report.reason, report.pages_stored), (StopReason::PageBudget, 8));
}

/// Four hosts of two domains at four machines; each page links to two new ones of its host, and fronts to each other.
fn two_domains(port: u16) -> Vec<ScriptedHost> {
    let names = ["a.one.test", "b.one.test", "c.one.test", "a.two.test"];
    let fronts: Vec<String> = names.iter().map(|name| format!("http://{name}:{port}/")).collect();
    let host = |(address, name): (usize, &str)| {
        let fronts = fronts.clone();
        ScriptedHost::new(name, address as u32, move |path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/" => Reply::links(fronts.iter().map(String::as_str).chain(["/1", "/2"])),
            path => Reply::links([&*format!("{path}1"), &*format!("{path}2")]),
        })
    };
    names.into_iter().enumerate().map(host).collect()
}

#[test]
fn domain_budgets_are_met_exactly_by_all_hosts_together_and_can_be_raised() {
    let zoo = Zoo::start(0, two_domains);
    let seeds = [zoo.web.url("a.one.test", "/")];
    for per_domain in [7, 20, 21] {
        let budget = CrawlBudget { pages_per_domain_max: Some(per_domain), ..zoo.config().budget };
        let report = zoo.crawl(CrawlConfig { budget, ..zoo.config() }, &seeds);
        assert_eq!(report.reason, StopReason::Finished);
        let mut counts = HashMap::new();
        for page in zoo.pages() {
            *counts.entry(if page.contains(".one.test") { "one" } else { "two" }).or_insert(0) += 1;
        }
        assert_eq!(counts, HashMap::from([("one", per_domain), ("two", per_domain)]));
    }
    zoo.assert_polite();
}

/// A chain of pages without end, and one that leads to another chain from its fifth page.
fn two_chains(port: u16) -> Vec<ScriptedHost> {
    let chain = |name, address, elsewhere: Option<String>| {
        ScriptedHost::new(name, address, move |path, _| {
            match (path.trim_start_matches('/').parse::<u64>(), &elsewhere) {
                (Err(_), _) if path == "/robots.txt" => Reply::status(404),
                (Err(_), _) => Reply::links(["/1"]),
                (Ok(4), Some(elsewhere)) => Reply::links(["/5", elsewhere]),
                (Ok(page), _) => Reply::links([&*format!("/{}", page + 1)]),
            }
        })
    };
    vec![chain("near.test", 0, Some(format!("http://far.test:{port}/"))), chain("far.test", 1, None)]
}

#[test]
fn a_host_is_entered_so_deep_wherever_it_is_met_and_after_a_restart_too() {
    for restarts in [0, 3] {
        let zoo = Zoo::start(0, two_chains);
        let seeds = [zoo.web.url("near.test", "/")];
        let config = |pages_max| CrawlConfig {
            budget: CrawlBudget { site_depth_max: Some(6), pages_max, ..zoo.config().budget },
            ..zoo.config()
        };
        for restart in 0..restarts {
            zoo.crawl(config(Some(1 + 4 * restart)), &seeds);
        }
        let report = zoo.crawl(config(None), &seeds);
        assert_eq!(report.reason, StopReason::Finished);
        let of = |host: &str| zoo.pages().iter().filter(|page| page.starts_with(host)).count();
        assert_eq!((of("near.test"), of("far.test")), (7, 7), "after {restarts} restarts");
    }
}
