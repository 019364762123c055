//! Sealed files: written once, from front to back, and then read at random through a map.
//!
//! ```text
//!  0  magic           8 bytes  whose file this is
//!  8  kind            4 bytes  which of its owner's files: "term", "addr", …
//! 12  version         u32      of the owner's format
//! 16  payload length  u64      n
//! 24  table checksum  u64      xxh3-64 of the table
//! 32  zero            24 bytes
//! 56  header checksum u64      xxh3-64 of bytes 0 to 56
//! 64  payload         n bytes
//!     table           u64 for each started 64 KiB of the payload: its xxh3-64
//! ```
//!
//! All numbers are little-endian. The header has the checksum of the table, the table those of the blocks: a tree of
//! checksums, whose root, the header's own, tells a file from every other of its kind. An owner that keeps that root
//! elsewhere, as an index does in its manifest, recognises a file of another generation too.
//!
//! Cost: opening verifies header and table, 8 bytes per 64 KiB. A block is verified when it is first read (about 5 µs)
//! and a bit remembers it, so reading it again costs one load per 64 KiB. The length is compared with the file's before
//! anything is looked at: a map that reached beyond the end of its file would end the process.
//!
//! Whoever wants to have in memory what is asked for most often lets a file count its uses ([`PageUses`]).

use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use fs_err as fs;
use xxhash_rust::xxh3::xxh3_64;

use crate::bytes::{map_file, map_privately, u32_at, u64_at};
use crate::kept_pages::{Map, PageUses};
use crate::{Bytes, Error, Format, sync_folder};

const HEADER_BYTES: usize = 64;
const BLOCK_BYTES: usize = 64 << 10;

/// Says which of its owner's files a sealed file is.
pub type Kind = [u8; 4];

/// What came of sealing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed {
    /// The length of the file.
    pub file_bytes: u64,
    /// The root of its checksums: other contents have another one.
    pub identity: u64,
}

/// Writes a sealed file; the payload is streamed through [`Write`]. Until [`SealedWriter::finish`] it is no such file.
#[derive(Debug)]
pub struct SealedWriter {
    file: fs::File,
    format: Format,
    kind: Kind,
    block: Vec<u8>,
    table: Vec<u8>,
    payload_bytes: u64,
}

impl SealedWriter {
    /// Begins a file; one that is there is emptied.
    pub fn create(path: &Path, format: Format, kind: Kind) -> Result<Self, Error> {
        let mut file = fs::File::create(path)?;
        file.write_all(&[0; HEADER_BYTES])?;
        let block = Vec::with_capacity(BLOCK_BYTES);
        Ok(Self { file, format, kind, block, table: Vec::new(), payload_bytes: 0 })
    }

    /// Adds to the payload.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        Ok(self.write_all(bytes)?)
    }

    /// Tells how long the payload is so far.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// Seals the file and waits until it is on the disk.
    pub fn finish(mut self) -> Result<Sealed, Error> {
        if !self.block.is_empty() {
            self.write_block()?;
        }
        self.file.write_all(&self.table)?;
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&self.format.magic);
        header[8..12].copy_from_slice(&self.kind);
        header[12..16].copy_from_slice(&self.format.version.to_le_bytes());
        header[16..24].copy_from_slice(&self.payload_bytes.to_le_bytes());
        header[24..32].copy_from_slice(&xxh3_64(&self.table).to_le_bytes());
        let identity = xxh3_64(&header[..56]);
        header[56..].copy_from_slice(&identity.to_le_bytes());
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.sync_all()?;
        let file_bytes = HEADER_BYTES as u64 + self.payload_bytes + self.table.len() as u64;
        Ok(Sealed { file_bytes, identity })
    }

    /// Seals the file and puts it at `path`, whatever was there before: whoever opens it sees the old one or the new one.
    pub fn finish_as(self, path: &Path) -> Result<Sealed, Error> {
        let temporary = self.file.path().to_owned();
        let sealed = self.finish()?;
        fs::rename(&temporary, path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new(".")))?;
        Ok(sealed)
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.table.extend_from_slice(&xxh3_64(&self.block).to_le_bytes());
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

