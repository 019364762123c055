//! Which documents a merge of segments takes, and which numbers they get.
//!
//! Documents that are dead are dropped. Where documents are in the order in which they came, they stand in the order of their
//! keys: a document that was replaced under its key is in a later segment, and where keys of segments interleave, so do
//! their documents. In any other order ([`crate::order`]) segments follow each other as they are. Either way the documents of
//! a segment keep their order among each other.
//!
//! What is merged may be cut into ranges of the new numbers ([`crate::partition`]), of which each is written by itself: a
//! [`Source`] is what one segment gives to one of them.
//!
//! Cost: four bytes for each document of a segment with dead ones, twelve where keys interleave.

use std::ops::Range;
use std::path::Path;

use page::DocId;

use crate::Error;
use crate::field::FIELD_COUNT;
use crate::lengths::decode_length;
use crate::manifest::{SegmentCounts, SegmentEntry};
use crate::segment::Segment;

/// The number of a document that is dropped.
pub(crate) const DROPPED: u32 = u32::MAX;

/// The segments that are merged, and whose turn it is.
pub(crate) struct MergeDocuments {
    parts: Vec<Part>,
    /// The part and the document of each document of the merge, if the keys of parts interleave.
    interleaved: Option<Vec<(u32, DocId)>>,
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

impl MergeDocuments {
    /// Opens segments, which stand one after the other, or in the order of their keys.
    pub(crate) fn open(dir: &Path, entries: &[SegmentEntry], by_key: bool) -> Result<Self, Error> {
        let (mut parts, mut base) = (Vec::new(), 0);
        for entry in entries {
            let segment = Segment::open(dir, entry, DocId::new(0), &entry.impacts)?;
            let part = Part::new(segment, base);
            base += part.living;
            parts.push(part);
        }
        let mut all = Self { parts, interleaved: None };
        if by_key && all.are_interleaved() {
            all.interleave();
        }
        Ok(all)
    }

    /// Whether a key of a part is below one of a part before it.
    fn are_interleaved(&self) -> bool {
        let ends = self.parts.iter().filter_map(|part| {
            let first = part.living().next()?;
            let last =
                (0..part.segment.documents()).rev().find(|&document| part.number(document) != DROPPED)?;
            Some((part.segment.doc_key(first), part.segment.doc_key(DocId::new(last))))
        });
        !ends.flat_map(|(first, last)| [first, last]).is_sorted()
    }

    fn interleave(&mut self) {
        let mut order = Vec::new();
        for (number, part) in (0..).zip(&self.parts) {
            order.extend(part.living().map(|doc| (number, doc)));
        }
        let key = |&(part, doc): &(u32, DocId)| self.parts[part as usize].segment.doc_key(doc);
        order.sort_by_cached_key(key);
        for part in &mut self.parts {
            part.renumbered = vec![DROPPED; part.segment.documents() as usize];
        }
        for (number, (part, doc)) in (0..).zip(&order) {
            self.parts[*part as usize].renumbered[doc.index()] = number;
        }
        self.interleaved = Some(order);
    }

    /// How many documents live.
    pub(crate) fn living(&self) -> u32 {
        self.parts.iter().map(|part| part.living).sum()
    }

    /// Whether postings of several segments have to be taken in turn.
    pub(crate) fn are_in_turn(&self) -> bool {
        self.interleaved.is_some()
    }

    /// Whether documents are dropped or change places: nobody knows then how many words the others have.
    pub(crate) fn are_renumbered(&self) -> bool {
        self.parts.iter().any(|part| !part.renumbered.is_empty())
    }

    /// What each segment gives to the documents of these numbers.
    pub(crate) fn sources(&self, wanted: &Range<u32>) -> Vec<Source<'_>> {
        self.parts.iter().map(|part| Source::new(part, wanted)).collect()
    }

    /// Shows the documents of these numbers in the order of the merge.
    pub(crate) fn for_each(
        &self,
        wanted: &Range<u32>,
        mut see: impl FnMut(&Segment, DocId) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match &self.interleaved {
            Some(order) => {
                let order = &order[wanted.start as usize..wanted.end as usize];
                order.iter().try_for_each(|&(part, doc)| see(&self.parts[part as usize].segment, doc))
            }
            None => self.sources(wanted).iter().try_for_each(|source| {
                source.documents().try_for_each(|document| see(source.segment(), DocId::new(document)))
            }),
        }
    }

