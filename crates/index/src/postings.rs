//! Writing posting lists: which documents, how often, in which fields, where.
//!
//! Three streams that are read at different paces lie in three files, one list after the other:
//!
//! ```text
//! postings   blocks of up to 128 documents, each
//!                documents   increasing, from behind the last of the block before
//!                counts      occurrences − 1 for each; not if the dictionary tells them, as of most short lists; without
//!                            positions, before those of a block that is not full a bit that says whether all are 1
//!                fields      in which fields they are ([`crate::split`])
//! positions  chunks of up to 128 numbers: for each document, field after field, its first position, then each
//!            position − previous position − 1; of a word that occurs once, the bits of position + 1 below its highest one
//! skips      lists of more than one block: where blocks and chunks begin and what they hold at most ([`crate::skips`])
//! ```
//!
//! The list of a stem ([`crate::stems`]) has no positions. An index may do without positions, or without counts and fields
//! too ([`crate::precision`]).
//!
//! How numbers become bits is the codec's ([`crate::codec`]). The blocks of a list that has several begin at a byte, so
//! that they can be reached; a list of one block begins where the one before ends, at any bit, as most lists are short.
//!
//! A block is the unit of skipping: a search in `skips` finds the block of a document, and only that one is decoded;
//! counts stand after all documents, so that documents which are only passed through never pay for them. A chunk of
//! positions is found by how many occurrences come before, so that a phrase pays for the documents that it compares.
//!
//! Cost: nothing is held but one block and the table of a list; a list may be larger than memory.

use std::io::{Read, Write};
use std::sync::Arc;

use crate::Error;
use crate::codec::{BLOCK, BitReader, BitWriter, ListShape, Within};
use crate::field::{Field, FieldCounts, Place};
use crate::impact::ImpactTable;
use crate::lengths::LengthsFile;
use crate::list_entry::{ListEntry, StreamOffsets, are_counts_told};
use crate::manifest::Codecs;
use crate::peaks::{PeakWriter, Stretch};
use crate::skips::{BlockEntry, has_table, write_table};
use crate::split::Patterns;
use crate::term_blocks::EntryForm;

/// One document in which a term occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) document: u32,
    /// Increasing, at least one.
    pub(crate) places: Vec<Place>,
}

/// A file that is written bit by bit.
pub(crate) struct BitFile<W> {
    bits: BitWriter,
    file: W,
}

impl<W: Write> BitFile<W> {
    fn new(file: W) -> Self {
        Self { bits: BitWriter::default(), file }
    }

    /// Hands complete bytes on, when there are many.
    #[inline]
    fn drain(&mut self) -> Result<(), Error> {
        if self.bits.is_long() { self.drain_all() } else { Ok(()) }
    }

    fn drain_all(&mut self) -> Result<(), Error> {
        Ok(self.file.write_all(self.bits.take_bytes().as_ref())?)
    }

    /// Copies bits.
    pub(crate) fn copy(&mut self, from: &mut impl Read, mut bits: u64) -> Result<(), Error> {
        let mut room = [0; 4 << 10];
        while bits > 0 {
            let now = bits.min(8 * room.len() as u64);
            let bytes = &mut room[..now.div_ceil(8) as usize];
            from.read_exact(bytes)?;
            self.bits.write_from(bytes, now);
            self.drain()?;
            bits -= now;
        }
        Ok(())
    }

    /// Whether a byte has been asked for.
    pub(crate) fn has_aligned(&self) -> bool {
        self.bits.first_aligned().is_some()
    }

    /// Goes on at a byte.
    pub(crate) fn align(&mut self) {
        self.bits.align();
    }

    /// Hands on what is left, up to a whole byte. Returns the file, how many bits were written, and where a byte was first
    /// asked for.
    pub(crate) fn finish(mut self) -> Result<(W, u64, Option<u64>), Error> {
        let (bits, first_aligned) = (self.bits.bits(), self.bits.first_aligned());
        self.bits.align();
        self.drain_all()?;
        Ok((self.file, bits, first_aligned))
    }
}

/// What lists are written with, the same for all that are written at once.
#[derive(Debug, Clone)]
pub(crate) struct ListForm {
    pub(crate) codecs: Codecs,
    /// What a word of a document is worth, and the lengths of its fields.
    pub(crate) impacts: Arc<ImpactTable>,
    pub(crate) lengths: Arc<LengthsFile>,
    patterns: Arc<Patterns>,
}