impl Write for SealedWriter {
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

/// Seals a payload that is already there.
pub fn write_sealed(path: &Path, format: Format, kind: Kind, payload: &[u8]) -> Result<Sealed, Error> {
    let mut writer = SealedWriter::create(path, format, kind)?;
    writer.put(payload)?;
    writer.finish()
}

/// Puts a sealed file at `path`, whatever was there before: whoever opens it sees the old one or the new one.
pub fn replace_sealed(path: &Path, format: Format, kind: Kind, payload: &[u8]) -> Result<Sealed, Error> {
    let mut writer = SealedWriter::create(&path.with_added_extension("tmp"), format, kind)?;
    writer.put(payload)?;
    writer.finish_as(path)
}

/// A sealed file, mapped. Any number of threads may share one.
#[derive(Debug)]
pub struct SealedFile {
    path: PathBuf,
    map: Map,
    payload_bytes: usize,
    /// A bit for each block that has been verified.
    verified: Vec<AtomicU64>,
    /// Not before somebody wants them to be counted.
    uses: Option<PageUses>,
}

impl SealedFile {
    /// Opens a file of this format and kind, and verifies everything but its blocks.
    pub fn open(path: &Path, format: Format, kind: Kind) -> Result<Self, Error> {
        let file = Self::open_any(path, format)?;
        if file.kind() != kind {
            return Err(file.damaged(8, "it is another kind of file than was expected here"));
        }
        Ok(file)
    }

    /// Opens a file of this format, of whatever kind.
    pub fn open_any(path: &Path, format: Format) -> Result<Self, Error> {
        let file = fs::File::open(path)?;
        let file_bytes = file.metadata()?.len();
        if file_bytes < HEADER_BYTES as u64 {
            let what = "it is shorter than a header";
            return Err(Error::Damaged { path: path.to_owned(), offset: file_bytes, what });
        }
        let map = map_file(&file)?;
        let payload_bytes = check_header(path, &map, format)?;
        let block_count = payload_bytes.div_ceil(BLOCK_BYTES);
        let verified = (0..block_count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { path: path.to_owned(), map: Map::Shared(map), payload_bytes, verified, uses: None })
    }

    /// Lets pages be kept in memory by [`SealedFile::keep_pages`] from now on.
    pub fn allow_keeping(&mut self) -> Result<(), Error> {
        self.map_privately(false)
    }

    /// The same, and begins to count how often each page is asked for by [`SealedFile::bytes`]. What is known of `before`,
    /// the same file that was opened earlier, is taken over.
    pub fn count_uses(&mut self, before: Option<&Self>) -> Result<(), Error> {
        self.map_privately(true)?;
        if let (Some(uses), Some(before)) = (&self.uses, before.and_then(|before| before.uses.as_ref())) {
            uses.take_over(before);
        }
        Ok(())
    }

    fn map_privately(&mut self, uses_are_counted: bool) -> Result<(), Error> {
        let map = Map::Private(map_privately(&fs::File::open(&self.path)?)?);
        // Its length first: a shorter one must not be looked at.
        if map.len() != self.map.len() || map[..HEADER_BYTES] != self.map[..HEADER_BYTES] {
            return Err(self.damaged(0, "it has been replaced by another"));
        }
        let uses = PageUses::of(map.len(), uses_are_counted);
        (self.map, self.uses) = (map, Some(uses));
        Ok(())
    }

    /// Tells how often its pages were asked for, and which are kept, if any may be.
    pub fn uses(&self) -> Option<&PageUses> {
        self.uses.as_ref()
    }

    /// Keeps those pages in memory that are wanted, and no others; nothing happens if none may be. One thread at a time
    /// may ask for it.
    pub fn keep_pages(&self, is_wanted: impl Fn(usize) -> bool) -> Result<(), Error> {
        Ok(self.uses.as_ref().map_or(Ok(()), |uses| uses.keep(&self.map, is_wanted))?)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells which of its owner's files it is.
    pub fn kind(&self) -> Kind {
        self.map[8..12].try_into().expect("four bytes were cut out")
    }

    /// Gives the root of its checksums, which [`SealedWriter::finish`] gave too.
    pub fn identity(&self) -> u64 {
        u64_at(&self.map, 56)
    }

    /// Tells how long the payload is.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes as u64
    }

