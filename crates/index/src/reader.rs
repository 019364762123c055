//! Reading an index.
//!
//! Opening reads the manifest and opens every segment ([`crate::segment`]). A term is first shown to the filters of the
//! segments ([`crate::router`]); only the dictionaries of those that may have it are searched.
//!
//! Any number of indexes can be opened as one: their segments stand one after the other, as if one build had made them, so
//! that statistics, scores and orders are those of one index of all. What is known of each is a [`IndexMember`].
//!
//! An open index is a snapshot: a later build replaces folders, not the maps of those who already read them.

use std::path::Path;

use page::{DocId, PageKey, SetId};

use crate::analyzer::Analyzer;
use crate::cursor::{PostingsCursor, TermEntry, TermPart};
use crate::field::{FIELD_COUNT, Field};
use crate::impact::ImpactModel;
use crate::lengths::decode_length;
use crate::list_entry::ListEntry;
use crate::lists::Lists;
use crate::manifest::{Codecs, IndexReport, Manifest};
use crate::member::{self, IndexMember};
use crate::order::Order;
use crate::precision::Precision;
use crate::router::{Router, RoutingFilters, RoutingReport};
use crate::segment::Segment;
use crate::stems::STEM_MARK;
use crate::{Analysis, Error};

/// An inverted index, open for reading. Any number of threads may share one.
#[derive(Debug)]
pub struct Index {
    members: Vec<IndexMember>,
    documents: u32,
    report: IndexReport,
    segments: Vec<Segment>,
    /// The segment of each dictionary that the router knows, and which part of its terms it has.
    parts: Vec<(usize, usize)>,
    router: Router,
    impacts: ImpactModel,
    codecs: Codecs,
    analyzer: Analyzer,
}

