//! Reading the postings of a term through all segments.
//!
//! The documents of a segment are numbered from 0 in its files and from its base in the index, which is the number of
//! documents before it. A cursor reads one list at a time ([`crate::list_cursor`]) and opens the next one when it comes
//! there; advancing passes over the lists of whole segments without opening them.
//!
//! Cost: that of the lists; one comparison more for each step.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use page::DocId;

use crate::Error;
use crate::dead::is_set;
use crate::field::{FIELD_COUNT, Field, FieldCounts};
use crate::impact::ImpactTable;
use crate::lengths::decode_length;
use crate::list_cursor::{BlockBound, LIST_END, Least, ListCursor};
use crate::list_entry::ListEntry;
use crate::marks::Marks;
use crate::peaks::Stretch;
use crate::segment::Segment;

/// Where the postings of a term lie, and how many there are. Valid for the index that gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermEntry {
    pub(crate) documents: u32,
    /// At least one, in the order of the segments.
    pub(crate) parts: Arc<[TermPart]>,
}

/// What one segment holds of a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TermPart {
    pub(crate) segment_index: usize,
    pub(crate) list: ListEntry,
}

impl TermEntry {
    /// What some segments hold of a term; `None` if there are none.
    pub(crate) fn of_parts(parts: Vec<TermPart>) -> Option<Self> {
        let documents = parts.iter().fold(0u32, |sum, part| sum.saturating_add(part.list.documents));
        (!parts.is_empty()).then(|| Self { documents, parts: parts.into() })
    }

    /// In how many documents the term occurs, those that are dead and not yet dropped included; at least one.
    pub fn document_frequency(&self) -> u32 {
        self.documents
    }
}

/// What the documents up to one of them do not exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// No impact is greater.
    pub impact: f32,
    /// Up to this document, included.
    pub last: DocId,
}

/// Walks through the documents of one term, in increasing order. It begins on the first.
#[derive(Debug)]
pub struct PostingsCursor<'a> {
    segments: &'a [Segment],
    entry: TermEntry,
    /// The part that `list` reads.
    part_index: usize,
    list: ListCursor<'a>,
    /// The bits of the documents of its segment that are dead; mostly none.
    dead: &'a [u8],
    base: DocId,
    /// The number in the index behind the last document of the segment.
    end: DocId,
    doc: DocId,
}

impl<'a> PostingsCursor<'a> {
    /// A cursor over lists that have been verified.
    pub(crate) fn new(entry: &TermEntry, segments: &'a [Segment]) -> Self {
        let first = &entry.parts[0];
        let segment = &segments[first.segment_index];
        let list = segment.cursor(&first.list);
        let mut cursor = Self {
            segments,
            entry: entry.clone(),
            part_index: 0,
            list,
            dead: segment.dead().bits(),
            base: segment.base(),
            end: segment.end(),
            doc: DocId::END,
        };
        cursor.settle();
        cursor
    }

    /// The present document, [`DocId::END`] after the last.
    #[inline]
    pub fn doc(&self) -> DocId {
        self.doc
    }

    /// In how many documents the term occurs.
    pub fn document_frequency(&self) -> u32 {
        self.entry.documents
    }

    /// Moves to the next document and returns it.
    // Not an iterator: a cursor is asked about its present document after it has moved.
    #[allow(clippy::should_implement_trait)]
    #[inline]
    pub fn next(&mut self) -> DocId {
        self.list.next();
        self.settle()
    }

    /// The documents from the present one to the last that was decoded with it, as numbers after
    /// [`PostingsCursor::base`], dead ones among them. At the end, one that is no document.
    #[inline]
    pub fn block(&mut self) -> &[u32] {
        self.list.block()
    }

    /// The number in the index of the first document of the segment that is read.
    #[inline]
    pub fn base(&self) -> DocId {
        self.base
    }

    /// Moves behind [`PostingsCursor::block`] and returns the document there.
    #[inline]
    pub fn next_block(&mut self) -> DocId {
        self.list.next_block();
        self.settle()
    }

    /// Moves to the first document that is not before `target` (never backwards) and returns it.
    pub fn advance(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        if target < self.end {
            self.list.advance(target.get().saturating_sub(self.base.get()));
            return self.settle();
        }
        let passed = self.entry.parts[self.part_index..]
            .iter()
            .take_while(|part| self.segments[part.segment_index].end() <= target)
            .count();
        if passed > 0 && !self.open_part(self.part_index + passed) {
            // Beyond the last segment that has the term; the present list stands for the last one, both at their end.
            self.part_index = self.entry.parts.len() - 1;
            self.list.advance(LIST_END);
        } else {
            self.list.advance(target.get().saturating_sub(self.base.get()));
        }
        self.settle()
    }

