//! Writing posting lists: which documents, how often, in which fields, where.
//!
//! Three streams that are read at different paces lie in three files, one list after the other:
//!
//! ```text
//! postings   blocks of up to 128 documents, each
//!                documents   increasing, from behind the last of the block before
//!                counts      occurrences − 1 for each
//!                fields      in which fields they are ([`crate::split`]); not if the index has one field
//! positions  chunks of up to 128 numbers: for each document, field after field, its first position, then each
//!            position − previous position − 1
//! skips      lists of more than one block: where blocks and chunks begin and what they hold at most ([`crate::skips`])
//! ```
//!
//! The list of a stem ([`crate::stems`]) has no positions.
//!
//! How numbers become bits is the codec's ([`crate::codec`]). The blocks of a list that has several begin at a byte, so
//! that they can be reached; a list of one block begins where the one before ends, at any bit, as most lists are short.
//!
//! A block is the unit of skipping: a search in `skips` finds the block of a document, and only that one is decoded;
//! counts stand after all documents, so that documents which are only passed through never pay for them. A chunk of
//! positions is found by how many occurrences come before, so that a phrase pays for the documents that it compares.
//!
//! Cost: nothing is held but one block and the table of a list; a list may be larger than memory.

use std::path::Path;

use journal::{SealedFile, SealedWriter};

use crate::codec::{BLOCK, BitWriter, ListShape, Within};
use crate::field::{FIELD_COUNT, FieldCounts, Place};
use crate::impact::{ImpactTable, round_up};
use crate::lengths::codes_of;
use crate::list_entry::{ListEntry, StreamOffsets};
use crate::manifest::Codecs;
use crate::skips::{BlockEntry, has_table, write_table};
use crate::split::Patterns;
use crate::{Error, file};

/// One document in which a term occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) document: u32,
    /// Increasing, at least one.
    pub(crate) places: Vec<Place>,
}

/// A file that is written bit by bit.
struct BitFile {
    bits: BitWriter,
    file: SealedWriter,
}

impl BitFile {
    fn create(path: &Path, kind: journal::Kind) -> Result<Self, Error> {
        Ok(Self { bits: BitWriter::default(), file: file::create(path, kind)? })
    }

    /// Hands complete bytes on.
    fn drain(&mut self) -> Result<(), Error> {
        Ok(self.file.put(self.bits.take_bytes().as_ref())?)
    }

    fn finish(mut self) -> Result<SealedWriter, Error> {
        self.bits.align();
        self.drain()?;
        Ok(self.file)
    }
}

/// Writes the files `postings`, `positions` and `skips`, list after list.
pub(crate) struct PostingsWriter {
    postings: BitFile,
    positions: BitFile,
    skips: SealedWriter,
    codecs: Codecs,
    patterns: Patterns,
    /// What a word of a document is worth, and the lengths of its fields.
    impacts: ImpactTable,
    lengths: SealedFile,
    list: OpenList,
}

/// The list that is being written.
#[derive(Default)]
struct OpenList {
    shape: ListShape,
    has_positions: bool,
    start: StreamOffsets,
    documents: Vec<u32>,
    counts: Vec<FieldCounts>,
    /// Numbers of the positions that are not in a chunk yet.
    numbers: Vec<u32>,
    /// The first document that the next block may have.
    next_possible: u32,
    written: u32,
    occurrences: u64,
    blocks: Vec<BlockEntry>,
    chunks: Vec<u64>,
    /// Where the first block and the first chunk begin, in bytes.
    first_block: u64,
    first_chunk: u64,
}

impl PostingsWriter {
    /// `lengths` are those of the documents, whose impacts are by `impacts`.
    pub(crate) fn create(
        folder: &Path,
        codecs: Codecs,
        impacts: ImpactTable,
        lengths: SealedFile,
    ) -> Result<Self, Error> {
        Ok(Self {
            postings: BitFile::create(&folder.join("postings"), *b"post")?,
            positions: BitFile::create(&folder.join("positions"), *b"posi")?,
            skips: file::create(&folder.join("skips"), *b"skip")?,
            codecs,
            patterns: Patterns::new(),
            impacts,
            lengths,
            list: OpenList::default(),
        })
    }

