//! Words that stand near each other in a query and in a document, too.
//!
//! Of the plain words of a query, those that are rare enough to say anything are taken two by two, each with the next. Wherever
//! the two stand near each other in a document, in either order, they are likely meant together:
//!
//! ```text
//! near      = Σ 1 / distance       over neighbouring occurrences of the two, at most 8 words apart, in one text
//! closeness = near / (0.3 + near)  from 0 to 1
//! added     = weight · closeness · the less of what the two words add
//! ```
//!
//! So a pair adds less than `weight` times the mean of what its words do. A word is in two pairs at most, hence all pairs add
//! less than `weight` times what all words do, and that is the bound ([`Pairs::share`]). Lists of stems have no positions:
//! the very words are looked for.
//!
//! After Büttcher, Clarke, Lushman, "Term proximity scoring for ad-hoc retrieval on very large text collections" (2006), and
//! Metzler, Croft, "A Markov random field model for term dependencies" (2005). We differ in that a pair is bounded by its words.
//!
//! Cost: two lists of positions for each pair and each document that may be among the best.

use std::cell::{Cell, RefCell};
use std::fmt;

use index::{Field, PostingsCursor, TermEntry};
use page::DocId;
use serde::Serialize;

use crate::Error;
use crate::lists::Lists;
use crate::operators::{DocIterator as _, Term};
use crate::points::Points;
use crate::query::Query;
use crate::word::terms_of;

/// Words further apart are not near.
const DISTANCE_MAX: u32 = 8;

/// A word that says less than this share of what the rarest says is passed over: "of" stands near everything.
const TELLING_SHARE: f64 = 0.3;

/// A word of more documents than these is passed over if it is in more than one of eight, too: it stands near everything
/// just as well, and its positions take the longest to read.
const FREQUENT_DOCUMENTS: u32 = 1024;

/// Words are near to each other by half where this is what their distances add up to.
const HALF_NEAR: f64 = 0.3;

/// The pairs of a query.
pub(crate) struct Pairs<'s> {
    lists: &'s Lists<'s>,
    words: RefCell<Vec<PairWord<'s>>>,
    /// The document that was looked at last.
    last: Cell<DocId>,
    weight: f64,
}

/// A word, on its way through the documents.
struct PairWord<'s> {
    word: String,
    /// How often it was typed.
    times: u32,
    /// Its own list, without its forms.
    entry: TermEntry,
    cursor: PostingsCursor<'s>,
    /// The word in all its forms.
    term: Term<'s>,
    /// Where it is in the present document.
    positions: Vec<u32>,
}

/// What two words add by standing near each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairExplanation {
    /// The two words.
    pub words: [String; 2],
    /// How near they are to each other, from 0 to 1.
    pub closeness: f64,
    /// The most that they could add, as a share of what the weaker word adds.
    pub weight: f64,
    /// What they add to the score.
    pub contribution: f64,
}

impl fmt::Display for PairExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words: [one, other], closeness, weight, contribution } = self;
        write!(f, "{contribution:.4}  {one} near {other}: closeness {closeness:.3}, weight {weight}")
    }
}

impl<'s> Pairs<'s> {
    /// Those of the plain words of a query; `None` if there are none, they count
    /// nothing, or nobody knows where they stand.
    pub(crate) fn new(lists: &'s Lists<'s>, query: &Query) -> Result<Option<Self>, Error> {
        let weight = lists.searcher.scoring.weights.proximity;
        if weight == 0.0 || query.words().len() < 2 || !lists.has_positions() {
            return Ok(None);
        }
        let (mut words, mut most) = (Vec::new(), 0.0f64);
        for (word, times) in terms_of(query.words()) {
            if let Some(entry) = lists.found(word)?.exact {
                let idf = lists.idf(std::slice::from_ref(&entry));
                most = most.max(idf);
                words.push((idf, word, times, entry));
            }
        }
        let frequent = FREQUENT_DOCUMENTS.max(lists.searcher.index.documents() / 8);
        let is_frequent = |entry: &TermEntry| entry.document_frequency() > frequent;
        words.retain(|(idf, .., entry)| *idf >= TELLING_SHARE * most && !is_frequent(entry));
        if words.len() < 2 {
            return Ok(None);
        }
        let open = |(_, word, times, entry): (f64, &str, u32, TermEntry)| {
            PairWord::open(lists, word.to_owned(), times, entry)
        };
        let words = words.into_iter().map(open).collect::<Result<Option<Vec<_>>, _>>()?.unwrap_or_default();
        Ok(Some(Self { lists, words: RefCell::new(words), last: Cell::new(DocId::new(0)), weight }))
    }

