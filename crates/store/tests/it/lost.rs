//! A page table that ends before what was certainly written is told by everybody who looks, and a crawl that is still
//! writing is not mistaken for one.

use std::fs;

use store::{Collection, Error, StoreReader, StoreWriter, WarcRecordBuilder};

use crate::disk::{Folder, NOW};
use crate::sample::samples;

/// Eight records that are on the disk, and four more that a writer has only handed to the system.
fn half_synced() -> (Folder, usize) {
    let folder = Folder::new();
    let (mut writer, _) = StoreWriter::open(&folder.collection()).unwrap();
    let mut builder = WarcRecordBuilder::new(6);
    let mut safe_bytes = 0;
    for (number, sample) in samples(7, 12).into_iter().enumerate() {
        writer.append(sample.new_page(&mut builder), NOW).unwrap();
        if number == 7 {
            writer.flush_for_sync().unwrap().sync().unwrap();
            safe_bytes = fs::metadata(folder.table()).unwrap().len() as usize;
        }
    }
    writer.flush().unwrap();
    (folder, safe_bytes)
}

/// How many records a reader finds.
fn count(folder: &Folder) -> Result<u64, Error> {
    let mut pages = StoreReader::open(&Collection::open(&folder.path)?)?.pages()?;
    let mut count = 0;
    while pages.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

#[test]
fn a_table_cut_anywhere_is_refused_if_it_lost_what_was_safe_and_read_if_not() {
    let (folder, safe_bytes) = half_synced();
    let table = fs::read(folder.table()).unwrap();
    let mut found_before = 0;
    for length in 0..=table.len() {
        fs::write(folder.table(), &table[..length]).unwrap();
        if length < safe_bytes {
            let error = Collection::open(&folder.path).expect_err("it is told when the collection is opened");
            assert!(matches!(error, Error::Lost { safe: 8, found: 0..8, .. }), "{error}");
            assert!(error.to_string().contains("pages.tbl") && error.hint().is_some(), "{error}");
        } else {
            let found = count(&folder).unwrap();
            assert!(found >= 8.max(found_before), "{found} of {length} bytes");
            found_before = found;
        }
    }
    assert_eq!(found_before, 12);
}

#[test]
fn a_table_whose_end_was_zeroed_or_that_is_gone_is_refused_at_its_end() {
    let (folder, safe_bytes) = half_synced();
    let mut table = fs::read(folder.table()).unwrap();
    table[safe_bytes - 40..].fill(0);
    for rest in [safe_bytes, table.len()] {
        fs::write(folder.table(), &table[..rest]).unwrap();
        let result = count(&folder);
        assert!(result.is_err(), "{rest}: {result:?}");
    }
    fs::remove_file(folder.table()).unwrap();
    assert!(matches!(count(&folder), Err(Error::Lost { safe: 8, found: 0, .. })));
}

#[test]
fn the_number_alone_as_earlier_versions_wrote_it_is_understood() {
    let (folder, safe_bytes) = half_synced();
    let safe = folder.store().join("safe");
    assert_eq!(fs::read_to_string(&safe).unwrap(), format!("8 {safe_bytes}"));
    fs::write(&safe, "8").unwrap();
    assert_eq!(count(&folder).unwrap(), 12);
    let table = fs::read(folder.table()).unwrap();
    fs::write(folder.table(), &table[..safe_bytes - 1]).unwrap();
    assert!(matches!(count(&folder), Err(Error::Lost { safe: 8, found: 7, .. })));
    assert!(matches!(store::check_table(&folder.table()), Err(Error::Lost { .. })));
    fs::remove_file(&safe).unwrap();
    assert_eq!(count(&folder).unwrap(), 7, "whoever deletes the file goes on with what is left");
}
