//! A run on disk, searched by one positioned read per table.
//!
//! ```text
//!  0    magic               8 bytes  "CRVHAMM1"
//!  8    version             u32      1
//! 12    fingerprint bits    u32      64 or 128
//! 16    distance            u32      k; there are k + 1 tables
//! 20    zero                u32
//! 24    entries             u64      n
//! 32    index checksum      u64      xxh3-64 of the index
//! 40    zero                16 bytes
//! 56    header checksum     u64      xxh3-64 of bytes 0 to 56
//! 64    zero                to 4096
//! 4096  pages of table 0, then of table 1, …
//!       index               for each page: key of its first entry (u32), xxh3-64 of the page (u64)
//!
//! page = fingerprint* id (u32)* zero* : 4096 bytes, 341 entries of 64 bits or 204 of 128, all but the last page full
//! ```
//!
//! Numbers are little-endian. The entries of a table are sorted by the key of its block (`shape.rs`). The index is read
//! and checked when the file is opened and then stays in memory: 12 bytes per page, 0.14 bytes per entry for k = 3. It
//! tells which pages can hold a key, and what their checksum is, so that each page is checked whenever it is read.
//!
//! A run that is asked for equal fingerprints alone (k = 0) has a filter of all of them in memory, 1.3 bytes per entry: most
//! questions are for what is not there, and end without a read. It is not in the file, as nobody but the maker opens it.
//!
//! The file is scratch: it is neither synced nor renamed, it means nothing to another process, and it is deleted with
//! the run. Whoever uses the index can fill it again.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

use filter::{BlockedBloomFilter, BlockedShape};
use fs_err as fs;
use fs_err::os::unix::fs::FileExt;
use xxhash_rust::xxh3::xxh3_64;

use super::kernel::Isa;
use super::run::Entries;
use super::shape::Shape;
use super::{Error, Fingerprint};

/// What the file of a run begins with.
pub const RUN_MAGIC: [u8; 8] = *b"CRVHAMM1";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 64;
const PAGE_BYTES: usize = 4096;
const INDEX_ENTRY_BYTES: usize = 12;
/// A search reads so many pages at once, at most, however many have the key.
const PAGES_AT_ONCE: usize = 16;
/// So many questions for what is not in a run are not answered by its filter.
const FILTER_RATE: f64 = 0.01;

/// How many entries a page has.
const fn page_entries<F: Fingerprint>() -> usize {
    PAGE_BYTES / (F::BYTES + size_of::<u32>())
}

/// Writes the tables one after the other, each in the order of its keys.
#[derive(Debug)]
pub(super) struct DiskRunWriter<F> {
    path: PathBuf,
    file: BufWriter<fs::File>,
    page: Entries<F>,
    first_key: u32,
    index: Vec<u8>,
    bytes: Vec<u8>,
    /// Of equal fingerprints.
    filter: Option<BlockedBloomFilter>,
}

impl<F: Fingerprint> DiskRunWriter<F> {
    /// Begins a run of `count` entries.
    pub(super) fn create(path: &Path, shape: &Shape, count: u64) -> Result<Self, Error> {
        let mut file = BufWriter::new(fs::File::create(path)?);
        file.write_all(&[0; PAGE_BYTES])?;
        let page = Entries { fingerprints: Vec::new(), ids: Vec::new() };
        let filter = (shape.distance == 0)
            .then(|| BlockedBloomFilter::new(BlockedShape::for_rate(count.max(1), FILTER_RATE)));
        let (index, bytes) = (Vec::new(), Vec::new());
        Ok(Self { path: path.to_owned(), file, page, first_key: 0, index, bytes, filter })
    }

    pub(super) fn push(&mut self, key: u32, fingerprint: F, id: u32) -> Result<(), Error> {
        if self.page.ids.is_empty() {
            self.first_key = key;
        }
        if let Some(filter) = &mut self.filter {
            filter.insert(fingerprint.hash());
        }
        self.page.fingerprints.push(fingerprint);
        self.page.ids.push(id);
        if self.page.ids.len() == page_entries::<F>() { self.end_page() } else { Ok(()) }
    }

    pub(super) fn end_table(&mut self) -> Result<(), Error> {
        if self.page.ids.is_empty() { Ok(()) } else { self.end_page() }
    }

