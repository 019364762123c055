//! Crawls that are stopped in the middle.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crawl::{Agent, CrawlBudget, CrawlConfig, SieveChoice, StopReason};
use lab::{LabConfig, Reply, ScriptedHost};
use page::{Clock, SystemClock};
use sieve::{Known, SieveKind, SieveState, Visit};
use store::{Collection, StoreReader};

use crate::fake_web::Lab;
use crate::scripted::Zoo;

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
fn a_restart_goes_on_from_a_checkpoint_and_the_ready_log_lets_go_of_what_is_done() {
    let lab = Lab::start(
        LabConfig { seed: 31, hosts: 6, pages: 400, slow_ms: 5, ..LabConfig::default() },
        Duration::ZERO,
    );
    let frontier = lab.collection_path().join("frontier");
    let (checkpoint, sieve) = (frontier.join("checkpoint"), lab.collection_path().join("sieve"));
    for (run, pages_max) in (40..400).step_by(40).enumerate() {
        let budget = CrawlBudget { pages_max: Some(pages_max), ..CrawlBudget::default() };
        lab.crawl(CrawlConfig { budget, ..lab.config() });
        assert!(checkpoint.exists(), "run {run}");
        // Nothing is lost with it, whatever becomes of it, and with the sieve beside it.
        match run % 4 {
            1 => std::fs::remove_file(&checkpoint).unwrap(),
            2 => std::fs::write(&checkpoint, "something else").unwrap(),
            3 => std::fs::remove_dir_all(&sieve).unwrap(),
            _ => {}
        }
    }
    lab.crawl(lab.config());
    lab.assert_truth();
    assert_eq!(lab.server.audit().refetched, 0);
    // What was done at the last checkpoint is gone, but for redirects and what the next run would try again.
    lab.crawl(CrawlConfig { checkpoint_every: 0, ..lab.config() });
    let (mut left, mut last) = (0, 0);
    let mut scan = frontier::ReadyScan::open(&frontier, frontier::ReadyPlace::START, None).unwrap();
    while scan.next_record(|ready| (left, last) = (left + 1, ready.ordinal.get())).unwrap() {}
    assert!(left < 100 && last > 500, "{left} of {last} addresses are left");
}

#[test]
fn threads_that_only_read_find_the_same_and_are_stopped_with_the_others() {
    let lab = Lab::start(
        LabConfig { seed: 32, hosts: 8, pages: 400, slow_ms: 5, ..LabConfig::default() },
        Duration::ZERO,
    );
    for (readers, pages_max) in [(1, Some(50)), (3, Some(200)), (0, Some(250)), (2, None)] {
        let budget = CrawlBudget { pages_max, ..lab.config().budget };
        lab.crawl(CrawlConfig { readers, budget, ..lab.config() });
    }
    lab.assert_truth();
    lab.assert_polite();
    assert_eq!(lab.server.audit().refetched, 0);
}

#[test]
fn a_crawl_that_keeps_nothing_fetches_the_same() {
    let config = LabConfig { seed: 33, hosts: 6, pages: 300, slow_ms: 5, ..LabConfig::default() };
    let fetched = [true, false].map(|keeps_pages| {
        let lab = Lab::start(config.clone(), Duration::ZERO);
        lab.crawl(CrawlConfig { keeps_pages, ..lab.config() });
        let collection = Collection::open(&lab.collection_path()).unwrap();
        let mut pages = StoreReader::open(&collection).unwrap().pages().unwrap();
        let mut found = Vec::new();
        while let Some((_, record)) = pages.next().unwrap() {
            assert_eq!(record.warc.is_some(), keeps_pages && record.status > 0, "{}", record.url);
            // Ports differ.
            let path = record.url.path_and_query().to_owned();
            found.push((record.url.host().to_owned(), path, record.status, record.body_bytes));
        }
        found.sort();
        found
    });
    assert!(
        fetched[0].len() > 300 && fetched[0] == fetched[1],
        "{} and {}",
        fetched[0].len(),
        fetched[1].len()
    );
}

