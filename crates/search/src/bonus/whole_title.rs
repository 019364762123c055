//! A page that is called exactly what was typed.
//!
//! Whoever types the title of a page wants that page. Words alone do not bring it first: a page about the same things that
//! has them more often, or a longer title with all of them, scores as well. So a document whose title consists of the words
//! of the query, and of no others, has something added:
//!
//! ```text
//! added = weight · Σ idf · (k1 + 1)       a share of what the words would add if the document were nothing but them
//! ```
//!
//! It applies to two words and more: one word alone is the name of too many things, and words of links know better which. But
//! the front page of a site that is called what was typed ([`crate::site_names`]) has it, too, for one word as for several; where
//! that is a part of its name only, if it is in its title as well.
//!
//! Pruning stays exact, and as quick as without: documents that have such a title are few, and are looked for by themselves,
//! so that nobody who passes over documents has to think of them. Of the documents of the rarest word those are taken whose
//! titles are short enough, and of these the ones whose titles have all words. Where some of them have the compounds of the
//! query as they were typed, the others do not count: the notes of version 1.11.2 are not those of 2.1.11.
//!
//! Cost: about a nanosecond for each document of the rarest word, one step of a list for each word where the length fits.

use std::cell::OnceCell;
use std::ops::RangeInclusive;

use index::{Field, PostingsCursor, TermEntry};
use page::DocId;

use crate::Error;
use crate::lists::{Found, Lists};
use crate::points::Points;
use crate::query::Query;
use crate::site_names::Called;
use crate::word::terms_of;

/// What a title has to be, and what that adds.
pub(crate) struct WholeTitle<'s> {
    lists: &'s Lists<'s>,
    /// The lists of each word, the rarest first: most titles do not have that one.
    words: Vec<Found>,
    /// The lists of compounds as a whole.
    wholes: Vec<TermEntry>,
    /// The front pages of sites that may be called what was typed.
    fronts: Called,
    /// The documents that have it, once they were asked for, in order.
    documents: OnceCell<Vec<DocId>>,
    /// So many words the title has.
    lengths: RangeInclusive<u32>,
    /// What is added.
    pub(crate) bonus: Points,
}

impl<'s> WholeTitle<'s> {
    /// That of a query; `None` where no title can be all of it.
    pub(crate) fn new(lists: &'s Lists<'s>, query: &Query) -> Result<Option<Self>, Error> {
        let weight = lists.searcher.scoring.weights.whole_title;
        let lone = query.lone_term();
        let terms = match lone {
            Some(term) => vec![(term, 1)],
            None => terms_of(query.typed_words()),
        };
        let is_formula = lone.is_none() && query.must().is_some_and(|node| node.wants_words());
        let is_off = weight == 0.0 || !lists.has_fields();
        let fronts = if is_off { Called::default() } else { fronts_called(lists, &terms) };
        let is_short = terms.len() < 2 && fronts.fronts.is_empty();
        if is_off || is_short || is_formula {
            return Ok(None);
        }
        let longest = query.typed_words().iter().map(|word| word.times * word.terms.len() as u32).sum();
        // What was taken apart may be one word of a title.
        let are_single = query.typed_words().iter().all(|word| word.terms.len() == 1);
        let shortest = if are_single { terms.len() as u32 } else { 1 };
        let (words, wholes, documents) = (Vec::new(), wholes_of(lists, query)?, OnceCell::new());
        let lengths = shortest..=longest;
        let mut title = Self { lists, words, wholes, fronts, documents, lengths, bonus: Points::ZERO };
        for (term, _) in terms {
            let found = lists.found(term)?;
            let Some(main) = found.main() else { return Ok(None) };
            title.bonus += lists.weight(std::slice::from_ref(main), 1).share(weight).points(1.0);
            title.words.push(found);
        }
        title.words.sort_by_key(|found| found.main().map_or(0, TermEntry::document_frequency));
        Ok(Some(title))
    }

