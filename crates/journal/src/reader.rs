//! Reading records, one after the other or by their place.

use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::{Error, Format, HEADER_BYTES, RECORD_BYTES_MAX, RECORD_HEADER_BYTES};

const READ_AHEAD_BYTES: usize = 256 << 10;

/// A journal that is read. Records added later by a writer are seen by a later call.
#[derive(Debug)]
pub struct JournalReader {
    path: PathBuf,
    file: fs::File,
    version: u32,
    /// Bytes of the file from `window_start` on; `cursor` points into it.
    window: Vec<u8>,
    window_start: u64,
    cursor: usize,
}

/// A record and where it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its place: what [`JournalReader::read_at`] takes.
    pub offset: u64,
    /// What was appended.
    pub payload: &'a [u8],
}

impl JournalReader {
    /// Opens a journal and checks what it is.
    pub fn open(path: &Path, format: Format) -> Result<Self, Error> {
        Self::open_since(path, format, format.version)
    }

    /// The same, for a caller who also understands the payloads of earlier versions, from `oldest` on.
    pub fn open_since(path: &Path, format: Format, oldest: u32) -> Result<Self, Error> {
        let mut file = fs::File::open(path)?;
        let mut header = [0; HEADER_BYTES as usize];
        let foreign = || Error::Foreign { path: path.to_owned() };
        file.read_exact(&mut header).map_err(|_| foreign())?;
        if header[..8] != format.magic {
            return Err(foreign());
        }
        let found = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
        if !(oldest..=format.version).contains(&found) {
            return Err(Error::Version { path: path.to_owned(), found, expected: format.version });
        }
        let (path, window) = (path.to_owned(), Vec::new());
        Ok(Self { path, file, version: found, window, window_start: HEADER_BYTES, cursor: 0 })
    }

    /// The version that the file says it is of.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Where the next record starts; at the end of the journal, where a writer goes on.
    pub fn position(&self) -> u64 {
        self.window_start + self.cursor as u64
    }

    /// Goes to a place where a record starts. What was read ahead is not read again.
    pub fn seek(&mut self, offset: u64) {
        let in_window = offset.checked_sub(self.window_start).filter(|at| *at <= self.window.len() as u64);
        match in_window {
            Some(at) => self.cursor = at as usize,
            None => {
                self.window.clear();
                self.window_start = offset;
                self.cursor = 0;
            }
        }
    }

    /// The next record, or `None` at the end. A record that the file ends in is no record: its writer was killed.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        let offset = self.position();
        let head_bytes = RECORD_HEADER_BYTES as usize;
        if self.fill(head_bytes)? < head_bytes {
            return Ok(None);
        }
        let head = &self.window[self.cursor..self.cursor + head_bytes];
        let Some((length, checksum)) = decode_head(head) else {
            return if self.rest_is_zero()? {
                Ok(None)
            } else {
                Err(self.damaged(offset, "a length is wrong"))
            };
        };
        if self.fill(head_bytes + length)? < head_bytes + length {
            return Ok(None);
        }
        let start = self.cursor + head_bytes;
        let payload = start..start + length;
        if crc32fast::hash(&self.window[payload.clone()]) != checksum {
            return Err(self.damaged(offset, "a checksum is wrong"));
        }
        self.cursor = payload.end;
        Ok(Some(Record { offset, payload: &self.window[payload] }))
    }

    /// The record that starts at `offset`; it is an error if none does.
    pub fn read_at(&mut self, offset: u64) -> Result<&[u8], Error> {
        self.seek(offset);
        let path = self.path.clone();
        match self.next_record()? {
            Some(record) => Ok(record.payload),
            None => Err(Error::Damaged { path, offset, what: "a record is missing" }),
        }
    }

    /// The number of records in the whole journal; the next one read is the first.
    pub fn count(&mut self) -> Result<u64, Error> {
        self.seek(HEADER_BYTES);
        let mut count = 0;
        while self.next_record()?.is_some() {
            count += 1;
        }
        self.seek(HEADER_BYTES);
        Ok(count)
    }

    /// Makes sure that `wanted` bytes from the cursor on are in the window, and tells how many there are.
    fn fill(&mut self, wanted: usize) -> Result<usize, Error> {
        let present = self.window.len() - self.cursor;
        if present >= wanted {
            return Ok(present);
        }
        self.window.drain(..self.cursor);
        self.window_start += self.cursor as u64;
        self.cursor = 0;
        let missing = (wanted - present).max(READ_AHEAD_BYTES) as u64;
        self.file.seek(SeekFrom::Start(self.window_start + present as u64))?;
        self.file.by_ref().take(missing).read_to_end(&mut self.window)?;
        Ok(self.window.len())
    }

    /// After a power cut a file can end in zeros that were never written: they are a torn end, not damage.
    fn rest_is_zero(&mut self) -> Result<bool, Error> {
        let mut rest = Vec::new();
        self.file.seek(SeekFrom::Start(self.position()))?;
        self.file.by_ref().take(1 << 20).read_to_end(&mut rest)?;
        Ok(rest.iter().all(|&byte| byte == 0))
    }

    fn damaged(&self, offset: u64, what: &'static str) -> Error {
        Error::Damaged { path: self.path.clone(), offset, what }
    }
}

