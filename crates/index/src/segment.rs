//! A segment, open for reading: the files of one build.
//!
//! Opening maps nine files, more where the terms are split ([`crate::partition`]), and verifies what every search goes through: headers, the table of dictionary blocks, lengths
//! and keys (up to 14 bytes per document, mostly 2 to 6). The filter of terms is verified by whoever reads it ([`crate::router`]), lists when
//! they are first used.

use std::ops::Range;
use std::path::Path;

use journal::SealedFile;
use page::{DocId, PageKey};

use crate::Error;
use crate::codec::BitReader;
use crate::dead::DeadSet;
use crate::field::FIELD_COUNT;
use crate::file::{KEYS_FILE, LENGTHS_FILE};
use crate::impact::{Bounds, ImpactModel};
use crate::keys::Keys;
use crate::lengths::{Lengths, LengthsFile, decode_length};
use crate::list_cursor::{ListCursor, ListFiles};
use crate::list_entry::ListEntry;
use crate::lists::{Lists, SegmentTerms};
use crate::manifest::{Codecs, SegmentEntry, open_file};
use crate::places::Places;
use crate::prints::Prints;
use crate::skips::SkipTable;
use crate::split::Patterns;
use crate::term_blocks::EntryForm;

/// The documents of one build and the lists of their terms.
#[derive(Debug)]
pub(crate) struct Segment {
    /// The number of its first document in the index.
    base: DocId,
    documents: u32,
    /// At least one; several if terms are split, in their order.
    lists: Vec<Lists>,
    keys: Keys,
    lengths: LengthsFile,
    codecs: Codecs,
    patterns: Patterns,
    /// What the maxima of its blocks say about impacts by the model of the index.
    bounds: Bounds,
    impacts: ImpactModel,
    dead: DeadSet,
    prints: Prints,
    places: Places,
}

impl Segment {
    /// Opens a segment of the index folder `dir`; `impacts` is the model of the index.
    pub(crate) fn open(
        dir: &Path,
        entry: &SegmentEntry,
        base: DocId,
        impacts: &ImpactModel,
    ) -> Result<Self, Error> {
        let folder = dir.join(&entry.folder);
        let open = |number| open_file(&folder, number, &entry.header_checksums);
        let documents = entry.counts.documents;
        if documents >= u64::from(DocId::END.get() - base.get()) {
            return Err(Error::damaged(&folder, "it counts more documents than there can be"));
        }
        let form = EntryForm::new(entry.codecs.precision, documents as u32);
        let mut lists = vec![Lists::open(&folder, 0, &entry.header_checksums, form)?];
        for (part, identities) in (1..).zip(&entry.more_terms) {
            lists.push(Lists::open(&folder, part, identities, form)?);
        }
        Ok(Self {
            base,
            documents: documents as u32,
            lists,
            keys: Keys::new(open(KEYS_FILE)?, documents as u32)?,
            lengths: LengthsFile::new(open(LENGTHS_FILE)?, documents as u32)?,
            codecs: entry.codecs,
            patterns: Patterns::new(),
            bounds: Bounds::new(impacts, &entry.impacts),
            impacts: entry.impacts,
            dead: DeadSet::open(&folder, entry.dead.as_ref(), documents)?,
            prints: Prints::open(&folder, entry.prints, documents)?,
            places: Places::open(&folder, entry.places, documents)?,
        })
    }

    pub(crate) fn base(&self) -> DocId {
        self.base
    }

    /// The number in the index after that of its last document.
    pub(crate) fn end(&self) -> DocId {
        DocId::new(self.base.get() + self.documents)
    }

    /// Looks a term up and verifies its list.
    pub(crate) fn find(&self, term: &str) -> Result<Option<ListEntry>, Error> {
        for lists in &self.lists {
            if let Some(entry) = lists.find(term)? {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Its parts by terms.
    pub(crate) fn lists(&self) -> &[Lists] {
        &self.lists
    }

    /// The part that has a list which was found here.
    fn lists_of(&self, entry: &ListEntry) -> &Lists {
        &self.lists[entry.part as usize]
    }

    /// The table of the blocks of a list that is verified, if it is one.
    pub(crate) fn skip_table(&self, entry: &ListEntry) -> Option<SkipTable<'_>> {
        self.lists_of(entry).skip_table(entry)
    }

    /// Verifies a list.
    pub(crate) fn verify(&self, entry: &ListEntry) -> Result<(), Error> {
        self.lists_of(entry).verify(entry)
    }

    /// Compares the checksums of all files.
    pub(crate) fn check_files(&self) -> Result<(), Error> {
        self.keys.file().check()?;
        self.lengths.file().check()?;
        self.lists.iter().try_for_each(Lists::check_files)
    }

    /// Its files of which some may be kept in memory, and whether every look-up goes through them.
    pub(crate) fn files(&self) -> impl Iterator<Item = (bool, &SealedFile)> {
        let lengths = std::iter::once((true, self.lengths.file()));
        lengths.chain(self.lists.iter().flat_map(Lists::files))
    }

    /// The same files.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = (bool, &mut SealedFile)> {
        let lengths = std::iter::once((true, self.lengths.file_mut()));
        lengths.chain(self.lists.iter_mut().flat_map(Lists::files_mut))
    }

    /// The codes of the lengths of all its documents.
    pub(crate) fn lengths(&self) -> Lengths<'_> {
        self.lengths.lengths()
    }

