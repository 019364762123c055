//! All of some parts. In a text they hold together in the smallest stretches that have all of them.

use std::fmt;
use std::rc::Rc;

use super::near::hulls;
use super::{Documents, Explainer, Node, Operator, Places, documents_of, write_joined};
use crate::Error;
use crate::lists::Lists;
use crate::operators;

/// All of these; at least two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct And {
    pub(crate) parts: Vec<Node>,
}

impl fmt::Display for And {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.parts, "AND")
    }
}

impl Operator for And {
    fn parts(&self) -> &[Node] {
        &self.parts
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let parts = documents_of(&self.parts, lists)?;
        Ok(Box::new(operators::And::new(parts, Rc::clone(&lists.stopper))))
    }

    fn places<'s>(&self, lists: &Lists<'s>) -> Result<Places<'s>, Error> {
        hulls(&self.parts, u32::MAX, lists)
    }

    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        let told = explainer.told();
        for part in &self.parts {
            if !part.operator().explain(explainer)? {
                explainer.forget(told);
                return Ok(false);
            }
        }
        Ok(true)
    }
}
