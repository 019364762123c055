//! Appending records. They are gathered in memory and handed to the system by [`JournalWriter::flush`], so that
//! the caller decides in which order the bytes of several files become real.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::{
    Error, Format, HEADER_BYTES, JournalReader, RECORD_BYTES_MAX, RECORD_HEADER_BYTES, append_whole,
};

/// Where the version stands: behind the magic.
const VERSION_OFFSET: u64 = 8;

/// The end of a journal, where records are added.
#[derive(Debug)]
pub struct JournalWriter {
    path: PathBuf,
    file: fs::File,
    buffer: Vec<u8>,
    written: u64,
}

impl JournalWriter {
    /// Starts an empty journal; an existing file is emptied.
    pub fn create(path: &Path, format: Format) -> Result<Self, Error> {
        let mut file =
            fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        let mut header = Vec::with_capacity(HEADER_BYTES as usize);
        header.extend_from_slice(&format.magic);
        header.extend_from_slice(&format.version.to_le_bytes());
        header.extend_from_slice(&[0; 4]);
        file.write_all(&header)?;
        Ok(Self { path: path.to_owned(), file, buffer: Vec::new(), written: HEADER_BYTES })
    }

    /// Opens a journal to go on writing, or starts it. A torn last record is cut off.
    pub fn open(path: &Path, format: Format) -> Result<Self, Error> {
        if !path.exists() || fs::metadata(path)?.len() < HEADER_BYTES {
            return Self::create(path, format);
        }
        let mut reader = JournalReader::open(path, format)?;
        while reader.next_record()?.is_some() {}
        Self::open_at(path, format, reader.position())
    }

    /// Opens a journal to go on writing at a place where a record is known to end; what is behind it is cut off.
    pub fn open_at(path: &Path, format: Format, end: u64) -> Result<Self, Error> {
        JournalReader::open(path, format)?;
        let mut file = fs::OpenOptions::new().read(true).write(true).open(path)?;
        let length = file.metadata()?.len();
        if length < end || end < HEADER_BYTES {
            return Err(Error::Damaged { path: path.to_owned(), offset: length, what: "the end is missing" });
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Self { path: path.to_owned(), file, buffer: Vec::new(), written: end })
    }

    /// Declares a journal of an earlier version, from `oldest` on, to be of this one, so that it can be gone on with. For
    /// formats whose records tell themselves which version they are of; whoever knows only the earlier version refuses
    /// the file from here on, instead of misreading what is added.
    pub fn raise_version(path: &Path, format: Format, oldest: u32) -> Result<(), Error> {
        if JournalReader::open_since(path, format, oldest)?.version() == format.version {
            return Ok(());
        }
        let mut file = fs::OpenOptions::new().write(true).open(path)?;
        file.seek(SeekFrom::Start(VERSION_OFFSET))?;
        file.write_all(&format.version.to_le_bytes())?;
        Ok(file.sync_data()?)
    }

    /// Adds a record and tells where it starts. It is not in the file before the next [`flush`](Self::flush).
    pub fn append(&mut self, payload: &[u8]) -> u64 {
        assert!(
            payload.len() as u64 <= RECORD_BYTES_MAX,
            "a record of {} bytes cannot be kept",
            payload.len()
        );
        let offset = self.position();
        let mut head = [0; RECORD_HEADER_BYTES as usize];
        head[..4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        head[4..8].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
        let head_checksum = crc32fast::hash(&head[..8]);
        head[8..].copy_from_slice(&head_checksum.to_le_bytes());
        self.buffer.extend_from_slice(&head);
        self.buffer.extend_from_slice(payload);
        offset
    }

    /// Where the next record will start.
    pub fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// The bytes that wait in memory.
    pub fn buffered_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Hands what was appended to the system: from here on it survives the end of the process.
    ///
    /// After a failure the same call can be repeated, see [`append_whole`].
    pub fn flush(&mut self) -> Result<(), Error> {
        append_whole(&mut self.file, self.written, &self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Flushes and waits for the disk: from here on it survives the end of the machine.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.file.sync_data()?;
        Ok(())
    }

    /// A second handle on the file, for syncing it without holding up the writer.
    pub fn handle(&self) -> Result<File, Error> {
        Ok(self.file.file().try_clone()?)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