    /// The documents that have it, in order; perhaps not all if time is over.
    pub(crate) fn documents(&self) -> &[DocId] {
        self.documents.get_or_init(|| {
            let mut documents = if self.words.len() < 2 { Vec::new() } else { self.with_all_words() };
            let with_wholes = self.with_wholes(&documents);
            if !with_wholes.is_empty() {
                documents = with_wholes;
            }
            documents.extend(self.fronts_called_so());
            documents.sort_unstable();
            documents.dedup();
            documents
        })
    }

    /// Takes over which documents have it, unless they have been looked for.
    pub(crate) fn know(&self, documents: &[DocId]) {
        self.documents.get_or_init(|| documents.to_vec());
    }

    /// The front pages of sites that are called so, or are known to be by their titles.
    fn fronts_called_so(&self) -> Vec<DocId> {
        let mut fronts = self.fronts.fronts.clone();
        fronts.sort_unstable();
        if !self.fronts.is_whole {
            self.retain_with_all_words(&mut fronts);
        }
        fronts
    }

    fn with_all_words(&self) -> Vec<DocId> {
        let mut documents = Vec::new();
        for mut cursor in self.words.first().into_iter().flat_map(|rarest| self.cursors(rarest)) {
            let lengths = self.lengths.clone();
            cursor.documents_of_length(Field::Title, lengths, self.lists.all(), |doc| documents.push(doc));
        }
        // Each list gave its own in order, and two rows that are in order are merged.
        documents.sort();
        documents.dedup();
        self.retain_with_all_words(&mut documents);
        documents
    }

    /// Keeps those of some documents, in order, whose titles have all words.
    fn retain_with_all_words(&self, documents: &mut Vec<DocId>) {
        let mut words: Vec<Vec<PostingsCursor<'s>>> =
            self.words.iter().map(|found| self.cursors(found)).collect();
        documents.retain(|doc| {
            let has_word = |lists: &mut Vec<_>| lists.iter_mut().any(|list| is_in_title(list, *doc));
            !self.lists.stopper.must_stop() && words.iter_mut().all(has_word)
        });
    }

    /// Those of some documents that have all compounds as they were typed; none if none was.
    fn with_wholes(&self, documents: &[DocId]) -> Vec<DocId> {
        let mut lists: Vec<_> = self.wholes.iter().map(|entry| self.lists.cursor(entry)).collect();
        let mut has_all = |doc: &DocId| lists.iter_mut().all(|list| is_in_title(list, *doc));
        documents.iter().copied().filter(|doc| !self.wholes.is_empty() && has_all(doc)).collect()
    }

    /// Whether it is the title of a document.
    pub(crate) fn is_title_of(&self, doc: DocId) -> bool {
        self.documents().binary_search(&doc).is_ok()
    }

    /// The lists of a word.
    fn cursors(&self, found: &Found) -> Vec<PostingsCursor<'s>> {
        found.stem.iter().chain(&found.exact).map(|entry| self.lists.cursor(entry)).collect()
    }
}

/// The front pages of sites that are called by some words. The number of a version is no part of a name: `python3`.
fn fronts_called(lists: &Lists<'_>, terms: &[(&str, u32)]) -> Called {
    let words = terms.iter().map(|(term, _)| term.trim_end_matches(|c: char| c.is_ascii_digit()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    lists.searcher.names.called(&words)
}

/// Documents do not decrease from one question to the next.
fn is_in_title(list: &mut PostingsCursor<'_>, doc: DocId) -> bool {
    list.advance(doc) == doc && list.in_title()
}

/// The lists of the compounds that were typed, as a whole.
fn wholes_of(lists: &Lists<'_>, query: &Query) -> Result<Vec<TermEntry>, Error> {
    let mut wholes = Vec::new();
    for word in query.typed_words().iter().filter(|word| word.terms.len() > 1) {
        if let Some(whole) = lists.whole(&word.terms)? {
            wholes.extend(lists.found(&whole)?.exact);
        }
    }
    Ok(wholes)
}
