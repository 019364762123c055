//! Visits of several requests on one connection, and rests by what they took.

use std::time::Duration;

use crawl::CrawlConfig;
use frontier::PolitenessPolicy;
use lab::{LabConfig, Reply, ScriptedHost};

use crate::fake_web::Lab;
use crate::policies::NO_REST;
use crate::scripted::Zoo;

fn ratio(visit_ms: u64, rest_ratio: f64) -> PolitenessPolicy {
    PolitenessPolicy { visit_time: Duration::from_millis(visit_ms), rest_ratio, ..NO_REST }
}

/// A host whose home page links to so many pages, each of which takes so long.
fn many_pages(name: &'static str, address: u32, pages: u32, thinks_ms: u64) -> ScriptedHost {
    let paths: Vec<String> = (0..pages).map(|page| format!("/{page}")).collect();
    ScriptedHost::new(name, address, move |path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::links(paths.iter().map(String::as_str)),
        _ => Reply { thinks: Duration::from_millis(thinks_ms), ..Reply::page("page") },
    })
}

#[test]
fn a_visit_has_many_requests_and_then_a_rest_by_what_it_took() {
    let policy = PolitenessPolicy { host_delay: Duration::from_millis(300), ..ratio(50, 3.0) };
    // All pages of a host take several visits of 50 ms.
    let zoo =
        Zoo::start_with(policy, |_| vec![many_pages("a.test", 0, 60, 4), many_pages("b.test", 0, 20, 4)]);
    let seeds = ["a.test", "b.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl(zoo.config(), &seeds);
    assert_eq!(zoo.pages().len(), 61 + 21);
    // One request at a time would take 25 seconds.
    assert!(report.elapsed < Duration::from_secs(8), "{:?}", report.elapsed);
    zoo.assert_polite();
}

#[test]
fn a_site_that_asks_for_a_delay_or_has_trouble_is_not_visited_so() {
    let zoo = Zoo::start_with(ratio(5000, 0.0), |_| {
        let shy = ScriptedHost::new("shy.test", 0, |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nCrawl-delay: 0.2"),
            "/" => Reply::links(["/1", "/2", "/3"]),
            _ => Reply::page("page"),
        });
        let broken = ScriptedHost::new("broken.test", 1, |path, times| match (path, times) {
            ("/robots.txt", _) => Reply::status(404),
            ("/", _) => Reply::links(["/1", "/2", "/3"]),
            ("/1", _) => Reply::status(500),
            ("/2", 1) => Reply::status(503).with("Retry-After: 2"),
            _ => Reply::page("page"),
        });
        vec![ScriptedHost { crawl_delay: Duration::from_millis(200), ..shy }, broken]
    });
    let seeds = ["shy.test", "broken.test"].map(|host| zoo.web.url(host, "/"));
    zoo.crawl(zoo.config(), &seeds);
    assert_eq!(zoo.pages().len(), 4 + 3);
    zoo.assert_polite();
}

#[test]
fn whole_webs_are_found_in_visits_as_in_single_requests_all_rules_mixed() {
    for seed in [71, 72, 73] {
        let config = LabConfig {
            seed,
            hosts: 9,
            pages: 250,
            hosts_per_address: 2,
            slow_host_rate: 0.3,
            slow_ms: 12,
            crawl_delay_rate: 0.3,
            crawl_delay_s: 0.03,
            ..LabConfig::default()
        };
        let policy = PolitenessPolicy {
            host_delay: Duration::from_millis(5),
            address_delay: Duration::from_millis(8),
            ..ratio(30, 2.0)
        };
        let lab = Lab::start_with(config, policy);
        lab.crawl(CrawlConfig { sitemaps: true, ..lab.config() });
        lab.assert_truth();
        lab.assert_polite();
    }
}

#[test]
fn a_budget_is_met_exactly_in_visits_too() {
    let zoo = Zoo::start_with(ratio(10_000, 0.0), |_| {
        vec![many_pages("a.test", 0, 60, 0), many_pages("b.test", 1, 60, 0)]
    });
    let seeds = ["a.test", "b.test"].map(|host| zoo.web.url(host, "/"));
    let mut config = zoo.config();
    config.budget.pages_per_host_max = Some(7);
    zoo.crawl(config.clone(), &seeds);
    assert_eq!(zoo.pages().len(), 14);
    config.budget.pages_per_host_max = None;
    config.budget.pages_max = Some(31);
    zoo.crawl(config, &seeds);
    assert_eq!(zoo.pages().len(), 31);
}
