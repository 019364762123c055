//! Verifying an index from end to end, as `crivello index DIR --check` does.
//!
//! Checksums tell that bytes are those that were written. This tells that what was written is an index: every list is read to
//! its end, documents increase and are there, counts and positions are as many as the dictionary says, no document exceeds
//! what its block and its peak say, the words of all lists together are as many as the lengths of the documents, and each is
//! found by its key.
//!
//! Cost: all lists are decoded once, and 24 bytes of memory for each document of a segment.

use crate::field::{FIELD_COUNT, FieldCounts, is_last_position};
use crate::impact::ImpactTable;
use crate::lengths::encode_length;
use crate::list_cursor::{LIST_END, ListCursor};
use crate::list_entry::ListEntry;
use crate::lists::Lists;
use crate::segment::Segment;
use crate::stems::is_stem_key;
use crate::{Analysis, Error, Index};

/// What was found to be sound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct IndexCheck {
    /// Segments that were read.
    pub segments: u64,
    /// Documents, whose lengths were counted.
    pub documents: u64,
    /// Terms of all segments, whose lists were read.
    pub terms: u64,
    /// Stems of all segments, whose lists were read.
    pub stems: u64,
    /// Pairs of a term and a document, without those of stems.
    pub postings: u64,
    /// Words of all lists; those that are written in several parts count with their parts.
    pub occurrences: u64,
}

impl Index {
    /// Reads everything and compares it with everything else. The error tells the first thing that is wrong.
    pub fn check(&self) -> Result<IndexCheck, Error> {
        let mut all = IndexCheck { segments: self.segments().len() as u64, ..IndexCheck::default() };
        for (number, segment) in self.segments().iter().enumerate() {
            segment.check_files()?;
            let is_routed = |term: &str, part: usize| self.routes_to(term, number, part);
            SegmentCheck::new(segment, self.analysis()).run(&is_routed, &mut all)?;
        }
        let report = self.report();
        let told = (report.documents + report.dead, report.terms, report.stems, report.postings);
        let is_told = told == (all.documents, all.terms, all.stems, all.postings);
        let has_words =
            !self.precision().has_counts() || has_words(self.analysis(), report.occurrences, all.occurrences);
        if !is_told || !has_words {
            let reason = "it counts other documents, terms, postings or words than there are";
            return Err(Error::damaged(&self.dir().join("manifest.json"), reason));
        }
        Ok(all)
    }
}

/// Whether lists may have so many words where so many were read: the words of a name in code are there beside its parts.
fn has_words<N: Ord>(analysis: Analysis, read: N, in_lists: N) -> bool {
    if analysis == Analysis::Plain { in_lists == read } else { in_lists >= read }
}

/// What has been read of a segment.
struct SegmentCheck<'s> {
    segment: &'s Segment,
    analysis: Analysis,
    impacts: ImpactTable,
    /// Words of each field of each document.
    lengths: Vec<[u32; FIELD_COUNT]>,
    positions: Vec<u32>,
}

impl<'s> SegmentCheck<'s> {
    fn new(segment: &'s Segment, analysis: Analysis) -> Self {
        let documents = (segment.end().get() - segment.base().get()) as usize;
        let impacts = segment.impacts().table();
        Self { segment, analysis, impacts, lengths: vec![[0; FIELD_COUNT]; documents], positions: Vec::new() }
    }

    fn run(mut self, is_routed: &dyn Fn(&str, usize) -> bool, all: &mut IndexCheck) -> Result<(), Error> {
        let mut last_term = None;
        for (part, lists) in self.segment.lists().iter().enumerate() {
            let is_routed = |term: &str| is_routed(term, part);
            self.read_lists(part as u32, lists, &is_routed, &mut last_term, all)?;
        }
        all.documents += self.lengths.len() as u64;
        self.compare_keys()?;
        self.compare_lengths()
    }

    /// Reads the lists of a part of the terms, all of which are behind `last_term`.
    fn read_lists(
        &mut self,
        part: u32,
        lists: &Lists,
        is_routed: &dyn Fn(&str) -> bool,
        last_term: &mut Option<Vec<u8>>,
        all: &mut IndexCheck,
    ) -> Result<(), Error> {
        let (dictionary, mut end, mut terms) = (lists.dictionary(), (0, 0, 0), 0);
        dictionary.blocks().for_each_entry(|number, term, entry| {
            let says = |reason: &str| {
                let term = String::from_utf8_lossy(term);
                Error::damaged(dictionary.blocks().path(), format!("the list of `{term}`: {reason}"))
            };
            if last_term.as_deref().is_some_and(|last| last >= term) {
                return Err(says("its term is not behind the one before"));
            }
            if (entry.postings.start, entry.positions.start, entry.skips.start) < end {
                return Err(says("it begins before the one before ends"));
            }
            if !std::str::from_utf8(term).is_ok_and(is_routed) {
                return Err(says("the filter of terms does not know its term"));
            }
            if !dictionary.leads_to(term, number)? {
                return Err(says("the function of terms does not lead to its term"));
            }
            terms = number + 1;
            *last_term = Some(term.to_vec());
            end = (entry.postings.end, entry.positions.end, entry.skips.end);
            let entry = &ListEntry { part, ..entry.clone() };
            lists.verify(entry)?;
            match self.read_list(entry, is_stem_key(term), all)? {
                Some(reason) => Err(says(reason)),
                None => Ok(()),
            }
        })?;
        if !dictionary.has_numbers_of(terms) {
            return Err(Error::damaged(dictionary.numbers_path(), "it was made of other terms"));
        }
        Ok(())
    }

