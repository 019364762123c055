//! Words one after the other, `"quick start"`, with any word where a star stands: `"quick * fox"`.
//!
//! A compound that was typed without quotes (`e-mail`) is a phrase of its parts, and is also found as a whole.

use std::fmt;

use index::Field;

use super::{Documents, Explainer, Operator, Places, Reader, note_on_places};
use crate::limits::QUERY_TERMS_MAX;
use crate::lists::{Lists, boxed};
use crate::operators::{Nowhere, Or, Positions};
use crate::spellings::Analysed;
use crate::{Error, Note};

/// Terms that stand one after the other; at least two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) terms: Vec<String>,
    /// How many words come before each term; the first has none.
    pub(crate) offsets: Vec<u32>,
}

impl Phrase {
    /// Without gaps.
    pub(crate) fn new(terms: Vec<String>) -> Self {
        Self { offsets: (0..terms.len() as u32).collect(), terms }
    }

    /// What stands between quotes. A star on its own is any word; before the first and behind the last it says nothing.
    pub(crate) fn quoted(text: &str, reader: &mut Reader<'_>) -> Self {
        let (mut phrase, mut offset) = (Self::new(Vec::new()), 0);
        for (place, piece) in pieces(text).enumerate() {
            if piece.contains('*') {
                reader.notes.push(Note::PlainStar { typed: piece.trim().to_owned() });
            }
            offset += u32::from(place > 0 && !phrase.terms.is_empty());
            for term in Analysed::new(piece, reader.analyzer).terms {
                phrase.terms.push(term);
                phrase.offsets.push(offset);
                offset += 1;
            }
        }
        reader.cut(&mut phrase.terms);
        phrase.offsets.truncate(phrase.terms.len().min(QUERY_TERMS_MAX));
        phrase
    }

    /// Where it stands, in one field or in any.
    pub(super) fn places_in<'s>(&self, field: Option<Field>, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        Ok(match lists.exact_entries(&self.terms)? {
            Some(entries) => {
                let cursors = entries.iter().map(|entry| lists.cursor(entry));
                Box::new(Positions::phrase(cursors.zip(self.offsets.iter().copied()).collect(), field))
            }
            None => Box::new(Nowhere),
        })
    }
}

/// The text between stars that stand on their own.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_star = |(place, _): &(usize, &str)| {
        let (before, after) = (&text[..*place], &text[place + 1..]);
        let is_apart = |c: char| c.is_whitespace();
        (before.is_empty() || before.ends_with(is_apart)) && (after.is_empty() || after.starts_with(is_apart))
    };
    let stars: Vec<usize> = text.match_indices('*').filter(is_star).map(|(place, _)| place).collect();
    let starts = std::iter::once(0).chain(stars.clone().into_iter().map(|star| star + 1));
    let ends = stars.into_iter().chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end])
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut next = 0;
        write!(f, "\"")?;
        for (term, offset) in self.terms.iter().zip(&self.offsets) {
            write!(f, "{}{}", if next == 0 { "" } else { " " }, "* ".repeat((offset - next) as usize))?;
            write!(f, "{term}")?;
            next = offset + 1;
        }
        write!(f, "\"")
    }
}

impl Operator for Phrase {
    fn terms(&self) -> &[String] {
        &self.terms
    }

    fn phrase(&self) -> Option<Phrase> {
        Some(self.clone())
    }

    fn compares_positions(&self) -> bool {
        true
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let phrase = boxed(lists.phrase(&self.terms, self.offsets.iter().copied())?);
        Ok(match lists.whole(&self.terms)? {
            Some(whole) => Box::new(Or::new(vec![boxed(lists.term(&whole, 1)?), phrase])),
            None => phrase,
        })
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        self.places_in(None, lists)
    }

    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        let has_whole = match explainer.lists().whole(&self.terms)? {
            Some(whole) => explainer.term(&whole)?,
            None => false,
        };
        Ok(explainer.phrase(self, None)? || has_whole)
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        Ok(note_on_places(self, lists))
    }
}
