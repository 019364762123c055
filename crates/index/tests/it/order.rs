//! In whatever order documents are numbered, an index has the same documents, words and positions.

use std::collections::BTreeMap;
use std::path::Path;

use index::{Index, IndexBuilder, Order};
use page::{DocId, PageKey};
use proptest::prelude::*;

use crate::model::any_pages;
use crate::{Page, add, model, read_postings};

/// Builds an index whose documents get numbers by a hash of theirs and a seed, or by bisection.
fn build_ordered(dir: &Path, pages: &[Page], order: Order, seed: u64, (memory, threads): (u64, usize)) {
    let builder = IndexBuilder::create(dir, memory).unwrap().with_order(order);
    fill(builder.with_threads(threads), pages, 0, seed);
}

fn fill(mut builder: IndexBuilder, pages: &[Page], first: usize, seed: u64) {
    for (number, page) in pages.iter().enumerate() {
        add(&mut builder, 100 + (first + number) as u64, page);
    }
    if matches!(builder.order(), Order::Address | Order::Rank) {
        let mut order: Vec<u32> = (0..pages.len() as u32).collect();
        order.sort_by_key(|&number| scattered(u64::from(number) ^ seed));
        builder.arrange(order);
    }
    builder.finish("test").unwrap();
}

/// A number that says nothing about the one that it was made of.
fn scattered(number: u64) -> u64 {
    number
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Every posting, by the page and not by the number of its document.
fn assert_has_pages(index: &Index, pages: &[Page]) {
    assert_eq!(index.documents() as usize, pages.len());
    let page_of = |doc: DocId| DocId::new((index.doc_key(doc).get() - 100) as u32);
    for (term, expected) in model(pages) {
        let found = read_postings(index, &term).unwrap();
        let found: BTreeMap<_, _> = found.into_iter().map(|(doc, posting)| (page_of(doc), posting)).collect();
        assert_eq!(found, expected, "{term}");
    }
    for number in 0..pages.len() as u64 {
        let doc = index.find_key(PageKey::new(100 + number)).expect("each page has a document");
        assert_eq!(index.doc_key(doc).get(), 100 + number);
    }
    assert_eq!(index.find_key(PageKey::new(99)), None);
    assert_eq!(index.find_key(PageKey::new(100 + pages.len() as u64)), None);
    index.check().unwrap();
}

/// The bytes of all files.
fn bytes_of(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in std::fs::read_dir(dir.join("segment-1")).unwrap() {
        let path = entry.unwrap().path();
        files.push((path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()));
    }
    files.sort();
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_the_order_each_page_has_its_words(
        pages in any_pages(),
        order in prop::sample::select(&Order::ALL[..]),
        seed in any::<u64>(),
        added in 0usize..5,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let first = pages.len() - pages.len().min(added);
        build_ordered(folder.path(), &pages[..first], order, seed, (1 << 20, 1));
        if first < pages.len() {
            fill(IndexBuilder::append(folder.path(), 1 << 20).unwrap(), &pages[first..], first, seed);
        }
        let index = Index::open(folder.path()).unwrap();
        prop_assert_eq!(index.order(), order);
        assert_has_pages(&index, &pages);
        index::merge_all(folder.path()).unwrap();
        let merged = index.reopen_all(&[folder.path()]).unwrap();
        prop_assert_eq!((merged.order(), merged.report().segments), (order, 1));
        assert_has_pages(&merged, &pages);
    }
}

/// Which of four things a page is about.
fn theme(number: u64) -> u64 {
    scattered(number) >> 40 & 3
}

/// Pages about four things, as they come.
fn themes(count: u64) -> Vec<Page> {
    let word = |number: u64, at: u64| {
        let word = scattered(number << 8 | at) >> 50 & 31;
        format!("{}{word}", ["harbour", "sieve", "goat", "hay"][theme(number) as usize])
    };
    let text =
        |number: u64| (0..12).map(|at| word(number, at)).collect::<Vec<_>>().join(" ") + " and the rest";
    (0..count).map(|number| (format!("page {number}"), text(number))).collect()
}

#[test]
fn the_bytes_of_an_order_depend_neither_on_the_threads_nor_on_the_memory() {
    let pages = themes(900);
    for order in Order::ALL {
        let built = [(64 << 20, 1), (64 << 20, 3), (40 << 10, 1), (60 << 10, 2)].map(|means| {
            let folder = tempfile::tempdir().unwrap();
            build_ordered(folder.path(), &pages, order, 7, means);
            bytes_of(folder.path())
        });
        for (name, bytes) in &built[0] {
            for others in &built[1..] {
                assert_eq!(others.len(), built[0].len());
                assert!(
                    others.iter().any(|(other, same)| other == name && same == bytes),
                    "{order:?} {name}"
                );
            }
        }
    }
}

#[test]
fn bisection_brings_pages_about_one_thing_together() {
    let pages = themes(600);
    let folder = tempfile::tempdir().unwrap();
    build_ordered(folder.path(), &pages, Order::Bisection, 0, (64 << 20, 2));
    let index = Index::open(folder.path()).unwrap();
    let changes =
        |theme_of: &dyn Fn(u64) -> u64| (1..600).filter(|&at| theme_of(at) != theme_of(at - 1)).count();
    let came = changes(&theme);
    let ordered = changes(&|doc| theme(index.doc_key(DocId::new(doc as u32)).get() - 100));
    assert!(ordered * 4 < came, "{ordered} changes of theme instead of {came}");
    assert_has_pages(&index, &pages);
}

#[test]
fn documents_that_were_replaced_are_found_by_their_keys_in_any_order() {
    let pages = themes(60);
    for order in Order::ALL {
        let folder = tempfile::tempdir().unwrap();
        build_ordered(folder.path(), &pages, order, 3, (1 << 20, 1));
        let keys: Vec<PageKey> = (100..160).step_by(7).map(PageKey::new).collect();
        let mut builder = IndexBuilder::append(folder.path(), 1 << 20).unwrap();
        for key in &keys {
            add(&mut builder, key.get(), &pages[(key.get() - 100) as usize]);
        }
        builder.bury(&keys, "test");
        builder.finish("test").unwrap();
        for _ in 0..2 {
            let index = Index::open(folder.path()).unwrap();
            for key in (100..160).map(PageKey::new) {
                let doc = index.find_key(key).unwrap_or_else(|| panic!("{order:?} {key:?}"));
                assert!(index.doc_key(doc) == key && !index.is_dead(doc), "{order:?} {key:?}");
            }
            index.check().unwrap();
            index::merge_all(folder.path()).unwrap();
        }
    }
}

#[test]
fn every_flipped_byte_of_places_is_told() {
    let folder = tempfile::tempdir().unwrap();
    build_ordered(folder.path(), &themes(20), Order::Address, 5, (1 << 20, 1));
    let path = folder.path().join("segment-1/places");
    let good = std::fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        std::fs::write(&path, bad).unwrap();
        let error = Index::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("places"), "{at}: {error}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(Index::open(folder.path()).is_err());
}
