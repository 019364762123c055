//! Documents come back as they went, whatever happened in between.

use std::collections::BTreeMap;
use std::path::Path;

use build::documents::{
    DocumentAbout, DocumentBeginning, DocumentStore, DocumentWriter, DocumentsError, MadeFrom, PLACES,
    StoredDocument, WriterOptions, remove_store,
};
use page::{PageKey, Span, SpanKind, Timestamp};
use proptest::prelude::*;

const OPTIONS: WriterOptions = WriterOptions { threads: 2, memory_bytes_max: 1 << 20 };

type Model = BTreeMap<PageKey, StoredDocument>;

fn made_from() -> MadeFrom {
    MadeFrom { created_at: "2026-11-16T00:00:00Z".into(), parser_version: 1 }
}

/// A document that can be told from all others.
#[allow(clippy::needless_update, reason = "a field that comes has its row in `documents/document.rs`")]
fn document(key: u64, text: &str) -> StoredDocument {
    let words = text.split(' ').next().unwrap_or_default().len() as u32;
    let span = |kind| Span { start: 0, end: words, kind };
    let spans = if words > 0 {
        vec![span(SpanKind::Main), span(SpanKind::Heading(2)), span(SpanKind::Link)]
    } else {
        vec![]
    };
    StoredDocument {
        key: PageKey::new(key),
        url: format!("http://example.org/{key}"),
        title: format!("Page {key}"),
        text: text.to_owned(),
        spans,
        language: (!key.is_multiple_of(3)).then(|| "de-at".to_owned()),
        language_is_declared: key % 3 == 2,
        published: key.is_multiple_of(2).then_some(Timestamp(key * 1000)),
        modified: key.is_multiple_of(5).then_some(Timestamp(0)),
        canonical: match key % 4 {
            0 => Some(format!("http://example.org/{key}")),
            1 => Some("http://example.org/".to_owned()),
            _ => None,
        },
        noindex: key.is_multiple_of(7),
        ..StoredDocument::default()
    }
}

/// Sentences of a language that nobody speaks, different for each number.
fn prose(number: u64, bytes: usize) -> String {
    let syllables = ["ka", "lo", "mi", "ne", "pu", "ra", "si", "to"];
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    while text.len() < bytes {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let word = (state >> 40) % 700;
        for digit in [word % 8, word / 8 % 8, word / 64] {
            text.push_str(syllables[digit as usize % 8]);
        }
        text.push(' ');
    }
    text.trim_end().to_owned()
}

fn create(dir: &Path) -> DocumentWriter {
    DocumentWriter::create(dir, &made_from(), OPTIONS).unwrap()
}

fn reopen(dir: &Path) -> DocumentWriter {
    DocumentWriter::open(dir, &made_from(), OPTIONS).unwrap()
}

fn add(writer: &mut DocumentWriter, model: &mut Model, documents: impl IntoIterator<Item = StoredDocument>) {
    for document in documents {
        writer.append(&document).unwrap();
        model.insert(document.key, document);
    }
}

