//! Any of some parts. In a text it holds wherever one of them does.

use std::fmt;

use super::{Documents, Explainer, Node, Operator, Places, combine, documents_of, write_joined};
use crate::Error;
use crate::lists::Lists;
use crate::operators::{self, Union};

/// Any of these; at least two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Or {
    pub(crate) parts: Vec<Node>,
}

impl fmt::Display for Or {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.parts, "OR")
    }
}

impl Operator for Or {
    fn parts(&self) -> &[Node] {
        &self.parts
    }

    fn with_parts(&self, parts: Vec<Node>) -> Option<Node> {
        combine(parts, |parts| Self { parts }.into())
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        Ok(Box::new(operators::Or::new(documents_of(&self.parts, lists)?)))
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        let places = self.parts.iter().map(|part| part.operator().places(lists));
        Ok(Box::new(Union::new(places.collect::<Result<_, Error>>()?)))
    }

    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        let mut any = false;
        for part in &self.parts {
            any |= part.operator().explain(explainer)?;
        }
        Ok(any)
    }
}
