//! A run: the posting lists of some consecutive documents, sorted by term, on disk until the merge.
//!
//! ```text
//! for each term   length varint, bytes, documents varint, of a stem: whether it is needed u8, and for each document
//!                     document − previous document       varint
//!                     occurrences                        varint
//!                     place − previous place, for each   varint
//! ```
//!
//! Byte-aligned codes, since a run is written and read once; no envelope, since it never outlives the build.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use fs_err::File;
use journal::varint;

use crate::accumulator::{Accumulator, ListHead};
use crate::field::Place;
use crate::postings::Posting;
use crate::stems::is_stem_key;
use crate::{Error, TERM_BYTES_MAX};

/// Writes a run, posting after posting.
pub(crate) struct RunWriter {
    path: PathBuf,
    file: BufWriter<File>,
    previous_document: u32,
}

impl RunWriter {
    pub(crate) fn create(path: &Path, buffer_bytes: usize) -> Result<Self, Error> {
        let file = File::create(path)?;
        let file = BufWriter::with_capacity(buffer_bytes, file);
        Ok(Self { path: path.to_owned(), file, previous_document: 0 })
    }

    pub(crate) fn start_list(&mut self, head: &ListHead<'_>) -> Result<(), Error> {
        self.previous_document = 0;
        varint::write(&mut self.file, head.term.len() as u64)?;
        self.file.write_all(head.term)?;
        varint::write(&mut self.file, head.documents)?;
        if is_stem_key(head.term) {
            self.file.write_all(&[head.is_needed.into()])?;
        }
        Ok(())
    }

    pub(crate) fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        let gap = u64::from(posting.document - self.previous_document);
        self.previous_document = posting.document;
        varint::write(&mut self.file, gap)?;
        varint::write(&mut self.file, posting.places.len() as u64)?;
        let mut previous = 0;
        for &Place(place) in &posting.places {
            varint::write(&mut self.file, u64::from(place - previous))?;
            previous = place;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<PathBuf, Error> {
        self.file.flush()?;
        Ok(self.path)
    }
}

/// Empties the accumulator into a new run.
pub(crate) fn write_run(
    path: &Path,
    accumulator: &mut Accumulator,
    buffer_bytes: usize,
) -> Result<PathBuf, Error> {
    let mut run = RunWriter::create(path, buffer_bytes)?;
    let mut posting = Posting::default();
    accumulator.drain(|head, postings| {
        run.start_list(head)?;
        while postings.next(&mut posting) {
            run.add(&posting)?;
        }
        Ok(())
    })?;
    run.finish()
}

/// Reads a run, list after list.
pub(crate) struct RunReader {
    file: BufReader<File>,
    /// The term of the present list; meaningless after the last.
    pub(crate) term: Vec<u8>,
    /// How many documents of the present list have not been read.
    pub(crate) documents_left: u64,
    /// Whether the present list is needed, as far as this run knows.
    pub(crate) is_needed: bool,
    previous_document: u32,
}

impl RunReader {
    /// Opens a run; [`RunReader::next_list`] goes to its first list.
    pub(crate) fn open(path: &Path, buffer_bytes: usize) -> Result<Self, Error> {
        let file = File::open(path)?;
        let file = BufReader::with_capacity(buffer_bytes, file);
        let term = Vec::with_capacity(TERM_BYTES_MAX);
        Ok(Self { file, term, documents_left: 0, is_needed: true, previous_document: 0 })
    }

    /// Moves to the next list, of which all postings must have been read before; false when there is none.
    pub(crate) fn next_list(&mut self) -> Result<bool, Error> {
        if self.file.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let length = varint::read(&mut self.file)?;
        self.term.clear();
        if self.file.by_ref().take(length).read_to_end(&mut self.term)? as u64 != length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.documents_left = varint::read(&mut self.file)?;
        self.previous_document = 0;
        self.is_needed = true;
        if is_stem_key(&self.term) {
            let mut flag = [0];
            self.file.read_exact(&mut flag)?;
            self.is_needed = flag != [0];
        }
        Ok(true)
    }

    /// Reads the next posting of the present list; false when there is none.
    pub(crate) fn next_posting(&mut self, posting: &mut Posting) -> Result<bool, Error> {
        if self.documents_left == 0 {
            return Ok(false);
        }
        self.documents_left -= 1;
        let gap = varint::read(&mut self.file)?;
        posting.document = self.previous_document.wrapping_add(gap as u32);
        self.previous_document = posting.document;
        posting.places.clear();
        let mut place = 0u32;
        for _ in 0..varint::read(&mut self.file)? {
            place = place.wrapping_add(varint::read(&mut self.file)? as u32);
            posting.places.push(Place(place));
        }
        Ok(true)
    }
}
