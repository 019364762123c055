//! Sorted runs on disk, one behind the other in a file without a name.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use fs_err as fs;
use fs_err::os::unix::fs::FileExt;

use super::SortRecord;
use crate::Error;

/// So many runs are merged into one, so that reading them takes a bounded amount of memory.
const RUNS_MAX: usize = 256;
/// A run is written and read in pieces of about this size, or of less where the budget is small.
const PIECE_BYTES_MAX: usize = 64 << 10;
const PIECE_BYTES_MIN: usize = 4 << 10;

/// Takes runs, and gives them back to be merged.
#[derive(Debug)]
pub(super) struct RunFile {
    file: fs::File,
    ends: Vec<u64>,
    /// Of all runs.
    records: u64,
    piece_bytes: usize,
}

impl RunFile {
    /// Begins a scratch file in a folder, for a sort with this budget.
    pub(super) fn create(folder: &Path, memory_bytes: usize) -> Result<Self, Error> {
        // Whoever else sorts in the folder at this moment takes another name.
        let (file, path) = (0..)
            .map(|number| folder.join(format!("sort-{}-{number}.runs", std::process::id())))
            .find_map(|path| {
                let file = fs::OpenOptions::new().read(true).write(true).create_new(true).open(&path);
                let is_taken =
                    matches!(&file, Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists);
                (!is_taken).then_some((file, path))
            })
            .expect("there are more numbers than files");
        let file = file?;
        // Whoever holds it can use it; nobody has to clean up after a crash.
        fs::remove_file(&path)?;
        let piece_bytes = (memory_bytes / RUNS_MAX).clamp(PIECE_BYTES_MIN, PIECE_BYTES_MAX);
        Ok(Self { file, ends: vec![0], records: 0, piece_bytes })
    }

    /// How many records there are in all runs.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    pub(super) fn is_full(&self) -> bool {
        self.ends.len() > RUNS_MAX
    }

    /// Adds a run. `put_next` appends its next record to the bytes, until it says that there is none.
    pub(super) fn write(
        &mut self,
        mut put_next: impl FnMut(&mut Vec<u8>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(self.piece_bytes + 64);
        let mut end = *self.ends.last().expect("there is a zero at the beginning");
        loop {
            let is_more = put_next(&mut bytes)?;
            self.records += u64::from(is_more);
            if bytes.len() >= self.piece_bytes || !is_more {
                self.file.write_all(&bytes)?;
                end += bytes.len() as u64;
                bytes.clear();
            }
            if !is_more {
                break;
            }
        }
        self.ends.push(end);
        Ok(())
    }

    /// Adds a run of records in order.
    pub(super) fn write_records<'a, T: SortRecord + 'a>(
        &mut self,
        records: impl IntoIterator<Item = &'a T>,
    ) -> Result<(), Error> {
        let (mut before, mut records) = (&T::default(), records.into_iter());
        self.write(|bytes| {
            let Some(record) = records.next() else { return Ok(false) };
            record.put_after(before, bytes);
            before = record;
            Ok(true)
        })
    }

    /// Begins to read each run.
    pub(super) fn into_readers<T: SortRecord>(self) -> Vec<RunReader<T>> {
        let file = Arc::new(self.file);
        let reader = |ends: &[u64]| RunReader {
            file: Arc::clone(&file),
            place: ends[0],
            end: ends[1],
            piece_bytes: self.piece_bytes,
            bytes: Vec::new(),
            next: 0,
            record: T::default(),
        };
        self.ends.windows(2).map(reader).collect()
    }
}

/// Gives the records of one run.
#[derive(Debug)]
pub(super) struct RunReader<T> {
    file: Arc<fs::File>,
    /// What was not read yet.
    place: u64,
    end: u64,
    piece_bytes: usize,
    /// What was read; from `next` on it was not looked at.
    bytes: Vec<u8>,
    next: usize,
    /// The last one that was given.
    record: T,
}

impl<T: SortRecord> RunReader<T> {
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<T>, Error> {
        loop {
            let mut rest = &self.bytes[self.next..];
            if self.record.step(&mut rest).is_some() {
                self.next = self.bytes.len() - rest.len();
                return Ok(Some(self.record.clone()));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Reads the next piece behind what is left; false at the end of the run.
    #[cold]
    fn fill(&mut self) -> Result<bool, Error> {
        self.bytes.drain(..self.next);
        self.next = 0;
        let wanted = (self.end - self.place).min(self.piece_bytes as u64) as usize;
        if wanted == 0 {
            let (path, what) = (self.file.path().to_owned(), "a scratch file was changed");
            let is_whole = self.bytes.is_empty();
            return if is_whole { Ok(false) } else { Err(Error::Damaged { path, offset: self.place, what }) };
        }
        let kept = self.bytes.len();
        self.bytes.resize(kept + wanted, 0);
        self.file.read_exact_at(&mut self.bytes[kept..], self.place)?;
        self.place += wanted as u64;
        Ok(true)
    }
}
