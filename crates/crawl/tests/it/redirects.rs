//! Redirects that never end.

use crawl::{CrawlConfig, Scope, StopReason};
use lab::{Reply, ScriptedHost};
use page::FetchFailure::TooManyRedirects;

use crate::scripted::Zoo;

/// A host whose `/go/N` redirects to `/go/N+1`, for ever, and that has a few good pages.
fn runaway(name: &str, address: u32) -> ScriptedHost {
    ScriptedHost::new(name, address, |path, _| match path {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::links(["/go/1", "/good/1", "/good/2", "/short/1"]),
        "/seed" => Reply::moved("/go/1"),
        "/short/1" => Reply::moved("/short/2"),
        "/short/2" => Reply::moved("/good/3"),
        path if path.starts_with("/good/") => Reply::page("good"),
        path => match path.strip_prefix("/go/").and_then(|number| number.parse::<u32>().ok()) {
            Some(number) => Reply::moved(format!("/go/{}", number + 1)),
            None => Reply::status(404),
        },
    })
}

fn hops_heard(zoo: &Zoo) -> usize {
    zoo.web.heard().iter().filter(|heard| heard.path.starts_with("/go/")).count()
}

#[test]
fn a_redirect_to_ever_new_addresses_ends_as_a_failure() {
    for (seed, requests, last) in [("/", 6, "/go/6"), ("/seed", 10, "/go/10")] {
        let zoo = Zoo::start(1, |_| vec![runaway("a.test", 0)]);
        let report = zoo.crawl(zoo.config(), &[zoo.web.url("a.test", seed)]);
        assert_eq!((report.reason, report.failed), (StopReason::Finished, 1));
        assert_eq!(hops_heard(&zoo), requests, "from {seed}");
        assert_eq!(zoo.failures(), [(last.to_owned(), TooManyRedirects)]);
        if seed == "/" {
            let good = ["", "good/1", "good/2", "good/3"].map(|path| format!("a.test/{path}"));
            assert!(zoo.pages().into_iter().eq(good));
        }
        zoo.assert_polite();
    }
}

#[test]
fn redirects_are_counted_on_by_the_next_run() {
    let zoo = Zoo::start(1, |_| vec![runaway("a.test", 0)]);
    let seeds = [zoo.web.url("a.test", "/")];
    // Each run refuses where the next one goes on: first the target of the third redirect, then that of the fifth.
    for (refused, heard) in [("/go/4$", 3), ("/go/6$", 5), ("/nothing$", 6), ("/nothing$", 7)] {
        let exclude = vec![regex::Regex::new(refused).unwrap()];
        zoo.crawl(CrawlConfig { exclude, ..zoo.config() }, &seeds);
        // What failed is tried once more by each run.
        assert_eq!(hops_heard(&zoo), heard, "without {refused}");
    }
    assert_eq!(zoo.failures().len(), 2);
    assert!(zoo.failures().iter().all(|failure| *failure == ("/go/6".to_owned(), TooManyRedirects)));
}

#[test]
fn a_seed_that_moves_from_host_to_host_does_not_take_the_scope_with_it_for_ever() {
    let zoo = Zoo::start(1, |port| {
        let host = |number: u32| {
            ScriptedHost::new(format!("h{number}.test"), number, move |path, _| match path {
                "/robots.txt" => Reply::status(404),
                _ => Reply::moved(format!("http://h{}.test:{port}/", number + 1)),
            })
        };
        (0..30).map(host).collect()
    });
    let config = CrawlConfig { scope: Scope::Host, ..zoo.config() };
    let report = zoo.crawl(config, &[zoo.web.url("h0.test", "/")]);
    assert_eq!((report.sites, report.failed), (11, 1));
    assert_eq!(zoo.web.audit().hosts, 11, "the seed and ten redirects");
}

#[test]
fn a_redirect_leads_to_nothing_that_robots_txt_forbids() {
    let zoo = Zoo::start(1, |port| {
        let from = ScriptedHost::new("from.test", 0, move |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /forbidden"),
            "/" => Reply::links(["/near", "/far"]),
            "/near" => Reply::moved("/forbidden/near"),
            "/far" => Reply::moved(format!("http://to.test:{port}/forbidden/far")),
            _ => Reply::page("no"),
        });
        let to = ScriptedHost::new("to.test", 1, |path, _| match path {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow: /forbidden"),
            _ => Reply::page("no"),
        });
        vec![from, to]
    });
    let report = zoo.crawl(zoo.config(), &[zoo.web.url("from.test", "/")]);
    assert_eq!((report.forbidden, report.pages_stored), (2, 1));
    zoo.assert_polite();
}
