//! Lengths of fields, a byte each: exact up to 31 words, then sixteen steps to each doubling.
//!
//! A length only tells how much a word counts, and a page of 1,000 words is as long as one of 1,030. What a byte says is
//! at most the length, and less than a sixteenth below it; half a million words are as long as a page can be.
//!
//! The file has a column for each field, one after the other: most scores need the length of the main text only, and do
//! not bring those of other fields into the cache.
//!
//! Cost: six bytes per document, in memory as well while a segment is written.

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

/// The codes of the lengths of all documents of a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lengths<'a> {
    columns: [&'a [u8]; FIELD_COUNT],
}

impl<'a> Lengths<'a> {
    /// Those of a file that has been verified.
    #[inline]
    pub(crate) fn of(file: &'a SealedFile) -> Self {
        let bytes = file.verified_bytes(0..file.payload_bytes());
        let documents = bytes.len() / FIELD_COUNT;
        Self { columns: std::array::from_fn(|field| &bytes[field * documents..(field + 1) * documents]) }
    }

    /// The codes of the lengths of a field, by document.
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
        for column in &self.columns {
            self.file.put(column)?;
        }
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
}