    /// The most that pairs add, as a share of what words do.
    pub(crate) fn share(&self) -> f64 {
        self.weight
    }

    /// Gives each pair that is near in a document, how near it is, and what that adds. Going back takes longer.
    pub(crate) fn for_each(
        &self,
        doc: DocId,
        mut each: impl FnMut([&str; 2], f64, Points),
    ) -> Result<(), Error> {
        let mut words = self.words.borrow_mut();
        let goes_back = doc < self.last.replace(doc);
        let mut before: Option<(usize, Points)> = None;
        for place in 0..words.len() {
            if goes_back {
                words[place].begin(self.lists)?;
            }
            let here = words[place].look_at(doc)?;
            if let (Some((other, points)), Some(here)) = (before, here) {
                let closeness = closeness(&words[other].positions, &words[place].positions);
                if closeness > 0.0 {
                    let weaker = f64::from(here.0.min(points.0));
                    let added = Points((self.weight * closeness * weaker) as u32);
                    each([&words[other].word, &words[place].word], closeness, added);
                }
            }
            before = here.map(|here| (place, here));
        }
        Ok(())
    }

    pub(crate) fn explain(&self, doc: DocId) -> Result<Vec<PairExplanation>, Error> {
        let mut rows = Vec::new();
        self.for_each(doc, |words, closeness, points| {
            let (words, weight, contribution) = (words.map(str::to_owned), self.weight, points.score());
            rows.push(PairExplanation { words, closeness, weight, contribution });
        })?;
        Ok(rows)
    }
}

impl<'s> PairWord<'s> {
    fn open(lists: &Lists<'s>, word: String, times: u32, entry: TermEntry) -> Result<Option<Self>, Error> {
        let (cursor, positions) = (lists.cursor(&entry), Vec::new());
        let term = lists.term(&word, times)?;
        Ok(term.map(|term| Self { word, times, entry, cursor, term, positions }))
    }

    /// Goes back to the first document.
    fn begin(&mut self, lists: &Lists<'s>) -> Result<(), Error> {
        self.cursor = lists.cursor(&self.entry);
        self.term = lists.term(&self.word, self.times)?.expect("it was there before");
        Ok(())
    }

    /// What the word adds to a document that has it, in whatever form; reads where it stands.
    fn look_at(&mut self, doc: DocId) -> Result<Option<Points>, Error> {
        if self.cursor.advance(doc) != doc {
            return Ok(None);
        }
        self.cursor.positions(&mut self.positions)?;
        self.term.advance(doc);
        Ok(Some(self.term.points()))
    }
}

/// How near two words are to each other, from 0 to 1, where they have these positions, which increase.
fn closeness(one: &[u32], other: &[u32]) -> f64 {
    let (mut near, mut last): (f64, Option<(bool, u32)>) = (0.0, None);
    let (mut ones, mut others) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let (is_one, position) = match (ones.peek(), others.peek()) {
            (Some(one), Some(other)) if one <= other => (true, **one),
            (Some(one), None) => (true, **one),
            (_, Some(other)) => (false, **other),
            (None, None) => return near / (HALF_NEAR + near),
        };
        if is_one {
            ones.next()
        } else {
            others.next()
        };
        if let Some((was_one, before)) = last
            && was_one != is_one
            && position - before <= DISTANCE_MAX
            && Field::with_own_positions(position) == Field::with_own_positions(before)
        {
            near += 1.0 / f64::from((position - before).max(1));
        }
        last = Some((is_one, position));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_near_where_they_are_neighbours_within_a_few_words() {
        type Positions = &'static [u32];
        let rows: [(Positions, Positions, f64); 7] = [
            (&[], &[3], 0.0),
            (&[3], &[4], 1.0),
            (&[4], &[3], 1.0),
            (&[3], &[5], 0.5),
            (&[3], &[12], 0.0),
            (&[3, 100], &[4, 102], 1.5),
            (&[1, 2, 3], &[4], 1.0),
        ];
        for (one, other, near) in rows {
            let expected = near / (HALF_NEAR + near);
            assert!((closeness(one, other) - expected).abs() < 1e-12, "{one:?} {other:?}");
        }
    }
}
