//! Everything that is read equals what a map would hold, whatever the memory budget.

use std::collections::BTreeMap;

use index::{CodecName, Codecs, Index, IndexBuilder, IndexDocument, Piece, TermFunction};
use page::{DocId, PageKey};
use proptest::prelude::*;

use crate::{Page, assert_equals_model, build, build_segments, model, pages};

pub fn any_pages() -> impl Strategy<Value = Vec<Page>> {
    let text = "(([a-e]{1,2}|[a-z]{1,6}|été|東京|[0-9]) ?){0,30}";
    prop::collection::vec(("([a-c] ?){0,3}", text), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn postings_equal_those_of_a_map_when_many_runs_are_merged(pages in any_pages(), budget in 0u64..20_000) {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), &pages, budget);
        let index = Index::open(folder.path()).unwrap();
        assert_eq!(index.documents() as usize, pages.len());
        assert_equals_model(&index, &pages);
    }

    #[test]
    fn the_bytes_do_not_depend_on_the_budget(pages in any_pages(), budget in 0u64..20_000) {
        let (one, many) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        build(one.path(), &pages, u64::MAX);
        build(many.path(), &pages, budget);
        for name in ["terms", "blocks", "postings", "positions", "skips", "keys", "lengths", "filter"] {
            let read = |folder: &tempfile::TempDir| std::fs::read(folder.path().join("segment-1").join(name)).unwrap();
            assert_eq!(read(&one), read(&many), "{name}");
        }
    }
}

/// 1500 documents: `all` in each, `third` in every third, `rare` in the last, many blocks and many runs.
fn long_lists() -> Vec<Page> {
    let text = |number: usize| {
        let mut text = "all ".repeat(1 + number % 5);
        text += if number.is_multiple_of(3) { "third " } else { "other " };
        text += if number == 1499 { "rare" } else { "" };
        text + &format!(" n{number}")
    };
    (0..1500).map(|number| (if number % 7 == 0 { "all" } else { "" }.to_owned(), text(number))).collect()
}

#[test]
fn lists_of_many_blocks_come_back_from_more_runs_than_are_merged_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let report = build(folder.path(), &long_lists(), 0);
    assert_eq!(report.runs, 1500);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &long_lists());
}

#[test]
fn no_document_exceeds_what_its_block_says_and_the_best_one_has_it() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &long_lists(), u64::MAX);
    let index = Index::open(folder.path()).unwrap();
    let model = index.impact_model();
    let table = model.table();
    let mut best = std::collections::HashMap::new();
    for term in ["all", "third", "other", "rare"] {
        let entry = index.term(term).unwrap().unwrap();
        let (mut cursor, mut shallow) = (index.cursor(&entry), index.cursor(&entry));
        while cursor.doc() != DocId::END {
            let impact = table.impact(&cursor.counts(), &index.length_codes(cursor.doc()));
            let bound = shallow.bound_at(cursor.doc());
            assert!(impact <= bound.impact && cursor.doc() <= bound.last, "{term}: {impact}, {bound:?}");
            // A list of one block has no maximum.
            let greatest = best.entry((term, bound.last)).or_insert((0.0f32, bound.impact));
            greatest.0 = greatest.0.max(impact);
            cursor.next();
        }
    }
    let several = best.values().filter(|(_, bound)| *bound < 1.0);
    assert!(several.clone().count() > 10 && several.clone().all(|(best, bound)| best == bound), "{best:?}");
}

#[test]
fn impacts_of_a_stretch_are_those_of_its_documents_and_only_weak_blocks_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    // In the middle the word stands among many others.
    let page = |number: usize| match number {
        500..1000 => format!("word {}", "other ".repeat(30)),
        _ => "word ".repeat(3 + number % 3),
    };
    let pages: Vec<Page> = (0..1500).map(|number| (String::new(), page(number))).collect();
    build_segments(folder.path(), &[&pages[..700], &pages[700..]], u64::MAX);
    let index = Index::open(folder.path()).unwrap();
    let table = index.impact_model().table();
    let entry = index.term("word").unwrap().unwrap();
    for (length, least) in [(100, 0.0), (1000, 0.0), (350, 0.5), (2000, 0.5)] {
        let (mut cursor, mut bulk) = (index.cursor(&entry), index.cursor(&entry));
        let (mut from, mut passed_over) = (DocId::new(0), 0);
        while bulk.doc() != DocId::END {
            let bound = bulk.bound_between(from, DocId::new(from.get() + length));
            let mut found = Vec::new();
            bulk.impacts_to(bound.last, least, &table, |doc, impact| found.push((doc, impact)));
            let mut found = found.into_iter().peekable();
            while cursor.doc() <= bound.last && cursor.doc() != DocId::END {
                let impact = cursor.impact(&table);
                assert_eq!(impact, table.impact(&cursor.counts(), &index.length_codes(cursor.doc())));
                assert!(impact <= bound.impact, "{impact}, {bound:?}");
                match found.next_if(|(doc, _)| *doc == cursor.doc()) {
                    Some((_, same)) => assert_eq!(same, impact),
                    None => {
                        assert!(impact < least);
                        passed_over += 1;
                    }
                }
                cursor.next();
            }
            assert_eq!((found.next(), bulk.doc()), (None, cursor.doc()));
            from = bound.last.next();
        }
        assert_eq!(passed_over > 300, least > 0.0, "{passed_over} passed over");
    }
}

