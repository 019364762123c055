//! One list in one code, in memory: what `crivello bench codec` measures.
//!
//! It is cut into blocks as in a file of postings, each of which begins at a byte, with the table that a skip goes through.

use super::{BLOCK, BitReader, BitWriter, CodecName, ListShape, Within};

/// A list in the code of a codec.
#[derive(Debug)]
pub struct CodedList {
    codec: CodecName,
    shape: ListShape,
    bytes: Vec<u8>,
    bits: u64,
    blocks: Vec<Block>,
    is_increasing: bool,
}

#[derive(Debug)]
struct Block {
    begin: u64,
    within: Within,
    length: usize,
}

impl CodedList {
    /// Writes increasing documents, of as many as the collection has.
    pub fn of_documents(codec: CodecName, documents: &[u32], documents_all: u32) -> Self {
        Self::write(codec, documents, documents_all, true)
    }

    /// Writes counts or the gaps of positions, of a word that is in so many documents.
    pub fn of_numbers(codec: CodecName, numbers: &[u32]) -> Self {
        Self::write(codec, numbers, 0, false)
    }

    fn write(codec: CodecName, numbers: &[u32], documents_all: u32, is_increasing: bool) -> Self {
        let shape = ListShape { documents_all, documents: numbers.len() as u32 };
        let (mut bits, mut written, mut blocks) = (BitWriter::default(), 0, Vec::new());
        let mut first = 0;
        for block in numbers.chunks(BLOCK) {
            bits.align();
            let begin = bits.bits();
            let last = if numbers.len() > BLOCK { block[block.len() - 1] } else { documents_all.max(1) - 1 };
            let within = Within { first, last };
            if is_increasing {
                codec.codec().write_increasing(block, within, &shape, &mut bits);
                first = last.wrapping_add(1);
            } else {
                codec.codec().write(block, &shape, &mut bits);
            }
            written += bits.bits() - begin;
            blocks.push(Block { begin, within, length: block.len() });
        }
        bits.align();
        Self {
            codec,
            shape,
            bytes: bits.take_bytes().as_ref().to_vec(),
            bits: written,
            blocks,
            is_increasing,
        }
    }

    /// Tells how many bits the code takes, without the table and the rests of bytes.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Reads all blocks one after the other; `see` is shown the numbers of each.
    pub fn read(&self, mut see: impl FnMut(&[u32])) {
        let mut numbers = [0; BLOCK];
        for block in &self.blocks {
            see(self.read_block(block, &mut numbers));
        }
    }

    /// Finds the first document that is not before `target`, through the table of blocks.
    pub fn find(&self, target: u32) -> Option<u32> {
        let block = self.blocks.partition_point(|block| block.within.last < target);
        let mut numbers = [0; BLOCK];
        let documents = self.read_block(self.blocks.get(block)?, &mut numbers);
        documents.get(documents.partition_point(|&document| document < target)).copied()
    }

    fn read_block<'n>(&self, block: &Block, numbers: &'n mut [u32; BLOCK]) -> &'n [u32] {
        let mut bits = BitReader::new(&self.bytes, block.begin);
        let numbers = &mut numbers[..block.length];
        if self.is_increasing {
            self.codec.codec().read_increasing(&mut bits, block.within, &self.shape, numbers);
        } else {
            self.codec.codec().read(&mut bits, &self.shape, numbers);
        }
        numbers
    }
}
