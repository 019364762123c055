//! Words of links are a field of the page that they lead to, and an index that grew has the same as one that is made anew.

use std::path::Path;
use std::sync::Arc;

use build::anchors::AnchorTexts;
use build::{
    BuildSettings, Lag, Notice, Progress, Shelf, Snapshot, SnapshotSettings, Watcher, bring_up_to_date,
    forget::forget, keep_clicks,
};
use page::{ContentType, PageUrl, Timestamp};
use search::AnswerRequest;
use store::{Collection, NewPage, PageRecord, RecordKind, StoreWriter, WarcRecordBuilder};

const MEMORY_BYTES: u64 = 64 << 20;
const NOW: Timestamp = Timestamp(1_700_000_000_000);

struct Silent;

impl Watcher for Silent {
    fn progress(&self, _: Progress<'_>) {}
    fn tell(&self, _: Notice<'_>) {}
}

fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

/// Stores pages behind those that are there.
fn store(collection: &Collection, pages: &[(String, String)]) {
    let (mut store, mut warc) = (StoreWriter::open(collection).unwrap().0, WarcRecordBuilder::new(6));
    for (address, body) in pages {
        let url = url(address);
        let document = parse::parse_page(&url, ContentType("text/html"), body.as_bytes());
        let record = PageRecord::new(RecordKind::Imported, url, NOW);
        let page = NewPage::imported(record, "text/html", body.as_bytes(), &document.links, &mut warc);
        store.append(page, NOW).unwrap();
    }
    store.flush_for_sync().unwrap().sync().unwrap();
}

/// A collection of these pages.
fn collection(dir: &Path, pages: &[(String, String)]) -> Collection {
    let collection = Collection::open_or_create(dir, NOW).unwrap();
    store(&collection, pages);
    collection
}

fn owned(pages: &[(&str, &str)]) -> Vec<(String, String)> {
    pages.iter().map(|&(address, body)| (address.to_owned(), body.to_owned())).collect()
}

/// Brings everything up to date; how many documents were replaced, and whether the index was made anew.
fn build(collection: &Collection) -> (u64, bool) {
    let settings = BuildSettings { threshold: None, memory_bytes: MEMORY_BYTES, lag: Lag::default() };
    let index = bring_up_to_date(collection, &settings, &Silent).unwrap().index;
    (index.replaced, !index.appended && !index.up_to_date)
}

fn snapshot(collection: &Collection) -> Snapshot {
    let weights = search::Weights { page_rank: 2.0, ..Default::default() };
    let settings = SnapshotSettings { weights, ..Default::default() };
    let shelf = Shelf::open(&[collection.dir().to_owned()]).unwrap();
    Snapshot::open(shelf, &settings, Arc::new(Silent)).unwrap()
}

/// Addresses and scores of what is found, best first.
fn found(collection: &Collection, query: &str) -> Vec<(String, f64)> {
    let snapshot = snapshot(collection);
    let answer = snapshot.answer(query, &AnswerRequest { count: 1000, ..Default::default() }).unwrap();
    answer.results.into_iter().map(|result| (result.url, result.score)).collect()
}

#[test]
fn what_becomes_words_of_links_to_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let target = "http://t.test/";
    let menu: String = (0..9).map(|n| format!("<a href=/{n}>elsewhere</a> ")).collect();
    let mut pages = owned(&[
        (target, "<p>welcome <a href=/>mine alone</a> <a href=/page>a page</a>"),
        ("http://a.test/1", "<p><a href=http://t.test/>Gizmo handbook</a>"),
        ("http://a.test/2", "<p><a href=http://t.test/>Gizmo handbook</a>"),
        ("http://b.test/", "<p><a href=http://t.test/>gizmo handbook</a> <a href=http://t.test/page>one</a>"),
        ("http://c.test/", "<p><a href=http://t.test/index.html>the manual of gizmos</a>"),
        ("http://d.test/", "<p><a rel=nofollow href=http://t.test/>cheap</a>"),
        ("http://e.test/", "<p><a href=http://t.test/>click here</a>"),
        ("http://t.test/index.html", "<link rel=canonical href=http://t.test/><p>welcome"),
        ("http://t.test/page", "<p>a page <a href=/>Front</a>"),
        ("http://m.test/", &format!("<p>{menu}<a href=/alone>only once</a>")),
        ("http://m.test/alone", "<p>alone"),
    ]);
    pages.extend((0..9).map(|n| (format!("http://m.test/{n}"), "<p>nothing".to_owned())));
    let collection = collection(&folder.path().join("a.crivello"), &pages);
    build(&collection);
    let mut anchors = AnchorTexts::of(&collection, MEMORY_BYTES).unwrap().unwrap();
    let mut texts = |address: &str| -> Vec<(String, u32)> {
        let (texts, print) = anchors.texts(&url(address)).unwrap();
        assert_eq!(
            (print != 0, print),
            (!texts.is_empty(), anchors.print(&url(address)).unwrap()),
            "{address}"
        );
        texts.into_iter().map(|text| (text.text, text.times)).collect()
    };
    let rows: [(&str, &[(&str, u32)]); 5] = [
        // The front page of a host is called by its name too.
        (target, &[("Front", 1), ("Gizmo handbook", 2), ("the manual of gizmos", 1), ("t", 4)]),
        // It is known by the page that it names.
        ("http://t.test/index.html", &[]),
        ("http://t.test/page", &[("a page", 1), ("one", 1)]),
        // Words that lead to nine pages of a site say nothing of any.
        ("http://m.test/3", &[]),
        ("http://m.test/alone", &[("only once", 1)]),
    ];
    for (address, expected) in rows {
        let expected: Vec<_> = expected.iter().map(|&(text, times)| (text.to_owned(), times)).collect();
        assert_eq!(texts(address), expected, "{address}");
    }
    assert_eq!(found(&collection, "gizmo")[0].0, target);
    assert_eq!(found(&collection, "\"gizmo handbook\"")[0].0, target);
    // A phrase does not go from one link to the next.
    assert!(found(&collection, "\"front gizmo\"").is_empty());
}

#[test]
fn the_name_of_a_site_brings_its_front_page_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut pages = owned(&[
        ("http://www.gizmo.test/", "<p>welcome"),
        ("http://gadget.test/", "<link rel=canonical href=/start><p>moved"),
        ("http://gadget.test/start", "<p>welcome"),
    ]);
    for (host, name) in
        [("www.gizmo.test", "gizmo"), ("gadget.test", "gadget"), ("other.test", "gizmo gadget")]
    {
        for n in 0..12 {
            // All speak of it, and the third of them is where all links lead.
            let text = format!("{name} {name} in chapter {n} <a href=/p3>chapter three</a>");
            pages.push((format!("http://{host}/p{n}"), format!("<title>{name} {n}</title><p>{text}")));
        }
    }
    let collection = collection(&folder.path().join("a.crivello"), &pages);
    build(&collection);
    assert_eq!(found(&collection, "gizmo")[0].0, "http://www.gizmo.test/");
    assert_eq!(found(&collection, "gadget")[0].0, "http://gadget.test/start");
    assert_eq!(found(&collection, "chapter")[0].0.rsplit('/').next(), Some("p3"));
}

