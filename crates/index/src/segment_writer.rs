//! Writing the files of a segment: what a build of documents and a merge of segments have in common.
//!
//! Keys and lengths come first, as the maxima of blocks need the lengths; then the lists in the order of their terms; then
//! the filter of the terms and their numbers. Where terms are split ([`crate::partition`]), lists, filter and numbers of each
//! part have a folder of their own, but for those of the first.

use std::path::{Path, PathBuf};

use journal::SealedWriter;

use crate::file::{self, FILES, FILTER_FILE, KEYS_FILE, LENGTHS_FILE, NUMBERS_FILE};
use crate::impact::ImpactModel;
use crate::keys::KeysWriter;
use crate::lengths::{LengthsFile, LengthsWriter};
use crate::list_entry::ListEntry;
use crate::list_parts::Part;
use crate::list_sink::{ListHead, ListSink};
use crate::lists::part_folder;
use crate::manifest::{Codecs, SegmentCounts, open_file};
use crate::postings::{ListForm, Posting, PostingsWriter, ShortList};
use crate::stems::is_stem_key;
use crate::term_blocks::{TermBlocks, TermBlocksWriter};
use crate::{Error, term_filter, term_numbers};

/// A segment whose documents are known and whose lists are not written yet.
pub(crate) struct SegmentWriter<'w> {
    pub(crate) folder: &'w Path,
    pub(crate) codecs: Codecs,
    pub(crate) impacts: &'w ImpactModel,
    pub(crate) keys: KeysWriter,
    pub(crate) lengths: LengthsWriter,
    /// Of terms, postings and bytes nothing is known yet.
    pub(crate) counts: SegmentCounts,
}

/// What became of a segment.
pub(crate) struct WrittenSegment {
    pub(crate) counts: SegmentCounts,
    /// The identities of its files, and of those of each further part of its terms.
    pub(crate) header_checksums: [u64; FILES.len()],
    pub(crate) more_terms: Vec<[u64; FILES.len()]>,
    /// How many words are in its lists.
    pub(crate) listed: u64,
}

impl SegmentWriter<'_> {
    /// Writes the lists that `give` gives, and everything else.
    pub(crate) fn write(
        self,
        give: impl FnOnce(&mut FinalLists) -> Result<(), Error>,
    ) -> Result<WrittenSegment, Error> {
        let Self { folder, codecs, impacts, keys, lengths, mut counts } = self;
        let (keys, lengths) = (keys.finish()?.finish()?, lengths.finish()?.finish()?);
        counts.bytes += keys.file_bytes + lengths.file_bytes;
        let mut of_documents = [0; FILES.len()];
        of_documents[KEYS_FILE] = keys.identity;
        of_documents[LENGTHS_FILE] = lengths.identity;
        let lengths = open_file(folder, LENGTHS_FILE, &of_documents)?;
        let lengths = LengthsFile::new(lengths, counts.documents as u32)?;
        let form = ListForm::new(codecs, impacts.table(), lengths);
        let mut lists = FinalLists {
            segment: folder.to_owned(),
            of_documents,
            files: OpenFiles::create(folder, form)?,
            sealed: Vec::new(),
            counts,
            listed: 0,
        };
        give(&mut lists)?;
        lists.finish()
    }
}

/// The files of a part of the terms, which are being written.
struct OpenFiles {
    folder: PathBuf,
    dictionary: TermBlocksWriter,
    postings: PostingsWriter<SealedWriter>,
    stem_count: u64,
}

impl OpenFiles {
    fn create(folder: &Path, form: ListForm) -> Result<Self, Error> {
        let create = |number: usize| file::create(&folder.join(FILES[number].0), FILES[number].1);
        Ok(Self {
            folder: folder.to_owned(),
            dictionary: TermBlocksWriter::create(folder, form.of_entries())?,
            postings: PostingsWriter::new(form, create(2)?, create(3)?, create(4)?),
            stem_count: 0,
        })
    }

