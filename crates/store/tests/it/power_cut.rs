//! After a power cut the order in which files were written can be lost: the table names bytes that never reached the
//! disk. Then the records at its end whose bytes are missing are dropped, and no others.

use std::fs;

use store::{Error, StoreWriter};

use crate::disk::{Files, History, Lengths};
use crate::sample::{Rng, samples};

/// How many records have all their bytes when the files are that long. Behind the first that has not, none counts.
fn records_with_bytes(history: &History, left: &Lengths) -> usize {
    let links_end = |offset: u64| {
        // A record's head starts with the length of its payload.
        let head: [u8; 4] = history.files.links[offset as usize..][..4].try_into().unwrap();
        offset + journal::RECORD_HEADER_BYTES + u64::from(u32::from_le_bytes(head))
    };
    let is_there = |record: &store::PageRecord| {
        let warc_length = |file: u32| left.warc.get(file as usize).copied().unwrap_or(0) as u64;
        record.warc.is_none_or(|place| place.end() <= warc_length(place.file))
            && record.links_offset.is_none_or(|offset| links_end(offset) <= left.links as u64)
    };
    let within = history.records_within(left.table);
    history.records[..within].iter().take_while(|(record, _)| is_there(record)).count()
}

fn assert_drops_what_is_missing(history: &History, left: &Lengths, warc_bytes_max: u64) {
    let folder = history.files.cut(left);
    let recovery = folder.write(&[], warc_bytes_max, || false);
    let (kept, in_table) = (records_with_bytes(history, left), history.records_within(left.table));
    assert_eq!((recovery.record_count, recovery.dropped_records), (kept as u64, (in_table - kept) as u64));
    folder.assert_holds(&history.samples[..kept]);
    folder.assert_ends_are_clean();
    let mut expected = history.samples[..kept].to_vec();
    let more = samples(left.table as u64, 3);
    folder.write(&more, warc_bytes_max, || true);
    expected.extend(more);
    folder.assert_holds(&expected);
    folder.assert_ends_are_clean();
}

#[test]
fn records_whose_warc_bytes_were_lost_are_dropped() {
    for (seed, warc_bytes_max) in [(1, store::WARC_BYTES_MAX), (2, store::WARC_BYTES_MAX), (3, 4000)] {
        let history = History::write(seed, 25, warc_bytes_max);
        let all = history.files.lengths();
        let mut rng = Rng(seed);
        for _ in 0..40 {
            // Only the last file can have lost anything: the ones before it were synced when it was begun.
            let mut left = all.clone();
            let last = left.warc.last_mut().unwrap();
            *last = rng.below(*last + 1);
            println!("seed {seed}: {left:?}");
            assert_drops_what_is_missing(&history, &left, warc_bytes_max);
        }
    }
}

#[test]
fn records_whose_links_were_lost_are_dropped() {
    let history = History::write(5, 25, store::WARC_BYTES_MAX);
    let all = history.files.lengths();
    let mut rng = Rng(5);
    for _ in 0..40 {
        let links =
            journal::HEADER_BYTES as usize + rng.below(all.links - journal::HEADER_BYTES as usize + 1);
        let left = Lengths { links, ..all.clone() };
        println!("{left:?}");
        assert_drops_what_is_missing(&history, &left, store::WARC_BYTES_MAX);
    }
}

#[test]
fn a_warc_file_that_is_missing_in_the_middle_is_an_error_and_nothing_is_removed() {
    let history = History::write(6, 25, 4000);
    let folder = history.files.cut(&history.files.lengths());
    assert!(history.files.warc.len() >= 4, "there is a middle");
    fs::remove_file(folder.warc(1)).unwrap();
    match StoreWriter::open_with(&folder.collection(), 4000) {
        Err(error) => assert!(error.to_string().contains("crivello-00001.warc.gz"), "{error}"),
        Ok((_, recovery)) => panic!("opened, and {} records were dropped", recovery.dropped_records),
    }
    fs::write(folder.warc(1), &history.files.warc[1]).unwrap();
    folder.assert_holds(&history.samples);
}

#[test]
fn a_table_that_vanished_is_an_error_and_nothing_is_removed() {
    let history = History::write(7, 25, 4000);
    for table in [0, 15] {
        let left = Lengths { table, ..history.files.lengths() };
        let folder = history.files.cut(&left);
        let opened = StoreWriter::open_with(&folder.collection(), 4000);
        assert!(matches!(&opened, Err(Error::Journal(_))), "{:?}", opened.map(|(_, recovery)| recovery));
        assert_eq!(Files::read(&folder).lengths(), left, "nothing was touched");
    }
}

#[test]
fn losing_what_was_synced_is_an_error_and_nothing_is_removed() {
    for lost in ["links.log", "pages.tbl"] {
        let folder = crate::disk::Folder::new();
        let collection = store::Collection::open_or_create(&folder.path, crate::disk::NOW).unwrap();
        let (mut writer, _) = store::StoreWriter::open(&collection).unwrap();
        let mut builder = store::WarcRecordBuilder::new(6);
        for sample in crate::sample::samples(7, 12) {
            writer.append(sample.new_page(&mut builder), crate::disk::NOW).unwrap();
        }
        writer.flush_for_sync().unwrap().sync().unwrap();
        drop(writer);
        let warc = folder.path.join("store/warc/crivello-00000.warc.gz");
        let archive = std::fs::read(&warc).unwrap();
        let path = folder.path.join("store").join(lost);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(store::StoreWriter::open(&collection).is_err(), "{lost}");
        assert_eq!(std::fs::read(&warc).unwrap(), archive, "{lost}");
    }
}
