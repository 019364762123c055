//! The old index counts until the new one is committed.

use index::{Error, Index, IndexBuilder, IndexDocument, Piece};
use page::PageKey;

use crate::{assert_equals_model, build, build_segments, pages};

fn names(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_abandoned_build_leaves_the_old_index_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let old = pages(&[("", "old words")]);
    build(folder.path(), &old, 1 << 20);
    let mut builder = IndexBuilder::create(folder.path(), 0).unwrap();
    builder
        .add(&IndexDocument {
            key: PageKey::new(1),
            language: None,
            pieces: &Piece::title_and_text("", "new words"),
        })
        .unwrap();
    assert_equals_model(&Index::open(folder.path()).unwrap(), &old);
    drop(builder);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &old);
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "segment-1"]);
}

#[test]
fn what_a_crash_left_behind_is_removed_by_the_next_build() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (pages(&[("", "old words")]), pages(&[("", "new words"), ("", "more")]));
    build(folder.path(), &old, 1 << 20);
    // Killed while writing runs, and once more between the two renames.
    std::fs::create_dir(folder.path().join("building")).unwrap();
    std::fs::write(folder.path().join("building/run-0"), "half").unwrap();
    std::fs::create_dir(folder.path().join("segment-2")).unwrap();
    std::fs::write(folder.path().join("manifest.json.tmp"), "{").unwrap();
    assert_equals_model(&Index::open(folder.path()).unwrap(), &old);
    build(folder.path(), &new, 0);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &new);
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "segment-3"]);
    assert_eq!(names(&folder.path().join("segment-3")).len(), 9);
}

#[test]
fn an_abandoned_addition_leaves_the_segments_that_were_there() {
    let folder = tempfile::tempdir().unwrap();
    let old = pages(&[("", "old words"), ("", "more words")]);
    build_segments(folder.path(), &[&old[..1], &old[1..]], 1 << 20);
    let mut builder = IndexBuilder::append(folder.path(), 0).unwrap();
    builder
        .add(&IndexDocument {
            key: PageKey::new(1),
            language: None,
            pieces: &Piece::title_and_text("", "new words"),
        })
        .unwrap();
    assert_equals_model(&Index::open(folder.path()).unwrap(), &old);
    drop(builder);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &old);
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "segment-1", "segment-2"]);
}

#[test]
fn what_a_crash_left_of_an_addition_is_removed_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let all = pages(&[("", "old words"), ("", "new words"), ("", "more")]);
    build(folder.path(), &all[..1], 1 << 20);
    // Killed after the segment was renamed and before the manifest named it.
    let before = std::fs::read(folder.path().join("manifest.json")).unwrap();
    build_more(folder.path(), "lost words");
    std::fs::write(folder.path().join("manifest.json"), before).unwrap();
    assert_equals_model(&Index::open(folder.path()).unwrap(), &all[..1]);
    build_more(folder.path(), "new words");
    build_more(folder.path(), "more");
    assert_equals_model(&Index::open(folder.path()).unwrap(), &all);
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "segment-1", "segment-3", "segment-4"]);
    // Made anew, all segments become one.
    build(folder.path(), &all, 1 << 20);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &all);
    assert_eq!(names(folder.path()), ["lock", "manifest.json", "segment-5"]);
}

fn build_more(dir: &std::path::Path, text: &str) {
    let mut builder = IndexBuilder::append(dir, 1 << 20).unwrap();
    builder
        .add(&IndexDocument {
            key: PageKey::new(1),
            language: None,
            pieces: &Piece::title_and_text("", text),
        })
        .unwrap();
    builder.finish("test").unwrap();
}

#[test]
fn an_open_index_goes_on_reading_what_it_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (pages(&[("", "old words")]), pages(&[("", "new words")]));
    build(folder.path(), &old, 1 << 20);
    let opened = Index::open(folder.path()).unwrap();
    build(folder.path(), &new, 1 << 20);
    assert_equals_model(&opened, &old);
    assert_equals_model(&Index::open(folder.path()).unwrap(), &new);
}

#[test]
fn two_builds_in_one_folder_exclude_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let first = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
    assert!(matches!(
        IndexBuilder::create(folder.path(), 1 << 20),
        Err(Error::File(journal::Error::Busy { .. }))
    ));
    drop(first);
    assert!(IndexBuilder::create(folder.path(), 1 << 20).is_ok());
}
