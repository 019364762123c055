//! A changed, missing or added byte gives an error or no difference; never a panic, never a wrong answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use index::{Error, Index};
use page::{DocId, PageKey};

use crate::{Page, Postings, build_segments, model, read_postings};

fn some_pages() -> Vec<Page> {
    let text = |number: usize| format!("common word{} été {}", number % 11, "again ".repeat(number % 3));
    (0..150).map(|number| (format!("title {}", number % 4), text(number))).collect()
}

/// Opens the index and reads all of it; whatever is read without an error has to be right.
fn open_and_compare(dir: &Path, model: &BTreeMap<String, Postings>) -> Result<(), Error> {
    let index = Index::open(dir)?;
    for (term, expected) in model {
        assert_eq!(&read_postings(&index, term)?, expected, "{term}");
    }
    assert!(index.term("absent")?.is_none());
    for document in 0..index.documents() {
        assert_eq!(index.doc_key(DocId::new(document)).get(), 100 + u64::from(document));
    }
    let mut ghost = index.term("ghost")?.map(|entry| index.cursor(&entry));
    assert!(ghost.as_mut().is_none_or(|cursor| cursor.doc() == DocId::END));
    assert!(index.is_dead(DocId::new(150)) && !index.is_dead(DocId::new(149)));
    assert_eq!(index.source_stamp(), "test");
    Ok(())
}

/// Two segments; the first has a list of two blocks, the second a document that is dead.
fn build(dir: &Path, pages: &[Page]) {
    let (first, second) = pages.split_at(130);
    let second = [second, &[(String::new(), "ghost".to_owned())]].concat();
    build_segments(dir, &[first, &second], 1 << 20);
    assert_eq!(index::bury(dir, &[PageKey::new(250)], "test").unwrap(), 1);
}

/// The files of both segments, what is dead, then the manifest.
fn files(dir: &Path) -> Vec<PathBuf> {
    let names = ["terms", "blocks", "postings", "positions", "skips", "keys", "lengths", "filter"];
    let folders = ["segment-1", "segment-2"];
    let mut files: Vec<PathBuf> =
        folders.iter().flat_map(|folder| names.map(|name| dir.join(folder).join(name))).collect();
    files.extend([dir.join("segment-2/dead-1"), dir.join("manifest.json")]);
    files
}

fn assert_names_file_and_way_out(error: &Error, dir: &Path) {
    let text = error.to_string();
    assert!(text.contains(&*dir.to_string_lossy()), "{text}");
    let way_out = error.hint().unwrap_or_default();
    assert!(["crivello index", "crivello build"].iter().any(|command| way_out.contains(command)), "{text}");
}

#[test]
fn a_check_passes_what_was_built_and_finds_every_flipped_byte() {
    let folder = tempfile::tempdir().unwrap();
    let pages = some_pages();
    build(folder.path(), &pages);
    let found = Index::open(folder.path()).unwrap().check().unwrap();
    let model = model(&pages);
    assert_eq!((found.segments, found.documents), (2, 1 + pages.len() as u64));
    assert_eq!(found.postings, 1 + model.values().map(|postings| postings.len() as u64).sum::<u64>());
    for path in files(folder.path()).into_iter().filter(|path| !path.ends_with("manifest.json")) {
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            std::fs::write(&path, changed).unwrap();
            let error = Index::open(folder.path()).and_then(|index| index.check()).unwrap_err();
            assert_names_file_and_way_out(&error, folder.path());
        }
        std::fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_check_passes_segments_that_were_merged_without_their_dead() {
    let folder = tempfile::tempdir().unwrap();
    let pages = some_pages();
    let parts: Vec<&[Page]> = pages.chunks(15).collect();
    build_segments(folder.path(), &parts, 1 << 20);
    let dead: Vec<PageKey> = (100..180).step_by(3).map(PageKey::new).collect();
    index::bury(folder.path(), &dead, "test").unwrap();
    Index::open(folder.path()).unwrap().check().unwrap();
    let report = index::merge_tiers(folder.path()).unwrap();
    assert!(report.merges > 0);
    let found = Index::open(folder.path()).unwrap().check().unwrap();
    assert_eq!(found.documents, report.index.documents);
}

#[test]
fn a_flipped_byte_is_noticed_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let pages = some_pages();
    build(folder.path(), &pages);
    let model = model(&pages);
    open_and_compare(folder.path(), &model).unwrap();
    let mut noticed = 0;
    for path in files(folder.path()) {
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            // Each position gets one of eight flips; 0xff and single bits both occur many times over.
            bad[at] ^= [0xff, 1, 2, 4, 8, 16, 32, 128][at % 8];
            std::fs::write(&path, &bad).unwrap();
            if let Err(error) = open_and_compare(folder.path(), &model) {
                assert_names_file_and_way_out(&error, folder.path());
                noticed += 1;
            }
        }
        std::fs::write(&path, &good).unwrap();
    }
    assert!(noticed > 1000, "only {noticed} flips were noticed");
    open_and_compare(folder.path(), &model).unwrap();
}

