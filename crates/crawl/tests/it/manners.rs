//! What sites ask of crawlers, beside the delay that the user gives: each rule in a crawl that would be caught.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crawl::{CrawlBudget, CrawlConfig, StopReason};
use frontier::PolitenessPolicy;
use lab::{LabConfig, Reply, ScriptedHost};
use page::FetchFailure::RobotsUnreachable;
use store::RecordKind;

use crate::fake_web::Lab;
use crate::moving::NextDay;
use crate::policies::NO_REST;
use crate::scripted::Zoo;

const CLOSED: &str = "User-agent: *\nDisallow: /forbidden";

/// A host with this robots.txt whose home page links to these paths, all of them pages.
fn host(name: &str, address: u32, robots: Reply, links: &'static [&'static str]) -> ScriptedHost {
    ScriptedHost::new(name, address, move |path, _| match path {
        "/robots.txt" => robots.clone(),
        "/" => Reply::links(links.iter().copied()),
        _ => Reply::page("page"),
    })
}

const LINKS: &[&str] = &["/1", "/2", "/forbidden/x"];

#[test]
fn a_crawl_delay_is_kept() {
    let config =
        LabConfig { crawl_delay_rate: 0.6, crawl_delay_s: 0.12, hosts: 8, pages: 60, ..LabConfig::default() };
    let lab = Lab::start(config, Duration::from_millis(4));
    lab.crawl(lab.config());
    lab.assert_truth();
    lab.assert_polite();
}

#[test]
fn slow_answers_make_long_rests() {
    let policy = PolitenessPolicy {
        host_delay: Duration::from_millis(2),
        address_delay: Duration::from_millis(1),
        rest_ratio: 3.0,
        ..NO_REST
    };
    let config = LabConfig { slow_host_rate: 0.5, slow_ms: 15, hosts: 8, pages: 120, ..LabConfig::default() };
    let lab = Lab::start_with(config, policy);
    lab.crawl(lab.config());
    lab.assert_truth();
    lab.assert_polite();
}

#[test]
fn hosts_and_addresses_have_delays_of_their_own() {
    for (host_ms, address_ms) in [(30, 4), (4, 30)] {
        let policy = PolitenessPolicy {
            host_delay: Duration::from_millis(host_ms),
            address_delay: Duration::from_millis(address_ms),
            ..NO_REST
        };
        let config = LabConfig { hosts: 6, pages: 90, hosts_per_address: 2, ..LabConfig::default() };
        let lab = Lab::start_with(config, policy);
        lab.crawl(lab.config());
        lab.assert_truth();
        lab.assert_polite();
    }
}

#[test]
fn sitemaps_are_read_as_politely_as_anything() {
    let config = LabConfig {
        crawl_delay_rate: 0.3,
        crawl_delay_s: 0.05,
        hosts: 8,
        pages: 100,
        ..LabConfig::default()
    };
    let lab = Lab::start(config, Duration::from_millis(4));
    lab.crawl(CrawlConfig { sitemaps: true, ..lab.config() });
    lab.assert_truth();
    lab.assert_polite();

    let zoo = Zoo::start(4, |port| {
        let at = move |host: &str, path: &str| format!("http://{host}:{port}{path}");
        let a = ScriptedHost::new("a.test", 0, move |path, _| match path {
            "/robots.txt" => Reply::text(format!(
                "User-agent: *\nDisallow: /forbidden\nSitemap: {}\nSitemap: {}\nSitemap: {}",
                at("a.test", "/map.xml"),
                at("a.test", "/forbidden/map.xml"),
                at("b.test", "/map.xml")
            )),
            "/map.xml" => sitemap(&[at("a.test", "/listed"), at("a.test", "/forbidden/listed")]),
            _ => Reply::page("page"),
        });
        let b = ScriptedHost::new("b.test", 1, move |path, _| match path {
            "/robots.txt" => Reply::text(CLOSED),
            "/map.xml" => sitemap(&[at("b.test", "/listed"), at("b.test", "/forbidden/listed")]),
            _ => Reply::page("page"),
        });
        vec![a, b]
    });
    let report = zoo.crawl(CrawlConfig { sitemaps: true, ..zoo.config() }, &[zoo.web.url("a.test", "/")]);
    assert!(zoo.pages().into_iter().eq(["a.test/", "a.test/listed", "b.test/listed"]));
    assert_eq!(zoo.records().iter().filter(|record| record.kind == RecordKind::Sitemap).count(), 2);
    assert_eq!(report.forbidden, 3);
    zoo.assert_polite();
}

