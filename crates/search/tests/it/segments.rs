//! Scores come from the whole index, so they do not depend on how it is divided.

use std::sync::Arc;

use index::{Index, IndexBuilder, IndexDocument, Piece};
use page::PageKey;
use search::{Query, Searcher};

use crate::fixture;

#[test]
fn one_segment_and_five_give_the_same_hits_and_scores() {
    let pages: Vec<(String, String)> = (0..200)
        .map(|number: usize| {
            let title = if number.is_multiple_of(9) { "The sieve" } else { "" };
            let text = format!("page {number} {} sieve of stone{}", "old ".repeat(number % 5), number % 13);
            (title.to_owned(), text)
        })
        .collect();
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
    for text in [
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
    ] {
        let query = Query::parse(text).unwrap();
        let expected = whole.searcher.search(&query, 0, 100).unwrap();
        assert_eq!(divided.search(&query, 0, 100).unwrap(), expected, "{text}");
        assert_eq!(expected.total == 0, text == "absent", "{text}");
    }
}
