//! The list of terms, in their order, each with where its postings lie.
//!
//! Terms are sorted by bytes and cut into blocks of 32. Inside a block each term is the length of the prefix it
//! shares with its predecessor and the rest, so a block is scanned. Ranges of terms are found by a binary search that reads
//! the first term of blocks through the memory map. Nothing is loaded: the list may be larger than memory.
//!
//! ```text
//! terms   for each block: where its lists begin
//!             postings (bit), positions (bit), skips (byte)   vbyte each
//!         32 times (the last block: the remaining)
//!             shared prefix, length of the rest       pair
//!             rest                                    its bytes
//!             documents less one, further occurrences pair   in how many the term occurs; 0 further ones without positions
//!             postings bits                           vbyte  length of its part of `postings`
//!             positions bits                          vbyte  length of its part of `positions`, if the index keeps any
//!             skips bytes                             vbyte  length of its part of `skips`, if it has one
//! pair    two numbers in the halves of a byte, the first in the low one; 15 says that the number less 15 follows as a vbyte
//! blocks  for each block: its first byte in `terms` (u64)
//! ```
//!
//! Lists follow each other in the order of the terms, so lengths are enough inside a block.

use std::cmp::Ordering;
use std::path::Path;

use journal::{SealedFile, SealedWriter, u64_at, varint};

use crate::list_entry::{ListEntry, StreamOffsets};
use crate::precision::Precision;
use crate::skips::has_table;
use crate::stems::is_stem_key;
use crate::{Error, TERM_BYTES_MAX, file};

const TERMS_PER_BLOCK: u64 = 32;
const BLOCK_ENTRY_BYTES: usize = 8;

/// A number of a pair that does not fit into half a byte.
const PAIR_ESCAPE: u64 = 15;

fn put_pair(bytes: &mut Vec<u8>, low: u64, high: u64) {
    bytes.push((low.min(PAIR_ESCAPE) | high.min(PAIR_ESCAPE) << 4) as u8);
    for number in [low, high] {
        if number >= PAIR_ESCAPE {
            varint::put(bytes, number - PAIR_ESCAPE);
        }
    }
}

#[inline]
fn take_pair(bytes: &mut &[u8]) -> Option<(u64, u64)> {
    let (&pair, rest) = bytes.split_first()?;
    *bytes = rest;
    let mut number = |half: u8| match u64::from(half) {
        PAIR_ESCAPE => varint::take(bytes)?.checked_add(PAIR_ESCAPE),
        number => Some(number),
    };
    Some((number(pair & 15)?, number(pair >> 4)?))
}

/// Writes the files `terms` and `blocks`, term after term.
pub(crate) struct TermBlocksWriter {
    terms: SealedWriter,
    blocks: SealedWriter,
    has_positions: bool,
    term_count: u64,
    last_term: Vec<u8>,
    entry: Vec<u8>,
}

impl TermBlocksWriter {
    pub(crate) fn create(folder: &Path, precision: Precision) -> Result<Self, Error> {
        let terms = file::create(&folder.join("terms"), *b"term")?;
        let blocks = file::create(&folder.join("blocks"), *b"blck")?;
        let has_positions = precision.has_positions();
        Ok(Self { terms, blocks, has_positions, term_count: 0, last_term: Vec::new(), entry: Vec::new() })
    }

    /// Adds the next term in order. Its list begins where the one before ends.
    pub(crate) fn add(&mut self, term: &[u8], list: &ListEntry) -> Result<(), Error> {
        self.entry.clear();
        if self.term_count.is_multiple_of(TERMS_PER_BLOCK) {
            self.start_block(list)?;
        }
        let shared = self.last_term.iter().zip(term).take_while(|(a, b)| a == b).count();
        put_pair(&mut self.entry, shared as u64, (term.len() - shared) as u64);
        self.entry.extend_from_slice(&term[shared..]);
        let documents = u64::from(list.documents);
        // Where positions are not kept there are as many as none.
        let further = list.occurrences.saturating_sub(documents);
        put_pair(&mut self.entry, documents - 1, further);
        varint::put(&mut self.entry, list.postings.end - list.postings.start);
        if self.has_positions {
            varint::put(&mut self.entry, list.positions.end - list.positions.start);
        }
        if has_table(list.documents, list.occurrences) {
            varint::put(&mut self.entry, list.skips.end - list.skips.start);
        }
        self.terms.put(&self.entry)?;
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
        self.term_count += 1;
        Ok(())
    }

    fn start_block(&mut self, first: &ListEntry) -> Result<(), Error> {
        self.last_term.clear();
        self.blocks.put(&self.terms.payload_bytes().to_le_bytes())?;
        for start in [first.postings.start, first.positions.start, first.skips.start] {
            varint::put(&mut self.entry, start);
        }
        Ok(())
    }

    /// The files in the order of [`crate::manifest::FILES`], and how many terms were added.
    pub(crate) fn finish(self) -> (SealedWriter, SealedWriter, u64) {
        (self.terms, self.blocks, self.term_count)
    }
}

