//! What a crawl finds is what the truth says.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use lab::{AuditPolicy, CopyKind, FakeWeb, LabConfig, LabServer, Truth};

use crate::crawl::{Crawled, crawl};

/// Serves, crawls, and gives what was found and what should have been.
fn found_and_truth(config: LabConfig) -> (Crawled, Truth) {
    let web = Arc::new(FakeWeb::new(config));
    let server = LabServer::start(Arc::clone(&web), 0, AuditPolicy::default()).unwrap();
    let crawled = crawl(&server);
    let audit = server.audit();
    assert_eq!(audit.violations, 0, "{:?}", audit.examples);
    assert_eq!((audit.refetched, audit.phantom_hits), (0, 0));
    (crawled, web.truth(server.port()))
}

/// More of everything than in the demo, and nobody slow.
fn unpleasant(seed: u64) -> LabConfig {
    LabConfig {
        seed,
        hosts: 12,
        pages: 300,
        words_per_page: 250,
        copy_rate: 0.1,
        near_copy_rate: 0.1,
        redirect_rate: 0.15,
        missing_rate: 0.1,
        forbidden_rate: 0.15,
        nofollow_rate: 0.15,
        noindex_rate: 0.1,
        slow_host_rate: 0.0,
        gzip_rate: 0.4,
        chunked_rate: 0.4,
        ..LabConfig::default()
    }
}

fn set(addresses: &[String]) -> BTreeSet<String> {
    addresses.iter().cloned().collect()
}

#[test]
fn a_crawl_finds_the_truth_and_nothing_else() {
    let one_host = LabConfig { hosts: 1, ..unpleasant(5) };
    let one_page = LabConfig { pages: 1, ..unpleasant(6) };
    let two_pages = LabConfig { pages: 2, hosts: 2, ..unpleasant(6) };
    let homes_only = LabConfig { pages: 40, hosts: 40, ..unpleasant(7) };
    let nowhere_to_go = LabConfig { local_link_ratio: 1.0, ..homes_only.clone() };
    let few_links = LabConfig { links_per_page: 1, ..unpleasant(8) };
    let yardstick = LabConfig::yardstick(200);
    let webs = [unpleasant(1), unpleasant(2), unpleasant(3), one_host, one_page, two_pages, homes_only];
    for config in webs.into_iter().chain([nowhere_to_go, few_links, yardstick]) {
        let name = format!("{config:?}");
        let (crawled, truth) = found_and_truth(config);
        assert_eq!(crawled.pages.keys().cloned().collect::<Vec<_>>(), truth.pages, "pages of {name}");
        assert_eq!(crawled.arcs().into_iter().collect::<Vec<_>>(), sorted_arcs(&truth), "arcs of {name}");
        assert_eq!(crawled.forbidden, set(&truth.forbidden), "forbidden of {name}");
        assert_eq!(crawled.redirects, set(&truth.redirects), "redirects of {name}");
        assert_eq!(crawled.missing, set(&truth.missing), "missing of {name}");
        assert_eq!(crawled.noindex, set(&truth.noindex), "noindex of {name}");
    }
}

fn sorted_arcs(truth: &Truth) -> Vec<(&str, &str)> {
    let mut arcs: Vec<_> = truth.arcs().collect();
    arcs.sort_unstable();
    arcs
}

#[test]
fn an_unpleasant_web_has_everything_unpleasant() {
    let (_, truth) = found_and_truth(unpleasant(1));
    for (what, count) in [
        ("forbidden", truth.forbidden.len()),
        ("redirects", truth.redirects.len()),
        ("missing", truth.missing.len()),
        ("noindex", truth.noindex.len()),
        ("copies", truth.copies.len()),
        ("words", truth.words.len()),
    ] {
        assert!(count > 5, "{count} {what}");
    }
}

