//! Writing the files of a segment: what a build of documents and a merge of segments have in common.
//!
//! Keys and lengths come first, as the maxima of blocks need the lengths; then the lists in the order of their terms; then
//! the filter of the terms and their numbers.

use std::path::Path;

use journal::SealedWriter;

use crate::file::{self, FILES, FILTER_FILE, KEYS_FILE, LENGTHS_FILE, NUMBERS_FILE};
use crate::impact::ImpactModel;
use crate::lengths::LengthsWriter;
use crate::list_entry::ListEntry;
use crate::list_parts::Part;
use crate::list_sink::{ListHead, ListSink};
use crate::manifest::{Codecs, SegmentCounts, open_file};
use crate::postings::{ListForm, Posting, PostingsWriter};
use crate::stems::is_stem_key;
use crate::term_blocks::{TermBlocks, TermBlocksWriter};
use crate::{Error, term_filter, term_numbers};

/// A segment whose documents are known and whose lists are not written yet.
pub(crate) struct SegmentWriter<'w> {
    pub(crate) folder: &'w Path,
    pub(crate) codecs: Codecs,
    pub(crate) impacts: &'w ImpactModel,
    pub(crate) keys: SealedWriter,
    pub(crate) lengths: LengthsWriter,
    /// Of terms, postings and bytes nothing is known yet.
    pub(crate) counts: SegmentCounts,
}

impl SegmentWriter<'_> {
    /// Writes the lists that `give` gives, and everything else. Returns what the segment holds, the identities of its
    /// files, and how many words are in its lists.
    pub(crate) fn write(
        self,
        give: impl FnOnce(&mut FinalLists) -> Result<(), Error>,
    ) -> Result<(SegmentCounts, [u64; FILES.len()], u64), Error> {
        let Self { folder, codecs, impacts, keys, lengths, mut counts } = self;
        let mut header_checksums = [0; FILES.len()];
        let mut seal = |number: usize, file: SealedWriter, counts: &mut SegmentCounts| {
            let sealed = file.finish()?;
            header_checksums[number] = sealed.identity;
            counts.bytes += sealed.file_bytes;
            Ok::<_, Error>(sealed.identity)
        };
        seal(KEYS_FILE, keys, &mut counts)?;
        let lengths = seal(LENGTHS_FILE, lengths.finish()?, &mut counts)?;
        let lengths = file::open(&folder.join("lengths"), *b"leng", lengths)?;
        lengths.check()?;
        let mut lists = FinalLists {
            dictionary: TermBlocksWriter::create(folder)?,
            postings: PostingsWriter::new(
                ListForm::new(codecs, impacts.table(), lengths),
                file::create(&folder.join("postings"), *b"post")?,
                file::create(&folder.join("positions"), *b"posi")?,
                file::create(&folder.join("skips"), *b"skip")?,
            ),
            posting_count: 0,
            stem_count: 0,
            occurrence_count: 0,
        };
        give(&mut lists)?;
        let occurrences = lists.occurrence_count;
        for (number, file) in lists.finish(&mut counts)?.into_iter().enumerate() {
            seal(number, file, &mut counts)?;
        }
        let open = |number| open_file(folder, number, &header_checksums);
        let blocks = TermBlocks::new(open(0)?, open(1)?)?;
        let terms = counts.terms + counts.stems;
        let filter = term_filter::write(&folder.join("filter"), &blocks, terms)?;
        let numbers = term_numbers::write(&folder.join("numbers"), &blocks, terms, codecs.terms)?;
        for (number, file) in [(FILTER_FILE, filter), (NUMBERS_FILE, numbers)] {
            let sealed = file.finish()?;
            header_checksums[number] = sealed.identity;
            counts.bytes += sealed.file_bytes;
        }
        Ok((counts, header_checksums, occurrences))
    }
}

/// The final form of the lists.
pub(crate) struct FinalLists {
    dictionary: TermBlocksWriter,
    postings: PostingsWriter<SealedWriter>,
    posting_count: u64,
    stem_count: u64,
    occurrence_count: u64,
}

impl FinalLists {
    /// What the next documents of a list are given to by whoever has them in the form of a list.
    pub(crate) fn postings(&mut self) -> &mut PostingsWriter<SealedWriter> {
        &mut self.postings
    }

    /// What its lists are written with.
    pub(crate) fn form(&self) -> &ListForm {
        self.postings.form()
    }

    /// Adds the lists of the next terms, which somebody else has written.
    pub(crate) fn append(&mut self, part: Part) -> Result<(), Error> {
        part.for_each_entry(self.postings.offsets(), |term, list| {
            self.count_list(term, list.documents.into());
            self.add_entry(term, list)
        })?;
        part.append_to(&mut self.postings)
    }

    fn count_list(&mut self, term: &[u8], documents: u64) {
        if is_stem_key(term) {
            self.stem_count += 1;
        } else {
            self.posting_count += documents;
        }
    }

    fn add_entry(&mut self, term: &[u8], list: &ListEntry) -> Result<(), Error> {
        self.occurrence_count += list.occurrences;
        self.dictionary.add(term, list)
    }

    /// The first files of [`FILES`], in their order.
    fn finish(self, counts: &mut SegmentCounts) -> Result<[SealedWriter; 5], Error> {
        let (terms, blocks, term_count) = self.dictionary.finish();
        let PostingsWriter { postings, positions, skips, .. } = self.postings;
        let (postings, positions) = (postings.finish()?.0, positions.finish()?.0);
        counts.terms = term_count - self.stem_count;
        counts.stems = self.stem_count;
        counts.postings = self.posting_count;
        Ok([terms, blocks, postings, positions, skips])
    }
}

impl ListSink for FinalLists {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        if !head.is_needed {
            return Ok(false);
        }
        self.count_list(head.term, head.documents);
        self.postings.start_list(head.documents as u32, !is_stem_key(head.term));
        Ok(true)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.postings.add(posting)
    }

    fn end_list(&mut self, term: &[u8]) -> Result<(), Error> {
        let list = self.postings.end_list()?;
        self.add_entry(term, &list)
    }
}
