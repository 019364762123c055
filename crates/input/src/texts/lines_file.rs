//! A file of lines that are a document each, readable by the number of the line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::{Failure, FieldNames};
use crate::Error;

/// What is known of the lines of a file, beside the places where they begin.
#[derive(Debug)]
pub struct LinesFile {
    /// The user's file, or its plain copy in the work folder. It is opened when it is read: there may be more files
    /// than may be open at once.
    pub path: PathBuf,
    /// The fields that are read of each line.
    pub names: FieldNames,
    /// The lines are ours, not the user's.
    pub is_made_of_rows: bool,
    bytes: u64,
    documents: u32,
    /// For each blank line, how many documents of this file stand before it.
    blanks: Vec<u32>,
}

/// Some editors put it before the first line; it is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl LinesFile {
    /// Finds the lines of a file; where they begin is added to `places`.
    pub fn scan(
        path: &Path,
        names: FieldNames,
        is_made_of_rows: bool,
        places: &mut Vec<u64>,
    ) -> Result<Self, Failure> {
        let broken = |error: io::Error| Failure::Broken(Error::unreadable(path, error));
        let (mut place, mut documents, mut blanks) = (0u64, 0u32, Vec::new());
        let mut lines = BufReader::with_capacity(1 << 18, Failure::open(path)?);
        if lines.fill_buf().map_err(broken)?.starts_with(BYTE_ORDER_MARK) {
            lines.consume(BYTE_ORDER_MARK.len());
            place += BYTE_ORDER_MARK.len() as u64;
        }
        loop {
            let line = MeasuredLine::next(&mut lines).map_err(broken)?;
            if line.bytes == 0 {
                break;
            }
            if line.is_blank {
                blanks.push(documents);
            } else {
                places.push(place);
                documents = documents.saturating_add(1);
            }
            place += line.bytes;
        }
        Ok(Self { path: path.to_owned(), names, is_made_of_rows, bytes: place, documents, blanks })
    }

    /// Reads a line, without its end and the blank lines behind it. `places` are those of this file.
    pub fn read(&self, index: u32, places: &[u64], file: &File, line: &mut Vec<u8>) -> io::Result<()> {
        let start = places[index as usize];
        let end = if index + 1 == self.documents { self.bytes } else { places[index as usize + 1] };
        line.clear();
        line.resize((end - start) as usize, 0);
        file.read_exact_at(line, start)?;
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        line.truncate(end);
        Ok(())
    }

    /// Gives the number that editors show beside a line.
    pub fn line_number(&self, index: u32) -> u64 {
        let blanks = self.blanks.partition_point(|before| *before <= index);
        u64::from(index) + blanks as u64 + 1
    }
}

/// A line that was passed over. It is not kept: it may be larger than the memory.
#[derive(Debug, PartialEq, Eq)]
struct MeasuredLine {
    /// Its bytes, its end included; none at the end of the file.
    bytes: u64,
    is_blank: bool,
}

impl MeasuredLine {
    fn next(lines: &mut impl BufRead) -> io::Result<Self> {
        let mut line = Self { bytes: 0, is_blank: true };
        loop {
            let buffer = match lines.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            let end = memchr::memchr(b'\n', buffer);
            let length = end.map_or(buffer.len(), |end| end + 1);
            // The first byte tells of nearly all lines that they are not blank.
            line.is_blank = line.is_blank && buffer[..length].iter().all(u8::is_ascii_whitespace);
            line.bytes += length as u64;
            lines.consume(length);
            if end.is_some() || length == 0 {
                return Ok(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_measured_whatever_the_buffer() {
        let text = b"\n  \nab\n c";
        for capacity in 1..12 {
            let mut lines = BufReader::with_capacity(capacity, &text[..]);
            let measured: Vec<_> =
                std::iter::from_fn(|| Some(MeasuredLine::next(&mut lines).unwrap())).take(5).collect();
            let expected = [(1, true), (3, true), (3, false), (2, false), (0, true)];
            assert_eq!(measured, expected.map(|(bytes, is_blank)| MeasuredLine { bytes, is_blank }));
        }
    }
}
