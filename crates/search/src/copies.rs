//! Documents that say the same: of each group one stands in the results.
//!
//! Whoever knows which documents are copies gives their groups as plain numbers; this crate does not know how they were
//! found. A search then shows of each group the document that stands for it, if it matches, or else the best of those
//! that do; if some have all words of the query, only they can be shown. A document that is called exactly what was typed
//! stands for its group, whoever does otherwise: pages that are made alike, as those about the functions of a library, are
//! copies of each other by their words, and still somebody asks for one of them by its name. The choice depends on the query
//! and on nothing else, so however results are divided into pages, none is shown twice and none is lost.
//!
//! That is decided as soon as the first member of a group is good enough to be shown: the one that stands for it is looked
//! at then. So a search need not meet all members, and passes over most.
//!
//! Cost: four bytes per document and per member.

use std::collections::HashMap;

use page::{DocId, PageKey};

use crate::Error;
use crate::columns::{Column, PartsReader, PartsWriter};
use crate::reader::ReaderLanguages;
use crate::top::{Keeper, Scored};

/// Which documents of an index are copies of each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copies {
    /// For each document its group, or [`NO_GROUP`].
    group_of: Column<4>,
    /// The members of all groups, one group after the other: first who stands for it, then all in their order.
    members: Vec<DocId>,
    /// Where each group ends in `members`.
    ends: Vec<u32>,
    /// The languages of documents that are editions of a page, by document.
    languages: Vec<(DocId, [u8; 2])>,
}

const NO_GROUP: u32 = u32::MAX;

impl Copies {
    /// Groups of the documents of an index of so many, each with the document that stands for it first. A document is in
    /// one group at most; numbers that the index does not have, and groups of fewer than two, mean nothing.
    pub fn new<'g>(documents: u32, groups: impl IntoIterator<Item = &'g [DocId]>) -> Self {
        let group_of = Column::of(NO_GROUP.to_le_bytes(), documents);
        let mut copies = Self { group_of, ..Self::default() };
        for group in groups {
            let mut members: Vec<DocId> = group.iter().copied().filter(|doc| doc.get() < documents).collect();
            let (Some(&canonical), true) = (members.first(), members.len() > 1) else { continue };
            let group_number = copies.ends.len() as u32;
            let group_of = copies.group_of.rows_mut();
            members.iter().for_each(|doc| group_of[doc.index()] = group_number.to_le_bytes());
            members.sort_unstable();
            copies.members.push(canonical);
            copies.members.extend(members);
            copies.ends.push(copies.members.len() as u32);
        }
        copies
    }

    pub(crate) fn write(&self, parts: &mut PartsWriter) {
        parts.column(&self.group_of);
        parts.numbers(self.members.iter().map(|doc| doc.get()));
        parts.numbers(self.ends.iter().copied());
        parts.numbers(self.languages.iter().map(|(doc, _)| doc.get()));
        parts.bytes(self.languages.iter().flat_map(|(_, code)| *code).collect::<Vec<u8>>().as_slice());
    }

    pub(crate) fn read(parts: &mut PartsReader, documents: u32) -> Option<Self> {
        let group_of: Column<4> = parts.column(documents as usize)?;
        let members: Vec<DocId> = parts.any_column()?.numbers().map(DocId::new).collect();
        let ends: Vec<u32> = parts.any_column()?.numbers().collect();
        let editions = parts.any_column()?;
        let codes = parts.column(editions.len())?;
        let languages = editions.numbers().map(DocId::new).zip(codes.rows().iter().copied()).collect();
        // A group has who stands for it, and two members or more.
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let are_groups =
            starts.zip(&ends).all(|(start, end)| end.checked_sub(start).is_some_and(|size| size >= 3));
        let is_whole = ends.last().copied().unwrap_or(0) as usize == members.len();
        let are_there = members.iter().all(|doc| doc.get() < documents)
            && group_of.numbers().all(|group| group == NO_GROUP || (group as usize) < ends.len());
        (are_groups && is_whole && are_there).then_some(Self { group_of, members, ends, languages })
    }

    /// The same groups, of whose members some are known to be in a language, by its code.
    #[must_use]
    pub fn with_languages(mut self, languages: impl IntoIterator<Item = (DocId, [u8; 2])>) -> Self {
        let is_member = |doc: &DocId| self.group_of(*doc).is_some();
        let mut languages: Vec<_> = languages.into_iter().filter(|(doc, _)| is_member(doc)).collect();
        languages.sort_unstable();
        self.languages = languages;
        self
    }

    /// How many groups there are.
    pub(crate) fn groups(&self) -> usize {
        self.ends.len()
    }

    /// The number of the group of a document.
    pub fn group_of(&self, doc: DocId) -> Option<u32> {
        self.group_of.number(doc.index()).filter(|group| *group != NO_GROUP)
    }

    fn of_group(&self, group: u32) -> &[DocId] {
        let start = (group as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start as usize..self.ends[group as usize] as usize]
    }

    fn language_of(&self, doc: DocId) -> Option<[u8; 2]> {
        let place = self.languages.binary_search_by_key(&doc, |(doc, _)| *doc).ok()?;
        Some(self.languages[place].1)
    }

    /// The document that stands for a group, for a reader of these languages: an edition in the first of them in which
    /// there is one. What does not say its language may be in English.
    pub(crate) fn canonical(&self, group: u32, reader: &ReaderLanguages) -> DocId {
        let canonical = self.of_group(group)[0];
        for language in reader.codes().take_while(|_| !self.languages.is_empty()) {
            let is_read = |doc: &DocId| self.language_of(*doc) == Some(language);
            if is_read(&canonical) || language == *b"en" && self.language_of(canonical).is_none() {
                return canonical;
            }
            if let Some(doc) = self.members(group).iter().copied().find(is_read) {
                return doc;
            }
        }
        canonical
    }

    /// The documents of a group, in increasing order.
    pub(crate) fn members(&self, group: u32) -> &[DocId] {
        &self.of_group(group)[1..]
    }
}