impl Index {
    /// Opens the index of the folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        Self::open_all(&[dir])
    }

    /// Opens what is now in the folders of an index, or in others, as one. What is open already stays as it was; filters of
    /// segments that are the same are shared with it and not read again.
    pub fn reopen_all(&self, dirs: &[impl AsRef<Path>]) -> Result<Self, Error> {
        Self::open_after(Some(self), dirs)
    }

    /// Opens the indexes of some folders as one, in this order.
    pub fn open_all(dirs: &[impl AsRef<Path>]) -> Result<Self, Error> {
        Self::open_after(None, dirs)
    }

    fn open_after(before: Option<&Self>, dirs: &[impl AsRef<Path>]) -> Result<Self, Error> {
        let read = || dirs.iter().map(|dir| Manifest::read(dir.as_ref())).collect::<Result<Vec<_>, _>>();
        let mut manifests = read()?;
        loop {
            match Self::open_segments(before, dirs, &manifests) {
                // A build may have committed and deleted segments since the manifest was read.
                Err(error) => match read()? {
                    newer if newer != manifests => manifests = newer,
                    _ => return Err(error),
                },
                opened => return opened,
            }
        }
    }

    fn open_segments(
        before: Option<&Self>,
        dirs: &[impl AsRef<Path>],
        manifests: &[Manifest],
    ) -> Result<Self, Error> {
        let all = all_together(dirs, manifests)?;
        let impacts = ImpactModel::default().with_averages(all.averages());
        let (mut members, mut segments) = (Vec::new(), Vec::<Segment>::new());
        let mut base = DocId::new(0);
        for (dir, manifest) in dirs.iter().zip(manifests) {
            let (first, first_segment) = (base, segments.len());
            for entry in &manifest.segments {
                let segment = Segment::open(dir.as_ref(), entry, base, &impacts)?;
                base = segment.end();
                segments.push(segment);
            }
            members.push(IndexMember::new(
                members.len(),
                dir.as_ref(),
                manifest,
                first..base,
                first_segment..segments.len(),
            ));
        }
        let filters: Vec<_> = segments.iter().flat_map(Segment::lists).map(Lists::filter).collect();
        let router = Router::open(&filters, before.map(|before| &before.router))?;
        Ok(Self {
            members,
            documents: base.get(),
            report: all.report(),
            parts: (0..).zip(&segments).flat_map(parts_of).collect(),
            segments,
            router,
            impacts,
            analyzer: Analyzer::new(all.analysis).with_languages(all.languages()),
            codecs: all.segments.last().map_or_else(Codecs::default, |segment| segment.codecs),
        })
    }

    /// The indexes that are open as this one, in the order of their documents.
    pub fn members(&self) -> &[IndexMember] {
        &self.members
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

    /// What the last build was told about its source; of several indexes, what that of the first was told.
    pub fn source_stamp(&self) -> &str {
        self.members.first().map_or("", IndexMember::source_stamp)
    }

    /// What [`crate::bury`] was told last, if nothing was added since; of several indexes, about the first.
    pub fn dead_stamp(&self) -> &str {
        self.members.first().map_or("", IndexMember::dead_stamp)
    }

    /// Which pages have which numbers. What has an entry for each document belongs to this index if it was made for the
    /// same. Of several indexes, that of the first: each has its own.
    pub fn set_id(&self) -> SetId {
        self.members.first().map_or(SetId::of(&[]), IndexMember::set_id)
    }

    /// What the builds reported.
    pub fn report(&self) -> &IndexReport {
        &self.report
    }

    /// How the lists of the latest segment are written.
    pub fn codecs(&self) -> Codecs {
        self.codecs
    }

    /// What is kept of each word; of several indexes, by all of them.
    pub fn precision(&self) -> Precision {
        self.report.precision
    }

    /// How documents are numbered; of several indexes, those of the first.
    pub fn order(&self) -> Order {
        self.report.order
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

    /// What terms are routed with.
    pub fn routing_filters(&self) -> RoutingFilters {
        self.router.filters()
    }

    /// What routing saves for terms of the index: up to so many of each dictionary, spread over it, are looked up.
    pub fn routing_of_sample(&self, terms_per_dictionary: usize) -> Result<RoutingReport, Error> {
        let before = self.routing();
        for lists in self.segments.iter().flat_map(Segment::lists) {
            for term in lists.dictionary().blocks().sample(terms_per_dictionary)? {
                let term = String::from_utf8_lossy(&term);
                for asked in self.places_for(&term) {
                    if self.lists_at(asked).dictionary().find(&term)?.is_none() {
                        self.router.count_false_positive();
                    }
                }
            }
        }
        Ok(self.routing().since(&before))
    }

    /// Looks a term up, as [`crate::Analyzer`] gives it, and verifies its lists; `None`: it occurs nowhere.
    pub fn term(&self, term: &str) -> Result<Option<TermEntry>, Error> {
        let mut parts = Vec::new();
        for place in self.places_for(term) {
            match self.lists_at(place).find(term)? {
                Some(list) => parts.push(TermPart { segment_index: self.parts[place].0, list }),
                None => self.router.count_false_positive(),
            }
        }
        Ok(TermEntry::of_parts(parts))
    }

    /// Looks a stem up, as [`Analyzer::stems`] gives it: the documents in which a word occurs that has it. They are not told
    /// apart by where the words stand; asking for positions is an error.
    ///
    /// Where the stem itself is its only word, that is the list of the word.
    pub fn stem(&self, stem: &str) -> Result<Option<TermEntry>, Error> {
        let key = format!("{STEM_MARK}{stem}");
        let (with_key, with_word) = (self.places_for(&key), self.places_for(stem));
        let mut parts = Vec::new();
        for segment_index in 0..self.segments.len() {
            let list = match self.find_in(segment_index, &with_key, &key)? {
                None => self.find_in(segment_index, &with_word, stem)?,
                list => list,
            };
            if let Some(list) = list {
                parts.push(TermPart { segment_index, list });
            }
        }
        Ok(TermEntry::of_parts(parts))
    }

    /// The list that a segment has of a term, in one of these dictionaries.
    fn find_in(
        &self,
        segment_index: usize,
        places: &[usize],
        term: &str,
    ) -> Result<Option<ListEntry>, Error> {
        for &place in places.iter().filter(|&&place| self.parts[place].0 == segment_index) {
            if let Some(list) = self.lists_at(place).find(term)? {
                return Ok(Some(list));
            }
        }
        Ok(None)
    }

    /// The places of the dictionaries that may have a term.
    fn places_for(&self, term: &str) -> Vec<usize> {
        self.router.places_for(term, |place| self.lists_at(place).may_have(term))
    }

    /// The dictionary that the router knows by this place.
    fn lists_at(&self, place: usize) -> &Lists {
        let (segment_index, part) = self.parts[place];
        &self.segments[segment_index].lists()[part]
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

    /// How many words a field of a document has, nearly; 0 if there is no such document.
    pub fn field_length(&self, doc: DocId, field: Field) -> u32 {
        decode_length(self.length_codes(doc)[field.index()])
    }

    /// What a word is worth by default, with the average lengths of all documents.
    pub fn impact_model(&self) -> ImpactModel {
        self.impacts
    }

    /// The key under which the document was added; 0 for a number that no document has. Of several indexes, it also says
    /// which one ([`IndexMember::key`]).
    pub fn doc_key(&self, doc: DocId) -> PageKey {
        let key = self.segment_of(doc).map_or(PageKey::START, |segment| segment.doc_key(doc));
        self.member_of(doc).map_or(key, |member| member.key(key))
    }

    /// The living document that was added under a key, as [`Index::doc_key`] gives it.
    pub fn find_key(&self, key: PageKey) -> Option<DocId> {
        let (member, key) = self.split_key(key)?;
        self.segments[member.segments()].iter().rev().find_map(|segment| segment.find_key(key))
    }

    /// The print that a document was added with; 0 if it was added without.
    pub fn print(&self, doc: DocId) -> u32 {
        self.segment_of(doc).map_or(0, |segment| segment.print(doc))
    }

    /// The index that a key is of, and the key in that index alone.
    pub fn split_key(&self, key: PageKey) -> Option<(&IndexMember, PageKey)> {
        match self.members.as_slice() {
            [only] => Some((only, key)),
            members => {
                let (number, key) = member::split(key);
                Some((members.get(number)?, key))
            }
        }
    }

    fn member_of(&self, doc: DocId) -> Option<&IndexMember> {
        self.members.get(self.members.partition_point(|member| member.documents().end <= doc))
    }

    /// The segment of a document that there is, and its number.
    pub(crate) fn segment_at(&self, doc: DocId) -> (usize, &Segment) {
        let number = self.segments.partition_point(|segment| segment.end() <= doc);
        (number, &self.segments[number])
    }

    /// The folder that was opened, or the first of them.
    pub(crate) fn dir(&self) -> &Path {
        self.members.first().map_or(Path::new(""), IndexMember::dir)
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn segments_mut(&mut self) -> &mut [Segment] {
        &mut self.segments
    }

    /// Whether a term is looked for in this part of the terms of a segment.
    pub(crate) fn routes_to(&self, term: &str, segment_index: usize, part: usize) -> bool {
        self.places_for(term).into_iter().any(|found| self.parts[found] == (segment_index, part))
    }

    #[inline]
    fn segment_of(&self, doc: DocId) -> Option<&Segment> {
        let behind = self.segments.partition_point(|segment| segment.base() <= doc);
        self.segments.get(behind.wrapping_sub(1))
    }
}

/// A segment's number with each of its dictionaries.
fn parts_of((number, segment): (usize, &Segment)) -> impl Iterator<Item = (usize, usize)> + use<> {
    (0..segment.lists().len()).map(move |part| (number, part))
}

/// The manifest that one index of all would have.
fn all_together(dirs: &[impl AsRef<Path>], manifests: &[Manifest]) -> Result<Manifest, Error> {
    let analysis = manifests.first().map_or_else(Analysis::default, |manifest| manifest.analysis);
    if let Some(other) = manifests.iter().position(|manifest| manifest.analysis != analysis) {
        let (one, other) = (dirs[0].as_ref().to_owned(), dirs[other].as_ref().to_owned());
        return Err(Error::Analyses { one, other });
    }
    let segments: Vec<_> = manifests.iter().flat_map(|manifest| &manifest.segments).cloned().collect();
    let limit = u64::from(DocId::END.get() - 1);
    if segments.iter().map(|segment| segment.counts.documents).sum::<u64>() > limit && manifests.len() > 1 {
        return Err(Error::TooMany { what: "documents", limit });
    }
    let first = manifests.first();
    let (order, split) = first.map_or_else(Default::default, |manifest| (manifest.order, manifest.split));
    Ok(Manifest { analysis, order, split, segments, dead_stamp: String::new() })
}
