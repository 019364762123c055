//! The lists of a segment, or of a range of its terms, open for reading: a dictionary, the streams that its entries lead
//! into, and the filter of its terms.

use std::path::{Path, PathBuf};

use journal::SealedFile;

use crate::dictionary::DictionaryReader;
use crate::file::{FILES, FILTER_FILE, NUMBERS_FILE};
use crate::list_cursor::{list_impact, verify};
use crate::list_entry::ListEntry;
use crate::manifest::open_file;
use crate::skips::SkipTable;
use crate::term_blocks::{EntryForm, TermBlocks, TermScan};
use crate::term_numbers::TermNumbers;
use crate::{Error, term_filter};

/// Where the files of a part of the terms are: the first part is in the folder of the segment itself.
pub(crate) fn part_folder(segment: &Path, part: usize) -> PathBuf {
    if part == 0 { segment.to_owned() } else { segment.join(format!("part-{part}")) }
}

/// A dictionary and its lists.
#[derive(Debug)]
pub(crate) struct Lists {
    /// Its place among the parts of its segment.
    part: u32,
    dictionary: DictionaryReader,
    pub(crate) postings: SealedFile,
    pub(crate) positions: SealedFile,
    pub(crate) skips: SealedFile,
    filter: SealedFile,
}

impl Lists {
    /// Opens a part of the terms of the segment in a folder.
    pub(crate) fn open(
        segment: &Path,
        part: usize,
        identities: &[u64; FILES.len()],
        form: EntryForm,
    ) -> Result<Self, Error> {
        let folder = part_folder(segment, part);
        let open = |number| open_file(&folder, number, identities);
        Ok(Self {
            part: part as u32,
            dictionary: DictionaryReader::new(
                TermBlocks::new(open(0)?, open(1)?, form)?,
                TermNumbers::new(open(NUMBERS_FILE)?)?,
            ),
            postings: open(2)?,
            positions: open(3)?,
            skips: open(4)?,
            filter: open(FILTER_FILE)?,
        })
    }

    /// Looks a term up and verifies its list.
    pub(crate) fn find(&self, term: &str) -> Result<Option<ListEntry>, Error> {
        let Some(entry) = self.dictionary.find(term)? else { return Ok(None) };
        let entry = ListEntry { part: self.part, ..entry };
        self.verify(&entry)?;
        Ok(Some(entry))
    }

    /// Verifies a list.
    pub(crate) fn verify(&self, entry: &ListEntry) -> Result<(), Error> {
        verify(entry, &self.postings, &self.skips)
    }

    /// The table of the blocks of a list that is verified, if it is one.
    pub(crate) fn skip_table(&self, entry: &ListEntry) -> Option<SkipTable<'_>> {
        SkipTable::new(self.skips.verified_bytes(entry.skips.clone()), entry.documents, entry.occurrences)
    }

    /// What no document of a list that `find` gave exceeds, as a byte.
    pub(crate) fn list_impact(&self, entry: &ListEntry) -> f32 {
        list_impact(entry, &self.skips)
    }

    /// Whether a term may be here, by the signature of its number.
    pub(crate) fn may_have(&self, term: &str) -> bool {
        // Whoever looks it up is told what is damaged.
        self.dictionary.may_have(term).unwrap_or(true)
    }

    /// Compares the checksums of all files, and reads the filter of terms, which an index that is opened after another may
    /// have taken from that one.
    pub(crate) fn check_files(&self) -> Result<(), Error> {
        for file in [&self.postings, &self.positions, &self.skips, &self.filter] {
            file.check()?;
        }
        self.check_filter()?;
        self.dictionary.check()
    }

    /// Reads the filter of terms, if there is one.
    pub(crate) fn check_filter(&self) -> Result<(), Error> {
        if term_filter::is_there(&self.filter) { term_filter::read(&self.filter).map(drop) } else { Ok(()) }
    }

    /// The file of the filter of its terms.
    pub(crate) fn filter(&self) -> &SealedFile {
        &self.filter
    }

    /// Its files of which some may be kept in memory, and whether every look-up goes through them.
    pub(crate) fn files(&self) -> impl Iterator<Item = (bool, &SealedFile)> {
        let [numbers, blocks, terms] = self.dictionary.files();
        let first = [numbers, blocks].map(|file| (true, file));
        let others = [terms, &self.skips, &self.postings, &self.positions].map(|file| (false, file));
        first.into_iter().chain(others)
    }

    /// The same files.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = (bool, &mut SealedFile)> {
        let [numbers, blocks, terms] = self.dictionary.files_mut();
        let first = [numbers, blocks].map(|file| (true, file));
        let lists = [terms, &mut self.skips, &mut self.postings, &mut self.positions];
        first.into_iter().chain(lists.map(|file| (false, file)))
    }

    pub(crate) fn dictionary(&self) -> &DictionaryReader {
        &self.dictionary
    }
}

/// Walks through the terms of all parts of a segment, which are ranges of the dictionary in their order.
pub(crate) struct SegmentTerms<'s> {
    lists: &'s [Lists],
    part: usize,
    scan: TermScan<'s>,
}

impl<'s> SegmentTerms<'s> {
    /// Begins with the first of at least one part.
    pub(crate) fn new(lists: &'s [Lists]) -> Self {
        Self { lists, part: 0, scan: lists[0].dictionary.blocks().terms() }
    }

    /// The next entry, whose term [`SegmentTerms::term`] tells then.
    pub(crate) fn next(&mut self) -> Result<Option<ListEntry>, Error> {
        loop {
            if let Some(entry) = self.scan.next()? {
                return Ok(Some(ListEntry { part: self.part as u32, ..entry }));
            }
            let Some(next) = self.lists.get(self.part + 1) else { return Ok(None) };
            self.part += 1;
            self.scan = next.dictionary.blocks().terms();
        }
    }

    /// The term of the present entry; empty before the first and after the last.
    pub(crate) fn term(&self) -> &[u8] {
        self.scan.term()
    }
}
