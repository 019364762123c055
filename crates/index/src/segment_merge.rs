//! Merging neighbouring segments into one, without reading a page again.
//!
//! The dictionaries are sorted, so their terms are walked side by side; the lists of a term are decoded one after the
//! other, their documents renumbered, and written as one. Documents that are dead are dropped, and terms that only they
//! had. Positions do not depend on the numbers of documents: they pass as the numbers that are written, and whole chunks of
//! the first list as their bytes.
//!
//! Where documents are in the order in which they came, they stand in the order of their keys. A document that was replaced
//! under its key is in a later segment: where keys of segments interleave, so do their documents, and the postings of a list
//! are taken in turn, one at a time. In any other order ([`crate::order`]) segments follow each other as they are.
//!
//! A stem that has no list of its own in one segment and has one in another gets one: for the first, that of the word.
//!
//! What comes out has the bytes that one build of the living documents would have made, but for the maxima of blocks where
//! documents died: how many words the others have is then known as well as the bytes of lengths tell.
//!
//! Cost: linear in what is read and written; memory for a block, the table of one list, and four bytes for each document
//! of a segment with dead ones, twelve where keys interleave, eight more in another order than that of keys.

use std::ops::Range;
use std::path::Path;

use journal::{Generation, SealedWriter};
use page::DocId;

use crate::field::FIELD_COUNT;
use crate::file;
use crate::impact::ImpactModel;
use crate::lengths::{LengthsWriter, decode_length};
use crate::list_cursor::{LIST_END, ListCursor};
use crate::list_entry::ListEntry;
use crate::list_sink::{ListHead, ListSink};
use crate::manifest::{Codecs, Manifest, SegmentCounts, SegmentEntry, averages};
use crate::postings::PostingsWriter;
use crate::prints::PrintsWriter;
use crate::segment::Segment;
use crate::segment_writer::{FinalLists, SegmentWriter};
use crate::stems::STEM_MARK;
use crate::{Analysis, Error, places};

/// Puts one segment in the place of neighbours of a manifest and commits that. Without a living document there is none,
/// unless it would be the last.
pub(crate) fn merge_segments(
    dir: &Path,
    mut manifest: Manifest,
    generation: Generation,
    range: Range<usize>,
) -> Result<Manifest, Error> {
    let parts = open_parts(dir, &manifest.segments[range.clone()])?;
    // Documents that are in no order of keys stay beside those that they were with.
    let parts = if manifest.order.is_arrival() { Parts::by_key(parts) } else { Parts::in_turn(parts) };
    let is_alone = range.len() == manifest.segments.len();
    let source_stamp = manifest.segments[range.end - 1].source_stamp.clone();
    if parts.parts.iter().all(|part| part.living == 0) && !is_alone {
        let was_last = range.end == manifest.segments.len();
        manifest.segments.drain(range);
        // How far the index goes is said by its last segment.
        if let Some(last) = manifest.segments.last_mut().filter(|_| was_last) {
            last.source_stamp = source_stamp;
        }
    } else {
        let entry = write_merged(&manifest, &generation, &range, &parts, source_stamp)?;
        manifest.segments.splice(range, [entry]);
    }
    let used: Vec<&str> = manifest.segments.iter().map(|segment| &*segment.folder).collect();
    generation.commit(&manifest.to_json(), &used)?;
    Ok(manifest)
}

/// A segment that is merged.
struct Part {
    segment: Segment,
    /// Its first document that lives becomes this one.
    base: u32,
    living: u32,
    /// What becomes of each document, if some are dead or do not stand behind all of the parts before.
    renumbered: Vec<u32>,
}

/// The segments that are merged, and whose turn it is.
struct Parts {
    parts: Vec<Part>,
    /// The part and the document of each document of the merge, if the keys of parts interleave.
    interleaved: Option<Vec<(u32, DocId)>>,
}

impl Parts {
    /// One after the other.
    fn in_turn(parts: Vec<Part>) -> Self {
        Self { parts, interleaved: None }
    }

