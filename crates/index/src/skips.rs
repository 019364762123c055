//! Skips: where the blocks of a list are, and what is in them at most.
//!
//! A list that has more than one block of documents, or of positions, has a table in the file `skips`:
//!
//! ```text
//! kinds          u8                 bit 0: block offsets have 32 bits instead of 16; bit 1: chunk offsets too;
//!                                   bit 2: there are peaks; bit 3: of long stretches
//! groups of 32 blocks of documents, if there are more blocks than a group has, 24 bytes each
//!     last document u32, greatest impact f32, begin in `postings` u64 (byte), occurrences before u64
//! last document  u32 for each block
//! begin          u16 or u32 for each block   bytes after the begin of its group
//! occurrences    u16 or u32 for each block   before it, after those before its group
//! impact         f32 for each block          the greatest
//! groups of 32 chunks of positions, if there are more chunks than a group has
//!     begin in `positions` u64 (byte)
//! begin          u16 or u32 for each chunk   bytes after the begin of its group
//! peaks          of a frequent word: what no document of each small stretch of the segment exceeds ([`crate::peaks`])
//! ```
//!
//! There is a column for blocks, or for chunks, if there is more than one. The columns lie one after the other, so that the
//! search for a document touches nothing but last documents: first those of the groups, then those of 32 blocks. 12 bytes for 128
//! postings are 0.75 bits for each. Most lists that have a table are of one group, which would say nothing more than its blocks.

use journal::{u32_at, u64_at};

use crate::codec::BLOCK;
use crate::peaks::{PeakWriter, Peaks, Stretch};

/// Blocks of a group.
const GROUP: usize = 32;
const GROUP_BYTES: usize = 24;

const WIDE_BLOCKS: u8 = 1;
const WIDE_CHUNKS: u8 = 2;
const HAS_PEAKS: u8 = 4;
const LONG_PEAKS: u8 = 8;

/// Blocks that so many numbers have.
pub(crate) fn block_count(numbers: u64) -> usize {
    numbers.div_ceil(BLOCK as u64) as usize
}

/// Whether a list with so many documents and occurrences has a table.
pub(crate) fn has_table(documents: u32, occurrences: u64) -> bool {
    documents as usize > BLOCK || occurrences > BLOCK as u64
}

/// Groups that are told of beside so many blocks or chunks.
fn groups_of(count: usize) -> usize {
    if count > GROUP { count.div_ceil(GROUP) } else { 0 }
}

/// A block of documents, as the writer knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct BlockEntry {
    pub(crate) last: u32,
    /// Where it begins in `postings`, in bytes after the first block's begin.
    pub(crate) begin: u64,
    /// Occurrences in the blocks before it.
    pub(crate) occurrences: u64,
    pub(crate) impact: f32,
}

/// Writes the table of a list. `chunks` are the begins of the blocks of positions, after the first one's.
pub(crate) fn write_table(blocks: &[BlockEntry], chunks: &[u64], peaks: Option<&PeakWriter>) -> Vec<u8> {
    let wide_blocks = !fits(blocks, |block| block.begin) || !fits(blocks, |block| block.occurrences);
    let wide_chunks = !fits(chunks, |&begin| begin);
    let are_long = peaks.is_some_and(|peaks| peaks.stretch() == Stretch::Long);
    let kinds = [
        (wide_blocks, WIDE_BLOCKS),
        (wide_chunks, WIDE_CHUNKS),
        (peaks.is_some(), HAS_PEAKS),
        (are_long, LONG_PEAKS),
    ];
    let mut table = vec![kinds.iter().filter(|(is_so, _)| *is_so).map(|(_, kind)| kind).sum()];
    if blocks.len() > 1 {
        write_groups(blocks, &mut table);
        blocks.iter().for_each(|block| table.extend_from_slice(&block.last.to_le_bytes()));
        write_offsets(blocks, |block| block.begin, wide_blocks, &mut table);
        write_offsets(blocks, |block| block.occurrences, wide_blocks, &mut table);
        blocks.iter().for_each(|block| table.extend_from_slice(&block.impact.to_le_bytes()));
    }
    if chunks.len() > 1 {
        let groups = chunks.chunks(GROUP).take(groups_of(chunks.len()));
        groups.for_each(|group| table.extend_from_slice(&group[0].to_le_bytes()));
        write_offsets(chunks, |&begin| begin, wide_chunks, &mut table);
    }
    if let Some(peaks) = peaks {
        peaks.write(&mut table);
    }
    table
}

fn write_groups(blocks: &[BlockEntry], table: &mut Vec<u8>) {
    for group in blocks.chunks(GROUP).take(groups_of(blocks.len())) {
        let impact = group.iter().map(|block| block.impact).fold(0.0, f32::max);
        table.extend_from_slice(&group[group.len() - 1].last.to_le_bytes());
        table.extend_from_slice(&impact.to_le_bytes());
        table.extend_from_slice(&group[0].begin.to_le_bytes());
        table.extend_from_slice(&group[0].occurrences.to_le_bytes());
    }
}