/// What is done with copies in the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CopiesView {
    /// One document of each group is shown.
    #[default]
    Folded,
    /// Each document is shown.
    Shown,
    /// Only the group of the document with this key is shown, all of it that matches.
    Only(PageKey),
}

/// Who is shown of the groups that a search has met so far.
pub(crate) struct Folder<'c> {
    copies: Option<&'c Copies>,
    reader: ReaderLanguages,
    /// The documents that stand for their groups by their titles.
    called: HashMap<u32, DocId>,
    shown: HashMap<u32, Shown>,
}

impl<'c> Folder<'c> {
    /// Without `copies`, all documents are shown.
    pub(crate) fn new(copies: Option<&'c Copies>, reader: ReaderLanguages) -> Self {
        Self { copies, reader, called: HashMap::new(), shown: HashMap::new() }
    }

    /// Lets documents that are called what was typed stand for their groups; nothing has been offered yet. Of several in a
    /// group it is the one that does anyway, or else the first.
    pub(crate) fn call(&mut self, titles: &[DocId]) {
        let Some(copies) = self.copies else { return };
        for &doc in titles {
            let Some(group) = copies.group_of(doc) else { continue };
            if doc == copies.canonical(group, &self.reader) {
                self.called.insert(group, doc);
            } else {
                self.called.entry(group).or_insert(doc);
            }
        }
    }

    fn stands_for(&self, group: u32, copies: &Copies) -> DocId {
        self.called.get(&group).copied().unwrap_or_else(|| copies.canonical(group, &self.reader))
    }

    /// Whether a document changes nothing, however well it answers up to so much: another one of its group is shown. Whoever
    /// asks need not find out how well it does.
    pub(crate) fn is_settled(&self, at_most: Scored) -> bool {
        let group = self.copies.and_then(|copies| copies.group_of(at_most.doc));
        let shown = group.and_then(|group| self.shown.get(&group));
        shown.is_some_and(|shown| !shown.gives_way_to(&at_most))
    }

    /// Offers a document to `top`, or whoever stands for it; `probe` tells how well another one answers.
    pub(crate) fn offer(
        &mut self,
        scored: Scored,
        top: &mut impl Keeper,
        probe: impl Fn(DocId) -> Result<Option<Scored>, Error>,
    ) -> Result<(), Error> {
        let group = self.copies.and_then(|copies| Some((copies, copies.group_of(scored.doc)?)));
        let Some((copies, group)) = group else {
            top.offer(scored);
            return Ok(());
        };
        let canonical = self.stands_for(group, copies);
        let scored = match self.shown.get(&group) {
            Some(shown) if !shown.gives_way_to(&scored) => return Ok(()),
            Some(shown) => {
                top.remove(shown.scored.doc);
                scored
            }
            None if scored.doc == canonical => scored,
            None => probe(canonical)?.filter(|other| other.has_all >= scored.has_all).unwrap_or(scored),
        };
        self.shown.insert(group, Shown { scored, is_canonical: scored.doc == canonical });
        top.offer(scored);
        Ok(())
    }
}

/// Who is shown of a group.
#[derive(Debug, Clone, Copy)]
struct Shown {
    scored: Scored,
    /// Whether it stands for its group.
    is_canonical: bool,
}

