//! The envelope in which every binary file of an index lies: it tells damaged, truncated and foreign bytes from ours.
//!
//! ```text
//!  0  magic           8 bytes  "CRIVIDX\n"
//!  8  kind            4 bytes  which file this is: "term", "blck", "post", …
//! 12  version         u32      FORMAT_VERSION
//! 16  payload length  u64      n
//! 24  table checksum  u64      xxh3-64 of the table
//! 32  zero            24 bytes
//! 56  header checksum u64      xxh3-64 of bytes 0 to 56
//! 64  payload         n bytes
//!     table           u64 for each started 64 KiB of the payload: its xxh3-64
//! ```
//!
//! All numbers are little-endian. The manifest keeps the header checksum of each file, the header that of the table,
//! the table those of the blocks: a tree of checksums, so that a file of another index is recognised as well.
//!
//! Cost: opening verifies header and table, 8 bytes per 64 KiB. A block is verified when it is first read (about 5 µs)
//! and a bit remembers it, so reading a list again costs one load per 64 KiB. The length is compared before mapping:
//! a map that reached beyond the end of its file would kill the process.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

/// The version of all files of an index; they are always written together.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"CRIVIDX\n";
const HEADER_BYTES: usize = 64;
const BLOCK_BYTES: usize = 64 << 10;

/// Which of the files of an index this is.
pub(crate) type Kind = [u8; 4];

/// Writes an envelope; the payload is streamed through [`Write`].
pub(crate) struct EnvelopeWriter {
    path: PathBuf,
    kind: Kind,
    file: BufWriter<File>,
    block: Vec<u8>,
    table: Vec<u8>,
    payload_bytes: u64,
}

impl EnvelopeWriter {
    pub(crate) fn create(path: &Path, kind: Kind) -> Result<Self, Error> {
        let file = File::create(path).map_err(Error::io("create", path))?;
        let mut file = BufWriter::new(file);
        file.write_all(&[0; HEADER_BYTES]).map_err(Error::io("write", path))?;
        let block = Vec::with_capacity(BLOCK_BYTES);
        Ok(Self { path: path.to_owned(), kind, file, block, table: Vec::new(), payload_bytes: 0 })
    }

    pub(crate) fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Seals and syncs the file. Returns its size and its header checksum.
    pub(crate) fn finish(mut self) -> Result<(u64, u64), Error> {
        let path = std::mem::take(&mut self.path);
        self.seal().map_err(Error::io("write", &path))
    }

    fn seal(&mut self) -> io::Result<(u64, u64)> {
        if !self.block.is_empty() {
            self.write_block()?;
        }
        self.file.write_all(&self.table)?;
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&self.kind);
        header[12..16].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        header[16..24].copy_from_slice(&self.payload_bytes.to_le_bytes());
        header[24..32].copy_from_slice(&xxh3_64(&self.table).to_le_bytes());
        let checksum = xxh3_64(&header[..56]);
        header[56..].copy_from_slice(&checksum.to_le_bytes());
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok((HEADER_BYTES as u64 + self.payload_bytes + self.table.len() as u64, checksum))
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.table.extend_from_slice(&xxh3_64(&self.block).to_le_bytes());
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

impl Write for EnvelopeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        self.payload_bytes += taken as u64;
        if self.block.len() == BLOCK_BYTES {
            self.write_block()?;
        }
        Ok(taken)
    }

    /// Does nothing: a block leaves when it is full, so that its checksum covers all of it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads an envelope through a memory map.
#[derive(Debug)]
pub(crate) struct EnvelopeReader {
    path: PathBuf,
    map: Mmap,
    payload_bytes: usize,
    verified: Vec<AtomicU64>,
}

