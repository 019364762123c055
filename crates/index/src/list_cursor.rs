//! Reading a posting list of one segment, no further than it is asked to.
//!
//! A cursor stands on a document, which it knows by its number in the segment. Moving decodes the documents of a block,
//! 128 at a time, but for the first block of a list, of which the first document is known without that. The first count
//! that is asked for in a block is read alone, since in most blocks it is the only one; then all are decoded, fields when
//! they are asked for, positions chunk by chunk where they are wanted. In nearly all blocks every word stands in the main text only: then there are no fields to
//! take apart, and a count is all that an impact needs. The layout is drawn in [`crate::postings`].
//!
//! The bits of a list are verified by `Segment::find`, those of the positions here before they are decoded: codes are
//! never read from bytes whose checksum has not been compared. Bytes that we have not written may still be read, and give
//! a list that ends early, never more than an error.

use journal::SealedFile;

use crate::Error;
use crate::codec::{BLOCK, BitReader, Bitmap, ListShape, Within};
use crate::field::{FIELD_COUNT, Field, FieldCounts, POSITION_MAX};
use crate::impact::{Bounds, ImpactTable};
use crate::lengths::Lengths;
use crate::list_entry::{ListEntry, are_counts_told};
use crate::manifest::Codecs;
use crate::postings::read_single;
use crate::skips::{SkipTable, block_count};
use crate::split::{Patterns, Split};

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
    pub(crate) lengths: Lengths<'a>,
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
    /// The present document, and the last of its block.
    present: u32,
    last: u32,
    waiting: Waiting<'a>,
    /// The documents of the present block, if they are not waiting; `at` is the place of the present one. On the heap, as
    /// cursors are handed on more often than they are made.
    documents: Box<[u32; BLOCK]>,
    length: usize,
    at: usize,
    /// Where the counts of the present block begin, until they are wanted, then where its fields do.
    rest: BitReader<'a>,
    decoded: Decoded,
    /// Whether a count of the present block was read alone.
    has_read_one: bool,
    totals: Box<[u32; BLOCK]>,
    /// So many totals of the present block have this sum.
    summed: (usize, u64),
    /// Whether some word of the present block is not in the main text alone; then `split` has all of them.
    is_split: bool,
    split: Split,
    chunk: Chunk,
}

/// What of the present block is not decoded, as no more than the present document was wanted.
#[derive(Debug, Clone, Copy)]
enum Waiting<'a> {
    /// Nothing is.
    Nothing,
    /// It is a bitmap.
    Bitmap(Bitmap<'a>),
    /// All is but the first document, which is the present one.
    AllButFirst,
}

/// How much of the present block has been decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Decoded {
    Documents,
    Totals,
    Fields,
}

/// What is known of a block that was not decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockBound {
    /// The greatest impact; 0 behind the last block.
    pub(crate) impact: f32,
    /// The last document; [`LIST_END`] behind the last block.
    pub(crate) last: u32,
}

/// What a document needs to be given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Least<'b> {
    pub(crate) impact: f32,
    /// No smaller weight has it.
    pub(crate) weight: f32,
    pub(crate) bounds: &'b Bounds,
}

impl Least<'_> {
    /// Whether a block of this maximum may have such a document.
    #[inline]
    fn is_reached_in(&self, maximum: f32) -> bool {
        self.bounds.of(maximum) >= self.impact
    }
}

/// Places of a block, with their weights.
struct Chosen {
    places: [u8; BLOCK],
    weights: [f32; BLOCK],
    count: usize,
}

