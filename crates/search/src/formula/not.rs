//! All documents but those of its part. It has no place in a text.

use std::fmt;

use super::{Documents, Explainer, Node, Operator, documents_of, write_joined};
use crate::Error;
use crate::lists::Lists;
use crate::operators;

/// Not this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Not {
    /// Only one, never a `Not` itself.
    part: Box<[Node; 1]>,
}

impl Not {
    /// What `part` does not say; of an exclusion, what it excludes.
    pub(crate) fn of(part: Node) -> Node {
        match part {
            Node::Not(not) => {
                let [part] = *not.part;
                part
            }
            part => Self { part: Box::new([part]) }.into(),
        }
    }
}

impl fmt::Display for Not {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-")?;
        write_joined(f, self.parts(), "")
    }
}

impl Operator for Not {
    fn parts(&self) -> &[Node] {
        self.part.as_slice()
    }

    fn with_parts(&self, parts: Vec<Node>) -> Option<Node> {
        parts.into_iter().next().map(Self::of)
    }

    fn negates(&self) -> bool {
        true
    }

    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let part = documents_of(self.parts(), lists)?.pop().expect("it has one part");
        Ok(Box::new(operators::Not::new(part, &lists.searcher.index)))
    }

    /// What is excluded adds nothing.
    fn explain(&self, explainer: &mut dyn Explainer) -> Result<bool, Error> {
        explainer.is_in(self.documents(explainer.lists())?)
    }
}
