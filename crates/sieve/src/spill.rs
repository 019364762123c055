//! The addresses that wait in the sieve, in the order of arrival: a few megabytes in memory, the rest in a scratch
//! file that is read back once, from front to back.

use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::Error;

/// An append-only list of addresses that is drained as a whole.
#[derive(Debug)]
pub(crate) struct SpillList {
    path: PathBuf,
    memory: Vec<u8>,
    memory_bytes_max: usize,
    file: Option<fs::File>,
    file_bytes: u64,
}

impl SpillList {
    /// Nothing of an earlier run is of use: whatever waited then is offered again.
    pub(crate) fn new(path: &Path, memory_bytes_max: usize) -> Result<Self, Error> {
        if path.exists() {
            fs::remove_file(path)?;
        }
        Ok(Self { path: path.to_owned(), memory: Vec::new(), memory_bytes_max, file: None, file_bytes: 0 })
    }

    /// Takes an entry. If the disk refuses, the list is as before.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), Error> {
        let before = self.memory.len();
        let length =
            u16::try_from(text.len()).map_err(|_| std::io::Error::other("an address is too long"))?;
        self.memory.extend_from_slice(&length.to_le_bytes());
        self.memory.extend_from_slice(text.as_bytes());
        if self.memory.len() >= self.memory_bytes_max
            && let Err(error) = self.spill()
        {
            self.memory.truncate(before);
            return Err(error);
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), Error> {
        if self.file.is_none() {
            let mut options = fs::OpenOptions::new();
            self.file = Some(options.read(true).write(true).create(true).truncate(true).open(&self.path)?);
        }
        let file = self.file.as_mut().expect("it was opened above");
        if let Err(error) = file.write_all(&self.memory) {
            // A part of it may have been written.
            file.set_len(self.file_bytes)?;
            file.seek(SeekFrom::Start(self.file_bytes))?;
            return Err(error.into());
        }
        self.file_bytes += self.memory.len() as u64;
        self.memory.clear();
        Ok(())
    }

    /// Shows all entries in order, without removing them.
    pub(crate) fn for_each(&mut self, mut see: impl FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(0))?;
            let shown = show_entries(BufReader::with_capacity(1 << 20, &mut *file), &mut see);
            // Whatever came of it, the next entry goes to the end.
            file.seek(SeekFrom::End(0))?;
            shown?;
        }
        show_entries(&self.memory[..], &mut see)
    }

    pub(crate) fn clear(&mut self) -> Result<(), Error> {
        self.memory.clear();
        self.file_bytes = 0;
        if self.file.take().is_some() {
            fs::remove_file(&self.path)?;
        }
        Ok(())
    }
}

fn show_entries(mut reader: impl Read, mut see: impl FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
    let mut entry = Vec::new();
    while next_entry(&mut reader, &mut entry)? {
        see(text_of(&entry)?)?;
    }
    Ok(())
}

fn next_entry(reader: &mut impl Read, entry: &mut Vec<u8>) -> Result<bool, Error> {
    let mut length = [0; 2];
    match reader.read_exact(&mut length) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(false),
        other => other?,
    }
    entry.resize(u16::from_le_bytes(length) as usize, 0);
    reader.read_exact(entry)?;
    Ok(true)
}

fn text_of(entry: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(entry)
        .map_err(|_| std::io::Error::other("the sieve's scratch file was changed").into())
}
