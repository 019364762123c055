//! A merge gives what one build of the documents that live would have given, and readers do not notice it.

use std::path::Path;

use index::{CodecName, Codecs, Index, IndexBuilder, IndexDocument, Piece, bury, merge_all, merge_tiers};
use page::{DocId, PageKey};
use proptest::prelude::*;

use crate::model::any_pages;
use crate::{Page, build, build_segments, read_postings};

const FILES: [&str; 8] = ["terms", "blocks", "postings", "positions", "skips", "keys", "lengths", "filter"];

/// The files of the only segment of an index.
fn files(dir: &Path) -> Vec<Vec<u8>> {
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("manifest.json")).unwrap()).unwrap();
    let segments = manifest["index"]["segments"].as_array().unwrap();
    assert_eq!(segments.len(), 1);
    let folder = dir.join(segments[0]["folder"].as_str().unwrap());
    FILES.iter().map(|name| std::fs::read(folder.join(name)).unwrap()).collect()
}

/// Builds the pages of which the keys are given, at once.
fn build_keyed(dir: &Path, pages: &[(u64, Page)], codecs: Codecs, language: Option<&str>) {
    let mut builder = IndexBuilder::create(dir, 1 << 20).unwrap().with_codecs(codecs);
    for (key, (title, text)) in pages {
        let (key, pieces) = (PageKey::new(*key), Piece::title_and_text(title, text));
        builder.add(&IndexDocument { key, language, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
}

/// Merges segments of which some documents are dead; what comes out has the bytes of one build of the others.
fn assert_merges(
    pages: &[Page],
    part_pages: usize,
    codecs: Codecs,
    language: Option<&str>,
    is_dead: impl Fn(u64) -> bool,
) {
    let (merged, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let keyed: Vec<(u64, Page)> = (100..).zip(pages.iter().cloned()).collect();
    build_keyed(merged.path(), &[], codecs, language);
    for part in keyed.chunks(part_pages) {
        let mut builder = IndexBuilder::append(merged.path(), 1 << 20).unwrap();
        for (key, (title, text)) in part {
            let (key, pieces) = (PageKey::new(*key), Piece::title_and_text(title, text));
            builder.add(&IndexDocument { key, language, pieces: &pieces }).unwrap();
        }
        builder.finish("test").unwrap();
    }
    let (dead, living): (Vec<_>, Vec<_>) = keyed.into_iter().partition(|(key, _)| is_dead(*key));
    let keys: Vec<PageKey> = dead.iter().map(|(key, _)| PageKey::new(*key)).collect();
    assert_eq!(bury(merged.path(), &keys, "dead").unwrap(), keys.len() as u64);
    build_keyed(whole.path(), &living, codecs, language);
    let report = merge_all(merged.path()).unwrap();
    assert_eq!((report.documents, report.dead, report.segments), (living.len() as u64, 0, 1));
    let (ours, theirs) = (files(merged.path()), files(whole.path()));
    for (name, (ours, theirs)) in FILES.iter().zip(ours.iter().zip(&theirs)) {
        assert!(ours == theirs, "{name} differs");
    }
    Index::open(merged.path()).unwrap().check().unwrap();
    let [ours, theirs] = [&merged, &whole].map(|folder| Index::open(folder.path()).unwrap());
    assert_eq!(ours.average_lengths(), theirs.average_lengths());
    assert_eq!((ours.source_stamp(), ours.set_id()), ("test", theirs.set_id()));
}

/// Pages whose fields have less than 32 words, so that lengths are exact.
fn any_short_pages() -> impl Strategy<Value = Vec<Page>> {
    prop::collection::vec(("([a-c] ?){0,3}", "(([a-e]{1,2}|[a-z]{1,6}|été|[0-9]) ){0,30}"), 0..40)
}

#[test]
fn whole_blocks_pass_only_where_they_mean_the_same() {
    let text = |number: u64| {
        format!("all {} {}", ["two", "other"][number as usize % 2], "all ".repeat(number as usize % 3))
    };
    let title = |number: u64| if number.is_multiple_of(400) { "all" } else { "" };
    let pages: Vec<Page> = (0..1000).map(|number| (title(number).to_owned(), text(number))).collect();
    // With parts of 256 blocks end where parts do, with 300 they do not.
    for (part_pages, codec) in [(256, CodecName::Packed), (300, CodecName::Packed), (256, CodecName::Golomb)]
    {
        assert_merges(&pages, part_pages, Codecs::all(codec), None, |_| false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_merge_has_the_bytes_of_one_build(pages in any_pages(), part_pages in 1usize..12) {
        let words = ["connect", "connected", "connections", "sieve"];
        let pages: Vec<Page> = pages
            .into_iter()
            .enumerate()
            .map(|(number, (title, text))| (title, format!("{text} {}", words[number * number % 4])))
            .collect();
        assert_merges(&pages, part_pages, Codecs::default(), Some("en"), |_| false);
    }

    #[test]
    fn a_merge_has_the_bytes_of_one_build_of_the_documents_that_live(
        pages in any_short_pages(), part_pages in 1usize..12, dead in any::<u64>(), codec in 0..CodecName::ALL.len(),
    ) {
        assert_merges(&pages, part_pages, Codecs::all(CodecName::ALL[codec]), None, |key| dead >> (key % 64) & 1 == 1);
    }
}

/// Builds pages in parts, replaces some of them under their keys, and merges: what comes out has the bytes of one build.
fn assert_merges_replaced(pages: &[Page], part_pages: usize, is_replaced: impl Fn(u64, u64) -> bool) {
    let (merged, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut keyed: Vec<(u64, Page)> = (100..).zip(pages.iter().cloned()).collect();
    build_keyed(merged.path(), &keyed[..0], Codecs::default(), None);
    let add = |pages: &[(u64, Page)]| {
        let mut builder = IndexBuilder::append(merged.path(), 1 << 20).unwrap();
        for (key, (title, text)) in pages {
            let (key, pieces) = (PageKey::new(*key), Piece::title_and_text(title, text));
            let document = IndexDocument { key, language: None, pieces: &pieces };
            builder.add_with_print(&document, key.get() as u32 % 5).unwrap();
        }
        builder.bury(&pages.iter().map(|(key, _)| PageKey::new(*key)).collect::<Vec<_>>(), "replaced");
        builder.finish("test").unwrap();
    };
    keyed.chunks(part_pages).for_each(add);
    for round in 0..2 {
        let chosen = |keyed: &[(u64, Page)]| -> Vec<(u64, Page)> {
            keyed.iter().filter(|(key, _)| is_replaced(*key, round)).cloned().collect()
        };
        for (key, (_, text)) in keyed.iter_mut().filter(|(key, _)| is_replaced(*key, round)) {
            *text = format!("round{round} all {text} {}", *key % 3);
        }
        add(&chosen(&keyed));
    }
    build_keyed(whole.path(), &keyed, Codecs::default(), None);
    let before = Index::open(merged.path()).unwrap();
    before.check().unwrap();
    assert_eq!(before.report().documents, keyed.len() as u64);
    merge_all(merged.path()).unwrap();
    let (ours, theirs) = (files(merged.path()), files(whole.path()));
    for (name, (ours, theirs)) in FILES.iter().zip(ours.iter().zip(&theirs)) {
        assert!(ours == theirs, "{name} differs");
    }
    let index = Index::open(merged.path()).unwrap();
    index.check().unwrap();
    for doc in (0..index.documents()).map(DocId::new) {
        assert_eq!(u64::from(index.print(doc)), index.doc_key(doc).get() % 5);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn documents_that_were_replaced_stand_in_the_order_of_their_keys(
        pages in any_short_pages(), part_pages in 1usize..12, replaced in any::<u128>(),
    ) {
        assert_merges_replaced(&pages, part_pages, |key, round| replaced >> (key % 64 + 64 * round) & 1 == 1);
    }
}

#[test]
fn long_lists_of_replaced_documents_are_merged() {
    assert_merges_replaced(&long_lists(), 250, |key, round| key % 10 == round);
}

/// Lists of many blocks and chunks; fields of less than 32 words, so that lengths are exact.
fn long_lists() -> Vec<Page> {
    let text = |number: usize| format!("{}n{number} {}", "all ".repeat(number % 9), number % 5);
    (0..900).map(|number| (if number % 7 == 0 { "all" } else { "" }.to_owned(), text(number))).collect()
}

#[test]
fn long_lists_are_merged_whoever_of_them_is_dead() {
    assert_merges(&long_lists(), 250, Codecs::default(), None, |_| false);
    assert_merges(&long_lists(), 250, Codecs::default(), None, |key| key % 3 == 0);
    assert_merges(&long_lists(), 70, Codecs::default(), None, |key| (150..700).contains(&key));
    assert_merges(&long_lists(), 300, Codecs::default(), None, |_| true);
}

#[test]
fn dead_documents_are_never_met() {
    let folder = tempfile::tempdir().unwrap();
    let pages = long_lists();
    build_segments(folder.path(), &pages.chunks(300).collect::<Vec<_>>(), 1 << 20);
    let is_dead = |doc: u32| doc.is_multiple_of(2) || (290..610).contains(&doc);
    let keys: Vec<PageKey> =
        (0..900).filter(|&doc| is_dead(doc)).map(|doc| PageKey::new(100 + u64::from(doc))).collect();
    assert_eq!(bury(folder.path(), &keys, "some").unwrap(), keys.len() as u64);
    // The second time they are dead already.
    assert_eq!(bury(folder.path(), &keys, "some").unwrap(), 0);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.dead_stamp(), index.documents()), ("some", 900));
    index.check().unwrap();
    assert_eq!((index.report().documents, index.report().dead), (900 - keys.len() as u64, keys.len() as u64));
    let entry = index.term("all").unwrap().unwrap();
    for stride in [1, 2, 37, 128, 400] {
        let mut cursor = index.cursor(&entry);
        for target in (0..950).step_by(stride) {
            let lives = |doc: &u32| !is_dead(*doc) && (!doc.is_multiple_of(9) || doc.is_multiple_of(7));
            let expected = (target..900).find(lives).map_or(DocId::END, DocId::new);
            assert_eq!(cursor.advance(DocId::new(target)), expected, "{stride} {target}");
        }
    }
    for doc in 0..900 {
        assert_eq!(index.is_dead(DocId::new(doc)), is_dead(doc));
        assert_eq!(index.find_key(PageKey::new(100 + u64::from(doc))).is_none(), is_dead(doc));
    }
}

#[test]
fn who_reads_keeps_what_was_there_when_segments_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let pages = long_lists();
    build_segments(folder.path(), &pages.chunks(100).collect::<Vec<_>>(), 1 << 20);
    let before = Index::open(folder.path()).unwrap();
    let report = merge_tiers(folder.path()).unwrap();
    assert!(report.merges > 0 && report.index.segments < 4, "{report:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count() as u64, report.index.segments + 2);
    let after = Index::open(folder.path()).unwrap();
    for term in ["all", "n7", "n899", "3"] {
        let postings = read_postings(&before, term).unwrap();
        assert!(!postings.is_empty());
        assert_eq!(postings, read_postings(&after, term).unwrap(), "{term}");
    }
}

#[test]
fn a_damaged_segment_is_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let pages = long_lists();
    build_segments(folder.path(), &pages.chunks(450).collect::<Vec<_>>(), 1 << 20);
    let path = folder.path().join("segment-2/positions");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = merge_all(folder.path()).unwrap_err().to_string();
    assert!(error.contains("segment-2/positions"), "{error}");
    // What was there is still there.
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.report().segments, read_postings(&index, "n7").unwrap().len()), (2, 1));
}

#[test]
fn a_segment_without_living_documents_goes_and_the_source_stays_covered() {
    let folder = tempfile::tempdir().unwrap();
    IndexBuilder::create(folder.path(), 1 << 20).unwrap().finish("nothing").unwrap();
    for (key, stamp) in [(1, "first"), (2, "second")] {
        let mut builder = IndexBuilder::append(folder.path(), 1 << 20).unwrap();
        let pieces = Piece::title_and_text("", "word");
        builder.add(&IndexDocument { key: PageKey::new(key), language: None, pieces: &pieces }).unwrap();
        builder.finish(stamp).unwrap();
        let report = merge_tiers(folder.path()).unwrap().index;
        assert_eq!((report.segments, report.documents), (key, key));
        assert_eq!(Index::open(folder.path()).unwrap().source_stamp(), stamp);
    }
    bury(folder.path(), &[PageKey::new(2)], "").unwrap();
    assert_eq!(merge_tiers(folder.path()).unwrap().dropped, 1);
    let index = Index::open(folder.path()).unwrap();
    assert_eq!((index.report().segments, index.documents(), index.source_stamp()), (1, 1, "second"));
}

#[test]
fn there_has_to_be_an_index_to_bury_in_or_to_merge() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    assert!(bury(&dir, &[], "").is_err() && merge_all(&dir).is_err() && merge_tiers(&dir).is_err());
    assert!(!dir.exists());
    build(&dir, &[], 1 << 20);
    assert_eq!(merge_tiers(&dir).unwrap().merges, 0);
    assert_eq!(merge_all(&dir).unwrap().segments, 1);
}
