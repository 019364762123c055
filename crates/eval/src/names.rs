//! What judgements call a page that a search knows by its address.
//!
//! Judgements name documents by ids, and an import makes addresses of ids: `http://import.invalid/184` is `184`. So a page is
//! called by the first of these that was judged: its address, the path in it, the last part of the path, and that without
//! its ending. What was not judged at all is called by its address, or by the id under which it was imported.

use std::collections::HashSet;

use crate::Judgements;

/// What stands before the id of an imported page in its address.
const IMPORTED: &str = "http://import.invalid/";

/// The names of documents in some judgements.
#[derive(Debug)]
pub struct Names<'j>(HashSet<&'j str>);

impl<'j> Names<'j> {
    /// Those of these judgements.
    pub fn new(judgements: &'j Judgements) -> Self {
        Self(judgements.documents().collect())
    }

    /// What the page of an address is called.
    pub fn of(&self, url: &str) -> String {
        let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = unescaped(behind_scheme.split_once('/').map_or("", |(_, path)| path));
        let last = path.rsplit('/').next().unwrap_or_default();
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let judged = [url, &path, last, stem].into_iter().find(|name| self.0.contains(name));
        let is_id = url.starts_with(IMPORTED) && !path.is_empty();
        judged.unwrap_or(if is_id { &path } else { url }).to_owned()
    }
}

/// A path with its percent signs resolved.
fn unescaped(path: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), path.as_bytes());
    while let [first, others @ ..] = rest {
        let code = others.get(..2).filter(|_| *first == b'%').and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            u8::from_str_radix(digits, 16).ok()
        });
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &others[2..] } else { others };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_called_as_it_was_judged() {
        let judgements = Judgements::parse("1\t184\t1\n1\thttp://a.test/x\t1\n1\tdocs/ü 1\t1\n").unwrap();
        let names = Names::new(&judgements);
        let rows = [
            ("http://import.invalid/184", "184"),
            ("http://import.invalid/cran/184.txt", "184"),
            ("http://a.test/x", "http://a.test/x"),
            ("http://import.invalid/docs/%C3%BC%201", "docs/ü 1"),
            ("http://import.invalid/9", "9"),
            ("http://import.invalid/a/9%", "a/9%"),
            ("http://import.invalid/", "http://import.invalid/"),
            ("http://a.test/y", "http://a.test/y"),
            ("https://b.test/docs/y%20z?page=2", "https://b.test/docs/y%20z?page=2"),
        ];
        for (url, name) in rows {
            assert_eq!(names.of(url), name, "{url}");
        }
    }
}
