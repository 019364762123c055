//! A word: the documents in which it or another form of it occurs. Where it stands is known of the word as it is written
//! alone, since lists of stems have no positions.

use std::fmt;

use super::{Documents, Explainer, Operator, Phrase, Places};
use crate::Error;
use crate::lists::{Lists, boxed};
use crate::operators::{Nowhere, Positions};

/// A term, as the analyzer gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term(pub(crate) String);

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Operator for Term {
    fn terms(&self) -> &[String] {
        std::slice::from_ref(&self.0)
    }

    fn phrase(&self) -> Option<Phrase> {
        Some(Phrase::new(vec![self.0.clone()]))
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        Ok(boxed(lists.term(&self.0, 1)?))
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        Ok(match lists.found(&self.0)?.exact {
            Some(entry) => Box::new(Positions::any_of(vec![lists.cursor(&entry)], None)),
            None => Box::new(Nowhere),
        })
    }

    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        explainer.term(&self.0)
    }
}