    /// The codes of the lengths of the document with this number in the segment.
    pub(crate) fn length_codes_at(&self, document: u32) -> [u8; FIELD_COUNT] {
        self.lengths.lengths().codes(document)
    }

    pub(crate) fn keys_path(&self) -> &Path {
        self.keys.file().path()
    }

    pub(crate) fn lengths_path(&self) -> &Path {
        self.lengths.file().path()
    }

    /// What no document of a list that `find` gave exceeds.
    pub(crate) fn list_bound(&self, entry: &ListEntry) -> f32 {
        self.bounds.of(self.lists_of(entry).list_impact(entry))
    }

    /// All terms, in order. The list of each is verified by `verify` before a cursor reads it.
    pub(crate) fn terms(&self) -> SegmentTerms<'_> {
        SegmentTerms::new(&self.lists)
    }

    /// Which documents are dead.
    #[inline]
    pub(crate) fn dead(&self) -> &DeadSet {
        &self.dead
    }

    /// Whether the document with this number in the index is dead.
    #[inline]
    pub(crate) fn is_dead(&self, doc: DocId) -> bool {
        self.dead.has(doc.get() - self.base.get())
    }

    /// A bit for each document, set if it is dead.
    pub(crate) fn dead_bits(&self) -> Vec<u8> {
        let mut bits = self.dead.bits().to_vec();
        bits.resize(self.documents.div_ceil(8) as usize, 0);
        bits
    }

    /// How many documents it has, dead ones too.
    pub(crate) fn documents(&self) -> u32 {
        self.documents
    }

    /// How its lists are written.
    pub(crate) fn codecs(&self) -> &Codecs {
        &self.codecs
    }

    /// The file of its lists, to be named where it is damaged.
    pub(crate) fn postings_path(&self) -> &Path {
        self.lists[0].postings.path()
    }

    /// The bits of a list that is verified, from its first document on, and those of its positions.
    pub(crate) fn bits_of(&self, entry: &ListEntry) -> Result<[BitReader<'_>; 2], Error> {
        let lists = self.lists_of(entry);
        let begin = |range: &Range<u64>| range.start / 8;
        let bytes = |range: &Range<u64>| begin(range)..range.end.div_ceil(8);
        let postings = lists.postings.verified_bytes(bytes(&entry.postings));
        let positions = lists.positions.bytes(bytes(&entry.positions))?;
        Ok([
            BitReader::new(postings, entry.postings.start % 8),
            BitReader::new(positions, entry.positions.start % 8),
        ])
    }

    /// A cursor over a list that `find` gave.
    pub(crate) fn cursor(&self, entry: &ListEntry) -> ListCursor<'_> {
        let lists = self.lists_of(entry);
        let files = ListFiles {
            documents: self.documents,
            postings: &lists.postings,
            positions: &lists.positions,
            skips: &lists.skips,
            codecs: &self.codecs,
            patterns: &self.patterns,
            lengths: self.lengths.lengths(),
        };
        ListCursor::new(entry, files)
    }

    /// The codes of the lengths of the fields of the document with this number in the index; zeros if it is not here.
    #[inline]
    pub(crate) fn length_codes(&self, doc: DocId) -> [u8; FIELD_COUNT] {
        self.lengths.lengths().codes(doc.get() - self.base.get())
    }

    /// The words of the document with this number in the index; 0 if it is not here.
    #[inline]
    pub(crate) fn doc_length(&self, doc: DocId) -> u32 {
        self.length_codes(doc).iter().map(|&code| decode_length(code)).sum()
    }

    /// What the maxima of its blocks are maxima of.
    pub(crate) fn impacts(&self) -> &ImpactModel {
        &self.impacts
    }

    /// What the maxima of its blocks say about impacts by the model of the index.
    #[inline]
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The print of the document with this number in the index.
    pub(crate) fn print(&self, doc: DocId) -> u32 {
        self.prints.of(doc.get() - self.base.get())
    }

    /// The living document that has a key, as it is numbered in the index.
    pub(crate) fn find_key(&self, key: PageKey) -> Option<DocId> {
        let (mut low, mut high) = (0, self.documents);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.doc_key(self.doc_by_key(middle)) < key { low = middle + 1 } else { high = middle }
        }
        let doc = (low < self.documents).then(|| self.doc_by_key(low))?;
        (self.doc_key(doc) == key && !self.is_dead(doc)).then_some(doc)
    }

    /// The document whose key is the n-th, as it is numbered in the index.
    pub(crate) fn doc_by_key(&self, nth: u32) -> DocId {
        DocId::new(self.base.get() + self.places.document(nth))
    }

    /// The key of the document with this number in the index; 0 if it is not here.
    pub(crate) fn doc_key(&self, doc: DocId) -> PageKey {
        self.keys.key(doc.get() - self.base.get())
    }
}
