//! Titles that have words of the query, looked at once more.
//!
//! A page says what it is about in its title. In BM25F a word of the title counts as some words of the text, and a long page about
//! something else that has the words often enough has all that words can give. So the best by words are looked at once more,
//! and each gains by what of the query its title has, and by how much of the title that is:
//!
//! ```text
//! added = weight · (k1 + 1) · Σ idf of the words in the title · words of the query in the title / words of the title
//! ```
//!
//! A title that is the query, and no more, gains as much as a whole title does ([`super::whole_title`]), with the same weight.
//!
//! With it the right page came first for 34 of 55 questions about manuals, 29 without, and among the first three for 39 as
//! before. On judged collections nDCG@10 is 1.014 (Cranfield), 1.008 (CACM), 1.000 (ADI) and 0.995 (CISI) of what it is without;
//! a larger weight gains more on manuals and loses on two of these.
//!
//! Cost: a step of each list for each document that is looked at.

use index::{Field, PostingsCursor};
use page::DocId;

use crate::Error;
use crate::lists::Lists;
use crate::points::Points;
use crate::query::Query;
use crate::top::Scored;
use crate::word::terms_of;

/// So many of the best by words are looked at, where meanings do not want more.
pub(crate) const LOOKED_AT: usize = 50;

/// What titles add to the best by words.
pub(crate) struct TitleWords<'s> {
    lists: &'s Lists<'s>,
    words: Vec<TitleWord<'s>>,
    /// What was added to each document, in their order.
    added: Vec<(DocId, Points)>,
}

/// A word of the query.
struct TitleWord<'s> {
    /// The lists by which it is found.
    lists: Vec<PostingsCursor<'s>>,
    /// What it adds where it is all of the title.
    points: Points,
}

impl TitleWord<'_> {
    /// Whether it is in the title of a document. Documents do not decrease.
    fn is_in_title_of(&mut self, doc: DocId) -> bool {
        self.lists.iter_mut().any(|list| list.advance(doc) == doc && list.in_title())
    }
}

impl<'s> TitleWords<'s> {
    /// The words of a query; `None` where titles add nothing: nobody knows them, or one word is all that was typed.
    pub(crate) fn new(lists: &'s Lists<'s>, query: &Query) -> Result<Option<Self>, Error> {
        let (weight, terms) = (lists.searcher.scoring.weights.whole_title, terms_of(query.words()));
        if weight == 0.0 || !lists.has_fields() || terms.len() < 2 {
            return Ok(None);
        }
        let mut words = Vec::new();
        for (term, _) in terms {
            let found = lists.found(term)?;
            if let Some(main) = found.main() {
                let points = lists.weight(std::slice::from_ref(main), 1).share(weight).points(1.0);
                let of_word =
                    found.stem.iter().chain(&found.exact).map(|entry| lists.cursor(entry)).collect();
                words.push(TitleWord { lists: of_word, points });
            }
        }
        Ok(Some(Self { lists, words, added: Vec::new() }))
    }

    /// Adds what the titles of the first few of some documents say, best first, and puts these into their new order.
    pub(crate) fn reorder(&mut self, best: &mut [Scored], count: usize) {
        let count = count.min(best.len());
        let looked_at = &mut best[..count];
        looked_at.sort_unstable_by_key(|scored| scored.doc);
        for word in &mut self.words {
            word.lists.iter_mut().for_each(PostingsCursor::rewind);
        }
        for scored in looked_at.iter_mut() {
            let points = self.points(scored.doc);
            scored.points += points;
            self.added.push((scored.doc, points));
        }
        looked_at.sort_unstable_by(|one, other| other.cmp(one));
        self.added.sort_unstable_by_key(|(doc, _)| *doc);
    }

    /// What the title of a document that was looked at has added.
    pub(crate) fn added_to(&self, doc: DocId) -> Option<f64> {
        let place = self.added.binary_search_by_key(&doc, |(doc, _)| *doc).ok()?;
        Some(self.added[place].1).filter(|points| *points > Points::ZERO).map(Points::score)
    }

    fn points(&mut self, doc: DocId) -> Points {
        let (mut points, mut count) = (Points::ZERO, 0u32);
        for word in &mut self.words {
            if word.is_in_title_of(doc) {
                points += word.points;
                count += 1;
            }
        }
        // Lengths are known nearly.
        let length = self.lists.searcher.index.field_length(doc, Field::Title).max(count).max(1);
        Points((f64::from(points.0) * f64::from(count) / f64::from(length)) as u32)
    }
}