/// The terms in their order, in the files `terms` and `blocks`.
#[derive(Debug)]
pub(crate) struct TermBlocks {
    terms: SealedFile,
    blocks: SealedFile,
    has_positions: bool,
}

impl TermBlocks {
    /// Verifies all of `blocks`, which every search goes through.
    pub(crate) fn new(terms: SealedFile, blocks: SealedFile, precision: Precision) -> Result<Self, Error> {
        if !blocks.all_bytes()?.len().is_multiple_of(BLOCK_ENTRY_BYTES) {
            return Err(Error::damaged(blocks.path(), "its length is not that of whole entries"));
        }
        Ok(Self { terms, blocks, has_positions: precision.has_positions() })
    }

    /// The list of a term, if it is the one with this number.
    pub(crate) fn at(&self, number: u64, term: &[u8]) -> Result<Option<ListEntry>, Error> {
        let block = (number / TERMS_PER_BLOCK) as usize;
        if block >= self.block_count() {
            return Ok(None);
        }
        let mut scan = self.scan(block)?;
        for _ in 0..number % TERMS_PER_BLOCK {
            if scan.pass(term)?.is_none() {
                return Ok(None);
            }
        }
        Ok(scan.pass(term)?.filter(|_| scan.is_passed(term)))
    }

    /// The list of a term that is looked for in the list of terms.
    pub(crate) fn search(&self, term: &[u8]) -> Result<Option<ListEntry>, Error> {
        let Some(block) = self.block_of(term)? else { return Ok(None) };
        let mut scan = self.scan(block)?;
        while let Some(entry) = scan.next()? {
            match scan.term.as_slice().cmp(term) {
                Ordering::Less => continue,
                Ordering::Equal => return Ok(Some(entry)),
                Ordering::Greater => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The last block whose first term is not behind this one.
    fn block_of(&self, term: &[u8]) -> Result<Option<usize>, Error> {
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let mut scan = self.scan(middle)?;
            scan.next()?;
            if scan.term.as_slice() <= term { low = middle + 1 } else { high = middle }
        }
        Ok(low.checked_sub(1))
    }

    /// The file of the terms.
    pub(crate) fn path(&self) -> &Path {
        self.terms.path()
    }

    /// Compares all checksums.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.terms.check()?;
        Ok(self.blocks.check()?)
    }

    /// Shows every term with its number and its list, in order, until `see` fails.
    pub(crate) fn for_each_entry(
        &self,
        mut see: impl FnMut(u64, &[u8], &ListEntry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut scan, mut number) = (self.terms(), 0);
        while let Some(entry) = scan.next()? {
            see(number, scan.term(), &entry)?;
            number += 1;
        }
        Ok(())
    }

    /// All terms, in order.
    pub(crate) fn terms(&self) -> TermScan<'_> {
        TermScan { terms: self, next_block: 0, block: None, first: None }
    }

    /// The terms from this one on, whether it is there or not.
    pub(crate) fn terms_from(&self, first: &[u8]) -> Result<TermScan<'_>, Error> {
        let next_block = self.block_of(first)?.unwrap_or(0);
        Ok(TermScan { terms: self, next_block, block: None, first: Some(first.to_vec()) })
    }

    /// Shows every term, in order.
    pub(crate) fn for_each_term(&self, mut see: impl FnMut(&[u8])) -> Result<(), Error> {
        self.for_each_entry(|_, term, _| {
            see(term);
            Ok(())
        })
    }

    /// The first terms of up to so many blocks, which are evenly spread.
    pub(crate) fn sample(&self, terms: usize) -> Result<Vec<Vec<u8>>, Error> {
        let (blocks, mut sample) = (self.block_count(), Vec::new());
        for number in 0..terms.min(blocks) {
            let mut scan = self.scan(number * blocks / terms.min(blocks))?;
            scan.next()?;
            sample.push(scan.term);
        }
        Ok(sample)
    }

    fn block_count(&self) -> usize {
        self.blocks.payload_bytes() as usize / BLOCK_ENTRY_BYTES
    }

    fn scan(&self, block: usize) -> Result<BlockScan<'_>, Error> {
        let entries = self.blocks.verified_bytes(0..self.blocks.payload_bytes());
        let at = block * BLOCK_ENTRY_BYTES;
        let next = at + BLOCK_ENTRY_BYTES;
        let end = if next < entries.len() { u64_at(entries, next) } else { self.terms.payload_bytes() };
        let bytes = self.terms.bytes(u64_at(entries, at)..end)?;
        BlockScan::new(bytes, self.has_positions, self.terms.path())
    }
}

/// Walks through entries in the order of their terms.
pub(crate) struct TermScan<'a> {
    terms: &'a TermBlocks,
    next_block: usize,
    block: Option<BlockScan<'a>>,
    /// What is before it is left out.
    first: Option<Vec<u8>>,
}

