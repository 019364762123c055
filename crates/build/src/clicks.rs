//! What people looked for when they chose a page: a file of clicks, if somebody has one.
//!
//! ```text
//! query <TAB> address <TAB> count
//! ```
//!
//! Nothing is recorded here: whoever has counted clicks gives them to a build, which keeps them in the collection
//! (`clicks.tsv`), so that later builds have them too; an empty file takes them away. What was asked becomes words of the page,
//! in the field of the words of links ([`crate::anchors`]): both are what others call it. So they are searched, counted and
//! explained as those are, and the latent space is made of them, too. A query that was counted `n` times stands 1 + log₂ n times
//! in the field, four times at most, and a page has its [`QUERIES_MAX`] most frequent ones.
//!
//! The print of a page's words of links is that of its clicks as well, so that a build with other clicks replaces the
//! documents that they are about and no others ([`crate::indexing`]).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use page::PageUrl;
use serde::Serialize;
use store::{Collection, StoreReader};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::anchors::{AnchorText, TIMES_MAX, encode};
use crate::error::{ClicksError, Error};

/// A page has the words of so many queries.
const QUERIES_MAX: usize = 64;

/// A query is no longer.
const QUERY_BYTES_MAX: usize = 1000;

/// What a file of clicks holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClicksSummary {
    /// Different queries of a page each.
    pub queries: u64,
    /// Pages that were chosen.
    pub pages: u64,
    /// Addresses that are no page of the collection, in the order of the alphabet.
    pub unknown: Vec<String>,
}

/// The clicks of a collection.
#[derive(Debug, Default)]
pub(crate) struct Clicks {
    /// The queries of each address, in the order of the alphabet.
    texts: HashMap<String, Vec<AnchorText>>,
    /// Of the bytes of the file, if it says anything.
    digest: Option<u64>,
}

impl Clicks {
    /// Those that a collection keeps.
    pub(crate) fn of(collection: &Collection) -> Result<Self, Error> {
        let path = kept_at(collection);
        match std::fs::read(&path) {
            Ok(bytes) => Self::parse(&bytes).map_err(|error| Error::Clicks { path, error }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::ClicksFile { path, error }),
        }
    }

    /// Reads the bytes of a file.
    fn parse(bytes: &[u8]) -> Result<Self, ClicksError> {
        let mut counts = HashMap::<String, BTreeMap<String, u64>>::new();
        for (line, content) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            if content.is_empty() {
                continue;
            }
            let (query, address, count) =
                read_line(content).map_err(|reason| ClicksError { line, reason })?;
            let known = counts.entry(address).or_default().entry(query).or_default();
            *known = known.saturating_add(count);
        }
        let digest = (!counts.is_empty()).then(|| xxh3_64(bytes));
        let texts = counts.into_iter().map(|(address, queries)| (address, texts_of(queries))).collect();
        Ok(Self { texts, digest })
    }

    /// Adds the queries of a page to the words of links that lead to it, and to their print.
    pub(crate) fn add_to(&self, page: &PageUrl, (texts, print): &mut (Vec<AnchorText>, u32)) {
        *print = self.print(page, *print);
        texts.extend(self.texts.get(page.as_str()).into_iter().flatten().cloned());
    }

    /// The print of a page, where that of the words of links alone is `of_links`.
    pub(crate) fn print(&self, page: &PageUrl, of_links: u32) -> u32 {
        match self.texts.get(page.as_str()) {
            Some(texts) => (xxh3_64_with_seed(&encode(texts), of_links.into()) as u32).max(1),
            None => of_links,
        }
    }

    /// What the end of a stamp says of them; nothing if there are none.
    pub(crate) fn stamp(&self) -> String {
        self.digest.map_or_else(String::new, |digest| format!(", clicks {digest:016x}"))
    }
}

/// Where a collection keeps them.
fn kept_at(collection: &Collection) -> PathBuf {
    collection.dir().join("clicks.tsv")
}

/// Gives a collection the clicks of a file instead of those that it has; the next build takes them up.
pub fn keep_clicks(collection: &Collection, path: &Path) -> Result<ClicksSummary, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::ClicksFile { path: path.to_owned(), error })?;
    let clicks = Clicks::parse(&bytes).map_err(|error| Error::Clicks { path: path.to_owned(), error })?;
    let mut unknown: HashSet<&str> = clicks.texts.keys().map(String::as_str).collect();
    let mut pages = StoreReader::open(collection)?.pages()?;
    while let Some((_, record)) = pages.next()? {
        if record.is_page() {
            unknown.remove(record.url.as_str());
        }
    }
    let mut unknown: Vec<String> = unknown.into_iter().map(str::to_owned).collect();
    unknown.sort_unstable();
    journal::replace_file(&kept_at(collection), &bytes)?;
    let queries = clicks.texts.values().map(|texts| texts.len() as u64).sum();
    Ok(ClicksSummary { queries, pages: (clicks.texts.len() - unknown.len()) as u64, unknown })
}

