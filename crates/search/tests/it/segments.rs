//! Scores come from the whole index, so they do not depend on how it is divided.

use std::sync::Arc;

use index::{Codecs, Index, IndexBuilder, IndexDocument, Piece, Precision, SplitBy};
use page::PageKey;
use search::{AnswerRequest, Query, Searcher};

use crate::facts::Blank;
use crate::fixture;

/// One of each kind.
const QUERIES: [&str; 14] = [
    "sieve",
    "old stone3",
    "\"old sieve\"",
    "stone1 OR stone2",
    "sieve -old",
    "old NEAR/3 of",
    "page < old < stone3",
    "sto* -stone1*",
    "\"old * sieve\"",
    "sieve WITHIN (page < stone2)",
    "-old",
    "page 77",
    "old stone3 absent",
    "absent",
];

fn some_pages() -> Vec<(String, String)> {
    let page = |number: usize| {
        let title = if number.is_multiple_of(9) { "The sieve" } else { "" };
        let text = format!("page {number} {} sieve of stone{}", "old ".repeat(number % 5), number % 13);
        (title.to_owned(), text)
    };
    (0..200).map(page).collect()
}

#[test]
fn one_segment_and_five_give_the_same_hits_and_scores() {
    let pages = some_pages();
    let whole = fixture(&pages);
    let folder = tempfile::tempdir().unwrap();
    for (part, documents) in pages.chunks(40).enumerate() {
        let mut builder = match part {
            0 => IndexBuilder::create(folder.path(), 1 << 20).unwrap(),
            _ => IndexBuilder::append(folder.path(), 1 << 20).unwrap(),
        };
        for ((title, text), key) in documents.iter().zip(100 + 40 * part as u64..) {
            builder
                .add(&IndexDocument {
                    key: PageKey::new(key),
                    language: None,
                    pieces: &Piece::title_and_text(title, text),
                })
                .unwrap();
        }
        builder.finish("test").unwrap();
    }
    let index = Arc::new(Index::open(folder.path()).unwrap());
    assert_eq!(index.report().segments, 5);
    let divided = Searcher::new(index);
    for text in QUERIES {
        let query = Query::parse(text).unwrap();
        let expected = whole.searcher.search(&query, 0, 100).unwrap();
        assert_eq!(divided.search(&query, 0, 100).unwrap(), expected, "{text}");
        assert_eq!(expected.total == 0, text == "absent", "{text}");
    }
}

#[test]
fn every_split_gives_the_same_hits_scores_and_totals() {
    let pages = some_pages();
    let whole = fixture(&pages);
    for (by, parts) in SplitBy::ALL.into_iter().flat_map(|by| [(by, 2), (by, 7)]) {
        let folder = tempfile::tempdir().unwrap();
        let builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
        let mut builder = builder.with_split(by.into_parts(parts));
        for ((title, text), key) in pages.iter().zip((100..).map(PageKey::new)) {
            let pieces = Piece::title_and_text(title, text);
            builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
        }
        builder.finish("test").unwrap();
        let index = Arc::new(Index::open(folder.path()).unwrap());
        assert!(index.report().dictionaries >= u64::from(parts), "{:?}", index.report());
        let divided = Searcher::new(index);
        for text in QUERIES {
            let query = Query::parse(text).unwrap();
            for (offset, limit) in [(0, 10), (5, 3), (0, 100)] {
                let expected = whole.searcher.search(&query, offset, limit).unwrap();
                assert_eq!(divided.search(&query, offset, limit).unwrap(), expected, "{by:?} {text}");
            }
        }
    }
}

/// An index that keeps so much of each word.
fn with_precision(pages: &[(String, String)], precision: Precision) -> (tempfile::TempDir, Searcher) {
    let folder = tempfile::tempdir().unwrap();
    let codecs = Codecs { precision, ..Codecs::default() };
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap().with_codecs(codecs);
    for ((title, text), key) in pages.iter().zip((100..).map(PageKey::new)) {
        let pieces = Piece::title_and_text(title, text);
        builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
    let searcher = Searcher::new(Arc::new(Index::open(folder.path()).unwrap()));
    (folder, searcher)
}

#[test]
fn without_positions_phrases_are_all_of_their_words_and_that_is_said() {
    let pages = some_pages();
    let whole = fixture(&pages);
    // What is typed, what is found without positions, and without fields too.
    let rows = [
        ("\"old sieve\"", "+old +sieve", "+old +sieve"),
        ("old NEAR/3 of", "old AND of", "old AND of"),
        ("page < old < stone3", "page AND old AND stone3", "page AND old AND stone3"),
        ("\"old * sieve\"", "old AND sieve", "old AND sieve"),
        ("sieve WITHIN (page < stone2)", "sieve AND page AND stone2", "sieve AND page AND stone2"),
        ("title:\"the sieve\"", "title:the AND title:sieve", "the AND sieve"),
        ("title:sieve", "title:sieve", "sieve"),
        ("title:sie*", "title:sie*", "sieve"),
        ("old stone3", "old stone3", "old stone3"),
        ("sieve -old", "sieve -old", "sieve -old"),
    ];
    for precision in [Precision::Counts, Precision::Documents] {
        let (_folder, searcher) = with_precision(&pages, precision);
        for (typed, with_counts, with_documents) in rows {
            let meant = if precision.has_counts() { with_counts } else { with_documents };
            let keys = |searcher: &Searcher, text: &str| {
                let found = searcher.search(&Query::parse(text).unwrap(), 0, 300).unwrap();
                let mut keys: Vec<u64> = found.hits.iter().map(|hit| hit.key.get()).collect();
                keys.sort_unstable();
                (found.total, keys)
            };
            assert_eq!(keys(&searcher, typed), keys(&whole.searcher, meant), "{typed} {precision:?}");
            let request = AnswerRequest { count: 10, explain: true, ..AnswerRequest::default() };
            let answer = searcher.answer_request(typed, &request, &Blank).unwrap();
            assert_eq!(answer.notes.is_empty(), meant == typed, "{typed}: {:?}", answer.notes);
            let expected = if meant == typed { "" } else { ": the index keeps" };
            assert!(
                answer.notes.iter().all(|note| note.to_string().contains(expected)),
                "{:?}",
                answer.notes
            );
        }
    }
}