    /// Begins a list of so many documents.
    pub(crate) fn start_list(&mut self, documents: u32, has_positions: bool) {
        let documents_all = (self.lengths.payload_bytes() / FIELD_COUNT as u64) as u32;
        self.list = OpenList {
            shape: ListShape { documents_all, documents },
            has_positions,
            start: self.offsets(),
            documents: std::mem::take(&mut self.list.documents),
            counts: std::mem::take(&mut self.list.counts),
            numbers: std::mem::take(&mut self.list.numbers),
            ..OpenList::default()
        };
    }

    fn offsets(&self) -> StreamOffsets {
        StreamOffsets {
            postings_bits: self.postings.bits.bits(),
            positions_bits: self.positions.bits.bits(),
            skips: self.skips.payload_bytes(),
        }
    }

    /// Adds the next document of the present list.
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

    fn add_positions(&mut self, places: &[Place]) -> Result<(), Error> {
        let mut previous: Option<Place> = None;
        for place in places {
            let is_next = previous.filter(|previous| previous.field_index() == place.field_index());
            let first_possible = is_next.map_or(0, |previous| previous.position() + 1);
            self.list.numbers.push(place.position().saturating_sub(first_possible));
            previous = Some(*place);
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
            self.skips.put(&write_table(&self.list.blocks, &self.list.chunks))?;
        }
        let end = self.offsets();
        Ok(ListEntry {
            documents: shape.documents,
            occurrences,
            postings: start.postings_bits..end.postings_bits,
            positions: start.positions_bits..end.positions_bits,
            skips: start.skips..end.skips,
        })
    }

    fn end_block(&mut self) -> Result<(), Error> {
        let list = &mut self.list;
        let bits = &mut self.postings.bits;
        if list.shape.documents as usize > BLOCK {
            bits.align();
        }
        let begin = bits.bits() / 8;
        if list.blocks.is_empty() {
            list.first_block = begin;
        }
        let last = list.documents[list.documents.len() - 1];
        // A list of one block has no table that would say more of it.
        let has_several = list.shape.documents as usize > BLOCK;
        list.blocks.push(BlockEntry {
            last,
            begin: begin - list.first_block,
            occurrences: list.occurrences,
            impact: match has_several {
                true => greatest_impact(&self.impacts, &self.lengths, &list.documents, &list.counts),
                false => 0,
            },
        });
        let last_possible = if has_several { last } else { list.shape.documents_all - 1 };
        let within = Within { first: list.next_possible, last: last_possible };
        self.codecs.documents().write_increasing(&list.documents, within, &list.shape, bits);
        let counts = self.codecs.counts();
        let totals: Vec<u32> = list.counts.iter().map(|counts| counts.total() - 1).collect();
        counts.write(&totals, &list.shape, bits);
        self.patterns.write(&list.counts, counts, &list.shape, bits);
        list.occurrences += list.counts.iter().map(|counts| u64::from(counts.total())).sum::<u64>();
        list.next_possible = last + 1;
        list.written += list.documents.len() as u32;
        list.documents.clear();
        list.counts.clear();
        self.postings.drain()
    }

    /// Writes a chunk of positions. Only the last one of a list is not full, so a list with one more has several.
    fn end_chunk(&mut self) -> Result<(), Error> {
        self.begin_chunk(self.list.numbers.len() == BLOCK);
        let list = &mut self.list;
        self.codecs.positions().write(&list.numbers, &list.shape, &mut self.positions.bits);
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

    /// The files, all bits of which have been handed on.
    pub(crate) fn finish(self) -> Result<[SealedWriter; 3], Error> {
        Ok([self.postings.finish()?, self.positions.finish()?, self.skips])
    }
}

fn greatest_impact(
    impacts: &ImpactTable,
    lengths: &SealedFile,
    documents: &[u32],
    counts: &[FieldCounts],
) -> u8 {
    let impact =
        |(document, counts): (&u32, &FieldCounts)| impacts.impact(counts, &codes_of(lengths, *document));
    round_up(documents.iter().zip(counts).map(impact).fold(0.0, f32::max))
}