/// A store equals a model in everything that can be asked of it.
#[track_caller]
fn assert_equal(dir: &Path, model: &Model, covered: u64) {
    let store = DocumentStore::open(dir).unwrap();
    assert_eq!((store.len(), store.covered()), (model.len() as u64, covered));
    assert!(store.keys().eq(model.keys().copied()));
    assert!(store.read_from(PageKey::START).map(Result::unwrap).eq(model.values().cloned()));
    let last = model.keys().next_back().map_or(0, |key| key.get());
    for key in (0..last + 2).rev().map(PageKey::new) {
        assert_eq!(store.get(key).unwrap().as_ref(), model.get(&key), "key {key}");
        let title = model.get(&key).map(|document| document.title.clone());
        assert_eq!(store.title(key).unwrap(), title, "key {key}");
    }
    let middle = PageKey::new(last / 2);
    assert!(
        store.read_from(middle).map(Result::unwrap).eq(model.range(middle..).map(|(_, found)| found.clone()))
    );
    for count in 1..4 {
        let parts = store.parts(middle, count);
        assert!(parts.len() <= count, "{parts:?}");
        let of_parts = parts.into_iter().flat_map(|part| store.read(part)).map(Result::unwrap);
        assert!(of_parts.eq(model.range(middle..).map(|(_, found)| found.clone())), "{count} parts");
    }
    let mut abouts = Vec::new();
    store.for_each_about(|about| abouts.push(about)).unwrap();
    let about = |StoredDocument { key, language, published, modified, .. }: &StoredDocument| DocumentAbout {
        key: *key,
        language: language.clone(),
        published: *published,
        modified: *modified,
    };
    assert!(abouts.into_iter().eq(model.values().map(about)));
    let summary = store.check().unwrap();
    assert_eq!(summary.text_bytes, model.values().map(|document| document.text.len() as u64).sum::<u64>());
    assert_eq!(summary.made_from, made_from());
}

/// What may happen to a store.
#[derive(Debug, Clone)]
enum Step {
    Add(u64, String),
    Commit,
    Kill,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = prop_oneof![
        3 => "[a-zà ]{0,40}".prop_map(|text| text),
        2 => (0..50u64, 0..4000usize).prop_map(|(number, bytes)| prose(number, bytes)),
        1 => (0..50u64).prop_map(|number| prose(number, 40_000)),
    ];
    let step = prop_oneof![
        10 => (1..30u64, text).prop_map(|(gap, text)| Step::Add(gap, text)),
        2 => Just(Step::Commit),
        1 => Just(Step::Kill),
    ];
    prop::collection::vec(step, 0..60)
}

#[test]
fn of_a_long_text_as_much_is_read_as_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    // Characters of three bytes, so that parts cannot all have the same length; what is learnt from prose is for both.
    let long = |number: u64| prose(number, 300_000) + &"東京 ".repeat(200_000);
    add(&mut writer, &mut model, (0..40).map(|key| document(key, &prose(key, 30_000))));
    add(&mut writer, &mut model, [document(50, &long(1)), document(51, &prose(2, 60_000))]);
    // The main text of the third lies far behind its beginning.
    let mut late = document(52, &long(3));
    late.spans = vec![Span { start: 600_000, end: 600_003, kind: SpanKind::Main }];
    add(&mut writer, &mut model, [late]);
    writer.commit(1).unwrap();
    assert_equal(dir.path(), &model, 1);
    let store = DocumentStore::open(dir.path()).unwrap();
    let beginning = |key: u64, bytes: usize| store.beginning(PageKey::new(key), bytes).unwrap().unwrap();
    // Before more of it was wanted and kept.
    assert!(!beginning(50, 0).is_whole);
    let long = &model[&PageKey::new(50)];
    for bytes in [0, 64 << 10, 65 << 10, 500_000, 1 << 20, usize::MAX] {
        let DocumentBeginning { document, is_whole } = beginning(50, bytes);
        assert!(document.text.len() >= bytes.min(long.text.len()), "{bytes}: {}", document.text.len());
        assert!(document.text.len() <= bytes.saturating_add(330_000), "{bytes}: {}", document.text.len());
        assert!(long.text.starts_with(&document.text));
        assert_eq!(is_whole, document.text.len() == long.text.len());
        assert_eq!(StoredDocument { text: long.text.clone(), ..document }, *long);
    }
    for key in [7, 51, 52] {
        let DocumentBeginning { document, is_whole } = beginning(key, 0);
        assert_eq!((&document, is_whole), (&model[&PageKey::new(key)], true), "{key}");
    }
    assert!(store.beginning(PageKey::new(60), 0).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_store_equals_a_map_of_what_was_committed(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = create(dir.path());
        let (mut committed, mut model, mut key, mut covered) = (Model::new(), Model::new(), 0, 0);
        for step in steps {
            match step {
                Step::Add(gap, text) => {
                    key += gap;
                    add(&mut writer, &mut model, [document(key, &text)]);
                }
                Step::Commit => {
                    covered = key + 100;
                    writer.commit(covered).unwrap();
                    committed = model.clone();
                }
                Step::Kill => {
                    drop(writer);
                    writer = reopen(dir.path());
                    model = committed.clone();
                    prop_assert_eq!((writer.len(), writer.covered()), (model.len() as u64, covered));
                }
            }
        }
        assert_equal(dir.path(), &committed, covered);
    }
}

