//! A run: the posting lists of some documents, sorted by term, on disk until the merge.
//!
//! ```text
//! for each term   length varint, bytes, documents varint, of a stem: whether it is needed u8, and for each document
//!                     document − previous document       varint
//!                     occurrences                        varint
//!                     place − previous place, for each   varint
//! ```
//!
//! Byte-aligned codes, since a run is written and read once; no envelope, since it never outlives the build. Where some of
//! its lists begin is kept in memory, so that several threads can each merge a range of the terms.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err::File;
use journal::varint;

use crate::field::Place;
use crate::list_sink::{ListHead, ListSink};
use crate::postings::Posting;
use crate::stems::is_stem_key;
use crate::{Error, TERM_BYTES_MAX};

/// So many bytes of a run lie between two marks.
const MARK_BYTES: u64 = 32 << 10;

/// A run that is written.
#[derive(Debug)]
pub(crate) struct Run {
    path: PathBuf,
    marks: Vec<Mark>,
}

/// Where the list of a term begins.
#[derive(Debug)]
struct Mark {
    term: Box<[u8]>,
    at: u64,
}

impl Run {
    /// Some terms, such that there are about as many bytes between each and the next.
    pub(crate) fn marks(&self) -> impl Iterator<Item = &[u8]> {
        self.marks.iter().map(|mark| &*mark.term)
    }

    /// The lists of the terms from `from` on; [`RunReader::next_list`] goes to the first.
    pub(crate) fn from(&self, from: &[u8], buffer_bytes: usize) -> Result<RunReader, Error> {
        let before = self.marks.partition_point(|mark| *mark.term <= *from);
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(before.checked_sub(1).map_or(0, |mark| self.marks[mark].at)))?;
        Ok(RunReader {
            bytes: ByteReader { file, buffer: vec![0; buffer_bytes.max(BUFFER_BYTES_MIN)], at: 0, end: 0 },
            from: from.to_owned(),
            term: Vec::with_capacity(TERM_BYTES_MAX),
            documents_left: 0,
            is_needed: true,
            document: 0,
        })
    }

    pub(crate) fn delete(self) -> Result<(), Error> {
        Ok(fs_err::remove_file(self.path)?)
    }
}

/// Writes a run, posting after posting.
pub(crate) struct RunWriter {
    run: Run,
    file: File,
    buffer: Vec<u8>,
    buffer_bytes: usize,
    written: u64,
    previous_document: u32,
}

impl RunWriter {
    pub(crate) fn create(path: &Path, buffer_bytes: usize) -> Result<Self, Error> {
        let file = File::create(path)?;
        let run = Run { path: path.to_owned(), marks: Vec::new() };
        Ok(Self { run, file, buffer: Vec::new(), buffer_bytes, written: 0, previous_document: 0 })
    }

    fn write_buffer(&mut self) -> Result<(), Error> {
        self.file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Run, Error> {
        self.write_buffer()?;
        Ok(self.run)
    }
}

impl ListSink for RunWriter {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        let at = self.written + self.buffer.len() as u64;
        if at - self.run.marks.last().map_or(0, |mark| mark.at) >= MARK_BYTES {
            self.run.marks.push(Mark { term: head.term.into(), at });
        }
        self.previous_document = 0;
        varint::put(&mut self.buffer, head.term.len() as u64);
        self.buffer.extend_from_slice(head.term);
        varint::put(&mut self.buffer, head.documents);
        if is_stem_key(head.term) {
            self.buffer.push(head.is_needed.into());
        }
        Ok(true)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        varint::put(&mut self.buffer, (posting.document - self.previous_document).into());
        self.previous_document = posting.document;
        varint::put(&mut self.buffer, posting.places.len() as u64);
        let mut previous = 0;
        for &Place(place) in &posting.places {
            varint::put(&mut self.buffer, (place - previous).into());
            previous = place;
        }
        if self.buffer.len() >= self.buffer_bytes { self.write_buffer() } else { Ok(()) }
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

/// Room for a term or a number.
const BUFFER_BYTES_MIN: usize = 2 * TERM_BYTES_MAX;

/// Bytes of a file, a buffer at a time.
struct ByteReader {
    file: File,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

impl ByteReader {
    /// Has so many bytes in the buffer, or all that are left.
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        if self.end - self.at >= bytes {
            return Ok(());
        }
        self.buffer.copy_within(self.at..self.end, 0);
        (self.at, self.end) = (0, self.end - self.at);
        while self.end < bytes {
            match self.file.read(&mut self.buffer[self.end..])? {
                0 => break,
                read => self.end += read,
            }
        }
        Ok(())
    }