/// Reads a record at its place, whose length the caller knows, and compares its checksums. There is no cursor to move, so
/// several threads may share a file.
pub fn read_record_at(file: &fs::File, offset: u64, bytes: usize) -> Result<Vec<u8>, Error> {
    let damaged = |what| Error::Damaged { path: file.path().to_owned(), offset, what };
    if bytes as u64 > RECORD_BYTES_MAX {
        return Err(damaged("a length is wrong"));
    }
    let mut payload = vec![0; RECORD_HEADER_BYTES as usize + bytes];
    file.file().read_exact_at(&mut payload, offset).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged("a record is missing"),
        _ => Error::Io(error),
    })?;
    let head: Vec<u8> = payload.drain(..RECORD_HEADER_BYTES as usize).collect();
    match decode_head(&head) {
        Some((length, checksum)) if length == bytes && crc32fast::hash(&payload) == checksum => Ok(payload),
        Some((length, _)) if length == bytes => Err(damaged("a checksum is wrong")),
        _ => Err(damaged("a length is wrong")),
    }
}

/// Length and checksum of the payload, if the head itself is sound.
fn decode_head(head: &[u8]) -> Option<(usize, u32)> {
    let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
    let (length, checksum) = (number(0), number(4));
    let sound = number(8) == crc32fast::hash(&head[..8]) && u64::from(length) <= RECORD_BYTES_MAX;
    sound.then_some((length as usize, checksum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JournalWriter;

    const FORMAT: Format = Format { magic: *b"TESTTEST", version: 3 };

    fn written(payloads: &[Vec<u8>]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut writer = JournalWriter::create(&path, FORMAT).unwrap();
        for payload in payloads {
            writer.append(payload);
        }
        writer.sync().unwrap();
        (dir, path)
    }

    fn read_all(path: &Path) -> Result<Vec<Vec<u8>>, Error> {
        let mut reader = JournalReader::open(path, FORMAT)?;
        let mut found = Vec::new();
        while let Some(record) = reader.next_record()? {
            found.push(record.payload.to_vec());
        }
        Ok(found)
    }

    #[test]
    fn a_journal_cut_anywhere_gives_its_whole_records_and_can_be_continued() {
        let payloads: Vec<Vec<u8>> = (0..5u8).map(|n| vec![n; n as usize * 7]).collect();
        let (_dir, path) = written(&payloads);
        let bytes = std::fs::read(&path).unwrap();
        for cut in HEADER_BYTES as usize..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut whole = read_all(&path).unwrap();
            assert_eq!(whole, payloads[..whole.len()]);
            let mut writer = JournalWriter::open(&path, FORMAT).unwrap();
            writer.append(b"more");
            writer.flush().unwrap();
            whole.push(b"more".to_vec());
            assert_eq!(read_all(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_flipped_bit_is_an_error_and_never_a_shorter_journal() {
        let payloads: Vec<Vec<u8>> = (1..6u8).map(|n| vec![n; 9]).collect();
        let (_dir, path) = written(&payloads);
        let bytes = std::fs::read(&path).unwrap();
        for position in 0..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[position] ^= 1 << bit;
                std::fs::write(&path, &flipped).unwrap();
                let harmless = (12..16).contains(&position);
                assert_eq!(read_all(&path).is_ok(), harmless, "byte {position} bit {bit}");
            }
        }
    }

    #[test]
    fn a_record_is_read_at_its_place_or_said_to_be_damaged() {
        let payloads = [b"one".to_vec(), b"three".to_vec()];
        let (_dir, path) = written(&payloads);
        let second = HEADER_BYTES + RECORD_HEADER_BYTES + 3;
        let read = |offset, bytes| read_record_at(&fs::File::open(&path).unwrap(), offset, bytes);
        assert_eq!(read(HEADER_BYTES, 3).unwrap(), b"one");
        assert_eq!(read(second, 5).unwrap(), b"three");
        for (offset, bytes) in
            [(second, 4), (second, 6), (second + 1, 4), (second + 17, 0), (0, 3), (second, usize::MAX)]
        {
            assert!(matches!(read(offset, bytes), Err(Error::Damaged { .. })), "{bytes} bytes at {offset}");
        }
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(read(second, 5), Err(Error::Damaged { .. })));
    }

    #[test]
    fn zeros_behind_the_last_record_are_a_torn_end() {
        let (_dir, path) = written(&[b"one".to_vec()]);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend([0; 100]);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read_all(&path).unwrap(), [b"one".to_vec()]);
    }

    #[test]
    fn other_files_and_versions_are_refused() {
        let (_dir, path) = written(&[]);
        let other = Format { version: 4, ..FORMAT };
        assert!(matches!(
            JournalReader::open(&path, other),
            Err(Error::Version { found: 3, expected: 4, .. })
        ));
        std::fs::write(&path, "something else entirely").unwrap();
        assert!(matches!(JournalReader::open(&path, FORMAT), Err(Error::Foreign { .. })));
    }

    #[test]
    fn an_earlier_version_is_read_and_raised_by_whoever_asks_for_it() {
        let (_dir, path) = written(&[b"old".to_vec()]);
        let newer = Format { version: 5, ..FORMAT };
        for oldest in [4, 5] {
            assert!(JournalReader::open_since(&path, newer, oldest).is_err());
            assert!(JournalWriter::raise_version(&path, newer, oldest).is_err());
        }
        assert!(JournalReader::open_since(&path, newer, 3).is_ok());
        for _ in 0..2 {
            JournalWriter::raise_version(&path, newer, 3).unwrap();
        }
        let mut writer = JournalWriter::open(&path, newer).unwrap();
        writer.append(b"new");
        writer.flush().unwrap();
        let mut reader = JournalReader::open(&path, newer).unwrap();
        assert_eq!(reader.next_record().unwrap().unwrap().payload, b"old");
        assert_eq!(reader.next_record().unwrap().unwrap().payload, b"new");
        assert!(matches!(
            JournalReader::open(&path, FORMAT),
            Err(Error::Version { found: 5, expected: 3, .. })
        ));
    }

    proptest::proptest! {
        #[test]
        fn records_come_back_as_they_went(payloads in proptest::collection::vec(proptest::collection::vec(0u8.., 0..300), 0..50)) {
            let (_dir, path) = written(&payloads);
            proptest::prop_assert_eq!(read_all(&path).unwrap(), payloads);
        }
    }
}
