//! The postings that segments give to a merge, list by list.
//!
//! A short list that only one segment has, as most terms have, passes as its bits, but for its first document. Other lists of a
//! term are decoded one after the other, their documents renumbered, and written as one. Positions do not depend on the
//! numbers of documents: they pass as the numbers that are written, and whole chunks of the first list as their bytes.
//! Where keys of segments interleave the postings of a list are taken in turn, one at a time.

use journal::SealedWriter;

use crate::Error;
use crate::codec::{BLOCK, Within};
use crate::list_cursor::{LIST_END, ListCursor};
use crate::list_entry::ListEntry;
use crate::manifest::Codecs;
use crate::merge_documents::{DROPPED, Source};
use crate::postings::{PostingsWriter, ShortList};
use crate::stems::STEM_MARK;

type Postings = PostingsWriter<SealedWriter>;

/// Only a list that we have not written is so.
const NOT_AS_MANY: &str = "a list has another number of documents than it should";

/// The lists of one term, each with the segment that has it.
pub(crate) type WithLists<'s, 'p> = [(&'s Source<'p>, ListEntry)];

/// Gives the lists of a term to a list that has begun, which has so many documents.
pub(crate) fn give_lists(
    with_lists: &WithLists<'_, '_>,
    in_turn: bool,
    codecs: &Codecs,
    mut documents: u64,
    postings: &mut Postings,
) -> Result<(), Error> {
    if in_turn {
        return give_in_turn(with_lists, postings);
    }
    for (source, entry) in with_lists {
        let given = source.give(entry, codecs, postings)?;
        documents = documents.checked_sub(given).ok_or_else(|| source.damaged(NOT_AS_MANY))?;
    }
    match (documents, with_lists.first()) {
        (1.., Some((source, _))) => Err(source.damaged(NOT_AS_MANY)),
        _ => Ok(()),
    }
}

impl Source<'_> {
    /// A cursor on the first document of a list that may be given.
    fn cursor(&self, entry: &ListEntry) -> ListCursor<'_> {
        let mut cursor = self.segment().cursor(entry);
        cursor.advance(self.span().start);
        cursor
    }

    /// How many documents of a list it gives.
    pub(crate) fn count(&self, entry: &ListEntry) -> u64 {
        if self.is_whole() {
            return entry.documents.into();
        }
        let (mut cursor, mut count, end) = (self.cursor(entry), 0, self.span().end);
        while cursor.doc() < end {
            count += u64::from(self.number(cursor.doc()) != DROPPED);
            cursor.next();
        }
        count
    }

    /// A short list that the codecs of the merge would write as it stands here, but for the number of its first document.
    pub(crate) fn short_list(
        &self,
        entry: &ListEntry,
        codecs: &Codecs,
        documents_all: u32,
    ) -> Result<Option<ShortList<'_>>, Error> {
        let (mine, codec) = (self.segment().codecs(), codecs.documents());
        let first_bits =
            |documents: u32| codec.first_bits(Within { first: 0, last: documents.saturating_sub(1) });
        let (Some(shift), Some(old_bits), Some(new_bits)) =
            (self.shift(), first_bits(self.segment().documents()), first_bits(documents_all))
        else {
            return Ok(None);
        };
        let is_short = (entry.documents as usize) < BLOCK && entry.occurrences < BLOCK as u64;
        let is_alike = mine == codecs
            && codecs.counts().is_alike_in_all_lists()
            && codecs.positions().is_alike_in_all_lists();
        if !is_short || !is_alike || !self.is_whole() {
            return Ok(None);
        }
        let [mut rest, positions] = self.segment().bits_of(entry)?;
        let first = rest.read_bits(old_bits).wrapping_add(shift);
        let rest_bits = (entry.postings.end - entry.postings.start).checked_sub(old_bits.into());
        let rest_bits = rest_bits.filter(|_| first < documents_all);
        let rest_bits = rest_bits.ok_or_else(|| self.damaged("a list ends before its first document"))?;
        Ok(Some(ShortList {
            documents: entry.documents,
            occurrences: entry.occurrences,
            first,
            first_bits: new_bits,
            rest: (rest, rest_bits),
            positions: (positions, entry.positions.end - entry.positions.start),
        }))
    }

    /// Gives postings of a list, and says how many.
    fn give(&self, entry: &ListEntry, codecs: &Codecs, postings: &mut Postings) -> Result<u64, Error> {
        let Some(shift) = self.shift() else { return self.give_each(entry, postings) };
        let mut cursor = self.cursor(entry);
        let first = if self.is_whole() || entry.occurrences == 0 { 0 } else { cursor.first_occurrence() };
        let (given, occurrences) = self.give_blocks(&mut cursor, shift, codecs, postings)?;
        if !postings.has_positions() {
            return Ok(given);
        }
        if !self.is_whole() {
            give_numbers(&mut cursor, first, occurrences, postings)?;
            return Ok(given);
        }
        if occurrences != entry.occurrences {
            return Err(self.damaged("a list has another number of positions than it should"));
        }
        self.give_chunks(&mut cursor, codecs, postings)?;
        Ok(given)
    }

    /// Gives all documents of the span, and says how many, and how many words. Whole blocks pass as they are where documents
    /// keep their numbers.
    fn give_blocks(
        &self,
        cursor: &mut ListCursor<'_>,
        shift: u32,
        codecs: &Codecs,
        postings: &mut Postings,
    ) -> Result<(u64, u64), Error> {
        let (mut given, mut occurrences, end) = (0, 0, self.span().end);
        let mine = self.segment().codecs();
        let may_pass = shift == 0
            && (mine.documents, mine.counts, mine.precision.has_counts())
                == (codecs.documents, codecs.counts, codecs.precision.has_counts())
            && [codecs.documents, codecs.counts].iter().all(|codec| codec.codec().is_alike_in_all_lists());
        while cursor.doc() < end {
            let bytes = cursor.block_bytes().filter(|_| may_pass && postings.is_between_blocks());
            let (documents, totals, fields) = cursor.block_counts();
            let count = documents.partition_point(|&document| document < end);
            match bytes.filter(|_| count == documents.len()) {
                Some(bytes) => postings.add_block(bytes, documents, totals, fields)?,
                None => {
                    let fields = fields.map(|fields| &fields[..count]);
                    postings.add_documents(shift, &documents[..count], &totals[..count], fields)?;
                }
            }
            given += count as u64;
            occurrences += totals[..count].iter().map(|&total| u64::from(total)).sum::<u64>();
            cursor.next_block();
        }
        Ok((given, occurrences))
    }

    /// Positions do not depend on documents, so that whole chunks pass, as they are where they fall into their places.
    fn give_chunks(
        &self,
        cursor: &mut ListCursor<'_>,
        codecs: &Codecs,
        postings: &mut Postings,
    ) -> Result<(), Error> {
        let is_same_codec = self.segment().codecs().positions == codecs.positions;
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
    fn give_each(&self, entry: &ListEntry, postings: &mut Postings) -> Result<u64, Error> {
        let (mut turn, mut given, mut numbers) = (Turn::new(self, entry), 0, Vec::new());
        while turn.number != DROPPED {
            turn.give(&mut numbers, postings)?;
            given += 1;
        }
        Ok(given)
    }

    /// The list that stands for a stem where there is none under its key: that of the word which is the stem.
    pub(crate) fn stem_word(&self, term: &[u8]) -> Result<Option<ListEntry>, Error> {
        match std::str::from_utf8(term).ok().and_then(|key| key.strip_prefix(STEM_MARK)) {
            Some(word) => self.segment().find(word),
            None => Ok(None),
        }
    }

    fn damaged(&self, reason: &str) -> Error {
        Error::damaged(self.segment().postings_path(), reason)
    }
}

