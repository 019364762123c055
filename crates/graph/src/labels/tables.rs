//! For each target: the words that its arcs carry, the most frequent first, and the flags that most of them have.
//!
//! Two of three words are those of a single target. They are numbered in the order in which they stand in the tables, so a
//! table only says "the next one", which is a zero; words that are in several tables are numbered by frequency from one on.
//! Tables stand in blocks of 16, and two Elias–Fano sequences say where a block starts and how many such words come before it.
//!
//! ```text
//! block = flags of its targets that are not zero (see `flags.rs`); each target: γ of how many words, and each in δ
//! ```
//!
//! Cost: a table is found in some 0.1 µs, by reading half a block. For sizes see `labels/mod.rs`.
//! While it is written: four bytes for each word of each table and for each distinct word, five for each node.

use journal::Bytes;

use crate::bit_buffer::BitBuffer;
use crate::bv::bit_reader::BitReader;
use crate::elias_fano::EliasFano;

use super::{flags, sequence};

const BLOCK_TARGETS: usize = 16;

/// Takes the tables of all targets in order.
#[derive(Default)]
pub(crate) struct TableWriter {
    words: Vec<u32>,
    lengths: Vec<u32>,
    flags: Vec<u8>,
}

/// What the writer of labels has to know of the tables.
pub(super) struct TableFacts {
    lengths: Vec<u32>,
    flags: Vec<u8>,
}

impl TableFacts {
    pub(super) fn length(&self, target: u32) -> u32 {
        self.lengths[target as usize]
    }

    pub(super) fn flags(&self, target: u32) -> u8 {
        self.flags[target as usize]
    }
}

/// Tables as they are written, and what is known of them.
pub(crate) struct CompressedTables {
    pub(super) facts: TableFacts,
    /// Bits, block starts, single words before each block.
    pub(super) parts: [Vec<u8>; 3],
    pub(super) shared_words: u64,
}

impl TableWriter {
    /// Adds the words of the next target, the most frequent first, and its usual flags.
    pub(crate) fn push(&mut self, words: impl ExactSizeIterator<Item = u32>, flags: u8) {
        self.lengths.push(words.len() as u32);
        self.words.extend(words);
        self.flags.push(flags);
    }

    /// Compresses the tables, whose words are numbers below `words`. Returns the words in the order of their new numbers.
    pub(crate) fn compress(self, words: usize) -> (CompressedTables, Vec<u32>) {
        let (mut order, numbers) = number_shared(&self.words, words);
        let shared_words = order.len() as u64;
        order.extend(self.words.iter().filter(|word| numbers[**word as usize] == 0));
        let (mut bits, mut rest, mut singles) = (BitBuffer::default(), &self.words[..], 0);
        let (mut starts, mut singles_before) = (Vec::new(), Vec::new());
        for (lengths, flags) in self.lengths.chunks(BLOCK_TARGETS).zip(self.flags.chunks(BLOCK_TARGETS)) {
            starts.push(bits.len());
            singles_before.push(singles);
            flags::put(&mut bits, flags);
            for length in lengths {
                let (table, others) = rest.split_at(*length as usize);
                bits.put_gamma(u64::from(*length));
                for word in table {
                    let number = numbers[*word as usize];
                    bits.put_delta(u64::from(number));
                    singles += u64::from(number == 0);
                }
                rest = others;
            }
        }
        let parts = [bits.take_bytes(), sequence(&starts), sequence(&singles_before)];
        let facts = TableFacts { lengths: self.lengths, flags: self.flags };
        (CompressedTables { facts, parts, shared_words }, order)
    }
}

/// The words that are there twice or more, the most frequent first, and for each word its number among them, from one on.
fn number_shared(all: &[u32], words: usize) -> (Vec<u32>, Vec<u32>) {
    let mut counts = vec![0u32; words];
    all.iter().for_each(|word| counts[*word as usize] += 1);
    let mut shared: Vec<u32> = (0..words as u32).filter(|word| counts[*word as usize] > 1).collect();
    shared.sort_by_key(|word| std::cmp::Reverse(counts[*word as usize]));
    let mut numbers = counts;
    numbers.fill(0);
    shared.iter().zip(1..).for_each(|(word, number)| numbers[*word as usize] = number);
    (shared, numbers)
}

/// The tables, from their bytes.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    targets: usize,
    bits: Bytes,
    starts: EliasFano,
    singles_before: EliasFano,
    shared_words: u64,
}

impl Tables {
    pub(super) fn parse(targets: usize, parts: [&Bytes; 3], shared_words: u64) -> Option<Self> {
        let starts = EliasFano::from_bytes(parts[1])?;
        let singles_before = EliasFano::from_bytes(parts[2])?;
        let blocks = targets.div_ceil(BLOCK_TARGETS);
        let is_whole = starts.len() == blocks && singles_before.len() == blocks;
        is_whole.then(|| Self { targets, bits: parts[0].clone(), starts, singles_before, shared_words })
    }

    /// The usual flags of arcs to a target.
    pub(super) fn flags(&self, target: u32) -> u8 {
        self.read_block(target).1
    }

    /// A reader behind the flags of the target's block, and the flags of the target.
    #[inline]
    fn read_block(&self, target: u32) -> (BitReader<'_>, u8) {
        let (block, place) = (target as usize / BLOCK_TARGETS, target as usize % BLOCK_TARGETS);
        let mut reader = BitReader::new(&self.bits, self.starts.get(block));
        let targets = BLOCK_TARGETS.min(self.targets - block * BLOCK_TARGETS);
        let flags = flags::take(&mut reader, targets);
        let own = flags.iter().find(|(other, _)| *other == place).map_or(0, |(_, flags)| *flags);
        (reader, own)
    }

    /// The table of a target.
    pub(super) fn table(&self, target: u32) -> Table<'_> {
        let (mut reader, flags) = self.read_block(target);
        let mut singles = self.singles_before.get(target as usize / BLOCK_TARGETS);
        for _ in 0..target as usize % BLOCK_TARGETS {
            for _ in 0..reader.gamma() {
                singles += u64::from(reader.delta() == 0);
                if reader.is_beyond() {
                    break;
                }
            }
        }
        let length = reader.gamma();
        Table { flags, length, next_single: self.shared_words.saturating_add(singles), reader }
    }
}

/// Gives the numbers of the words of a target.
#[derive(Debug, Clone)]
pub(super) struct Table<'a> {
    /// What most arcs have.
    pub(super) flags: u8,
    /// How many words there are from here on.
    pub(super) length: u64,
    next_single: u64,
    reader: BitReader<'a>,
}

impl Iterator for Table<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.length == 0 || self.reader.is_beyond() {
            return None;
        }
        self.length -= 1;
        let number = self.reader.delta();
        if number > 0 {
            return Some((number - 1) as u32);
        }
        self.next_single += 1;
        Some((self.next_single - 1) as u32)
    }
}