#[test]
fn a_part_of_the_ready_log_that_is_gone_is_told() {
    let lab = Lab::start(
        LabConfig { seed: 31, hosts: 6, pages: 400, slow_ms: 5, ..LabConfig::default() },
        Duration::ZERO,
    );
    let budget = CrawlBudget { pages_max: Some(60), ..CrawlBudget::default() };
    lab.crawl(CrawlConfig { budget, ..lab.config() });
    let frontier = lab.collection_path().join("frontier");
    let parts = frontier::list_ready_parts(&frontier).unwrap();
    assert!(parts.len() > 2, "{parts:?}");
    let lost = frontier::ready_part_path(&frontier, parts[1]);
    std::fs::remove_file(&lost).unwrap();
    let collection = Collection::open_or_create(&lab.collection_path(), SystemClock.now()).unwrap();
    let opened = Agent::open(&collection, lab.config(), lab.resolver(), Arc::new(SystemClock));
    let told = opened.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(told.contains(lost.to_str().unwrap()), "{told}");
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
fn every_kind_of_sieve_finds_the_truth_and_goes_on_after_a_stop_without_fetching_anything_twice() {
    let choices = SieveKind::ALL.into_iter().filter(|kind| kind.is_available()).map(SieveChoice::of);
    let long = SieveChoice { kind: Some(SieveKind::Tiered), signature_bits: Some(128) };
    for (number, sieve) in choices.chain([long]).enumerate() {
        let seed = 23 + number as u64;
        let lab = Lab::start(
            LabConfig { seed, hosts: 6, pages: 300, slow_ms: 5, ..LabConfig::default() },
            Duration::ZERO,
        );
        let config = CrawlConfig { sieve, ..lab.config() };
        for pages_max in [50, 150] {
            let budget = CrawlBudget { pages_max: Some(pages_max), ..CrawlBudget::default() };
            lab.crawl(CrawlConfig { budget, ..config.clone() });
        }
        // Who does not say which sieve goes on with the one that is there.
        lab.crawl(CrawlConfig { sieve: SieveChoice::default(), ..config });
        // A filter for millions of addresses does not err on a few hundred.
        lab.assert_truth();
        assert_eq!(lab.server.audit().refetched, 0, "{sieve:?}");
        let state = SieveState::of(&lab.collection_path().join("sieve")).unwrap().unwrap();
        assert_eq!(Some(state.kind), sieve.kind);
    }
}

#[test]
fn the_sieve_knows_when_an_address_was_visited_and_what_came_of_it() {
    let lab = Lab::start(
        LabConfig { seed: 22, hosts: 4, pages: 120, slow_ms: 5, ..LabConfig::default() },
        Duration::ZERO,
    );
    let budget = CrawlBudget { pages_max: Some(60), ..CrawlBudget::default() };
    lab.crawl(CrawlConfig { budget, ..lab.config() });
    lab.crawl(lab.config());
    // A sieve that was lost is told all visits again.
    for is_lost in [false, true] {
        if is_lost {
            std::fs::remove_dir_all(lab.collection_path().join("sieve")).unwrap();
            lab.crawl(lab.config());
        }
        let collection = Collection::open(&lab.collection_path()).unwrap();
        let mut pages = StoreReader::open(&collection).unwrap().pages().unwrap();
        let mut visits = 0;
        while let Some((_, record)) = pages.next().unwrap() {
            let (dir, url) = (lab.collection_path().join("sieve"), &record.url);
            let known = sieve::look_up(&dir, url.fingerprint(), url.as_str()).unwrap();
            if record.ordinal.is_some() {
                let digest = record.print.map_or(0, |print| print.digest as u32);
                let visit = Visit { at_seconds: record.at.0 / 1000, outcome: record.status, digest };
                assert_eq!(known, Some(Known::Visited(visit)), "{url}, lost: {is_lost}");
                visits += 1;
            }
        }
        assert!(visits >= 120, "{visits}");
    }
}

#[test]
fn links_that_were_on_their_way_at_a_kill_are_offered_again() {
    let zoo = Zoo::start(1, |port| {
        let quick = ScriptedHost::new("quick.test", 0, move |path, _| match path {
            "/robots.txt" => Reply::status(404),
            "/" => Reply::links(["/a", &format!("http://slow.test:{port}/")]),
            "/a" => Reply::links(["/only-a-links-here"]),
            _ => Reply::page("found"),
        });
        let slow = ScriptedHost::new("slow.test", 1, |path, count| match (path, count) {
            ("/robots.txt", _) => Reply::status(404),
            (_, 1) => Reply { thinks: Duration::from_secs(2), ..Reply::page("at last") },
            _ => Reply::page("at once"),
        });
        vec![quick, slow]
    });
    // Who goes by level lets no link through the sieve while a page of the level is missing.
    let budget = CrawlBudget { depth_max: Some(9), ..zoo.config().budget };
    let config = CrawlConfig { budget, ..zoo.config() };
    let seeds = [zoo.web.url("quick.test", "/")];
    let left_by_a_kill = tempfile::tempdir().unwrap();
    let mut is_copied = false;
    zoo.crawl_watched(config.clone(), &seeds, |_| {
        // The page is written while the slow one is waited for, and then nothing happens.
        let is_waiting = zoo.web.count("quick.test", "/a") == 1 && zoo.web.count("slow.test", "/") == 0;
        if is_waiting && !is_copied && zoo.pages().contains("quick.test/a") {
            copy_folder(&zoo.collection_path(), left_by_a_kill.path());
            is_copied = true;
        }
    });
    assert!(is_copied, "the slow page came before anything could be copied");
    std::fs::remove_dir_all(zoo.collection_path()).unwrap();
    copy_folder(left_by_a_kill.path(), &zoo.collection_path());
    assert!(zoo.pages().into_iter().eq(["quick.test/", "quick.test/a"]));
    zoo.crawl(config, &seeds);
    let all = ["quick.test/", "quick.test/a", "quick.test/only-a-links-here", "slow.test/"];
    assert!(zoo.pages().into_iter().eq(all), "{:?}", zoo.pages());
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}
