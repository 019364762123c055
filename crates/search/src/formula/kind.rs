//! The pages of a kind: `type:html`, `filetype:txt`, by the media type that the server or the name of the file gave.

use std::fmt;

use super::{Documents, Named, Node, Operator, Reader, Syntax};
use crate::facts::kind_of;
use crate::lists::Lists;
use crate::operators::Filter;
use crate::{Error, Note};

/// The pages of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind(String);

pub(super) const SYNTAX: Syntax = Syntax::Named { names: &["type", "filetype", "ext", "mime"], read };

fn read(named: &Named<'_>, reader: &mut Reader<'_>) -> Option<Node> {
    let kind = kind_of(named.value.trim_start_matches('.'));
    if kind.is_empty() {
        reader.cannot_use(named, "a type is a name such as html, text or text/markdown");
        return None;
    }
    Some(Kind(kind).into())
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "type:{}", self.0)
    }
}

impl Operator for Kind {
    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let kinds = &lists.searcher.facts.kinds;
        let number = kinds.number(&self.0);
        Ok(Box::new(Filter::new(lists.searcher.index.documents(), move |doc| kinds.has(doc, number))))
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        let kinds = &lists.searcher.facts.kinds;
        let there_are = || kinds.names().into_iter().map(|name| format!("type:{name}")).collect();
        let is_known = kinds.number(&self.0).is_some();
        Ok((!is_known).then(|| Note::NoPageOf { what: self.to_string(), there_are: there_are() }))
    }
}
