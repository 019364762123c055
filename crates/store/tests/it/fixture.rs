//! A store written by an earlier version of the format stays readable, or is refused by name: never misread.
//!
//! `fixtures/store-v1` to `store-v3` were written by `the_fixture_is_written_only_on_request`, at their time: the first
//! with version 1 of the table and of the links, then with version 2 of the table, then with version 2 of both.

use std::fs;
use std::path::{Path, PathBuf};

use page::{CopyKind, CopyOf, RecordNumber, Timestamp};
use store::{Collection, Digest, RecordKind, StoreReader, StoreWriter, WARC_BYTES_MAX};

use crate::disk::Folder;
use crate::sample::{Rng, SORTS, Sample, sample};

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/store-v{version}"))
}

fn fixture_samples() -> Vec<Sample> {
    let mut rng = Rng(1);
    SORTS.iter().enumerate().map(|(number, sort)| sample(*sort, number as u64, &mut rng)).collect()
}

fn fixture_samples_2() -> Vec<Sample> {
    fixture_samples().into_iter().enumerate().map(|(number, sample)| sample.printed(number as u64)).collect()
}

fn fixture_samples_3() -> Vec<Sample> {
    fixture_samples_2().into_iter().map(Sample::with_navigation).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn version_1_reads_as_it_was_written() {
    let collection = Collection::open(&fixture(1)).unwrap();
    assert_eq!(collection.manifest().version, 1);
    let reader = StoreReader::open(&collection).unwrap();
    let (mut scan, mut links) = (reader.pages().unwrap(), reader.links().unwrap());
    let mut pages = Vec::new();
    while let Some((_, page)) = scan.next().unwrap() {
        pages.push(page);
    }
    // In words that do not come from the code that wrote it.
    let told: Vec<_> = pages.iter().map(|page| (page.url.as_str(), page.kind, page.status)).collect();
    assert_eq!(
        told,
        [
            ("http://a.test/Plain/0", RecordKind::Fetched, 200),
            ("http://a.test/Chunked/1", RecordKind::Fetched, 200),
            ("http://a.test/Gzip/2", RecordKind::Fetched, 200),
            ("http://a.test/Truncated/3", RecordKind::Fetched, 200),
            ("http://a.test/Redirect/4", RecordKind::Fetched, 301),
            ("http://a.test/Missing/5", RecordKind::Fetched, 404),
            ("http://a.test/Robots/6", RecordKind::Robots, 200),
            ("http://a.test/Failed/7", RecordKind::Failed, 0),
            ("http://a.test/Forbidden/8", RecordKind::Forbidden, 0),
            ("http://a.test/Imported/9", RecordKind::Imported, 200),
        ]
    );
    assert_eq!(pages[2].at, Timestamp(1_700_000_002_000));
    assert_eq!((pages[2].ordinal, pages[6].ordinal, pages[2].depth), (Some(page::Ordinal::new(2)), None, 3));
    assert!(pages[3].flags.truncated && pages[7].flags.noindex && !pages[1].flags.noindex);
    assert_eq!(pages[7].failure, Some(page::FetchFailure::TimedOut));
    assert_eq!(pages[9].content_type, "text/plain; charset=utf-8");
    assert_eq!(pages[4].digest, Digest::of(&[b""]));
    let redirect = reader.read(&pages[4]).unwrap().unwrap();
    assert!(redirect.is_http() && redirect.block().starts_with(b"HTTP/1.1 301 Moved Permanently\r\n"));
    assert_eq!(redirect.head.header("WARC-Target-URI"), Some("http://a.test/Redirect/4"));
    assert!(!reader.read(&pages[9]).unwrap().unwrap().is_http());
    assert!(pages.iter().any(|page| !links.of(page).unwrap().is_empty()));
    assert!(pages.iter().all(|page| page.print.is_none() && page.copy_of.is_none()));
}

#[test]
fn version_2_has_prints_and_copies() {
    let collection = Collection::open(&fixture(2)).unwrap();
    let mut scan = StoreReader::open(&collection).unwrap().pages().unwrap();
    let mut told = Vec::new();
    while let Some((_, page)) = scan.next().unwrap() {
        let near = |print: page::TextPrint| print.near.map(|near| (near.simhash, near.check));
        told.push((page.print.map(|print| (print.digest, near(print))), page.copy_of));
    }
    let near = Some(CopyOf { kind: CopyKind::Near, original: RecordNumber::new(16) });
    let exact = Some(CopyOf { kind: CopyKind::Exact, original: RecordNumber::new(22) });
    let none = (None, None);
    assert_eq!(
        told,
        [
            (Some((5, Some((0, 7)))), near),
            none,
            none,
            (Some((3 << 100 | 5, None)), None),
            none,
            none,
            (Some((6 << 100 | 5, Some((6 << 32, 6 << 40 | 7)))), exact),
            none,
            none,
            (Some((9 << 100 | 5, None)), None),
        ]
    );
}

#[test]
fn version_3_knows_which_links_are_navigation() {
    for (version, navigation_of_each_page) in
        [(1, [0; 10]), (2, [0; 10]), (3, [3, 3, 0, 0, 2, 0, 0, 0, 0, 0])]
    {
        let collection = Collection::open(&fixture(version)).unwrap();
        let reader = StoreReader::open(&collection).unwrap();
        let (mut scan, mut links) = (reader.pages().unwrap(), reader.links().unwrap());
        let mut told = Vec::new();
        while let Some((_, page)) = scan.next().unwrap() {
            let links = links.of(&page).unwrap();
            told.push(links.iter().filter(|link| link.in_navigation).count());
        }
        assert_eq!(told, navigation_of_each_page, "version {version}");
    }
}

#[test]
fn earlier_versions_are_gone_on_with() {
    for (version, mut expected) in
        [(1, fixture_samples()), (2, fixture_samples_2()), (3, fixture_samples_3())]
    {
        let folder = Folder::new();
        copy(&fixture(version), &folder.path);
        folder.assert_holds(&expected);
        folder.assert_ends_are_clean();
        let more = crate::sample::samples(2, 3);
        let recovery = folder.write(&more, WARC_BYTES_MAX, || false);
        assert_eq!((recovery.record_count, recovery.dropped_records), (10, 0));
        expected.extend(more);
        folder.assert_holds(&expected);
        // From here on an earlier build refuses it.
        for file in [folder.table(), folder.links()] {
            assert_eq!(fs::read(file).unwrap()[8..12], [2, 0, 0, 0]);
        }
    }
}

/// With `CRIVELLO_BLESS=1` the fixture is written anew, which is right only for a new version of the format.
#[test]
fn the_fixture_is_written_only_on_request() {
    if std::env::var_os("CRIVELLO_BLESS").is_none() {
        return;
    }
    let collection = Collection::open_or_create(&fixture(3), crate::disk::NOW).unwrap();
    let (mut writer, _) = StoreWriter::open(&collection).unwrap();
    let mut builder = store::WarcRecordBuilder::new(6);
    for sample in fixture_samples_3() {
        writer.append(sample.new_page(&mut builder), crate::disk::NOW).unwrap();
    }
    writer.flush().unwrap();
}
