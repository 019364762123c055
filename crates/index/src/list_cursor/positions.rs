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

    /// Keeps those of some increasing numbers that come by `offset` before a position of the present document, or none if there are
    /// fewer than `least`; `room` is for whatever has to be laid out for it.
    pub(crate) fn retain_before(
        &mut self,
        offset: u32,
        least: usize,
        numbers: &mut Vec<u32>,
        room: &mut Vec<u32>,
    ) -> Result<(), Error> {
        self.decode(Decoded::Fields);
        let mut common = Common::new(offset, least, numbers);
        if self.is_split || self.doc() == LIST_END {
            self.positions(room)?;
            common.meet_all(room);
            common.end();
            return Ok(());
        }
        let (mut place, at) = (self.occurrences_before(), self.at);
        let (mut left, mut walk) = (self.totals[at] as usize, LineWalk::new(Field::Main));
        while left > 0 {
            let chunk = self.numbers(place)?;
            let chunk = &chunk[..chunk.len().min(left)];
            if !walk.shows_all(chunk, &mut common) {
                break;
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
        if !self.are_summed {
            self.sum_totals();
        }
        let sum = u64::from(self.sums.get(at).copied().unwrap_or(0));
        sum + if self.table_has_blocks() { self.table.occurrences(self.block) } else { 0 }
    }

    /// Notes how many occurrences are in the documents of the present block before each. Whoever compares positions asks for
    /// several of them.
    fn sum_totals(&mut self) {
        self.sums.clear();
        let mut sum = 0u32;
        self.sums.extend(self.totals[..self.length].iter().map(|total| {
            let before = sum;
            sum = sum.wrapping_add(*total);
            before
        }));
        self.are_summed = true;
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

/// Walks along the positions of a document in one line, as they are written: each as how many words are between it and the one
/// before.
struct LineWalk {
    /// The first position of the line among those of all lines.
    begin: u32,
    /// The first position that the next one may have.
    next_possible: u32,
}

impl LineWalk {
    /// So many positions are passed over together where none of them is wanted.
    const STRIDE: usize = 8;

    fn new(field: Field) -> Self {
        Self { begin: field.space().locate(0), next_possible: 0 }
    }

    /// Shows the next positions to whoever looks for some of them; false as soon as no later one is looked for. What nobody wrote
    /// may run over, and means nothing then.
    #[inline]
    fn shows_all(&mut self, numbers: &[u32], common: &mut Common<'_>) -> bool {
        let (mut wanted, mut rest) = (common.wanted.saturating_sub(self.begin), numbers);
        // Words behind the last position all stand on it.
        if common.is_over || wanted > POSITION_MAX {
            return false;
        }
        while !rest.is_empty() {
            if let Some(stride) = rest.first_chunk::<{ Self::STRIDE }>() {
                let words = stride.iter().fold(Self::STRIDE as u32, |sum, number| sum.wrapping_add(*number));
                let next_possible = self.next_possible.wrapping_add(words);
                if next_possible <= wanted {
                    self.next_possible = next_possible;
                    rest = &rest[Self::STRIDE..];
                    continue;
                }
            }
            let stride;
            (stride, rest) = rest.split_at(rest.len().min(Self::STRIDE));
            for number in stride {
                let position = self.next_possible.wrapping_add(*number);
                self.next_possible = position.wrapping_add(1);
                if position >= wanted {
                    common.meet(self.begin | position.min(POSITION_MAX));
                    wanted = common.wanted.saturating_sub(self.begin);
                    if common.is_over || wanted > POSITION_MAX {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// What two increasing sequences have in common, while the second is gone through.
struct Common<'n> {
    numbers: &'n mut Vec<u32>,
    offset: u32,
    /// So many must be found, and so many may still be missing.
    least: usize,
    spare: usize,
    /// Those before this place have been looked for, and so many of them were found.
    at: usize,
    kept: usize,
    /// What is looked for next.
    wanted: u32,
    /// Nothing is.
    is_over: bool,
}

impl<'n> Common<'n> {
    /// Of `numbers` those are kept to which the other sequence has an equal, `offset` further on; none if there are fewer than
    /// `least`.
    fn new(offset: u32, least: usize, numbers: &'n mut Vec<u32>) -> Self {
        let is_over = numbers.is_empty() || numbers.len() < least;
        let wanted = numbers.first().map_or(0, |first| first.wrapping_add(offset));
        let spare = numbers.len().saturating_sub(least);
        Self { numbers, offset, least, spare, at: 0, kept: 0, wanted, is_over }
    }

    fn meet_all(&mut self, others: &[u32]) {
        for &other in others {
            if other >= self.wanted && !self.is_over {
                self.meet(other);
            }
        }
    }

    /// Goes past what is not beyond this number.
    #[inline]
    fn meet(&mut self, number: u32) {
        while !self.is_over && self.wanted <= number {
            if self.wanted == number {
                self.numbers[self.kept] = self.numbers[self.at];
                self.kept += 1;
            } else if let Some(spare) = self.spare.checked_sub(1) {
                self.spare = spare;
            } else {
                self.is_over = true;
                return;
            }
            self.at += 1;
            match self.numbers.get(self.at) {
                Some(next) => self.wanted = next.wrapping_add(self.offset),
                None => self.is_over = true,
            }
        }
    }

    fn end(self) {
        self.numbers.truncate(if self.kept < self.least { 0 } else { self.kept });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_two_lines_have_in_common_is_kept_if_it_is_enough(
            steps in proptest::collection::vec(prop_oneof![8 => 0u32..4, 2 => 0u32..60, 1 => Just(1 << 27)], 0..70),
            wished in proptest::collection::vec((0usize..80, 0u32..3), 0..12),
            offset in 0u32..3,
            least in 1usize..5,
            cut in 1usize..40,
        ) {
            let mut next_possible = 0u64;
            let line = Field::Main.space();
            let positions: Vec<u32> = steps.iter().map(|&step| {
                let position = next_possible + u64::from(step);
                next_possible = position + 1;
                line.locate(position.min(POSITION_MAX.into()) as u32)
            }).collect();
            // Numbers that come before some positions, and others.
            let mut numbers: Vec<u32> = wished.iter().map(|&(place, beside)| {
                let position = positions.get(place).copied().unwrap_or(line.locate(POSITION_MAX) + 7);
                position.saturating_sub(offset) + beside
            }).collect();
            numbers.push(5);
            numbers.sort_unstable();
            numbers.dedup();
            let has = |number: &u32| positions.contains(&(number + offset));
            let mut expected: Vec<u32> = numbers.iter().copied().filter(has).collect();
            if expected.len() < least {
                expected.clear();
            }
            let mut laid_out = numbers.clone();
            let mut common = Common::new(offset, least, &mut laid_out);
            common.meet_all(&positions);
            common.end();
            prop_assert_eq!(&laid_out, &expected);
            let mut common = Common::new(offset, least, &mut numbers);
            let mut walk = LineWalk::new(Field::Main);
            // As chunks cut it.
            let _ = steps.chunks(cut).all(|chunk| walk.shows_all(chunk, &mut common));
            common.end();
            prop_assert_eq!(&numbers, &expected);
        }
    }
}