    #[inline]
    fn number(&mut self) -> Result<u64, Error> {
        match self.buffer[self.at..self.end] {
            // Most numbers have one byte.
            [byte @ ..0x80, ..] => {
                self.at += 1;
                Ok(byte.into())
            }
            _ => self.long_number(),
        }
    }

    #[inline(never)]
    fn long_number(&mut self) -> Result<u64, Error> {
        self.fill(varint::BYTES_MAX)?;
        let mut left = &self.buffer[self.at..self.end];
        let number = varint::take(&mut left).ok_or(io::ErrorKind::UnexpectedEof);
        self.at = self.end - left.len();
        Ok(number.map_err(io::Error::from)?)
    }

    fn bytes(&mut self, count: usize) -> Result<&[u8], Error> {
        self.fill(count)?;
        if count > self.end - self.at {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.at += count;
        Ok(&self.buffer[self.at - count..self.at])
    }
}

/// Reads a run, list after list.
pub(crate) struct RunReader {
    bytes: ByteReader,
    /// Lists of terms before this one are passed over.
    from: Vec<u8>,
    /// The term of the present list; meaningless after the last.
    pub(crate) term: Vec<u8>,
    /// How many documents of the present list have not been taken.
    pub(crate) documents_left: u64,
    /// Whether the present list is needed, as far as this run knows.
    pub(crate) is_needed: bool,
    /// The next document of the present list.
    document: u32,
}

impl RunReader {
    /// Moves to the next list, of which all postings must have been taken before; false when there is none.
    pub(crate) fn next_list(&mut self) -> Result<bool, Error> {
        while self.read_head()? {
            if self.term >= self.from {
                return Ok(true);
            }
            let mut posting = Posting::default();
            while self.document().is_some() {
                self.take(&mut posting)?;
            }
        }
        Ok(false)
    }

    fn read_head(&mut self) -> Result<bool, Error> {
        self.bytes.fill(1)?;
        if self.bytes.at == self.bytes.end {
            return Ok(false);
        }
        let length = self.bytes.number()? as usize;
        self.term.clear();
        self.term.extend_from_slice(self.bytes.bytes(length.min(BUFFER_BYTES_MIN))?);
        self.documents_left = self.bytes.number()?;
        self.is_needed = !is_stem_key(&self.term) || self.bytes.bytes(1)? != [0];
        self.document = self.bytes.number()? as u32;
        Ok(true)
    }

    /// The next document of the present list.
    #[inline]
    pub(crate) fn document(&self) -> Option<u32> {
        (self.documents_left > 0).then_some(self.document)
    }

    /// Takes the next posting of the present list, which has one.
    #[inline]
    pub(crate) fn take(&mut self, posting: &mut Posting) -> Result<(), Error> {
        posting.document = self.document;
        posting.places.clear();
        let mut place = 0u32;
        for _ in 0..self.bytes.number()? {
            place = place.wrapping_add(self.bytes.number()? as u32);
            posting.places.push(Place(place));
        }
        self.documents_left -= 1;
        if self.documents_left > 0 {
            self.document = self.document.wrapping_add(self.bytes.number()? as u32);
        }
        Ok(())
    }
}