#[test]
fn a_truncated_or_lengthened_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let pages = some_pages();
    build(folder.path(), &pages);
    let model = model(&pages);
    for path in files(folder.path()) {
        let good = std::fs::read(&path).unwrap();
        let lengths = (0..good.len()).step_by(7).chain([63, 64, 65, good.len() - 1]);
        for length in lengths.filter(|&length| length < good.len()) {
            std::fs::write(&path, &good[..length]).unwrap();
            let error = open_and_compare(folder.path(), &model).expect_err("bytes are missing");
            assert_names_file_and_way_out(&error, folder.path());
        }
        std::fs::write(&path, [&good[..], b"x"].concat()).unwrap();
        assert!(open_and_compare(folder.path(), &model).is_err(), "{}", path.display());
        std::fs::write(&path, &good).unwrap();
    }
}

#[test]
fn a_file_of_another_index_is_noticed() {
    let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    build(ours.path(), &some_pages());
    let mut other = some_pages();
    other.reverse();
    build(theirs.path(), &other);
    for (our, their) in files(ours.path()).iter().zip(files(theirs.path())).take(16) {
        let good = std::fs::read(our).unwrap();
        std::fs::copy(&their, our).unwrap();
        if std::fs::read(our).unwrap() != good {
            let error = Index::open(ours.path()).unwrap_err();
            let is_told =
                matches!(error, Error::Damaged { .. } | Error::File(journal::Error::Damaged { .. }));
            assert!(is_told, "{}: {error}", our.display());
        }
        std::fs::write(our, "GIF89a and then something that is long enough to be a header of some file")
            .unwrap();
        assert!(
            matches!(Index::open(ours.path()), Err(Error::File(journal::Error::Foreign { .. }))),
            "{}",
            our.display()
        );
        std::fs::write(our, good).unwrap();
    }
    open_and_compare(ours.path(), &model(&some_pages())).unwrap();
}

#[test]
fn a_missing_file_or_index_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = Index::open(folder.path()).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }));
    assert!(matches!(Index::open(&folder.path().join("absent")), Err(Error::Missing { .. })));
    build(folder.path(), &some_pages());
    for path in files(folder.path()) {
        let good = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_names_file_and_way_out(&Index::open(folder.path()).unwrap_err(), folder.path());
        std::fs::write(&path, good).unwrap();
    }
}

#[test]
fn a_newer_format_is_told_from_damage() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &some_pages());
    let path = folder.path().join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        text.replace(&format!("\"version\": {}", index::FORMAT_VERSION), "\"version\": 99"),
    )
    .unwrap();
    let error = Index::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("written by format 99, this build reads"), "{error}");
    std::fs::write(&path, text.replace("\"analysis_version\": 2", "\"analysis_version\": 0")).unwrap();
    let error = Index::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("made with version 0 of the analysis"), "{error}");
    assert!(error.hint().is_some());
}