    /// What is known of the documents of these numbers before their lists are written. Ranges that follow each other have
    /// together what all of them have.
    pub(crate) fn counts(&self, entries: &[SegmentEntry], wanted: &Range<u32>) -> SegmentCounts {
        let mut counts = SegmentCounts { runs: 1, ..SegmentCounts::default() };
        for (entry, part) in entries.iter().zip(&self.parts) {
            let (before, up_to) = (part.share(entry, wanted.start), part.share(entry, wanted.end));
            counts.documents += up_to.documents - before.documents;
            for (language, documents) in up_to.languages {
                let before = before.languages.get(&language).copied().unwrap_or(0);
                *counts.languages.entry(language).or_default() += documents - before;
            }
            for (field, sum) in counts.field_occurrences.iter_mut().enumerate() {
                let occurrences = up_to.field_occurrences[field] - before.field_occurrences[field];
                *sum += occurrences;
                counts.occurrences += occurrences;
            }
        }
        counts
    }
}

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

    /// What the documents have whose numbers are below `limit`, of everything that the segment has: as many of its words as
    /// their lengths are of all lengths. A length that was rounded is rounded in both, so that what is wrong with the sum
    /// does not grow from merge to merge. Which documents were in a language nobody knows any more.
    fn share(&self, entry: &SegmentEntry, limit: u32) -> SegmentCounts {
        let documents = self.segment.documents();
        if self.renumbered.is_empty() && limit >= self.base + documents {
            return entry.counts.clone();
        }
        let (mut all, mut below) = ([0u64; FIELD_COUNT], [0u64; FIELD_COUNT]);
        let mut counts = SegmentCounts::default();
        for document in 0..documents {
            let is_below = self.number(document) < limit;
            counts.documents += u64::from(is_below);
            for (field, &code) in self.segment.length_codes(DocId::new(document)).iter().enumerate() {
                let length = u64::from(decode_length(code));
                all[field] += length;
                below[field] += if is_below { length } else { 0 };
            }
        }
        let share = |of: u64, part: u64, whole: u64| {
            (u128::from(of) * u128::from(part) / u128::from(whole.max(1))) as u64
        };
        for (language, &of_language) in &entry.counts.languages {
            let living = share(of_language, counts.documents, documents.into());
            counts.languages.insert(language.clone(), living);
        }
        counts.field_occurrences = std::array::from_fn(|field| {
            share(entry.counts.field_occurrences[field], below[field], all[field])
        });
        counts
    }
}

/// What a segment gives to a range of the documents of a merge.
pub(crate) struct Source<'p> {
    part: &'p Part,
    wanted: Range<u32>,
    /// Where its documents are that are wanted: no other one is, and of these those that live.
    span: Range<u32>,
}

impl<'p> Source<'p> {
    fn new(part: &'p Part, wanted: &Range<u32>) -> Self {
        let mut source = Self { part, wanted: wanted.clone(), span: 0..part.segment.documents() };
        let first = source.documents().next();
        let last = source.span.clone().rev().find(|&document| source.number(document) != DROPPED);
        source.span = first.zip(last).map_or(0..0, |(first, last)| first..last + 1);
        source
    }

    pub(crate) fn segment(&self) -> &'p Segment {
        &self.part.segment
    }

    /// Where the documents are that it gives, by their numbers in the segment.
    pub(crate) fn span(&self) -> Range<u32> {
        self.span.clone()
    }

    /// The number that a document gets in the range; [`DROPPED`] if it is not there.
    #[inline]
    pub(crate) fn number(&self, document: u32) -> u32 {
        let number = self.part.number(document);
        if self.wanted.contains(&number) { number - self.wanted.start } else { DROPPED }
    }

    /// The documents that it gives, by their numbers in the segment.
    fn documents(&self) -> impl Iterator<Item = u32> + '_ {
        self.span.clone().filter(|&document| self.number(document) != DROPPED)
    }

    /// Whether it gives all documents of the segment, and none has lost its place among the others.
    pub(crate) fn is_whole(&self) -> bool {
        self.shift().is_some() && self.span == (0..self.part.segment.documents())
    }

    /// What comes to the numbers of all documents of the span, around the end of numbers, if none of them is dropped and
    /// none of another segment is between them.
    pub(crate) fn shift(&self) -> Option<u32> {
        self.part.renumbered.is_empty().then(|| self.part.base.wrapping_sub(self.wanted.start))
    }
}
