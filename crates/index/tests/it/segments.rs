//! How an index is divided into segments cannot be seen in what it answers, only in what it costs.

use index::{Error, Index, IndexBuilder, RoutingReport};
use page::DocId;
use proptest::prelude::*;

use crate::model::any_pages;
use crate::{Page, add, assert_equals_model, build, build_segments, model, pages};

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
    // 901 terms where there is room for 1024 at 5 %.
    assert!(routing.false_positives < 500, "{routing:?}");
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

#[test]
fn filters_follow_segments_as_they_come_and_go_and_older_readers_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let all = numbered_pages(12);
    build_segments(folder.path(), &all[..3].chunks(1).collect::<Vec<_>>(), 1 << 20);
    let changes = |index: &Index| {
        let filters = index.routing_filters();
        (filters.filters, filters.inserted, filters.updated, filters.deleted)
    };
    let first = Index::open(folder.path()).unwrap();
    assert_eq!(changes(&first), (3, 3, 0, 0));
    // One comes: it alone is read.
    append(folder.path(), &all, 3..4);
    let second = first.reopen_all(&[folder.path()]).unwrap();
    assert_eq!(changes(&second), (4, 4, 0, 0));
    assert_equals_model(&second, &all[..4]);
    // All of them become one, while two indexes are read that have them.
    index::merge_tiers(folder.path()).unwrap();
    let third = second.reopen_all(&[folder.path()]).unwrap();
    assert_eq!((changes(&third), third.report().segments), ((5, 5, 0, 0), 1));
    assert_equals_model(&first, &all[..3]);
    assert_equals_model(&second, &all[..4]);
    assert_equals_model(&third, &all[..4]);
    // What nobody reads any more gives its place to what comes, and goes if there are too many.
    drop((first, second));
    append(folder.path(), &all, 4..5);
    let fourth = third.reopen_all(&[folder.path()]).unwrap();
    assert_eq!(changes(&fourth), (2, 5, 1, 3));
    assert_equals_model(&fourth, &all[..5]);
    let before = fourth.routing();
    assert!(fourth.term("only4").unwrap().is_some());
    let expected = RoutingReport { lookups: 1, segments_asked: 1, segments_skipped: 1, false_positives: 0 };
    assert_eq!(fourth.routing().since(&before), expected);
    assert_equals_model(&third, &all[..4]);
}

fn append(dir: &std::path::Path, all: &[Page], range: std::ops::Range<usize>) {
    let mut builder = IndexBuilder::append(dir, 1 << 20).unwrap();
    for number in range {
        add(&mut builder, 100 + number as u64, &all[number]);
    }
    builder.finish("test").unwrap();
}

#[test]
fn a_damaged_filter_is_told_by_whoever_reads_it_and_by_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let all = numbered_pages(4);
    build_segments(folder.path(), &all[..2].chunks(1).collect::<Vec<_>>(), 1 << 20);
    let first = Index::open(folder.path()).unwrap();
    append(folder.path(), &all, 2..3);
    let flip = |segment: &str| {
        let path = folder.path().join(segment).join("filter");
        let mut bytes = std::fs::read(&path).unwrap();
        // Behind the header, which is verified whenever a file is opened.
        bytes[200] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    };
    flip("segment-3");
    for error in [first.reopen_all(&[folder.path()]).unwrap_err(), Index::open(folder.path()).unwrap_err()] {
        assert!(error.to_string().contains("segment-3/filter"), "{error}");
    }
    // Who was there before is none the worse.
    assert_equals_model(&first, &all[..2]);
    flip("segment-3");
    // One that is in memory need not be read again; a check does.
    flip("segment-1");
    let second = first.reopen_all(&[folder.path()]).unwrap();
    assert_equals_model(&second, &all[..3]);
    let error = second.check().unwrap_err();
    assert!(error.to_string().contains("segment-1/filter"), "{error}");
}
