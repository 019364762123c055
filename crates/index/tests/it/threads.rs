//! The same documents make the same index, however many threads make it in however little memory.

use std::collections::BTreeMap;
use std::path::Path;

use index::{CodecName, Codecs, Field, IndexBuilder, IndexDocument, Piece};
use page::PageKey;

/// Documents of words that are the rarer the larger their number is; some 250 KiB for each thousand.
fn documents(count: u64) -> Vec<String> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut text = |number: u64| {
        let words = 20 + number % 30;
        (0..words).fold(String::new(), |text, _| {
            let (rare, rarer) = (next() % 20_000, next() % 20_000);
            format!("{text} word{}s", rare * rarer / 20_000 % (1 + next() % 20_000))
        })
    };
    (0..count).map(&mut text).collect()
}

/// The files of an index by their names.
type Files = BTreeMap<String, Vec<u8>>;

fn files(dir: &Path) -> Files {
    let mut files = Files::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = self::files(&path);
            files.extend(inner.into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
    files
}

/// Builds an index; returns its files and how many runs there were.
fn build(documents: &[String], codecs: Codecs, threads: usize, memory_bytes: u64) -> (Files, u64) {
    let folder = tempfile::tempdir().unwrap();
    let builder = IndexBuilder::create(folder.path(), memory_bytes).unwrap();
    let mut builder = builder.with_codecs(codecs).with_threads(threads);
    for (number, text) in documents.iter().enumerate() {
        let (head, rest) = text.split_at(text.len() / 3);
        let pieces = [
            Piece { field: Field::Title, text: if number % 3 == 0 { head } else { "" } },
            Piece { field: Field::Main, text: head },
            Piece { field: Field::Rest, text: if number % 7 == 0 { head } else { "" } },
            Piece { field: Field::Main, text: rest },
        ];
        let language = (number % 5 != 0).then_some("en");
        builder.add(&IndexDocument { key: PageKey::new(number as u64), language, pieces: &pieces }).unwrap();
    }
    let report = builder.finish("test").unwrap();
    (files(folder.path()), report.runs)
}

fn assert_same(one: &Files, other: &Files, what: &str) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in one {
        assert!(other[name] == *bytes, "{name} has other bytes with {what}");
    }
}

#[test]
fn the_bytes_depend_neither_on_the_threads_nor_on_the_memory() {
    let documents = documents(5000);
    let (alone, runs) = build(&documents, Codecs::default(), 1, u64::MAX);
    assert_eq!(runs, 1);
    for (threads, memory_bytes, runs_min) in
        [(2, u64::MAX, 2), (3, u64::MAX, 3), (1, 1 << 20, 4), (2, 1 << 20, 8), (3, 300 << 10, 30)]
    {
        let (files, runs) = build(&documents, Codecs::default(), threads, memory_bytes);
        // A thread that was asleep all the time has nothing in memory.
        assert!(runs + 1 >= runs_min, "{runs} runs with {threads} threads in {memory_bytes} bytes");
        assert_same(&alone, &files, &format!("{threads} threads in {memory_bytes} bytes"));
    }
}

#[test]
fn lists_of_every_codec_can_be_put_together() {
    let documents = documents(400);
    for codec in CodecName::ALL {
        let (alone, _) = build(&documents, Codecs::all(codec), 1, u64::MAX);
        let (files, _) = build(&documents, Codecs::all(codec), 3, 1 << 20);
        assert_same(&alone, &files, codec.name());
    }
}

#[test]
fn a_build_of_threads_that_is_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap().with_threads(2);
    for (number, text) in documents(3000).iter().enumerate() {
        let pieces = Piece::title_and_text("", text);
        let key = PageKey::new(number as u64);
        builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
    }
    drop(builder);
    let left = files(folder.path());
    assert!(left.keys().all(|name| name == "lock"), "{:?}", left.keys());
}