    /// Reads a list; what is wrong with it, if anything is.
    fn read_list(
        &mut self,
        entry: &ListEntry,
        is_stem: bool,
        all: &mut IndexCheck,
    ) -> Result<Option<&'static str>, Error> {
        let (mut cursor, mut shallow) = (self.segment.cursor(entry), self.segment.cursor(entry));
        let (mut documents, mut occurrences, mut next_possible) = (0, 0, 0);
        let peaks = self.segment.skip_table(entry).and_then(|table| table.peaks());
        while cursor.doc() != LIST_END {
            let document = cursor.doc();
            if document < next_possible || document as usize >= self.lengths.len() {
                return Ok(Some("its documents do not increase, or are not there"));
            }
            next_possible = document + 1;
            let counts = cursor.counts();
            let has_positions = entry.occurrences > 0;
            // Words of a stem have been counted.
            if !is_stem
                && let Some(reason) = self.read_document(document, &counts, has_positions, &mut cursor)?
            {
                return Ok(Some(reason));
            }
            let codes = self.segment.length_codes_at(document);
            let (impact, bound) = (self.impacts.impact(&counts, &codes), shallow.bound_at(document));
            if impact > bound.impact || document > bound.last {
                return Ok(Some("a document exceeds what its block says"));
            }
            if peaks.is_some_and(|peaks| impact > peaks.of(document)) {
                return Ok(Some("a document exceeds its peak"));
            }
            documents += 1;
            occurrences += if is_stem { 0 } else { u64::from(counts.total()) };
            cursor.next();
        }
        let has_positions = !is_stem && self.segment.codecs().precision.has_positions();
        let listed = if has_positions { occurrences } else { 0 };
        if (documents, listed) != (entry.documents, entry.occurrences) {
            return Ok(Some("it has other documents or words than the dictionary says"));
        }
        if is_stem {
            all.stems += 1;
            return Ok(None);
        }
        all.terms += 1;
        all.postings += u64::from(documents);
        all.occurrences += occurrences;
        Ok(None)
    }

    fn read_document(
        &mut self,
        document: u32,
        counts: &FieldCounts,
        has_positions: bool,
        cursor: &mut ListCursor<'_>,
    ) -> Result<Option<&'static str>, Error> {
        if has_positions {
            cursor.positions(&mut self.positions)?;
            if counts.total() == 0 || self.positions.len() != counts.total() as usize {
                return Ok(Some("a document has other positions than its count says"));
            }
            let goes_on = |pair: &[u32]| pair[0] < pair[1] || pair[0] == pair[1] && is_last_position(pair[0]);
            if !self.positions.windows(2).all(goes_on) {
                return Ok(Some("positions do not increase"));
            }
        }
        for (length, count) in self.lengths[document as usize].iter_mut().zip(counts.0) {
            *length = length.saturating_add(count);
        }
        Ok(None)
    }

    /// Whether each document is found by its key.
    fn compare_keys(&self) -> Result<(), Error> {
        let key = |nth| self.segment.doc_key(self.segment.doc_by_key(nth));
        match (1..self.segment.documents()).find(|&nth| key(nth - 1) >= key(nth)) {
            Some(_) => {
                Err(Error::damaged(self.segment.keys_path(), "documents cannot be found by their keys"))
            }
            None => Ok(()),
        }
    }

    fn compare_lengths(&self) -> Result<(), Error> {
        if !self.segment.codecs().precision.has_counts() {
            return Ok(());
        }
        for (document, lengths) in (0u32..).zip(&self.lengths) {
            let codes = lengths.map(encode_length).into_iter().zip(self.segment.length_codes_at(document));
            if !codes.into_iter().all(|(in_lists, read)| has_words(self.analysis, read, in_lists)) {
                let reason = format!("document {document} of the segment has other words than it says");
                return Err(Error::damaged(self.segment.lengths_path(), reason));
            }
        }
        Ok(())
    }
}