/// So many numbers are read at once.
const NUMBERS_AT_ONCE: u32 = 1 << 12;

/// Gives positions from a place of a list on.
fn give_numbers(
    cursor: &mut ListCursor<'_>,
    first: u64,
    mut count: u64,
    postings: &mut Postings,
) -> Result<(), Error> {
    let (mut place, mut numbers) = (first, Vec::new());
    while count > 0 {
        let now = count.min(NUMBERS_AT_ONCE.into());
        numbers.clear();
        cursor.read_numbers(place, now as u32, &mut numbers)?;
        postings.add_numbers(&numbers)?;
        place += now;
        count -= now;
    }
    Ok(())
}

/// A list of a segment while documents are taken one at a time.
struct Turn<'p> {
    source: &'p Source<'p>,
    cursor: ListCursor<'p>,
    /// How many positions are before those of the document at hand.
    place: u64,
    /// What the document at hand becomes; [`DROPPED`] at the end.
    number: u32,
}

impl<'p> Turn<'p> {
    fn new(source: &'p Source<'p>, entry: &ListEntry) -> Self {
        let mut cursor = source.cursor(entry);
        let place = if entry.occurrences == 0 { 0 } else { cursor.first_occurrence() };
        let mut turn = Self { source, cursor, place, number: DROPPED };
        turn.settle();
        turn
    }

    /// Passes over documents that are dropped.
    fn settle(&mut self) {
        while self.cursor.doc() < self.source.span().end && self.cursor.doc() != LIST_END {
            self.number = self.source.number(self.cursor.doc());
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

    /// Gives the document at hand, and goes on to the next.
    fn give(&mut self, numbers: &mut Vec<u32>, postings: &mut Postings) -> Result<(), Error> {
        let counts = self.cursor.counts();
        postings.add_document(self.number, counts)?;
        if postings.has_positions() {
            numbers.clear();
            self.cursor.read_numbers(self.place, counts.total(), numbers)?;
            postings.add_numbers(numbers)?;
        }
        self.pass();
        self.settle();
        Ok(())
    }
}

/// Gives the postings of lists whose documents interleave.
fn give_in_turn(with_lists: &WithLists<'_, '_>, postings: &mut Postings) -> Result<(), Error> {
    let mut turns: Vec<Turn<'_>> =
        with_lists.iter().map(|(source, entry)| Turn::new(source, entry)).collect();
    let mut numbers = Vec::new();
    while let Some(turn) =
        turns.iter_mut().filter(|turn| turn.number != DROPPED).min_by_key(|turn| turn.number)
    {
        turn.give(&mut numbers, postings)?;
    }
    Ok(())
}
