//! A word or a phrase in one field: `title:install`, `heading:"quick start"`. Before parentheses the name of a field is
//! that of all that stands in them: `title:(quick NEAR/3 start)`.

use std::fmt;

use index::Field;

use super::{Documents, Explainer, Named, Node, Operator, Phrase, Places, Reader, Syntax, prefix};
use crate::lists::{Lists, boxed};
use crate::operators::{Nowhere, Or, Positions};
use crate::{Error, Note};

/// Terms that stand one after the other in one field; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Within {
    pub(crate) field: Field,
    pub(crate) phrase: Phrase,
}

pub(super) const SYNTAX: Syntax = Syntax::Named {
    names: &["title", "intitle", "heading", "headings", "url", "inurl", "anchor", "inanchor"],
    read,
};

/// The field of a name that people and other engines have for it.
pub(crate) fn field_of(name: &str) -> Option<Field> {
    match name {
        "title" | "intitle" => Some(Field::Title),
        "heading" | "headings" => Some(Field::Heading),
        "url" | "inurl" => Some(Field::Address),
        "anchor" | "inanchor" => Some(Field::Anchor),
        _ => None,
    }
}

fn read(named: &Named<'_>, reader: &mut Reader<'_>) -> Option<Node> {
    let field = field_of(named.name)?;
    // The index has no word for how an address is reached.
    let text = match field {
        Field::Address => named.value.split_once("://").map_or(named.value, |(_, address)| address),
        _ => named.value,
    };
    if let Some(prefix) = prefix::read(text, Some(field), reader).filter(|_| !named.is_quoted) {
        return Some(prefix);
    }
    let phrase = match named.is_quoted {
        true => Phrase::quoted(text, reader),
        false => Phrase::new(reader.words(text)),
    };
    (!phrase.terms.is_empty()).then(|| Within { field, phrase }.into())
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", prefix::name_of(self.field), self.phrase)
    }
}

impl Operator for Within {
    fn terms(&self) -> &[String] {
        &self.phrase.terms
    }

    fn compares_positions(&self) -> bool {
        self.phrase.terms.len() > 1
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        if !lists.has_fields() {
            return self.anywhere().operator().documents(lists);
        }
        let terms = self.phrase.terms.as_slice();
        if let [term] = terms {
            return Ok(Box::new(lists.word_within(self.field, term)?));
        }
        let phrase = boxed(
            lists
                .phrase(&self.phrase.terms, self.phrase.offsets.iter().copied())?
                .map(|phrase| phrase.within(self.field)),
        );
        Ok(match lists.whole(terms)? {
            Some(whole) => Box::new(Or::new(vec![Box::new(lists.word_within(self.field, &whole)?), phrase])),
            None => phrase,
        })
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        let [term] = self.phrase.terms.as_slice() else {
            return self.phrase.places_in(Some(self.field), lists);
        };
        Ok(match lists.found(term)?.exact {
            Some(entry) => Box::new(Positions::any_of(vec![lists.cursor(&entry)], Some(self.field))),
            None => Box::new(Nowhere),
        })
    }

    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        if !explainer.lists().has_fields() {
            return self.anywhere().operator().explain(explainer);
        }
        let terms = self.phrase.terms.as_slice();
        if let [term] = terms {
            return explainer.term_within(self.field, term);
        }
        let has_whole = match explainer.lists().whole(terms)? {
            Some(whole) => explainer.term_within(self.field, &whole)?,
            None => false,
        };
        Ok(explainer.phrase(&self.phrase, Some(self.field))? || has_whole)
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        let typed = || self.to_string();
        Ok(match self.phrase.terms.len() {
            _ if !lists.has_fields() => Some(Note::WithoutFields { typed: typed() }),
            2.. if !lists.has_positions() => Some(Note::WithoutPositions { typed: typed() }),
            _ => None,
        })
    }
}

impl Within {
    /// The same in any field.
    fn anywhere(&self) -> Node {
        Node::of_phrase(self.phrase.clone()).expect("there is a term")
    }
}