/// Whether 16 bits are enough for how far each entry is from the first of its group.
fn fits<T>(entries: &[T], of: impl Fn(&T) -> u64) -> bool {
    entries.chunks(GROUP).all(|group| of(&group[group.len() - 1]) - of(&group[0]) <= u16::MAX.into())
}

fn write_offsets<T>(entries: &[T], of: impl Fn(&T) -> u64, is_wide: bool, table: &mut Vec<u8>) {
    for group in entries.chunks(GROUP) {
        for entry in group {
            let offset = of(entry) - of(&group[0]);
            if is_wide {
                table.extend_from_slice(&(offset as u32).to_le_bytes());
            } else {
                table.extend_from_slice(&(offset as u16).to_le_bytes());
            }
        }
    }
}

/// The table of a list, as it is read. A place that does not exist is answered with nothing worse than zeros.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SkipTable<'a> {
    bytes: &'a [u8],
    /// The last document of each block, which every search goes through.
    lasts: &'a [[u8; 4]],
    /// More than one, or none: then there is no table of blocks.
    blocks: usize,
    chunks: usize,
    is_wide: bool,
    are_chunks_wide: bool,
    peaks: Option<Peaks<'a>>,
}

impl<'a> SkipTable<'a> {
    /// The table of a list; `None` if its length is not that of such a table.
    pub(crate) fn new(bytes: &'a [u8], documents: u32, occurrences: u64) -> Option<Self> {
        let several = |numbers: u64| Some(block_count(numbers)).filter(|&count| count > 1).unwrap_or(0);
        let kinds = bytes.first().copied().unwrap_or(0);
        let (is_wide, are_chunks_wide) = (kinds & WIDE_BLOCKS != 0, kinds & WIDE_CHUNKS != 0);
        let (blocks, chunks) = (several(documents.into()), several(occurrences));
        let mut table = Self { bytes, lasts: &[], blocks, chunks, is_wide, are_chunks_wide, peaks: None };
        let end = table.chunk_begin(chunks);
        if kinds & HAS_PEAKS != 0 {
            let stretch = if kinds & LONG_PEAKS == 0 { Stretch::Short } else { Stretch::Long };
            table.peaks = Some(Peaks::new(stretch, bytes.get(end..)?)?);
        } else if end != bytes.len() && has_table(documents, occurrences) {
            return None;
        }
        let column = table.last_column();
        table.lasts = bytes.get(column..column + 4 * blocks).unwrap_or_default().as_chunks().0;
        Some(table)
    }

    /// How many blocks it tells of: more than one, or none.
    pub(crate) fn blocks(&self) -> usize {
        self.lasts.len()
    }

    /// What each small stretch of the segment has at most, if the word is frequent.
    pub(crate) fn peaks(&self) -> Option<Peaks<'a>> {
        self.peaks
    }

    fn groups(&self) -> usize {
        groups_of(self.blocks)
    }

    fn last_column(&self) -> usize {
        1 + self.groups() * GROUP_BYTES
    }

    fn width(&self) -> usize {
        if self.is_wide { 4 } else { 2 }
    }

    fn impact_column(&self) -> usize {
        self.last_column() + self.blocks * (4 + 2 * self.width())
    }

    fn chunk_groups(&self) -> usize {
        self.impact_column() + 4 * self.blocks
    }

    /// Where in the table the begin of this chunk stands.
    fn chunk_begin(&self, chunk: usize) -> usize {
        let width = if self.are_chunks_wide { 4 } else { 2 };
        self.chunk_groups() + 8 * groups_of(self.chunks) + chunk * width
    }

    fn offset(&self, at: usize, is_wide: bool) -> u64 {
        if is_wide { u32_at(self.bytes, at).into() } else { u16_at(self.bytes, at).into() }
    }

    /// The last document of a block.
    #[inline]
    pub(crate) fn last(&self, block: usize) -> u32 {
        u32::from_le_bytes(self.lasts[block])
    }

    /// The greatest impact of a block.
    #[inline]
    pub(crate) fn impact(&self, block: usize) -> f32 {
        f32_at(self.bytes, self.impact_column() + 4 * block)
    }

    /// A number that the group of a block has at a byte, 0 where there is one group.
    #[inline]
    fn of_group(&self, block: usize, byte: usize) -> u64 {
        if self.blocks > GROUP { u64_at(self.bytes, 1 + block / GROUP * GROUP_BYTES + byte) } else { 0 }
    }

    /// Where a block begins in `postings`, in bytes after the first.
    pub(crate) fn begin(&self, block: usize) -> u64 {
        self.of_group(block, 8)
            + self.offset(self.last_column() + 4 * self.blocks + block * self.width(), self.is_wide)
    }

    /// Occurrences in the blocks before this one.
    pub(crate) fn occurrences(&self, block: usize) -> u64 {
        let column = self.last_column() + self.blocks * (4 + self.width());
        self.of_group(block, 16) + self.offset(column + block * self.width(), self.is_wide)
    }

    /// Where a chunk of positions begins in `positions`, in bytes after the first; 0 where there is one only.
    pub(crate) fn chunk(&self, chunk: usize) -> u64 {
        if self.chunks == 0 {
            return 0;
        }
        let base = match self.chunks {
            ..=GROUP => 0,
            _ => u64_at(self.bytes, self.chunk_groups() + 8 * (chunk / GROUP)),
        };
        base + self.offset(self.chunk_begin(chunk), self.are_chunks_wide)
    }

    /// The first block from `from` on whose last document is not before `target`; `blocks` if there is none.
    pub(crate) fn find(&self, from: usize, target: u32) -> usize {
        let mut group = from / GROUP;
        // Targets are mostly near, so steps grow before they are halved.
        if group + 1 < self.groups() && self.group_last(group) < target {
            let mut step = 1;
            while group + step < self.groups() && self.group_last(group + step) < target {
                group += step;
                step *= 2;
            }
            let end = (group + step).min(self.groups());
            group = partition_point(group + 1, end, |group| self.group_last(group) < target);
        }
        let start = from.max(group * GROUP);
        let end = ((group + 1) * GROUP).min(self.blocks);
        partition_point(start.min(end), end, |block| self.last(block) < target)
    }

    fn group_last(&self, group: usize) -> u32 {
        u32_at(self.bytes, 1 + group * GROUP_BYTES)
    }

    /// Gives the first document that may be in each block, its last, and its greatest impact.
    #[inline]
    pub(crate) fn for_each_block(&self, mut each: impl FnMut(u32, u32, f32)) {
        let impacts = self.bytes[self.impact_column()..].as_chunks().0;
        let mut first = 0;
        for (last, impact) in self.lasts.iter().zip(impacts) {
            let last = u32::from_le_bytes(*last);
            each(first, last, f32::from_le_bytes(*impact));
            first = last.saturating_add(1);
        }
    }

    /// The greatest impact of the list.
    pub(crate) fn list_impact(&self) -> f32 {
        match self.groups() {
            0 => (0..self.blocks).map(|block| self.impact(block)).fold(0.0, f32::max),
            groups => {
                let of_group = |group| f32_at(self.bytes, 1 + group * GROUP_BYTES + 4);
                (0..groups).map(of_group).fold(0.0, f32::max)
            }
        }
    }
}

