//! The keys of the documents of a segment, in the order of their numbers.
//!
//! ```text
//! keys    blocks of 128 documents, the last with the remaining ones: what each key has beyond the line of its block
//!             in as many bits as the greatest needs, up to a byte
//!         for each block: the first key of its line (u64), the step of its line (u32), bits (u8), where it begins (u56, byte)
//! ```
//!
//! The line of a block goes through the least keys that are possible: from document to document it rises by the least step
//! between two keys, and not at all where they do not ascend. Keys that follow each other take no bits but those of the line,
//! places in a table of pages some ten, and keys in any order as many as the greatest has.
//!
//! Cost: 20 bytes for a block, 1.25 bits for each document; a key is found by one division.

use std::path::Path;

use journal::{SealedFile, SealedWriter, u32_at, u64_at};
use page::PageKey;

use crate::Error;
use crate::codec::{BitReader, BitWriter};
use crate::file::{self, FILES, KEYS_FILE};

const BLOCK: usize = 128;
const ROW_BYTES: usize = 20;
const WIDTH_BITS: u32 = 8;

/// Writes keys, document after document.
pub(crate) struct KeysWriter {
    file: SealedWriter,
    block: Vec<u64>,
    rows: Vec<u8>,
}

impl KeysWriter {
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        let (name, kind) = FILES[KEYS_FILE];
        let file = file::create(&folder.join(name), kind)?;
        Ok(Self { file, block: Vec::with_capacity(BLOCK), rows: Vec::new() })
    }

    pub(crate) fn put(&mut self, key: PageKey) -> Result<(), Error> {
        self.block.push(key.get());
        if self.block.len() == BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), Error> {
        let line = Line::below(&self.block);
        let beyond = |(place, key): (usize, &u64)| key - line.at(place);
        let greatest = self.block.iter().enumerate().map(beyond).max().unwrap_or(0);
        let width = u64::BITS - greatest.leading_zeros();
        self.rows.extend_from_slice(&line.first.to_le_bytes());
        self.rows.extend_from_slice(&line.step.to_le_bytes());
        let begin = self.file.payload_bytes() << WIDTH_BITS | u64::from(width);
        self.rows.extend_from_slice(&begin.to_le_bytes());
        let mut bits = BitWriter::default();
        for rest in self.block.iter().enumerate().map(beyond) {
            bits.write_bits(rest as u32, width.min(32));
            bits.write_bits((rest >> 32) as u32, width.saturating_sub(32));
        }
        bits.align();
        self.file.put(bits.take_bytes().as_ref())?;
        self.block.clear();
        Ok(())
    }

    /// The file, which is whole.
    pub(crate) fn finish(mut self) -> Result<SealedWriter, Error> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.file.put(&self.rows)?;
        Ok(self.file)
    }
}

/// What the keys of a block have in common.
#[derive(Debug, Clone, Copy)]
struct Line {
    first: u64,
    step: u32,
}

impl Line {
    /// The highest line that no key is below and that begins at the first key, or a level one.
    fn below(keys: &[u64]) -> Self {
        let steps = keys.windows(2).map(|pair| pair[1].checked_sub(pair[0]));
        match steps.min() {
            Some(Some(step)) => Self { first: keys[0], step: step.min(u32::MAX.into()) as u32 },
            _ => Self { first: keys.iter().copied().min().unwrap_or(0), step: 0 },
        }
    }

    fn at(self, place: usize) -> u64 {
        // What nobody wrote may lead anywhere.
        self.first.wrapping_add(u64::from(self.step).wrapping_mul(place as u64))
    }
}

/// The keys of a segment.
#[derive(Debug)]
pub(crate) struct Keys {
    file: SealedFile,
    documents: u32,
    /// Where the rows of blocks begin.
    rows: usize,
}

/// What is known of a block.
struct Row {
    line: Line,
    width: u32,
    begin: usize,
}

impl Keys {
    /// Verifies the keys of so many documents.
    pub(crate) fn new(file: SealedFile, documents: u32) -> Result<Self, Error> {
        let rows_bytes = (documents as usize).div_ceil(BLOCK) * ROW_BYTES;
        let Some(rows) = file.all_bytes()?.len().checked_sub(rows_bytes) else {
            return Err(Error::damaged(file.path(), NOT_EACH));
        };
        let keys = Self { file, documents, rows };
        if keys.are_whole() { Ok(keys) } else { Err(Error::damaged(keys.file.path(), NOT_EACH)) }
    }

    /// Whether every block begins where the one before ends.
    fn are_whole(&self) -> bool {
        let mut end = 0;
        for first in (0..self.documents).step_by(BLOCK) {
            let row = self.row(first as usize / BLOCK);
            if row.begin != end || row.width > u64::BITS {
                return false;
            }
            let count = BLOCK.min((self.documents - first) as usize);
            end += (count * row.width as usize).div_ceil(8);
        }
        end == self.rows
    }

    fn row(&self, block: usize) -> Row {
        let row = &self.bytes()[self.rows + block * ROW_BYTES..];
        let (line, begin) = (Line { first: u64_at(row, 0), step: u32_at(row, 8) }, u64_at(row, 12));
        Row { line, width: begin as u8 as u32, begin: (begin >> WIDTH_BITS) as usize }
    }

    fn bytes(&self) -> &[u8] {
        self.file.verified_bytes(0..self.file.payload_bytes())
    }

    /// The key of a document; 0 if it is not here.
    pub(crate) fn key(&self, document: u32) -> PageKey {
        if document >= self.documents {
            return PageKey::START;
        }
        let (block, place) = (document as usize / BLOCK, document as usize % BLOCK);
        let Row { line, width, begin } = self.row(block);
        let mut bits = BitReader::new(&self.bytes()[begin..self.rows], place as u64 * u64::from(width));
        let (low, high) = (bits.read_bits(width.min(32)), bits.read_bits(width.saturating_sub(32)));
        PageKey::new(line.at(place).wrapping_add(u64::from(high) << 32 | u64::from(low)))
    }

    pub(crate) fn file(&self) -> &SealedFile {
        &self.file
    }
}

const NOT_EACH: &str = "it does not have one entry for each document";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What becomes of keys, and how many bytes it takes.
    fn written(keys: &[u64]) -> (Vec<u64>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = KeysWriter::create(folder.path()).unwrap();
        keys.iter().for_each(|&key| writer.put(PageKey::new(key)).unwrap());
        let sealed = writer.finish().unwrap().finish().unwrap();
        let open = || file::open(&folder.path().join("keys"), *b"keys", sealed.identity).unwrap();
        let read = Keys::new(open(), keys.len() as u32).unwrap();
        let back = (0..keys.len() as u32).map(|document| read.key(document).get()).collect();
        assert_eq!(read.key(keys.len() as u32), PageKey::START);
        assert!(Keys::new(open(), keys.len() as u32 + BLOCK as u32).is_err());
        (back, read.file().payload_bytes())
    }

    #[test]
    fn keys_in_a_row_take_the_bytes_of_their_lines() {
        let keys: Vec<u64> = (1_000..2_000).collect();
        assert_eq!(written(&keys), (keys, 8 * ROW_BYTES as u64));
    }

    proptest! {
        #[test]
        fn keys_come_back_in_any_order(
            keys in proptest::collection::vec(prop_oneof![0u64..100_000, any::<u64>()], 0..300),
            is_sorted in any::<bool>(),
        ) {
            let mut keys = keys;
            if is_sorted {
                keys.sort();
            }
            prop_assert_eq!(written(&keys).0, keys);
        }
    }
}