#[test]
fn the_name_of_a_manual_among_others_brings_its_front_page_first() {
    let folder = tempfile::tempdir().unwrap();
    // Of many pages few are of one manual.
    let other =
        |n: u32| (format!("http://other.test/{n}"), format!("<p>something else {n} <a href=/py/py>that"));
    let mut pages: Vec<_> = (0..300).map(other).collect();
    pages.push((
        "http://other.test/py/py".to_owned(),
        format!("<title>py</title><h1>py</h1><p>{}", "py ".repeat(90)),
    ));
    for (path, name) in
        [("gizmo2-doc/html", "gizmo"), ("gizmo2-doc/html/api", "gizmo"), ("py-gadget", "gadget")]
    {
        let host = "http://import.invalid/doc";
        let front = format!("<title>The handbook of {name}</title><p>welcome to {name}");
        pages.push((format!("{host}/{path}/index.html"), front));
        for n in 0..12 {
            // All speak more of it than the front page does, and the third of them is where all links lead.
            let names = format!("{name} ").repeat(8);
            let text = format!("{names} in chapter {n} <a href=p3.html>chapter three</a>");
            pages.push((format!("{host}/{path}/p{n}.html"), format!("<title>{name} {n}</title><p>{text}")));
        }
    }
    let collection = collection(&folder.path().join("a.crivello"), &pages);
    build(&collection);
    assert_eq!(found(&collection, "gizmo")[0].0, "http://import.invalid/doc/gizmo2-doc/html/index.html");
    assert_eq!(found(&collection, "gadget")[0].0, "http://import.invalid/doc/py-gadget/index.html");
    assert_eq!(found(&collection, "py gadget")[0].0, "http://import.invalid/doc/py-gadget/index.html");
    // A part of its name is a name if it is in its title, too.
    assert_eq!(found(&collection, "py")[0].0, "http://other.test/py/py");
    // What lies within another one is no manual of its own.
    assert_ne!(found(&collection, "api")[0].0, "http://import.invalid/doc/gizmo2-doc/html/api/index.html");
}

