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
//! It applies to two words and more: one word alone is the name of too many things, and words of links know better which.
//!
//! Pruning stays exact, and as quick as without: documents that have such a title are few, and are looked for by themselves,
//! so that nobody who passes over documents has to think of them. Of the documents of the rarest word those are taken whose
//! titles are short enough, and of these the ones whose titles have all words.
//!
//! Cost: about a nanosecond for each document of the rarest word, one step of a list for each word where the length fits.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use index::{Field, PostingsCursor, TermEntry};
use page::DocId;

use crate::Error;
use crate::lists::{Found, Lists};
use crate::points::Points;
use crate::query::Query;
use crate::word::terms_of;

/// What a title has to be, and what that adds.
pub(crate) struct WholeTitle<'s> {
    lists: &'s Lists<'s>,
    /// The lists of each word, the rarest first: most titles do not have that one.
    words: Vec<Found>,
    /// These lists, once they were asked for, and the document that they were asked about last.
    open: RefCell<Option<(DocId, Vec<Vec<PostingsCursor<'s>>>)>>,
    /// So many words the title has.
    lengths: RangeInclusive<u32>,
    /// What is added.
    pub(crate) bonus: Points,
}

impl<'s> WholeTitle<'s> {
    /// That of a query; `None` where no title can be all of it.
    pub(crate) fn new(lists: &'s Lists<'s>, query: &Query) -> Result<Option<Self>, Error> {
        let weight = lists.searcher.scoring.weights.whole_title;
        let terms = terms_of(query.typed_words());
        let is_off = weight == 0.0 || !lists.has_fields();
        if is_off || terms.len() < 2 || query.must().is_some_and(|node| node.wants_words()) {
            return Ok(None);
        }
        let longest = query.typed_words().iter().map(|word| word.times * word.terms.len() as u32).sum();
        // What was taken apart may be one word of a title.
        let are_single = query.typed_words().iter().all(|word| word.terms.len() == 1);
        let shortest = if are_single { terms.len() as u32 } else { 1 };
        let (words, open, lengths) = (Vec::new(), RefCell::new(None), shortest..=longest);
        let mut title = Self { lists, words, open, lengths, bonus: Points::ZERO };
        for (term, _) in terms {
            let found = lists.found(term)?;
            let Some(main) = found.main() else { return Ok(None) };
            title.bonus += lists.weight(std::slice::from_ref(main), 1).share(weight).points(1.0);
            title.words.push(found);
        }
        title.words.sort_by_key(|found| found.main().map_or(0, TermEntry::document_frequency));
        Ok(Some(title))
    }

    /// Those of some documents that have it, in order; perhaps not all if time is over.
    pub(crate) fn documents(&self, among: &Range<DocId>) -> Vec<DocId> {
        let mut documents = Vec::new();
        for mut cursor in self.words.first().into_iter().flat_map(|rarest| self.cursors(rarest)) {
            let lengths = self.lengths.clone();
            cursor.documents_of_length(Field::Title, lengths, among.clone(), |doc| documents.push(doc));
        }
        documents.sort_unstable();
        documents.dedup();
        documents.retain(|doc| !self.lists.stopper.must_stop() && self.has_all_words(*doc));
        documents
    }

    /// Whether it is the title of a document. Going back takes longer.
    pub(crate) fn is_title_of(&self, doc: DocId) -> bool {
        let length = self.lists.searcher.index.field_length(doc, Field::Title);
        self.lengths.contains(&length) && self.has_all_words(doc)
    }

    /// Whether the title of a document has all words.
    fn has_all_words(&self, doc: DocId) -> bool {
        let mut open = self.open.borrow_mut();
        let all = || self.words.iter().map(|found| self.cursors(found)).collect();
        let (last, words) = open.get_or_insert_with(|| (doc, all()));
        if doc < std::mem::replace(last, doc) {
            words.iter_mut().flatten().for_each(PostingsCursor::rewind);
        }
        let has = |cursor: &mut PostingsCursor<'s>| cursor.advance(doc) == doc && cursor.in_title();
        words.iter_mut().all(|lists| lists.iter_mut().any(has))
    }

    /// The lists of a word.
    fn cursors(&self, found: &Found) -> Vec<PostingsCursor<'s>> {
        found.stem.iter().chain(&found.exact).map(|entry| self.lists.cursor(entry)).collect()
    }
}