/// A query, the address of the page that was chosen, and how often.
fn read_line(content: &[u8]) -> Result<(String, String, u64), String> {
    let content = str::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
    let fields: Vec<&str> = content.split('\t').collect();
    let [query, address, count] = fields[..] else {
        let count = page::counted(fields.len() as u64, "field");
        return Err(format!("it has {count} where `query<TAB>address<TAB>count` is needed"));
    };
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if !query.contains(char::is_alphanumeric) || query.len() > QUERY_BYTES_MAX {
        return Err(format!("a query is needed, of at most {QUERY_BYTES_MAX} bytes"));
    }
    let url =
        PageUrl::parse(address.trim()).map_err(|error| format!("`{address}` is no address: {error}"))?;
    let count = count.trim().parse().ok().filter(|count| *count > 0);
    let count = count.ok_or_else(|| "how often it was chosen is a whole number from 1 on".to_owned())?;
    Ok((query, url.as_str().to_owned(), count))
}

/// The most frequent queries of a page, in the order of the alphabet, each as often as it stands in the field.
fn texts_of(queries: BTreeMap<String, u64>) -> Vec<AnchorText> {
    let mut queries: Vec<(String, u64)> = queries.into_iter().collect();
    queries.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    queries.truncate(QUERIES_MAX);
    queries.sort_unstable();
    let text = |(text, count): (String, u64)| AnchorText { text, times: (1 + count.ilog2()).min(TIMES_MAX) };
    queries.into_iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(file: &str, address: &str) -> Vec<(String, u32)> {
        let clicks = Clicks::parse(file.as_bytes()).unwrap();
        let mut found = (Vec::new(), 7);
        clicks.add_to(&PageUrl::parse(address).unwrap(), &mut found);
        assert_eq!(found.0.is_empty(), found.1 == 7, "pages without clicks keep their print");
        found.0.into_iter().map(|text| (text.text, text.times)).collect()
    }

    #[test]
    fn queries_stand_by_the_logarithm_of_their_clicks() {
        let file = "Old  Harbour\thttp://A.test:80/x\t1\nboats\thttp://a.test/x\t9\r\n\nold harbour\thttp://a.test/x\t2\n\
                    sails\thttp://a.test/y\t999999\n";
        let rows: [(&str, &[(&str, u32)]); 3] = [
            ("http://a.test/x", &[("boats", 4), ("old harbour", 2)]),
            ("http://a.test/y", &[("sails", 4)]),
            ("http://a.test/z", &[]),
        ];
        for (address, expected) in rows {
            let expected: Vec<(String, u32)> =
                expected.iter().map(|(text, times)| ((*text).to_owned(), *times)).collect();
            assert_eq!(texts(file, address), expected, "{address}");
        }
        let many: String = (1..=100).map(|n| format!("q{n:03}\thttp://a.test/\t{n}\n")).collect();
        let found = texts(&many, "http://a.test/");
        assert_eq!((found.len(), found[0].0.as_str()), (64, "q037"));
        assert_eq!(Clicks::parse(b"\n\n").unwrap().stamp(), "");
        assert!(Clicks::parse(file.as_bytes()).unwrap().stamp().starts_with(", clicks "));
    }

    #[test]
    fn a_line_that_cannot_be_meant_is_refused_with_its_number() {
        let rows: [(&[u8], usize, &str); 6] = [
            (b"a\thttp://a.test/\t1\nb http://a.test/ 2\n", 2, "it has 1 field where"),
            (b"\na\thttp://a.test/\t0", 2, "how often"),
            (b"a\thttp://a.test/\t-1", 1, "how often"),
            (b"a\tnowhere\t1", 1, "`nowhere` is no address"),
            (b"?\thttp://a.test/\t1", 1, "a query is needed"),
            (b"\xff\thttp://a.test/\t1", 1, "it is not UTF-8"),
        ];
        for (file, line, reason) in rows {
            let error = Clicks::parse(file).unwrap_err();
            assert!(error.line == line && error.reason.starts_with(reason), "{error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(text in "([ab ]|\\t|\\n|http://a.test/|[0-9]|\\PC){0,40}", byte in 0u8..) {
            let mut bytes = text.into_bytes();
            bytes.push(byte);
            let _ = Clicks::parse(&bytes);
        }
    }
}
