//! Hosts among the first ten, compared with a plain reader who goes through the whole list.

use std::collections::HashMap;
use std::sync::Arc;

use page::DocId;
use proptest::prelude::*;
use search::{CopiesView, Hit, Limits, Query, Sites};

use crate::fixture;

const DOCUMENTS: usize = 70;

/// The best ten with at most two of a host, each worth a quarter of the tenth at least; then all others as they were.
fn spread_by_hand(all: &[Hit], host_of: &[usize]) -> Vec<DocId> {
    let docs = |hits: &[Hit]| hits.iter().map(|hit| hit.doc).collect::<Vec<_>>();
    let Some(tenth) = all.get(9) else { return docs(all) };
    let mut of_host: HashMap<usize, usize> = HashMap::new();
    let mut chosen = Vec::new();
    for hit in all.iter().filter(|hit| hit.score >= tenth.score / 4.0) {
        let pages = of_host.entry(host_of[hit.doc.index()]).or_default();
        *pages += 1;
        if *pages <= 2 && chosen.len() < 10 {
            chosen.push(*hit);
        }
    }
    let others = all.iter().filter(|hit| !chosen.iter().any(|other| other.doc == hit.doc)).copied();
    docs(&chosen.iter().copied().chain(others).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn of_the_first_ten_two_are_of_a_host_and_pages_fit_together(
        words in prop::collection::vec(0u8..40, DOCUMENTS),
        hosts in prop::collection::vec((0usize..12, 0usize..12).prop_map(|(one, other)| one.min(other)), DOCUMENTS),
        step in 1usize..15,
    ) {
        let page = |count: &u8| {
            let filler = "filler ".repeat(usize::from(*count) % 7 * 5);
            (String::new(), format!("{}{filler}", "sieve ".repeat((*count / 2).into())))
        };
        let fixture = fixture(&words.iter().map(page).collect::<Vec<_>>());
        let mut sites = Sites::new(DOCUMENTS as u32);
        for (host, doc) in hosts.iter().zip((0..).map(DocId::new)) {
            sites.add(&format!("h{host}.example"), "/", Some(doc));
        }
        let searcher = fixture.searcher.clone().with_sites(Arc::new(sites));
        let query = Query::parse("sieve").unwrap();
        let all = fixture.searcher.search(&query, 0, DOCUMENTS).unwrap().hits;
        let expected = spread_by_hand(&all, &hosts);
        let mut found = Vec::new();
        for from in (0..=expected.len()).step_by(step) {
            let page = searcher.search(&query, from, step).unwrap();
            prop_assert_eq!(page.total, all.len() as u64);
            found.extend(page.hits);
        }
        prop_assert_eq!(found.iter().map(|hit| hit.doc).collect::<Vec<_>>(), expected);
        // Two threads find the same.
        let (words, in_halves) = (Query::parse("filler sieve").unwrap(), Limits { in_halves: true, ..Limits::default() });
        let by_two = searcher.search_within(&words, 0, 10, CopiesView::default(), in_halves).unwrap();
        prop_assert_eq!(by_two, searcher.search(&words, 0, 10).unwrap());
        // Who is said to have more was held back, and is the last of its host at the top.
        let host = |hit: &Hit| hosts[hit.doc.index()];
        let top = &found[..found.len().min(10)];
        for (place, hit) in found.iter().enumerate().filter(|(_, hit)| hit.site_has_more) {
            prop_assert!(place < 10 && top.iter().filter(|other| host(other) == host(hit)).count() == 2);
            prop_assert!(top[place + 1..].iter().all(|other| host(other) != host(hit)));
            prop_assert!(all[..10].iter().filter(|other| host(other) == host(hit)).count() > 2);
        }
    }
}

#[test]
fn pages_of_other_hosts_are_found_however_far_from_the_best_they_are() {
    // The best are all of one host and at the beginning; those of others are worth less, thousands of documents later.
    const ALL: usize = 3_000;
    let host_of: Vec<usize> = (0..ALL).map(|doc| if doc < 2_500 { 0 } else { 1 + doc % 7 }).collect();
    let page = |doc: usize| match doc {
        0..400 => "sieve ".repeat(8 + doc % 5),
        400..2_500 => "filler ".repeat(12),
        _ => format!("sieve {}", "filler ".repeat(6 + doc % 9)),
    };
    let fixture = fixture(&(0..ALL).map(|doc| (String::new(), page(doc))).collect::<Vec<_>>());
    let mut sites = Sites::new(ALL as u32);
    for (host, doc) in host_of.iter().zip((0..).map(DocId::new)) {
        sites.add(&format!("h{host}.example"), "/", Some(doc));
    }
    let query = Query::parse("sieve").unwrap();
    let all = fixture.searcher.search(&query, 0, 1_000).unwrap().hits;
    let searcher = fixture.searcher.clone().with_sites(Arc::new(sites));
    let found = searcher.search(&query, 0, 10).unwrap().hits;
    assert_eq!(found.iter().map(|hit| hit.doc).collect::<Vec<_>>(), spread_by_hand(&all, &host_of)[..10]);
    assert_eq!(found.iter().filter(|hit| host_of[hit.doc.index()] == 0).count(), 2);
}

#[test]
fn who_asks_for_a_site_or_for_everything_sees_all_of_it() {
    let fixture = fixture(&(0..12).map(|_| ("", "sieve")).collect::<Vec<_>>());
    let mut sites = Sites::new(12);
    for doc in 0..12 {
        sites.add(if doc < 9 { "large.example" } else { "small.example" }, "/", Some(DocId::new(doc)));
    }
    let searcher = fixture.searcher.clone().with_sites(Arc::new(sites));
    let docs = |query: &str| -> Vec<u32> {
        let hits = searcher.search(&Query::parse(query).unwrap(), 0, 10).unwrap().hits;
        hits.iter().map(|hit| hit.doc.get()).collect()
    };
    assert_eq!(docs("sieve"), [0, 1, 9, 10, 2, 3, 4, 5, 6, 7], "places that are left are filled");
    assert_eq!(docs("sieve -site:other.example"), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(docs("sieve site:large.example"), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}
