//! The documents of one word.
//!
//! A word that has a stem has two lists: that of the stem, in which all its forms are, and its own. A document of either is
//! found. Where it is in both, each list has its share of the score; where it is in the word's own alone, as pages in
//! other languages are, that one counts as much as both.

use index::{Marks, PostingsCursor};
use page::DocId;

use super::{Bound, DocIterator};
use crate::points::Points;
use crate::scoring::{Scoring, Weight};

/// A word of the query.
pub(crate) struct Term<'i> {
    list: List<'i>,
    /// In a box, as most words have one list.
    exact: Option<Box<Exact<'i>>>,
    doc: DocId,
    scoring: &'i Scoring,
    /// Whether it adds more where it stands near other words of the query.
    pub(crate) makes_pairs: bool,
}

/// A list of documents, and what it adds to their scores.
struct List<'i> {
    cursor: PostingsCursor<'i>,
    weight: Weight,
}

/// The list of the very word beside that of its stem.
struct Exact<'i> {
    beside: List<'i>,
    /// What it adds to documents that the stem's list does not have.
    alone: Weight,
    /// What was read of it last.
    read: Vec<(DocId, f32)>,
}

impl List<'_> {
    #[inline]
    fn points(&mut self, scoring: &Scoring) -> Points {
        self.weight.points(self.cursor.impact(&scoring.table))
    }
}