/// Three commits with a few documents each: the files after each, and what they hold.
fn three_commits(dir: &Path) -> Vec<(Vec<u8>, Vec<u8>, Model)> {
    let mut writer = create(dir);
    let mut model = Model::new();
    let mut states = Vec::new();
    for round in 0..3u64 {
        let keys = round * 100 + 16..round * 100 + 19;
        add(&mut writer, &mut model, keys.map(|key| document(key, &prose(key, 50))));
        writer.commit(round + 1).unwrap();
        let read = |name: &str| std::fs::read(dir.join(name)).unwrap();
        states.push((read("keys.log"), read("blocks.log"), model.clone()));
    }
    states
}

#[test]
fn a_kill_at_any_byte_leaves_what_was_committed_and_it_can_be_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let states = three_commits(dir.path());
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
    let check = |round: usize, what: &str| {
        let (_, _, model) = &states[round];
        assert_equal(dir.path(), model, round as u64 + 1);
        let (mut writer, mut model) = (reopen(dir.path()), model.clone());
        add(&mut writer, &mut model, [document(900, what)]);
        writer.commit(9).unwrap();
        assert_equal(dir.path(), &model, 9);
    };
    // Blocks are written first: any part of those of the third round is there, and no key.
    for cut in states[1].1.len()..=states[2].1.len() {
        write("keys.log", &states[1].0);
        write("blocks.log", &states[2].1[..cut]);
        check(1, "blocks");
    }
    for cut in states[1].0.len()..=states[2].0.len() {
        write("keys.log", &states[2].0[..cut]);
        write("blocks.log", &states[2].1);
        check(if cut == states[2].0.len() { 2 } else { 1 }, "keys");
    }
    // Before the first commit there is no store.
    for cut in 0..16 {
        write("keys.log", &states[2].0[..cut]);
        assert!(matches!(DocumentStore::open(dir.path()), Err(DocumentsError::Missing(_))), "cut at {cut}");
    }
}

#[test]
fn blocks_that_were_committed_and_are_gone_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let states = three_commits(dir.path());
    let (_, blocks, _) = &states[2];
    for cut in 0..blocks.len() {
        std::fs::write(dir.path().join("blocks.log"), &blocks[..cut]).unwrap();
        let error = DocumentStore::open(dir.path()).map(|store| store.len()).unwrap_err();
        assert!(error.to_string().contains("blocks.log"), "cut at {cut}: {error}");
        assert!(error.is_helped_by_making_anew() && error.hint().is_some());
        assert!(DocumentWriter::open(dir.path(), &made_from(), OPTIONS).is_err(), "cut at {cut}");
    }
    std::fs::remove_file(dir.path().join("blocks.log")).unwrap();
    let error = DocumentStore::open(dir.path()).map(|store| store.len()).unwrap_err();
    assert!(error.to_string().contains("blocks.log") && error.is_helped_by_making_anew(), "{error}");
    remove_store(dir.path()).unwrap();
    let error = DocumentStore::open(dir.path()).map(|store| store.len()).unwrap_err();
    assert!(matches!(error, DocumentsError::Missing(_)), "{error}");
}

