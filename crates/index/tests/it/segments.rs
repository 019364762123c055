//! How an index is divided into segments cannot be seen in what it answers, only in what it costs.

use index::{Error, Index, IndexBuilder, RoutingReport};
use page::DocId;
use proptest::prelude::*;

use crate::model::any_pages;
use crate::{Page, assert_equals_model, build, build_segments, model, pages};

/// Cuts pages into parts at the given places, in any order; some may be empty.
fn cut<'p>(pages: &'p [Page], places: &[prop::sample::Index]) -> Vec<&'p [Page]> {
    let mut places: Vec<usize> = places.iter().map(|place| place.index(pages.len() + 1)).collect();
    places.extend([0, pages.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &pages[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn segments_equal_a_map_of_all_documents(
        pages in any_pages(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        strides in prop::collection::vec(1u32..12, 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        build_segments(folder.path(), &cut(&pages, &places), 1 << 20);
        let index = Index::open(folder.path()).unwrap();
        prop_assert_eq!(index.documents() as usize, pages.len());
        assert_equals_model(&index, &pages);
        for doc in 0..pages.len() as u32 {
            prop_assert_eq!(index.doc_key(DocId::new(doc)).get(), 100 + u64::from(doc));
        }
        let mut positions = Vec::new();
        for (term, postings) in model(&pages) {
            let mut cursor = index.cursor(&index.term(&term).unwrap().unwrap());
            let mut target = 0;
            for stride in strides.iter().cycle() {
                target += stride;
                let doc = DocId::new(target);
                let expected = postings.range(doc..).next();
                prop_assert_eq!(cursor.advance(doc), expected.map_or(DocId::END, |(&doc, _)| doc));
                cursor.positions(&mut positions).unwrap();
                prop_assert_eq!(&positions, &expected.map_or(Vec::new(), |(_, (_, positions))| positions.clone()));
                prop_assert_eq!(cursor.frequency() as usize, positions.len());
                if expected.is_none() {
                    break;
                }
            }
        }
    }
}

fn numbered_pages(count: usize) -> Vec<Page> {
    (0..count).map(|number| (String::new(), format!("common only{number} pair{}", number / 2))).collect()
}

#[test]
fn a_term_is_searched_only_where_it_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let pages = numbered_pages(5);
    build_segments(folder.path(), &pages.chunks(1).collect::<Vec<_>>(), 1 << 20);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!(index.routing(), RoutingReport::default());
    // Filters of three terms in the smallest class are practically never wrong.
    for (term, frequency, asked) in [("absent", 0, 0), ("only3", 1, 1), ("pair0", 2, 3), ("common", 5, 8)] {
        let found = index.term(term).unwrap().map_or(0, |entry| entry.document_frequency());
        assert_eq!((found, index.routing().segments_asked), (frequency, asked), "{term}");
    }
    let expected = RoutingReport { lookups: 4, segments_asked: 8, segments_skipped: 12, false_positives: 0 };
    assert_eq!(index.routing(), expected);
}

#[test]
fn with_one_segment_too_absent_terms_rarely_cost_a_search() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &numbered_pages(600), 1 << 20);
    let index = Index::open(folder.path()).unwrap();
    for number in 0..10_000 {
        assert!(index.term(&format!("absent{number}")).unwrap().is_none());
    }
    let routing = index.routing();
    assert_eq!(routing.lookups, routing.segments_asked + routing.segments_skipped);
    assert_eq!(routing.segments_asked, routing.false_positives);
    // 901 terms where there is room for 1024 at 1 %.
    assert!(routing.false_positives < 150, "{routing:?}");
}

#[test]
fn many_segments_and_segments_of_many_sizes_are_found_in() {
    // 40 filters of one class are rows; the long last part is in a class of its own.
    let pages = numbered_pages(1_500);
    let (short, long) = pages.split_at(40);
    let mut parts: Vec<&[Page]> = short.chunks(1).collect();
    parts.push(long);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(build_segments(folder.path(), &parts, 1 << 20).segments, 41);
    let index = Index::open(folder.path()).unwrap();
    assert_equals_model(&index, &pages);
    let mut cursor = index.cursor(&index.term("common").unwrap().unwrap());
    let found = [39, 1_499].map(|doc| [cursor.advance(DocId::new(doc)), cursor.next()]);
    assert_eq!(found, [[DocId::new(39), DocId::new(40)], [DocId::new(1_499), DocId::END]]);
}

#[test]
fn adding_nothing_moves_the_stamp_only() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(&[("", "old words")]);
    build(folder.path(), &pages, 1 << 20);
    let report = IndexBuilder::append(folder.path(), 1 << 20).unwrap().finish("later").unwrap();
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.source_stamp(), index.report(), report.segments), ("later", &report, 1));
    assert_equals_model(&index, &pages);
}

#[test]
fn there_has_to_be_an_index_to_add_to() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    assert!(matches!(IndexBuilder::append(&dir, 1 << 20), Err(Error::Missing { .. })));
    assert!(!dir.exists());
}