impl<'i> Term<'i> {
    pub(crate) fn new((cursor, weight): (PostingsCursor<'i>, Weight), scoring: &'i Scoring) -> Self {
        let doc = cursor.doc();
        Self { list: List { cursor, weight }, exact: None, doc, scoring, makes_pairs: false }
    }

    /// The documents of another list too, whose weight there is `alone` if they are in that one only.
    pub(crate) fn with_exact(self, (cursor, weight): (PostingsCursor<'i>, Weight), alone: Weight) -> Self {
        let doc = self.doc.min(cursor.doc());
        let exact = Some(Box::new(Exact { beside: List { cursor, weight }, alone, read: Vec::new() }));
        Self { exact, doc, ..self }
    }

    /// The list of the very word, if it has one; otherwise that of its stem.
    pub(crate) fn itself(&mut self) -> &mut PostingsCursor<'i> {
        match &mut self.exact {
            Some(exact) => &mut exact.beside.cursor,
            None => &mut self.list.cursor,
        }
    }

    /// What it adds to the score of the present document.
    #[inline]
    pub(crate) fn points(&mut self) -> Points {
        let Some(exact) = &mut self.exact else {
            return self.list.points(self.scoring);
        };
        let is_in_exact = exact.beside.cursor.doc() == self.doc;
        if self.list.cursor.doc() != self.doc {
            return exact.alone.points(exact.beside.cursor.impact(&self.scoring.table));
        }
        let points = self.list.points(self.scoring);
        match is_in_exact {
            true => points + exact.beside.points(self.scoring),
            false => points,
        }
    }

    /// What it adds to no document from `from` to `to`, or as far as that is known.
    #[inline]
    pub(crate) fn bound_between(&mut self, from: DocId, to: DocId) -> Bound {
        self.bound(|cursor| cursor.bound_between(from, to))
    }

    /// Whether its lists have peaks.
    pub(crate) fn has_peaks(&self) -> bool {
        self.list.cursor.has_peaks()
            && self.exact.as_ref().is_none_or(|exact| exact.beside.cursor.has_peaks())
    }

    #[inline]
    fn bound(&mut self, mut of: impl FnMut(&mut PostingsCursor<'i>) -> index::Bound) -> Bound {
        let bound = of(&mut self.list.cursor);
        let bound = Bound { points: self.list.weight.points(self.scoring.bound(&bound)), last: bound.last };
        match &mut self.exact {
            Some(exact) => {
                let more = of(&mut exact.beside.cursor);
                let impact = self.scoring.bound(&more);
                // In both, or in one alone, whichever is more.
                let points = bound.points + exact.beside.weight.points(impact);
                Bound { points: points.max(exact.alone.points(impact)), last: bound.last.min(more.last) }
            }
            None => bound,
        }
    }

    /// Gives each document from the present one to `last` with what it adds to it, and stands behind. Blocks in which it
    /// adds less than `least` to any are passed over.
    #[inline]
    pub(crate) fn points_to(&mut self, last: DocId, least: Points, mut each: impl FnMut(DocId, Points)) {
        if self.exact.is_some() {
            return self.points_of_both_to(last, least, each);
        }
        let weight = self.list.weight;
        let least = if self.scoring.knows_bounds() { weight.impact_for(least) } else { 0.0 };
        self.list.cursor.impacts_to(last, least, &self.scoring.table, |doc, impact| {
            each(doc, weight.points(impact));
        });
        self.doc = self.list.cursor.doc();
    }

    /// Where it adds most: so many stretches of documents; none if it is in few.
    pub(crate) fn strongest_blocks(&self, count: usize) -> Vec<(DocId, DocId)> {
        self.list.cursor.strongest_blocks(count)
    }

    /// Raises what windows of documents are worth to what it adds at most there.
    pub(crate) fn raise_windows(&self, shift: u32, windows: &mut [u32]) {
        let raise = |list: &List<'_>, weight: &Weight, windows: &mut [u32]| {
            self.scoring.raise_windows(&list.cursor, weight, shift, windows);
        };
        raise(&self.list, &self.list.weight, windows);
        if let Some(exact) = &self.exact {
            let (mut beside, mut alone) = (vec![0; windows.len()], vec![0; windows.len()]);
            raise(&exact.beside, &exact.beside.weight, &mut beside);
            raise(&exact.beside, &exact.alone, &mut alone);
            // In both, or in one alone, whichever is more.
            for (window, (beside, alone)) in windows.iter_mut().zip(beside.iter().zip(&alone)) {
                *window = (*window + beside).max(*alone);
            }
        }
    }

    /// Goes back to the first document.
    pub(crate) fn rewind(&mut self) {
        self.list.cursor.rewind();
        if let Some(exact) = &mut self.exact {
            exact.beside.cursor.rewind();
        }
        self.settle();
    }

    /// Sets a bit for each document from the present one to `last`, the first of which is that of `first`, and stands behind.
    /// Gives how many postings there are.
    pub(crate) fn mark_to(&mut self, first: DocId, last: DocId, marks: &mut (impl Marks + ?Sized)) -> u64 {
        let mut marked = self.list.cursor.mark_to(first, last, marks);
        if let Some(exact) = &mut self.exact {
            marked += exact.beside.cursor.mark_to(first, last, marks);
        }
        self.settle();
        marked
    }

    /// Both lists are read as one is, and then laid together: nearly all documents of the word's own are in the stem's.
    fn points_of_both_to(&mut self, last: DocId, least: Points, mut each: impl FnMut(DocId, Points)) {
        let Some(exact) = self.exact.as_deref_mut() else { return };
        let (stem_weight, table) = (self.list.weight, &self.scoring.table);
        exact.read.clear();
        exact.beside.cursor.impacts_to(last, 0.0, table, |doc, impact| exact.read.push((doc, impact)));
        let (beside, alone) = (exact.beside.weight, exact.alone);
        let mut of_exact = exact.read.iter().copied().peekable();
        let mut give = |doc: DocId, points: Points| {
            if points >= least {
                each(doc, points);
            }
        };
        self.list.cursor.impacts_to(last, 0.0, table, |doc, impact| {
            while let Some((before, impact)) = of_exact.next_if(|(before, _)| *before < doc) {
                give(before, alone.points(impact));
            }
            let points = stem_weight.points(impact);
            match of_exact.next_if(|(same, _)| *same == doc) {
                Some((_, impact)) => give(doc, points + beside.points(impact)),
                None => give(doc, points),
            }
        });
        of_exact.for_each(|(doc, impact)| give(doc, alone.points(impact)));
        self.settle();
    }

    /// Notes the first document of both lists.
    #[inline]
    fn settle(&mut self) -> DocId {
        self.doc = match &self.exact {
            Some(exact) => self.list.cursor.doc().min(exact.beside.cursor.doc()),
            None => self.list.cursor.doc(),
        };
        self.doc
    }
}

impl DocIterator for Term<'_> {
    #[inline]
    fn doc(&self) -> DocId {
        self.doc
    }

    #[inline]
    fn next(&mut self) -> DocId {
        match &mut self.exact {
            Some(exact) => {
                for cursor in [&mut self.list.cursor, &mut exact.beside.cursor] {
                    if cursor.doc() == self.doc {
                        cursor.next();
                    }
                }
            }
            None => {
                self.list.cursor.next();
            }
        }
        self.settle()
    }

    #[inline]
    fn advance(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        self.list.cursor.advance(target);
        if let Some(exact) = &mut self.exact {
            exact.beside.cursor.advance(target);
        }
        self.settle()
    }

    fn matches(&mut self) -> Result<bool, index::Error> {
        Ok(true)
    }

    fn score(&mut self) -> Result<Points, index::Error> {
        Ok(self.points())
    }

    fn ceiling(&mut self) -> Points {
        self.points()
    }

    fn bound_at(&mut self, target: DocId) -> Bound {
        self.bound(|cursor| cursor.bound_at(target))
    }

    fn cost(&self) -> u64 {
        self.list.cursor.document_frequency().into()
    }
}