    /// In the order of their keys.
    fn by_key(mut parts: Vec<Part>) -> Self {
        let mut order = Vec::new();
        if are_interleaved(&parts) {
            for (number, part) in (0..).zip(&parts) {
                order.extend(part.living().map(|doc| (number, doc)));
            }
            let key = |&(part, doc): &(u32, DocId)| parts[part as usize].segment.doc_key(doc);
            order.sort_by_cached_key(key);
            for part in &mut parts {
                part.renumbered = vec![DROPPED; part.segment.documents() as usize];
            }
            for (number, (part, doc)) in (0..).zip(&order) {
                parts[*part as usize].renumbered[doc.index()] = number;
            }
            return Self { parts, interleaved: Some(order) };
        }
        Self::in_turn(parts)
    }

    /// Shows the documents in the order of the merge.
    fn for_each_document(
        &self,
        mut see: impl FnMut(&Segment, DocId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match &self.interleaved {
            Some(order) => {
                order.iter().try_for_each(|&(part, doc)| see(&self.parts[part as usize].segment, doc))
            }
            None => self
                .parts
                .iter()
                .try_for_each(|part| part.living().try_for_each(|doc| see(&part.segment, doc))),
        }
    }
}

/// Whether a key of a part is below one of a part before it.
fn are_interleaved(parts: &[Part]) -> bool {
    let ends = parts.iter().filter_map(|part| {
        let first = part.living().next()?;
        let last = (0..part.segment.documents()).rev().find(|&document| part.number(document) != DROPPED)?;
        Some((part.segment.doc_key(first), part.segment.doc_key(DocId::new(last))))
    });
    !ends.flat_map(|(first, last)| [first, last]).is_sorted()
}

/// The number of a document that is dropped.
const DROPPED: u32 = u32::MAX;

impl Part {
    fn new(segment: Segment, base: u32) -> Self {
        let mut living = segment.documents() - segment.dead().len();
        let mut renumbered = Vec::new();
        if segment.dead().len() > 0 {
            living = 0;
            for document in 0..segment.documents() {
                let is_dead = segment.dead().has(document);
                renumbered.push(if is_dead { DROPPED } else { base + living });
                living += u32::from(!is_dead);
            }
        }
        Self { segment, base, living, renumbered }
    }

    /// The number that a document gets.
    #[inline]
    fn number(&self, document: u32) -> u32 {
        if self.renumbered.is_empty() {
            return self.base + document;
        }
        self.renumbered.get(document as usize).copied().unwrap_or(DROPPED)
    }

    /// The documents that live, as they are numbered in the segment alone.
    fn living(&self) -> impl Iterator<Item = DocId> + '_ {
        (0..self.segment.documents()).filter(|&document| self.number(document) != DROPPED).map(DocId::new)
    }

    /// How many documents of a list live.
    fn living_of(&self, entry: &ListEntry) -> u64 {
        if self.renumbered.is_empty() {
            return entry.documents.into();
        }
        let (mut cursor, mut count) = (self.segment.cursor(entry), 0);
        while cursor.doc() != LIST_END {
            count += u64::from(self.number(cursor.doc()) != DROPPED);
            cursor.next();
        }
        count
    }

    /// Gives the postings of a list that live, and says how many.
    fn give(
        &self,
        entry: &ListEntry,
        codecs: &Codecs,
        postings: &mut PostingsWriter<SealedWriter>,
    ) -> Result<u64, Error> {
        let mut cursor = self.segment.cursor(entry);
        if !self.renumbered.is_empty() && postings.has_positions() {
            return self.give_living(cursor, postings);
        }
        let (given, occurrences) = if self.renumbered.is_empty() {
            self.give_blocks(&mut cursor, codecs, postings)?
        } else {
            self.give_documents(&mut cursor, postings)?
        };
        if !postings.has_positions() {
            return Ok(given);
        }
        if occurrences != entry.occurrences {
            return Err(self.damaged("a list has another number of positions than it should"));
        }
        self.give_positions(&mut cursor, codecs, postings)?;
        Ok(given)
    }

