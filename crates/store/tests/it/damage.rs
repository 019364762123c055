//! A changed byte is noticed: an error that names the file, never a panic, and never a silently shorter store.

use std::fs;

use store::{Error, StoreWriter, WARC_BYTES_MAX};

use crate::disk::{Files, Folder};
use crate::sample::{Rng, SORTS, Sample, sample};

/// One page of each sort.
fn small_store() -> (Folder, Vec<Sample>, Files) {
    let mut rng = Rng(3);
    let samples: Vec<Sample> =
        SORTS.iter().enumerate().map(|(number, sort)| sample(*sort, number as u64, &mut rng)).collect();
    let folder = Folder::new();
    folder.write(&samples, WARC_BYTES_MAX, || false);
    let files = Files::read(&folder);
    (folder, samples, files)
}

/// Reads everything, as an export would.
fn read_all(folder: &Folder) -> Result<(), Error> {
    let reader = folder.reader();
    let (mut pages, mut links) = (reader.pages()?, reader.links()?);
    while let Some((_, record)) = pages.next()? {
        reader.read(&record)?;
        links.of(&record)?;
    }
    Ok(())
}

fn assert_names(error: &Error, file: &str) {
    assert!(error.to_string().contains(file), "`{error}` does not name {file}");
}

#[test]
fn a_flipped_byte_anywhere_in_the_table_is_an_error_that_names_it() {
    let (folder, samples, files) = small_store();
    for position in 0..files.table.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = files.table.clone();
            damaged[position] ^= flip;
            fs::write(folder.table(), &damaged).unwrap();
            // The header ends in four bytes that mean nothing.
            if (12..16).contains(&position) {
                folder.assert_holds(&samples);
                continue;
            }
            let error = read_all(&folder).expect_err("readers notice");
            assert_names(&error, "pages.tbl");
            let error = StoreWriter::open(&folder.collection()).expect_err("the writer notices");
            assert_names(&error, "pages.tbl");
            assert_eq!(fs::read(folder.table()).unwrap(), damaged, "a damaged table is left as it is");
        }
    }
    assert_eq!(Files::read(&folder).lengths(), files.lengths(), "and so are the other files");
}

#[test]
fn a_flipped_byte_in_the_links_is_an_error_that_names_them() {
    let (folder, _, files) = small_store();
    for position in (0..files.links.len()).filter(|position| !(12..16).contains(position)) {
        let mut damaged = files.links.clone();
        damaged[position] ^= 0x10;
        fs::write(folder.links(), &damaged).unwrap();
        assert_names(&read_all(&folder).expect_err("readers notice"), "links.log");
    }
}

#[test]
fn a_flipped_byte_in_a_warc_file_is_an_error_that_names_it_or_changes_nothing() {
    let (folder, samples, files) = small_store();
    let mut noticed = 0;
    for position in 0..files.warc[0].len() {
        let mut damaged = files.warc[0].clone();
        damaged[position] ^= 0x04;
        fs::write(folder.warc(0), &damaged).unwrap();
        match read_all(&folder) {
            Err(error) => {
                assert_names(&error, "crivello-00000.warc.gz");
                noticed += 1;
            }
            // It is in a request, in the file's own record, or in a field of gzip's header that nobody reads.
            Ok(()) => folder.assert_holds(&samples),
        }
    }
    assert!(noticed > files.warc[0].len() / 3, "only {noticed} of {} were noticed", files.warc[0].len());
}

#[test]
fn files_of_another_kind_or_version_are_refused_by_name() {
    let (folder, _, files) = small_store();
    let mut newer = files.table.clone();
    newer[8] = 3;
    for (content, says) in [(newer, "format 3"), (b"%PDF-1.7 and so on".to_vec(), "not a file of this kind")]
    {
        fs::write(folder.table(), content).unwrap();
        for error in [
            read_all(&folder).expect_err("readers refuse"),
            StoreWriter::open(&folder.collection()).expect_err("the writer refuses"),
        ] {
            assert_names(&error, "pages.tbl");
            assert!(error.to_string().contains(says), "`{error}` does not say {says}");
        }
    }
}
