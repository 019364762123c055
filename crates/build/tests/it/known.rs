//! What a build gathered of documents beside their words is what a search would gather itself, and nothing else is believed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use build::{
    BuildSettings, Lag, Notice, Shelf, Snapshot, SnapshotSettings, Watcher, bring_up_to_date, forget,
};
use page::{ContentType, PageUrl, Timestamp};
use search::{AnswerRequest, Known, ReaderLanguages};
use store::{Collection, NewPage, PageRecord, RecordKind, StoreWriter, WarcRecordBuilder};

const PAGES: [(&str, &str); 12] = [
    ("http://a.test/", "a sieve at the front <a href=docs/1/one.html>one</a>"),
    ("http://a.test/docs/1/one.html", "the sieve, page one of a manual that has several editions"),
    ("http://a.test/docs/1/two.html", "the sieve, page two of a manual that has several editions"),
    ("http://a.test/docs/1/three.html", "the sieve, page three of a manual that has several editions"),
    ("http://a.test/docs/2/one.html", "the sieve, page one of a manual which was written anew"),
    ("http://a.test/docs/2/two.html", "the sieve, page two of a manual which was written anew"),
    ("http://a.test/docs/2/three.html", "the sieve, page three of a manual which was written anew"),
    ("http://b.test/de/seite", "<html lang=de>das sieve ist ein Sieb und noch manches andere mehr"),
    ("http://b.test/x", "a sieve that two hosts tell of in exactly the same words, one after the other"),
    ("http://c.test/x", "a sieve that two hosts tell of in exactly the same words, one after the other"),
    (
        "http://c.test/news",
        "<meta property='article:published_time' content='2020-05-17'>the sieve of that day",
    ),
    ("http://c.test/notes.txt", "a sieve in plain text <a href=x>x</a>"),
];

const QUERIES: [&str; 10] = [
    "sieve",
    "seive",
    "sieve site:a.test",
    "sieve site:a.test/docs/1",
    "sieve site:nowhere.test",
    "sieve lang:de",
    "sieve type:text",
    "sieve before:2021",
    "sieve after:2021",
    "-brass",
];

fn collection(dir: &Path) -> Collection {
    let collection = Collection::open_or_create(dir, Timestamp(0)).unwrap();
    let (mut store, mut warc) = (StoreWriter::open(&collection).unwrap().0, WarcRecordBuilder::new(6));
    let now = Timestamp(1_700_000_000_000);
    for (address, body) in PAGES {
        let kind = if address.ends_with(".txt") { "text/plain" } else { "text/html" };
        let url = PageUrl::parse(address).unwrap();
        let document = parse::parse_page(&url, ContentType(kind), body.as_bytes());
        let record = PageRecord::new(RecordKind::Imported, url, now);
        store
            .append(NewPage::imported(record, kind, body.as_bytes(), &document.links, &mut warc), now)
            .unwrap();
    }
    store.flush_for_sync().unwrap().sync().unwrap();
    collection
}

/// What was told.
#[derive(Default)]
struct Told(Mutex<String>);

impl Watcher for Told {
    fn tell(&self, notice: Notice<'_>) {
        self.0.lock().unwrap().push_str(&match notice {
            Notice::MadeAnew { what, why } => format!("{why}; {what} made anew"),
            Notice::Failed(error) => error.to_string(),
            _ => "something else".to_owned(),
        });
    }
}

fn build(collection: &Collection) -> String {
    let told = Told::default();
    let settings = BuildSettings { threshold: None, memory_bytes: 64 << 20, lag: Lag::default() };
    bring_up_to_date(collection, &settings, &told).unwrap();
    told.0.into_inner().unwrap()
}

fn known_path(collection: &Collection) -> PathBuf {
    collection.dir().join("known/documents")
}

