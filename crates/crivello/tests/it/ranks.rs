//! Ranks flow on: into the order of a crawl, into the choice among copies, and into the results of a search.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use graph::{Csr, PageRank};
use lab::LabConfig;
use serde_json::Value;

use crate::command::{Lab, crivello, succeeds, succeeds_with_json};

/// A web without accidents, so that pages and true ranks are the same for every crawl.
fn web(seed: u64) -> LabConfig {
    LabConfig { seed, hosts: 12, pages: 2000, hosts_per_address: 1, ..LabConfig::clean() }
}

/// Crawls from the first seed; returns what was stored.
fn crawled(lab: &Lab, options: &[&str]) -> BTreeSet<String> {
    let _ = std::fs::remove_dir_all(lab.collection());
    let output = lab.crawl().args(options).output().unwrap();
    assert!(output.status.success(), "{}", crate::command::errors_of(&output));
    let exported = succeeds(&["export", lab.collection().to_str().unwrap(), "pages"]);
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned();
    exported.lines().map(url).collect()
}

/// The PageRank of each page on the links that are really there.
fn true_ranks(lab: &Lab) -> HashMap<&str, f64> {
    let arcs = lab.truth.arc_positions.iter().copied();
    let ranks = PageRank::default().of(&Csr::from_arcs(lab.truth.pages.len(), arcs));
    lab.truth.pages.iter().map(String::as_str).zip(ranks.scores).collect()
}

#[test]
fn a_budget_spent_by_rank_buys_more_of_it_and_without_budget_all_is_the_same() {
    for seed in [51, 52] {
        let lab = Lab::start(web(seed), Duration::from_millis(1));
        let ranks = true_ranks(&lab);
        let budget = (lab.truth.pages.len() / 5).to_string();
        let bought = |priority: &str| {
            let pages = crawled(&lab, &["--max-pages", &budget, "--priority", priority]);
            assert_eq!(pages.len().to_string(), budget, "the budget is met exactly");
            pages.iter().map(|url| ranks[url.as_str()]).sum::<f64>()
        };
        let (by_breadth, by_rank) = (bought("breadth"), bought("rank"));
        let mut best: Vec<f64> = ranks.values().copied().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let possible: f64 = best[..lab.truth.pages.len() / 5].iter().sum();
        println!(
            "seed {seed}: PageRank of a fifth of the pages: breadth {by_breadth:.4}, rank {by_rank:.4}, best {possible:.4}"
        );
        assert!(by_rank > by_breadth, "{by_rank} instead of {by_breadth}");
        assert_eq!(crawled(&lab, &["--priority", "rank"]), lab.truth.pages.iter().cloned().collect());
        lab.assert_polite();
    }
}

#[test]
fn a_crawl_by_rank_that_is_stopped_and_limited_by_host_ends_with_the_same() {
    let lab = Lab::start(
        LabConfig { seed: 53, hosts: 8, pages: 600, ..LabConfig::default() },
        Duration::from_millis(1),
    );
    for pages_max in ["50", "120", "300"] {
        let limits = ["--priority", "rank", "--max-pages", pages_max, "--max-per-host", "60"];
        let output = lab.crawl().args(limits).output().unwrap();
        assert!(output.status.success(), "{}", crate::command::errors_of(&output));
    }
    let exported = succeeds(&["export", lab.collection().to_str().unwrap(), "pages"]);
    let mut per_host = HashMap::new();
    for line in exported.lines() {
        let page: Value = serde_json::from_str(line).unwrap();
        let host = page["url"].as_str().unwrap().split('/').nth(2).unwrap().to_owned();
        *per_host.entry(host).or_insert(0) += 1;
    }
    assert!(per_host.values().all(|count| *count <= 60), "{per_host:?}");
    // One run by the other order in between changes nothing either.
    for priority in ["breadth", "rank"] {
        assert!(lab.crawl().args(["--priority", priority]).output().unwrap().status.success());
    }
    lab.assert_truth();
    lab.assert_polite();
}

/// A collection of one site: which page has which text and which links.
fn imported(pages: &[(&str, &str, &[&str])]) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("site")).unwrap();
    for (name, text, links) in pages {
        let links: String = links.iter().map(|link| format!("<a href='{link}.html'>{link}</a> ")).collect();
        let html = format!("<title>{name}</title><main><p>{text}</p></main>{links}");
        std::fs::write(dir.path().join("site").join(name).with_extension("html"), html).unwrap();
    }
    let collection = dir.path().join("site.crivello").to_str().unwrap().to_owned();
    succeeds(&["import", &collection, dir.path().join("site").to_str().unwrap()]);
    (dir, collection)
}

fn names(answer: &Value) -> Vec<String> {
    let name = |result: &Value| {
        let url = result["url"].as_str().unwrap();
        url.rsplit('/').next().unwrap().trim_end_matches(".html").to_owned()
    };
    answer["results"].as_array().unwrap().iter().map(name).collect()
}

const COPY: &str =
    "the old harbour has a stone bridge and a ferry that leaves every morning at nine for the islands";

#[test]
fn the_copy_with_the_best_rank_stands_for_its_group() {
    let (_dir, collection) = imported(&[
        ("b", COPY, &[]),
        ("much-linked-copy", COPY, &[]),
        ("c", "the first page about ships", &["much-linked-copy"]),
        ("d", "a second page about sails", &["much-linked-copy"]),
        ("e", "one more page about ropes", &["much-linked-copy", "b"]),
    ]);
    succeeds(&["build", &collection, "--quiet"]);
    let answer = succeeds_with_json(&["search", &collection, "harbour", "--json"]);
    assert_eq!(names(&answer), ["much-linked-copy"], "not the one with the shorter address");
    assert_eq!(answer["results"][0]["similar"], 1);
    let again = succeeds_with_json(&["build", &collection, "--quiet", "--json"]);
    assert_eq!((&again["up_to_date"], &again["dedup"]["up_to_date"]), (&true.into(), &true.into()));
}

#[test]
fn links_decide_among_pages_with_the_same_words_unless_they_have_no_weight() {
    let (_dir, collection) = imported(&[
        ("a", "a sieve of brass", &[]),
        ("b", "a sieve of stone", &[]),
        ("c", "nothing about it", &["b"]),
        ("d", "nothing of the kind", &["b"]),
    ]);
    succeeds(&["build", &collection, "--quiet"]);
    let search = |options: &[&str]| {
        let output =
            crivello().args(["search", &collection, "sieve", "--json"]).args(options).output().unwrap();
        assert!(output.status.success(), "{}", crate::command::errors_of(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(names(&search(&[])), ["b", "a"]);
    assert_eq!(names(&search(&["--rank-weight", "0"])), ["a", "b"]);
    let explained = search(&["--explain", "--rank-weight", "3"]);
    let rank = &explained["results"][0]["explanation"]["rank"];
    assert_eq!(rank["weight"], 3.0);
    assert!(rank["rank"].as_f64().unwrap() > 1.0, "{rank}");
    // The same from an index that `build` has not seen: then documents are looked up one by one.
    succeeds(&["index", &collection, "--quiet"]);
    let looked_up = search(&["--explain", "--rank-weight", "3"]);
    assert_eq!(names(&looked_up), names(&explained));
    let score = |answer: &Value| answer["results"][0]["score"].as_f64().unwrap();
    assert!((score(&looked_up) - score(&explained)).abs() < 1e-3, "kept ranks are rounded, but not by more");
}