    /// What no document from `target` to the one that comes with it exceeds, by the model of the index. Nothing before
    /// `target` is asked for any more, and targets do not decrease.
    #[inline]
    pub fn bound_at(&mut self, target: DocId) -> Bound {
        let segment = self.segment_for(target);
        if target < self.base {
            return Bound { impact: 0.0, last: DocId::new(self.base.get() - 1) };
        }
        if target > last_of(segment) {
            return Bound { impact: 0.0, last: DocId::END };
        }
        let BlockBound { impact, last } = self.list.bound_at(target.get() - self.base.get());
        let last = if last == LIST_END { last_of(segment) } else { DocId::new(self.base.get() + last) };
        Bound { impact: segment.bounds().of(impact), last }
    }

    /// What no document from `from` to the one that comes with it exceeds, which is `to` or the last of a segment. As
    /// with [`PostingsCursor::bound_at`], nothing before is asked for any more.
    #[inline]
    pub fn bound_between(&mut self, from: DocId, to: DocId) -> Bound {
        let segment = self.segment_for(from);
        if from < self.base {
            return Bound { impact: 0.0, last: to.min(DocId::new(self.base.get() - 1)) };
        }
        if from > last_of(segment) {
            return Bound { impact: 0.0, last: to };
        }
        let last = to.min(last_of(segment));
        let impact = self.list.bound_between(from.get() - self.base.get(), last.get() - self.base.get());
        Bound { impact: segment.bounds().of(impact), last }
    }

    /// Whether the term is so frequent in all segments that small windows have peaks there
    /// ([`PostingsCursor::raise_windows`]).
    pub fn has_peaks(&self) -> bool {
        let has_peaks = |part: &TermPart| {
            let table = self.segments[part.segment_index].skip_table(&part.list);
            table.and_then(|table| table.peaks()).is_some_and(|peaks| peaks.stretch() == Stretch::Short)
        };
        self.entry.parts.iter().all(has_peaks)
    }

