//! Many indexes that are open as one answer as one index of all their documents does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use index::{Index, IndexBuilder, IndexDocument, Piece, bury};
use page::{DocId, PageKey, Timestamp};
use proptest::prelude::*;
use search::{Copies, CopiesView, Facts, Limits, LinkRanks, Query, Searcher, Sites, TotalWish};
use tempfile::TempDir;

const INDEXES: usize = 30;
const WORDS: [&str; 9] =
    ["sieve", "sieves", "old", "older", "bridge", "Brücke", "Brücken", "std::vec", "stone"];

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

struct Document {
    title: String,
    text: String,
    language: Option<&'static str>,
    host: String,
    is_dead: bool,
}

/// The documents of some indexes; word number n is in about one of n + 1, and some indexes are empty.
fn documents(seed: u64, indexes: usize) -> Vec<Vec<Document>> {
    let mut random = Random(seed);
    let document = |random: &mut Random, index: usize| {
        let mut words: Vec<&str> = Vec::new();
        for (number, word) in WORDS.iter().enumerate() {
            if random.below(number as u64 + 1) == 0 {
                words.extend((0..=random.below(4)).map(|_| *word));
            }
        }
        words.extend((0..random.below(20)).map(|_| "filler"));
        for place in (1..words.len()).rev() {
            words.swap(place, random.below(place as u64 + 1) as usize);
        }
        let title = WORDS[random.below(9) as usize];
        Document {
            title: if random.below(3) == 0 { title.to_owned() } else { String::new() },
            // A word that only one index has.
            text: format!("{} only{index}", words.join(" ")),
            language: [None, Some("en"), Some("de")][random.below(3) as usize],
            host: format!("{}.example", ["a", "b", "c"][random.below(3) as usize]),
            is_dead: random.below(11) == 0,
        }
    };
    let count = |random: &mut Random| if random.below(8) == 0 { 0 } else { 1 + random.below(12) };
    let mut all = Vec::new();
    for index in 0..indexes {
        all.push((0..count(&mut random)).map(|_| document(&mut random, index)).collect());
    }
    all
}

