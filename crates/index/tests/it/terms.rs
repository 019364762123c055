//! Terms: those that are there are found by their numbers, all others are refused, and they can be listed in their order.

use std::collections::BTreeMap;
use std::path::Path;

use index::{Codecs, Index, IndexBuilder, IndexDocument, Piece, TermFunction};
use page::PageKey;
use proptest::prelude::*;

use crate::{Page, build_segments};

/// Pages with enough words that they have numbers.
fn many_words() -> Vec<Page> {
    let words =
        |page: u64| (0..40).map(|word| format!("w{:x} ", (page * 40 + word) * 2_654_435 % 9000)).collect();
    (0..120).map(|page| (format!("Page {page}"), words(page))).collect()
}

fn build(dir: &Path, terms: TermFunction) {
    let builder = IndexBuilder::create(dir, 1 << 20).unwrap();
    let mut builder = builder.with_codecs(Codecs { terms, ..Codecs::default() });
    for (key, (title, text)) in (100..).zip(&many_words()) {
        let pieces = Piece::title_and_text(title, text);
        builder.add(&IndexDocument { key: PageKey::new(key), language: None, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
}

/// In how many pages each word is.
fn frequencies(pages: &[Page]) -> BTreeMap<String, u64> {
    let mut frequencies = BTreeMap::new();
    for (title, text) in pages {
        let mut words: Vec<String> = format!("{title} {text}").split(' ').map(str::to_lowercase).collect();
        words.retain(|word| !word.is_empty());
        words.sort();
        words.dedup();
        words.into_iter().for_each(|word| *frequencies.entry(word).or_default() += 1);
    }
    frequencies
}

#[test]
fn both_functions_find_what_is_there_and_nothing_else() {
    let expected = frequencies(&many_words());
    assert!(expected.len() > 1500, "{} words", expected.len());
    for function in TermFunction::ALL {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), function);
        let index = Index::open(folder.path()).unwrap();
        assert_eq!(index.codecs().terms, function);
        index.check().unwrap();
        for number in 0..9999 {
            let word = format!("w{number:x}");
            let found = index.term(&word).unwrap().map(|term| u64::from(term.document_frequency()));
            assert_eq!(found, expected.get(&word).copied(), "{word}");
        }
    }
}

#[test]
fn every_flipped_byte_of_numbers_is_found() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), TermFunction::default());
    let path = folder.path().join("segment-1/numbers");
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > 4000, "{} bytes", bytes.len());
    for at in (0..bytes.len()).step_by(397).chain(bytes.len() - 40..bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&path, changed).unwrap();
        let error = Index::open(folder.path()).and_then(|index| index.check()).unwrap_err().to_string();
        assert!(error.contains("numbers"), "{at}: {error}");
        std::fs::write(&path, &bytes[..at]).unwrap();
        let error = Index::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("numbers"), "cut at {at}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn terms_from_any_word_on_come_in_order(
        texts in prop::collection::vec("[a-d]{1,3}( [a-d]{1,3}){0,30}", 1..40), cuts in 1usize..5, first in "[a-e]{0,3}",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let pages: Vec<Page> = texts.iter().map(|text| (String::new(), text.clone())).collect();
        let parts: Vec<&[Page]> = pages.chunks(pages.len().div_ceil(cuts)).collect();
        build_segments(folder.path(), &parts, 1 << 20);
        let index = Index::open(folder.path()).unwrap();
        let (mut terms, mut found) = (index.terms_from(&first).unwrap(), Vec::new());
        while let Some((term, documents)) = terms.next_term().unwrap() {
            found.push((term.to_owned(), documents));
        }
        let expected: Vec<_> = frequencies(&pages).range(first..).map(|(term, n)| (term.clone(), *n)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_segment_of_many_terms_has_no_filter_and_refuses_by_its_numbers() {
    let words = |page: u64| (0..1000).map(|word| format!("w{} ", page * 1000 + word)).collect();
    let pages: Vec<Page> = (0..70).map(|page| (String::new(), words(page))).collect();
    let folder = tempfile::tempdir().unwrap();
    build_segments(folder.path(), &[&pages[..69], &pages[69..]], 16 << 20);
    let filter = |segment: &str| std::fs::metadata(folder.path().join(segment).join("filter")).unwrap().len();
    assert!(filter("segment-1") < 100 && filter("segment-2") > 700);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!(index.routing_filters().filters, 1);
    for (word, is_there) in [("w0", true), ("w68999", true), ("w69000", true), ("w70000", false)] {
        assert_eq!(index.term(word).unwrap().is_some(), is_there, "{word}");
    }
    // Of words that are in neither segment the signatures of the large one refuse nearly all.
    let before = index.routing();
    (0..10_000).for_each(|word| assert!(index.term(&format!("x{word}")).unwrap().is_none()));
    let routing = index.routing().since(&before);
    assert_eq!(routing.segments_asked + routing.segments_skipped, 20_000, "{routing:?}");
    assert!(routing.segments_asked < 1_000, "{routing:?}");
    index.check().unwrap();
}
