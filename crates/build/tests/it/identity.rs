//! What has an entry for each page, document or node is used with those that it was made for, and with no others of the
//! same number.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use build::{
    BuildSettings, Error, Lag, Notice, Shelf, Snapshot, SnapshotSettings, Watcher, bring_up_to_date,
};
use graph::RankArray;
use page::{ContentType, PageUrl, SetId, Timestamp};
use search::AnswerRequest;
use store::{Collection, NewPage, PageRecord, RecordKind, StoreWriter, WarcRecordBuilder};

const PAGES: [(&str, &str); 4] = [
    ("a", "a sieve of brass"),
    ("b", "a sieve of stone"),
    ("c", "nothing about it <a href=b>the second</a>"),
    ("d", "nothing of the kind <a href=b>another</a>"),
];

/// A collection of four pages, two of which link to `b`.
fn collection(dir: &Path, created: Timestamp) -> Collection {
    let collection = Collection::open_or_create(dir, created).unwrap();
    let (mut store, mut warc) = (StoreWriter::open(&collection).unwrap().0, WarcRecordBuilder::new(6));
    for (name, body) in PAGES {
        let url = PageUrl::parse(&format!("http://a.test/{name}")).unwrap();
        let document = parse::parse_page(&url, ContentType("text/html"), body.as_bytes());
        let record = PageRecord::new(RecordKind::Imported, url, created);
        let page = NewPage::imported(record, "text/html", body.as_bytes(), &document.links, &mut warc);
        store.append(page, created).unwrap();
    }
    store.flush_for_sync().unwrap().sync().unwrap();
    collection
}

/// What a build or a search told.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Told {
    fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap()).join("\n")
    }
}

impl Watcher for Told {
    fn tell(&self, notice: Notice<'_>) {
        self.0.lock().unwrap().push(match notice {
            Notice::MadeAnew { what, why } => format!("{why}; {what} made anew"),
            Notice::Failed(error) => error.to_string(),
            Notice::NoRanks { why, .. } => format!("no ranks: {why}"),
            _ => "something else".to_owned(),
        });
    }
}

fn build(collection: &Collection) -> String {
    let told = Told::default();
    bring_up_to_date(
        collection,
        &BuildSettings { threshold: None, memory_bytes: 64 << 20, lag: Lag::default() },
        &told,
    )
    .unwrap();
    told.take()
}

/// The names of the pages that are found, best first, and what was told.
fn found(collection: &Collection) -> Result<(Vec<String>, String), Error> {
    let weights = search::Weights { page_rank: 2.0, ..Default::default() };
    let settings = SnapshotSettings { weights, ..Default::default() };
    let told = Arc::new(Told::default());
    let snapshot = Snapshot::open(Shelf::open(&[collection.dir().to_owned()])?, &settings, told.clone())?;
    let answer = snapshot.answer("sieve", &AnswerRequest { count: 10, ..Default::default() }).unwrap();
    let name = |url: &str| url.rsplit('/').next().unwrap().to_owned();
    Ok((answer.results.iter().map(|result| name(&result.url)).collect(), told.take()))
}

fn file_of_graph(collection: &Collection, name: &str) -> PathBuf {
    let folder = collection.dir().join("graph");
    let manifest = graph::Manifest::check(&folder.join("manifest.json")).unwrap();
    folder.join(manifest.build).join(name)
}

/// Writes the scores of a file in the opposite order: as many, and wrong.
fn turn_around(path: &Path, whose: SetId) {
    let array = RankArray::open(path).unwrap();
    let scores: Vec<f64> =
        (0..array.nodes() as u32).rev().map(|number| array.score(number).unwrap()).collect();
    RankArray::write(path, whose, array.about(), &scores).unwrap();
}

#[test]
fn ranks_of_as_many_documents_of_another_index_are_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let collection = collection(&dir.path().join("a.crivello"), Timestamp(0));
    build(&collection);
    let right = (vec!["b".to_owned(), "a".to_owned()], String::new());
    assert_eq!(found(&collection).unwrap(), right);
    let path = file_of_graph(&collection, "documents.rank");
    let kept = std::fs::read(&path).unwrap();
    let array = RankArray::open(&path).unwrap();
    // It is this file that decides: with the identity of the index, wrong scores are believed.
    let scores = [9.0, 0.5, 0.5, 0.5];
    RankArray::write(&path, array.whose().unwrap(), array.about(), &scores).unwrap();
    assert_eq!(found(&collection).unwrap().0, ["a", "b"]);
    RankArray::write(&path, SetId::new(7), array.about(), &scores).unwrap();
    assert_eq!(found(&collection).unwrap(), right, "the pages are looked up instead");
    build(&collection);
    assert_eq!(std::fs::read(&path).unwrap(), kept);
}

#[test]
fn ranks_of_as_many_nodes_of_another_graph_are_told_and_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let collection = collection(&dir.path().join("a.crivello"), Timestamp(0));
    build(&collection);
    let path = file_of_graph(&collection, "pagerank.rank");
    let kept = std::fs::read(&path).unwrap();
    turn_around(&path, SetId::new(7));
    let (names, told) = found(&collection).unwrap();
    assert_eq!(names, ["a", "b"], "links do not count");
    assert!(told.contains("no ranks") && told.contains("another graph"), "{told}");
    let told = build(&collection);
    assert!(told.contains("another graph") && told.contains("made anew"), "{told}");
    assert_eq!(std::fs::read(&path).unwrap(), kept);
    assert_eq!(found(&collection).unwrap(), (vec!["b".to_owned(), "a".to_owned()], String::new()));
}

#[test]
fn parts_of_a_collection_of_the_same_size_are_refused_by_name_and_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let one = collection(&dir.path().join("one.crivello"), Timestamp(1_000_000));
    let other = collection(&dir.path().join("other.crivello"), Timestamp(1_005_000));
    assert_eq!(one.table_bytes().unwrap(), other.table_bytes().unwrap());
    build(&one);
    build(&other);
    let right = found(&other).unwrap();
    let put = |part: &str| {
        let (from, to) = (one.dir().join(part), other.dir().join(part));
        if to.is_dir() {
            std::fs::remove_dir_all(&to).unwrap();
            copy_folder(&from, &to);
        } else {
            std::fs::copy(from, to).unwrap();
        }
    };
    put("dedup/groups");
    let (names, told) = found(&other).unwrap();
    assert!(names == right.0 && told.contains("dedup/groups` was made from other pages"), "{told}");
    put("index");
    assert!(matches!(found(&other), Err(Error::OtherPages(path)) if path.ends_with("index")));
    let told = build(&other);
    assert!(told.contains("index` was made from other pages"), "{told}");
    assert_eq!(found(&other).unwrap(), right);
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
