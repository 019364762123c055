//! The envelope of every file of ours beside the BV files: it tells damaged, truncated and foreign bytes from ours.
//!
//! ```text
//!  0  magic            8 bytes  "CRIVGRA\n"
//!  8  kind             4 bytes  which file this is: "strt", "addr", "labl", …
//! 12  version          u32      FORMAT_VERSION
//! 16  payload length   u64      n
//! 24  payload checksum u64      xxh3-64
//! 32  payload          n bytes
//! ```
//!
//! All numbers are little-endian. Cost: opening reads the payload once to verify it, some 10 GB/s; then it is mapped.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::Error;
use crate::bytes::{Bytes, u32_at, u64_at};

/// The version of all files of a graph; they are always written together. Version 1 had other labels and words.
pub const FORMAT_VERSION: u32 = 2;

/// What every sealed file begins with.
pub const GRAPH_MAGIC: [u8; 8] = *b"CRIVGRA\n";
const HEADER_BYTES: usize = 32;

/// Which of the files of a graph this is.
pub(crate) type Kind = [u8; 4];

/// Writes a sealed file; the payload is streamed through [`Write`].
pub(crate) struct SealedWriter {
    path: PathBuf,
    kind: Kind,
    file: BufWriter<File>,
    checksum: Xxh3,
    payload_bytes: u64,
}

impl SealedWriter {
    pub(crate) fn create(path: &Path, kind: Kind) -> Result<Self, Error> {
        let mut file = BufWriter::new(File::create(path).map_err(Error::io("create", path))?);
        file.write_all(&[0; HEADER_BYTES]).map_err(Error::io("write", path))?;
        Ok(Self { path: path.to_owned(), kind, file, checksum: Xxh3::new(), payload_bytes: 0 })
    }

    /// Adds to the payload.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.checksum.update(bytes);
        self.payload_bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(Error::io("write", &self.path))
    }

    /// How long the payload is so far.
    pub(crate) fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// Seals and syncs the file; returns its length.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        let path = std::mem::take(&mut self.path);
        self.seal().map_err(Error::io("write", &path))
    }

    fn seal(&mut self) -> io::Result<u64> {
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&GRAPH_MAGIC);
        header[8..12].copy_from_slice(&self.kind);
        header[12..16].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        header[16..24].copy_from_slice(&self.payload_bytes.to_le_bytes());
        header[24..32].copy_from_slice(&self.checksum.digest().to_le_bytes());
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok(HEADER_BYTES as u64 + self.payload_bytes)
    }
}

/// Writes a payload that is already there.
pub(crate) fn write_sealed(path: &Path, kind: Kind, payload: &[u8]) -> Result<u64, Error> {
    let mut writer = SealedWriter::create(path, kind)?;
    writer.put(payload)?;
    writer.finish()
}

/// What a sealed file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedFile {
    /// Which of the files of a graph it is.
    pub kind: [u8; 4],
    /// The version of its format.
    pub version: u32,
    /// How long its payload is.
    pub payload_bytes: u64,
}

/// Reads a sealed file of any kind and compares its checksum.
pub fn check_sealed(path: &Path) -> Result<SealedFile, Error> {
    let file = Bytes::map(path)?;
    let kind = file.get(8..12).and_then(|kind| kind.try_into().ok()).unwrap_or_default();
    let payload = open_sealed(path, kind)?;
    Ok(SealedFile { kind, version: FORMAT_VERSION, payload_bytes: payload.len() as u64 })
}

/// Maps a sealed file and returns its payload, verified.
pub(crate) fn open_sealed(path: &Path, kind: Kind) -> Result<Bytes, Error> {
    let file = Bytes::map(path)?;
    if file.len() < HEADER_BYTES || file[..8] != GRAPH_MAGIC || file[8..12] != kind {
        let expected = "a file of a Crivello graph, or not the right one";
        return Err(Error::Foreign { path: path.to_owned(), expected });
    }
    let found = u32_at(&file, 12);
    if found != FORMAT_VERSION {
        return Err(Error::Version { path: path.to_owned(), found, readable: FORMAT_VERSION });
    }
    let length = u64_at(&file, 16);
    if length != (file.len() - HEADER_BYTES) as u64 {
        let there = file.len() - HEADER_BYTES;
        return Err(Error::damaged(path, format!("it should hold {length} bytes and holds {there}")));
    }
    let payload = file.cut(HEADER_BYTES..file.len()).expect("the header is inside");
    if xxh3_64(&payload) != u64_at(&file, 24) {
        return Err(Error::damaged(path, "a checksum is wrong"));
    }
    Ok(payload)
}
