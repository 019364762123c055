//! Where a posting list lies in the files of a segment.

use std::ops::Range;

use crate::codec::BLOCK;

/// Where the postings of a term lie in a segment, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListEntry {
    /// The part of the terms of the segment that has it; 0 where terms are not split.
    pub(crate) part: u32,
    /// At least one.
    pub(crate) documents: u32,
    /// At least as many; 0 if positions are not kept.
    pub(crate) occurrences: u64,
    /// Bits of the file `postings`.
    pub(crate) postings: Range<u64>,
    /// Bits of the file `positions`.
    pub(crate) positions: Range<u64>,
    /// Bytes of the file `skips`.
    pub(crate) skips: Range<u64>,
}

impl ListEntry {
    /// A list between two places of the streams.
    pub(crate) fn new(documents: u32, occurrences: u64, start: StreamOffsets, end: StreamOffsets) -> Self {
        Self {
            part: 0,
            documents,
            occurrences,
            postings: start.postings_bits..end.postings_bits,
            positions: start.positions_bits..end.positions_bits,
            skips: start.skips..end.skips,
        }
    }
}

/// Whether the dictionary tells how often a word occurs in each of so many documents: as often as in all, or once in each. Then
/// its list does not say it.
pub(crate) fn are_counts_told(documents: u32, occurrences: u64) -> bool {
    let is_told = occurrences == u64::from(documents) || documents == 1 && occurrences > 0;
    // Of a full block, that they are all the same takes a byte.
    is_told && (documents as usize) < BLOCK
}

/// How much of each stream a list takes, or where in them a list begins.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StreamOffsets {
    pub(crate) postings_bits: u64,
    pub(crate) positions_bits: u64,
    pub(crate) skips: u64,
}