    fn end_page(&mut self) -> Result<(), Error> {
        self.bytes.clear();
        for fingerprint in self.page.fingerprints.drain(..) {
            fingerprint.put(&mut self.bytes);
        }
        for id in self.page.ids.drain(..) {
            self.bytes.extend_from_slice(&id.to_le_bytes());
        }
        self.bytes.resize(PAGE_BYTES, 0);
        self.index.extend_from_slice(&self.first_key.to_le_bytes());
        self.index.extend_from_slice(&xxh3_64(&self.bytes).to_le_bytes());
        Ok(self.file.write_all(&self.bytes)?)
    }

    /// Seals the file and opens it for searching.
    pub(super) fn finish(mut self, shape: &Shape, count: u64) -> Result<DiskRun<F>, Error> {
        self.file.write_all(&self.index)?;
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&RUN_MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&F::BITS.to_le_bytes());
        header[16..20].copy_from_slice(&shape.distance.to_le_bytes());
        header[24..32].copy_from_slice(&count.to_le_bytes());
        header[32..40].copy_from_slice(&xxh3_64(&self.index).to_le_bytes());
        let checksum = xxh3_64(&header[..56]);
        header[56..].copy_from_slice(&checksum.to_le_bytes());
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        let mut run = DiskRun::open(&self.path, shape)?;
        run.filter = self.filter;
        Ok(run)
    }
}

/// A run on disk. Its file goes when it goes.
#[derive(Debug)]
pub(super) struct DiskRun<F> {
    path: PathBuf,
    file: fs::File,
    count: u64,
    pages_per_table: usize,
    /// Of each page of each table.
    first_keys: Vec<u32>,
    checksums: Vec<u64>,
    filter: Option<BlockedBloomFilter>,
    entries: PhantomData<F>,
}

