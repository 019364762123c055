//! Proximity: `bridge NEAR/3 stone` holds where one stands at most three words from the other, whichever comes first.
//! Neighbours are one word apart. A part may be anything that has places: then it is the end of one and the beginning of the
//! other that are near each other, and of `a NEAR/3 b NEAR/5 c` the stretch from a to b is near c.
//!
//! Its places are the smallest stretches that have both parts. Both lists of intervals are walked as one, by their ends: the
//! hull of an interval and of the latest one of the other part is a candidate, and no other is needed, as all that end before
//! that one begin before it too, and make a larger stretch and a larger distance. Cost: each interval is looked at once.
//!
//! It adds to the score what its parts add.

use std::fmt;

use page::DocId;

use super::{
    Documents, Joint, Node, Operator, Places, Syntax, located, note_on_places, two_of, write_joined,
};
use crate::lists::Lists;
use crate::operators::{Ahead, Interval, Intervals};
use crate::{Error, Note};

/// Two parts that stand near each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Near {
    parts: Box<[Node; 2]>,
    /// So many words apart at most.
    distance: u32,
}

pub(super) const SYNTAX: Syntax = Syntax::Between { read };

/// `NEAR/3`, and what other engines call it; `NEAR` alone means ten words.
fn read(typed: &str) -> Option<Joint> {
    let distance = match typed {
        "NEAR" => DISTANCE,
        _ => {
            let number = ["NEAR/", "AROUND/", "NEAR:"].iter().find_map(|name| typed.strip_prefix(name))?;
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| number.parse().unwrap_or(DISTANCE_MAX).min(DISTANCE_MAX))?
        }
    };
    let join: fn([Node; 2], u32) -> Node = |parts, distance| Near { parts: Box::new(parts), distance }.into();
    Some(Joint { typed: typed.to_owned(), number: distance, join })
}

const DISTANCE: u32 = 10;

/// Titles, texts, addresses and links are further than this from each other.
const DISTANCE_MAX: u32 = 1 << 20;

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, self.parts(), &format!("NEAR/{}", self.distance))
    }
}

impl Operator for Near {
    fn parts(&self) -> &[Node] {
        self.parts.as_slice()
    }

    fn with_parts(&self, parts: Vec<Node>) -> Option<Node> {
        two_of(parts, |parts| Self { parts, ..*self }.into())
    }

    fn compares_positions(&self) -> bool {
        true
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        located(self, lists)
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        hulls(self.parts(), self.distance, lists)
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        Ok(note_on_places(self, lists))
    }
}

/// The smallest stretches that have all parts, each not further than `distance` from those before it.
pub(super) fn hulls<'s>(parts: &[Node], distance: u32, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
    let mut all: Option<Places<'s>> = None;
    for part in parts {
        let places = part.operator().places(lists)?;
        all = Some(match all {
            Some(before) => Box::new(Hulls::new([before, places], distance)),
            None => places,
        });
    }
    Ok(all.expect("an intersection has parts"))
}

struct Hulls<'s> {
    parts: [Ahead<'s>; 2],
    distance: u32,
    /// The interval of each part that was met last.
    latest: [Option<Interval>; 2],
    /// A hull that is given unless the next is inside of it.
    pending: Option<Interval>,
}

impl<'s> Hulls<'s> {
    fn new(parts: [Places<'s>; 2], distance: u32) -> Self {
        Self { parts: parts.map(Ahead::new), distance, latest: [None; 2], pending: None }
    }

    /// The next two of different parts that are near enough, as one. Neither beginnings nor ends decrease.
    fn next_hull(&mut self) -> Result<Option<Interval>, index::Error> {
        loop {
            let of = match (self.parts[0].peek()?, self.parts[1].peek()?) {
                (Some(one), Some(other)) => usize::from(other.last < one.last),
                (Some(_), None) => 0,
                (None, Some(_)) => 1,
                (None, None) => return Ok(None),
            };
            self.latest[of] = self.parts[of].next()?;
            if let (Some(here), Some(before)) = (self.latest[of], self.latest[1 - of])
                && here.first.saturating_sub(before.last) <= self.distance
                && let Some(hull) = here.hull(before)
            {
                return Ok(Some(hull));
            }
        }
    }
}

impl Intervals for Hulls<'_> {
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        (self.latest, self.pending) = ([None; 2], None);
        self.parts.iter_mut().try_for_each(|part| part.seek(doc))
    }

    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        while let Some(hull) = self.next_hull()? {
            match self.pending.replace(hull) {
                Some(before) if before.last < hull.last && before.first < hull.first => {
                    return Ok(Some(before));
                }
                // The earlier one begins where this one does, and ends before.
                Some(before) if before.last < hull.last => self.pending = Some(before),
                _ => {}
            }
        }
        Ok(self.pending.take())
    }
}
