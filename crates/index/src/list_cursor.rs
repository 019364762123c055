//! Reading a posting list of one segment, no further than it is asked to.
//!
//! A cursor stands on a document, which it knows by its number in the segment. Moving decodes gaps, a block of 128 at a time; `frequency` decodes the counts of the
//! block when it is first asked in that block, `positions` the positions up to the present document. The layout is
//! drawn in [`crate::postings`].
//!
//! The bits of a list are verified by `Segment::find`, those of the positions here, block by block, before they are
//! decoded: codes are never read from bytes whose checksum has not been compared.

use std::ops::Range;

use dsi_bitstream::codes::{DeltaRead, GammaRead, ZetaRead};
use dsi_bitstream::prelude::WordError;
use dsi_bitstream::traits::BitRead;
use journal::{SealedFile, u32_at, u64_at};

use crate::Error;
use crate::bits::{BitReader, bytes_of_bits, read_from};
use crate::dictionary::ListEntry;
use crate::postings::{BLOCK_DOCUMENTS, SKIP_BYTES};

/// The number on which an exhausted list stands: after all others.
pub(crate) const LIST_END: u32 = u32::MAX;

/// Walks through the documents of one term in one segment, in increasing order. It begins on the first.
#[derive(Debug)]
pub(crate) struct ListCursor<'a> {
    streams: Streams<'a>,
    documents: u32,
    block: usize,
    /// The documents of the present block; `at` is the present one.
    block_documents: [u32; BLOCK_DOCUMENTS],
    block_length: usize,
    at: usize,
    /// After the gaps of the present block, until the counts are wanted.
    counts_reader: Option<BitReader<'a>>,
    counts: [u32; BLOCK_DOCUMENTS],
    titles: u128,
    /// In the positions of the present block, before those of document `positions_at`.
    positions_reader: Option<BitReader<'a>>,
    positions_at: usize,
}

/// Where the bits of a list are.
#[derive(Debug)]
struct Streams<'a> {
    postings: &'a [u8],
    postings_bits: Range<u64>,
    skips: &'a [u8],
    positions: &'a SealedFile,
    positions_bits: Range<u64>,
}

impl<'a> ListCursor<'a> {
    /// A cursor over a list whose `postings` and `skips` have been verified.
    pub(crate) fn new(
        entry: &ListEntry,
        postings: &'a SealedFile,
        skips: &'a SealedFile,
        positions: &'a SealedFile,
    ) -> Self {
        let streams = Streams {
            postings: postings.verified_bytes(bytes_of_bits(&entry.postings, postings.payload_bytes())),
            postings_bits: entry.postings.clone(),
            skips: skips.verified_bytes(entry.skips.start * SKIP_BYTES..entry.skips.end * SKIP_BYTES),
            positions,
            positions_bits: entry.positions.clone(),
        };
        let mut cursor = Self {
            streams,
            documents: entry.documents,
            block: 0,
            block_documents: [LIST_END; BLOCK_DOCUMENTS],
            block_length: 0,
            at: 0,
            counts_reader: None,
            counts: [0; BLOCK_DOCUMENTS],
            titles: 0,
            positions_reader: None,
            positions_at: 0,
        };
        cursor.load_block(0);
        cursor
    }

    /// The present document, [`LIST_END`] after the last.
    #[inline]
    pub(crate) fn doc(&self) -> u32 {
        self.block_documents[self.at]
    }

