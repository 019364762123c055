//! However an index is split, by documents, by terms or both, it reads as if it were not, also when it grew and was merged.

use std::path::Path;

use index::{
    Analysis, Index, IndexBuilder, IndexDocument, Order, Piece, Split, SplitBy, bury, merge_all, merge_tiers,
};
use page::{DocId, PageKey};
use proptest::prelude::*;

use crate::model::any_pages;
use crate::{Page, assert_equals_model, read_postings};

/// How an index comes to be.
struct Plan<'p> {
    pages: &'p [Page],
    /// So many pages are added at once.
    step: usize,
    order: Order,
    analysis: Analysis,
    is_dead: &'p dyn Fn(u64) -> bool,
}

/// Builds in steps, buries, and merges in tiers.
fn build(dir: &Path, plan: &Plan<'_>, split: Split) {
    let keyed: Vec<(u64, &Page)> = (100..).zip(plan.pages).collect();
    let anew = || {
        let builder = IndexBuilder::create(dir, 1 << 20).unwrap().with_split(split);
        builder.with_order(plan.order).with_analysis(plan.analysis)
    };
    if keyed.is_empty() {
        anew().finish("test").unwrap();
    }
    for (number, step) in keyed.chunks(plan.step).enumerate() {
        let mut builder = if number == 0 { anew() } else { IndexBuilder::append(dir, 1 << 20).unwrap() };
        for (key, (title, text)) in step {
            let (key, pieces) = (PageKey::new(*key), Piece::title_and_text(title, text));
            builder.add_with_print(&IndexDocument { key, language: Some("en"), pieces: &pieces }, 7).unwrap();
        }
        builder.finish("test").unwrap();
    }
    let keys: Vec<PageKey> =
        keyed.iter().map(|(key, _)| *key).filter(|key| (plan.is_dead)(*key)).map(PageKey::new).collect();
    bury(dir, &keys, "dead").unwrap();
    merge_tiers(dir).unwrap();
}

/// Whatever is read of both is the same.
fn assert_same(ours: &Index, whole: &Index) {
    assert_eq!((ours.documents(), ours.average_lengths()), (whole.documents(), whole.average_lengths()));
    let counted = |index: &Index| {
        let report = index.report();
        (report.documents, report.dead, report.postings)
    };
    assert_eq!(counted(ours), counted(whole));
    for doc in (0..whole.documents()).map(DocId::new) {
        let of =
            |index: &Index| (index.doc_key(doc), index.doc_length(doc), index.is_dead(doc), index.print(doc));
        assert_eq!(of(ours), of(whole));
        assert_eq!(ours.find_key(ours.doc_key(doc)), whole.find_key(whole.doc_key(doc)));
    }
    let (mut of_ours, mut of_whole) = (ours.terms_from("").unwrap(), whole.terms_from("").unwrap());
    while let Some((term, documents)) =
        of_whole.next_term().unwrap().map(|(term, documents)| (term.to_owned(), documents))
    {
        assert_eq!(of_ours.next_term().unwrap(), Some((&*term, documents)));
        // A list of one document may be dead as a whole.
        if whole.report().dead == 0 {
            assert_eq!(read_postings(ours, &term).unwrap(), read_postings(whole, &term).unwrap(), "{term}");
        }
        assert_eq!(documents_of(ours, &term), documents_of(whole, &term), "{term}");
    }
    assert_eq!(of_ours.next_term().unwrap(), None);
    for stem in ["connect", "siev", "sieve", "a", "absent"] {
        let read = |index: &Index| {
            let Some(entry) = index.stem(stem).unwrap() else { return Vec::new() };
            let mut cursor = index.cursor(&entry);
            let mut counts = Vec::new();
            while cursor.doc() != DocId::END {
                counts.push((cursor.doc(), cursor.counts()));
                cursor.next();
            }
            counts
        };
        assert_eq!(read(ours), read(whole), "{stem}");
    }
}

fn documents_of(index: &Index, term: &str) -> Vec<(DocId, u32, Vec<u32>)> {
    let (mut cursor, mut documents) = (index.cursor(&index.term(term).unwrap().unwrap()), Vec::new());
    while cursor.doc() != DocId::END {
        let mut positions = Vec::new();
        cursor.positions(&mut positions).unwrap();
        documents.push((cursor.doc(), cursor.frequency(), positions));
        cursor.next();
    }
    documents
}

