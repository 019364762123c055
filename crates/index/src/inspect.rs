//! Looking into one segment: what it holds, the list of a term, a block of it.
//!
//! For people who want to know what is in the files. Lists are read as searches read them; documents have the numbers of their
//! segment.

use std::path::Path;

use page::{DocId, PageKey};
use serde::Serialize;

use crate::codec::BLOCK;
use crate::field::{Field, FieldCounts};
use crate::list_cursor::LIST_END;
use crate::list_entry::ListEntry;
use crate::manifest::{Codecs, Manifest, SegmentEntry};
use crate::peaks::PeakFacts;
use crate::segment::Segment;
use crate::skips::block_count;
use crate::{Analysis, Error};

/// A segment that is looked into.
#[derive(Debug)]
pub struct SegmentView {
    segment: Segment,
    entry: SegmentEntry,
    analysis: Analysis,
}

/// What a segment holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SegmentFacts {
    /// How its lists are written.
    pub codecs: Codecs,
    /// How much it knows of words.
    pub analysis: &'static str,
    /// Its documents, dead ones too.
    pub documents: u64,
    /// How many of them are dead.
    pub dead: u64,
    /// Words that have a list.
    pub terms: u64,
    /// Stems that have one of their own.
    pub stems: u64,
    /// Pairs of a word and a document.
    pub postings: u64,
    /// Words of all documents.
    pub occurrences: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Its dictionaries: one, or as many as there are parts of its terms.
    pub dictionaries: u64,
    /// Whether it goes on with the documents of the segment before, as a part of what was made with it.
    pub goes_on: bool,
}

/// What is known of the list of a term.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListFacts {
    /// How many documents have the term, dead ones too.
    pub documents: u64,
    /// How often they have it.
    pub occurrences: u64,
    /// Bits of documents and counts.
    pub postings_bits: u64,
    /// Bits of positions.
    pub positions_bits: u64,
    /// Bytes of the table of its blocks.
    pub skips_bytes: u64,
    /// What the term adds at most to each few documents; only of a frequent one it is known.
    pub peaks: Option<PeakFacts>,
    /// Its blocks, in order.
    pub blocks: Vec<BlockFacts>,
}

/// What is known of a block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BlockFacts {
    /// The byte of `postings` in which it begins.
    pub byte: u64,
    /// How many documents it has.
    pub documents: u64,
    /// The first of them.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// How often the term occurs in them.
    pub occurrences: u64,
    /// What no impact in it exceeds; a list of one block does not say.
    pub greatest_impact: Option<f32>,
}

/// A document of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostingFacts {
    /// Its number in the segment.
    pub document: u32,
    /// Where the page is kept.
    pub key: PageKey,
    /// Whether it is dead.
    pub is_dead: bool,
    /// How often the term occurs in each field.
    pub counts: FieldCounts,
    /// Where, and of title, address and links in which of them.
    pub positions: Vec<(Option<Field>, u32)>,
}

impl SegmentView {
    /// Opens the segment in `folder`, which the manifest beside it has to name.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        let dir = parent.unwrap_or(Path::new("."));
        let Manifest { segments, analysis, .. } = Manifest::read(dir)?;
        let is_it =
            |entry: &SegmentEntry| folder.file_name().is_some_and(|name| name == entry.folder.as_str());
        let entry = segments.into_iter().find(is_it);
        let entry = entry.ok_or_else(|| Error::damaged(folder, "no segment of the index is called so"))?;
        let segment = Segment::open(dir, &entry, DocId::new(0), &entry.impacts)?;
        for lists in segment.lists() {
            lists.check_filter()?;
        }
        Ok(Self { segment, entry, analysis })
    }

    /// What it holds.
    pub fn facts(&self) -> SegmentFacts {
        let counts = &self.entry.counts;
        SegmentFacts {
            codecs: self.entry.codecs,
            analysis: self.analysis.name(),
            documents: counts.documents,
            dead: self.entry.dead_documents(),
            terms: counts.terms,
            stems: counts.stems,
            postings: counts.postings,
            occurrences: counts.occurrences,
            bytes: counts.bytes,
            dictionaries: self.segment.lists().len() as u64,
            goes_on: self.entry.goes_on,
        }
    }

    /// The list of a term, if it has one here.
    pub fn list(&self, term: &str) -> Result<Option<ListFacts>, Error> {
        let Some(entry) = self.segment.find(term)? else { return Ok(None) };
        let mut facts = ListFacts {
            documents: entry.documents.into(),
            occurrences: entry.occurrences,
            postings_bits: entry.postings.end - entry.postings.start,
            positions_bits: entry.positions.end - entry.positions.start,
            skips_bytes: entry.skips.end - entry.skips.start,
            peaks: self.peaks(&entry),
            blocks: Vec::new(),
        };
        let mut cursor = self.segment.cursor(&entry);
        while cursor.doc() != LIST_END {
            let (byte, greatest_impact) = self.begin_and_impact(&entry, facts.blocks.len());
            let (documents, totals, _) = cursor.block_counts();
            facts.blocks.push(BlockFacts {
                byte,
                documents: documents.len() as u64,
                first: documents[0],
                last: documents[documents.len() - 1],
                occurrences: totals.iter().map(|&total| u64::from(total)).sum(),
                greatest_impact,
            });
            cursor.next_block();
        }
        Ok(Some(facts))
    }

    fn peaks(&self, entry: &ListEntry) -> Option<PeakFacts> {
        let peaks = self.segment.skip_table(entry)?.peaks()?;
        Some(peaks.facts(self.segment.documents()))
    }

    fn begin_and_impact(&self, entry: &ListEntry, block: usize) -> (u64, Option<f32>) {
        let table = self.segment.skip_table(entry).filter(|_| entry.documents as usize > BLOCK);
        match table.filter(|_| block < block_count(entry.documents.into())) {
            Some(table) => {
                let begin = entry.postings.start.div_ceil(8) + table.begin(block);
                (begin, Some(table.impact(block)))
            }
            None => (entry.postings.start / 8, None),
        }
    }

    /// The documents of a block of a list, counted from 0; none if there is no such list or block.
    pub fn block(&self, term: &str, block: u64) -> Result<Vec<PostingFacts>, Error> {
        let Some(entry) = self.segment.find(term)? else { return Ok(Vec::new()) };
        let mut cursor = self.segment.cursor(&entry);
        for _ in 0..block {
            if cursor.doc() == LIST_END {
                break;
            }
            cursor.next_block();
        }
        let left = if cursor.doc() == LIST_END { 0 } else { cursor.block().len() };
        let (mut postings, mut positions) = (Vec::new(), Vec::new());
        for _ in 0..left {
            let document = cursor.doc();
            if entry.occurrences > 0 {
                cursor.positions(&mut positions)?;
            }
            postings.push(PostingFacts {
                document,
                key: self.segment.doc_key(DocId::new(document)),
                is_dead: self.segment.dead().has(document),
                counts: cursor.counts(),
                positions: positions.iter().map(|&position| Field::place_of(position)).collect(),
            });
            cursor.next();
        }
        Ok(postings)
    }
}