#[test]
fn planted_words_are_where_the_truth_says() {
    let (crawled, truth) = found_and_truth(unpleasant(1));
    for (word, pages) in &truth.words {
        let has_word = |text: &str| words(text).contains(&word.as_str());
        let holding =
            crawled.pages.iter().filter(|(_, text)| has_word(text)).map(|(address, _)| address.clone());
        let indexable: BTreeSet<_> = holding.filter(|address| !crawled.noindex.contains(address)).collect();
        assert_eq!(indexable, set(pages), "pages with {word}");
        assert_eq!(indexable.len(), pages.len());
    }
}

#[test]
fn copies_are_as_near_as_stated_and_other_pages_are_not() {
    for near_copy_jaccard in [0.6, 0.8, 0.9, 0.95] {
        let (crawled, truth) = found_and_truth(LabConfig { near_copy_jaccard, ..unpleasant(4) });
        let near = truth.copies.iter().filter(|group| group.kind == CopyKind::Near).count();
        assert!(near > 5 && near < truth.copies.len());
        for group in &truth.copies {
            let texts: Vec<_> = group.pages.iter().map(|page| &crawled.pages[page]).collect();
            let measured = jaccard(texts[0], texts[texts.len() - 1]);
            let tolerance = if group.kind == CopyKind::Exact { 0.0 } else { 0.04 };
            let error = (measured - group.jaccard).abs();
            assert!(error <= tolerance, "{:?}: {measured} instead of {}", group.pages, group.jaccard);
            let same = texts.iter().all(|text| words(text) == words(texts[0]));
            assert_eq!(same, group.kind == CopyKind::Exact, "{:?}", group.pages);
        }
    }
}

#[test]
fn pages_that_are_no_copies_have_little_in_common() {
    let (crawled, _) = found_and_truth(LabConfig { copy_rate: 0.0, near_copy_rate: 0.0, ..unpleasant(4) });
    let texts: Vec<_> = crawled.pages.values().collect();
    let nearest = texts.windows(2).map(|pair| jaccard(pair[0], pair[1])).fold(0.0, f64::max);
    assert!(nearest < 0.2, "nearest neighbours: {nearest}");
}

#[test]
fn pages_are_about_as_long_as_asked_for() {
    for words_per_page in [200, 400, 1000] {
        let config = LabConfig { words_per_page, links_per_page: 10, ..unpleasant(1) };
        let (crawled, _) = found_and_truth(config);
        let total: usize = crawled.pages.values().map(|text| words(text).len()).sum();
        let mean = total as f64 / crawled.pages.len() as f64;
        assert!((mean / f64::from(words_per_page) - 1.0).abs() < 0.15, "{mean} words for {words_per_page}");
    }
}

#[test]
fn nearly_all_of_the_demo_can_be_reached() {
    let web = FakeWeb::new(LabConfig::default());
    let truth = web.truth(80);
    assert!(truth.pages.len() + truth.forbidden.len() > 4750, "{} pages", truth.pages.len());
    assert!(truth.seeds.iter().all(|seed| truth.pages.contains(seed)));
    assert!(web.suggested_queries().len() >= 4);
}

#[test]
fn the_truth_is_written_with_arcs_as_pairs_of_addresses() {
    let truth = FakeWeb::new(LabConfig { pages: 30, hosts: 2, ..LabConfig::default() }).truth(80);
    let json = serde_json::to_value(&truth).unwrap();
    assert_eq!(json["pages"].as_array().unwrap().len(), truth.pages.len());
    let (source, target) = truth.arcs().next().unwrap();
    assert_eq!(json["arcs"][0], serde_json::json!([source, target]));
    for key in ["seeds", "navigation_arcs", "copies", "forbidden", "words", "noindex", "redirects", "missing"]
    {
        assert!(json.get(key).is_some(), "no key {key}");
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn jaccard(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let (one, other): (HashSet<_>, HashSet<_>) = (one.windows(5).collect(), other.windows(5).collect());
    one.intersection(&other).count() as f64 / one.union(&other).count() as f64
}
