//! The formula of a query: what must hold of a page. Each [`Node`] means a set of documents; see [`crate::Query`].
//!
//! An operator is a file in this folder: how it is written, what it looks for, how it walks, what it bounds and adds, and how
//! it is explained. Whoever reads, cuts, walks or explains a query asks the [`Operator`] and knows none by name, but for
//! words side by side, `AND`, `OR` and `NOT`, which are the grammar itself. Another operator is a file like `near.rs`, its
//! name in the list of [`operators!`] and, if it has signs of its own, a line in [`SYNTAX`].
//!
//! Operators that say where words stand (`NEAR`, `<`, `WITHIN`, phrases) have places: the minimal intervals of positions in
//! which they hold, that is those that contain no smaller one. Minimal intervals of a part are all that an operator above
//! needs, so any may stand in any other. After Clarke, Cormack, Burkowski, "An algebra for structured text search and a
//! framework for its implementation" (1995), and Boldi, Vigna, "Efficient optimally lazy algorithms for minimal-interval
//! semantics" (2006).

mod and;
mod dated;
mod inside;
mod kind;
mod language;
mod near;
mod not;
mod or;
mod ordered;
mod phrase;
mod prefix;
mod site;
mod term;
mod within;

pub(crate) use and::And;
pub(crate) use dated::Dated;
pub(crate) use inside::Inside;
pub(crate) use kind::Kind;
pub(crate) use language::Language;
pub(crate) use near::Near;
pub(crate) use not::Not;
pub(crate) use or::Or;
pub(crate) use ordered::Ordered;
pub(crate) use phrase::Phrase;
pub(crate) use prefix::Prefix;
pub(crate) use site::Site;
pub(crate) use term::Term;
pub(crate) use within::{Within, field_of};

use std::fmt;
use std::rc::Rc;

use index::{Analyzer, Field, FieldCounts};
use page::DocId;

use crate::limits::QUERY_TERMS_MAX;
use crate::lists::Lists;
use crate::operators::{DocIterator, Intervals, Located};
use crate::scoring::Weight;
use crate::spellings::{Analysed, Spellings};
use crate::{Error, Note};

/// The documents of an operator.
pub(crate) type Documents<'s> = Box<dyn DocIterator + 's>;

/// The places of an operator.
pub(crate) type Places<'s> = Box<dyn Intervals + 's>;

/// Makes [`Node`] of all operators there are.
macro_rules! operators {
    ($($name:ident),+) => {
        /// A part of the formula of a query.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) enum Node {
            $($name($name)),+
        }

        impl Node {
            pub(crate) fn operator(&self) -> &dyn Operator {
                match self {
                    $(Self::$name(operator) => operator),+
                }
            }
        }

        $(impl From<$name> for Node {
            fn from(operator: $name) -> Self {
                Self::$name(operator)
            }
        })+
    };
}

operators!(Term, Phrase, Within, Prefix, Near, Ordered, Inside, Site, Language, Kind, Dated, And, Or, Not);

/// How operators are written that are more than the grammar.
pub(crate) const SYNTAX: [Syntax; 9] = [
    within::SYNTAX,
    prefix::SYNTAX,
    near::SYNTAX,
    ordered::SYNTAX,
    inside::SYNTAX,
    site::SYNTAX,
    language::SYNTAX,
    kind::SYNTAX,
    dated::SYNTAX,
];

/// All that the rest of the crate wants to know of an operator. It is shown as it is typed.
pub(crate) trait Operator: fmt::Display {
    /// The parts that it joins; one without parts is a leaf.
    fn parts(&self) -> &[Node] {
        &[]
    }

    /// The same operator of other parts, which may be fewer; leaves are not asked.
    fn with_parts(&self, parts: Vec<Node>) -> Option<Node> {
        combine(parts, |parts| And { parts }.into())
    }

    /// The terms that a leaf looks for.
    fn terms(&self) -> &[String] {
        &[]
    }

    /// What the words begin with that a leaf looks for, where it does not know the words themselves.
    fn beginning(&self) -> Option<&str> {
        None
    }

    /// Whether a leaf looks for words at all, and not for what else is known of a page.
    fn has_words(&self) -> bool {
        !self.terms().is_empty() || self.beginning().is_some()
    }

    /// How many terms a leaf counts for, where only so many can be looked for at once.
    fn room(&self) -> usize {
        self.terms().len().max(1)
    }

    /// Whether its parts are excluded.
    fn negates(&self) -> bool {
        false
    }

