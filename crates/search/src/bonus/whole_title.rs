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
//! Pruning stays exact, and nearly as quick as without: a document that has such a title has every word in it, and it is
//! short, so that its words alone are worth a known number of points, [`WholeTitle::least`]. One that is worth less has no such
//! title.
//!
//! Cost: nothing for documents that are worth less; one length for the others; one step of a list for each word where it fits.

use std::cell::RefCell;

use index::{Field, PostingsCursor, TermEntry, decode_length};
use page::DocId;

use crate::Error;
use crate::lists::{Found, Lists};
use crate::points::Points;
use crate::query::Query;
use crate::word::terms_of;

/// What a title has to be, and what that adds.
pub(crate) struct WholeTitle<'s> {
    /// The lists of each word, the rarest first: most titles do not have that one.
    words: Vec<Found>,
    /// These lists, once they were asked for, and the document that they were asked about last.
    open: RefCell<Option<(DocId, Vec<Vec<PostingsCursor<'s>>>)>>,
    /// The title has no more words.
    length: u32,
    /// What is added.
    pub(crate) bonus: Points,
    /// No document that has it is worth less without.
    pub(crate) least: Points,
}

impl<'s> WholeTitle<'s> {
    /// That of a query; `None` where no title can be all of it.
    pub(crate) fn new(lists: &Lists<'s>, query: &Query) -> Result<Option<Self>, Error> {
        let weight = lists.searcher.scoring.weights.whole_title;
        let terms = terms_of(query.words());
        let is_off = weight == 0.0 || !lists.has_fields();
        if is_off || terms.len() < 2 || query.must().is_some_and(|node| node.wants_words()) {
            return Ok(None);
        }
        let length = query.words().iter().map(|word| word.times * word.terms.len() as u32).sum();
        let (words, open) = (Vec::new(), RefCell::new(None));
        let mut title = Self { words, open, length, bonus: Points::ZERO, least: Points::ZERO };
        for (term, _) in terms {
            if !title.add(lists, lists.found(term)?, weight) {
                return Ok(None);
            }
        }
        title.words.sort_by_key(|found| found.main().map_or(0, TermEntry::document_frequency));
        Ok(Some(title))
    }

    /// Adds a word; false if it occurs nowhere.
    fn add(&mut self, lists: &Lists<'_>, found: Found, weight: f64) -> bool {
        let Some(main) = found.main() else { return false };
        self.bonus += lists.weight(std::slice::from_ref(main), 1).share(weight).points(1.0);
        // Once in a title of that length, found by one of its lists alone. A little less, as codes of lengths round.
        let impact = lists.searcher.scoring.least_in_title(self.length) * 0.999;
        let points = |entry: &TermEntry, share: f64| {
            lists.weight(std::slice::from_ref(entry), 1).share(share).points(impact)
        };
        let of_stem = found.stem.as_ref().map(|stem| points(stem, lists.stem_share()));
        // The stem may be there by another word, where the language of the page makes something else of this one.
        let share = if of_stem.is_some() { 1.0 - lists.stem_share() } else { 1.0 };
        let of_word = found.exact.as_ref().map(|exact| points(exact, share));
        self.least += of_stem.into_iter().chain(of_word).min().unwrap_or_default();
        self.words.push(found);
        true
    }

    /// Whether a document that is worth so many points may have such a title, by its length.
    pub(crate) fn may_be_title_of(&self, lists: &Lists<'s>, doc: DocId, points: Points) -> bool {
        let length = || decode_length(lists.searcher.index.length_codes(doc)[Field::Title.index()]);
        points >= self.least && (1..=self.length).contains(&length())
    }

    /// Whether the title of a document that may have it has all words. Going back takes longer.
    pub(crate) fn is_title_of(&self, lists: &Lists<'s>, doc: DocId) -> bool {
        let mut open = self.open.borrow_mut();
        let cursors =
            |found: &Found| found.stem.iter().chain(&found.exact).map(|entry| lists.cursor(entry)).collect();
        let (last, words) = open.get_or_insert_with(|| (doc, self.words.iter().map(cursors).collect()));
        if doc < std::mem::replace(last, doc) {
            words.iter_mut().flatten().for_each(PostingsCursor::rewind);
        }
        let has = |cursor: &mut PostingsCursor<'s>| {
            cursor.advance(doc) == doc && cursor.counts().of(Field::Title) > 0
        };
        words.iter_mut().all(|lists| lists.iter_mut().any(has))
    }
}
