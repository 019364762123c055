//! The dictionary: from a term to where its postings lie.
//!
//! Terms are sorted by bytes and cut into blocks of 32. Inside a block each term is the length of the prefix it
//! shares with its predecessor and the rest, so a block is scanned; between blocks a binary search reads the first
//! term of each through the memory map. Nothing is loaded: the dictionary may be larger than memory.
//!
//! ```text
//! terms   for each block: 32 times (the last block: the remaining)
//!             shared prefix   vbyte   0 for the first
//!             rest            vbyte   its length, then its bytes
//!             documents       vbyte   in how many the term occurs, ≥ 1
//!             occurrences     vbyte   how often, less one for each document; not of a stem
//!             postings bits   vbyte   length of its part of `postings`
//!             positions bits  vbyte   length of its part of `positions`
//!             skips bytes     vbyte   length of its part of `skips`, if it has one
//! blocks  for each block, 32 bytes: where its first term is and where its lists begin
//!             terms u64 (byte)   postings u64 (bit)   positions u64 (bit)   skips u64 (byte)
//! ```
//!
//! Lists follow each other in the order of the terms, so lengths are enough inside a block.
//!
//! Cost: a search reads log₂(blocks) first terms and scans one block, about a microsecond when it is in memory.

use std::cmp::Ordering;
use std::io::Read;
use std::path::Path;

use journal::{SealedFile, SealedWriter, u64_at, varint};

use crate::list_entry::{ListEntry, StreamOffsets};
use crate::skips::has_table;
use crate::stems::is_stem_key;
use crate::{Error, TERM_BYTES_MAX, file};

const TERMS_PER_BLOCK: u64 = 32;
const BLOCK_ENTRY_BYTES: usize = 32;

/// Writes the files `terms` and `blocks`, term after term.
pub(crate) struct DictionaryWriter {
    terms: SealedWriter,
    blocks: SealedWriter,
    term_count: u64,
    last_term: Vec<u8>,
    entry: Vec<u8>,
}

impl DictionaryWriter {
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        let terms = file::create(&folder.join("terms"), *b"term")?;
        let blocks = file::create(&folder.join("blocks"), *b"blck")?;
        Ok(Self { terms, blocks, term_count: 0, last_term: Vec::new(), entry: Vec::new() })
    }

    /// Adds the next term in order. Its list begins where the one before ends.
    pub(crate) fn add(&mut self, term: &[u8], list: &ListEntry) -> Result<(), Error> {
        if self.term_count.is_multiple_of(TERMS_PER_BLOCK) {
            self.start_block(list)?;
        }
        let shared = self.last_term.iter().zip(term).take_while(|(a, b)| a == b).count();
        self.entry.clear();
        varint::put(&mut self.entry, shared as u64);
        varint::put(&mut self.entry, (term.len() - shared) as u64);
        self.entry.extend_from_slice(&term[shared..]);
        varint::put(&mut self.entry, u64::from(list.documents));
        if !is_stem_key(term) {
            varint::put(&mut self.entry, list.occurrences - u64::from(list.documents));
        }
        varint::put(&mut self.entry, list.postings.end - list.postings.start);
        varint::put(&mut self.entry, list.positions.end - list.positions.start);
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
        let (postings, positions, skips) = (first.postings.start, first.positions.start, first.skips.start);
        let numbers = [self.terms.payload_bytes(), postings, positions, skips];
        for number in numbers {
            self.blocks.put(&number.to_le_bytes())?;
        }
        Ok(())
    }

    /// The files in the order of [`crate::manifest::FILES`], and how many terms were added.
    pub(crate) fn finish(self) -> (SealedWriter, SealedWriter, u64) {
        (self.terms, self.blocks, self.term_count)
    }
}

/// Finds terms in the files `terms` and `blocks`.
#[derive(Debug)]
pub(crate) struct DictionaryReader {
    terms: SealedFile,
    blocks: SealedFile,
}

impl DictionaryReader {
    /// Verifies all of `blocks`, which every search goes through.
    pub(crate) fn new(terms: SealedFile, blocks: SealedFile) -> Result<Self, Error> {
        if !blocks.all_bytes()?.len().is_multiple_of(BLOCK_ENTRY_BYTES) {
            return Err(Error::damaged(blocks.path(), "its length is not that of whole entries"));
        }
        Ok(Self { terms, blocks })
    }

