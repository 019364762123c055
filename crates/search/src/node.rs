//! The formula of a query: what must hold of a page. Each node means a set of documents; see [`crate::Query`].

use index::Field;

/// A part of the formula of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A term, as the analyzer gives it.
    Term(String),
    /// Terms that stand one after the other; at least two.
    Phrase(Vec<String>),
    /// Terms that stand one after the other in one field; at least one.
    Within(Field, Vec<String>),
    /// The pages of a host and of those below it.
    Site(String),
    /// All of these; at least two.
    And(Vec<Node>),
    /// Any of these; at least two.
    Or(Vec<Node>),
    /// Not this; never a `Not` itself.
    Not(Box<Node>),
}

/// `make` for two nodes or more; one stands for itself.
pub(crate) fn combine(mut nodes: Vec<Node>, make: fn(Vec<Node>) -> Node) -> Option<Node> {
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(make(nodes)),
    }
}