#[test]
fn a_flipped_byte_of_the_documents_is_an_error_that_names_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let states = three_commits(dir.path());
    let (keys, blocks, model) = &states[2];
    for (name, bytes) in [("keys.log", keys), ("blocks.log", blocks)] {
        for position in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[position] ^= 0x10;
            std::fs::write(dir.path().join(name), &flipped).unwrap();
            let checked = DocumentStore::open(dir.path()).and_then(|store| store.check());
            // The header of a journal has four bytes that say nothing.
            match checked {
                Ok(_) => assert!((12..16).contains(&position), "byte {position} of {name}"),
                Err(error) => assert!(error.to_string().contains(name), "byte {position} of {name}: {error}"),
            }
        }
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    assert_equal(dir.path(), model, 3);
}

#[test]
fn a_table_of_places_that_is_missing_damaged_or_of_another_moment_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let states = three_commits(dir.path());
    let (keys, _, model) = &states[2];
    let (places, log) = (dir.path().join("places"), dir.path().join("keys.log"));
    let good = std::fs::read(&places).unwrap();
    for position in (0..good.len()).step_by(3) {
        let mut flipped = good.clone();
        flipped[position] ^= 0x10;
        std::fs::write(&places, flipped).unwrap();
        assert_equal(dir.path(), model, 3);
    }
    std::fs::remove_file(&places).unwrap();
    assert_equal(dir.path(), model, 3);
    // It is believed where the log says what it said: a byte of the log that is damaged is not met by whoever maps.
    std::fs::write(&places, &good).unwrap();
    let opened = || DocumentStore::open(dir.path()).map(|store| store.len());
    assert_eq!(opened().unwrap(), model.len() as u64);
    // A log as long, which says something else.
    let mut other = keys.clone();
    let last = other.len() - 1;
    other[last] ^= 1;
    std::fs::write(&log, other).unwrap();
    assert!(opened().is_err() || opened().unwrap() < model.len() as u64);
    std::fs::write(&log, &states[1].0).unwrap();
    assert_equal(dir.path(), &states[1].2, 2);
}

#[test]
fn a_table_of_places_that_says_anything_with_a_right_checksum_leads_to_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    three_commits(dir.path());
    let path = dir.path().join("places");
    let file = journal::SealedFile::open_any(&path, PLACES).unwrap();
    let (kind, good) = (file.kind(), file.all_bytes().unwrap().to_vec());
    for place in 0..good.len() {
        for number in [0u32, 2, 1 << 20, u32::MAX] {
            let mut bad = good.clone();
            let end = (place + 4).min(bad.len());
            bad[place..end].copy_from_slice(&number.to_le_bytes()[..end - place]);
            journal::write_sealed(&path, PLACES, kind, &bad).unwrap();
            let Ok(store) = DocumentStore::open(dir.path()) else { continue };
            for key in store.keys().take(20).chain([16, 117, u64::MAX].map(PageKey::new)) {
                let _ = (store.get(key), store.title(key));
            }
            store.read_from(PageKey::START).take(20).for_each(drop);
            store
                .parts(PageKey::new(17), 3)
                .into_iter()
                .flat_map(|part| store.read(part))
                .take(20)
                .for_each(drop);
            let _ = (store.for_each_about(drop), store.check());
        }
    }
}

#[test]
fn a_store_made_from_something_else_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(DocumentStore::open(dir.path()), Err(DocumentsError::Missing(_))));
    create(dir.path());
    let others = [
        MadeFrom { parser_version: 2, ..made_from() },
        MadeFrom { created_at: "2026-11-17T00:00:00Z".into(), ..made_from() },
    ];
    for other in others {
        let refused = DocumentWriter::open(dir.path(), &other, OPTIONS);
        assert!(matches!(refused, Err(DocumentsError::OtherSource(_))), "for {other:?}");
    }
    assert_eq!(DocumentStore::open(dir.path()).unwrap().made_from(), &made_from());
    // Another version of the format is refused by name, as every journal is.
    let mut bytes = std::fs::read(dir.path().join("keys.log")).unwrap();
    bytes[8] += 1;
    std::fs::write(dir.path().join("keys.log"), bytes).unwrap();
    let error = DocumentStore::open(dir.path()).map(|store| store.len()).unwrap_err();
    assert!(error.to_string().contains("format") && error.is_helped_by_making_anew(), "{error}");
}