/// Makes an index; keys begin with 0 in each, as those of collections do.
fn write(dir: &Path, documents: &[&Document]) {
    let mut builder = IndexBuilder::create(dir, 1 << 20).unwrap();
    for (document, key) in documents.iter().zip((0..).map(PageKey::new)) {
        let pieces = Piece::title_and_text(&document.title, &document.text);
        builder.add(&IndexDocument { key, language: document.language, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
    let dead = documents.iter().zip((0..).map(PageKey::new)).filter(|(document, _)| document.is_dead);
    bury(dir, &dead.map(|(_, key)| key).collect::<Vec<_>>(), "test").unwrap();
}

/// With ranks, copies and sites by number, which do not depend on how documents are divided.
fn searcher(index: Index, documents: &[&Document]) -> Searcher {
    let count = index.documents();
    let mut sites = Sites::new(count);
    for (document, doc) in documents.iter().zip((0..).map(DocId::new)) {
        sites.add(&document.host, "/", Some(doc).filter(|_| !document.is_dead));
    }
    let mut facts = Facts::new(count);
    for (document, doc) in documents.iter().zip((0..).map(DocId::new)).filter(|row| !row.0.is_dead) {
        document.language.iter().for_each(|language| facts.set_language(doc, language));
        facts.set_media_type(doc, if doc.get().is_multiple_of(3) { "text/plain" } else { "text/html" });
        facts.set_fetched(doc, Timestamp(u64::from(doc.get() % 9) * 86_400_000));
    }
    let groups: Vec<Vec<DocId>> =
        (0..count / 9).map(|group| [7, 0, 3].map(|place| DocId::new(9 * group + place)).to_vec()).collect();
    let copies = Copies::new(count, groups.iter().map(Vec::as_slice));
    let ranks = (0..count).map(|doc| (doc % 13) as f32 * 0.3).collect();
    let searcher = Searcher::new(Arc::new(index)).with_sites(Arc::new(sites)).with_facts(Arc::new(facts));
    searcher.with_copies(Arc::new(copies)).with_ranks(LinkRanks::new(ranks, 2.0))
}

struct Pair {
    many: Searcher,
    one: Searcher,
    _folder: TempDir,
}

fn pair(seed: u64, indexes: usize) -> Pair {
    let folder = tempfile::tempdir().unwrap();
    let documents = documents(seed, indexes);
    let dirs: Vec<PathBuf> =
        (0..documents.len()).map(|number| folder.path().join(number.to_string())).collect();
    for (dir, documents) in dirs.iter().zip(&documents) {
        write(dir, &documents.iter().collect::<Vec<_>>());
    }
    let all: Vec<&Document> = documents.iter().flatten().collect();
    write(&folder.path().join("one"), &all);
    let many = searcher(Index::open_all(&dirs).unwrap(), &all);
    let one = searcher(Index::open(&folder.path().join("one")).unwrap(), &all);
    Pair { many, one, _folder: folder }
}

fn assert_equal(pair: &Pair, text: &str) {
    let query = |searcher: &Searcher| Query::parse_for(text, searcher.index().analyzer()).unwrap();
    assert_eq!(query(&pair.many), query(&pair.one), "{text}: words are understood alike");
    let query = query(&pair.one);
    let limits = Limits { total: TotalWish::Exact, ..Limits::default() };
    for view in [CopiesView::Folded, CopiesView::Shown] {
        for (from, count) in [(0, 10), (0, 1000), (3, 4)] {
            let mut many = pair.many.search_within(&query, from, count, view, limits).unwrap();
            let one = pair.one.search_within(&query, from, count, view, limits).unwrap();
            for (hit, same) in many.hits.iter_mut().zip(&one.hits) {
                // A key says of which index it is, and leads back.
                assert_eq!(pair.many.index().find_key(hit.key), Some(hit.doc));
                hit.key = same.key;
            }
            assert_eq!(many, one, "{text}, {view:?}, {from} {count}");
            for hit in &one.hits {
                let why = |searcher: &Searcher| format!("{:?}", searcher.explain(&query, hit.doc).unwrap());
                assert_eq!(why(&pair.many), why(&pair.one), "{text}");
            }
        }
    }
}

const QUERIES: [&str; 28] = [
    "sieve",
    "sieves",
    "bridge stone",
    "old older bridge Brücke stone filler",
    "\"old bridge\"",
    "\"sieve\"",
    "Brücken",
    "std::vec",
    "+stone filler",
    "bridge OR stone",
    "sieve AND old",
    "sieve -old",
    "filler NOT (bridge OR stone)",
    "(sieve OR stone) AND \"filler filler\"",
    "site:a.example",
    "sto* NEAR/4 old",
    "only* -only1*",
    "sieve < bridge",
    "\"old * bridge\" OR title:b*",
    "(old OR older) WITHIN (sieve NEAR/6 stone)",
    "-filler",
    "lang:de -sieve",
    "stone after:1970-01-05 type:text",
    "sieve site:b.example -site:c.example",
    "only3",
    "only3 only17 stone",
    "filler absent",
    "absent",
];

#[test]
fn thirty_indexes_answer_as_one_of_all_for_every_operator() {
    let pair = pair(1, INDEXES);
    assert_eq!(pair.many.index().members().len(), INDEXES);
    assert_eq!(pair.many.index().average_lengths(), pair.one.index().average_lengths());
    QUERIES.iter().for_each(|text| assert_equal(&pair, text));
    // A word of one index is looked for there, and hardly anywhere else.
    let before = pair.many.index().routing();
    assert!(pair.many.index().term("only5").unwrap().is_some());
    let after = pair.many.index().routing();
    assert!(after.segments_asked - before.segments_asked <= 3, "{before:?} {after:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn however_documents_are_divided_answers_are_those_of_one_index(
        seed in any::<u64>(),
        indexes in 1usize..9,
        queries in prop::collection::vec(prop::sample::select(&QUERIES[..]), 6),
    ) {
        let pair = pair(seed, indexes);
        queries.iter().for_each(|text| assert_equal(&pair, text));
    }
}

#[test]
fn indexes_that_take_words_apart_differently_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    IndexBuilder::create(&one, 1 << 20).unwrap().finish("test").unwrap();
    let plain = IndexBuilder::create(&other, 1 << 20).unwrap().with_analysis(index::Analysis::Plain);
    plain.finish("test").unwrap();
    let error = Index::open_all(&[&one, &other]).unwrap_err().to_string();
    assert!(error.contains("one") && error.contains("other"), "{error}");
}
