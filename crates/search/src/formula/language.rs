//! The pages in a language: `lang:de`. It is the one that the page declares, or else the one that its words are in.

use std::fmt;

use super::{Documents, Named, Node, Operator, Reader, Syntax};
use crate::facts::primary;
use crate::lists::Lists;
use crate::operators::Filter;
use crate::{Error, Note};

/// The pages in a language, by its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Language(String);

pub(super) const SYNTAX: Syntax = Syntax::Named { names: &["lang", "language"], read };

fn read(named: &Named<'_>, reader: &mut Reader<'_>) -> Option<Node> {
    let code = primary(named.value);
    if !(2..=3).contains(&code.len()) || !code.bytes().all(|byte| byte.is_ascii_lowercase()) {
        reader.cannot_use(named, "a language is a code such as en, de or pt-BR");
        return None;
    }
    Some(Language(code).into())
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lang:{}", self.0)
    }
}

impl Operator for Language {
    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let languages = &lists.searcher.facts.languages;
        let number = languages.number(&self.0);
        Ok(Box::new(Filter::new(lists.searcher.index.documents(), move |doc| languages.has(doc, number))))
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        let languages = &lists.searcher.facts.languages;
        let is_known = languages.number(&self.0).is_some();
        Ok((!is_known)
            .then(|| Note::NoPageOf { what: self.to_string(), there_are: named(languages.names()) }))
    }
}

fn named(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(|name| format!("lang:{name}")).collect()
}