impl EnvelopeReader {
    pub(crate) fn open(path: &Path, kind: Kind, header_checksum: u64) -> Result<Self, Error> {
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::damaged(path, "it is missing"));
            }
            file => file.map_err(Error::io("open", path))?,
        };
        let file_bytes = file.metadata().map_err(Error::io("read the size of", path))?.len();
        if file_bytes < HEADER_BYTES as u64 {
            return Err(Error::damaged(path, format!("it has {file_bytes} bytes, less than a header")));
        }
        // SAFETY: nobody changes a committed file: a build writes a new folder and deletes the old one, which leaves
        // mapped pages alone. The alternative, reading lists into memory, copies every list of every query.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io("map", path))?;
        let payload_bytes = check_header(path, &map, kind, header_checksum)?;
        let block_count = payload_bytes.div_ceil(BLOCK_BYTES);
        let verified = (0..block_count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { path: path.to_owned(), map, payload_bytes, verified })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn payload_bytes(&self) -> u64 {
        self.payload_bytes as u64
    }

    /// The bytes of `range`, verified.
    pub(crate) fn bytes(&self, range: Range<u64>) -> Result<&[u8], Error> {
        if range.start > range.end || range.end > self.payload_bytes as u64 {
            return Err(Error::damaged(&self.path, format!("bytes {range:?} lie outside of it")));
        }
        let (start, end) = (range.start as usize, range.end as usize);
        for block in start / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES) {
            self.verify(block)?;
        }
        Ok(&self.map[HEADER_BYTES + start..HEADER_BYTES + end])
    }

    /// The whole payload, verified.
    pub(crate) fn all_bytes(&self) -> Result<&[u8], Error> {
        self.bytes(0..self.payload_bytes())
    }

    /// What `bytes` has verified before, without looking again.
    pub(crate) fn verified_bytes(&self, range: Range<u64>) -> &[u8] {
        let payload = &self.map[HEADER_BYTES..HEADER_BYTES + self.payload_bytes];
        payload.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    fn verify(&self, block: usize) -> Result<(), Error> {
        let (word, bit) = (&self.verified[block / 64], 1u64 << (block % 64));
        // Relaxed is enough: the bytes never change, and two threads that verify one block agree.
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = HEADER_BYTES + block * BLOCK_BYTES;
        let end = HEADER_BYTES + self.payload_bytes.min((block + 1) * BLOCK_BYTES);
        let entry = HEADER_BYTES + self.payload_bytes + 8 * block;
        if xxh3_64(&self.map[start..end]) != u64_at(&self.map, entry) {
            return Err(Error::damaged(&self.path, format!("block {block} does not have its checksum")));
        }
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}

/// Verifies everything but the blocks; returns the length of the payload.
fn check_header(path: &Path, map: &[u8], kind: Kind, header_checksum: u64) -> Result<usize, Error> {
    if &map[..8] != MAGIC {
        return Err(Error::Foreign { path: path.to_owned() });
    }
    if xxh3_64(&map[..56]) != u64_at(map, 56) {
        return Err(Error::damaged(path, "its header does not have its checksum"));
    }
    let found = u32::from_le_bytes(map[12..16].try_into().expect("four bytes"));
    if found != FORMAT_VERSION {
        return Err(Error::Version { path: path.to_owned(), found, readable: FORMAT_VERSION });
    }
    if map[8..12] != kind || u64_at(map, 56) != header_checksum {
        return Err(Error::damaged(path, "it belongs to another index or another build of it"));
    }
    let payload_bytes = u64_at(map, 16);
    let table_bytes = payload_bytes.div_ceil(BLOCK_BYTES as u64).saturating_mul(8);
    let expected = payload_bytes.saturating_add(table_bytes).saturating_add(HEADER_BYTES as u64);
    if expected != map.len() as u64 {
        return Err(Error::damaged(path, format!("it has {} bytes instead of {expected}", map.len())));
    }
    if xxh3_64(&map[HEADER_BYTES + payload_bytes as usize..]) != u64_at(map, 24) {
        return Err(Error::damaged(path, "its table of checksums does not have its checksum"));
    }
    Ok(payload_bytes as usize)
}

/// The number at byte `at`; the caller knows that it is there.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The number at byte `at`; the caller knows that it is there.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}