fn assert_split_as_whole(plan: &Plan<'_>, split: Split) {
    let (divided, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build(divided.path(), plan, split);
    build(whole.path(), plan, Split::default());
    let open = || [&divided, &whole].map(|folder| Index::open(folder.path()).unwrap());
    let [ours, theirs] = open();
    ours.check().unwrap();
    assert_same(&ours, &theirs);
    for folder in [&divided, &whole] {
        merge_all(folder.path()).unwrap();
    }
    let [ours, theirs] = open();
    ours.check().unwrap();
    assert_same(&ours, &theirs);
    let (report, documents) = (ours.report(), ours.report().documents);
    assert_eq!((report.split, report.segments), (split, u64::from(split.documents).min(documents).max(1)));
    assert!(report.dictionaries <= report.segments * u64::from(split.terms), "{report:?}");
    // Of many terms in lists of similar lengths there are as many parts as wanted.
    if theirs.report().terms > 200 {
        assert_eq!(report.dictionaries, report.segments * u64::from(split.terms));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_split_reads_as_the_whole(
        pages in any_pages(), by in 0..3usize, parts in 1u32..5, step in 7usize..41, order in 0..2usize,
        is_plain in any::<bool>(), dead in any::<u64>(), some_die in any::<bool>(),
    ) {
        let words = ["connect", "connected", "connections", "sieve"];
        let pages: Vec<Page> = pages
            .into_iter()
            .enumerate()
            .map(|(number, (title, text))| (title, format!("{text} {}", words[number * number % 4])))
            .collect();
        let plan = Plan {
            pages: &pages,
            step,
            order: [Order::Arrival, Order::Bisection][order],
            analysis: if is_plain { Analysis::Plain } else { Analysis::Full },
            is_dead: &|key| some_die && dead >> (key % 64) & 1 == 1,
        };
        assert_split_as_whole(&plan, SplitBy::ALL[by].into_parts(parts));
    }
}

/// Lists of several blocks and chunks, and many short ones.
fn long_lists() -> Vec<Page> {
    let text = |number: usize| {
        format!("all {} n{number} {}", ["two", "other"][number % 2], "all ".repeat(number % 3))
    };
    (0..900).map(|number| (if number % 400 == 0 { "all" } else { "" }.to_owned(), text(number))).collect()
}

#[test]
fn long_lists_are_split_where_blocks_end_and_where_they_do_not() {
    let pages = long_lists();
    for (by, parts) in [(SplitBy::Document, 7), (SplitBy::Term, 4), (SplitBy::Both, 3)] {
        for (step, is_dead) in [(900, &(|_| false) as &dyn Fn(u64) -> bool), (256, &|key| key % 5 == 0)] {
            let plan = Plan { pages: &pages, step, order: Order::Arrival, analysis: Analysis::Full, is_dead };
            assert_split_as_whole(&plan, by.into_parts(parts));
        }
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan {
            pages: &pages,
            step: 900,
            order: Order::Arrival,
            analysis: Analysis::Full,
            is_dead: &|_| false,
        };
        build(folder.path(), &plan, by.into_parts(parts));
        assert_equals_model(&Index::open(folder.path()).unwrap(), &pages);
    }
}

#[test]
fn a_term_is_looked_for_in_the_part_that_has_it() {
    let (folder, pages) = (tempfile::tempdir().unwrap(), long_lists());
    let plan = Plan {
        pages: &pages,
        step: 900,
        order: Order::Arrival,
        analysis: Analysis::Full,
        is_dead: &|_| false,
    };
    build(folder.path(), &plan, SplitBy::Term.into_parts(8));
    let index = Index::open(folder.path()).unwrap();
    let before = index.routing();
    (0..900).for_each(|number| assert!(index.term(&format!("n{number}")).unwrap().is_some()));
    let routing = index.routing().since(&before);
    // The longest lists are parts by themselves.
    let parts = index.report().dictionaries;
    assert!(parts >= 6, "{:?}", index.report());
    assert_eq!((routing.lookups, routing.segments_asked + routing.segments_skipped), (900, 900 * parts));
    assert!(routing.segments_asked < 1000, "{routing:?}");
}

#[test]
fn every_flipped_byte_of_a_part_is_told() {
    let (folder, pages) = (tempfile::tempdir().unwrap(), long_lists());
    let plan = Plan {
        pages: &pages[..40],
        step: 40,
        order: Order::Arrival,
        analysis: Analysis::Full,
        is_dead: &|_| false,
    };
    build(folder.path(), &plan, SplitBy::Both.into_parts(2));
    let parts = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path().join("part-1"));
    let parts: Vec<_> = parts.filter(|part| part.exists()).collect();
    assert_eq!(parts.len(), 2);
    for path in std::fs::read_dir(&parts[1]).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            std::fs::write(&path, changed).unwrap();
            let error = Index::open(folder.path()).and_then(|index| index.check()).unwrap_err().to_string();
            assert!(error.contains(&*folder.path().to_string_lossy()), "{error}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(Index::open(folder.path()).is_err());
        std::fs::write(&path, bytes).unwrap();
    }
    Index::open(folder.path()).unwrap().check().unwrap();
}