impl Shown {
    /// Whether another member of its group is shown in its place.
    fn gives_way_to(&self, other: &Scored) -> bool {
        *other > self.scored && (!self.is_canonical || other.has_all && !self.scored.has_all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;
    use crate::top::TopDocuments;

    fn copies(documents: u32, groups: &[&[u32]]) -> Copies {
        let docs = |group: &&[u32]| group.iter().map(|doc| DocId::new(*doc)).collect::<Vec<_>>();
        let groups: Vec<_> = groups.iter().map(docs).collect();
        Copies::new(documents, groups.iter().map(Vec::as_slice))
    }

    #[test]
    fn groups_need_two_documents_that_are_there() {
        let copies = copies(6, &[&[4, 1], &[2, 99], &[3], &[], &[77, 5, 0]]);
        let groups: Vec<_> = (0..7).map(|doc| copies.group_of(DocId::new(doc))).collect();
        assert_eq!(groups, [Some(1), Some(0), None, None, Some(0), Some(1), None]);
        assert_eq!([0, 1].map(|group| copies.canonical(group, &ReaderLanguages::default()).get()), [4, 5]);
        assert_eq!(copies.members(0), [1, 4].map(DocId::new));
        assert_eq!(copies.members(1), [0, 5].map(DocId::new));
    }

    #[test]
    fn an_edition_that_the_reader_reads_stands_for_its_group() {
        let languages = [(1, *b"tr"), (7, *b"de"), (3, *b"it")].map(|(doc, code)| (DocId::new(doc), code));
        let copies = copies(10, &[&[5, 1, 7]]).with_languages(languages);
        let rows =
            [("", 5), ("tr", 1), ("de-CH, tr;q=0.5", 7), ("en, tr", 5), ("fr, tr", 1), ("it", 5), ("fr", 5)];
        for (read, doc) in rows {
            assert_eq!(copies.canonical(0, &ReaderLanguages::parse(read)).get(), doc, "{read}");
        }
    }

    #[test]
    fn who_is_called_what_was_typed_stands_for_its_group() {
        let copies = copies(10, &[&[5, 1, 7], &[2, 3]]);
        let scored =
            |doc: u32, points: u32| Scored { has_all: true, points: Points(points), doc: DocId::new(doc) };
        // Titles that were typed, and who is shown.
        let rows: [(&[u32], [u32; 2]); 4] =
            [(&[], [5, 2]), (&[7], [7, 2]), (&[1, 5, 7], [5, 2]), (&[3, 9], [5, 3])];
        for (titles, expected) in rows {
            let mut folder = Folder::new(Some(&copies), ReaderLanguages::default());
            let mut top = TopDocuments::new(10);
            folder.call(&titles.iter().copied().map(DocId::new).collect::<Vec<_>>());
            let probe = |doc: DocId| Ok(Some(scored(doc.get(), 50)));
            for doc in [1, 2, 3, 5, 7] {
                folder.offer(scored(doc, 50), &mut top, probe).unwrap();
            }
            let mut docs: Vec<u32> = top.into_sorted().iter().map(|scored| scored.doc.get()).collect();
            docs.sort_unstable_by_key(|doc| std::cmp::Reverse(*doc));
            let mut expected = expected;
            expected.sort_unstable_by_key(|doc| std::cmp::Reverse(*doc));
            assert_eq!(docs, expected, "{titles:?}");
        }
    }

    #[test]
    fn the_canonical_document_stands_for_its_group_or_else_the_best() {
        let copies = copies(10, &[&[5, 1, 7]]);
        // Documents and points in the order of a search, negative for those that lack words; what is shown.
        type Row = (&'static [(u32, i32)], u32);
        let rows: [Row; 7] = [
            (&[(1, 90), (5, 10), (7, 50)], 5),
            (&[(1, 20), (7, 50)], 7),
            (&[(1, 50), (7, 50)], 1),
            (&[(7, 50)], 7),
            (&[(1, 20), (5, -90), (7, 10)], 1),
            (&[(1, -20), (5, -90), (7, 10)], 7),
            (&[(1, -20), (5, -90), (7, -10)], 5),
        ];
        for (offered, shown) in rows {
            let (mut folder, mut top) =
                (Folder::new(Some(&copies), ReaderLanguages::default()), TopDocuments::new(10));
            let scored = |(doc, points): &(u32, i32)| Scored {
                has_all: *points > 0,
                points: Points(points.unsigned_abs()),
                doc: DocId::new(*doc),
            };
            let probe = |doc: DocId| Ok(offered.iter().map(scored).find(|scored| scored.doc == doc));
            offered.iter().try_for_each(|row| folder.offer(scored(row), &mut top, probe)).unwrap();
            let docs: Vec<u32> = top.into_sorted().iter().map(|scored| scored.doc.get()).collect();
            assert_eq!(docs, [shown]);
        }
    }
}