impl TermScan<'_> {
    /// The next entry, whose term [`TermScan::term`] tells then.
    pub(crate) fn next(&mut self) -> Result<Option<ListEntry>, Error> {
        loop {
            if let Some(block) = &mut self.block
                && let Some(entry) = block.next()?
            {
                if self.first.as_ref().is_some_and(|first| block.term < *first) {
                    continue;
                }
                self.first = None;
                return Ok(Some(entry));
            }
            if self.next_block == self.terms.block_count() {
                self.block = None;
                return Ok(None);
            }
            self.block = Some(self.terms.scan(self.next_block)?);
            self.next_block += 1;
        }
    }

    /// The term of the present entry; empty before the first and after the last.
    pub(crate) fn term(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], |block| &block.term)
    }
}

/// Walks through the entries of a block, either by `next` or by `pass`.
struct BlockScan<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    /// The present term, of those that `next` gave.
    term: Vec<u8>,
    /// How long the present term is, and how much of it a term has that is looked for, of those that were passed.
    passed: (u64, u64),
    is_stem: bool,
    has_positions: bool,
    start: StreamOffsets,
}

impl<'a> BlockScan<'a> {
    fn new(mut bytes: &'a [u8], has_positions: bool, path: &'a Path) -> Result<Self, Error> {
        let mut start = || varint::take(&mut bytes).ok_or_else(|| Error::damaged(path, UNREADABLE));
        let start = StreamOffsets { postings_bits: start()?, positions_bits: start()?, skips: start()? };
        Ok(Self { bytes, path, term: Vec::new(), passed: (0, 0), is_stem: false, has_positions, start })
    }

    /// The next entry, whose term is then in `self.term`.
    fn next(&mut self) -> Result<Option<ListEntry>, Error> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        if self.term.capacity() == 0 {
            self.term.reserve(TERM_BYTES_MAX);
        }
        self.parse_next().map(Some).ok_or_else(|| Error::damaged(self.path, UNREADABLE))
    }

    fn parse_next(&mut self) -> Option<ListEntry> {
        let (shared, rest) = self.take_rest(self.term.len() as u64)?;
        self.term.truncate(shared as usize);
        self.term.extend_from_slice(rest);
        self.take_list()
    }

    /// The next entry, whose term is not put together: only how much of it `term` has is known then.
    #[inline]
    fn pass(&mut self, term: &[u8]) -> Result<Option<ListEntry>, Error> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.parse_passed(term).map(Some).ok_or_else(|| Error::damaged(self.path, UNREADABLE))
    }

    #[inline]
    fn parse_passed(&mut self, term: &[u8]) -> Option<ListEntry> {
        let (length, mut matched) = self.passed;
        let (shared, rest) = self.take_rest(length)?;
        // What is shared with less than the last one had is as much; with more, it has no more.
        if shared <= matched {
            let same = rest.iter().zip(&term[shared as usize..]).take_while(|(one, other)| one == other);
            matched = shared + same.count() as u64;
        }
        self.passed = (shared + rest.len() as u64, matched);
        self.take_list()
    }

    /// Whether the term that was passed last is this one.
    fn is_passed(&self, term: &[u8]) -> bool {
        self.passed == (term.len() as u64, term.len() as u64)
    }

    /// How much the next term shares with the present one of this length, and what stands behind that.
    #[inline]
    fn take_rest(&mut self, length: u64) -> Option<(u64, &'a [u8])> {
        let (shared, rest) = take_pair(&mut self.bytes)?;
        if shared > length || rest > self.bytes.len() as u64 {
            return None;
        }
        let (rest, behind) = self.bytes.split_at(rest as usize);
        self.bytes = behind;
        if shared == 0 {
            self.is_stem = is_stem_key(rest);
        }
        Some((shared, rest))
    }

    #[inline]
    fn take_list(&mut self) -> Option<ListEntry> {
        let (documents, further) = take_pair(&mut self.bytes)?;
        let documents = u32::try_from(documents.checked_add(1)?).ok()?;
        let has_positions = self.has_positions && !self.is_stem;
        let occurrences = if has_positions { further.checked_add(documents.into())? } else { 0 };
        let start = self.start;
        let postings_bits = start.postings_bits.checked_add(self.number()?)?;
        let positions_bits = if self.has_positions { self.number()? } else { 0 };
        let positions_bits = start.positions_bits.checked_add(positions_bits)?;
        let skips_bytes = if has_table(documents, occurrences) { self.number()? } else { 0 };
        let end =
            StreamOffsets { postings_bits, positions_bits, skips: start.skips.checked_add(skips_bytes)? };
        self.start = end;
        Some(ListEntry {
            part: 0,
            documents,
            occurrences,
            postings: start.postings_bits..end.postings_bits,
            positions: start.positions_bits..end.positions_bits,
            skips: start.skips..end.skips,
        })
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        varint::take(&mut self.bytes)
    }
}

const UNREADABLE: &str = "an entry cannot be read";
