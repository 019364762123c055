//! Words are found by their forms, the very word first.

use std::sync::Arc;

use index::{Field, Index, IndexBuilder, IndexDocument, Piece};
use page::{DocId, PageKey};
use search::{Query, Searcher};

use crate::{Fixture, fixture_in};

fn pages() -> Fixture {
    let texts = [
        "the connections of a sieve",
        "the connection of a sieve",
        "we connected a sieve to an e-mail server",
        "an email from nowhere",
        "std::vec is a list, said PostgreSQL's author",
        "a vec of std, and postgresql",
        "東京都庁の水",
        "the connection machines are connecting machines with a connection",
    ];
    let documents: Vec<Vec<(Field, String)>> = (0..40)
        .flat_map(|number| texts.iter().map(move |text| format!("{text} {}", "filler ".repeat(number % 5))))
        .map(|text| vec![(Field::Main, text)])
        .collect();
    fixture_in(Some("en"), &documents)
}

fn query(searcher: &Searcher, text: &str) -> Query {
    Query::parse_for(text, searcher.index().analyzer()).unwrap()
}

/// Which of the texts are found, in the order of their best page.
fn found(searcher: &Searcher, text: &str) -> Vec<u32> {
    let hits = searcher.search(&query(searcher, text), 0, 1000).unwrap().hits;
    let mut texts = Vec::new();
    for hit in hits {
        if !texts.contains(&(hit.doc.get() % 8)) {
            texts.push(hit.doc.get() % 8);
        }
    }
    texts
}

#[test]
fn a_word_finds_its_forms_and_the_very_word_comes_first() {
    let fixture = pages();
    let searcher = &fixture.searcher;
    let sorted = |text: &str| {
        let mut texts = found(searcher, text);
        texts.sort_unstable();
        texts
    };
    assert_eq!(sorted("connections"), [0, 1, 2, 7]);
    assert_eq!(found(searcher, "+connections sieve")[0], 0);
    assert_eq!(sorted("connects"), [0, 1, 2, 7], "no page has this form");
    assert_eq!(sorted("\"connections\""), [0], "in quotes it is exact");
    assert_eq!(sorted("\"connection of\""), [1]);
    assert_eq!(sorted("connecting -connections"), [] as [u32; 0], "forms are excluded too");
    assert_eq!(sorted("e-mail"), [2, 3], "as a whole and by its parts");
    assert_eq!(sorted("std::vec"), [4]);
    assert_eq!(sorted("PostgreSQL"), [4, 5]);
    assert_eq!(sorted("水"), [6]);
    assert_eq!(sorted("京都"), [6]);
}

/// English pages with all forms, and some of which the language is not known.
fn mixed() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
    for number in 0..3000u32 {
        let (language, text) = match number % 10 {
            0 => (None, "rete di connections e machines"),
            1 => (None, "nulla di nulla"),
            2..6 => (Some("en"), "the connection of machines"),
            _ => (Some("en"), "connections connected to a machine"),
        };
        let text = format!("{text} {}", "filler ".repeat(number as usize % 17));
        let pieces = [Piece { field: Field::Main, text: &text }];
        builder.add(&IndexDocument { key: PageKey::new(number.into()), language, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
    let index = Arc::new(Index::open(folder.path()).unwrap());
    Fixture { searcher: Searcher::new(index), _folder: folder }
}

#[test]
fn a_page_in_another_language_that_has_the_very_word_is_found() {
    let fixture = mixed();
    let query = query(&fixture.searcher, "+connections +machines");
    let explanation = fixture.searcher.explain(&query, DocId::new(0)).unwrap();
    assert!(explanation.matches, "{explanation}");
    let english = fixture.searcher.explain(&query, DocId::new(7)).unwrap();
    assert!(explanation.score > english.score, "{explanation}\n{english}");
    let hits = fixture.searcher.search(&query, 0, 300).unwrap();
    assert_eq!(hits.total, 2700);
    assert!(hits.hits.iter().any(|hit| hit.doc.get() % 10 == 0), "{hits:?}");
}

/// Few pages have the very word, many have some form of it: that must not bring those first of which no language is known.
#[test]
fn a_page_without_a_language_counts_as_much_as_one_with_the_same_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
    let pages = [(None, "a connection of sieves"), (Some("en"), "a connection of sieves")];
    let others = [(Some("en"), "connected to the sieve"); 20];
    for (number, (language, text)) in (0u64..).zip(pages.into_iter().chain(others)) {
        let pieces = [Piece { field: Field::Main, text }];
        builder.add(&IndexDocument { key: PageKey::new(number), language, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
    let searcher = Searcher::new(Arc::new(Index::open(folder.path()).unwrap()));
    let hits = searcher.search(&query(&searcher, "connection sieves"), 0, 22).unwrap().hits;
    let score = |doc: u32| hits.iter().find(|hit| hit.doc.get() == doc).unwrap().score;
    assert!((score(0) - score(1)).abs() < 1e-4 && score(0) > score(2), "{hits:?}");
    agree_on_forms(&searcher);
}

#[test]
fn what_is_passed_over_and_what_is_explained_agree_on_forms() {
    for fixture in [pages(), mixed()] {
        agree_on_forms(&fixture.searcher);
    }
}

fn agree_on_forms(searcher: &Searcher) {
    for text in [
        "connections",
        "connected sieve",
        "machines connection list",
        "e-mail",
        "connecting OR emails",
        "+sieve connects",
    ] {
        let query = query(searcher, text);
        let mut scores: Vec<(bool, f64, u32)> = Vec::new();
        for doc in 0..searcher.index().documents() {
            let explanation = searcher.explain(&query, DocId::new(doc)).unwrap();
            if explanation.matches {
                let has_all = explanation.words.is_none_or(|words| words.missing.is_empty());
                scores.push((has_all, explanation.score, doc));
            }
        }
        scores.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        let hits = searcher.search(&query, 0, 10).unwrap().hits;
        let best: Vec<(u32, f64)> = hits.iter().map(|hit| (hit.doc.get(), hit.score)).collect();
        let expected: Vec<(u32, f64)> = scores.iter().take(10).map(|row| (row.2, row.1)).collect();
        assert_eq!(best, expected, "{text}");
    }
}

/// A list that has ended must say so of whatever comes after its last segment, or a search waits for it for ever.
#[test]
fn a_form_that_later_segments_lack_does_not_hold_a_search_up() {
    let folder = tempfile::tempdir().unwrap();
    let texts = ["cargo publish", "cargo publishing", "publishing of cargoes"];
    for (number, text) in (0u64..).zip(texts) {
        let mut builder = match number {
            0 => IndexBuilder::create(folder.path(), 1 << 20).unwrap(),
            _ => IndexBuilder::append(folder.path(), 1 << 20).unwrap(),
        };
        let pieces = [Piece { field: Field::Main, text }];
        let document = IndexDocument { key: PageKey::new(number), language: Some("en"), pieces: &pieces };
        builder.add(&document).unwrap();
        builder.finish("").unwrap();
    }
    let searcher = Searcher::new(Arc::new(Index::open(folder.path()).unwrap()));
    for text in
        ["cargo publish", "+cargo +publish", "publish cargoes", "cargo OR publish", "publish -nothing"]
    {
        let hits = searcher.search(&query(&searcher, text), 0, 10).unwrap();
        let mut docs: Vec<u32> = hits.hits.iter().map(|hit| hit.doc.get()).collect();
        docs.sort_unstable();
        assert_eq!(docs, [0, 1, 2], "{text}");
    }
}
