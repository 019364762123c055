//! What windows of documents are worth, and documents as bits: both reach over segments and begin anywhere.

use std::collections::BTreeSet;

use index::{Index, PostingsCursor};
use page::{DocId, PageKey};

use crate::{Page, build_segments};

const DOCUMENTS: u32 = 9000;

const TERMS: [&str; 6] = ["all", "third", "half", "together", "seldom", "rare"];

/// Words that are on every page, on every third, on half of them without any order, whose blocks are bitmaps, on many that stand
/// together, on one of forty, so that the peaks of the first segment are of long stretches, and on few.
fn words_of(number: u32) -> String {
    let mut words = format!("all {}", "other ".repeat((number % 40) as usize));
    if number.is_multiple_of(3) {
        words += &"third ".repeat(1 + (number % 5) as usize);
    }
    if number.wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b) >> 31 == 1 {
        words += "half ";
    }
    if (100..400).contains(&number) || (2000..2300).contains(&number) {
        words += &"together ".repeat(1 + (number % 7) as usize);
    }
    if number.is_multiple_of(40) {
        words += &"seldom ".repeat(1 + (number % 9) as usize);
    }
    if number.is_multiple_of(97) {
        words += "rare";
    }
    words
}

/// Three segments, none of which begins where a window does.
fn index_in(folder: &std::path::Path) -> Index {
    let pages: Vec<Page> = (0..DOCUMENTS).map(|number| (String::new(), words_of(number))).collect();
    build_segments(folder, &[&pages[..6390], &pages[6390..7000], &pages[7000..]], 1 << 20);
    Index::open(folder).unwrap()
}

fn cursor<'i>(index: &'i Index, term: &str) -> PostingsCursor<'i> {
    index.cursor(&index.term(term).unwrap().unwrap())
}

#[test]
fn a_window_is_worth_what_its_best_document_is() {
    let folder = tempfile::tempdir().unwrap();
    let index = index_in(folder.path());
    let table = index.impact_model().table();
    let worth = |impact: f32| 1 + (impact * 1e6) as u32;
    for (term, shift) in TERMS.into_iter().flat_map(|term| [(term, 6), (term, 8)]) {
        let mut windows = vec![0; (DOCUMENTS >> shift) as usize + 1];
        let mut cursor = cursor(&index, term);
        cursor.raise_windows(shift, &mut windows, &table, worth);
        let mut documents = BTreeSet::new();
        while cursor.doc() != DocId::END {
            let (doc, worth) = (cursor.doc().get(), worth(cursor.impact(&table)));
            assert!(windows[(doc >> shift) as usize] >= worth, "{term}: {doc}");
            documents.insert(doc >> shift);
            cursor.next();
        }
        assert_eq!(cursor.has_peaks(), !["seldom", "rare"].contains(&term));
        if cursor.has_peaks() {
            // A stretch that has some reaches into two windows at most.
            let near =
                |window: u32| (window.saturating_sub(1)..=window + 1).any(|near| documents.contains(&near));
            let empty = (0u32..).zip(&windows).filter(|(window, _)| !near(*window));
            assert!(empty.clone().all(|(_, worth)| *worth == 0), "{term}");
            assert_eq!(empty.count() > 0, term == "together");
        }
    }
}

#[test]
fn documents_are_marked_as_they_are_met_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    drop(index_in(folder.path()));
    for round in 0..2 {
        if round == 1 {
            let dead: Vec<PageKey> =
                (0..DOCUMENTS).step_by(50).map(|number| key_of(folder.path(), number)).collect();
            index::bury(folder.path(), &dead, "test").unwrap();
        }
        let index = Index::open(folder.path()).unwrap();
        for (term, window) in TERMS.into_iter().flat_map(|term| [(term, 500), (term, 4096)]) {
            let (mut each, mut marking) = (cursor(&index, term), cursor(&index, term));
            // From the middle of a block, and with gaps that are passed over.
            for first in (7..DOCUMENTS + 1000).step_by(window as usize + 100) {
                let (first, last) = (DocId::new(first), DocId::new(first + window - 1));
                let mut bits = vec![0u64; (window as usize).div_ceil(64)];
                marking.advance(first);
                let marked = marking.mark_to(first, last, &mut bits[..]);
                let mut expected = vec![0u64; bits.len()];
                let mut doc = each.advance(first);
                while doc <= last && doc != DocId::END {
                    let place = (doc.get() - first.get()) as usize;
                    expected[place / 64] |= 1 << (place % 64);
                    doc = each.next();
                }
                assert_eq!(bits, expected, "{term} from {first:?}");
                assert_eq!(marked, expected.iter().map(|word| u64::from(word.count_ones())).sum::<u64>());
                assert_eq!(marking.doc(), each.doc(), "{term} behind {last:?}");
            }
        }
    }
}

/// The key of the document with this number.
fn key_of(folder: &std::path::Path, number: u32) -> PageKey {
    Index::open(folder).unwrap().doc_key(DocId::new(number))
}