    /// The phrase that a leaf is, perhaps of one word, if it is one in any field.
    fn phrase(&self) -> Option<Phrase> {
        None
    }

    /// What a leaf is in one field alone; `None`: the same.
    fn in_field(&self, field: Field) -> Option<Node> {
        self.phrase().map(|phrase| Within { field, phrase }.into())
    }

    /// The documents that satisfy it.
    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error>;

    /// Whether positions of words are read to know whether a document satisfies it, its parts left aside.
    fn compares_positions(&self) -> bool {
        false
    }

    /// Where in a document it holds. Asked of operators alone that have places ([`Node::has_places`]).
    fn places<'s>(&self, _lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        Ok(Box::new(crate::operators::Nowhere))
    }

    /// Whether the document that is explained satisfies it; if so, what contributed to its score is told.
    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        if !explainer.is_in(self.documents(explainer.lists())?)? {
            return Ok(false);
        }
        for part in self.parts() {
            part.operator().explain(explainer)?;
        }
        Ok(true)
    }

    /// What the author of a query should know about what is found by this, in the index that is searched.
    fn note(&self, _lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        Ok(None)
    }
}

/// What a document has of several words that count as one.
pub(crate) struct FoundForms {
    /// What they are called together.
    pub(crate) name: String,
    /// In how many documents they are.
    pub(crate) documents: u64,
    pub(crate) counts: FieldCounts,
    pub(crate) impact: f32,
    pub(crate) weight: Weight,
}

/// Who explains the score of a document; an operator tells it what contributed.
pub(crate) trait Explainer {
    fn lists(&self) -> &Lists<'_>;

    /// Whether the document is one of these.
    fn is_in(&self, documents: Documents<'_>) -> Result<bool, Error>;

    /// Whether it has a term; if so, what that adds is told.
    fn term(&mut self, term: &str) -> Result<bool, Error>;

    /// Whether it has a term in a field; if so, what that adds is told.
    fn term_within(&mut self, field: Field, term: &str) -> Result<bool, Error>;

    /// Whether it has a phrase; if so, what that adds is told.
    fn phrase(&mut self, phrase: &Phrase, field: Option<Field>) -> Result<bool, Error>;

    /// The document that is explained.
    fn doc(&self) -> DocId;

    /// Tells what several words add that count as one.
    fn forms(&mut self, found: FoundForms);

    /// How much has been told so far.
    fn told(&self) -> usize;

    /// Forgets what was told behind `told`.
    fn forget(&mut self, told: usize);
}

impl Node {
    /// A phrase; one of a single word is that word.
    pub(crate) fn of_phrase(mut phrase: Phrase) -> Option<Self> {
        match phrase.terms.len() {
            0 => None,
            1 => phrase.terms.pop().map(|term| Term(term).into()),
            _ => Some(phrase.into()),
        }
    }

    /// Whether it can be said where in a text it holds.
    pub(crate) fn has_places(&self) -> bool {
        let operator = self.operator();
        match operator.parts() {
            [] => operator.has_words(),
            parts => !operator.negates() && parts.iter().all(Self::has_places),
        }
    }

    /// Whether positions of words are read to know whether a document satisfies it.
    pub(crate) fn compares_positions(&self) -> bool {
        let operator = self.operator();
        operator.compares_positions() || operator.parts().iter().any(Self::compares_positions)
    }

    /// Whether it looks for words, and does not only exclude some.
    pub(crate) fn wants_words(&self) -> bool {
        let operator = self.operator();
        !operator.negates() && (operator.has_words() || operator.parts().iter().any(Self::wants_words))
    }

    /// Shows each operator of the formula, those that others join too.
    pub(crate) fn for_each_operator<'n>(&'n self, see: &mut dyn FnMut(&'n dyn Operator)) {
        see(self.operator());
        self.operator().parts().iter().for_each(|part| part.for_each_operator(see));
    }

    /// Shows each leaf, and whether it is looked for or excluded.
    pub(crate) fn for_each_leaf<'n>(&'n self, is_wanted: bool, see: &mut dyn FnMut(&'n Node, bool)) {
        let operator = self.operator();
        match operator.parts() {
            [] => see(self, is_wanted),
            parts => {
                let is_wanted = is_wanted != operator.negates();
                parts.iter().for_each(|part| part.for_each_leaf(is_wanted, see));
            }
        }
    }