/// Some number that depends on another one only.
fn random(number: u64) -> u64 {
    let mixed = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

const WORDS: [&str; 8] = ["sieve", "crawl", "web", "harbour", "ferry", "quay", "bridge", "gizmo"];

/// Page `number` of some hosts, with a few links to earlier and later pages; a later version has others.
fn page(number: u64, version: u64) -> (String, String) {
    let address = |number: u64| format!("http://h{}.test/p{number}", number % 7);
    let seed = number * 1000 + version;
    let links: String = (0..random(seed) % 4)
        .map(|n| {
            let to = address(random(seed + 10 * n) % 120);
            let word = |salt| WORDS[(random(seed + 10 * n + salt) % 8) as usize];
            format!("<a href={to}>{} {}</a> ", word(1), word(2))
        })
        .collect();
    let text = format!("{} {} p{number} v{version}", WORDS[(seed % 8) as usize], random(seed + 7) % 50);
    (address(number), format!("<title>page {number}</title><p>{text} {links}"))
}

/// What all queries find, best first.
fn answers(collection: &Collection) -> Vec<Vec<(String, f64)>> {
    WORDS.iter().map(|word| found(collection, word)).collect()
}

#[test]
fn an_index_that_grew_answers_as_one_that_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("a.crivello");
    let collection = collection(&dir, &[]);
    let add = |numbers: std::ops::Range<u64>, version| {
        let pages: Vec<_> = numbers.map(|number| page(number, version)).collect();
        store(&collection, &pages);
    };
    add(0..90, 0);
    assert!(build(&collection).1);
    let mut replaced = 0;
    for (step, start) in (0u64..).zip([90, 100, 110]) {
        add(start..start + 10, 0);
        // Some pages come again, with other links.
        add(10 * step..10 * step + 4, 1);
        let (documents, is_anew) = build(&collection);
        assert!(!is_anew && build(&collection) == (0, false), "step {step}");
        replaced += documents;
    }
    assert!(replaced > 5, "{replaced}");
    let forgotten = |url: &PageUrl| url.path_and_query() == "/p55" || url.host() == "h3.test";
    forget(&collection, "some", &forgotten, NOW, MEMORY_BYTES, &Silent).unwrap();
    let sets = |answers: Vec<Vec<(String, f64)>>| -> Vec<Vec<String>> {
        let set = |found: Vec<(String, f64)>| -> Vec<String> {
            let mut urls: Vec<_> = found.into_iter().map(|(url, _)| url).collect();
            urls.sort();
            urls
        };
        answers.into_iter().map(set).collect()
    };
    let with_the_dead = sets(answers(&collection));
    // What died is counted until segments are merged.
    index::merge_all(&dir.join("index")).unwrap();
    assert_eq!(build(&collection), (0, false));
    let grown = answers(&collection);
    for part in ["index", "graph", "documents", "dedup"] {
        std::fs::remove_dir_all(dir.join(part)).unwrap();
    }
    assert!(build(&collection).1);
    let fresh = answers(&collection);
    assert!(fresh.iter().all(|found| found.len() > 10), "{fresh:?}");
    assert_eq!(grown, fresh);
    assert_eq!(with_the_dead, sets(fresh));
}

#[test]
fn a_large_graph_lacks_few_pages_until_enough_have_come_and_then_all_is_as_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("a.crivello");
    let collection = collection(&dir, &[]);
    let add = |numbers: std::ops::Range<u64>, version| {
        let pages: Vec<_> = numbers.map(|number| page(number, version)).collect();
        store(&collection, &pages);
    };
    let settings =
        BuildSettings { threshold: None, memory_bytes: MEMORY_BYTES, lag: Lag { pages_min: 90, share: 10 } };
    let grow = || bring_up_to_date(&collection, &settings, &Silent).unwrap();
    // New pages and such that come again, how many the graph lacks then, and how many nodes it has.
    let steps = [
        (0..80, 0..0, 0, 80),
        (80..84, 0..0, 0, 84),
        (84..90, 0..0, 0, 90),
        (90..94, 0..0, 4, 90),
        (94..95, 0..4, 9, 90),
        (95..96, 0..0, 0, 96),
        (96..96, 4..6, 2, 96),
    ];
    for (new, again, behind, nodes) in steps {
        let newest = new.clone().last();
        add(new, 0);
        add(again, 1);
        let built = grow();
        assert_eq!((built.graph.pages_behind, built.graph.nodes), (behind, nodes));
        assert!(!built.graph.up_to_date && (behind == 0 || built.index.replaced == 0));
        if let Some(newest) = newest {
            assert_eq!(found(&collection, &format!("p{newest}"))[0].0, page(newest, 0).0);
        }
        let built = grow();
        assert!(built.index.up_to_date && built.dedup.up_to_date);
        assert_eq!((built.graph.pages_behind, built.graph.up_to_date), (behind, behind == 0));
    }
    // What must be gone is gone at once, and then nothing is lacking.
    let forgotten = |url: &PageUrl| url.path_and_query() == "/p55";
    forget(&collection, "one", &forgotten, NOW, MEMORY_BYTES, &Silent).unwrap();
    assert!(grow().graph.up_to_date);
    index::merge_all(&dir.join("index")).unwrap();
    grow();
    let grown = answers(&collection);
    for part in ["index", "graph", "documents", "dedup"] {
        std::fs::remove_dir_all(dir.join(part)).unwrap();
    }
    grow();
    assert_eq!(grown, answers(&collection));
}

