//! The words that begin so: `postgr*`, `title:postgr*`.
//!
//! They are looked up in the list of terms. Of very many the most frequent are taken, which is said. They count as one word: a
//! document has as many of it as it has of all of them, and it is as telling as a word that is in as many documents as
//! these are, taken together. Cost: a look at each of the first [`crate::limits::PREFIX_TERMS_READ`] terms that begin so, and then a union of
//! at most [`crate::limits::PREFIX_TERMS_MAX`] lists.

use std::fmt;

use index::Field;

use super::{Documents, Explainer, FoundForms, Node, Operator, Places, Reader, Syntax};
use crate::lists::Lists;
use crate::operators::{DocIterator as _, Forms, Positions};
use crate::spellings::Analysed;
use crate::{Error, Note};

/// The words that begin so, in one field or in any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefix {
    beginning: String,
    field: Option<Field>,
}

/// So many lists count as those of so many words, where only so many can be looked for at once.
const ROOM: usize = 4;

pub(super) const SYNTAX: Syntax = Syntax::Word { read: |typed, reader| read(typed, None, reader) };

/// A word that ends with a star, or with one before a question mark; not the `*` of `**bold**`, nor one inside of a word.
pub(super) fn read(typed: &str, field: Option<Field>, reader: &mut Reader<'_>) -> Option<Node> {
    let word = typed.trim_end_matches(|c: char| c != '*' && !c.is_alphanumeric()).strip_suffix('*')?;
    let is_plain = word.ends_with(char::is_alphanumeric) && !word.contains('*');
    let terms = Analysed::new(word, reader.analyzer).terms;
    match <[String; 1]>::try_from(terms) {
        Ok([beginning]) if is_plain => Some(Prefix { beginning, field }.into()),
        _ => None,
    }
}

impl Prefix {
    fn forms<'s>(&self, lists: &Lists<'s>) -> Result<Forms<'s>, Error> {
        let expansion = lists.expansion(&self.beginning)?;
        let cursors = expansion.entries.iter().map(|entry| lists.cursor(entry)).collect();
        let weight = lists.weight_of_frequency(expansion.documents);
        let field = self.field.filter(|_| lists.has_fields());
        Ok(Forms::new(cursors, field, weight, &lists.searcher.scoring))
    }
}

/// What people call a field when they ask for it.
pub(super) fn name_of(field: Field) -> &'static str {
    match field {
        Field::Heading => "heading",
        Field::Address => "url",
        Field::Anchor => "anchor",
        field => field.name(),
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.field.iter().try_for_each(|field| write!(f, "{}:", name_of(*field)))?;
        write!(f, "{}*", self.beginning)
    }
}

impl Operator for Prefix {
    fn beginning(&self) -> Option<&str> {
        Some(&self.beginning)
    }

    fn room(&self) -> usize {
        ROOM
    }

    fn in_field(&self, field: Field) -> Option<Node> {
        Some(Self { field: self.field.or(Some(field)), ..self.clone() }.into())
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        Ok(Box::new(self.forms(lists)?))
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        let expansion = lists.expansion(&self.beginning)?;
        let cursors = expansion.entries.iter().map(|entry| lists.cursor(entry)).collect();
        Ok(Box::new(Positions::any_of(cursors, self.field)))
    }

    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        let (doc, mut forms) = (explainer.doc(), self.forms(explainer.lists())?);
        if forms.advance(doc) != doc || !forms.matches()? {
            return Ok(false);
        }
        let found = FoundForms {
            name: self.to_string(),
            documents: explainer.lists().expansion(&self.beginning)?.documents,
            counts: forms.counts(),
            impact: forms.impact(),
            weight: forms.weight,
        };
        explainer.forms(found);
        Ok(true)
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        let expansion = lists.expansion(&self.beginning)?;
        let typed = self.to_string();
        let looked_for = expansion.entries.len();
        Ok(match expansion.words {
            0 => Some(Note::NoSuchBeginning { typed }),
            _ if self.field.is_some() && !lists.has_fields() => Some(Note::WithoutFields { typed }),
            words if words > looked_for || !expansion.is_all => {
                Some(Note::BeginningCut { typed, looked_for, words, is_all: expansion.is_all })
            }
            _ => None,
        })
    }
}
