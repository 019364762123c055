//! The words of links, by number, in blocks of 64 that are deflated.
//!
//! Words of neighbouring tables resemble each other in more than their beginnings (`HashMap`, `HashMap::insert`, `struct
//! std::collections::HashMap`), so a block is compressed as a whole: half of what leaving out shared beginnings of the sorted
//! words takes, and no order of its own has to be remembered.
//!
//! ```text
//! payload = blocks; Elias–Fano of where each block starts, and of the end; bytes of the blocks (u64), count (u64)
//! block   = deflated: each word and a byte 0xFF, which is in no text
//! ```
//!
//! Cost: 5 to 9 bytes for words of 22 to 28 bytes; a block is read in some 4 µs.

use std::path::Path;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use journal::{Bytes, Kind, SealedWriter, u64_at};

use crate::Error;
use crate::elias_fano::EliasFano;
use crate::sealed::{create_sealed, open_sealed};

use super::sequence;

const KIND: Kind = *b"word";
const BLOCK_WORDS: usize = 64;
const WORD_END: u8 = 0xff;
/// How many blocks a reader remembers.
const SLOTS: usize = 8;
/// How much space is added to a buffer that is full.
const STEP_BYTES: usize = 1 << 12;

/// Takes words in the order of their numbers.
pub(crate) struct WordWriter {
    file: SealedWriter,
    starts: Vec<u64>,
    count: usize,
    block: Vec<u8>,
    deflated: Vec<u8>,
    deflate: Compress,
}

impl WordWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            file: create_sealed(path, KIND)?,
            starts: vec![0],
            count: 0,
            block: Vec::new(),
            deflated: Vec::new(),
            deflate: Compress::new(Compression::best(), false),
        })
    }

    /// Adds the next word, which is a text.
    pub(crate) fn push(&mut self, word: &[u8]) -> Result<(), Error> {
        debug_assert!(!word.contains(&WORD_END), "words are in UTF-8");
        self.block.extend_from_slice(word);
        self.block.push(WORD_END);
        self.count += 1;
        if self.count.is_multiple_of(BLOCK_WORDS) { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), Error> {
        self.deflate.reset();
        self.deflated.clear();
        loop {
            self.deflated.reserve(STEP_BYTES);
            let rest = &self.block[self.deflate.total_in() as usize..];
            let status = self.deflate.compress_vec(rest, &mut self.deflated, FlushCompress::Finish);
            if status.expect("memory can be compressed") == Status::StreamEnd {
                break;
            }
        }
        self.file.put(&self.deflated)?;
        self.starts.push(self.file.payload_bytes());
        self.block.clear();
        Ok(())
    }

    /// Writes the rest; returns the bytes of the payload.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let block_bytes = self.file.payload_bytes();
        self.file.put(&sequence(&self.starts))?;
        self.file.put(&block_bytes.to_le_bytes())?;
        self.file.put(&(self.count as u64).to_le_bytes())?;
        let bytes = self.file.payload_bytes();
        self.file.finish()?;
        Ok(bytes)
    }
}

/// All words, from their file.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    blocks: Bytes,
    starts: EliasFano,
}

impl Words {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let payload = open_sealed(path, KIND)?;
        Self::parse(&payload).ok_or_else(|| Error::damaged(path, "its lengths do not add up"))
    }

    fn parse(payload: &Bytes) -> Option<Self> {
        let end = payload.len().checked_sub(16)?;
        let block_bytes = usize::try_from(u64_at(payload, end)).ok()?;
        let starts = EliasFano::from_bytes(&payload.cut(block_bytes..end)?)?;
        let count = usize::try_from(u64_at(payload, end + 8)).ok()?;
        let is_whole = starts.len() == count.div_ceil(BLOCK_WORDS) + 1;
        is_whole.then_some(Self { blocks: payload.cut(0..block_bytes)?, starts })
    }

    /// The bytes of a block; nothing if there is no such block.
    fn block(&self, block: usize) -> &[u8] {
        if block + 1 >= self.starts.len() {
            return &[];
        }
        let (start, end) = self.starts.get_pair(block);
        self.blocks.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Somebody who looks words up.
    pub(crate) fn reader(&self) -> WordReader<'_> {
        WordReader { words: self, slots: Default::default(), inflate: Decompress::new(false) }
    }
}

/// Looks words up, and remembers some of the last blocks.
pub struct WordReader<'a> {
    words: &'a Words,
    slots: [Slot; SLOTS],
    inflate: Decompress,
}

/// A block that was read.
#[derive(Default)]
struct Slot {
    block: Option<usize>,
    text: Vec<u8>,
}

impl WordReader<'_> {
    /// The word of a number; an empty one if there is no such word.
    pub fn get(&mut self, number: u32) -> String {
        let block = number as usize / BLOCK_WORDS;
        let slot = &mut self.slots[block % SLOTS];
        if slot.block != Some(block) {
            slot.block = Some(block);
            inflate_into(&mut slot.text, self.words.block(block), &mut self.inflate);
        }
        let word = slot.text.split(|byte| *byte == WORD_END).nth(number as usize % BLOCK_WORDS);
        String::from_utf8_lossy(word.unwrap_or_default()).into_owned()
    }
}

/// Replaces a text by what a block holds, as far as it can be read.
fn inflate_into(text: &mut Vec<u8>, block: &[u8], inflate: &mut Decompress) {
    text.clear();
    inflate.reset(false);
    loop {
        text.reserve(STEP_BYTES);
        let (rest, before) = (&block[inflate.total_in() as usize..], inflate.total_out());
        match inflate.decompress_vec(rest, text, FlushDecompress::None) {
            Ok(Status::Ok | Status::BufError) if inflate.total_out() > before => {}
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(words: &[String], path: &Path) -> u64 {
        let mut writer = WordWriter::create(path).unwrap();
        words.iter().for_each(|word| writer.push(word.as_bytes()).unwrap());
        writer.finish().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn words_come_back_in_any_order(words in prop::collection::vec("\\PC{0,9}", 0..300), order in any::<u32>()) {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("words");
            written(&words, &path);
            let list = Words::open(&path).unwrap();
            let mut reader = list.reader();
            for place in 0..words.len() as u32 {
                let number = (place ^ order) % words.len() as u32;
                prop_assert_eq!(&reader.get(number), &words[number as usize]);
            }
            prop_assert_eq!(reader.get(words.len() as u32 + order % 1000), "");
        }
    }

    #[test]
    fn long_words_come_back() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("words");
        let words = [
            "a".repeat(1 << 20),
            (0..100_000u64).map(|number| format!("{}", number * number % 977)).collect(),
        ];
        assert!(written(&words, &path) < 1 << 18);
        let list = Words::open(&path).unwrap();
        assert_eq!([1, 0].map(|number| list.reader().get(number)), [words[1].clone(), words[0].clone()]);
    }
}
