//! Words that stand near each other in a query and in a document, too.
//!
//! Of the plain words of a query, those that are rare enough to say anything are taken two by two, each with the next. Wherever
//! the two stand near each other in a document, in either order, they are likely meant together:
//!
//! ```text
//! near      = Σ 1 / distance       over neighbouring occurrences of the two, at most 8 words apart, in one text; up to 12
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
//! Cost: two lists of positions for each pair and each document that may be among the best by what its pairs add at most,
//! which is known before positions are read.

use std::cell::{Cell, RefCell};
use std::fmt;

use index::{Field, TermEntry};
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

/// Words that stand so near, or so often near, to each other are as near as can be: a page with a list of a thousand names has
/// them side by side in each of its lines, and looking at all of these would change what is added by a fortieth.
const NEAR_MOST: f64 = 12.0;

/// The pairs of a query.
pub(crate) struct Pairs<'s> {
    words: RefCell<Vec<PairWord<'s>>>,
    /// The document that was looked at last.
    last: Cell<DocId>,
    weight: f64,
}

/// A word, on its way through the documents.
struct PairWord<'s> {
    word: String,
    /// The word in all its forms, with its own list, without which it makes no pairs.
    term: Term<'s>,
    /// What it adds to the present document, if that has it.
    points: Option<Points>,
    /// Where it is in the present document, once that was read.
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
        let open = |(_, word, times, _): (f64, &str, u32, TermEntry)| PairWord::open(lists, word, times);
        let words = words.into_iter().map(open).collect::<Result<Option<Vec<_>>, _>>()?.unwrap_or_default();
        Ok(Some(Self { words: RefCell::new(words), last: Cell::new(DocId::new(0)), weight }))
    }

    /// Whether a word is one of theirs.
    pub(crate) fn have(&self, word: &str) -> bool {
        self.words.borrow().iter().any(|of_pair| of_pair.word == word)
    }

    /// The most that pairs add, as a share of what words do.
    pub(crate) fn share(&self) -> f64 {
        self.weight
    }

    /// What the pairs add to a document. Where that cannot be as much as is needed, it may be less than they add: positions
    /// are not read then.
    pub(crate) fn points(&self, doc: DocId, needed: Points) -> Result<Points, Error> {
        let mut words = self.words.borrow_mut();
        self.seek(doc, &mut words);
        let mut most: Points = neighbours(&words).map(|pair| self.most_of(&words, pair)).sum();
        for place in 1..words.len() {
            if most < needed || most == Points::ZERO {
                return Ok(Points::ZERO);
            }
            let pair = [place - 1, place];
            if stand_both(&words, pair) {
                let (at_most, (_, added)) = (self.most_of(&words, pair), self.of_pair(&mut words, pair)?);
                most = Points(most.0 - at_most.0) + added;
            }
        }
        Ok(most)
    }

    pub(crate) fn explain(&self, doc: DocId) -> Result<Vec<PairExplanation>, Error> {
        let (mut words, mut rows) = (self.words.borrow_mut(), Vec::new());
        self.seek(doc, &mut words);
        for pair in neighbours(&words).collect::<Vec<_>>() {
            let (closeness, added) = self.of_pair(&mut words, pair)?;
            if closeness > 0.0 {
                let words = pair.map(|place| words[place].word.clone());
                rows.push(PairExplanation {
                    words,
                    closeness,
                    weight: self.weight,
                    contribution: added.score(),
                });
            }
        }
        Ok(rows)
    }

    /// Looks which words a document has. Going back takes longer.
    fn seek(&self, doc: DocId, words: &mut [PairWord<'s>]) {
        let goes_back = doc < self.last.replace(doc);
        for word in words {
            if goes_back {
                word.term.rewind();
            }
            word.seek(doc);
        }
    }

    /// The most that two words of the present document add, however they stand.
    fn most_of(&self, words: &[PairWord<'s>], [one, other]: [usize; 2]) -> Points {
        Points((self.weight * weaker(&words[one], &words[other])) as u32)
    }

    /// How near two words of the present document are to each other, and what that adds.
    fn of_pair(&self, words: &mut [PairWord<'s>], [one, other]: [usize; 2]) -> Result<(f64, Points), Error> {
        words[one].read_positions()?;
        words[other].read_positions()?;
        let (one, other) = (&words[one], &words[other]);
        let closeness = closeness(&one.positions, &other.positions);
        Ok((closeness, Points((self.weight * closeness * weaker(one, other)) as u32)))
    }
}

/// Words that stand next to each other in the query and are both in the present document.
fn neighbours<'w>(words: &'w [PairWord<'_>]) -> impl Iterator<Item = [usize; 2]> + 'w {
    (1..words.len()).map(|place| [place - 1, place]).filter(|pair| stand_both(words, *pair))
}

fn stand_both(words: &[PairWord<'_>], pair: [usize; 2]) -> bool {
    pair.iter().all(|place| words[*place].points.is_some())
}

/// What the weaker of two words adds to the present document.
fn weaker(one: &PairWord<'_>, other: &PairWord<'_>) -> f64 {
    f64::from(one.points.min(other.points).unwrap_or_default().0)
}

impl<'s> PairWord<'s> {
    fn open(lists: &Lists<'s>, word: &str, times: u32) -> Result<Option<Self>, Error> {
        let term = lists.term(word, times)?;
        Ok(term.map(|term| Self { word: word.to_owned(), term, points: None, positions: Vec::new() }))
    }

    /// Looks whether a document has the word itself, and what it adds then, in whatever form.
    fn seek(&mut self, doc: DocId) {
        self.positions.clear();
        self.term.advance(doc);
        self.points = (self.term.itself().doc() == doc).then(|| self.term.points());
    }

    /// Reads where the word stands in the present document, unless that was done.
    fn read_positions(&mut self) -> Result<(), Error> {
        if self.positions.is_empty() {
            self.term.itself().positions(&mut self.positions)?;
        }
        Ok(())
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
        if near >= NEAR_MOST {
            return NEAR_MOST / (HALF_NEAR + NEAR_MOST);
        }
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
        let [ones, others] = [0, 1].map(|first| (0..40).map(|place| 2 * place + first).collect::<Vec<u32>>());
        assert_eq!(closeness(&ones, &others), NEAR_MOST / (HALF_NEAR + NEAR_MOST));
        for (one, other, near) in rows {
            let expected = near / (HALF_NEAR + near);
            assert!((closeness(one, other) - expected).abs() < 1e-12, "{one:?} {other:?}");
        }
    }
}