    /// Gives all documents, and says how many, and how many words. Whole blocks pass as they are in the first part, whose
    /// documents keep their numbers.
    fn give_blocks(
        &self,
        cursor: &mut ListCursor<'_>,
        codecs: &Codecs,
        postings: &mut PostingsWriter<SealedWriter>,
    ) -> Result<(u64, u64), Error> {
        let (mut given, mut occurrences) = (0, 0);
        let mine = self.segment.codecs();
        let may_pass = self.base == 0
            && (mine.documents, mine.counts) == (codecs.documents, codecs.counts)
            && [codecs.documents, codecs.counts].iter().all(|codec| codec.codec().is_alike_in_all_lists());
        while cursor.doc() != LIST_END {
            let bytes = cursor.block_bytes().filter(|_| may_pass && postings.is_between_blocks());
            let (documents, totals, fields) = cursor.block_counts();
            match bytes {
                Some(bytes) => postings.add_block(bytes, documents, totals, fields)?,
                None => postings.add_documents(self.base, documents, totals, fields)?,
            }
            given += documents.len() as u64;
            occurrences += totals.iter().map(|&total| u64::from(total)).sum::<u64>();
            cursor.next_block();
        }
        Ok((given, occurrences))
    }

    /// Gives the documents that live, and says how many, and how many words all have.
    fn give_documents(
        &self,
        cursor: &mut ListCursor<'_>,
        postings: &mut PostingsWriter<SealedWriter>,
    ) -> Result<(u64, u64), Error> {
        let (mut given, mut occurrences) = (0, 0);
        while cursor.doc() != LIST_END {
            let (document, counts) = (self.number(cursor.doc()), cursor.counts());
            if document != DROPPED {
                postings.add_document(document, counts)?;
                given += 1;
            }
            occurrences += u64::from(counts.total());
            cursor.next();
        }
        Ok((given, occurrences))
    }

    /// Positions do not depend on documents, so that whole chunks pass, as they are where they fall into their places.
    fn give_positions(
        &self,
        cursor: &mut ListCursor<'_>,
        codecs: &Codecs,
        postings: &mut PostingsWriter<SealedWriter>,
    ) -> Result<(), Error> {
        let is_same_codec = self.segment.codecs().positions == codecs.positions;
        for chunk in 0..cursor.chunks() {
            if is_same_codec && chunk + 1 < cursor.chunks() && postings.is_between_chunks() {
                postings.add_chunk(cursor.chunk_bytes(chunk)?)?;
            } else {
                postings.add_numbers(cursor.chunk_numbers(chunk)?)?;
            }
        }
        Ok(())
    }

    /// Document by document, where some are dropped.
    fn give_living(
        &self,
        mut cursor: ListCursor<'_>,
        postings: &mut PostingsWriter<SealedWriter>,
    ) -> Result<u64, Error> {
        let (mut place, mut given, mut numbers) = (0, 0, Vec::new());
        while cursor.doc() != LIST_END {
            let (document, counts) = (self.number(cursor.doc()), cursor.counts());
            if document != DROPPED {
                numbers.clear();
                cursor.read_numbers(place, counts.total(), &mut numbers)?;
                postings.add_document(document, counts)?;
                postings.add_numbers(&numbers)?;
                given += 1;
            }
            place += u64::from(counts.total());
            cursor.next();
        }
        Ok(given)
    }

    /// The list that stands for a stem where there is none under its key: that of the word which is the stem.
    fn stem_word(&self, term: &[u8]) -> Result<Option<ListEntry>, Error> {
        match std::str::from_utf8(term).ok().and_then(|key| key.strip_prefix(STEM_MARK)) {
            Some(word) => self.segment.find(word),
            None => Ok(None),
        }
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::damaged(self.segment.postings_path(), reason)
    }
}

fn open_parts(dir: &Path, entries: &[SegmentEntry]) -> Result<Vec<Part>, Error> {
    let (mut parts, mut base) = (Vec::new(), 0);
    for entry in entries {
        let segment = Segment::open(dir, entry, DocId::new(0), &entry.impacts)?;
        let part = Part::new(segment, base);
        base += part.living;
        parts.push(part);
    }
    Ok(parts)
}