#[test]
fn a_dictionary_is_learnt_once_there_is_enough_and_all_blocks_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    add(&mut writer, &mut model, (1..20).map(|key| document(key, &prose(key, 500))));
    writer.commit(1).unwrap();
    assert_eq!(DocumentStore::open(dir.path()).unwrap().summary().dictionary_bytes, 0);
    add(&mut writer, &mut model, (20..400).map(|key| document(key, &prose(key, 3000))));
    writer.commit(2).unwrap();
    let learnt = DocumentStore::open(dir.path()).unwrap().summary();
    assert!(learnt.dictionary_bytes > 10_000, "{learnt:?}");
    drop(writer);
    let mut writer = reopen(dir.path());
    add(&mut writer, &mut model, (400..500).map(|key| document(key, &prose(key, 1500))));
    writer.commit(3).unwrap();
    assert_equal(dir.path(), &model, 3);
    let summary = DocumentStore::open(dir.path()).unwrap().summary();
    assert_eq!(summary.dictionary_bytes, learnt.dictionary_bytes);
    assert!(summary.file_bytes < summary.text_bytes / 2, "{summary:?}");
}

#[test]
fn a_store_that_grows_a_little_at_a_time_learns_a_dictionary_too() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    let text_bytes = || DocumentStore::open(dir.path()).unwrap().summary().text_bytes;
    let mut key = 0;
    while text_bytes() < 5 << 20 {
        add(&mut writer, &mut model, (key + 1..key + 40).map(|key| document(key, &prose(key, 3000))));
        key += 40;
        writer.commit(key).unwrap();
        drop(writer);
        writer = reopen(dir.path());
    }
    add(&mut writer, &mut model, std::iter::once(document(key + 1, &prose(key + 1, 3000))));
    writer.commit(key + 1).unwrap();
    let summary = DocumentStore::open(dir.path()).unwrap().summary();
    assert!(summary.dictionary_bytes > 10_000, "{summary:?}");
    assert_equal(dir.path(), &model, key + 1);
}

#[test]
fn texts_in_another_language_are_learnt_from_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    let dictionary_bytes = || DocumentStore::open(dir.path()).unwrap().summary().dictionary_bytes;
    let long = |key: u64| prose(key, 20_000);
    add(&mut writer, &mut model, (1..450).map(|key| document(key, &long(key))));
    writer.commit(1).unwrap();
    let once = dictionary_bytes();
    assert!(once > 10_000, "{once}");
    // What was learnt holds on for texts like those before, also when somebody else writes them.
    drop(writer);
    let mut writer = reopen(dir.path());
    add(&mut writer, &mut model, (450..500).map(|key| document(key, &long(key))));
    writer.commit(2).unwrap();
    assert_eq!(dictionary_bytes(), once);
    let other = |key: u64| long(key).replace('a', "å").replace('o', "ø").replace('i', "ey");
    add(&mut writer, &mut model, (500..960).map(|key| document(key, &other(key))));
    writer.commit(3).unwrap();
    assert!(dictionary_bytes() > once + 10_000, "{} of {once}", dictionary_bytes());
    assert_equal(dir.path(), &model, 3);
    // Whoever needs one dictionary, another or the same has it, also if all are asked for at once.
    let store = DocumentStore::open(dir.path()).unwrap();
    std::thread::scope(|scope| {
        for first in [1, 2, 600, 900] {
            let (store, model) = (&store, &model);
            scope.spawn(move || {
                for key in (first..960).step_by(70).map(PageKey::new) {
                    assert_eq!(store.get(key).unwrap().as_ref(), model.get(&key));
                }
            });
        }
    });
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_nor_on_the_memory() {
    let bytes = |threads, memory_bytes_max| {
        let dir = tempfile::tempdir().unwrap();
        let options = WriterOptions { threads, memory_bytes_max };
        let mut writer = DocumentWriter::create(dir.path(), &made_from(), options).unwrap();
        let documents = (1..1200).map(|key| document(key, &prose(key, 4500)));
        add(&mut writer, &mut Model::new(), documents);
        writer.commit(1).unwrap();
        std::fs::read(dir.path().join("blocks.log")).unwrap()
    };
    let expected = bytes(1, 64 << 20);
    assert!(bytes(3, 64 << 20) == expected && bytes(3, 6 << 20) == expected);
}