impl ListForm {
    /// `lengths` are those of the documents, whose impacts are by `impacts`.
    pub(crate) fn new(codecs: Codecs, impacts: ImpactTable, lengths: LengthsFile) -> Self {
        let (impacts, lengths) = (Arc::new(impacts), Arc::new(lengths));
        Self { codecs, impacts, lengths, patterns: Arc::new(Patterns::new()) }
    }

    /// What the entries of its terms are written with.
    pub(crate) fn of_entries(&self) -> EntryForm {
        EntryForm::new(self.codecs.precision, self.lengths.documents())
    }
}

/// Writes the files `postings`, `positions` and `skips`, list after list.
pub(crate) struct PostingsWriter<W> {
    pub(crate) postings: BitFile<W>,
    pub(crate) positions: BitFile<W>,
    pub(crate) skips: W,
    skips_bytes: u64,
    form: ListForm,
    list: OpenList,
    /// Of the list that is being written, if its word is frequent.
    peaks: PeakWriter,
}

/// A list of one block that is not full, nor are its positions, as it stands in another segment.
pub(crate) struct ShortList<'a> {
    pub(crate) documents: u32,
    pub(crate) occurrences: u64,
    /// Its first document, by the number that it gets, and in how many bits that is written.
    pub(crate) first: u32,
    pub(crate) first_bits: u32,
    /// What stands behind its first document, and how many bits that is.
    pub(crate) rest: (BitReader<'a>, u64),
    pub(crate) positions: (BitReader<'a>, u64),
}

/// The list that is being written.
#[derive(Default)]
struct OpenList {
    shape: ListShape,
    has_positions: bool,
    start: StreamOffsets,
    documents: Vec<u32>,
    counts: BlockCounts,
    /// Numbers of the positions that are not in a chunk yet.
    numbers: Vec<u32>,
    /// The first document that the next block may have.
    next_possible: u32,
    occurrences: u64,
    blocks: Vec<BlockEntry>,
    chunks: Vec<u64>,
    /// Where the first block and the first chunk begin, in bytes.
    first_block: u64,
    first_chunk: u64,
}

impl OpenList {
    fn has_several_blocks(&self) -> bool {
        self.shape.documents as usize > BLOCK
    }

    /// The stretches of its peaks, if its word is so frequent that it has some.
    fn stretch(&self) -> Option<Stretch> {
        Stretch::of(self.shape.documents, self.shape.documents_all)
    }

    /// Whether the dictionary will tell the counts of the present block.
    fn are_counts_told(&self) -> bool {
        self.has_positions && are_counts_told(self.shape.documents, self.counts.occurrences())
    }

    /// The last document of the present block, which has one.
    fn last_document(&self) -> u32 {
        self.documents[self.documents.len() - 1]
    }
}

impl<W: Write> PostingsWriter<W> {
    pub(crate) fn new(form: ListForm, postings: W, positions: W, skips: W) -> Self {
        Self {
            postings: BitFile::new(postings),
            positions: BitFile::new(positions),
            skips,
            skips_bytes: 0,
            form,
            list: OpenList::default(),
            peaks: PeakWriter::default(),
        }
    }

    /// What other lists of the same segment are written with.
    pub(crate) fn form(&self) -> &ListForm {
        &self.form
    }

    /// Begins a list of so many documents, with positions if the index keeps them.
    pub(crate) fn start_list(&mut self, documents: u32, has_positions: bool) {
        let documents_all = self.form.lengths.documents();
        self.list = OpenList {
            shape: ListShape { documents_all, documents },
            has_positions: has_positions && self.form.codecs.precision.has_positions(),
            start: self.offsets(),
            documents: std::mem::take(&mut self.list.documents),
            counts: std::mem::take(&mut self.list.counts),
            numbers: std::mem::take(&mut self.list.numbers),
            blocks: emptied(&mut self.list.blocks),
            chunks: emptied(&mut self.list.chunks),
            ..OpenList::default()
        };
        if let Some(stretch) = self.list.stretch() {
            self.peaks.begin(stretch, documents_all);
        }
    }

    /// Where the next list begins.
    pub(crate) fn offsets(&self) -> StreamOffsets {
        StreamOffsets {
            postings_bits: self.postings.bits.bits(),
            positions_bits: self.positions.bits.bits(),
            skips: self.skips_bytes,
        }
    }

    fn put_skips(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.skips.write_all(bytes)?;
        self.skips_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Copies tables of skips.
    pub(crate) fn copy_skips(&mut self, from: &mut impl Read) -> Result<(), Error> {
        self.skips_bytes += std::io::copy(from, &mut self.skips)?;
        Ok(())
    }

    /// Adds the next document of the present list.
    #[inline]
    pub(crate) fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.list.documents.push(posting.document);
        self.list.counts.push(FieldCounts::of_places(&posting.places));
        if self.list.has_positions {
            self.add_positions(&posting.places)?;
        }
        if self.list.documents.len() == BLOCK {
            self.end_block()?;
        }
        Ok(())
    }

    #[inline]
    fn add_positions(&mut self, places: &[Place]) -> Result<(), Error> {
        let mut next_possible = Place(0);
        for &place in places {
            // A field begins anew.
            let first = if place.field_index() == next_possible.field_index() {
                next_possible.0
            } else {
                place.first().0
            };
            self.list.numbers.push(place.0.saturating_sub(first));
            next_possible = Place(place.0 + 1);
            if self.list.numbers.len() == BLOCK {
                self.end_chunk()?;
            }
        }
        Ok(())
    }

    /// Adds the next document of the present list. Its positions come by themselves.
    pub(crate) fn add_document(&mut self, document: u32, counts: FieldCounts) -> Result<(), Error> {
        self.list.documents.push(document);
        self.list.counts.push(counts);
        if self.list.documents.len() == BLOCK { self.end_block() } else { Ok(()) }
    }

    /// Adds the next documents, to the number of each of which `shift` comes, around the end of numbers; `fields` if not all
    /// are in the main text alone.
    pub(crate) fn add_documents(
        &mut self,
        shift: u32,
        documents: &[u32],
        totals: &[u32],
        fields: Option<&[FieldCounts]>,
    ) -> Result<(), Error> {
        let mut at = 0;
        while at < documents.len() {
            let now = at..documents.len().min(at + BLOCK - self.list.documents.len());
            at = now.end;
            self.list
                .documents
                .extend(documents[now.clone()].iter().map(|document| document.wrapping_add(shift)));
            self.list.counts.extend(&totals[now.clone()], fields.map(|fields| &fields[now]));
            if self.list.documents.len() == BLOCK {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Whether a full block that has the same documents could be added as it is.
    pub(crate) fn is_between_blocks(&self) -> bool {
        self.list.documents.is_empty()
    }

    /// Adds a full block that these codecs have written before, behind the same documents as here.
    pub(crate) fn add_block(
        &mut self,
        bytes: &[u8],
        documents: &[u32],
        totals: &[u32],
        fields: Option<&[FieldCounts]>,
    ) -> Result<(), Error> {
        self.list.documents.extend_from_slice(documents);
        self.list.counts.extend(totals, fields);
        self.begin_block();
        self.postings.bits.write_bytes(bytes);
        self.finish_block()
    }

    /// Adds a whole list that these codecs have written before.
    pub(crate) fn add_short_list(&mut self, list: ShortList<'_>) -> Result<ListEntry, Error> {
        let start = self.offsets();
        self.postings.bits.write_bits(list.first, list.first_bits);
        self.postings.bits.copy(list.rest.0, list.rest.1);
        self.positions.bits.copy(list.positions.0, list.positions.1);
        self.postings.drain()?;
        self.positions.drain()?;
        Ok(ListEntry::new(list.documents, list.occurrences, start, self.offsets()))
    }

    /// Adds positions, as the numbers that another list has of them.
    pub(crate) fn add_numbers(&mut self, numbers: &[u32]) -> Result<(), Error> {
        let mut left = numbers;
        while !left.is_empty() {
            let (now, later) = left.split_at(left.len().min(BLOCK - self.list.numbers.len()));
            self.list.numbers.extend_from_slice(now);
            if self.list.numbers.len() == BLOCK {
                self.end_chunk()?;
            }
            left = later;
        }
        Ok(())
    }

    /// Whether the present list says where its words stand.
    pub(crate) fn has_positions(&self) -> bool {
        self.list.has_positions
    }

    /// Whether a full chunk could be added as it is.
    pub(crate) fn is_between_chunks(&self) -> bool {
        self.list.numbers.is_empty()
    }

    /// Adds a full chunk that these codecs have written before.
    pub(crate) fn add_chunk(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.begin_chunk(true);
        self.positions.bits.write_bytes(bytes);
        self.positions.drain()
    }

    /// Ends the list: where it lies.
    pub(crate) fn end_list(&mut self) -> Result<ListEntry, Error> {
        if !self.list.documents.is_empty() {
            self.end_block()?;
        }
        if !self.list.numbers.is_empty() {
            self.end_chunk()?;
        }
        let OpenList { shape, occurrences, start, has_positions, .. } = self.list;
        let occurrences = if has_positions { occurrences } else { 0 };
        if has_table(shape.documents, occurrences) {
            let peaks = self.list.stretch().map(|_| &self.peaks);
            self.put_skips(&write_table(&self.list.blocks, &self.list.chunks, peaks))?;
        }
        Ok(ListEntry::new(shape.documents, occurrences, start, self.offsets()))
    }

    fn end_block(&mut self) -> Result<(), Error> {
        self.begin_block();
        let (list, form, bits) = (&mut self.list, &self.form, &mut self.postings.bits);
        let last_possible =
            if list.has_several_blocks() { list.last_document() } else { list.shape.documents_all - 1 };
        let within = Within { first: list.next_possible, last: last_possible };
        form.codecs.documents().write_increasing(&list.documents, within, &list.shape, bits);
        if form.codecs.precision.has_counts() {
            if !list.are_counts_told() {
                list.counts.write_totals(form, &list.shape, list.has_positions, bits);
            }
            list.counts.write_fields(form, &list.shape, bits);
        }
        self.finish_block()
    }

    fn begin_block(&mut self) {
        let (list, bits) = (&mut self.list, &mut self.postings.bits);
        if !self.form.codecs.precision.has_counts() {
            list.counts.forget();
        }
        if list.has_several_blocks() {
            bits.align();
        }
        let begin = bits.bits() / 8;
        if list.blocks.is_empty() {
            list.first_block = begin;
        }
        if list.stretch().is_some() {
            list.counts.for_each_impact(&self.form, &list.documents, |document, impact| {
                self.peaks.raise(document, impact);
            });
        }
        list.blocks.push(BlockEntry {
            last: list.last_document(),
            begin: begin - list.first_block,
            occurrences: list.occurrences,
            // A list of one block has no table that would say more of it.
            impact: match list.has_several_blocks() {
                true => list.counts.greatest_impact(&self.form, &list.documents),
                false => 0.0,
            },
        });
    }

    fn finish_block(&mut self) -> Result<(), Error> {
        let list = &mut self.list;
        list.occurrences += list.counts.occurrences();
        list.next_possible = list.last_document() + 1;
        list.documents.clear();
        list.counts.clear();
        self.postings.drain()
    }

    /// Writes a chunk of positions. Only the last one of a list is not full, so a list with one more has several.
    fn end_chunk(&mut self) -> Result<(), Error> {
        self.begin_chunk(self.list.numbers.len() == BLOCK);
        let (list, bits) = (&mut self.list, &mut self.positions.bits);
        match list.numbers[..] {
            [single] if list.chunks.len() == 1 => write_single(single, bits),
            _ => self.form.codecs.positions().write(&list.numbers, &list.shape, bits),
        }
        list.numbers.clear();
        self.positions.drain()
    }

    fn begin_chunk(&mut self, is_full: bool) {
        let (list, bits) = (&mut self.list, &mut self.positions.bits);
        if is_full || !list.chunks.is_empty() {
            bits.align();
        }
        let begin = bits.bits() / 8;
        if list.chunks.is_empty() {
            list.first_chunk = begin;
        }
        list.chunks.push(begin - list.first_chunk);
    }
}

/// Writes the only position of a list: how many bits it has the dictionary tells.
fn write_single(position: u32, bits: &mut BitWriter) {
    let next = u64::from(position) + 1;
    bits.write_bits((next - (1 << next.ilog2())) as u32, next.ilog2());
}

/// Reads the only position of a list from all of its bits.
pub(crate) fn read_single(bits: &mut BitReader<'_>, width: u64) -> u32 {
    // No position has more bits, whatever somebody else may have written.
    let width = width.min(32) as u32;
    ((1u64 << width) + u64::from(bits.read_bits(width)) - 1) as u32
}

/// The same memory, without what it held.
fn emptied<T>(room: &mut Vec<T>) -> Vec<T> {
    room.clear();
    std::mem::take(room)
}

/// The counts of a block.
#[derive(Debug, Default)]
struct BlockCounts {
    totals: Vec<u32>,
    /// Of each; empty while all are in the main text alone, as in most blocks.
    fields: Vec<FieldCounts>,
}

impl BlockCounts {
    #[inline]
    fn push(&mut self, counts: FieldCounts) {
        match counts.main_alone().filter(|_| self.fields.is_empty()) {
            Some(total) => self.totals.push(total),
            None => self.push_split(counts),
        }
    }

    #[inline(never)]
    fn push_split(&mut self, counts: FieldCounts) {
        self.split();
        self.totals.push(counts.total());
        self.fields.push(counts);
    }

    /// From here on fields are told apart.
    fn split(&mut self) {
        let told = self.fields.len();
        self.fields.extend(self.totals[told..].iter().map(|&total| FieldCounts::in_main(total)));
    }

    fn extend(&mut self, totals: &[u32], fields: Option<&[FieldCounts]>) {
        if fields.is_some() || !self.fields.is_empty() {
            self.split();
            match fields {
                Some(fields) => self.fields.extend_from_slice(fields),
                None => self.fields.extend(totals.iter().map(|&total| FieldCounts::in_main(total))),
            }
        }
        self.totals.extend_from_slice(totals);
    }

    /// From here on each word stands once in the main text.
    fn forget(&mut self) {
        self.totals.fill(1);
        self.fields.clear();
    }

    fn clear(&mut self) {
        self.totals.clear();
        self.fields.clear();
    }

    fn occurrences(&self) -> u64 {
        self.totals.iter().map(|&total| u64::from(total)).sum()
    }

    fn write_totals(&self, form: &ListForm, shape: &ListShape, has_positions: bool, bits: &mut BitWriter) {
        if !has_positions && self.totals.len() < BLOCK {
            let are_ones = self.totals.iter().all(|&total| total == 1);
            bits.write_bits(are_ones.into(), 1);
            if are_ones {
                return;
            }
        }
        let mut before = [0; BLOCK];
        before.iter_mut().zip(&self.totals).for_each(|(before, total)| *before = total - 1);
        form.codecs.counts().write(&before[..self.totals.len()], shape, bits);
    }

    fn write_fields(&self, form: &ListForm, shape: &ListShape, bits: &mut BitWriter) {
        let (codec, count) = (form.codecs.counts(), self.totals.len());
        if self.fields.is_empty() {
            Patterns::write_main_alone(count, codec, shape, bits);
        } else {
            form.patterns.write(&self.fields, codec, shape, bits);
        }
    }

    fn greatest_impact(&self, form: &ListForm, documents: &[u32]) -> f32 {
        let mut greatest = 0.0;
        self.for_each_weight(form, documents, |_, weight| greatest = weight.max(greatest));
        form.impacts.of_weight(greatest)
    }

    fn for_each_impact(&self, form: &ListForm, documents: &[u32], mut each: impl FnMut(u32, f32)) {
        self.for_each_weight(form, documents, |document, weight| {
            each(document, form.impacts.of_weight(weight))
        });
    }

    /// Gives each document with what the word weighs in it.
    #[inline]
    fn for_each_weight(&self, form: &ListForm, documents: &[u32], mut each: impl FnMut(u32, f32)) {
        let (impacts, lengths) = (&form.impacts, form.lengths.lengths());
        if self.fields.is_empty() {
            let code = |document: u32| lengths.code(document, Field::Main.index());
            for (&document, &total) in documents.iter().zip(&self.totals) {
                each(document, impacts.weight_of_main_text(total, code(document)));
            }
        } else {
            for (&document, counts) in documents.iter().zip(&self.fields) {
                each(document, impacts.weight(counts, |field| lengths.code(document, field)));
            }
        }
    }
}