/// The answers to all queries for readers of two languages by all signals, and what was told.
fn answers(collection: &Collection) -> (Vec<String>, String) {
    let weights = search::Weights {
        page_rank: 2.0,
        host_rank: 0.5,
        depth: 0.5,
        address_length: 0.5,
        freshness: 0.5,
        harmonic: 0.5,
        ..Default::default()
    };
    let told = Arc::new(Told::default());
    let settings = SnapshotSettings { weights, ..SnapshotSettings::of_all() };
    let shelf = Shelf::open(&[collection.dir().to_owned()]).unwrap();
    let snapshot = Snapshot::open(shelf, &settings, told.clone()).unwrap();
    let answer = |(query, language)| {
        let reader = ReaderLanguages::parse(language);
        let request = AnswerRequest { count: 20, explain: true, reader, ..Default::default() };
        let answer = snapshot.answer(query, &request).unwrap();
        let line = |result: &search::SearchResult| {
            format!("{} {} {:?}", result.url, result.similar, result.explanation.as_ref().unwrap())
        };
        let lines: Vec<String> = answer.results.iter().map(line).collect();
        let (total, meant) = (answer.total, answer.did_you_mean);
        format!("{query}: {total} {:?} {meant:?}\n{}", answer.notes, lines.join("\n"))
    };
    let of_both = QUERIES.iter().flat_map(|query| ["", "de"].map(|language| (*query, language)));
    let answers = of_both.map(answer).collect();
    let told = told.0.lock().unwrap().clone();
    (answers, told)
}

#[test]
fn what_a_build_gathered_is_what_a_search_would_gather() {
    let dir = tempfile::tempdir().unwrap();
    let collection = collection(&dir.path().join("a.crivello"));
    assert_eq!(build(&collection), "");
    let kept = answers(&collection);
    assert_eq!(kept.1, "");
    let found = kept.0.join("\n");
    for said in ["/docs/2/one.html 1", "http://b.test/de/seite", "http://c.test/news", "Some(\"sieve\")"] {
        assert!(found.contains(said), "{said} is not in\n{found}");
    }
    std::fs::remove_dir_all(collection.dir().join("known")).unwrap();
    assert_eq!(answers(&collection), kept);
    // What is damaged is told, and a search does without it; the next build makes it anew.
    build(&collection);
    let whole = std::fs::read(known_path(&collection)).unwrap();
    std::fs::write(known_path(&collection), &whole[1..]).unwrap();
    let (again, told) = answers(&collection);
    assert!(again == kept.0 && told.contains("known/documents"), "{told}");
    assert!(build(&collection).contains("what is known of documents is made anew"));
    assert_eq!(std::fs::read(known_path(&collection)).unwrap(), whole);
    // Words that are damaged are not needed: the index has them.
    let path = collection.dir().join("known/words");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[1..]).unwrap();
    assert_eq!(answers(&collection).0, kept.0);
    assert!(build(&collection).contains("the words for corrections are made anew"));
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn what_was_gathered_from_something_else_is_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let collection = collection(&dir.path().join("a.crivello"));
    build(&collection);
    let (right, path) = (answers(&collection), known_path(&collection));
    let known = Known::open(&path).unwrap();
    // It is this file that decides: wrong ranks are believed of it.
    let ranks = (0..PAGES.len()).map(|place| place as f32).collect();
    let wrong = Known { ranks: Some(ranks), ..known.clone() };
    wrong.write(&path).unwrap();
    assert_ne!(answers(&collection), right);
    let other = known.made_from.replace("index", "another index");
    Known { made_from: other, ..wrong }.write(&path).unwrap();
    assert_eq!(answers(&collection), right);
    build(&collection);
    assert_eq!(Known::open(&path).unwrap().made_from, known.made_from);
    assert_eq!(answers(&collection), right);
    // What is forgotten leaves the groups: who stood for it does so no more.
    let gone = |url: &PageUrl| url.as_str().contains("/docs/2/");
    forget::forget(&collection, "/docs/2/", &gone, Timestamp(1), 64 << 20, &Told::default()).unwrap();
    let kept = answers(&collection);
    assert_ne!(Known::open(&path).unwrap().made_from, known.made_from);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(answers(&collection), kept);
}
