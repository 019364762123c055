//! Pages that are in more than one of the collections that are searched together, or in several editions, and what is known
//! of all pages beside their words: where they are from, of which kind they are, when they were written and in which language.
//!
//! Inside a collection copies were found when it was built, near ones too. Between collections two pages are one if they
//! have the same address, or the same words (by the digest that the page table keeps): the groups of copies that they are
//! in become one group. So a search shows and counts it once. Near copies in two collections are not looked for. Editions
//! of a page ([`crate::editions`]) become one group too, wherever they are, and the newest stands for it.
//!
//! Cost: a scan of the page tables, and of all but the texts of the documents; 40 bytes for each document while it goes on.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use index::{Index, IndexMember};
use page::{DocId, Fingerprint};
use search::{AddressLengths, Copies, Facts, Known, SiteNames, Sites};
use store::{Collection, StoreReader};

use crate::Error;
use crate::documents::DocumentStore;
use crate::editions::{Editions, Mark};
use crate::site_names::names_of_folders;

/// What the page tables say of the documents of an index.
pub(crate) struct PageTables {
    sites: Sites,
    facts: Facts,
    by_address: HashMap<Fingerprint, DocId>,
    by_text: HashMap<u128, DocId>,
    /// Pairs of documents that are one page.
    same: Vec<[DocId; 2]>,
    editions: Editions,
    address_lengths: AddressLengths,
    names: SiteNames,
    /// Whether pages of several collections are compared.
    compares: bool,
}

impl PageTables {
    /// Of no collection yet.
    pub(crate) fn new(index: &Index) -> Self {
        Self {
            sites: Sites::new(index.documents()),
            facts: Facts::new(index.documents()),
            by_address: HashMap::new(),
            by_text: HashMap::new(),
            same: Vec::new(),
            editions: Editions::default(),
            address_lengths: AddressLengths::new(index.documents()),
            names: SiteNames::default(),
            compares: index.members().len() > 1,
        }
    }

    /// Reads the table of the collection that a member is the index of.
    pub(crate) fn read(
        &mut self,
        collection: &Collection,
        index: &Index,
        member: &IndexMember,
    ) -> Result<(), Error> {
        let fronts = names_of_folders(collection);
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((key, record)) = pages.next()? {
            if !record.is_page() {
                continue;
            }
            let doc = index.find_key(member.key(key));
            self.sites.add(record.url.host(), record.url.path_and_query(), doc);
            let Some(doc) = doc else { continue };
            self.facts.set_media_type(doc, &record.content_type);
            self.facts.set_fetched(doc, record.at);
            self.address_lengths.set(doc, record.url.as_str().len());
            self.editions.add(doc, &record.url);
            if let Some(name) = fronts.get(record.url.as_str()) {
                self.names.add(name, doc);
            }
            if !self.compares {
                continue;
            }
            let first = member.documents().start;
            let by_address = met(&mut self.by_address, record.url.fingerprint(), doc);
            let by_text = record.print.and_then(|print| met(&mut self.by_text, print.digest, doc));
            let others = [by_address, by_text].into_iter().flatten().filter(|other| *other < first);
            self.same.extend(others.map(|other| [other, doc]));
        }
        Ok(())
    }

    /// Reads what the documents of that collection say of themselves.
    pub(crate) fn read_documents(
        &mut self,
        documents: &DocumentStore,
        index: &Index,
        member: &IndexMember,
    ) -> Result<(), Error> {
        documents.for_each_about(|about| {
            let Some(doc) = index.find_key(member.key(about.key)) else { return };
            if let Some(language) = &about.language {
                self.facts.set_language(doc, language);
            }
            if let Some(written) = about.modified.or(about.published) {
                self.facts.set_written(doc, written);
            }
        })?;
        Ok(())
    }