    pub(crate) fn find(&self, term: &str) -> Result<Option<ListEntry>, Error> {
        let term = term.as_bytes();
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let mut scan = self.scan(middle)?;
            scan.next()?;
            if scan.term.as_slice() <= term { low = middle + 1 } else { high = middle }
        }
        match low.checked_sub(1) {
            Some(block) => self.find_in_block(block, term),
            None => Ok(None),
        }
    }

    fn find_in_block(&self, block: usize, term: &[u8]) -> Result<Option<ListEntry>, Error> {
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

    /// The file of the terms.
    pub(crate) fn path(&self) -> &Path {
        self.terms.path()
    }

    /// Compares all checksums.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.terms.check()?;
        Ok(self.blocks.check()?)
    }

    /// Shows every term with its list, in order, until `see` fails.
    pub(crate) fn for_each_entry(
        &self,
        mut see: impl FnMut(&[u8], &ListEntry) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for block in 0..self.block_count() {
            let mut scan = self.scan(block)?;
            while let Some(entry) = scan.next()? {
                see(&scan.term, &entry)?;
            }
        }
        Ok(())
    }

    /// All terms, in order.
    pub(crate) fn terms(&self) -> TermScan<'_> {
        TermScan { dictionary: self, next_block: 0, block: None }
    }

    /// Shows every term, in order.
    pub(crate) fn for_each_term(&self, mut see: impl FnMut(&[u8])) -> Result<(), Error> {
        for block in 0..self.block_count() {
            let mut scan = self.scan(block)?;
            while scan.next()?.is_some() {
                see(&scan.term);
            }
        }
        Ok(())
    }

    fn block_count(&self) -> usize {
        self.blocks.payload_bytes() as usize / BLOCK_ENTRY_BYTES
    }

    fn scan(&self, block: usize) -> Result<BlockScan<'_>, Error> {
        let entries = self.blocks.verified_bytes(0..self.blocks.payload_bytes());
        let at = block * BLOCK_ENTRY_BYTES;
        let next = at + BLOCK_ENTRY_BYTES;
        let end = if next < entries.len() { u64_at(entries, next) } else { self.terms.payload_bytes() };
        Ok(BlockScan {
            bytes: self.terms.bytes(u64_at(entries, at)..end)?,
            path: self.terms.path(),
            term: Vec::with_capacity(TERM_BYTES_MAX),
            start: StreamOffsets {
                postings_bits: u64_at(entries, at + 8),
                positions_bits: u64_at(entries, at + 16),
                skips: u64_at(entries, at + 24),
            },
        })
    }
}

/// Walks through all entries.
pub(crate) struct TermScan<'a> {
    dictionary: &'a DictionaryReader,
    next_block: usize,
    block: Option<BlockScan<'a>>,
}

impl TermScan<'_> {
    /// The next entry, whose term [`TermScan::term`] tells then.
    pub(crate) fn next(&mut self) -> Result<Option<ListEntry>, Error> {
        loop {
            if let Some(block) = &mut self.block
                && let Some(entry) = block.next()?
            {
                return Ok(Some(entry));
            }
            if self.next_block == self.dictionary.block_count() {
                self.block = None;
                return Ok(None);
            }
            self.block = Some(self.dictionary.scan(self.next_block)?);
            self.next_block += 1;
        }
    }

    /// The term of the present entry; empty before the first and after the last.
    pub(crate) fn term(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], |block| &block.term)
    }
}

/// Walks through the entries of a block.
struct BlockScan<'a> {
    bytes: &'a [u8],
    path: &'a Path,
    term: Vec<u8>,
    start: StreamOffsets,
}

impl BlockScan<'_> {
    /// The next entry, whose term is then in `self.term`.
    fn next(&mut self) -> Result<Option<ListEntry>, Error> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.parse().map(Some).ok_or_else(|| Error::damaged(self.path, "an entry cannot be read"))
    }

    fn parse(&mut self) -> Option<ListEntry> {
        let shared = self.number()?;
        let rest = self.number()?;
        if shared > self.term.len() as u64 || rest > self.bytes.len() as u64 {
            return None;
        }
        self.term.truncate(shared as usize);
        self.bytes.by_ref().take(rest).read_to_end(&mut self.term).ok()?;
        let documents = u32::try_from(self.number()?).ok().filter(|&documents| documents > 0)?;
        let occurrences = match is_stem_key(&self.term) {
            true => 0,
            false => self.number()?.checked_add(documents.into())?,
        };
        let start = self.start;
        let postings_bits = start.postings_bits.checked_add(self.number()?)?;
        let positions_bits = start.positions_bits.checked_add(self.number()?)?;
        let skips_bytes = if has_table(documents, occurrences) { self.number()? } else { 0 };
        let end =
            StreamOffsets { postings_bits, positions_bits, skips: start.skips.checked_add(skips_bytes)? };
        self.start = end;
        Some(ListEntry {
            documents,
            occurrences,
            postings: start.postings_bits..end.postings_bits,
            positions: start.positions_bits..end.positions_bits,
            skips: start.skips..end.skips,
        })
    }

    fn number(&mut self) -> Option<u64> {
        varint::take(&mut self.bytes)
    }
}