#[test]
fn every_codec_gives_the_same_postings() {
    let pages = long_lists();
    for name in CodecName::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut builder =
            IndexBuilder::create(folder.path(), 1 << 20).unwrap().with_codecs(Codecs::all(name));
        for ((title, text), key) in pages.iter().zip((100..).map(PageKey::new)) {
            builder
                .add(&IndexDocument { key, language: None, pieces: &Piece::title_and_text(title, text) })
                .unwrap();
        }
        builder.finish("test").unwrap();
        let index = Index::open(folder.path()).unwrap();
        assert_eq!(index.codecs(), Codecs::all(name));
        assert_equals_model(&index, &pages);
    }
}

#[test]
fn codecs_are_read_as_people_write_them() {
    let mixed = Codecs { documents: CodecName::Delta, counts: CodecName::Gamma, ..Codecs::default() };
    let graph = Codecs { terms: TermFunction::Graph, ..Codecs::default() };
    let rows = [
        ("packed", Codecs::default()),
        ("rice", Codecs::all(CodecName::Rice)),
        ("documents=delta,counts=gamma", mixed),
        ("terms=graph", graph),
    ];
    for (text, codecs) in rows {
        assert_eq!(Codecs::parse(text), Ok(codecs), "{text}");
    }
    let wrong = [
        ("", "no codec ``"),
        ("zip", "no codec `zip`; there are packed"),
        ("words=gamma", "`words` is none of"),
        ("counts=", "no codec ``"),
        ("terms=gamma", "there are hypergraph, graph"),
    ];
    for (text, reason) in wrong {
        assert!(Codecs::parse(text).unwrap_err().contains(reason), "{text}");
    }
}

#[test]
fn advancing_finds_what_a_walk_would_find() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &long_lists(), u64::MAX);
    let index = Index::open(folder.path()).unwrap();
    let model = model(&long_lists());
    let mut positions = Vec::new();
    for term in ["all", "third", "rare", "n700"] {
        let postings = &model[term];
        for stride in [1, 2, 3, 100, 127, 128, 129, 400, 5000] {
            let mut cursor = index.cursor(&index.term(term).unwrap().unwrap());
            for target in (0..1600).step_by(stride).map(DocId::new) {
                let expected = postings.range(target..).next();
                assert_eq!(
                    cursor.advance(target),
                    expected.map_or(DocId::END, |(&doc, _)| doc),
                    "{term} {stride} {target}"
                );
                // Positions are asked for only now and then, so that some are skipped over.
                if let Some((_, (in_title, expected))) = expected.filter(|(doc, _)| doc.get() % 5 != 0) {
                    cursor.positions(&mut positions).unwrap();
                    assert_eq!(&positions, expected);
                    assert_eq!((cursor.frequency() as usize, cursor.in_title()), (expected.len(), *in_title));
                }
            }
        }
    }
}

#[test]
fn an_exhausted_cursor_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &pages(&[("", "a")]), u64::MAX);
    let index = Index::open(folder.path()).unwrap();
    let mut cursor = index.cursor(&index.term("a").unwrap().unwrap());
    let (first, end) = (DocId::new(0), DocId::END);
    assert_eq!((cursor.doc(), cursor.next(), cursor.next(), cursor.advance(first)), (first, end, end, end));
    assert_eq!((cursor.advance(end), cursor.frequency(), cursor.in_title()), (end, 0, false));
    let mut positions = vec![1];
    cursor.positions(&mut positions).unwrap();
    assert!(positions.is_empty());
}

#[test]
fn lengths_keys_and_titles_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(&[("The title", "the text of it"), ("", ""), ("only", "")]);
    build(folder.path(), &pages, u64::MAX);
    let index = Index::open(folder.path()).unwrap();
    let lengths: Vec<u32> = (0..4).map(|doc| index.doc_length(DocId::new(doc))).collect();
    assert_eq!(lengths, [6, 0, 1, 0]);
    assert_eq!([0, 2, 3].map(|doc| index.doc_key(DocId::new(doc)).get()), [100, 102, 0]);
    assert_eq!(index.average_length(), 7.0 / 3.0);
    assert_eq!(index.source_stamp(), "test");
    assert_eq!(model(&pages)["the"], BTreeMap::from([(DocId::new(0), (true, vec![0, 1 << 28]))]));
    assert_equals_model(&index, &pages);
}

#[test]
fn an_index_of_nothing_answers_nothing() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &[], 1 << 20);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.documents(), index.average_length()), (0, 0.0));
    assert!(index.term("a").unwrap().is_none());
}