    /// The same formula, looked for in one field.
    pub(crate) fn in_field(self, field: Field) -> Self {
        let operator = self.operator();
        match operator.parts() {
            [] => operator.in_field(field).unwrap_or(self),
            parts => {
                let parts = parts.iter().map(|part| part.clone().in_field(field)).collect();
                operator.with_parts(parts).unwrap_or(self)
            }
        }
    }
}

/// `make` for two nodes or more; one stands for itself.
pub(crate) fn combine(mut nodes: Vec<Node>, make: impl FnOnce(Vec<Node>) -> Node) -> Option<Node> {
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(make(nodes)),
    }
}

/// `make` for two nodes; one that is left of them stands for itself.
fn two_of(nodes: Vec<Node>, make: impl FnOnce(Box<[Node; 2]>) -> Node) -> Option<Node> {
    match <[Node; 2]>::try_from(nodes) {
        Ok(two) => Some(make(Box::new(two))),
        Err(mut fewer) => fewer.pop(),
    }
}

/// The documents that have all parts of an operator, in places such as it has, if the index knows of any.
fn located<'s>(operator: &dyn Operator, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
    let parts = documents_of(operator.parts(), lists)?;
    if !lists.has_positions() {
        return Ok(Box::new(crate::operators::And::new(parts, Rc::clone(&lists.stopper))));
    }
    Ok(Box::new(Located::new(parts, operator.places(lists)?, &lists.stopper)))
}

/// What is to be said of an operator that says where words stand, where the index does not know that.
fn note_on_places(operator: &dyn Operator, lists: &Lists<'_>) -> Option<Note> {
    (!lists.has_positions()).then(|| Note::WithoutPositions { typed: operator.to_string() })
}

/// The documents of each of some nodes.
pub(crate) fn documents_of<'s>(nodes: &[Node], lists: &Lists<'s>) -> Result<Vec<Documents<'s>>, Error> {
    nodes.iter().map(|node| node.operator().documents(lists)).collect()
}

/// Writes nodes with a word between them; what has parts itself stands in parentheses.
fn write_joined(f: &mut fmt::Formatter<'_>, nodes: &[Node], between: &str) -> fmt::Result {
    for (place, node) in nodes.iter().enumerate() {
        if place > 0 {
            write!(f, " {between} ")?;
        }
        match node.operator().parts() {
            [] => write!(f, "{}", node.operator())?,
            _ => write!(f, "({})", node.operator())?,
        }
    }
    Ok(())
}

/// How an operator is written.
pub(crate) enum Syntax {
    /// `name:value`, by one of these names.
    Named { names: &'static [&'static str], read: fn(&Named<'_>, &mut Reader<'_>) -> Option<Node> },
    /// A word of a form of its own.
    Word { read: fn(&str, &mut Reader<'_>) -> Option<Node> },
    /// A word of its own, between two parts.
    Between { read: fn(&str) -> Option<Joint> },
}

/// A `name:value` that was typed.
pub(crate) struct Named<'t> {
    /// In small letters.
    pub(crate) name: &'t str,
    pub(crate) value: &'t str,
    /// Whether the value stood in quotes.
    pub(crate) is_quoted: bool,
}

/// An operator between two parts that was typed.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub(crate) typed: String,
    /// A number that was typed with it.
    pub(crate) number: u32,
    pub(crate) join: fn([Node; 2], u32) -> Node,
}

/// Takes words of a query apart, and keeps what is to be said about that.
pub(crate) struct Reader<'n> {
    pub(crate) analyzer: Analyzer,
    pub(crate) spellings: Spellings,
    pub(crate) notes: &'n mut Vec<Note>,
}

impl Reader<'_> {
    /// The terms of words that were typed, as they are and in other spellings.
    pub(crate) fn words(&mut self, text: &str) -> Vec<String> {
        let mut analysed = Analysed::new(text, self.analyzer);
        match analysed.terms.len() > QUERY_TERMS_MAX {
            true => self.cut(&mut analysed.terms),
            false => self.spellings.add(&analysed),
        }
        analysed.terms
    }

    /// Says that a value means nothing, and what one looks like that does.
    fn cannot_use(&mut self, named: &Named<'_>, hint: &'static str) {
        self.notes.push(Note::NoSuchValue { typed: format!("{}:{}", named.name, named.value), hint });
    }

    fn cut(&mut self, terms: &mut Vec<String>) {
        if terms.len() > QUERY_TERMS_MAX {
            terms.truncate(QUERY_TERMS_MAX);
            self.notes.push(Note::PhraseCut { limit: QUERY_TERMS_MAX });
        }
    }
}