fn sitemap(addresses: &[String]) -> Reply {
    let entries: String = addresses.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect();
    let body = format!("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>");
    Reply { status: 200, body, ..Reply::default() }.with("Content-Type: application/xml")
}

#[test]
fn who_asks_for_a_pause_gets_it_and_is_asked_again() {
    let zoo = Zoo::start(4, |_| {
        let busy = |status: u16| {
            move |path: &str, times: u32| match (path, times) {
                ("/robots.txt", _) => Reply::text(CLOSED),
                ("/", _) => Reply::links(["/busy", "/1", "/2"]),
                ("/busy", 1) => Reply::status(status).with("Retry-After: 1"),
                _ => Reply::page("page"),
            }
        };
        // The third shares its address with the first, and need not wait for it.
        let free = host("free.test", 0, Reply::status(404), &["/1", "/2"]);
        vec![ScriptedHost::new("a.test", 0, busy(503)), ScriptedHost::new("b.test", 1, busy(429)), free]
    });
    let seeds = ["a.test", "b.test", "free.test"].map(|host| zoo.web.url(host, "/"));
    zoo.crawl(zoo.config(), &seeds);
    assert_eq!(zoo.pages().len(), 4 + 4 + 3);
    zoo.assert_polite();
}

#[test]
fn a_site_is_closed_while_its_robots_txt_is_unreachable() {
    let zoo = Zoo::start(4, |_| {
        let recovers = ScriptedHost::new("recovers.test", 0, |path, times| match (path, times) {
            ("/robots.txt", 1) => Reply::status(500),
            ("/robots.txt", _) => Reply::text(CLOSED),
            ("/", _) => Reply::links(LINKS.iter().copied()),
            _ => Reply::page("page"),
        });
        // At first longer than we would wait if it did not say how long.
        let never = ScriptedHost::new("never.test", 1, |_, times| {
            Reply::status(503).with(format!("Retry-After: {}", if times == 1 { 2 } else { 1 }))
        });
        vec![recovers, never]
    });
    let seeds = ["recovers.test", "never.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl(zoo.config(), &seeds);
    assert!(zoo.pages().into_iter().eq(["recovers.test/", "recovers.test/1", "recovers.test/2"]));
    assert_eq!((report.failed, zoo.web.count("never.test", "/robots.txt")), (1, 3));
    assert!(zoo.failures().contains(&("/".to_owned(), RobotsUnreachable)));
    zoo.assert_polite();
}

#[test]
fn rules_that_are_kept_elsewhere_are_fetched_in_the_turn_of_that_site_and_obeyed() {
    let zoo = Zoo::start(25, |port| {
        let robots_of = move |host: &str| Reply::moved(format!("http://{host}:{port}/robots.txt"));
        // Five redirects from the first to the last, which also has pages of its own, and a neighbour.
        let mut hosts: Vec<_> = (0..5)
            .map(|number| {
                host(&format!("h{number}.test"), number, robots_of(&format!("h{}.test", number + 1)), LINKS)
            })
            .collect();
        hosts.push(host("h5.test", 5, Reply::text(CLOSED), LINKS));
        hosts.push(host("neighbour.test", 5, Reply::text(CLOSED), LINKS));
        hosts
    });
    let mut seeds: Vec<String> = (0..6).map(|number| zoo.web.url(&format!("h{number}.test"), "/")).collect();
    seeds.push(zoo.web.url("neighbour.test", "/"));
    let report = zoo.crawl(zoo.config(), &seeds);
    assert_eq!((report.reason, report.pages_stored, report.forbidden), (StopReason::Finished, 21, 7));
    // Each of the six asks from its own place on.
    assert_eq!(zoo.web.count("h5.test", "/robots.txt"), 6);
    zoo.assert_polite();

    // They are known to the next run, too.
    let heard = zoo.web.heard().len();
    zoo.crawl(zoo.config(), &[zoo.web.url("h0.test", "/forbidden/other"), zoo.web.url("h0.test", "/3")]);
    assert_eq!(zoo.web.heard()[heard..].iter().map(|heard| &*heard.path).collect::<Vec<_>>(), ["/3"]);
    zoo.assert_polite();
}

#[test]
fn rules_elsewhere_that_cannot_be_reached_close_the_site() {
    let zoo = Zoo::start(4, |port| {
        let to = move |host: &str| Reply::moved(format!("http://{host}:{port}/robots.txt"));
        let broken = host("broken.test", 3, Reply::status(503).with("Retry-After: 1"), LINKS);
        vec![
            host("a.test", 0, to("broken.test"), LINKS),
            host("b.test", 1, Reply::moved("http://127.0.0.1:9/robots.txt"), LINKS),
            host("c.test", 2, to("nowhere.invalid"), LINKS),
            broken,
        ]
    });
    let seeds = ["a.test", "b.test", "c.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl(zoo.config(), &seeds);
    assert_eq!((report.pages_stored, report.failed), (0, 3));
    let robots =
        zoo.failures().into_iter().filter(|(path, reason)| path == "/" && *reason == RobotsUnreachable);
    assert_eq!(robots.count(), 3, "{:?}", zoo.failures());
    assert!(zoo.web.heard().iter().all(|heard| heard.path == "/robots.txt"));
    zoo.assert_polite();
}

#[test]
fn a_site_that_is_closed_is_not_asked_for_the_rules_of_another() {
    let zoo = Zoo::start(4, |port| {
        // It thinks, so that the keeper is closed before.
        let to = Reply::moved(format!("http://keeper.test:{port}/rules-of-a.txt"));
        let to = Reply { thinks: Duration::from_millis(500), ..to };
        let keeper = ScriptedHost::new("keeper.test", 1, |path, _| match path {
            "/robots.txt" => Reply::status(503).with("Retry-After: 0"),
            _ => Reply::text(CLOSED),
        });
        vec![host("a.test", 0, to, LINKS), keeper]
    });
    // Whoever asked tries again for five seconds; what was heard in the first is enough.
    let budget = CrawlBudget { duration_max: Some(Duration::from_secs(1)), ..CrawlBudget::default() };
    let seeds = ["a.test", "keeper.test"].map(|host| zoo.web.url(host, "/"));
    zoo.crawl(CrawlConfig { budget, ..zoo.config() }, &seeds);
    let count = |host: &str, path: &str| zoo.web.count(host, path);
    assert_eq!((count("a.test", "/robots.txt"), count("keeper.test", "/robots.txt")), (1, 3));
    assert_eq!(count("keeper.test", "/rules-of-a.txt"), 0);
    assert!(zoo.failures().contains(&("/".to_owned(), RobotsUnreachable)), "{:?}", zoo.failures());
    zoo.assert_polite();
}

#[test]
fn who_is_asked_for_the_rules_of_another_and_wants_a_pause_gets_it() {
    const MANY: &[&str] = &["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9", "/10", "/11", "/12"];
    let zoo = Zoo::start(20, |port| {
        // It thinks, so that the rules of the keeper are known before.
        let to = Reply::moved(format!("http://keeper.test:{port}/rules-of-a.txt"));
        let to = Reply { thinks: Duration::from_millis(100), ..to };
        // Longer than we would wait if nobody said how long.
        let keeper = ScriptedHost::new("keeper.test", 1, |path, times| match (path, times) {
            ("/rules-of-a.txt", 1) => Reply::status(503).with("Retry-After: 2"),
            ("/robots.txt" | "/rules-of-a.txt", _) => Reply::text(CLOSED),
            ("/", _) => Reply::links(MANY.iter().copied()),
            _ => Reply::page("page"),
        });
        vec![host("a.test", 0, to, LINKS), keeper]
    });
    let seeds = ["a.test", "keeper.test"].map(|host| zoo.web.url(host, "/"));
    let report = zoo.crawl(zoo.config(), &seeds);
    assert_eq!((report.pages_stored, report.forbidden), (3 + 1 + MANY.len() as u64, 1));
    zoo.assert_polite();
}

#[test]
fn sites_that_keep_their_rules_at_each_other_do_not_wait_for_ever() {
    let zoo = Zoo::start(4, |port| {
        let to = move |host: &str| Reply::moved(format!("http://{host}:{port}/robots.txt"));
        vec![host("a.test", 0, to("b.test"), &["/1"]), host("b.test", 1, to("a.test"), &["/1"])]
    });
    let report = zoo.crawl(zoo.config(), &["a.test", "b.test"].map(|host| zoo.web.url(host, "/")));
    // After five redirects there is no such file, and everything is allowed (RFC 9309, section 2.3.1.2).
    assert_eq!((report.reason, report.pages_stored), (StopReason::Finished, 4));
    assert_eq!(zoo.web.count("a.test", "/robots.txt") + zoo.web.count("b.test", "/robots.txt"), 12);
    zoo.assert_polite();
}

#[test]
fn a_delay_that_rules_elsewhere_ask_for_holds_from_the_first_page_on() {
    let delay = Duration::from_millis(400);
    let zoo = Zoo::start(4, |port| {
        let to = Reply::moved(format!("http://b.test:{port}/rules/robots.txt"));
        let a = ScriptedHost { crawl_delay: delay, ..host("a.test", 0, to, &["/1"]) };
        let b = ScriptedHost::new("b.test", 1, |_, _| Reply::text("User-agent: *\nCrawl-delay: 0.4"));
        vec![a, b]
    });
    let begin = Instant::now();
    zoo.crawl(zoo.config(), &[zoo.web.url("a.test", "/")]);
    assert_eq!(zoo.pages().len(), 2);
    assert!(begin.elapsed() >= 2 * delay);
    zoo.assert_polite();
}

#[test]
fn a_query_is_judged_with_its_path() {
    let zoo = Zoo::start(4, |_| {
        let robots = Reply::text("User-agent: *\nDisallow: /*?print=\nDisallow: /*.cgi$");
        vec![host("a.test", 0, robots, &["/1?print=1", "/1?page=1", "/x.cgi", "/x.cgi?y"])]
    });
    let report = zoo.crawl(zoo.config(), &[zoo.web.url("a.test", "/")]);
    assert_eq!(report.forbidden, 2);
    assert!(zoo.pages().into_iter().eq(["a.test/", "a.test/1?page=1", "a.test/x.cgi?y"]));
}

#[test]
fn rules_are_believed_for_a_day_and_then_a_later_run_asks_again() {
    let is_next_day = Arc::new(AtomicBool::new(false));
    let later = is_next_day.clone();
    let zoo = Zoo::start(20, move |_| {
        let host = ScriptedHost::new("a.test", 0, move |path, _| match path {
            "/robots.txt" if later.load(Relaxed) => Reply::text("User-agent: *\nDisallow: /3"),
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /1"),
            "/" => Reply::links(["/1", "/2", "/3", "/4"]),
            _ => Reply::page("page"),
        });
        vec![host]
    });
    let run = |pages_max, is_later| {
        is_next_day.store(is_later, Relaxed);
        let mut config = zoo.config();
        config.budget.pages_max = pages_max;
        let resolver = Zoo::resolver().answered_by(|_| Ok(vec![[127, 40, 0, 1].into()]));
        zoo.crawl_with(
            config,
            resolver,
            Arc::new(NextDay(is_next_day.clone())),
            &[zoo.web.url("a.test", "/")],
        );
        zoo.web.heard().into_iter().map(|heard| heard.path).collect::<Vec<String>>()
    };
    assert_eq!(run(Some(1), false), ["/robots.txt", "/"]);
    assert_eq!(run(Some(2), false), ["/robots.txt", "/", "/2"], "the same day");
    assert_eq!(run(None, true), ["/robots.txt", "/", "/2", "/robots.txt", "/4"], "the next day");
}