    /// The segment of the first list that has not ended before `target`, which is then the present one.
    #[inline]
    fn segment_for(&mut self, target: DocId) -> &'a Segment {
        let segment = &self.segments[self.entry.parts[self.part_index].segment_index];
        if target < segment.end() || self.part_index + 1 == self.entry.parts.len() {
            return segment;
        }
        self.advance(target);
        &self.segments[self.entry.parts[self.part_index].segment_index]
    }

    /// What no document of the term exceeds.
    pub fn list_bound(&self) -> f32 {
        let bound = |part: &TermPart| self.segments[part.segment_index].list_bound(&part.list);
        self.entry.parts.iter().map(bound).fold(0.0, f32::max)
    }

    /// The `count` blocks of its list whose maxima are the greatest, each by the first document that may be in it and its
    /// last; none if it has fewer than four times as many.
    pub fn strongest_blocks(&self, count: usize) -> Vec<(DocId, DocId)> {
        let table = |part: &TermPart| self.segments[part.segment_index].skip_table(&part.list);
        let mut blocks: Vec<(f32, usize, usize)> = Vec::new();
        for (number, part) in self.entry.parts.iter().enumerate() {
            let Some(table) = table(part) else { continue };
            let bounds = self.segments[part.segment_index].bounds();
            blocks.extend((0..table.blocks()).map(|block| (bounds.of(table.impact(block)), number, block)));
        }
        if blocks.len() < 4 * count.max(1) {
            return Vec::new();
        }
        blocks.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0));
        let span = |&(_, part, block): &(f32, usize, usize)| {
            let part = &self.entry.parts[part];
            let (base, table) = (self.segments[part.segment_index].base().get(), table(part)?);
            let first = block.checked_sub(1).map_or(0, |before| table.last(before).saturating_add(1));
            Some((DocId::new(base + first), DocId::new(base + table.last(block))))
        };
        blocks[..count].iter().filter_map(span).collect()
    }

    /// Goes back to the first document.
    pub fn rewind(&mut self) {
        match self.part_index {
            0 => self.list.rewind(),
            _ => {
                self.open_part(0);
            }
        }
        self.settle();
    }

    /// Says what each window of `1 << shift` documents is worth: what `worth` makes of the impact that no document of the term
    /// exceeds there. `windows` are zeros, and those that have none of its documents mostly stay so.
    pub fn raise_windows(
        &self,
        shift: u32,
        windows: &mut [u32],
        table: &ImpactTable,
        worth: impl Fn(f32) -> u32,
    ) {
        for part in self.entry.parts.iter() {
            let segment = &self.segments[part.segment_index];
            let (base, bounds) = (segment.base().get(), segment.bounds());
            let mut raise = |first: u32, last: u32, impact: f32| {
                let window_of = |document: u32| (base.saturating_add(document) >> shift) as usize;
                let (first, last, worth) = (window_of(first), window_of(last), worth(impact));
                // Blocks before this one reach no further than its first window.
                if let Some(window) = windows.get_mut(first) {
                    *window = (*window).max(worth);
                }
                if let Some(windows) = windows.get_mut(first + 1..=last) {
                    windows.fill(worth);
                }
            };
            let skips = segment.skip_table(&part.list).filter(|skips| skips.blocks() > 0);
            match (skips, skips.and_then(|skips| skips.peaks())) {
                (_, Some(peaks)) if base == 0 => {
                    let of_level = |impact: f32| if impact == 0.0 { 0 } else { worth(bounds.of(impact)) };
                    peaks.raise_windows(shift, &peaks.impacts().map(of_level), windows);
                }
                (_, Some(peaks)) => {
                    peaks.for_each(segment.documents(), |first, last, impact| {
                        raise(first, last, bounds.of(impact))
                    });
                }
                (Some(skips), None) => {
                    skips.for_each_block(|first, last, impact| raise(first, last, bounds.of(impact)));
                }
                // So few documents are looked at one by one.
                (None, None) => {
                    segment.cursor(&part.list).for_each_impact(table, |doc, impact| raise(doc, doc, impact));
                }
            }
        }
    }

    /// The impact of the term in the present document, by the model of the table; never at the end.
    #[inline]
    pub fn impact(&mut self, table: &ImpactTable) -> f32 {
        self.list.impact(table)
    }

    /// Whether the impact in the present document may be this or more, where `least` comes from [`ImpactTable::least_weight`].
    /// Never at the end.
    #[inline]
    pub fn weighs(&mut self, least: f32, table: &ImpactTable) -> bool {
        least <= 0.0 || self.list.weight(table) >= least
    }

    /// The codes of the lengths of the fields of the present document; zeros at the end.
    pub fn length_codes(&self) -> [u8; FIELD_COUNT] {
        self.list.length_codes()
    }

    /// Gives documents from the present one to `last` with their impacts, and stands on the first one behind. Those whose
    /// impact does not reach `least` may be left out; blocks of which the model of the index says so are not read.
    #[inline]
    pub fn impacts_to(
        &mut self,
        last: DocId,
        least: f32,
        table: &ImpactTable,
        mut each: impl FnMut(DocId, f32),
    ) {
        while self.doc <= last && self.doc != DocId::END {
            let segment = &self.segments[self.entry.parts[self.part_index].segment_index];
            let base = self.base.get();
            let last = last.min(last_of(segment)).get() - base;
            let dead = self.dead;
            let mut of_list = |document: u32, impact: f32| {
                if !is_set(dead, document) {
                    each(DocId::new(base + document), impact);
                }
            };
            let least = Least { impact: least, weight: table.least_weight(least), bounds: segment.bounds() };
            self.list.impacts_to(last, least, table, &mut of_list);
            self.settle();
        }
    }

    /// Gives the documents from the present one to `last`, and stands on the first one behind.
    #[inline]
    pub fn documents_to(&mut self, last: DocId, mut each: impl FnMut(DocId)) {
        while self.doc <= last && self.doc != DocId::END {
            let segment = &self.segments[self.entry.parts[self.part_index].segment_index];
            let (base, dead) = (self.base.get(), self.dead);
            let last = last.min(last_of(segment)).get() - base;
            self.list.documents_to(last, &mut |document| {
                if !is_set(dead, document) {
                    each(DocId::new(base + document));
                }
            });
            self.settle();
        }
    }

    /// Marks each document from the present one to `last` by how far it is from `first`, and stands on the first one behind. Gives
    /// how many there are. The present one is not before `first`.
    pub fn mark_to(&mut self, first: DocId, last: DocId, marks: &mut (impl Marks + ?Sized)) -> u64 {
        let mut marked = 0;
        while self.doc <= last && self.doc != DocId::END {
            let segment = &self.segments[self.entry.parts[self.part_index].segment_index];
            let (end, base) = (last.min(last_of(segment)), self.base.get());
            if self.dead.is_empty() {
                let shift = base.wrapping_sub(first.get());
                marked += self.list.mark_to(end.get() - base, shift, marks);
                self.settle();
            } else {
                self.documents_to(end, |doc| {
                    marks.mark((doc.get() - first.get()) as usize);
                    marked += 1;
                });
            }
        }
        marked
    }

    /// Gives those of some documents, from the present one on, of which a field has so many words, nearly, and stands behind
    /// the last.
    pub fn documents_of_length(
        &mut self,
        field: Field,
        words: RangeInclusive<u32>,
        among: Range<DocId>,
        mut each: impl FnMut(DocId),
    ) {
        self.advance(among.start);
        while self.doc < among.end {
            let segment = &self.segments[self.entry.parts[self.part_index].segment_index];
            let (base, lengths) = (self.base.get(), segment.lengths());
            let last = last_of(segment).min(DocId::new(among.end.get() - 1));
            self.documents_to(last, |doc| {
                let code = lengths.code(doc.get() - base, field.index());
                if words.contains(&decode_length(code)) {
                    each(doc);
                }
            });
        }
    }

    /// What an occurrence of the term weighs in the present document, if all are in the main text. Never at the end.
    #[inline]
    pub fn weight_in_main_text(&mut self, table: &ImpactTable) -> Option<f32> {
        self.list.weight_in_main_text(table)
    }

    /// How often the term occurs in the present document; 0 at the end.
    #[inline]
    pub fn frequency(&mut self) -> u32 {
        self.list.frequency()
    }

    /// How often the term occurs in each field of the present document; nowhere at the end.
    pub fn counts(&mut self) -> FieldCounts {
        self.list.counts()
    }

    /// Whether the term occurs in the title of the present document.
    pub fn in_title(&mut self) -> bool {
        self.counts().of(Field::Title) > 0
    }

    /// Replaces `positions` by those at which the term occurs in the present document, increasing. Those of title,
    /// page, address and links to it are in one line, far from each other.
    pub fn positions(&mut self, positions: &mut Vec<u32>) -> Result<(), Error> {
        self.list.positions(positions)
    }

    /// Keeps those of some increasing numbers that come by `offset` before a position at which the term occurs in the present
    /// document, or none if there are fewer than `least`. `room` is used for it.
    #[inline]
    pub fn retain_before(
        &mut self,
        offset: u32,
        least: usize,
        numbers: &mut Vec<u32>,
        room: &mut Vec<u32>,
    ) -> Result<(), Error> {
        self.list.retain_before(offset, least, numbers, room)
    }

    /// Replaces `positions` by those of one field of the present document.
    pub fn positions_in(&mut self, field: Field, positions: &mut Vec<u32>) -> Result<(), Error> {
        self.list.positions_in(Some(field), positions)
    }

    /// Notes the document on which the list stands. Passes over dead documents before, and goes on to the next list if
    /// the present one has come to its end.
    #[inline]
    fn settle(&mut self) -> DocId {
        if self.list.doc() == LIST_END || !self.dead.is_empty() {
            self.pass_on();
        }
        let local = self.list.doc();
        // Only a list that we have not written has larger numbers than its segment has documents.
        self.doc = match local {
            LIST_END => DocId::END,
            local => DocId::new(self.base.get().saturating_add(local).min(LIST_END - 1)),
        };
        self.doc
    }

    #[inline(never)]
    fn pass_on(&mut self) {
        self.pass_dead();
        while self.list.doc() == LIST_END && self.open_part(self.part_index + 1) {
            self.pass_dead();
        }
    }

    fn pass_dead(&mut self) {
        if !self.dead.is_empty() {
            while is_set(self.dead, self.list.doc()) {
                self.list.next();
            }
        }
    }

    /// Begins the list of another part; false, and nothing changes, when there is none.
    fn open_part(&mut self, part_index: usize) -> bool {
        let Some(part) = self.entry.parts.get(part_index) else { return false };
        let segment = &self.segments[part.segment_index];
        self.part_index = part_index;
        self.list = segment.cursor(&part.list);
        self.dead = segment.dead().bits();
        self.base = segment.base();
        self.end = segment.end();
        true
    }
}

fn last_of(segment: &Segment) -> DocId {
    DocId::new(segment.end().get().saturating_sub(1))
}
