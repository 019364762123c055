//! What an index keeps is what it was told to: documents, counts or positions, whatever the codec, after merges and in parts.

use std::path::Path;

use index::{
    CodecName, Codecs, Field, FieldCounts, Index, IndexBuilder, IndexDocument, Piece, Precision, SplitBy,
    bury, merge_all,
};
use page::{DocId, PageKey};
use proptest::prelude::*;

use crate::model::any_pages;
use crate::{Page, model};

fn build(dir: &Path, pages: &[Page], codecs: Codecs, step: usize, parts: u32) {
    let anew = || {
        let builder = IndexBuilder::create(dir, 1 << 20).unwrap().with_codecs(codecs);
        builder.with_split(SplitBy::Both.into_parts(parts))
    };
    if pages.is_empty() {
        anew().finish("test").unwrap();
    }
    let keyed: Vec<(u64, &Page)> = (100..).zip(pages).collect();
    for (number, step) in keyed.chunks(step).enumerate() {
        let mut builder = if number == 0 { anew() } else { IndexBuilder::append(dir, 1 << 20).unwrap() };
        for (key, (title, text)) in step {
            let (key, pieces) = (PageKey::new(*key), Piece::title_and_text(title, text));
            builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
        }
        builder.finish("test").unwrap();
    }
}

/// The documents of the model, with as much as is kept of them.
fn assert_keeps(index: &Index, pages: &[Page], precision: Precision, is_dead: &dyn Fn(u64) -> bool) {
    let living: Vec<Page> =
        (100..).zip(pages).filter(|(key, _)| !is_dead(*key)).map(|(_, page)| page.clone()).collect();
    let (table, mut read) = (index.impact_model().table(), 0);
    for (term, postings) in model(&living) {
        let entry = index.term(&term).unwrap().unwrap();
        let (mut cursor, mut shallow) = (index.cursor(&entry), index.cursor(&entry));
        for (doc, (_, positions)) in postings {
            assert_eq!(cursor.doc(), doc, "{term}");
            // Impacts are bounded by what is kept.
            let (impact, bound) = (cursor.impact(&table), shallow.bound_at(doc));
            assert!(
                impact <= bound.impact && impact == table.impact(&cursor.counts(), &index.length_codes(doc))
            );
            let title = positions.iter().filter(|&&position| position < 1 << 28).count() as u32;
            let mut counts = FieldCounts::in_main(positions.len() as u32 - title);
            counts.0[Field::Title.index()] = title;
            let kept = if precision.has_counts() { counts } else { FieldCounts::in_main(1) };
            assert_eq!((cursor.counts(), cursor.frequency()), (kept, kept.total()), "{term}");
            let mut found = Vec::new();
            match precision {
                Precision::Positions => {
                    cursor.positions(&mut found).unwrap();
                    assert_eq!(found, positions, "{term}");
                }
                _ => assert!(cursor.positions(&mut found).is_err()),
            }
            read += 1;
            cursor.next();
        }
        assert_eq!(cursor.doc(), DocId::END, "{term}");
    }
    assert_eq!((index.report().postings, index.precision()), (read, precision));
    index.check().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_precision_keeps_what_it_says(
        pages in any_pages(), precision in 0..3usize, codec in 0..CodecName::ALL.len(), step in 7usize..41,
        parts in 1u32..3, dead in any::<u64>(),
    ) {
        let precision = Precision::ALL[precision];
        let codecs = Codecs { precision, ..Codecs::all(CodecName::ALL[codec]) };
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), &pages, codecs, step, parts);
        if pages.len() <= step {
            assert_keeps(&Index::open(folder.path()).unwrap(), &pages, precision, &|_| false);
        }
        let is_dead = |key: u64| dead >> (key % 64) & 1 == 1;
        let keys = (100..100 + pages.len() as u64).filter(|&key| is_dead(key)).map(PageKey::new);
        bury(folder.path(), &keys.collect::<Vec<_>>(), "dead").unwrap();
        merge_all(folder.path()).unwrap();
        assert_keeps(&Index::open(folder.path()).unwrap(), &pages, precision, &is_dead);
    }
}

/// Lists of several blocks.
fn long_lists() -> Vec<Page> {
    let text = |number: usize| {
        format!("all {} n{number} {}", ["two", "other"][number % 2], "all ".repeat(number % 3))
    };
    (0..900).map(|number| (if number % 40 == 0 { "all" } else { "" }.to_owned(), text(number))).collect()
}

#[test]
fn the_less_is_kept_the_smaller_is_the_index_and_a_merge_keeps_what_all_have() {
    let (pages, mut sizes) = (long_lists(), Vec::new());
    for precision in Precision::ALL {
        let folder = tempfile::tempdir().unwrap();
        let codecs = Codecs { precision, ..Codecs::default() };
        build(folder.path(), &pages, codecs, 300, 1);
        assert_keeps(&Index::open(folder.path()).unwrap(), &pages, precision, &|_| false);
        sizes.push(merge_all(folder.path()).unwrap().bytes);
        assert_keeps(&Index::open(folder.path()).unwrap(), &pages, precision, &|_| false);
        // One that is added with more has less after the merge.
        let mut builder =
            IndexBuilder::append(folder.path(), 1 << 20).unwrap().with_codecs(Codecs::default());
        let pieces = Piece::title_and_text("", "all that is new");
        builder.add(&IndexDocument { key: PageKey::new(5000), language: None, pieces: &pieces }).unwrap();
        builder.finish("test").unwrap();
        assert_eq!(Index::open(folder.path()).unwrap().precision(), precision);
        merge_all(folder.path()).unwrap();
        let index = Index::open(folder.path()).unwrap();
        index.check().unwrap();
        assert_eq!((index.precision(), index.codecs().precision), (precision, precision));
    }
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
}
