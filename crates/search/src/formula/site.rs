//! The pages of a host and of those below it, `site:example.org`, or in a folder of theirs: `site:example.org/docs`.

use std::fmt;

use page::PageUrl;

use super::{Documents, Named, Node, Operator, Reader, Syntax};
use crate::lists::Lists;
use crate::operators::Filter;
use crate::{Error, Note};

/// The pages of a host and of those below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    host: String,
    /// The folder, without a slash at its end; empty: all.
    path: String,
}

pub(super) const SYNTAX: Syntax = Syntax::Named { names: &["site"], read };

fn read(named: &Named<'_>, reader: &mut Reader<'_>) -> Option<Node> {
    let address = named.value.trim_start_matches("http://").trim_start_matches("https://");
    let address = address.trim_start_matches("*.").trim_start_matches('.');
    let Ok(url) = PageUrl::parse(&format!("http://{address}")) else {
        reader.cannot_use(named, "a site is a host, or a folder on it: example.org, example.org/docs");
        return None;
    };
    let path = url.path_and_query().split('?').next().unwrap_or_default();
    Some(Site { host: url.host().to_owned(), path: path.trim_end_matches('/').to_owned() }.into())
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "site:{}{}", self.host, self.path)
    }
}

impl Operator for Site {
    fn documents<'s>(&self, lists: &Lists<'s>) -> Result<Documents<'s>, Error> {
        let sites = &lists.searcher.sites;
        let wanted = lists.folders(&self.host, &self.path);
        Ok(Box::new(Filter::new(lists.searcher.index.documents(), move |doc| sites.is_from(doc, &wanted))))
    }

    fn note(&self, lists: &Lists<'_>) -> Result<Option<Note>, Error> {
        let is_known = lists.folders(&self.host, &self.path).contains(&true);
        Ok((!is_known).then(|| Note::UnknownSite { site: format!("{}{}", self.host, self.path) }))
    }
}