#[test]
fn what_is_forgotten_does_not_speak_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let pages = owned(&[
        ("http://t.test/", "<p>welcome"),
        ("http://a.test/", "<p>of brass <a href=http://t.test/>gizmo</a>"),
        ("http://b.test/", "<p>of stone <a href=http://t.test/>gadget</a>"),
        ("http://c.test/", "<p>of wood"),
        ("http://d.test/", "<p>of glass"),
    ]);
    let collection = collection(&folder.path().join("a.crivello"), &pages);
    build(&collection);
    let finds = |query: &str| found(&collection, query).iter().any(|(url, _)| url == "http://t.test/");
    assert_eq!(["gizmo", "gadget"].map(finds), [true, true]);
    let is_a = |url: &PageUrl| url.host() == "a.test";
    forget(&collection, "host a.test", &is_a, NOW, MEMORY_BYTES, &Silent).unwrap();
    assert_eq!(["gizmo", "gadget", "welcome"].map(finds), [false, true, true]);
    assert_eq!(build(&collection), (0, false));
}

#[test]
fn the_text_of_a_page_is_read_by_its_key_until_it_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let pages =
        owned(&[("http://a.test/", "<p>of brass"), ("http://b.test/", "<title>B</title><p>of stone")]);
    let collection = collection(&folder.path().join("a.crivello"), &pages);
    build(&collection);
    let texts = |snapshot: &Snapshot| {
        let read = |record| snapshot.page(page::PageKey::new(record)).map(|page| (page.url, page.text));
        (0..4096).filter_map(read).collect::<Vec<_>>()
    };
    assert_eq!(
        texts(&snapshot(&collection)),
        owned(&[("http://a.test/", "of brass"), ("http://b.test/", "of stone")])
    );
    let is_b = |url: &PageUrl| url.host() == "b.test";
    forget(&collection, "host b.test", &is_b, NOW, MEMORY_BYTES, &Silent).unwrap();
    assert_eq!(texts(&snapshot(&collection)), owned(&[("http://a.test/", "of brass")]));
}

#[test]
fn clicks_become_words_of_their_pages_and_can_be_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let body = |n: usize| format!("<title>Page {n}</title><p>chapter {n} of a book");
    let pages: Vec<(String, String)> = (0..20).map(|n| (format!("http://a.test/{n}"), body(n))).collect();
    let collection = collection(&folder.path().join("a.crivello"), &pages);
    build(&collection);
    let file = folder.path().join("clicks");
    let give = |text: &str| {
        std::fs::write(&file, text).unwrap();
        keep_clicks(&collection, &file)
    };
    let summary =
        give("gizmo repair\thttp://a.test/7\t5\ngizmo\thttp://a.test/9\t1\nx\thttp://b.test/\t1\n").unwrap();
    assert_eq!(
        (summary.queries, summary.pages, &*summary.unknown),
        (3, 2, &["http://b.test/".to_owned()][..])
    );
    assert_eq!(build(&collection), (2, false), "two documents have words that they did not have");
    let first = |query: &str| found(&collection, query).first().map(|(url, _)| url.clone());
    assert_eq!(first("gizmo repair").as_deref(), Some("http://a.test/7"));
    assert_eq!(found(&collection, "anchor:gizmo").len(), 2);
    assert_eq!(build(&collection), (0, false), "nothing is left to do");
    store(&collection, &[("http://a.test/20".to_owned(), body(20))]);
    build(&collection);
    assert_eq!(found(&collection, "gizmo").len(), 2, "later builds keep them");
    let error = give("gizmo http://a.test/7 5\n").unwrap_err().to_string();
    assert!(error.contains("clicks` cannot be used: line 1: "), "{error}");
    assert_eq!(found(&collection, "gizmo").len(), 2, "what cannot be read changes nothing");
    give("gizmo\thttp://a.test/9\t1\n").unwrap();
    assert_eq!(build(&collection).0, 1, "one page loses them, the other has the same");
    assert_eq!(found(&collection, "gizmo repair").len(), 1);
    give("").unwrap();
    build(&collection);
    assert!(found(&collection, "gizmo").is_empty());
}
