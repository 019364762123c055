//! Where a word stands in documents.
//!
//! Positions are decoded chunk by chunk where they are wanted. Their bits are verified here before they are decoded: codes are
//! never read from bytes whose checksum has not been compared.

use super::{Decoded, LIST_END, ListCursor};
use crate::Error;
use crate::codec::{BLOCK, BitReader};
use crate::field::{Field, POSITION_MAX};
use crate::postings::read_single;
use crate::skips::block_count;

/// The chunk of positions that was decoded last.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    number: Option<usize>,
    /// Nothing before the first is wanted: most cursors never look at positions.
    numbers: Vec<u32>,
}

impl<'a> ListCursor<'a> {
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
        self.decode(Decoded::Fields);
        let mut place = self.occurrences_before();
        if !self.is_split {
            let total = self.totals[self.at];
            return match only {
                None | Some(Field::Main) => self.add_positions(Field::Main, place, total, positions),
                Some(_) => Ok(()),
            };
        }
        let counts = self.split.counts(self.at, self.totals[self.at]);
        for field in Field::ALL {
            let count = counts.of(field);
            if count > 0 && only.is_none_or(|only| only == field) {
                self.add_positions(field, place, count, positions)?;
            }
            place += u64::from(count);
        }
        // Headings stand between the lines of the main text.
        if counts.0.iter().filter(|&&count| count > 0).count() > 1 {
            positions.sort();
        }
        Ok(())
    }

    /// Keeps those of some increasing numbers that come by `offset` before a position of the present document; `room` is
    /// for whatever has to be laid out for it.
    pub(crate) fn retain_before(
        &mut self,
        offset: u32,
        numbers: &mut Vec<u32>,
        room: &mut Vec<u32>,
    ) -> Result<(), Error> {
        self.decode(Decoded::Fields);
        if self.is_split || self.doc() == LIST_END {
            self.positions(room)?;
            retain_common(offset, numbers, room.iter().copied());
            return Ok(());
        }
        let (mut place, at) = (self.occurrences_before(), self.at);
        let (mut left, mut next_possible, line) = (self.totals[at] as usize, 0, Field::Main.space());
        let mut common = Common::new(offset, numbers);
        while left > 0 && !common.is_over {
            let chunk = self.numbers(place)?;
            let chunk = &chunk[..chunk.len().min(left)];
            for number in chunk {
                // What nobody wrote must not run over.
                let position = number.saturating_add(next_possible).min(POSITION_MAX);
                next_possible = position + 1;
                if line.locate(position) >= common.wanted {
                    common.meet(line.locate(position));
                    if common.is_over {
                        break;
                    }
                }
            }
            (place, left) = (place + chunk.len() as u64, left - chunk.len());
        }
        common.end();
        Ok(())
    }

    /// How many occurrences are in documents before the present one; at the end, any number.
    pub(crate) fn first_occurrence(&mut self) -> u64 {
        if self.doc() == LIST_END {
            return 0;
        }
        self.spread();
        self.decode(Decoded::Totals);
        self.occurrences_before()
    }

    /// How many occurrences are in documents before the present one, whose counts are decoded.
    #[inline]
    fn occurrences_before(&mut self) -> u64 {
        let at = self.place();
        let (from, sum) = if self.summed.0 <= at { self.summed } else { (0, 0) };
        let counted = &self.totals[from..at];
        let sum = sum + u64::from(counted.iter().fold(0u32, |sum, &total| sum.wrapping_add(total)));
        self.summed = (at, sum);
        sum + if self.table_has_blocks() { self.table.occurrences(self.block) } else { 0 }
    }

    /// Adds `count` positions of a field, which are written from this place of all positions on.
    #[inline]
    fn add_positions(
        &mut self,
        field: Field,
        mut place: u64,
        count: u32,
        positions: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (mut next_possible, mut left, space) = (0, count as usize, field.space());
        while left > 0 {
            let numbers = self.numbers(place)?;
            let numbers = &numbers[..numbers.len().min(left)];
            positions.extend(numbers.iter().map(|number| {
                // What nobody wrote must not run over.
                let position = number.saturating_add(next_possible).min(POSITION_MAX);
                next_possible = position + 1;
                space.locate(position)
            }));
            place += numbers.len() as u64;
            left -= numbers.len();
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
        match &mut numbers[..] {
            [single] if chunk == 0 => *single = read_single(&mut bits, place.end - place.start),
            numbers => self.files.codecs.positions().read(&mut bits, &self.shape, numbers),
        }
        self.chunk.number = Some(chunk);
        if bits.is_exhausted() { Err(self.ends_early()) } else { Ok(()) }
    }

    #[cold]
    fn ends_early(&self) -> Error {
        Error::damaged(self.files.positions.path(), "a list ends before its last position")
    }
}

/// Keeps those of some increasing numbers to which others, which increase too, have an equal, `offset` further on.
fn retain_common(offset: u32, numbers: &mut Vec<u32>, others: impl Iterator<Item = u32>) {
    let mut common = Common::new(offset, numbers);
    for other in others {
        if other >= common.wanted && !common.is_over {
            common.meet(other);
        }
    }
    common.end();
}

/// What two increasing sequences have in common, while the second is gone through.
struct Common<'n> {
    numbers: &'n mut Vec<u32>,
    offset: u32,
    /// Those before this place have been looked for, and so many of them were found.
    at: usize,
    kept: usize,
    /// What is looked for next.
    wanted: u32,
    /// Nothing is.
    is_over: bool,
}

impl<'n> Common<'n> {
    fn new(offset: u32, numbers: &'n mut Vec<u32>) -> Self {
        let (is_over, wanted) =
            (numbers.is_empty(), numbers.first().map_or(0, |first| first.wrapping_add(offset)));
        Self { numbers, offset, at: 0, kept: 0, wanted, is_over }
    }

    /// Goes past what is not beyond this number.
    #[inline]
    fn meet(&mut self, number: u32) {
        while !self.is_over && self.wanted <= number {
            self.numbers[self.kept] = self.numbers[self.at];
            self.kept += usize::from(self.wanted == number);
            self.at += 1;
            match self.numbers.get(self.at) {
                Some(next) => self.wanted = next.wrapping_add(self.offset),
                None => self.is_over = true,
            }
        }
    }

    fn end(self) {
        self.numbers.truncate(self.kept);
    }
}
