//! Reading a posting list of one segment, no further than it is asked to.
//!
//! A cursor stands on a document, which it knows by its number in the segment. Moving decodes the documents of a block,
//! 128 at a time; counts are decoded when they are first asked for in that block, fields when they are, positions chunk by
//! chunk where they are wanted. In nearly all blocks every word stands in the main text only: then there are no fields to
//! take apart, and a count is all that an impact needs. The layout is drawn in [`crate::postings`].
//!
//! The bits of a list are verified by `Segment::find`, those of the positions here before they are decoded: codes are
//! never read from bytes whose checksum has not been compared. Bytes that we have not written may still be read, and give
//! a list that ends early, never more than an error.

use journal::SealedFile;

use crate::Error;
use crate::codec::{BLOCK, BitReader, ListShape, Within};
use crate::field::{FIELD_COUNT, Field, FieldCounts, POSITION_MAX};
use crate::impact::ImpactTable;
use crate::list_entry::ListEntry;
use crate::manifest::Codecs;
use crate::skips::{SkipTable, block_count};
use crate::split::Patterns;

/// The number on which an exhausted list stands: after all others.
pub(crate) const LIST_END: u32 = u32::MAX;

/// What a cursor reads a list from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListFiles<'a> {
    /// Documents of the segment.
    pub(crate) documents: u32,
    pub(crate) postings: &'a SealedFile,
    pub(crate) positions: &'a SealedFile,
    pub(crate) skips: &'a SealedFile,
    pub(crate) codecs: &'a Codecs,
    pub(crate) patterns: &'a Patterns,
    /// Codes of the lengths of fields, [`FIELD_COUNT`] for each document.
    pub(crate) lengths: &'a [[u8; FIELD_COUNT]],
}

/// Walks through the documents of one term in one segment, in increasing order. It begins on the first.
#[derive(Debug)]
pub(crate) struct ListCursor<'a> {
    files: ListFiles<'a>,
    shape: ListShape,
    occurrences: u64,
    /// The list in `postings`, and the bit of it where its first block begins.
    postings: &'a [u8],
    first_bit: u64,
    table: SkipTable<'a>,
    /// Bits of `positions` at which the list begins and ends.
    positions: std::ops::Range<u64>,
    block: usize,
    /// The block that was asked about last; not before the present one.
    shallow: usize,
    /// The documents of the present block; `at` is the present one.
    documents: [u32; BLOCK],
    length: usize,
    at: usize,
    /// Where the counts of the present block begin, until they are wanted, then where its fields do.
    rest: BitReader<'a>,
    decoded: Decoded,
    totals: [u32; BLOCK],
    /// Whether some word of the present block is not in the main text alone; then `counts` has all of them.
    is_split: bool,
    counts: Vec<FieldCounts>,
    chunk: Chunk,
}

/// How much of the present block has been decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Decoded {
    Documents,
    Totals,
    Fields,
}

/// What is known of a block that was not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockBound {
    /// The greatest impact; 0 behind the last block.
    pub(crate) impact: u8,
    /// The last document; [`LIST_END`] behind the last block.
    pub(crate) last: u32,
}

/// The chunk of positions that was decoded last.
#[derive(Debug)]
struct Chunk {
    number: Option<usize>,
    /// Nothing before the first is wanted: most cursors never look at positions.
    numbers: Vec<u32>,
}

