//! Removing answers from the archive: where one was there is a record that says so, and every other byte stays in its place.
//!
//! The table names records by where they begin and how long they are, and so does whoever has read it. So a record is
//! replaced by one of the same length: a gzip member like any other, with a WARC record of type `metadata`, filled up with
//! spaces that are not compressed. Nothing else in the store has to change, and other tools read the file as before.
//!
//! A WARC file is copied, changed in the copy, synced, and takes the place of the old one by a rename: after a kill at any
//! moment each file is the old one or the new one, and whoever repeats the request finds what is left to do, and removes a copy
//! that was left. What lies on the disk where the old file was is the system's business.
//!
//! Cost: a copy of each file that has such a record.

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::path::Path;

use fs_err as fs;
use page::Timestamp;
use serde::Serialize;

use crate::gzip::{decompress_member, stored_member};
use crate::warc_file::path_of;
use crate::{Collection, Error, WarcHead, WarcPlace, WarcRecordBuilder};

/// What removing came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Records that were removed now.
    pub records: u64,
    /// Records that had been removed before.
    pub already: u64,
    /// The bytes that they had in the archive.
    pub bytes: u64,
    /// WARC files that were written anew.
    pub files: u64,
}

/// The type of the record that stands where another one was.
const REMOVED: &str = "metadata";

/// How the copy of a file ends, until it takes its place.
const COPY: &str = "tmp";

/// What it says.
const REASON: &str = "removed: the answer that was kept here was removed on request\r\n";

/// No answer is larger.
const RECORD_BYTES_MAX: usize = 1 << 30;

/// Whether a record stands where another one was removed.
pub(crate) fn is_removed(head: &WarcHead) -> bool {
    head.header("warc-type") == Some(REMOVED)
}

/// Removes the answers at these places from the archive of a collection that may be written.
pub fn purge(collection: &Collection, places: &[WarcPlace], at: Timestamp) -> Result<Purged, Error> {
    assert!(collection.is_writable(), "the collection was opened to be read");
    let warc = collection.part("store")?.join("warc");
    if warc.is_dir() {
        remove_copies(&warc)?;
    }
    let (mut by_file, mut purged) = (BTreeMap::<u32, Vec<WarcPlace>>::new(), Purged::default());
    for place in places {
        by_file.entry(place.file).or_default().push(*place);
    }
    let mut builder = WarcRecordBuilder::new(1);
    for (number, places) in by_file {
        purge_file(&path_of(&warc, number), &places, at, &mut builder, &mut purged)?;
    }
    Ok(purged)
}

/// Removes the copies that killed processes have left.
fn remove_copies(warc: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(warc)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == COPY) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn purge_file(
    path: &Path,
    places: &[WarcPlace],
    at: Timestamp,
    builder: &mut WarcRecordBuilder,
    purged: &mut Purged,
) -> Result<(), Error> {
    let damaged =
        |place: &WarcPlace, what| Error::DamagedWarc { path: path.to_owned(), offset: place.offset, what };
    let old = fs::File::open(path)?;
    let mut replacements = Vec::new();
    for place in places {
        if place.bytes > RECORD_BYTES_MAX as u64 {
            return Err(damaged(place, "the record is longer than any that we write"));
        }
        let mut member = vec![0; place.bytes as usize];
        old.file()
            .read_exact_at(&mut member, place.offset)
            .map_err(|_| damaged(place, "the record is cut off"))?;
        // One that cannot be read any more is removed as well.
        let head = decompress_member(&member, RECORD_BYTES_MAX).as_deref().and_then(WarcHead::parse);
        if head.as_ref().is_some_and(is_removed) {
            purged.already += 1;
            continue;
        }
        let member = placeholder(builder, at, member.len());
        replacements
            .push((*place, member.ok_or_else(|| damaged(place, "the record is too short to be one"))?));
    }
    if replacements.is_empty() {
        return Ok(());
    }
    let copy = path.with_added_extension(COPY);
    fs::copy(path, &copy)?;
    let new = fs::OpenOptions::new().write(true).open(&copy)?;
    for (place, member) in &replacements {
        new.file().write_all_at(member, place.offset)?;
        purged.records += 1;
        purged.bytes += place.bytes;
    }
    new.sync_all()?;
    fs::rename(&copy, path)?;
    journal::sync_folder(path.parent().expect("the file is in a folder"))?;
    purged.files += 1;
    Ok(())
}

/// A gzip member of exactly so many bytes, with a record that says that something was here; `None` if that is too short.
fn placeholder(builder: &mut WarcRecordBuilder, at: Timestamp, bytes: usize) -> Option<Vec<u8>> {
    let mut filling = bytes;
    loop {
        let record = builder.removed(REMOVED, REASON, filling, at);
        let least = stored_member(&record, 0).len();
        match bytes.checked_sub(least) {
            Some(room) => return Some(stored_member(&record, room)),
            // By what is too much; the number of bytes and the heads of blocks become shorter with it.
            None => filling = filling.checked_sub(least - bytes)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_any_length_can_be_replaced_by_one_that_says_so() {
        let mut builder = WarcRecordBuilder::new(1);
        let lengths = (0..1200).chain([65_000, 65_535, 65_536, 65_540, 65_790, 131_070, 131_400, 1_000_003]);
        let mut shortest = usize::MAX;
        for bytes in lengths {
            let Some(member) = placeholder(&mut builder, Timestamp(7), bytes) else { continue };
            shortest = shortest.min(bytes);
            assert_eq!(member.len(), bytes);
            let record = decompress_member(&member, 1 << 21).unwrap();
            let head = WarcHead::parse(&record).unwrap();
            assert!(is_removed(&head) && record[head.block_start..].starts_with(REASON.as_bytes()));
            assert_eq!(record.len(), head.block_start + head.block_bytes + 4);
            // As others read it.
            let mut read = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&member[..]), &mut read).unwrap();
            assert_eq!(read, record);
        }
        assert!(shortest < 320, "{shortest}");
    }
}
