//! Lengths of fields, a byte each: exact up to 31 words, then sixteen steps to each doubling.
//!
//! A length only tells how much a word counts, and a page of 1,000 words is as long as one of 1,030. What a byte says is
//! at most the length, and less than a sixteenth below it; half a million words are as long as a page can be.
//!
//! ```text
//! lengths   for each field that has words: a byte for each document
//!           a bit for each field, whether it has (u8)
//! ```
//!
//! Columns lie one after the other: most scores need the length of the main text only, and do not bring those of other fields
//! into the cache.
//!
//! Cost: up to six bytes per document, in memory as well while a segment is written.

use std::ops::Range;
use std::path::Path;

use journal::{SealedFile, SealedWriter};

use crate::Error;
use crate::field::{FIELD_COUNT, Field};
use crate::file::{self, FILES, LENGTHS_FILE};

const EXACT: u32 = 32;
const STEP_BITS: u32 = 4;

/// The byte of a length.
pub fn encode_length(length: u32) -> u8 {
    if length < EXACT {
        return length as u8;
    }
    let octave = length.ilog2() - EXACT.ilog2();
    let step = (length >> (length.ilog2() - STEP_BITS)) & ((1 << STEP_BITS) - 1);
    (EXACT + (octave << STEP_BITS) + step).min(u8::MAX.into()) as u8
}

/// The length of a byte: the shortest that has it.
pub fn decode_length(code: u8) -> u32 {
    let code = u32::from(code);
    if code < EXACT {
        return code;
    }
    let (octave, step) = ((code - EXACT) >> STEP_BITS, (code - EXACT) & ((1 << STEP_BITS) - 1));
    ((1 << STEP_BITS) | step) << (octave + EXACT.ilog2() - STEP_BITS)
}

/// The file of the lengths of all documents of a segment.
#[derive(Debug)]
pub(crate) struct LengthsFile {
    file: SealedFile,
    documents: u32,
    /// Where the column of each field is, empty if it has no words.
    columns: [Range<u64>; FIELD_COUNT],
}

impl LengthsFile {
    /// Verifies the lengths of so many documents.
    pub(crate) fn new(file: SealedFile, documents: u32) -> Result<Self, Error> {
        let (&mask, columns) = file.all_bytes()?.split_last().unwrap_or((&0, &[]));
        let mut end = 0;
        let places = std::array::from_fn(|field| {
            let begin = end;
            end += if mask >> field & 1 != 0 { u64::from(documents) } else { 0 };
            begin..end
        });
        if columns.len() as u64 != end {
            return Err(Error::damaged(file.path(), "it does not have one entry for each document"));
        }
        Ok(Self { file, documents, columns: places })
    }

    /// How many documents there are.
    pub(crate) fn documents(&self) -> u32 {
        self.documents
    }

    /// The codes of all lengths.
    #[inline]
    pub(crate) fn lengths(&self) -> Lengths<'_> {
        Lengths { columns: self.columns.each_ref().map(|column| self.file.verified_bytes(column.clone())) }
    }

    pub(crate) fn file(&self) -> &SealedFile {
        &self.file
    }

    pub(crate) fn file_mut(&mut self) -> &mut SealedFile {
        &mut self.file
    }
}

/// The codes of the lengths of all documents of a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lengths<'a> {
    /// Of each field, empty if it has no words.
    columns: [&'a [u8]; FIELD_COUNT],
}

impl<'a> Lengths<'a> {
    /// The codes of the lengths of a field, by document; none if no document has words in it.
    #[inline]
    pub(crate) fn of_field(&self, field: Field) -> &'a [u8] {
        self.columns[field.index()]
    }

    /// The code of the length of a field; 0 if there is no such document.
    #[inline]
    pub(crate) fn code(&self, document: u32, field: usize) -> u8 {
        self.columns[field].get(document as usize).copied().unwrap_or(0)
    }

    /// Those of all fields of a document.
    #[inline]
    pub(crate) fn codes(&self, document: u32) -> [u8; FIELD_COUNT] {
        std::array::from_fn(|field| self.code(document, field))
    }
}

/// Writes the lengths of documents in the order of their numbers.
pub(crate) struct LengthsWriter {
    file: SealedWriter,
    columns: [Vec<u8>; FIELD_COUNT],
}

impl LengthsWriter {
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        let (name, kind) = FILES[LENGTHS_FILE];
        Ok(Self { file: file::create(&folder.join(name), kind)?, columns: Default::default() })
    }

    /// Adds a document.
    pub(crate) fn put(&mut self, codes: [u8; FIELD_COUNT]) {
        for (column, code) in self.columns.iter_mut().zip(codes) {
            column.push(code);
        }
    }

    /// Brings what was added into another order: that of these documents.
    pub(crate) fn reorder(&mut self, documents: &[u32]) {
        for column in &mut self.columns {
            *column = documents.iter().map(|&document| column[document as usize]).collect();
        }
    }

    /// The file, which is whole.
    pub(crate) fn finish(mut self) -> Result<SealedWriter, Error> {
        let mut mask = 0;
        for (field, column) in self.columns.iter().enumerate() {
            if column.iter().any(|&code| code > 0) {
                self.file.put(column)?;
                mask |= 1 << field;
            }
        }
        self.file.put(&[mask])?;
        Ok(self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_comes_back_nearly_as_it_was_and_never_longer() {
        for length in (0..100_000).chain([1 << 18, 400_000]) {
            let back = decode_length(encode_length(length));
            assert!(back <= length && u64::from(length - back) * 16 <= u64::from(length), "{length}: {back}");
            assert!(length >= EXACT || back == length);
        }
        for code in 0..=u8::MAX {
            assert_eq!(encode_length(decode_length(code)), code);
        }
        assert!(encode_length(u32::MAX) == u8::MAX);
    }

    #[test]
    fn fields_without_words_take_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = LengthsWriter::create(folder.path()).unwrap();
        let rows: [[u8; FIELD_COUNT]; 3] = [[0, 0, 7, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 9, 0, 0, 0]];
        rows.iter().for_each(|&row| writer.put(row));
        let sealed = writer.finish().unwrap().finish().unwrap();
        let open = || file::open(&folder.path().join("lengths"), *b"leng", sealed.identity).unwrap();
        let read = LengthsFile::new(open(), 3).unwrap();
        assert_eq!(read.file().payload_bytes(), 2 * 3 + 1);
        assert_eq!([0, 1, 2].map(|document| read.lengths().codes(document)), rows);
        assert!(LengthsFile::new(open(), 2).is_err());
    }
}
