//! An index written by an earlier version of the format is refused by name, never misread; one of this version stays
//! readable.
//!
//! The fixture was written by `CRIVELLO_BLESS=1 cargo test -p index --test it this_version`; bless only a new version.

use std::path::PathBuf;

use index::Index;
use page::DocId;

use crate::{Page, assert_equals_model, build_segments};

fn folder(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/index-v{version}"))
}

/// Lists of one block and of several, titles, accents, an empty page. The last hundred are a segment of their own.
fn fixture_pages() -> Vec<Page> {
    let mut pages: Vec<Page> = (0..300)
        .map(|number| {
            let title = if number % 10 == 0 { format!("Chapter {number}") } else { String::new() };
            (title, format!("the sieve lets page {number} through, the sieve of Èratosthenes {}", number % 7))
        })
        .collect();
    pages.push((String::new(), String::new()));
    pages
}

#[test]
fn this_version_reads_as_it_was_written() {
    if std::env::var_os("CRIVELLO_BLESS").is_some() {
        let pages = fixture_pages();
        build_segments(&folder(index::FORMAT_VERSION), &[&pages[..201], &pages[201..]], 1 << 20);
        std::fs::remove_file(folder(index::FORMAT_VERSION).join("lock")).unwrap();
    }
    let index = Index::open(&folder(index::FORMAT_VERSION)).unwrap();
    assert_eq!((index.documents(), index.report().segments), (301, 2));
    assert_eq!(index.source_stamp(), "test");
    assert_eq!([0, 1, 300].map(|doc| index.doc_length(DocId::new(doc))), [13, 11, 0]);
    assert_eq!(index.doc_key(DocId::new(300)).get(), 400);
    assert_eq!(index.term("eratosthenes").unwrap().unwrap().document_frequency(), 300);
    let mut cursor = index.cursor(&index.term("chapter").unwrap().unwrap());
    assert_eq!(
        (cursor.advance(DocId::new(101)).get(), cursor.in_title(), cursor.frequency()),
        (110, true, 1)
    );
    assert_equals_model(&index, &fixture_pages());
}

#[test]
fn earlier_versions_of_the_index_are_refused_by_name() {
    for version in 1..index::FORMAT_VERSION {
        let error = Index::open(&folder(version)).unwrap_err().to_string();
        let expected = format!("written by format {version}, this build reads {}", index::FORMAT_VERSION);
        assert!(error.contains(&expected), "{error}");
    }
}