fn write_merged(
    manifest: &Manifest,
    generation: &Generation,
    range: &Range<usize>,
    parts: &Parts,
    source_stamp: String,
) -> Result<SegmentEntry, Error> {
    let folder = generation.building();
    let merged = &manifest.segments[range.clone()];
    let (mut keys, mut lengths) =
        (file::create(&folder.join("keys"), *b"keys")?, LengthsWriter::create(folder)?);
    let (mut prints, mut all_keys) = (PrintsWriter::new(folder), Vec::new());
    parts.for_each_document(|segment, doc| {
        if !manifest.order.is_arrival() {
            all_keys.push(segment.doc_key(doc));
        }
        keys.put(&segment.doc_key(doc).get().to_le_bytes())?;
        lengths.put(segment.length_codes(doc));
        prints.push(segment.print(doc))
    })?;
    let (prints, places) = (prints.finish()?, places::write(folder, &all_keys)?);
    let mut counts = counts_of(merged, &parts.parts);
    counts.bytes += [prints, places].into_iter().flatten().map(|(_, bytes)| bytes).sum::<u64>();
    let others = (0..manifest.segments.len()).filter(|number| !range.contains(number));
    let all = others.map(|number| &manifest.segments[number].counts).chain([&counts]);
    let impacts = ImpactModel::default().with_averages(averages(all));
    let codecs = merged[merged.len() - 1].codecs;
    let writer = SegmentWriter { folder, codecs, impacts: &impacts, keys, lengths, counts };
    let (mut counts, header_checksums, listed) = writer.write(|lists| merge_lists(parts, &codecs, lists))?;
    if parts.parts.iter().any(|part| !part.renumbered.is_empty()) {
        // Now it is known: all words that were read, or more, as the parts of words of code are listed too.
        let is_plain = manifest.analysis == Analysis::Plain;
        counts.occurrences = if is_plain { listed } else { counts.occurrences.min(listed) };
    }
    let folder = generation.settle()?;
    let [prints, places] = [prints, places].map(|file| file.map(|(identity, _)| identity));
    let dead = None;
    Ok(SegmentEntry { folder, source_stamp, counts, codecs, impacts, header_checksums, dead, prints, places })
}

/// What is known of the documents before their lists are written.
fn counts_of(merged: &[SegmentEntry], parts: &[Part]) -> SegmentCounts {
    let mut counts = SegmentCounts { runs: 1, ..SegmentCounts::default() };
    for (entry, part) in merged.iter().zip(parts) {
        counts.documents += u64::from(part.living);
        for (language, documents) in &entry.counts.languages {
            // Which documents were in it nobody knows any more.
            let living = u128::from(*documents) * u128::from(part.living)
                / u128::from(part.segment.documents().max(1));
            *counts.languages.entry(language.clone()).or_default() += living as u64;
        }
        let fields = living_occurrences(&entry.counts.field_occurrences, part);
        for (sum, occurrences) in counts.field_occurrences.iter_mut().zip(fields) {
            *sum += occurrences;
            counts.occurrences += occurrences;
        }
    }
    counts
}

/// Words of each field in the documents that live: as many of all words as their lengths are of all lengths. A length that
/// was rounded is rounded in both, so that what is wrong with the sum does not grow from merge to merge.
fn living_occurrences(occurrences: &[u64; FIELD_COUNT], part: &Part) -> [u64; FIELD_COUNT] {
    if part.renumbered.is_empty() {
        return *occurrences;
    }
    let (mut all, mut living) = ([0u64; FIELD_COUNT], [0u64; FIELD_COUNT]);
    for document in 0..part.segment.documents() {
        let codes = part.segment.length_codes(DocId::new(document));
        for (field, &code) in codes.iter().enumerate() {
            let length = u64::from(decode_length(code));
            all[field] += length;
            living[field] += if part.number(document) == DROPPED { 0 } else { length };
        }
    }
    let share = |field: usize| {
        (u128::from(occurrences[field]) * u128::from(living[field]) / u128::from(all[field].max(1))) as u64
    };
    std::array::from_fn(share)
}