    /// Gives some bytes of the payload, verified. A range that leaves it is damage: somebody was told of it.
    pub fn bytes(&self, range: Range<u64>) -> Result<&[u8], Error> {
        if range.start > range.end || range.end > self.payload_bytes as u64 {
            return Err(
                self.damaged(HEADER_BYTES + self.payload_bytes, "what is looked for lies behind its end")
            );
        }
        let (start, end) = (range.start as usize, range.end as usize);
        for block in start / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES) {
            self.verify(block)?;
        }
        if let Some(uses) = &self.uses {
            uses.count(HEADER_BYTES + start..HEADER_BYTES + end);
        }
        Ok(&self.map[HEADER_BYTES + start..HEADER_BYTES + end])
    }

    /// Gives the whole payload, verified.
    pub fn all_bytes(&self) -> Result<&[u8], Error> {
        self.bytes(0..self.payload_bytes())
    }

    /// Gives what [`SealedFile::bytes`] has verified before, without looking again; nothing if it lies outside.
    #[inline]
    pub fn verified_bytes(&self, range: Range<u64>) -> &[u8] {
        let payload = &self.map[HEADER_BYTES..HEADER_BYTES + self.payload_bytes];
        payload.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Lets go of pages that are not kept, so that they count for this process no more and the system may take them away.
    pub fn let_go(&self) -> Result<(), Error> {
        self.map.let_go()?;
        Ok(self.uses.as_ref().map_or(Ok(()), |uses| uses.let_go(&self.map))?)
    }

    /// Verifies every block: then the file is what was written.
    pub fn check(&self) -> Result<(), Error> {
        self.all_bytes().map(drop)
    }

    /// Verifies every block and gives the payload as bytes that can be cut and kept.
    pub fn into_payload(self) -> Result<Bytes, Error> {
        self.check()?;
        Ok(Bytes::from_map(self.map.into_read_only()?, HEADER_BYTES..HEADER_BYTES + self.payload_bytes))
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
            return Err(self.damaged(start, "the checksum of a block is wrong"));
        }
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }

    fn damaged(&self, offset: usize, what: &'static str) -> Error {
        Error::Damaged { path: self.path.clone(), offset: offset as u64, what }
    }
}