#[test]
fn a_long_text_has_a_block_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    let texts = [prose(1, 100), prose(2, 2 << 20), prose(3, 100), prose(4, 100)];
    add(&mut writer, &mut model, (1..).zip(texts).map(|(key, text)| document(key, &text)));
    writer.commit(1).unwrap();
    assert_equal(dir.path(), &model, 1);
    assert_eq!(DocumentStore::open(dir.path()).unwrap().summary().blocks, 3);
}

#[test]
fn whoever_reads_while_it_is_made_anew_goes_on_with_what_was_there() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    add(&mut writer, &mut model, [document(7, "old")]);
    writer.commit(1).unwrap();
    let store = DocumentStore::open(dir.path()).unwrap();
    let mut writer = create(dir.path());
    writer.append(&document(8, "new")).unwrap();
    writer.commit(2).unwrap();
    assert_eq!(store.get(PageKey::new(7)).unwrap(), Some(document(7, "old")));
    assert_eq!(DocumentStore::open(dir.path()).unwrap().get(PageKey::new(7)).unwrap(), None);
}

#[test]
fn threads_share_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut model) = (create(dir.path()), Model::new());
    add(&mut writer, &mut model, (1..300).map(|key| document(key, &prose(key, 900))));
    writer.commit(1).unwrap();
    let store = DocumentStore::open(dir.path()).unwrap();
    std::thread::scope(|scope| {
        for first in 1..4u64 {
            let (store, model) = (&store, &model);
            scope.spawn(move || {
                for key in (first..300).step_by(7).chain((1..300).rev().step_by(11)).map(PageKey::new) {
                    assert_eq!(store.get(key).unwrap().as_ref(), model.get(&key));
                }
            });
        }
    });
}

#[test]
#[should_panic(expected = "documents come in the order of their keys")]
fn a_key_comes_once_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = create(dir.path());
    writer.append(&document(5, "a")).unwrap();
    let _ = writer.append(&document(5, "b"));
}

#[test]
fn what_the_parser_read_is_kept_and_a_language_is_recognised() {
    let url = page::PageUrl::parse("http://example.org/a").unwrap();
    let words = "the text that you can read here is not in the menu and it is for all of you. ".repeat(5);
    let html = format!(
        "<link rel=canonical href=/b><meta name=date content=2024-05-17><nav>die und der das</nav><h1>Title</h1>{words}"
    );
    let read = parse::parse_page(&url, page::ContentType("text/html"), html.as_bytes());
    let stored = StoredDocument::new(PageKey::new(3), &url, read.clone());
    assert_eq!((stored.language.as_deref(), stored.language_is_declared), (Some("en"), false));
    assert_eq!(stored.canonical.as_deref(), Some("http://example.org/b"));
    assert_eq!((&stored.text, &stored.spans, stored.published), (&read.text, &read.spans, read.published));
    assert_eq!(stored.outline().headings().collect::<Vec<_>>(), [(1, "Title")]);
    assert!(stored.outline().main_text().all(|piece| !piece.contains("und")));
    let declared = format!("<html lang=DE>{words}");
    let read = parse::parse_page(&url, page::ContentType("text/html"), declared.as_bytes());
    let stored = StoredDocument::new(PageKey::new(3), &url, read);
    assert_eq!((stored.language.as_deref(), stored.language_is_declared), (Some("de"), true));
}