impl<F: Fingerprint> DiskRun<F> {
    pub(super) fn open(path: &Path, shape: &Shape) -> Result<Self, Error> {
        let damaged = |offset, what| journal::Error::Damaged { path: path.to_owned(), offset, what };
        let file = fs::File::open(path)?;
        let file_bytes = file.metadata()?.len();
        if file_bytes < PAGE_BYTES as u64 {
            return Err(damaged(0, "it is shorter than its header").into());
        }
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)?;
        if header[..8] != RUN_MAGIC {
            return Err(journal::Error::Foreign { path: path.to_owned() }.into());
        }
        let (version, bits, distance) = (u32_at(&header, 8), u32_at(&header, 12), u32_at(&header, 16));
        if version != VERSION {
            let path = path.to_owned();
            return Err(journal::Error::Version { path, found: version, expected: VERSION }.into());
        }
        if u64_at(&header, 56) != xxh3_64(&header[..56]) {
            return Err(damaged(0, "the checksum of the header is wrong").into());
        }
        if (bits, distance) != (F::BITS, shape.distance) {
            return Err(damaged(12, "it is of another index").into());
        }
        let count = u64_at(&header, 24);
        let pages_per_table = count.div_ceil(page_entries::<F>() as u64);
        let pages = pages_per_table.checked_mul(shape.tables() as u64);
        let expected_bytes = pages
            .and_then(|pages| pages.checked_mul((PAGE_BYTES + INDEX_ENTRY_BYTES) as u64))
            .and_then(|bytes| bytes.checked_add(PAGE_BYTES as u64));
        let Some(pages) = pages.filter(|_| expected_bytes == Some(file_bytes)) else {
            return Err(damaged(24, "its length is wrong").into());
        };
        let index_start = PAGE_BYTES as u64 * (pages + 1);
        let mut index = vec![0; pages as usize * INDEX_ENTRY_BYTES];
        file.read_exact_at(&mut index, index_start)?;
        if xxh3_64(&index) != u64_at(&header, 32) {
            return Err(damaged(index_start, "the checksum of the index is wrong").into());
        }
        let entries = || index.chunks_exact(INDEX_ENTRY_BYTES);
        let first_keys: Vec<u32> = entries().map(|entry| u32_at(entry, 0)).collect();
        let pages_per_table = pages_per_table as usize;
        if !first_keys.chunks(pages_per_table.max(1)).all(<[u32]>::is_sorted) {
            return Err(damaged(index_start, "the index is not sorted").into());
        }
        let checksums = entries().map(|entry| u64_at(entry, 4)).collect();
        let path = path.to_owned();
        let filter = None;
        Ok(Self { path, file, count, pages_per_table, first_keys, checksums, filter, entries: PhantomData })
    }

    pub(super) fn len(&self) -> u64 {
        self.count
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let filter_bytes = self.filter.as_ref().map_or(0, |filter| size_of_val(filter.words()));
        self.first_keys.capacity() * size_of::<u32>()
            + self.checksums.capacity() * size_of::<u64>()
            + filter_bytes
    }

    pub(super) fn pages_per_table(&self) -> usize {
        self.pages_per_table
    }

    /// Tells (id, distance) of everything near, each entry once.
    pub(super) fn find(
        &self,
        isa: Isa,
        shape: &Shape,
        query: F,
        see: &mut dyn FnMut(u32, u32),
    ) -> Result<(), Error> {
        if self.filter.as_ref().is_some_and(|filter| !filter.contains(query.hash())) {
            return Ok(());
        }
        let mut buffer = PageBuffer::default();
        for table in 0..shape.tables() {
            let pages = self.pages_with(table, shape.key(table, query));
            for start in pages.clone().step_by(PAGES_AT_ONCE) {
                self.read_pages(table, start..pages.end.min(start + PAGES_AT_ONCE), &mut buffer)?;
                let Entries { fingerprints, ids } = &buffer.entries;
                isa.scan(&[fingerprints], query, shape.distance, &mut |_, place, distance| {
                    // The pages hold neighbours of the key as well.
                    if shape.is_first(table, fingerprints[place], query) {
                        see(ids[place], distance);
                    }
                });
            }
        }
        Ok(())
    }

    /// The pages of a table that can hold a key. Its first entries may stand at the end of a page that begins below it.
    fn pages_with(&self, table: usize, key: u32) -> Range<usize> {
        let first_keys = &self.first_keys[table * self.pages_per_table..][..self.pages_per_table];
        let end = first_keys.partition_point(|first| *first <= key);
        let start = first_keys.partition_point(|first| *first < key).saturating_sub(1);
        start.min(end)..end
    }

    /// Replaces the buffer by the entries of some pages of a table, checked.
    pub(super) fn read_pages(
        &self,
        table: usize,
        pages: Range<usize>,
        buffer: &mut PageBuffer<F>,
    ) -> Result<(), Error> {
        let PageBuffer { bytes, entries } = buffer;
        entries.fingerprints.clear();
        entries.ids.clear();
        let first = table * self.pages_per_table + pages.start;
        let offset = PAGE_BYTES as u64 * (first as u64 + 1);
        bytes.resize(pages.len() * PAGE_BYTES, 0);
        self.file.read_exact_at(bytes, offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged(offset, "it was cut off"),
            _ => error.into(),
        })?;
        for (number, page) in bytes.chunks_exact(PAGE_BYTES).enumerate() {
            if xxh3_64(page) != self.checksums[first + number] {
                let offset = offset + (number * PAGE_BYTES) as u64;
                return Err(self.damaged(offset, "the checksum of a page is wrong"));
            }
            let before = (pages.start + number) as u64 * page_entries::<F>() as u64;
            let count = (self.count - before).min(page_entries::<F>() as u64) as usize;
            let (fingerprints, rest) = page.split_at(count * F::BYTES);
            entries.fingerprints.extend(fingerprints.chunks_exact(F::BYTES).map(F::get));
            entries.ids.extend(rest[..count * 4].chunks_exact(4).map(|id| u32_at(id, 0)));
        }
        Ok(())
    }

    fn damaged(&self, offset: u64, what: &'static str) -> Error {
        journal::Error::Damaged { path: self.path.clone(), offset, what }.into()
    }
}

impl<F> Drop for DiskRun<F> {
    fn drop(&mut self) {
        // What remains is deleted by the next index in this folder.
        let _ = fs::remove_file(&self.path);
    }
}

/// What was read last.
#[derive(Debug)]
pub(super) struct PageBuffer<F> {
    bytes: Vec<u8>,
    pub(super) entries: Entries<F>,
}

impl<F> Default for PageBuffer<F> {
    fn default() -> Self {
        Self { bytes: Vec::new(), entries: Entries { fingerprints: Vec::new(), ids: Vec::new() } }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