    /// All of it, with the groups of copies of each collection and the ranks of all documents.
    pub(crate) fn into_known(
        mut self,
        groups: Vec<Vec<DocId>>,
        ranks: Option<Arc<[f32]>>,
        index: &Index,
    ) -> Known {
        let copies = self.join(groups, ranks.as_deref().unwrap_or_default(), index.documents());
        let Self { sites, facts, address_lengths, names, .. } = self;
        let made_from = String::new();
        Known { of: index.set_id(), made_from, sites, facts, copies, ranks, address_lengths, names }
    }

    /// Joins the groups of copies that a page of two collections is in, and the editions of a page. Of those that stood for
    /// them, one stands for all: that of the newest edition, of the best rank, then of the shortest address, then of the
    /// first collection.
    fn join(&mut self, groups: Vec<Vec<DocId>>, ranks: &[f32], documents: u32) -> Copies {
        let editions = self.editions.pairs();
        self.same.extend(editions);
        let marks = self.editions.marks();
        let groups: Vec<Vec<DocId>> =
            self.joined(groups).into_iter().map(|group| self.best_first(group, ranks, &marks)).collect();
        let language = |(doc, mark): (&DocId, &Mark)| Some((*doc, mark.language()?));
        Copies::new(documents, groups.iter().map(Vec::as_slice))
            .with_languages(marks.iter().filter_map(language))
    }

    fn joined(&self, groups: Vec<Vec<DocId>>) -> Vec<Group> {
        let mut group_of: HashMap<DocId, usize> = HashMap::new();
        // Emptied where it was joined to another.
        let mut joined: Vec<Group> = Vec::new();
        for members in groups {
            group_of.extend(members.iter().map(|doc| (*doc, joined.len())));
            joined.push(Group { standing: members[..1].to_vec(), members });
        }
        for pair in &self.same {
            let [one, other] = pair.map(|doc| {
                *group_of.entry(doc).or_insert_with(|| {
                    joined.push(Group { standing: vec![doc], members: vec![doc] });
                    joined.len() - 1
                })
            });
            if one != other {
                let small = if joined[one].members.len() < joined[other].members.len() { one } else { other };
                let large = one + other - small;
                let taken = std::mem::take(&mut joined[small]);
                group_of.extend(taken.members.iter().map(|doc| (*doc, large)));
                joined[large].members.extend(taken.members);
                joined[large].standing.extend(taken.standing);
            }
        }
        joined.retain(|group| group.members.len() > 1);
        joined
    }

    fn best_first(&self, group: Group, ranks: &[f32], marks: &HashMap<DocId, Mark>) -> Vec<DocId> {
        let mark = |doc: &DocId| marks.get(doc).copied().unwrap_or_default();
        let newest = group.members.iter().map(mark).max().unwrap_or_default();
        let is_newest = |doc: &DocId| mark(doc) == newest;
        // Who stood for a group goes on to, unless another edition is newer.
        let mut standing: Vec<DocId> = group.standing.iter().copied().filter(is_newest).collect();
        if standing.is_empty() {
            standing = group.members.iter().copied().filter(is_newest).collect();
        }
        standing.sort_by(|one, other| {
            let rank = |doc: &DocId| ranks.get(doc.index()).copied().unwrap_or_default();
            let length = |doc: &DocId| self.address_lengths.get(*doc);
            let by_rank = rank(other).total_cmp(&rank(one));
            by_rank.then(length(one).cmp(&length(other))).then(one.cmp(other))
        });
        let mut ordered = vec![standing[0]];
        ordered.extend(group.members.into_iter().filter(|doc| *doc != standing[0]));
        ordered
    }
}

#[derive(Default)]
struct Group {
    members: Vec<DocId>,
    /// Who stood for the groups that it was joined from.
    standing: Vec<DocId>,
}

/// Who has this property and was met first, if it is another one.
fn met<P: Eq + Hash>(known: &mut HashMap<P, DocId>, property: P, doc: DocId) -> Option<DocId> {
    let first = *known.entry(property).or_insert(doc);
    (first != doc).then_some(first)
}
