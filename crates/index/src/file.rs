//! The files of an index: sealed files ([`journal::SealedFile`]), of which the manifest keeps the identities, so that a
//! file of another index or of another build is recognised as well.

use std::path::Path;

use journal::{Format, Kind, SealedFile, SealedWriter};

use crate::Error;

/// The version of all files of an index; they are always written together.
pub const FORMAT_VERSION: u32 = 9;

/// What every file of an index begins with.
pub const INDEX_FORMAT: Format = Format { magic: *b"CRIVIDX\n", version: FORMAT_VERSION };

/// The binary files of a segment and their kinds, in the order in which the manifest lists their checksums.
pub(crate) const FILES: [(&str, Kind); 9] = [
    ("terms", *b"term"),
    ("blocks", *b"blck"),
    ("postings", *b"post"),
    ("positions", *b"posi"),
    ("skips", *b"skip"),
    ("keys", *b"keys"),
    ("lengths", *b"leng"),
    ("filter", *b"filt"),
    ("numbers", *b"numb"),
];

/// The kind of the file that says which documents of a segment are dead; it is not there in every segment.
pub(crate) const DEAD_KIND: Kind = *b"dead";

/// The kind of the file of prints; it is not there in every segment either.
pub(crate) const PRINTS_KIND: Kind = *b"prnt";

/// The kind of the file that leads from keys to documents; it is there where documents are in another order.
pub(crate) const PLACES_KIND: Kind = *b"plac";

/// The place of the keys among them.
pub(crate) const KEYS_FILE: usize = 5;

/// The place of the lengths among them.
pub(crate) const LENGTHS_FILE: usize = 6;

/// The place of the filter of terms among them.
pub(crate) const FILTER_FILE: usize = 7;

/// The place of the numbers of terms among them.
pub(crate) const NUMBERS_FILE: usize = 8;

pub(crate) fn create(path: &Path, kind: Kind) -> Result<SealedWriter, Error> {
    Ok(SealedWriter::create(path, INDEX_FORMAT, kind)?)
}

/// Opens the file that the manifest names by this identity.
pub(crate) fn open(path: &Path, kind: Kind, identity: u64) -> Result<SealedFile, Error> {
    let file = SealedFile::open(path, INDEX_FORMAT, kind)?;
    if file.identity() != identity {
        return Err(Error::damaged(path, "it belongs to another index or another build of it"));
    }
    Ok(file)
}

/// Opens a file of any index by itself and compares all its checksums.
pub fn check_file(path: &Path) -> Result<SealedFile, Error> {
    let file = SealedFile::open_any(path, INDEX_FORMAT)?;
    file.check()?;
    let kinds = FILES.iter().map(|(_, kind)| *kind).chain([DEAD_KIND, PRINTS_KIND, PLACES_KIND]);
    if !kinds.into_iter().any(|kind| kind == file.kind()) {
        return Err(Error::damaged(path, "no file of an index is of its kind"));
    }
    Ok(file)
}