impl<'a> ListCursor<'a> {
    /// A cursor over a list whose `postings` and `skips` have been verified.
    pub(crate) fn new(entry: &ListEntry, files: ListFiles<'a>) -> Self {
        let first_byte = entry.postings.start / 8;
        let postings = files.postings.verified_bytes(first_byte..entry.postings.end.div_ceil(8));
        let skips = files.skips.verified_bytes(entry.skips.clone());
        let table = SkipTable::new(skips, entry.documents, entry.occurrences);
        let mut cursor = Self {
            shape: ListShape { documents_all: files.documents, documents: entry.documents },
            occurrences: entry.occurrences,
            postings,
            first_bit: entry.postings.start - 8 * first_byte,
            // A list of no documents is what becomes of a table that is none.
            table: table.unwrap_or_else(|| SkipTable::new(&[], 0, 0).expect("no list has no table")),
            positions: entry.positions.clone(),
            files,
            block: 0,
            shallow: 0,
            documents: [LIST_END; BLOCK],
            length: 0,
            at: 0,
            rest: BitReader::new(&[], 0),
            decoded: Decoded::Documents,
            totals: [0; BLOCK],
            is_split: false,
            counts: Vec::new(),
            chunk: Chunk { number: None, numbers: Vec::new() },
        };
        if table.is_none() {
            cursor.shape.documents = 0;
        }
        cursor.load_block(0);
        cursor
    }

    /// The present document, [`LIST_END`] after the last.
    #[inline]
    pub(crate) fn doc(&self) -> u32 {
        self.documents[self.at]
    }