fn merge_lists(all: &Parts, codecs: &Codecs, lists: &mut FinalLists) -> Result<(), Error> {
    let parts = &all.parts;
    let mut scans: Vec<_> = parts.iter().map(|part| part.segment.terms()).collect();
    let mut entries = Vec::new();
    for scan in &mut scans {
        entries.push(scan.next()?);
    }
    let (mut term, mut with_term) = (Vec::new(), Vec::new());
    loop {
        let present = || (0..parts.len()).filter(|&part| entries[part].is_some());
        let Some(least) = present().map(|part| scans[part].term()).min() else { return Ok(()) };
        term.clear();
        term.extend_from_slice(least);
        with_term.clear();
        with_term.extend(present().filter(|&part| scans[part].term() == term));
        let mut with_lists = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let entry =
                if with_term.contains(&number) { entries[number].clone() } else { part.stem_word(&term)? };
            with_lists.extend(entry.map(|entry| (part, entry)));
        }
        merge_list(&term, &with_lists, all.interleaved.is_some(), codecs, lists)?;
        for &part in &with_term {
            entries[part] = scans[part].next()?;
        }
    }
}

fn merge_list(
    term: &[u8],
    with_lists: &[(&Part, ListEntry)],
    in_turn: bool,
    codecs: &Codecs,
    lists: &mut FinalLists,
) -> Result<(), Error> {
    let mut living = 0;
    for (part, entry) in with_lists {
        part.segment.verify(entry)?;
        living += part.living_of(entry);
    }
    if living == 0 {
        return Ok(());
    }
    lists.start_list(&ListHead { term, documents: living, is_needed: true })?;
    if in_turn {
        give_in_turn(with_lists, lists.postings())?;
        return lists.end_list(term);
    }
    for (part, entry) in with_lists {
        let given = part.give(entry, codecs, lists.postings())?;
        living = living.checked_sub(given).ok_or_else(|| part.damaged(NOT_AS_MANY))?;
    }
    match (living, with_lists.first()) {
        (1.., Some((part, _))) => Err(part.damaged(NOT_AS_MANY)),
        _ => lists.end_list(term),
    }
}

/// A list of a part while documents are taken in turn.
struct Turn<'p> {
    part: &'p Part,
    cursor: ListCursor<'p>,
    /// How many positions are before those of the document at hand.
    place: u64,
    /// What the document at hand becomes; [`DROPPED`] at the end.
    number: u32,
}

impl Turn<'_> {
    /// Passes over documents that are dropped.
    fn settle(&mut self) {
        while self.cursor.doc() != LIST_END {
            self.number = self.part.number(self.cursor.doc());
            if self.number != DROPPED {
                return;
            }
            self.pass();
        }
        self.number = DROPPED;
    }

    fn pass(&mut self) {
        self.place += u64::from(self.cursor.counts().total());
        self.cursor.next();
    }
}

/// Gives the postings of lists whose documents interleave.
fn give_in_turn(
    with_lists: &[(&Part, ListEntry)],
    postings: &mut PostingsWriter<SealedWriter>,
) -> Result<(), Error> {
    let mut turns: Vec<Turn<'_>> = with_lists
        .iter()
        .map(|(part, entry)| Turn { part, cursor: part.segment.cursor(entry), place: 0, number: DROPPED })
        .collect();
    turns.iter_mut().for_each(Turn::settle);
    let mut numbers = Vec::new();
    while let Some(turn) =
        turns.iter_mut().filter(|turn| turn.number != DROPPED).min_by_key(|turn| turn.number)
    {
        let counts = turn.cursor.counts();
        postings.add_document(turn.number, counts)?;
        if postings.has_positions() {
            numbers.clear();
            turn.cursor.read_numbers(turn.place, counts.total(), &mut numbers)?;
            postings.add_numbers(&numbers)?;
        }
        turn.pass();
        turn.settle();
    }
    Ok(())
}

/// Only a list that we have not written is so.
const NOT_AS_MANY: &str = "a list has another number of documents than it should";
