//! Reading a posting list of one segment, no further than it is asked to.
//!
//! A cursor stands on a document, which it knows by its number in the segment. Moving decodes the documents of a block,
//! 128 at a time, but for the first block of a list, of which the first document is known without that. Counts and fields
//! are decoded when they are asked for ([`impacts`]), positions chunk by chunk ([`positions`]). The layout is drawn in
//! [`crate::postings`].
//!
//! The bits of a list are verified by `Segment::find`. Bytes that we have not written may still be read, and give a list that
//! ends early, never more than an error.

mod impacts;
mod positions;

use journal::SealedFile;

pub(crate) use self::impacts::{BlockBound, Least, list_impact};
use self::positions::Chunk;
use crate::Error;
use crate::codec::{BLOCK, BitReader, Bitmap, ListShape, Within};
use crate::field::FieldCounts;
use crate::lengths::Lengths;
use crate::list_entry::{ListEntry, are_counts_told};
use crate::manifest::Codecs;
use crate::marks::Marks;
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
    /// The document whose place in the present bitmap is `at`, if there is one.
    ranked: u32,
    /// Where the counts of the present block begin, until they are wanted, then where its fields do.
    rest: BitReader<'a>,
    decoded: Decoded,
    /// Whether a count of the present block was read alone.
    has_read_one: bool,
    totals: Box<[u32; BLOCK]>,
    /// How many occurrences are in the documents of the present block before each, if they have been summed up.
    sums: Vec<u32>,
    are_summed: bool,
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
            ranked: LIST_END,
            rest: BitReader::new(&[], 0),
            decoded: Decoded::Documents,
            has_read_one: false,
            totals: room(),
            sums: Vec::new(),
            are_summed: false,
            is_split: false,
            split: Split::default(),
            chunk: Chunk::default(),
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
        if let Waiting::Bitmap(bitmap) = &self.waiting
            && self.ranked != self.present
        {
            (self.at, self.ranked) = (bitmap.rank(self.present), self.present);
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

    /// Marks each document from the present one to `last`, `shift` further on than its number, and stands on the first one
    /// behind. Gives how many there are. Bitmaps are copied as they are.
    pub(crate) fn mark_to(&mut self, last: u32, shift: u32, marks: &mut (impl Marks + ?Sized)) -> u64 {
        let mut marked = 0;
        while self.present <= last && self.present != LIST_END {
            if let Waiting::AllButFirst = self.waiting {
                self.enter_block(self.block);
            }
            let end = last.min(self.last);
            marked += match &self.waiting {
                Waiting::Bitmap(bitmap) => bitmap.mark(self.present, end, shift, marks),
                _ => mark(&self.documents[self.at..self.length], end, shift, marks),
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
        (self.has_read_one, self.are_summed, self.ranked) = (false, false, LIST_END);
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

/// Marks each of some increasing documents up to `end`, `shift` further on. Gives how many there are.
fn mark(documents: &[u32], end: u32, shift: u32, marks: &mut (impl Marks + ?Sized)) -> u64 {
    let count = documents.partition_point(|&document| document <= end);
    documents[..count].iter().for_each(|&document| marks.mark(document.wrapping_add(shift) as usize));
    count as u64
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
