//! What was asked: a formula over words and phrases.
//!
//! Every node means a set of documents. A word: those in which it occurs. A phrase: those in which its words stand one
//! after the other. `And`: intersection. `Or`: union. `Not`: all the others. (Notes, chapter 5.)

use crate::QueryError;
use crate::parser::parse;

/// Longer queries are refused before they are looked at.
pub const QUERY_BYTES_MAX: usize = 1024;
/// Queries with more words are refused.
pub const QUERY_TERMS_MAX: usize = 32;
/// Queries with deeper parentheses are refused.
pub const QUERY_DEPTH_MAX: usize = 16;

/// A query, parsed and within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    root: Node,
    terms: Vec<String>,
}

/// A part of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A term, as the analyzer gives it.
    Term(String),
    /// Terms that stand one after the other; at least two.
    Phrase(Vec<String>),
    /// All of these; at least two.
    And(Vec<Node>),
    /// Any of these; at least two.
    Or(Vec<Node>),
    /// Not this; never a `Not` itself.
    Not(Box<Node>),
}

impl Query {
    /// Reads what a person typed.
    ///
    /// Words stand for themselves and all are wanted. `OR` or `|` gives a choice and binds less tightly; `-word` or
    /// `NOT word` excludes; `"…"` is an exact phrase; parentheses group. A word that the analyzer takes apart
    /// (`e-mail`, `example.com`) is a phrase. What does not fit is taken as people mean it: open quotes and
    /// parentheses are closed at the end, operators that have nothing to act on are dropped.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        let root = parse(text)?.ok_or(QueryError::Empty)?;
        let mut terms = Vec::new();
        collect_positive_terms(&root, &mut terms);
        if terms.is_empty() {
            return Err(QueryError::OnlyNegatives);
        }
        Ok(Self { root, terms })
    }

    /// The words that are looked for, each once, in the order in which they were typed; without excluded ones.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The formula.
    pub fn root(&self) -> &Node {
        &self.root
    }
}

fn collect_positive_terms(node: &Node, terms: &mut Vec<String>) {
    let mut add = |term: &String| {
        if !terms.contains(term) {
            terms.push(term.clone());
        }
    };
    match node {
        Node::Term(term) => add(term),
        Node::Phrase(phrase) => phrase.iter().for_each(add),
        Node::And(nodes) | Node::Or(nodes) => {
            nodes.iter().for_each(|node| collect_positive_terms(node, terms));
        }
        Node::Not(_) => {}
    }
}
