//! Order: `begin < commit < end` holds where the words stand in this order, however far from each other, in one text: title,
//! page, address and links to it are four.
//!
//! Its places reach from the last interval of the one part that ends before an interval of the other to that one. Cost: each
//! interval of both is looked at once. It adds to the score what its parts add.

use std::fmt;

use page::DocId;

use super::{
    Documents, Joint, Node, Operator, Places, Syntax, located, note_on_places, two_of, write_joined,
};
use crate::lists::Lists;
use crate::operators::{Ahead, Interval, Intervals};
use crate::{Error, Note};

/// Two parts, of which the second comes behind the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ordered {
    parts: Box<[Node; 2]>,
}

/// A sign between spaces, so that `vector<int>` and `a<b` are words.
pub(super) const SYNTAX: Syntax = Syntax::Between {
    read: |typed| {
        let join: fn([Node; 2], u32) -> Node = |parts, _| Ordered { parts: Box::new(parts) }.into();
        (typed == "<").then(|| Joint { typed: typed.to_owned(), number: 0, join })
    },
};

impl fmt::Display for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, self.parts(), "<")
    }
}

impl Operator for Ordered {
    fn parts(&self) -> &[Node] {
        self.parts.as_slice()
    }

    fn with_parts(&self, parts: Vec<Node>) -> Option<Node> {
        two_of(parts, |parts| Self { parts }.into())
    }

    fn compares_positions(&self) -> bool {
        true
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        located(self, lists)
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        let [one, other] = &*self.parts;
        let (one, other) = (one.operator().places(lists)?, other.operator().places(lists)?);
        Ok(Box::new(InOrder { one: Ahead::new(one), other: Ahead::new(other) }))
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        Ok(note_on_places(self, lists))
    }
}

struct InOrder<'s> {
    one: Ahead<'s>,
    other: Ahead<'s>,
}

impl Intervals for InOrder<'_> {
    fn seek(&mut self, doc: DocId) -> Result<(), index::Error> {
        self.one.seek(doc)?;
        self.other.seek(doc)
    }

    fn next(&mut self) -> Result<Option<Interval>, index::Error> {
        while let Some(mut one) = self.one.next()? {
            let other = loop {
                match self.other.peek()? {
                    Some(other) if other.first <= one.last => self.other.next()?,
                    Some(other) => break other,
                    None => return Ok(None),
                };
            };
            while let Some(closer) = self.one.peek()?.filter(|closer| closer.last < other.first) {
                one = closer;
                self.one.next()?;
            }
            if let Some(hull) = one.hull(other) {
                return Ok(Some(hull));
            }
        }
        Ok(None)
    }
}
