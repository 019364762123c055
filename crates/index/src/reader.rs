//! Reading an index.
//!
//! Opening reads the manifest and opens every segment ([`crate::segment`]). A term is first shown to the filters of the
//! segments ([`crate::router`]); only the dictionaries of those that may have it are searched.
//!
//! An open index is a snapshot: a later build replaces folders, not the maps of those who already read them.

use std::path::{Path, PathBuf};

use page::{DocId, PageKey, SetId};

use crate::analyzer::Analyzer;
use crate::cursor::{PostingsCursor, TermEntry, TermPart};
use crate::field::FIELD_COUNT;
use crate::impact::ImpactModel;
use crate::manifest::{Codecs, IndexReport, Manifest};
use crate::router::{Router, RoutingReport};
use crate::segment::Segment;
use crate::stems::STEM_MARK;
use crate::{Analysis, Error};

/// An inverted index, open for reading. Any number of threads may share one.
#[derive(Debug)]
pub struct Index {
    dir: PathBuf,
    source_stamp: String,
    dead_stamp: String,
    documents: u32,
    set_id: SetId,
    report: IndexReport,
    segments: Vec<Segment>,
    router: Router,
    impacts: ImpactModel,
    codecs: Codecs,
    analyzer: Analyzer,
}

impl Index {
    /// Opens the index of the folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let manifest = Manifest::read(dir)?;
        match Self::open_segments(dir, &manifest) {
            // A build may have committed and deleted segments since the manifest was read.
            Err(error) => match Manifest::read(dir)? {
                newer if newer != manifest => Self::open_segments(dir, &newer),
                _ => Err(error),
            },
            opened => opened,
        }
    }

    fn open_segments(dir: &Path, manifest: &Manifest) -> Result<Self, Error> {
        let impacts = ImpactModel::default().with_averages(manifest.averages());
        let (mut segments, mut filters, mut base) = (Vec::new(), Vec::new(), DocId::new(0));
        for entry in &manifest.segments {
            let (segment, filter) = Segment::open(dir, entry, base, &impacts)?;
            base = segment.end();
            segments.push(segment);
            filters.push(filter);
        }
        Ok(Self {
            dir: dir.to_owned(),
            source_stamp: manifest.source_stamp().to_owned(),
            dead_stamp: manifest.dead_stamp.clone(),
            documents: base.get(),
            set_id: manifest.set_id(),
            report: manifest.report(),
            segments,
            router: Router::new(&filters),
            impacts,
            analyzer: Analyzer::new(manifest.analysis).with_languages(manifest.languages()),
            codecs: manifest.segments.last().map_or_else(Codecs::default, |segment| segment.codecs),
        })
    }

    /// How many documents there are, dead ones too; they are numbered from 0.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Whether a document is dead: replaced by a newer one, or forgotten. Cursors never stand on it.
    #[inline]
    pub fn is_dead(&self, doc: DocId) -> bool {
        self.report.dead > 0 && self.segment_of(doc).is_some_and(|segment| segment.is_dead(doc))
    }

    /// Words per document, titles included; 0 without documents.
    pub fn average_length(&self) -> f64 {
        self.report.occurrences as f64 / f64::from(self.documents.max(1))
    }

    /// Words of each field in the mean of documents.
    pub fn average_lengths(&self) -> [f64; FIELD_COUNT] {
        self.impacts.averages.map(f64::from)
    }

    /// What the last build was told about its source.
    pub fn source_stamp(&self) -> &str {
        &self.source_stamp
    }

    /// What [`crate::bury`] was told last, if nothing was added since.
    pub fn dead_stamp(&self) -> &str {
        &self.dead_stamp
    }

    /// Which pages have which numbers. What has an entry for each document belongs to this index if it was made for the
    /// same.
    pub fn set_id(&self) -> SetId {
        self.set_id
    }

    /// What the builds reported.
    pub fn report(&self) -> &IndexReport {
        &self.report
    }

    /// How the lists of the latest segment are written.
    pub fn codecs(&self) -> Codecs {
        self.codecs
    }

    /// How much it knows of words.
    pub fn analysis(&self) -> Analysis {
        self.analyzer.analysis()
    }

    /// Takes queries apart as its documents were.
    pub fn analyzer(&self) -> Analyzer {
        self.analyzer
    }

    /// How many dictionary searches the filters of the segments have saved so far.
    pub fn routing(&self) -> RoutingReport {
        self.router.report()
    }

    /// Looks a term up, as [`crate::Analyzer`] gives it, and verifies its lists; `None`: it occurs nowhere.
    pub fn term(&self, term: &str) -> Result<Option<TermEntry>, Error> {
        let mut entry = TermEntry { documents: 0, parts: Vec::new() };
        for segment_index in self.router.segments_for(term) {
            match self.segments[segment_index].find(term)? {
                Some(list) => {
                    entry.documents = entry.documents.saturating_add(list.documents);
                    entry.parts.push(TermPart { segment_index, list });
                }
                None => self.router.count_false_positive(),
            }
        }
        Ok((!entry.parts.is_empty()).then_some(entry))
    }

    /// Looks a stem up, as [`Analyzer::stems`] gives it: the documents in which a word occurs that has it. They are not told
    /// apart by where the words stand; asking for positions is an error.
    ///
    /// Where the stem itself is its only word, that is the list of the word.
    pub fn stem(&self, stem: &str) -> Result<Option<TermEntry>, Error> {
        let key = format!("{STEM_MARK}{stem}");
        let (with_key, with_word) = (self.router.segments_for(&key), self.router.segments_for(stem));
        let mut entry = TermEntry { documents: 0, parts: Vec::new() };
        for (segment_index, segment) in self.segments.iter().enumerate() {
            let mut list = None;
            if with_key.contains(&segment_index) {
                list = segment.find(&key)?;
            }
            if list.is_none() && with_word.contains(&segment_index) {
                list = segment.find(stem)?;
            }
            if let Some(list) = list {
                entry.documents = entry.documents.saturating_add(list.documents);
                entry.parts.push(TermPart { segment_index, list });
            }
        }
        Ok((!entry.parts.is_empty()).then_some(entry))
    }

    /// A cursor on the first document of a term. The entry has to come from [`Index::term`] or [`Index::stem`] of this index.
    pub fn cursor(&self, entry: &TermEntry) -> PostingsCursor<'_> {
        PostingsCursor::new(entry, &self.segments)
    }

    /// How many words the document has, title included; 0 for a number that no document has.
    #[inline]
    pub fn doc_length(&self, doc: DocId) -> u32 {
        self.segment_of(doc).map_or(0, |segment| segment.doc_length(doc))
    }

    /// The codes of the lengths of the document's fields, as [`crate::ImpactTable`] takes them.
    #[inline]
    pub fn length_codes(&self, doc: DocId) -> [u8; FIELD_COUNT] {
        self.segment_of(doc).map_or([0; FIELD_COUNT], |segment| segment.length_codes(doc))
    }

    /// What a word is worth by default, with the average lengths of all documents.
    pub fn impact_model(&self) -> ImpactModel {
        self.impacts
    }

    /// The key under which the document was added; 0 for a number that no document has.
    pub fn doc_key(&self, doc: DocId) -> PageKey {
        self.segment_of(doc).map_or(PageKey::START, |segment| segment.doc_key(doc))
    }

    /// The living document that was added under a key, if the keys of each build were added in ascending order.
    pub fn find_key(&self, key: PageKey) -> Option<DocId> {
        self.segments.iter().rev().find_map(|segment| segment.find_key(key))
    }

    /// The print that a document was added with; 0 if it was added without.
    pub fn print(&self, doc: DocId) -> u32 {
        self.segment_of(doc).map_or(0, |segment| segment.print(doc))
    }

    /// The segment of a document that there is, and its number.
    pub(crate) fn segment_at(&self, doc: DocId) -> (usize, &Segment) {
        let number = self.segments.partition_point(|segment| segment.end() <= doc);
        (number, &self.segments[number])
    }

    /// The folder that was opened.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether a term is looked for in this segment.
    pub(crate) fn routes_to(&self, term: &str, segment_index: usize) -> bool {
        self.router.segments_for(term).into_iter().any(|found| found == segment_index)
    }

    #[inline]
    fn segment_of(&self, doc: DocId) -> Option<&Segment> {
        let behind = self.segments.partition_point(|segment| segment.base() <= doc);
        self.segments.get(behind.wrapping_sub(1))
    }
}