    /// Moves to the next document and returns it.
    // Not an iterator: a cursor is asked about its present document after it has moved.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        if self.at + 1 < self.length {
            self.at += 1;
        } else {
            self.load_block(self.block + 1);
        }
        self.doc()
    }

    /// The present document and those that were decoded with it and come after.
    #[inline]
    pub(crate) fn block(&self) -> &[u32] {
        &self.documents[self.at..self.length]
    }

    /// Moves behind them.
    #[inline]
    pub(crate) fn next_block(&mut self) {
        self.load_block(self.block + 1);
    }

    /// Moves to the first document that is not before `target` (never backwards) and returns it.
    #[inline]
    pub(crate) fn advance(&mut self, target: u32) -> u32 {
        if self.doc() >= target {
            return self.doc();
        }
        if self.documents[self.length - 1] < target {
            self.load_block(self.find_block(target));
            if self.doc() >= target {
                return self.doc();
            }
        }
        // The last of the block is not before the target, or the list is at its end.
        self.at = if self.length == BLOCK {
            place_in(&self.documents, target)
        } else {
            let rest = &self.documents[self.at..self.length];
            self.at + rest.partition_point(|&document| document < target).min(rest.len() - 1)
        };
        self.doc()
    }

    /// How often the term occurs in the present document; 0 at the end.
    #[inline]
    pub(crate) fn frequency(&mut self) -> u32 {
        self.decode(Decoded::Totals);
        self.totals[self.at]
    }

    /// How often it occurs in each field of the present document; never at the end.
    #[inline]
    pub(crate) fn counts(&mut self) -> FieldCounts {
        self.decode(Decoded::Fields);
        if self.is_split { self.counts[self.at] } else { FieldCounts::in_main(self.totals[self.at]) }
    }

    /// The impact of the term in the present document; never at the end.
    #[inline]
    pub(crate) fn impact(&mut self, table: &ImpactTable) -> f32 {
        self.decode(Decoded::Fields);
        self.impact_at(self.at, table)
    }

    /// The codes of the lengths of the fields of the present document; zeros at the end.
    pub(crate) fn length_codes(&self) -> [u8; FIELD_COUNT] {
        self.files.lengths.get(self.doc() as usize).copied().unwrap_or_default()
    }

    #[inline]
    fn impact_at(&self, at: usize, table: &ImpactTable) -> f32 {
        let Some(codes) = self.files.lengths.get(self.documents[at] as usize) else { return 0.0 };
        match self.is_split {
            true => table.impact(&self.counts[at], codes),
            false => table.impact_of_main_text(self.totals[at], codes),
        }
    }

    /// Gives each document from the present one to `last` with its impact, and stands on the first one behind. Blocks
    /// whose greatest impact, as a byte, is below `least` are passed over.
    pub(crate) fn impacts_to(
        &mut self,
        last: u32,
        least: u8,
        table: &ImpactTable,
        each: &mut impl FnMut(u32, f32),
    ) {
        while self.doc() <= last && self.doc() != LIST_END {
            let in_block = &self.documents[self.at..self.length];
            let end = if in_block[in_block.len() - 1] <= last {
                self.length
            } else {
                self.at + in_block.partition_point(|&document| document <= last)
            };
            if !self.table_has_blocks() || self.table.impact(self.block) >= least {
                self.decode(Decoded::Fields);
                for at in self.at..end {
                    each(self.documents[at], self.impact_at(at, table));
                }
            }
            if end < self.length {
                self.at = end;
            } else {
                self.load_block(self.next_worth_loading(last, least));
            }
        }
    }

    /// The block after the present one, or the first one after it that has a document of at least this impact or ends
    /// behind `last`.
    fn next_worth_loading(&self, last: u32, least: u8) -> usize {
        let mut block = self.block + 1;
        while self.table_has_blocks()
            && block < self.block_count()
            && self.table.impact(block) < least
            && self.table.last(block) <= last
        {
            block += 1;
        }
        block
    }

    /// Replaces `positions` by those at which the term occurs in the present document, increasing, all spaces in a line.
    pub(crate) fn positions(&mut self, positions: &mut Vec<u32>) -> Result<(), Error> {
        self.positions_in(None, positions)
    }

    /// The same of one field, or of all.
    pub(crate) fn positions_in(
        &mut self,
        only: Option<Field>,
        positions: &mut Vec<u32>,
    ) -> Result<(), Error> {
        positions.clear();
        if self.doc() == LIST_END {
            return Ok(());
        }
        let counts = self.counts();
        let before: u64 = self.totals[..self.at].iter().map(|&total| u64::from(total)).sum();
        let mut place = if self.table_has_blocks() { self.table.occurrences(self.block) } else { 0 } + before;
        for field in Field::ALL {
            let (mut next_possible, space) = (0, field.space());
            let mut left = counts.of(field) as usize;
            if only.is_some_and(|only| only != field) {
                place += left as u64;
                continue;
            }
            while left > 0 {
                let numbers = self.numbers(place)?;
                let numbers = &numbers[..numbers.len().min(left)];
                for number in numbers {
                    // What nobody wrote must not run over.
                    let position = number.saturating_add(next_possible).min(POSITION_MAX);
                    positions.push(space.locate(position));
                    next_possible = position + 1;
                }
                place += numbers.len() as u64;
                left -= numbers.len();
            }
        }
        // Headings stand between the lines of the main text.
        if counts.0.iter().filter(|&&count| count > 0).count() > 1 {
            positions.sort_unstable();
        }
        Ok(())
    }

    /// Adds the numbers of positions from a place of the list on, as they are written, to `numbers`.
    pub(crate) fn read_numbers(
        &mut self,
        place: u64,
        count: u32,
        numbers: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (mut place, end) = (place, place + u64::from(count));
        while place < end {
            let chunk = self.numbers(place)?;
            let chunk = &chunk[..chunk.len().min((end - place) as usize)];
            numbers.extend_from_slice(chunk);
            place += chunk.len() as u64;
        }
        Ok(())
    }

    /// The numbers from this place of all positions to the end of its chunk; at least one.
    #[inline]
    fn numbers(&mut self, place: u64) -> Result<&[u32], Error> {
        let chunk = (place / BLOCK as u64) as usize;
        if self.chunk.number != Some(chunk) {
            self.load_chunk(chunk)?;
        }
        match self.chunk.numbers.get(place as usize % BLOCK..) {
            Some(numbers @ [_, ..]) => Ok(numbers),
            _ => Err(self.ends_early()),
        }
    }

    /// How many chunks of positions there are.
    pub(crate) fn chunks(&self) -> usize {
        block_count(self.occurrences)
    }

    /// The numbers of a chunk of positions, as they are written.
    pub(crate) fn chunk_numbers(&mut self, chunk: usize) -> Result<&[u32], Error> {
        self.numbers(chunk as u64 * BLOCK as u64)
    }

    /// The bytes of a chunk that is not the last. It is full, and begins and ends at a byte.
    pub(crate) fn chunk_bytes(&self, chunk: usize) -> Result<&'a [u8], Error> {
        let bits = self.chunk_bits(chunk);
        Ok(self.files.positions.bytes(bits.start / 8..bits.end / 8)?)
    }

    fn chunk_length(&self, chunk: usize) -> usize {
        (self.occurrences - chunk as u64 * BLOCK as u64).min(BLOCK as u64) as usize
    }

    /// Where a chunk lies in `positions`.
    fn chunk_bits(&self, chunk: usize) -> std::ops::Range<u64> {
        let (mut begin, mut end) = (self.positions.start, self.positions.end);
        let chunks = self.chunks();
        if chunks == 1 && self.chunk_length(chunk) == BLOCK {
            begin = begin.next_multiple_of(8);
        } else if chunks > 1 {
            begin = 8 * (begin.div_ceil(8) + self.table.chunk(chunk));
            if chunk + 1 < chunks {
                end = 8 * (self.positions.start.div_ceil(8) + self.table.chunk(chunk + 1));
            }
        }
        begin..end
    }

    fn load_chunk(&mut self, chunk: usize) -> Result<(), Error> {
        if chunk >= self.chunks() {
            return Err(self.ends_early());
        }
        let place = self.chunk_bits(chunk);
        let length = self.chunk_length(chunk);
        let bytes = self.files.positions.bytes(place.start / 8..place.end.div_ceil(8))?;
        let mut bits = BitReader::new(bytes, place.start % 8);
        let numbers = &mut self.chunk.numbers;
        numbers.resize(length, 0);
        self.files.codecs.positions().read(&mut bits, &self.shape, numbers);
        self.chunk.number = Some(chunk);
        if bits.is_exhausted() { Err(self.ends_early()) } else { Ok(()) }
    }

    #[cold]
    fn ends_early(&self) -> Error {
        Error::damaged(self.files.positions.path(), "a list ends before its last position")
    }

    /// What no document of the block that `target` would be in exceeds, without decoding it. Targets do not decrease.
    #[inline]
    pub(crate) fn bound_at(&mut self, target: u32) -> BlockBound {
        if !self.table_has_blocks() {
            // So few documents are not worth a table.
            let last = if self.doc() == LIST_END { LIST_END } else { self.documents[self.length - 1] };
            let impact = if target > last || last == LIST_END { 0 } else { u8::MAX };
            return BlockBound { impact, last: if impact == 0 { LIST_END } else { last } };
        }
        self.shallow = self.shallow.max(self.block);
        if self.shallow < self.block_count() && self.table.last(self.shallow) < target {
            self.shallow = self.table.find(self.shallow, target);
        }
        if self.shallow < self.block_count() {
            BlockBound { impact: self.table.impact(self.shallow), last: self.table.last(self.shallow) }
        } else {
            BlockBound { impact: 0, last: LIST_END }
        }
    }

    /// What no document from `from` to `to` exceeds, and how far that holds: to `to`. Neither decreases from one question
    /// to the next.
    pub(crate) fn bound_between(&mut self, from: u32, to: u32) -> u8 {
        let first = self.bound_at(from);
        if !self.table_has_blocks() || first.last >= to {
            return first.impact;
        }
        let mut impact = first.impact;
        for block in self.shallow + 1..self.block_count() {
            impact = impact.max(self.table.impact(block));
            if self.table.last(block) >= to {
                break;
            }
        }
        impact
    }

    fn block_count(&self) -> usize {
        block_count(self.shape.documents.into())
    }

    fn table_has_blocks(&self) -> bool {
        self.shape.documents as usize > BLOCK
    }

    /// The first block after the present one whose last document is not before `target`; none: one after the last.
    fn find_block(&self, target: u32) -> usize {
        if self.table_has_blocks() && self.block < self.block_count() {
            self.table
                .find((self.block + 1).min(self.block_count() - 1).max(self.block), target)
                .max(self.block + 1)
        } else {
            self.block_count()
        }
    }

    fn load_block(&mut self, block: usize) {
        self.block = block.min(self.block_count());
        self.at = 0;
        let left = (self.shape.documents as usize).saturating_sub(self.block * BLOCK);
        self.length = left.min(BLOCK);
        if self.length == 0 || !self.decode_documents() {
            self.end();
        }
    }

    /// Stands behind the last document.
    fn end(&mut self) {
        self.block = self.block_count();
        self.length = 1;
        self.documents[0] = LIST_END;
        self.totals[0] = 0;
        self.is_split = false;
        self.decoded = Decoded::Fields;
    }

    /// Whether the block could be read: one that ends early has not been written by us.
    fn decode_documents(&mut self) -> bool {
        let (mut bit, mut within) =
            (self.first_bit, Within { first: 0, last: self.shape.documents_all.saturating_sub(1) });
        if self.table_has_blocks() {
            bit = 8 * (self.first_bit.div_ceil(8) + self.table.begin(self.block));
            within.last = self.table.last(self.block);
            if self.block > 0 {
                within.first = self.table.last(self.block - 1).wrapping_add(1);
            }
        }
        let mut bits = BitReader::new(self.postings, bit);
        let documents = &mut self.documents[..self.length];
        self.files.codecs.documents().read_increasing(&mut bits, within, &self.shape, documents);
        self.rest = bits;
        self.decoded = Decoded::Documents;
        let last = documents[documents.len() - 1];
        last != LIST_END && documents[0] <= last && last <= within.last && !self.rest.is_exhausted()
    }

    #[inline]
    fn decode(&mut self, wanted: Decoded) {
        if self.decoded < wanted {
            self.decode_more(wanted);
        }
    }

    fn decode_more(&mut self, wanted: Decoded) {
        let codec = self.files.codecs.counts();
        if self.decoded < Decoded::Totals {
            let totals = &mut self.totals[..self.length];
            codec.read(&mut self.rest, &self.shape, totals);
            totals.iter_mut().for_each(|total| *total = total.saturating_add(1));
            self.decoded = Decoded::Totals;
        }
        if wanted == Decoded::Fields {
            let (totals, counts) = (&self.totals[..self.length], &mut self.counts);
            self.is_split = self.files.patterns.read(totals, codec, &self.shape, &mut self.rest, counts);
            self.decoded = Decoded::Fields;
        }
    }
}

