//! Containment: `drop WITHIN (begin < end)` holds where the one stands inside of the other, and `(begin < end) CONTAINING drop`
//! says the same. In a larger query they differ by what counts as their place: the inner one, or the outer one.
//!
//! Intervals of a part neither begin nor end in another order than they are met in. So of those that may contain one, the
//! first that does not end before it is the one that begins first, and no other need be looked at. Cost: each interval of both
//! is looked at once. It adds to the score what its parts add.

use std::fmt;

use page::DocId;

use super::{
    Documents, Joint, Node, Operator, Places, Syntax, located, note_on_places, two_of, write_joined,
};
use crate::lists::Lists;
use crate::operators::{Ahead, Interval, Intervals};
use crate::{Error, Note};

/// Two parts, of which one is inside of the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inside {
    /// As they were typed.
    parts: Box<[Node; 2]>,
    /// Whether the second is inside of the first, and not the first inside of the second.
    is_containing: bool,
}

pub(super) const SYNTAX: Syntax = Syntax::Between { read };

fn read(typed: &str) -> Option<Joint> {
    let join: fn([Node; 2], u32) -> Node = match typed {
        "WITHIN" => |parts, _| Inside { parts: Box::new(parts), is_containing: false }.into(),
        "CONTAINING" => |parts, _| Inside { parts: Box::new(parts), is_containing: true }.into(),
        _ => return None,
    };
    Some(Joint { typed: typed.to_owned(), number: 0, join })
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, self.parts(), if self.is_containing { "CONTAINING" } else { "WITHIN" })
    }
}

impl Operator for Inside {
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
        let [one, other] = &*self.parts;
        let (one, other) =
            (Ahead::new(one.operator().places(lists)?), Ahead::new(other.operator().places(lists)?));
        Ok(match self.is_containing {
            true => Box::new(Containing { outer: one, inner: other }),
            false => Box::new(Contained { inner: one, outer: other }),
        })
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        Ok(note_on_places(self, lists))
    }
}

/// The inner intervals that have one around them.
struct Contained<'s> {
    inner: Ahead<'s>,
    outer: Ahead<'s>,
}

impl Intervals for Contained<'_> {
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        self.inner.seek(doc)?;
        self.outer.seek(doc)
    }

    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        while let Some(inner) = self.inner.next()? {
            let Some(outer) = self.outer.pass_while(|outer| outer.last < inner.last)? else {
                return Ok(None);
            };
            if outer.first <= inner.first {
                return Ok(Some(inner));
            }
        }
        Ok(None)
    }
}

/// The outer intervals that have one inside of them.
struct Containing<'s> {
    outer: Ahead<'s>,
    inner: Ahead<'s>,
}

impl Intervals for Containing<'_> {
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        self.outer.seek(doc)?;
        self.inner.seek(doc)
    }

    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        while let Some(outer) = self.outer.next()? {
            let Some(inner) = self.inner.pass_while(|inner| inner.first < outer.first)? else {
                return Ok(None);
            };
            if inner.last <= outer.last {
                return Ok(Some(outer));
            }
        }
        Ok(None)
    }
}
