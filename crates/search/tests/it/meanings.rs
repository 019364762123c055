//! When what pages mean counts beside their words, and how pages of hosts share the first places then.

use std::collections::HashMap;
use std::sync::Arc;

use latent::LatentSpace;
use page::DocId;
use search::{CopiesView, Hit, Limits, Meanings, Query, Searcher, Sites, SpaceSettings, Spaces, make_space};

use crate::{Fixture, fixture};

/// Each topic has its own words, and all pages some in common.
const TOPICS: [&str; 4] = [
    "ship sail harbour rope wind anchor deck mast captain tide",
    "bread flour oven dough yeast crust baker loaf salt rye",
    "violin concert string bow hall music player score orchestra opera",
    "garden rose soil spade seed hedge bloom bee shade rain",
];
const PAGES: usize = 160;

/// Pages of six words of their topic; the second half of each topic's is called by its words, too.
fn pages() -> Vec<(String, String)> {
    let page = |number: usize| {
        let words: Vec<&str> = TOPICS[number % TOPICS.len()].split(' ').collect();
        let word = |place: usize| words[(number / TOPICS.len() * 3 + place * place) % words.len()];
        let text = (0..6).map(word).collect::<Vec<_>>().join(" ");
        let title = if number < PAGES / 2 { String::new() } else { format!("{} {number}", word(0)) };
        (title, format!("about {text} and more number{number}"))
    };
    (0..PAGES).map(page).collect()
}

/// A searcher that knows what the pages speak of.
fn with_space(fixture: &Fixture) -> Searcher {
    let (folder, index) = (tempfile::tempdir().unwrap(), fixture.searcher.index());
    let path = folder.path().join("space");
    let settings = SpaceSettings { dimensions: 8, ..SpaceSettings::default() };
    make_space(index, &path, settings).unwrap();
    let mut spaces = Spaces::new();
    spaces.add(DocId::new(0)..DocId::new(index.documents()), LatentSpace::open(&path).unwrap());
    fixture.searcher.clone().with_spaces(spaces)
}

fn found(searcher: &Searcher, text: &str, (from, count): (usize, usize), meanings: Meanings) -> Vec<Hit> {
    let query = Query::parse(text).unwrap();
    let (view, limits) = (CopiesView::default(), Limits::default());
    searcher.search_by_meaning(&query, from, count, view, limits, meanings).unwrap().hits
}

fn docs(hits: &[Hit]) -> Vec<DocId> {
    hits.iter().map(|hit| hit.doc).collect()
}

#[test]
fn meanings_count_for_questions_about_what_several_pages_say_unless_somebody_says_otherwise() {
    let mut pages = pages();
    pages.push((
        "Sail, rope, wind, deck and anchor".to_owned(),
        "about a house in rain with an opera of bread".to_owned(),
    ));
    let fixture = fixture(&pages);
    let searcher = with_space(&fixture);
    let rows = [
        ("which ship has rope and mast", true),
        ("rope mast tide wind captain", true),
        // Names, operators, the title of a page, and pages that have nothing in common.
        ("ship", false),
        ("ship sail rope", false),
        ("which ship has rope and mast -oven", false),
        ("which ship has rope and \"about\"", false),
        ("which ship has rope OR mast", false),
        ("sail rope wind deck and anchor", false),
        ("number3 number4 number5 number6 number9", false),
    ];
    for (text, counts) in rows {
        let [auto, on, off] = Meanings::ALL.map(|meanings| found(&searcher, text, (0, 10), meanings));
        assert_eq!(auto.iter().any(|hit| hit.meaning.is_some()), counts, "{text}");
        // Words in titles count, too, where the best are looked at once more.
        let without_space = found(&fixture.searcher, text, (0, 10), Meanings::On);
        assert_eq!(docs(&auto), docs(if counts { &on } else { &without_space }), "{text}");
        assert!(without_space.iter().all(|hit| hit.meaning.is_none()), "{text}");
        assert!(off.iter().all(|hit| hit.meaning.is_none()), "{text}");
        let by_words = fixture.searcher.search(&Query::parse(text).unwrap(), 0, 10).unwrap().hits;
        assert_eq!(docs(&off), docs(&by_words), "{text}");
    }
}

#[test]
fn by_meaning_too_two_of_the_first_ten_are_of_a_host_and_pages_of_results_fit_together() {
    let fixture = fixture(&pages());
    let host_of = |doc: DocId| if doc.index() / 4 % 8 < 5 { 0 } else { doc.index() / 4 % 7 + 1 };
    let mut sites = Sites::new(PAGES as u32);
    for doc in (0..PAGES as u32).map(DocId::new) {
        sites.add(&format!("h{}.example", host_of(doc)), "/", Some(doc));
    }
    let alone = with_space(&fixture);
    let searcher = alone.clone().with_sites(Arc::new(sites));
    let text = "which ship has rope and mast";
    let hosts = |hits: &[Hit]| {
        let mut hosts: HashMap<usize, usize> = HashMap::new();
        hits.iter().for_each(|hit| *hosts.entry(host_of(hit.doc)).or_default() += 1);
        hosts
    };
    let crowded = found(&alone, text, (0, 10), Meanings::On);
    assert!(hosts(&crowded).values().any(|pages| *pages > 2), "otherwise there is nothing to spread");
    for meanings in [Meanings::On, Meanings::Auto] {
        let all = found(&searcher, text, (0, PAGES), meanings);
        assert!(all.iter().all(|hit| hit.meaning.is_some()));
        assert!(hosts(&all[..10]).values().all(|pages| *pages <= 2), "{:?}", hosts(&all[..10]));
        assert!(all[..10].iter().any(|hit| hit.site_has_more && host_of(hit.doc) == 0));
        let pages: Vec<Hit> =
            (0..all.len()).step_by(7).flat_map(|from| found(&searcher, text, (from, 7), meanings)).collect();
        assert_eq!(docs(&pages), docs(&all));
        let mut sorted = docs(&all);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(
            sorted.len(),
            found(&alone, text, (0, PAGES), meanings).len(),
            "none is lost, none comes twice"
        );
    }
}
