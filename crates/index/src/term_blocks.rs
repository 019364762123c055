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
//!             documents, further occurrences          pair   in how many the term occurs; 0 further ones without positions
//!             postings bits                           vbyte  length of its part of `postings`
//!             positions bits                          vbyte  length of its part of `positions`, if the index keeps any
//!             skips bytes                             vbyte  length of its part of `skips`, if it has one
//!         or, of a term that occurs once, in the main text, as most terms do, behind the rest
//!             0, positions bits                       pair   its part of `postings` has as many bits as every such part
//! pair    two numbers in the halves of a byte, the first in the low one; 15 says that the number less 15 follows as a vbyte
//! blocks  for each block: its first byte in `terms` (u64)
//! ```
//!
//! Lists follow each other in the order of the terms, so lengths are enough inside a block.
//!
//! Cost: beside its rest a term that occurs once takes two bytes and its share of a block, half a byte.

use std::cmp::Ordering;
use std::path::Path;

use journal::{SealedFile, SealedWriter, u64_at, varint};

use crate::list_entry::{ListEntry, StreamOffsets};
use crate::precision::Precision;
use crate::skips::has_table;
use crate::stems::is_stem_key;
use crate::{Error, TERM_BYTES_MAX, file};

pub(crate) const TERMS_PER_BLOCK: u64 = 32;
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

/// What the entries of a segment are read and written with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryForm {
    has_positions: bool,
    /// Bits of the list of a term that occurs once, in the main text, with positions, and of one without.
    single_bits: [u64; 2],
}

impl EntryForm {
    /// Those of a segment of so many documents.
    pub(crate) fn new(precision: Precision, documents: u32) -> Self {
        let document_bits = u64::from(u32::BITS - documents.saturating_sub(1).leading_zeros());
        // A bit for the field, and one for a count that is not told otherwise.
        let without = if precision.has_counts() { document_bits + 2 } else { document_bits };
        Self { has_positions: precision.has_positions(), single_bits: [document_bits + 1, without] }
    }

    /// Bits of the list of a term that occurs once.
    fn single_bits(&self, has_positions: bool) -> u64 {
        self.single_bits[usize::from(!has_positions)]
    }

    fn is_single(&self, list: &ListEntry) -> bool {
        (list.documents, list.occurrences.max(1)) == (1, 1)
            && list.postings.end - list.postings.start == self.single_bits(list.occurrences > 0)
    }
}

/// Writes the files `terms` and `blocks`, term after term.
pub(crate) struct TermBlocksWriter {
    terms: SealedWriter,
    blocks: SealedWriter,
    form: EntryForm,
    term_count: u64,
    last_term: Vec<u8>,
    entry: Vec<u8>,
}

impl TermBlocksWriter {
    pub(crate) fn create(folder: &Path, form: EntryForm) -> Result<Self, Error> {
        let terms = file::create(&folder.join("terms"), *b"term")?;
        let blocks = file::create(&folder.join("blocks"), *b"blck")?;
        Ok(Self { terms, blocks, form, term_count: 0, last_term: Vec::new(), entry: Vec::new() })
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
        if self.form.is_single(list) {
            put_pair(&mut self.entry, 0, list.positions.end - list.positions.start);
        } else {
            self.put_list(list);
        }
        self.terms.put(&self.entry)?;
        self.last_term.clear();
        self.last_term.extend_from_slice(term);
        self.term_count += 1;
        Ok(())
    }

    fn put_list(&mut self, list: &ListEntry) {
        let documents = u64::from(list.documents);
        // Where positions are not kept there are as many as none.
        put_pair(&mut self.entry, documents, list.occurrences.saturating_sub(documents));
        varint::put(&mut self.entry, list.postings.end - list.postings.start);
        if self.form.has_positions {
            varint::put(&mut self.entry, list.positions.end - list.positions.start);
        }
        if has_table(list.documents, list.occurrences) {
            varint::put(&mut self.entry, list.skips.end - list.skips.start);
        }
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
    form: EntryForm,
}

impl TermBlocks {
    /// Verifies all of `blocks`, which every search goes through.
    pub(crate) fn new(terms: SealedFile, blocks: SealedFile, form: EntryForm) -> Result<Self, Error> {
        if !blocks.all_bytes()?.len().is_multiple_of(BLOCK_ENTRY_BYTES) {
            return Err(Error::damaged(blocks.path(), "its length is not that of whole entries"));
        }
        Ok(Self { terms, blocks, form })
    }

    /// The list of a term, if it is in this block.
    pub(crate) fn find_in(&self, block: u64, term: &[u8]) -> Result<Option<ListEntry>, Error> {
        if block >= self.block_count() as u64 {
            return Ok(None);
        }
        let mut scan = self.scan(block as usize)?;
        while let Some(entry) = scan.pass(term)? {
            if scan.is_passed(term) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
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

    /// The terms, and where their blocks are.
    pub(crate) fn files(&self) -> [&SealedFile; 2] {
        [&self.terms, &self.blocks]
    }

    /// The same files.
    pub(crate) fn files_mut(&mut self) -> [&mut SealedFile; 2] {
        [&mut self.terms, &mut self.blocks]
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

    /// Shows every term, in order, and lets go of the files: whoever has seen them all makes something large of them.
    pub(crate) fn for_each_term(&self, mut see: impl FnMut(&[u8])) -> Result<(), Error> {
        self.for_each_entry(|_, term, _| {
            see(term);
            Ok(())
        })?;
        Ok(self.files().into_iter().try_for_each(SealedFile::let_go)?)
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
        BlockScan::new(bytes, self.form, self.terms.path())
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
    form: EntryForm,
    start: StreamOffsets,
}

impl<'a> BlockScan<'a> {
    fn new(mut bytes: &'a [u8], form: EntryForm, path: &'a Path) -> Result<Self, Error> {
        let mut start = || varint::take(&mut bytes).ok_or_else(|| Error::damaged(path, UNREADABLE));
        let start = StreamOffsets { postings_bits: start()?, positions_bits: start()?, skips: start()? };
        Ok(Self { bytes, path, term: Vec::new(), passed: (0, 0), is_stem: false, form, start })
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
        let has_positions = self.form.has_positions && !self.is_stem;
        if documents == 0 {
            let lengths = [self.form.single_bits(has_positions), further, 0];
            return self.list_behind(1, has_positions.into(), lengths);
        }
        let documents = u32::try_from(documents).ok()?;
        let occurrences = if has_positions { further.checked_add(documents.into())? } else { 0 };
        let postings_bits = self.number()?;
        let positions_bits = if self.form.has_positions { self.number()? } else { 0 };
        let skips_bytes = if has_table(documents, occurrences) { self.number()? } else { 0 };
        self.list_behind(documents, occurrences, [postings_bits, positions_bits, skips_bytes])
    }

    /// The list behind the one before, of these bits of postings and of positions and bytes of skips.
    #[inline]
    fn list_behind(&mut self, documents: u32, occurrences: u64, lengths: [u64; 3]) -> Option<ListEntry> {
        let (start, [postings, positions, skips]) = (self.start, lengths);
        self.start = StreamOffsets {
            postings_bits: start.postings_bits.checked_add(postings)?,
            positions_bits: start.positions_bits.checked_add(positions)?,
            skips: start.skips.checked_add(skips)?,
        };
        Some(ListEntry::new(documents, occurrences, start, self.start))
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        varint::take(&mut self.bytes)
    }
}

const UNREADABLE: &str = "an entry cannot be read";