/// The place of the first document of a full block that is not before `target`, if the last one is not.
///
/// Eight comparisons and sixteen more, none of which waits for another: a search by halves is seven that do.
#[inline]
fn place_in(documents: &[u32; BLOCK], target: u32) -> usize {
    const STEP: usize = 16;
    let (steps, _) = documents.as_chunks::<STEP>();
    let step = steps.iter().filter(|step| step[STEP - 1] < target).count().min(steps.len() - 1);
    let before = steps[step].iter().filter(|&&document| document < target).count();
    step * STEP + before.min(STEP - 1)
}

/// Whether a file has the whole list.
pub(crate) fn verify(entry: &ListEntry, postings: &SealedFile, skips: &SealedFile) -> Result<(), Error> {
    postings.bytes(entry.postings.start / 8..entry.postings.end.div_ceil(8))?;
    let table = skips.bytes(entry.skips.clone())?;
    match SkipTable::new(table, entry.documents, entry.occurrences) {
        Some(_) => Ok(()),
        None => {
            Err(Error::damaged(skips.path(), "the table of a list has another length than its blocks need"))
        }
    }
}

/// What no document of a list exceeds, as a byte.
pub(crate) fn list_impact(entry: &ListEntry, skips: &SealedFile) -> u8 {
    let table = SkipTable::new(skips.verified_bytes(entry.skips.clone()), entry.documents, entry.occurrences);
    table.filter(|_| entry.documents as usize > BLOCK).map_or(u8::MAX, |table| table.list_impact())
}