    /// Moves to the next document and returns it.
    // Not an iterator: a cursor is asked about its present document after it has moved.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        if self.at + 1 < self.block_length {
            self.at += 1;
        } else {
            self.load_block(self.block + 1);
        }
        self.doc()
    }

    /// Moves to the first document that is not before `target` (never backwards) and returns it.
    pub(crate) fn advance(&mut self, target: u32) -> u32 {
        if self.doc() >= target {
            return self.doc();
        }
        if self.block_documents[self.block_length - 1] < target {
            self.load_block(self.find_block(target));
        }
        let rest = &self.block_documents[self.at..self.block_length.max(self.at)];
        self.at += rest.partition_point(|&document| document < target);
        self.doc()
    }

    /// How often the term occurs in the present document; 0 at the end.
    pub(crate) fn frequency(&mut self) -> u32 {
        self.load_counts();
        self.counts[self.at]
    }

    /// Whether the term occurs in the title of the present document.
    pub(crate) fn in_title(&mut self) -> bool {
        self.load_counts();
        self.titles >> self.at & 1 != 0
    }

    /// Replaces `positions` by those at which the term occurs in the present document, increasing.
    ///
    /// May be asked again for the same document, which decodes the block's positions once more.
    pub(crate) fn positions(&mut self, positions: &mut Vec<u32>) -> Result<(), Error> {
        positions.clear();
        if self.doc() == LIST_END {
            return Ok(());
        }
        self.load_counts();
        if self.positions_reader.is_none() || self.positions_at > self.at {
            self.positions_reader = Some(self.streams.positions_of_block(self.block, self.block_count())?);
            self.positions_at = 0;
        }
        let reader = self.positions_reader.as_mut().expect("it has just been made");
        let passed = self.counts[self.positions_at..self.at].iter().copied().map(u64::from).sum();
        self.positions_at = self.at + 1;
        decode_positions(reader, passed, self.counts[self.at], positions).map_err(|_| {
            Error::damaged(self.streams.positions.path(), "a list ends before its last position")
        })
    }

    fn block_count(&self) -> usize {
        (self.documents as usize).div_ceil(BLOCK_DOCUMENTS)
    }

    /// The first block after the present one whose last document is not before `target`; none: one after the last.
    fn find_block(&self, target: u32) -> usize {
        let (mut low, mut high) = (self.block + 1, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.streams.last_document(middle) < target { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn load_block(&mut self, block: usize) {
        self.block = block;
        self.at = 0;
        self.counts_reader = None;
        self.positions_reader = None;
        let left = (self.documents as usize).saturating_sub(block * BLOCK_DOCUMENTS);
        self.block_length = left.min(BLOCK_DOCUMENTS);
        // A code that cannot be read after its checksum was right has not been written by us: the list ends there.
        if self.block_length == 0 || self.decode_documents().is_err() {
            self.block = self.block_count();
            self.block_length = 1;
            self.block_documents[0] = LIST_END;
            self.counts[0] = 0;
            self.titles = 0;
            self.counts_reader = None;
        }
    }

    fn decode_documents(&mut self) -> Result<(), WordError> {
        let mut reader = self.streams.postings_of_block(self.block)?;
        let mut next_possible = match self.block {
            0 => 0,
            block => u64::from(self.streams.last_document(block - 1)) + 1,
        };
        for document in &mut self.block_documents[..self.block_length] {
            let this = next_possible.saturating_add(reader.read_delta()?).min(u64::from(LIST_END - 1));
            *document = this as u32;
            next_possible = this + 1;
        }
        self.counts_reader = Some(reader);
        Ok(())
    }

    fn load_counts(&mut self) {
        if let Some(reader) = self.counts_reader.take()
            && self.decode_counts(reader).is_err()
        {
            self.counts.fill(0);
            self.titles = 0;
        }
    }

    fn decode_counts(&mut self, mut reader: BitReader<'a>) -> Result<(), WordError> {
        let first = self.block_length.min(64);
        self.titles = u128::from(reader.read_bits(first)?);
        self.titles |= u128::from(reader.read_bits(self.block_length - first)?) << first;
        for count in &mut self.counts[..self.block_length] {
            *count = u32::try_from(reader.read_gamma()?.saturating_add(1)).unwrap_or(0);
        }
        Ok(())
    }
}

impl<'a> Streams<'a> {
    fn skip(&self, block: usize) -> usize {
        block * SKIP_BYTES as usize
    }

    fn last_document(&self, block: usize) -> u32 {
        u32_at(self.skips, self.skip(block))
    }

    fn postings_of_block(&self, block: usize) -> Result<BitReader<'a>, WordError> {
        let offset = match block {
            0 => 0,
            block => u64::from(u32_at(self.skips, self.skip(block - 1) + 4)),
        };
        read_from(self.postings, self.postings_bits.start, self.postings_bits.start + offset)
    }

    fn positions_of_block(&self, block: usize, block_count: usize) -> Result<BitReader<'a>, Error> {
        let end_of = |block: usize| {
            let offset = u64_at(self.skips, self.skip(block) + 8);
            self.positions_bits.start.saturating_add(offset).min(self.positions_bits.end)
        };
        let start = if block == 0 { self.positions_bits.start } else { end_of(block - 1) };
        let end = if block + 1 == block_count { self.positions_bits.end } else { end_of(block) };
        let bytes = self.positions.bytes(bytes_of_bits(&(start..end), self.positions.payload_bytes()))?;
        read_from(bytes, start, start)
            .map_err(|_| Error::damaged(self.positions.path(), "a list begins after the end of the file"))
    }
}

/// Skips `passed` codes and decodes `count` positions.
fn decode_positions(
    reader: &mut BitReader<'_>,
    passed: u64,
    count: u32,
    positions: &mut Vec<u32>,
) -> Result<(), WordError> {
    for _ in 0..passed {
        reader.read_zeta3()?;
    }
    let mut next_possible = 0;
    for _ in 0..count {
        let position = reader.read_zeta3()?.saturating_add(next_possible);
        positions.push(u32::try_from(position).unwrap_or(u32::MAX));
        next_possible = position.saturating_add(1);
    }
    Ok(())
}
