//! The files of a graph beside the BV files: sealed files ([`journal::SealedFile`]). They are verified whole when they are
//! opened, some 10 GB/s, and then mapped.

use std::path::Path;

use journal::{Bytes, Format, Kind, SealedFile, SealedWriter};

use crate::Error;

/// The version of all files of a graph; they are always written together. Version 1 had other labels and words, version 2
/// another header before each file, version 3 no function in the lists of addresses.
pub const FORMAT_VERSION: u32 = 4;

/// What every sealed file of a graph begins with.
pub const GRAPH_FORMAT: Format = Format { magic: *b"CRIVGRA\n", version: FORMAT_VERSION };

pub(crate) fn create_sealed(path: &Path, kind: Kind) -> Result<SealedWriter, Error> {
    Ok(SealedWriter::create(path, GRAPH_FORMAT, kind)?)
}

/// Writes a payload that is already there.
pub(crate) fn write_sealed(path: &Path, kind: Kind, payload: &[u8]) -> Result<(), Error> {
    journal::write_sealed(path, GRAPH_FORMAT, kind, payload)?;
    Ok(())
}

/// Maps a sealed file and returns its payload, verified.
pub(crate) fn open_sealed(path: &Path, kind: Kind) -> Result<Bytes, Error> {
    Ok(SealedFile::open(path, GRAPH_FORMAT, kind)?.into_payload()?)
}

/// Opens a sealed file of any kind by itself and compares all its checksums.
pub fn check_sealed(path: &Path) -> Result<SealedFile, Error> {
    let file = SealedFile::open_any(path, GRAPH_FORMAT)?;
    file.check()?;
    Ok(file)
}
