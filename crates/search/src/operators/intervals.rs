//! Where in a document a part of a query holds, one place after the other.
//!
//! A place is an interval of positions. Of all intervals in which something holds only the minimal ones are given, those that
//! contain no smaller one: so both their beginnings and their ends increase, and a walk along two lists of them never turns
//! back. Nothing is read before the first is asked for, and no more positions than those of the lists that are asked.
//!
//! After Boldi, Vigna, "Efficient optimally lazy algorithms for minimal-interval semantics" (2006). We differ in that the
//! positions of a word in a document are read at once, since they are written in one piece, and in that operators join two
//! lists at a time: those of three words are those of two and a third.

use index::{Field, PostingsCursor};
use page::DocId;

use super::phrase::retain_common;

/// Positions from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Interval {
    /// The smallest one that has both. `None` if they are not in one text.
    pub(crate) fn hull(self, other: Self) -> Option<Self> {
        let hull = Self { first: self.first.min(other.first), last: self.last.max(other.last) };
        let text = Field::with_own_positions;
        (text(hull.first) == text(hull.last)).then_some(hull)
    }
}

/// Gives the minimal intervals of one document after the other, in their order.
pub(crate) trait Intervals {
    /// Goes to a document, never backwards.
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error>;

    /// The next interval of the document; `None` after the last.
    fn next(&mut self) -> Result<Option<Interval>, index::Error>;
}

/// Intervals of which the next can be looked at before it is taken.
pub(crate) struct Ahead<'i> {
    intervals: Box<dyn Intervals + 'i>,
    /// What was looked at.
    next: Option<Option<Interval>>,
}

impl<'i> Ahead<'i> {
    pub(crate) fn new(intervals: Box<dyn Intervals + 'i>) -> Self {
        Self { intervals, next: None }
    }

    pub(crate) fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        self.next = None;
        self.intervals.seek(doc)
    }

    pub(crate) fn peek(&mut self) -> Result<Option<Interval>, index::Error> {
        match self.next {
            Some(next) => Ok(next),
            None => Ok(*self.next.insert(self.intervals.next()?)),
        }
    }

    /// Takes the next; after the last there is none, however often it is asked for.
    pub(crate) fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        let next = self.peek()?;
        if next.is_some() {
            self.next = None;
        }
        Ok(next)
    }

    /// Takes those of which `passes` holds, and shows the first of which it does not.
    pub(crate) fn pass_while(
        &mut self,
        passes: impl Fn(&Interval) -> bool,
    ) -> Result<Option<Interval>, index::Error> {
        while self.peek()?.as_ref().is_some_and(&passes) {
            self.next()?;
        }
        self.peek()
    }
}

/// The places of what occurs nowhere.
pub(crate) struct Nowhere;

impl Intervals for Nowhere {
    fn seek(&mut self, _doc: DocId) -> Result<(), index::Error> {
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        Ok(None)
    }
}

/// The places of words, in one field or in any.
pub(crate) struct Positions<'i> {
    words: Vec<(PostingsCursor<'i>, u32)>,
    is_phrase: bool,
    field: Option<Field>,
    /// How many positions a place has.
    width: u32,
    doc: DocId,
    /// Where the places of the document begin, as far as they have been read.
    starts: Option<Vec<u32>>,
    /// How many of them have been given.
    given: usize,
    positions: Vec<u32>,
}

impl<'i> Positions<'i> {
    /// Of any of some words.
    pub(crate) fn any_of(words: Vec<PostingsCursor<'i>>, field: Option<Field>) -> Self {
        Self::new(words.into_iter().map(|cursor| (cursor, 0)).collect(), false, field)
    }

    /// Of words of which so many come before each; the rarest are read first.
    pub(crate) fn phrase(mut words: Vec<(PostingsCursor<'i>, u32)>, field: Option<Field>) -> Self {
        words.sort_by_key(|(cursor, _)| cursor.document_frequency());
        Self::new(words, true, field)
    }

    fn new(words: Vec<(PostingsCursor<'i>, u32)>, is_phrase: bool, field: Option<Field>) -> Self {
        let width = words.iter().map(|(_, offset)| offset + 1).max().unwrap_or(1);
        let (doc, positions) = (DocId::new(0), Vec::new());
        Self { words, is_phrase, field, width, doc, starts: None, given: 0, positions }
    }

    fn read(&mut self) -> Result<Vec<u32>, index::Error> {
        let mut starts = Vec::new();
        for (place, (cursor, offset)) in self.words.iter_mut().enumerate() {
            if cursor.advance(self.doc) != self.doc {
                if self.is_phrase {
                    return Ok(Vec::new());
                }
                continue;
            }
            match self.field {
                Some(field) => cursor.positions_in(field, &mut self.positions)?,
                None => cursor.positions(&mut self.positions)?,
            }
            let shifted = self.positions.iter().filter_map(|position| position.checked_sub(*offset));
            match self.is_phrase && place > 0 {
                true => retain_common(&mut starts, shifted),
                false => starts.extend(shifted),
            }
            if self.is_phrase && starts.is_empty() {
                return Ok(starts);
            }
        }
        if !self.is_phrase && self.words.len() > 1 {
            starts.sort_unstable();
            starts.dedup();
        }
        Ok(starts)
    }
}

impl Intervals for Positions<'_> {
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        (self.doc, self.starts, self.given) = (doc, None, 0);
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        if self.starts.is_none() {
            self.starts = Some(self.read()?);
        }
        let next = self.starts.as_ref().and_then(|starts| starts.get(self.given)).copied();
        self.given += 1;
        Ok(next.map(|first| Interval { first, last: first + (self.width - 1) }))
    }
}

/// The places of any of some parts.
pub(crate) struct Union<'i> {
    parts: Vec<Ahead<'i>>,
    /// The place that was given last.
    given: Option<Interval>,
}

impl<'i> Union<'i> {
    pub(crate) fn new(parts: Vec<Box<dyn Intervals + 'i>>) -> Self {
        Self { parts: parts.into_iter().map(Ahead::new).collect(), given: None }
    }
}

impl Intervals for Union<'_> {
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        self.given = None;
        self.parts.iter_mut().try_for_each(|part| part.seek(doc))
    }

    /// The first to end, of several that end there the shortest: it contains none of those that come later, and contains
    /// the one before if it does not begin behind it.
    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        let mut least: Option<Interval> = None;
        for part in &mut self.parts {
            let contains_given =
                |interval: &Interval| self.given.is_some_and(|given| interval.first <= given.first);
            if let Some(interval) = part.pass_while(contains_given)?
                && least.is_none_or(|least| (interval.last, least.first) < (least.last, interval.first))
            {
                least = Some(interval);
            }
        }
        self.given = least.or(self.given);
        Ok(least)
    }
}