impl Chosen {
    /// Chooses a place if it weighs enough. There are no more than those of a block.
    #[inline]
    fn choose(&mut self, place: usize, weight: f32, least: f32) {
        let next = self.count % BLOCK;
        (self.places[next], self.weights[next]) = (place as u8, weight);
        self.count += usize::from(weight >= least);
    }
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
            present: LIST_END,
            last: LIST_END,
            waiting: Waiting::Nothing,
            documents: room(),
            length: 0,
            at: 0,
            rest: BitReader::new(&[], 0),
            decoded: Decoded::Documents,
            has_read_one: false,
            totals: room(),
            summed: (0, 0),
            is_split: false,
            split: Split::default(),
            chunk: Chunk { number: None, numbers: Vec::new() },
        };
        if table.is_none() {
            cursor.shape.documents = 0;
        }
        cursor.begin_list();
        cursor
    }

    /// Stands on the first document. Where that is known by itself its block waits: whoever looks for documents that
    /// another list has may never need it.
    fn begin_list(&mut self) {
        if self.table_has_blocks() && self.begin_block(0) {
            let (bits, within) = self.block_place();
            let first = self.files.codecs.documents().peek_first(&bits, within);
            if let Some(first) = first.filter(|first| *first <= within.last && within.last != LIST_END) {
                (self.present, self.last, self.waiting) = (first, within.last, Waiting::AllButFirst);
                return;
            }
        }
        self.load_block(0);
    }

    /// Goes back to the first document.
    pub(crate) fn rewind(&mut self) {
        self.shallow = 0;
        self.begin_list();
    }

    /// The present document, [`LIST_END`] after the last.
    #[inline]
    pub(crate) fn doc(&self) -> u32 {
        self.present
    }

    /// Moves to the next document and returns it.
    // Not an iterator: a cursor is asked about its present document after it has moved.
    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        self.spread();
        if self.at + 1 < self.length {
            self.stand_at(self.at + 1);
        } else {
            self.load_block(self.block + 1);
        }
        self.present
    }

    /// The present document and those of its block that come after.
    #[inline]
    pub(crate) fn block(&mut self) -> &[u32] {
        self.spread();
        &self.documents[self.at..self.length]
    }

    /// The same with how often the term occurs in each, and in which fields, if some are not in the main text alone.
    pub(crate) fn block_counts(&mut self) -> (&[u32], &[u32], Option<&[FieldCounts]>) {
        self.spread();
        self.decode(Decoded::Fields);
        let here = self.at..self.length;
        let all = self.is_split.then(|| self.split.all(&self.totals[..self.length]));
        let fields = all.and_then(|all| all.get(here.clone()));
        (&self.documents[here.clone()], &self.totals[here], fields)
    }

    /// The bytes of the present block, if others come behind it.
    pub(crate) fn block_bytes(&self) -> Option<&'a [u8]> {
        if self.block + 1 >= self.block_count() {
            return None;
        }
        let first = self.first_bit.div_ceil(8);
        let (begin, end) = (first + self.table.begin(self.block), first + self.table.begin(self.block + 1));
        self.postings.get(begin as usize..end as usize)
    }

    /// Moves behind them.
    #[inline]
    pub(crate) fn next_block(&mut self) {
        self.load_block(self.block + 1);
    }

    /// Moves to the first document that is not before `target` (never backwards) and returns it.
    #[inline]
    pub(crate) fn advance(&mut self, target: u32) -> u32 {
        if self.present >= target {
            return self.present;
        }
        if self.last < target {
            self.land_in_block(self.find_block(target));
        }
        if let Waiting::AllButFirst = self.waiting {
            self.land_in_block(self.block);
        }
        // The last of the block is not before the target, or the list is at its end.
        if let Waiting::Bitmap(bitmap) = &self.waiting {
            self.present = bitmap.next_from(target);
        } else if self.present < target {
            self.stand_at(match self.length {
                BLOCK => place_in(&self.documents, target),
                length => {
                    let rest = &self.documents[self.at..length];
                    self.at + rest.partition_point(|&document| document < target).min(rest.len() - 1)
                }
            });
        }
        self.present
    }

    #[inline]
    fn stand_at(&mut self, place: usize) {
        self.at = place;
        self.present = self.documents[place];
    }

    /// Decodes the documents of a block that waits.
    #[inline]
    fn spread(&mut self) {
        if !matches!(self.waiting, Waiting::Nothing) {
            self.spread_all();
        }
    }

    #[inline(never)]
    fn spread_all(&mut self) {
        match std::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Nothing => {}
            Waiting::Bitmap(bitmap) => {
                bitmap.spread(&mut self.documents);
                self.stand_at(bitmap.rank(self.present));
            }
            Waiting::AllButFirst => self.load_block(self.block),
        }
    }

    /// Where in its block the present document is.
    #[inline]
    fn place(&mut self) -> usize {
        if let Waiting::Bitmap(bitmap) = &self.waiting {
            self.at = bitmap.rank(self.present);
        }
        self.at
    }

    /// How often the term occurs in the present document; 0 at the end.
    #[inline]
    pub(crate) fn frequency(&mut self) -> u32 {
        self.decode(Decoded::Totals);
        let at = self.place();
        self.totals[at]
    }

    /// How often it occurs in each field of the present document; never at the end.
    #[inline]
    pub(crate) fn counts(&mut self) -> FieldCounts {
        self.decode(Decoded::Fields);
        let at = self.place();
        let total = self.totals[at];
        if self.is_split { self.split.counts(at, total) } else { FieldCounts::in_main(total) }
    }

    /// The impact of the term in the present document; never at the end.
    #[inline]
    pub(crate) fn impact(&mut self, table: &ImpactTable) -> f32 {
        table.of_weight(self.weight(table))
    }

    /// What the term weighs in the present document; never at the end.
    #[inline]
    pub(crate) fn weight(&mut self, table: &ImpactTable) -> f32 {
        if self.decoded == Decoded::Documents
            && !self.has_read_one
            && let Some((field, total)) = self.read_one()
        {
            return total as f32 * self.field_factor(self.present, field, table);
        }
        self.decode(Decoded::Fields);
        let (at, document) = (self.place(), self.present);
        let of_field = |field| self.field_factor(document, field, table);
        match self.is_split {
            true => self.split.weight(at, self.totals[at], of_field),
            false => self.totals[at] as f32 * of_field(Field::Main.index()),
        }
    }

    /// What an occurrence in a field of a document weighs.
    #[inline]
    fn field_factor(&self, document: u32, field: usize, table: &ImpactTable) -> f32 {
        table.factor(field, self.files.lengths.code(document, field))
    }

    /// In which field the term occurs in the present document, and how often, if it is one alone. Nothing is decoded for it
    /// but that.
    fn read_one(&mut self) -> Option<(usize, u32)> {
        if let Waiting::AllButFirst = self.waiting {
            self.spread();
        }
        self.has_read_one = true;
        if !self.files.codecs.precision.has_counts() {
            return Some((Field::Main.index(), 1));
        }
        let (codec, mut bits, at) = (self.files.codecs.counts(), self.rest.clone(), self.place());
        let count = codec.read_one(&mut bits, self.length, at)?;
        let field = self.files.patterns.read_one(codec, &mut bits, at)?;
        Some((field, count.saturating_add(1)))
    }

    /// The codes of the lengths of the fields of the present document; zeros at the end.
    pub(crate) fn length_codes(&self) -> [u8; FIELD_COUNT] {
        self.files.lengths.codes(self.present)
    }

    /// Gives each document from the present one to `last` that weighs enough with its impact, and stands on the first one
    /// behind.
    #[inline]
    pub(crate) fn impacts_to(
        &mut self,
        last: u32,
        least: Least<'_>,
        table: &ImpactTable,
        each: &mut impl FnMut(u32, f32),
    ) {
        while self.present <= last && self.present != LIST_END {
            self.spread();
            let in_block = &self.documents[self.at..self.length];
            let end = if in_block[in_block.len() - 1] <= last {
                self.length
            } else {
                self.at + in_block.partition_point(|&document| document <= last)
            };
            if !self.table_has_blocks() || least.is_reached_in(self.table.impact(self.block)) {
                self.decode(Decoded::Fields);
                self.impacts_until(end, least.weight, table, each);
            }
            if end < self.length {
                self.stand_at(end);
            } else {
                self.load_block(self.next_worth_loading(last, least));
            }
        }
    }

    /// Gives each document from the present one on with its impact.
    pub(crate) fn for_each_impact(&mut self, table: &ImpactTable, mut each: impl FnMut(u32, f32)) {
        while self.present != LIST_END {
            self.spread();
            self.decode(Decoded::Fields);
            self.impacts_until(self.length, 0.0, table, &mut each);
            self.next_block();
        }
    }

    /// Gives each document from the present one to `last`, and stands on the first one behind.
    #[inline]
    pub(crate) fn documents_to(&mut self, last: u32, each: &mut impl FnMut(u32)) {
        while self.present <= last && self.present != LIST_END {
            let in_block = self.block();
            let count = match in_block.last() {
                Some(&end) if end > last => in_block.partition_point(|&document| document <= last),
                _ => in_block.len(),
            };
            in_block[..count].iter().for_each(|&document| each(document));
            match self.at + count {
                end if end < self.length => self.stand_at(end),
                _ => self.next_block(),
            }
        }
    }

    /// Sets a bit for each document from the present one to `last`, `shift` further on than its number, and stands on the first
    /// one behind. Gives how many there are. Bitmaps are copied as they are.
    pub(crate) fn mark_to(&mut self, last: u32, shift: u32, bits: &mut [u64]) -> u64 {
        let mut marked = 0;
        while self.present <= last && self.present != LIST_END {
            if let Waiting::AllButFirst = self.waiting {
                self.enter_block(self.block);
            }
            let end = last.min(self.last);
            marked += match &self.waiting {
                Waiting::Bitmap(bitmap) => bitmap.mark(self.present, end, shift, bits),
                _ => mark(&self.documents[self.at..self.length], end, shift, bits),
            };
            match last < self.last {
                true => {
                    self.advance(last + 1);
                }
                false => self.enter_block(self.block + 1),
            }
        }
        marked
    }

    /// Stands on the first document of a block, which is left as it is if it is a bitmap, or behind the last.
    fn enter_block(&mut self, block: usize) {
        self.land_in_block(block);
        if let Waiting::Bitmap(bitmap) = &self.waiting {
            self.present = bitmap.next_from(0);
        }
    }

    /// Gives those before this place of the block that weigh enough. Which do nobody can foresee, so they are chosen
    /// without a branch, before anything is made of them.
    #[inline]
    fn impacts_until(&self, end: usize, least: f32, table: &ImpactTable, each: &mut impl FnMut(u32, f32)) {
        let mut chosen = Chosen { places: [0; BLOCK], weights: [0.0; BLOCK], count: 0 };
        let (range, lengths) = (self.at..end, &self.files.lengths);
        let documents = range.clone().zip(&self.documents[range.clone()]);
        if self.is_split {
            for ((place, &document), &total) in documents.zip(&self.totals[range]) {
                let of_field = |field| table.factor(field, lengths.code(document, field));
                chosen.choose(place, self.split.weight(place, total, of_field), least);
            }
        } else {
            let main = lengths.of_field(Field::Main);
            for ((place, &document), &count) in documents.zip(&self.totals[range]) {
                let code = main.get(document as usize).copied().unwrap_or(0);
                chosen.choose(place, table.weight_of_main_text(count, code), least);
            }
        }
        for (&place, &weight) in chosen.places.iter().zip(&chosen.weights).take(chosen.count) {
            each(self.documents[usize::from(place) % BLOCK], table.of_weight(weight));
        }
    }

    /// The block after the present one, or the first one after it that may have a document that is wanted or ends
    /// behind `last`.
    fn next_worth_loading(&self, last: u32, least: Least<'_>) -> usize {
        let mut block = self.block + 1;
        while self.table_has_blocks()
            && block < self.block_count()
            && !least.is_reached_in(self.table.impact(block))
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

    /// What no document of the block that `target` would be in exceeds, without decoding it. Targets do not decrease.
    #[inline]
    pub(crate) fn bound_at(&mut self, target: u32) -> BlockBound {
        if !self.table_has_blocks() {
            // So few documents are not worth a table.
            let last = self.last;
            let impact = if target > last || last == LIST_END { 0.0 } else { 1.0 };
            return BlockBound { impact, last: if impact == 0.0 { LIST_END } else { last } };
        }
        self.shallow = self.shallow.max(self.block);
        if self.shallow < self.block_count() && self.table.last(self.shallow) < target {
            self.shallow = self.table.find(self.shallow, target);
        }
        if self.shallow < self.block_count() {
            BlockBound { impact: self.table.impact(self.shallow), last: self.table.last(self.shallow) }
        } else {
            BlockBound { impact: 0.0, last: LIST_END }
        }
    }

    /// What no document from `from` to `to` exceeds, and how far that holds: to `to`. Neither decreases from one question
    /// to the next.
    pub(crate) fn bound_between(&mut self, from: u32, to: u32) -> f32 {
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
        let (blocks, asked) = (self.block_count(), self.shallow);
        if !self.table_has_blocks() || self.block + 1 >= blocks {
            return blocks;
        }
        // Mostly somebody has just asked what is in it at most.
        let is_asked = (self.block + 1..blocks).contains(&asked)
            && self.table.last(asked) >= target
            && self.table.last(asked - 1) < target;
        if is_asked { asked } else { self.table.find(self.block + 1, target) }
    }

    /// Stands on the first document of a block, or behind the last.
    fn load_block(&mut self, block: usize) {
        if !self.begin_block(block) {
            return self.end();
        }
        self.decode_documents(self.block_place());
    }

    /// Begins a block that has a document that is not before `target`. A bitmap is left as it is, and the present document
    /// is still to be found.
    fn land_in_block(&mut self, block: usize) {
        if !self.begin_block(block) {
            return self.end();
        }
        let place = self.block_place();
        if self.length < BLOCK || !self.decode_bitmap(&place) {
            self.decode_documents(place);
        }
    }

    /// Whether there is such a block; then it is the present one.
    fn begin_block(&mut self, block: usize) -> bool {
        self.block = block.min(self.block_count());
        self.waiting = Waiting::Nothing;
        (self.has_read_one, self.summed) = (false, (0, 0));
        let left = (self.shape.documents as usize).saturating_sub(self.block * BLOCK);
        self.length = left.min(BLOCK);
        self.decoded = Decoded::Documents;
        self.length > 0
    }

    /// Stands behind the last document.
    fn end(&mut self) {
        self.block = self.block_count();
        self.length = 1;
        self.waiting = Waiting::Nothing;
        self.documents[0] = LIST_END;
        self.last = LIST_END;
        self.stand_at(0);
        self.totals[0] = 0;
        self.is_split = false;
        self.decoded = Decoded::Fields;
    }

    /// Where the present block begins, and which documents may be in it.
    fn block_place(&self) -> (BitReader<'a>, Within) {
        let (mut bit, mut within) =
            (self.first_bit, Within { first: 0, last: self.shape.documents_all.saturating_sub(1) });
        if self.table_has_blocks() {
            bit = 8 * (self.first_bit.div_ceil(8) + self.table.begin(self.block));
            within.last = self.table.last(self.block);
            if self.block > 0 {
                within.first = self.table.last(self.block - 1).wrapping_add(1);
            }
        }
        (BitReader::new(self.postings, bit), within)
    }

    /// Whether the block is a bitmap that is worth to be left as it is.
    fn decode_bitmap(&mut self, (bits, within): &(BitReader<'a>, Within)) -> bool {
        let (mut bits, within) = (bits.clone(), *within);
        // Of a list that is one block the last document is not known.
        if !self.table_has_blocks() || within.last == LIST_END {
            return false;
        }
        let bitmap = self.files.codecs.documents().read_bitmap(&mut bits, within);
        let Some(bitmap) = bitmap.filter(|_| !bits.is_exhausted()) else { return false };
        (self.rest, self.last, self.waiting) = (bits, within.last, Waiting::Bitmap(bitmap));
        true
    }

    /// Stands on the first document of the block; at the end if it could not be read: one that ends early has not been
    /// written by us.
    fn decode_documents(&mut self, (mut bits, within): (BitReader<'a>, Within)) {
        let documents = &mut self.documents[..self.length];
        self.files.codecs.documents().read_increasing(&mut bits, within, &self.shape, documents);
        self.rest = bits;
        self.last = documents[documents.len() - 1];
        let first = documents[0];
        let is_sound = self.last != LIST_END && first <= self.last && self.last <= within.last;
        if is_sound && !self.rest.is_exhausted() {
            self.stand_at(0);
        } else {
            self.end();
        }
    }

    #[inline]
    fn decode(&mut self, wanted: Decoded) {
        if self.decoded < wanted {
            self.decode_more(wanted);
        }
    }

    fn decode_more(&mut self, wanted: Decoded) {
        if let Waiting::AllButFirst = self.waiting {
            self.spread();
            if self.decoded >= wanted {
                return;
            }
        }
        if !self.files.codecs.precision.has_counts() {
            self.totals[..self.length].fill(1);
            (self.is_split, self.decoded) = (false, Decoded::Fields);
            return;
        }
        let codec = self.files.codecs.counts();
        if self.decoded < Decoded::Totals {
            let totals = &mut self.totals[..self.length];
            if are_counts_told(self.shape.documents, self.occurrences) {
                let each = self.occurrences / u64::from(self.shape.documents);
                totals.fill(each.min(u32::MAX.into()) as u32);
            } else if self.occurrences == 0 && totals.len() < BLOCK && self.rest.read_bits(1) == 1 {
                totals.fill(1);
            } else {
                codec.read(&mut self.rest, &self.shape, totals);
                totals.iter_mut().for_each(|total| *total = total.saturating_add(1));
            }
            self.decoded = Decoded::Totals;
        }
        if wanted == Decoded::Fields {
            let patterns = self.files.patterns;
            self.is_split = patterns.read(self.length, codec, &self.shape, &mut self.rest, &mut self.split);
            self.decoded = Decoded::Fields;
        }
    }
}

/// Sets a bit for each of some increasing documents up to `end`, `shift` further on. Gives how many there are.
fn mark(documents: &[u32], end: u32, shift: u32, bits: &mut [u64]) -> u64 {
    let count = documents.partition_point(|&document| document <= end);
    for &document in &documents[..count] {
        let place = document.wrapping_add(shift) as usize;
        if let Some(bits) = bits.get_mut(place / 64) {
            *bits |= 1 << (place % 64);
        }
    }
    count as u64
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

/// Room for the numbers of a block.
fn room() -> Box<[u32; BLOCK]> {
    vec![0; BLOCK].try_into().expect("it has this length")
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

/// What no document of a list exceeds.
pub(crate) fn list_impact(entry: &ListEntry, skips: &SealedFile) -> f32 {
    let table = SkipTable::new(skips.verified_bytes(entry.skips.clone()), entry.documents, entry.occurrences);
    table.filter(|_| entry.documents as usize > BLOCK).map_or(1.0, |table| table.list_impact())
}
