//! Editions of one page: the same manual in several versions and languages.
//!
//! `/docs/15/indexes.html` and `/docs/16/indexes.html` answer a question alike, and so do `/tr/mod/alias.html` and
//! `/mod/alias.html`: a list of results shows one of them. An address says which edition it is by a segment that reads like
//! a version (`15`, `v2.4`, `stable`) or by the code of a language (`/tr/`, `/pt-br/`, `alias.html.tr`). Without these marks
//! the addresses of editions are equal.
//!
//! A number in an address need not be a version, nor two letters a language. So what stands before the mark is believed only
//! if it has at least [`PAGES_MIN`] pages in several editions, and these are a fair share of its pages: a site with
//! `/questions/15/…` has other pages below `/questions/16/…`. Years and larger numbers are no versions.
//!
//! The edition that stands for the others is the newest: `current`, `stable` and what has no version before the largest
//! number, and that before `dev`; of these, the one without a language or in English.
//!
//! Cost: one look at each address, about a microsecond, and 32 bytes for each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use page::{DocId, PageUrl};

/// Goes up when other pages become editions of each other: what was gathered by older rules is gathered anew.
pub(crate) const RULES: u32 = 1;

/// So many pages have several editions, or nobody believes that they are editions.
const PAGES_MIN: u32 = 3;

/// And at least one in so many pages that have a mark.
const SHARE: u32 = 4;

/// Codes of languages that addresses use.
const LANGUAGES: &str = "ar bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id is it ja ka ko lt lv mk ms nb nl nn no \
                         pl pt ro ru sk sl sq sr sv ta te th tr uk ur vi zh";

/// Names of editions that are the newest that are ready, and of those that are not ready.
const CURRENT: [&str; 4] = ["current", "latest", "stable", "release"];
const UNREADY: [&str; 7] = ["dev", "devel", "master", "main", "nightly", "unstable", "head"];

/// What the addresses of a collection say of editions.
#[derive(Debug, Default)]
pub(crate) struct Editions {
    pages: Vec<Page>,
}

#[derive(Debug, Clone, Copy)]
struct Page {
    doc: DocId,
    /// The address without its marks.
    bare: u64,
    /// What stands before its first mark; none for an address without.
    family: Option<u64>,
    mark: Mark,
}

/// Which edition an address is. The greater comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    version: u64,
    /// None, English, another.
    language_rank: u8,
    language: Option<[u8; 2]>,
}

const NO_VERSION: u64 = u64::MAX;

impl Default for Mark {
    fn default() -> Self {
        Self { version: NO_VERSION, language_rank: 2, language: None }
    }
}

impl Mark {
    /// The language that the address names.
    pub(crate) fn language(self) -> Option<[u8; 2]> {
        self.language
    }
}

impl Editions {
    pub(crate) fn add(&mut self, doc: DocId, url: &PageUrl) {
        let (bare, family, mark) = read(url.authority(), url.path_and_query());
        self.pages.push(Page { doc, bare, family, mark });
    }

    /// What the address of each document with a mark says.
    pub(crate) fn marks(&self) -> HashMap<DocId, Mark> {
        self.pages.iter().filter(|page| page.family.is_some()).map(|page| (page.doc, page.mark)).collect()
    }

    /// Pairs of documents that are editions of one page.
    pub(crate) fn pairs(&mut self) -> Vec<[DocId; 2]> {
        self.pages.sort_unstable_by_key(|page| (page.bare, page.doc));
        let groups = || self.pages.chunk_by(|one, other| one.bare == other.bare);
        // Of each family: pages with a mark, and those of them that have another edition.
        let mut families: HashMap<u64, (u32, u32)> = HashMap::new();
        for group in groups() {
            for family in group.iter().filter_map(|page| page.family) {
                let (pages, with_others) = families.entry(family).or_default();
                *pages += 1;
                *with_others += u32::from(group.len() > 1);
            }
        }
        let is_believed = |page: &Page| {
            page.family.is_none_or(|family| {
                let (pages, with_others) = families[&family];
                with_others >= PAGES_MIN && with_others * SHARE >= pages
            })
        };
        let mut pairs = Vec::new();
        for group in groups().filter(|group| group.len() > 1) {
            let believed: Vec<DocId> =
                group.iter().filter(|page| is_believed(page)).map(|page| page.doc).collect();
            pairs.extend(believed.windows(2).map(|pair| [pair[0], pair[1]]));
        }
        pairs
    }
}

/// Takes the marks out of an address: a hash of the rest, one of what stands before the first mark, and the marks.
fn read(authority: &str, path_and_query: &str) -> (u64, Option<u64>, Mark) {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let (mut bare, mut before) = (DefaultHasher::new(), DefaultHasher::new());
    let (mut mark, mut family) = (Mark::default(), None);
    authority.hash(&mut bare);
    authority.hash(&mut before);
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        let found = match is_last {
            false if mark.version == NO_VERSION && version(segment).is_some() => {
                mark.version = version(segment).unwrap_or(NO_VERSION);
                "version".hash(&mut bare);
                true
            }
            false => mark.take_language(segment),
            true => {
                let (name, has_language) = mark.take_ending(segment);
                name.hash(&mut bare);
                has_language
            }
        };
        if found {
            family.get_or_insert_with(|| before.finish());
        } else if !is_last {
            segment.hash(&mut bare);
        }
        segment.hash(&mut before);
    }
    query.hash(&mut bare);
    (bare.finish(), family, mark)
}