    /// Writes the filter and the numbers of its terms too. Gives the identities of its files beside those that are given, and
    /// counts what they hold.
    fn finish(
        self,
        mut identities: [u64; FILES.len()],
        counts: &mut SegmentCounts,
    ) -> Result<[u64; FILES.len()], Error> {
        let Self { folder, dictionary, postings, stem_count } = self;
        let (form, terms_by) = (postings.form().of_entries(), postings.form().codecs.terms);
        let (terms, blocks, term_count) = dictionary.finish();
        let PostingsWriter { postings, positions, skips, .. } = postings;
        let (postings, positions) = (postings.finish()?.0, positions.finish()?.0);
        counts.terms += term_count - stem_count;
        counts.stems += stem_count;
        let mut seal = |number: usize, file: SealedWriter, identities: &mut [u64; FILES.len()]| {
            let sealed = file.finish()?;
            identities[number] = sealed.identity;
            counts.bytes += sealed.file_bytes;
            Ok::<_, Error>(())
        };
        for (number, file) in [terms, blocks, postings, positions, skips].into_iter().enumerate() {
            seal(number, file, &mut identities)?;
        }
        let open = |number| open_file(&folder, number, &identities);
        let blocks = TermBlocks::new(open(0)?, open(1)?, form)?;
        let filter = term_filter::write(&folder.join("filter"), &blocks, term_count)?;
        let numbers = term_numbers::write(&folder.join("numbers"), &blocks, term_count, terms_by)?;
        seal(FILTER_FILE, filter, &mut identities)?;
        seal(NUMBERS_FILE, numbers, &mut identities)?;
        Ok(identities)
    }
}

/// The final form of the lists.
pub(crate) struct FinalLists {
    segment: PathBuf,
    /// The identities of the files of documents alone.
    of_documents: [u64; FILES.len()],
    files: OpenFiles,
    /// The parts of the terms that are written.
    sealed: Vec<[u64; FILES.len()]>,
    counts: SegmentCounts,
    listed: u64,
}

impl FinalLists {
    /// What the next documents of a list are given to by whoever has them in the form of a list.
    pub(crate) fn postings(&mut self) -> &mut PostingsWriter<SealedWriter> {
        &mut self.files.postings
    }

    /// What its lists are written with.
    pub(crate) fn form(&self) -> &ListForm {
        self.files.postings.form()
    }

    /// Begins a part of the terms behind those that were given.
    pub(crate) fn begin_part(&mut self) -> Result<(), Error> {
        let folder = part_folder(&self.segment, self.sealed.len() + 1);
        fs_err::create_dir(&folder)?;
        let next = OpenFiles::create(&folder, self.form().clone())?;
        let before = std::mem::replace(&mut self.files, next);
        self.sealed.push(before.finish(self.of_documents, &mut self.counts)?);
        Ok(())
    }

    /// Adds the lists of the next terms, which somebody else has written.
    pub(crate) fn append(&mut self, part: Part) -> Result<(), Error> {
        part.for_each_entry(self.files.postings.offsets(), |term, list| {
            self.count_list(term, list.documents.into());
            self.add_entry(term, list)
        })?;
        part.append_to(&mut self.files.postings)
    }

    /// Adds a list that another segment has as it would be here.
    pub(crate) fn add_short_list(&mut self, term: &[u8], list: ShortList<'_>) -> Result<(), Error> {
        self.count_list(term, list.documents.into());
        let entry = self.files.postings.add_short_list(list)?;
        self.add_entry(term, &entry)
    }

    fn count_list(&mut self, term: &[u8], documents: u64) {
        if is_stem_key(term) {
            self.files.stem_count += 1;
        } else {
            self.counts.postings += documents;
        }
    }

    fn add_entry(&mut self, term: &[u8], list: &ListEntry) -> Result<(), Error> {
        self.listed += list.occurrences;
        self.files.dictionary.add(term, list)
    }

    fn finish(mut self) -> Result<WrittenSegment, Error> {
        self.sealed.push(self.files.finish(self.of_documents, &mut self.counts)?);
        for part in 1..self.sealed.len() {
            journal::sync_folder(&part_folder(&self.segment, part))?;
        }
        let header_checksums = self.sealed.remove(0);
        Ok(WrittenSegment {
            counts: self.counts,
            header_checksums,
            more_terms: self.sealed,
            listed: self.listed,
        })
    }
}

impl ListSink for FinalLists {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        if !head.is_needed {
            return Ok(false);
        }
        self.count_list(head.term, head.documents);
        self.files.postings.start_list(head.documents as u32, !is_stem_key(head.term));
        Ok(true)
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.files.postings.add(posting)
    }

    fn end_list(&mut self, term: &[u8]) -> Result<(), Error> {
        let list = self.files.postings.end_list()?;
        self.add_entry(term, &list)
    }
}