/// Verifies everything but kind and blocks; returns the length of the payload.
fn check_header(path: &Path, map: &[u8], format: Format) -> Result<usize, Error> {
    let damaged = |offset, what| Error::Damaged { path: path.to_owned(), offset, what };
    if map[..8] != format.magic {
        return Err(Error::Foreign { path: path.to_owned() });
    }
    let (found, expected) = (u32_at(map, 12), format.version);
    let is_sound = xxh3_64(&map[..56]) == u64_at(map, 56);
    // Earlier versions of a format may have had another header, and so no checksum there.
    if found < expected || (found > expected && is_sound) {
        return Err(Error::Version { path: path.to_owned(), found, expected });
    }
    if !is_sound {
        return Err(damaged(0, "the checksum of the header is wrong"));
    }
    let payload_bytes = u64_at(map, 16);
    let table_bytes = payload_bytes.div_ceil(BLOCK_BYTES as u64).saturating_mul(8);
    let whole = payload_bytes.saturating_add(table_bytes).saturating_add(HEADER_BYTES as u64);
    if whole != map.len() as u64 {
        return Err(damaged(whole.min(map.len() as u64), "it has another length than when it was written"));
    }
    let table_start = HEADER_BYTES + payload_bytes as usize;
    if xxh3_64(&map[table_start..]) != u64_at(map, 24) {
        return Err(damaged(table_start as u64, "the checksum of the table of checksums is wrong"));
    }
    Ok(payload_bytes as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PAGE_BYTES;
    use proptest::prelude::*;

    const FORMAT: Format = Format { magic: *b"TESTSEAL", version: 3 };
    const KIND: Kind = *b"some";

    fn sealed(payload: &[u8]) -> (tempfile::TempDir, PathBuf, Sealed) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sealed");
        let sealed = write_sealed(&path, FORMAT, KIND, payload).unwrap();
        (dir, path, sealed)
    }

    fn read(path: &Path) -> Result<Vec<u8>, Error> {
        Ok(SealedFile::open(path, FORMAT, KIND)?.all_bytes()?.to_vec())
    }

    /// Bytes that differ from block to block.
    fn payload(length: usize) -> Vec<u8> {
        (0..length as u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    fn assert_is_noticed(path: &Path, bytes: &[u8], what: &str) {
        std::fs::write(path, bytes).unwrap();
        let error = read(path).expect_err(what).to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        // Nor is it what somebody else wrote.
        assert!(
            SealedFile::open_any(path, FORMAT).and_then(|file| file.check()).is_err()
                || what.contains("kind")
        );
    }

    #[test]
    fn pages_that_are_kept_read_as_before_and_uses_are_counted() {
        let payload = payload(10 * PAGE_BYTES);
        let (_dir, path, _) = sealed(&payload);
        let open = || SealedFile::open(&path, FORMAT, KIND).unwrap();
        let mut file = open();
        file.count_uses(None).unwrap();
        let pages = file.uses().unwrap().pages();
        assert_eq!(pages, 11, "with header and table");
        let [at, end] = [3 * PAGE_BYTES as u64, 4 * PAGE_BYTES as u64];
        for _ in 0..4 {
            file.bytes(at..end).unwrap();
        }
        let uses =
            |file: &SealedFile| (0..pages).map(|page| file.uses().unwrap().uses(page)).collect::<Vec<_>>();
        assert_eq!(uses(&file), [0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0]);
        for wanted in [3..5, 4..11, 0..0] {
            file.keep_pages(|page| wanted.contains(&page)).unwrap();
            assert!((0..pages).all(|page| file.uses().unwrap().is_kept(page) == wanted.contains(&page)));
            assert_eq!(file.verified_bytes(0..payload.len() as u64), payload);
            assert_eq!(kept_kib(&path), 4 * wanted.len(), "{wanted:?}");
        }
        let mut again = open();
        again.count_uses(Some(&file)).unwrap();
        again.uses().unwrap().fade();
        assert_eq!(uses(&again), [0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_was_read_and_let_go_of_is_not_resident_and_reads_as_before() {
        let payload = payload(100 * PAGE_BYTES);
        let (_dir, path, _) = sealed(&payload);
        let file = SealedFile::open(&path, FORMAT, KIND).unwrap();
        assert_eq!(file.all_bytes().unwrap(), payload);
        assert!(resident_kib(&path) >= 400);
        file.let_go().unwrap();
        assert_eq!(resident_kib(&path), 0);
        assert_eq!(file.all_bytes().unwrap(), payload);
    }

    /// What of the maps of a file this process alone has, as the system tells it.
    fn kept_kib(path: &Path) -> usize {
        told_kib(path, "Anonymous:")
    }

    /// What of the maps of a file is in memory and counts for this process.
    fn resident_kib(path: &Path) -> usize {
        told_kib(path, "Rss:")
    }

    fn told_kib(path: &Path, what: &str) -> usize {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let of_file = maps.split(path.to_str().unwrap()).skip(1);
        let told = |map: &str| {
            let line = map.lines().find_map(|line| line.strip_prefix(what))?;
            line.trim().strip_suffix(" kB")?.parse::<usize>().ok()
        };
        of_file.filter_map(told).sum()
    }

    #[test]
    fn a_file_cut_anywhere_or_made_longer_is_an_error_that_names_it() {
        let (_dir, path, _) = sealed(&payload(40));
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            assert_is_noticed(&path, &bytes[..cut], &format!("only {cut} bytes are left"));
        }
        for more in [&b"x"[..], &[0; 8], &[0; BLOCK_BYTES]] {
            assert_is_noticed(&path, &[&bytes, more].concat(), "there are more bytes");
        }
    }

    #[test]
    fn a_flipped_bit_is_an_error_that_names_the_file() {
        let (_dir, path, _) = sealed(&payload(40));
        let bytes = std::fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[place] ^= 1 << bit;
                assert_is_noticed(&path, &flipped, &format!("bit {bit} of byte {place} was flipped"));
            }
        }
    }

    #[test]
    fn a_block_is_verified_when_it_is_read_and_not_before() {
        let (_dir, path, _) = sealed(&payload(3 * BLOCK_BYTES + 5));
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[HEADER_BYTES + BLOCK_BYTES + 7] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let file = SealedFile::open(&path, FORMAT, KIND).unwrap();
        let block = BLOCK_BYTES as u64;
        for sound in [0..block, 2 * block..3 * block + 5, block..block, 0..0] {
            assert!(file.bytes(sound).is_ok());
        }
        for damaged in [block..block + 1, block - 1..block + 1, 0..3 * block] {
            let error = file.bytes(damaged).unwrap_err();
            assert!(matches!(error, Error::Damaged { offset, .. } if offset == 64 + block), "{error}");
        }
        assert!(file.check().is_err());
        assert!(file.bytes(0..3 * block + 6).is_err());
        #[expect(clippy::reversed_empty_ranges, reason = "somebody may be told nonsense")]
        let backwards = 5..4;
        assert!(file.bytes(backwards).is_err());
    }

    #[test]
    fn other_formats_versions_and_kinds_are_told_apart() {
        let (_dir, path, _) = sealed(b"payload");
        let open = |format, kind| SealedFile::open(&path, format, kind).unwrap_err();
        let magic = Format { magic: *b"TESTSEAM", ..FORMAT };
        assert!(matches!(open(magic, KIND), Error::Foreign { .. }));
        for version in [2, 4] {
            let error = open(Format { version, ..FORMAT }, KIND);
            assert!(
                matches!(error, Error::Version { found: 3, expected, .. } if expected == version),
                "{error}"
            );
        }
        assert!(matches!(open(FORMAT, *b"else"), Error::Damaged { .. }));
        assert_eq!(SealedFile::open_any(&path, FORMAT).unwrap().kind(), KIND);
        // A file of an earlier version whose header was another.
        let old = [&FORMAT.magic[..], &KIND, &2u32.to_le_bytes(), &[7; 80]].concat();
        std::fs::write(&path, old).unwrap();
        assert!(matches!(open(FORMAT, KIND), Error::Version { found: 2, expected: 3, .. }));
    }

    #[test]
    fn a_replaced_file_is_the_new_one_and_those_who_have_the_old_one_keep_it() {
        let (dir, path, first) = sealed(b"old");
        let old = SealedFile::open(&path, FORMAT, KIND).unwrap();
        let second = replace_sealed(&path, FORMAT, KIND, b"new").unwrap();
        assert_ne!(first.identity, second.identity);
        assert_eq!((old.identity(), old.all_bytes().unwrap()), (first.identity, &b"old"[..]));
        assert_eq!(read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_payload_comes_back_however_it_was_streamed(
            length in prop_oneof![0..200usize, BLOCK_BYTES - 2..BLOCK_BYTES + 3, 0..3 * BLOCK_BYTES],
            piece in 1..2 * BLOCK_BYTES, cuts in prop::collection::vec((any::<u32>(), any::<u32>()), 1..20),
        ) {
            let payload = payload(length);
            let (_dir, path, whole) = sealed(&payload);
            let mut writer = SealedWriter::create(&path, FORMAT, KIND).unwrap();
            payload.chunks(piece).for_each(|piece| writer.put(piece).unwrap());
            prop_assert_eq!(writer.payload_bytes(), length as u64);
            prop_assert_eq!(writer.finish().unwrap(), whole);
            prop_assert_eq!(std::fs::metadata(&path).unwrap().len(), whole.file_bytes);
            let file = SealedFile::open(&path, FORMAT, KIND).unwrap();
            prop_assert_eq!((file.identity(), file.payload_bytes()), (whole.identity, length as u64));
            for (one, other) in cuts {
                let (one, other) = (one as usize % (length + 1), other as usize % (length + 1));
                let (start, end) = (one.min(other), one.max(other));
                let range = start as u64..end as u64;
                prop_assert_eq!(file.bytes(range.clone()).unwrap(), &payload[start..end]);
                prop_assert_eq!(file.verified_bytes(range), &payload[start..end]);
            }
            prop_assert_eq!(&*file.into_payload().unwrap(), &payload[..]);
        }

        #[test]
        fn any_bytes_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), is_ours in any::<bool>()) {
            let (_dir, path, _) = sealed(b"");
            let mut bytes = bytes;
            if is_ours && bytes.len() >= 64 {
                // All that is hard to guess is right; the numbers are not.
                bytes[..8].copy_from_slice(&FORMAT.magic);
                bytes[8..12].copy_from_slice(&KIND);
                bytes[12..16].copy_from_slice(&FORMAT.version.to_le_bytes());
                let checksum = xxh3_64(&bytes[..56]);
                bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
            }
            std::fs::write(&path, &bytes).unwrap();
            prop_assert!(read(&path).is_err());
        }
    }
}