impl Mark {
    /// Takes a segment for a language, if it is the code of one and none was named before.
    fn take_language(&mut self, segment: &str) -> bool {
        let code = segment
            .split_once(['-', '_'])
            .map_or(segment, |(code, region)| if region.len() == 2 || region.len() == 4 { code } else { "" });
        let is_known = |known: &str| known.eq_ignore_ascii_case(code);
        let found = LANGUAGES.split(' ').find(|known| is_known(known)).filter(|_| self.language.is_none());
        if let Some(&[one, other]) = found.map(str::as_bytes) {
            self.language = Some([one, other]);
            self.language_rank = u8::from(found == Some("en"));
        }
        found.is_some()
    }

    /// Takes a language out of the name of a file: `alias.html.tr`, `alias.tr.html`.
    fn take_ending(&mut self, name: &str) -> (String, bool) {
        let parts: Vec<&str> = name.split('.').collect();
        for place in (1..parts.len()).rev().take(2).filter(|_| parts.len() > 2) {
            if parts[place].len() == 2 && self.take_language(parts[place]) {
                return ([&parts[..place], &parts[place + 1..]].concat().join("."), true);
            }
        }
        (name.to_owned(), false)
    }
}

/// How new a version is, if a segment reads like one: 0 for what is not ready, up to three numbers, or the newest.
fn version(segment: &str) -> Option<u64> {
    if CURRENT.contains(&segment) {
        return Some(NO_VERSION - 1);
    }
    if UNREADY.contains(&segment) {
        return Some(0);
    }
    let numbers = segment.strip_prefix('v').unwrap_or(segment);
    let mut version = 1;
    let parts: Vec<&str> = numbers.split('.').collect();
    if parts.len() > 3 {
        return None;
    }
    for place in 0..3 {
        let part = parts.get(place).copied().unwrap_or("0");
        let number = match part.parse::<u64>() {
            Ok(number) if part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit()) => number,
            Err(_) if part == "x" && place > 0 => 999,
            _ => return None,
        };
        version = version * 1000 + number;
    }
    Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editions(addresses: &[&str]) -> Editions {
        let mut editions = Editions::default();
        for (address, doc) in addresses.iter().zip((0..).map(DocId::new)) {
            editions.add(doc, &PageUrl::parse(address).unwrap());
        }
        editions
    }

    /// The documents that are editions of each other.
    fn pairs(addresses: &[&str]) -> Vec<[u32; 2]> {
        let mut pairs: Vec<_> =
            editions(addresses).pairs().into_iter().map(|pair| pair.map(DocId::get)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn versions_and_languages_of_a_manual_are_editions() {
        let manual = [
            "http://db.example/docs/15/a.html",
            "http://db.example/docs/15/b.html",
            "http://db.example/docs/15/c.html",
            "http://db.example/docs/16/a.html",
            "http://db.example/docs/16/b.html",
            "http://db.example/docs/current/c.html",
            "http://db.example/docs/16/new.html",
            "http://other.example/docs/16/a.html",
        ];
        assert_eq!(pairs(&manual), [[0, 3], [1, 4], [2, 5]]);
        let languages = [
            "http://a.example/mod/one.html",
            "http://a.example/tr/mod/one.html",
            "http://a.example/mod/two.html",
            "http://a.example/tr/mod/two.html",
            "http://a.example/mod/three.html",
            "http://a.example/tr/mod/three.html",
        ];
        assert_eq!(pairs(&languages), [[0, 1], [2, 3], [4, 5]]);
        let endings = [
            "http://a.example/m/one.html.en",
            "http://a.example/m/one.html.fr",
            "http://a.example/m/two.html.fr",
            "http://a.example/m/two.html",
        ];
        assert_eq!(pairs(&endings), [[0, 1], [2, 3]]);
    }

    #[test]
    fn numbers_and_letters_that_are_no_editions_are_left_alone() {
        let rows: &[&[&str]] = &[
            // Too few to be believed.
            &["http://a.example/1/x", "http://a.example/2/x"],
            // Years.
            &[
                "http://a.example/2015/x",
                "http://a.example/2016/x",
                "http://a.example/2015/y",
                "http://a.example/2016/y",
            ],
            // Few of many questions share a name.
            &[
                "http://a.example/q/1/x",
                "http://a.example/q/2/x",
                "http://a.example/q/3/x",
                "http://a.example/q/4/a",
                "http://a.example/q/5/b",
                "http://a.example/q/6/c",
                "http://a.example/q/7/d",
                "http://a.example/q/8/e",
                "http://a.example/q/9/f",
                "http://a.example/q/10/g",
                "http://a.example/q/11/h",
                "http://a.example/q/12/i",
                "http://a.example/q/13/j",
            ],
            // Another query is another page.
            &[
                "http://a.example/1/x?p=1",
                "http://a.example/2/x?p=2",
                "http://a.example/1/y?p=1",
                "http://a.example/2/y?p=2",
            ],
        ];
        for addresses in rows {
            assert!(pairs(addresses).is_empty(), "{addresses:?}");
        }
    }

    #[test]
    fn the_newest_and_the_plainest_edition_comes_first() {
        let best_first =
            ["/a", "/en/a", "/tr/a", "/current/a", "/v2.10/a", "/2.4/en/a", "/2.4/tr/a", "/2/a", "/dev/a"];
        let marks = best_first.map(|path| read("a.example", path).2);
        assert!(marks.is_sorted_by(|one, other| one > other), "{marks:?}");
        assert_eq!(marks[2].language(), Some(*b"tr"));
        assert_eq!(read("a.example", "/pt-BR/a.html").2.language(), Some(*b"pt"));
        assert_eq!(read("a.example", "/go/xx/v1beta/a.html").1, None);
    }
}