/// The first place from `low` on that is not before, `high` if there is none. Which half comes next is no branch that a
/// processor would have to foresee.
#[inline]
fn partition_point(low: usize, high: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut base, mut length) = (low, high.saturating_sub(low));
    while length > 1 {
        let half = length / 2;
        base = if is_before(base + half - 1) { base + half } else { base };
        length -= half;
    }
    base + usize::from(length == 1 && is_before(base))
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_table_says_what_was_put_into_it(
            steps in proptest::collection::vec((1u32..10_000, 0u64..3_000, 0u64..4_000, 0.0f32..1.0), 2..200),
            chunk_steps in proptest::collection::vec(0u64..4_000, 0..100),
            factor in prop_oneof![Just(1), Just(100)],
            stretch in prop_oneof![Just(None), Just(Some(Stretch::Short)), Just(Some(Stretch::Long))],
            targets in proptest::collection::vec((0usize..200, 0u32..2_100_000), 0..20),
        ) {
            let mut next = BlockEntry::default();
            let blocks: Vec<BlockEntry> = steps.iter().map(|&(last, begin, occurrences, impact)| {
                next.last += last;
                let block = BlockEntry { impact, ..next };
                next.begin += begin * factor;
                next.occurrences += occurrences * factor;
                block
            }).collect();
            let mut sum = 0;
            let chunks: Vec<u64> = std::iter::once(0).chain(chunk_steps.iter().map(|step| { sum += step * factor; sum })).collect();
            let mut peaks = PeakWriter::default();
            peaks.begin(stretch.unwrap_or_default(), 64);
            let bytes = write_table(&blocks, &chunks, stretch.map(|_| &peaks));
            let occurrences = chunks.len() as u64 * BLOCK as u64;
            let documents = (blocks.len() * BLOCK) as u32;
            let table = SkipTable::new(&bytes, documents, occurrences).unwrap();
            for (number, block) in blocks.iter().enumerate() {
                let (last, impact) = (table.last(number), table.impact(number));
                let (begin, occurrences) = (table.begin(number), table.occurrences(number));
                prop_assert_eq!(BlockEntry { last, begin, occurrences, impact }, *block);
            }
            for (number, &begin) in chunks.iter().enumerate() {
                prop_assert_eq!(table.chunk(number), begin);
            }
            for (from, target) in targets {
                let from = from.min(blocks.len() - 1);
                let expected = (from..blocks.len()).find(|&block| blocks[block].last >= target).unwrap_or(blocks.len());
                prop_assert_eq!(table.find(from, target), expected);
            }
            prop_assert_eq!(table.list_impact(), blocks.iter().map(|block| block.impact).fold(0.0, f32::max));
            prop_assert_eq!(table.peaks().map(|peaks| peaks.stretch()), stretch);
            // Of peaks the end is not known.
            let cut = bytes.len() - if stretch.is_some() { 2 } else { 1 };
            prop_assert!(SkipTable::new(&bytes[..cut], documents, occurrences).is_none());
        }
    }
}
