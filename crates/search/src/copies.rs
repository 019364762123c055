//! Documents that say the same: of each group one stands in the results.
//!
//! Whoever knows which documents are copies gives their groups as plain numbers; this crate does not know how they were
//! found. A search then shows of each group the document that stands for it, if it matches, or else the best of those
//! that do, and counts the others; if some have all words of the query, only they can be shown. The choice depends on the query and on nothing else, so however results are divided
//! into pages, none is shown twice and none is lost.
//!
//! Cost: four bytes per document and per member; a search remembers each group that it meets.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use page::{DocId, PageKey};

use crate::top::{Scored, TopDocuments};

/// Which documents of an index are copies of each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copies {
    /// For each document its group, or [`NO_GROUP`].
    group_of: Vec<u32>,
    /// For each group the document that stands for it.
    canonical: Vec<DocId>,
}

const NO_GROUP: u32 = u32::MAX;

impl Copies {
    /// Groups of the documents of an index of so many, each with the document that stands for it first. A document is in
    /// one group at most; numbers that the index does not have, and groups of fewer than two, mean nothing.
    pub fn new<'g>(documents: u32, groups: impl IntoIterator<Item = &'g [DocId]>) -> Self {
        let mut copies = Self { group_of: vec![NO_GROUP; documents as usize], canonical: Vec::new() };
        for group in groups {
            let group_number = copies.canonical.len() as u32;
            let mut members = group.iter().filter(|doc| doc.get() < documents);
            let (Some(&canonical), Some(_)) = (members.clone().next(), members.clone().nth(1)) else {
                continue;
            };
            copies.canonical.push(canonical);
            members.by_ref().for_each(|doc| copies.group_of[doc.index()] = group_number);
        }
        copies
    }

    /// The number of the group of a document.
    pub fn group_of(&self, doc: DocId) -> Option<u32> {
        self.group_of.get(doc.index()).copied().filter(|group| *group != NO_GROUP)
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

/// What a search has met of the groups so far.
pub(crate) struct Folder<'c> {
    copies: &'c Copies,
    met: HashMap<u32, Met>,
}

/// The documents of a group that match.
struct Met {
    shown: Scored,
    count: u64,
}

impl<'c> Folder<'c> {
    pub(crate) fn new(copies: &'c Copies) -> Self {
        Self { copies, met: HashMap::new() }
    }

    /// True if the document is the first of its kind. It goes to `top` if it is alone; members of groups wait until all
    /// are there.
    pub(crate) fn offer(&mut self, scored: Scored, top: &mut TopDocuments) -> bool {
        let Some(group) = self.copies.group_of(scored.doc) else {
            top.offer(scored);
            return true;
        };
        match self.met.entry(group) {
            Entry::Vacant(place) => {
                place.insert(Met { shown: scored, count: 1 });
                true
            }
            Entry::Occupied(mut place) => {
                let met = place.get_mut();
                met.count += 1;
                let canonical = self.copies.canonical[group as usize];
                let is_better = match scored.has_all.cmp(&met.shown.has_all) {
                    Ordering::Equal => {
                        met.shown.doc != canonical && (scored.doc == canonical || scored > met.shown)
                    }
                    has_more => has_more.is_gt(),
                };
                if is_better {
                    met.shown = scored;
                }
                false
            }
        }
    }

    /// Whether the document has no copies.
    pub(crate) fn is_alone(&self, doc: DocId) -> bool {
        self.copies.group_of(doc).is_none()
    }

    /// All documents were offered: those that stand for their groups go to `top`. Says how many of them have all words.
    pub(crate) fn finish(&self, top: &mut TopDocuments) -> u64 {
        self.met.values().for_each(|met| top.offer(met.shown));
        self.met.values().filter(|met| met.shown.has_all).count() as u64
    }

    /// How many others matched beside one that is shown.
    pub(crate) fn similar(&self, doc: DocId) -> u64 {
        let met = self.copies.group_of(doc).and_then(|group| self.met.get(&group));
        met.map_or(0, |met| met.count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(copies.canonical, [4, 5].map(DocId::new));
    }

    #[test]
    fn the_canonical_document_stands_for_its_group_or_else_the_best() {
        let copies = copies(10, &[&[5, 1, 7]]);
        // Documents and scores in the order of a search, negative for those that lack words; what is shown, and how many
        // are similar.
        type Row = (&'static [(u32, f64)], u32, u64);
        let rows: [Row; 7] = [
            (&[(1, 9.0), (5, 1.0), (7, 5.0)], 5, 2),
            (&[(1, 2.0), (7, 5.0)], 7, 1),
            (&[(1, 5.0), (7, 5.0)], 1, 1),
            (&[(7, 5.0)], 7, 0),
            (&[(1, 2.0), (5, -9.0), (7, 1.0)], 1, 2),
            (&[(1, -2.0), (5, -9.0), (7, 1.0)], 7, 2),
            (&[(1, -2.0), (5, -9.0), (7, -1.0)], 5, 2),
        ];
        for (offered, shown, similar) in rows {
            let (mut folder, mut top) = (Folder::new(&copies), TopDocuments::new(10));
            let scored = |(doc, score): &(u32, f64)| Scored {
                has_all: *score > 0.0,
                score: score.abs(),
                doc: DocId::new(*doc),
            };
            let new = offered.iter().filter(|row| folder.offer(scored(row), &mut top));
            assert_eq!(new.count(), 1);
            folder.finish(&mut top);
            let docs: Vec<u32> = top.into_sorted().iter().map(|scored| scored.doc.get()).collect();
            assert_eq!((docs.as_slice(), folder.similar(DocId::new(shown))), (&[shown][..], similar));
        }
    }
}
