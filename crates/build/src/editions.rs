//! Editions of one page: the same manual in several versions and languages.
//!
//! `/docs/15/indexes.html` and `/docs/16/indexes.html` answer a question alike, and so do `/tr/mod/alias.html` and
//! `/mod/alias.html`: a list of results shows one of them. An address says which edition it is by a segment that reads like
//! a version (`15`, `v2.4`, `1_81_0`, `stable`) or has one in it (`python3.11`, `libfoo-1.2-doc`), or by the code of a language
//! (`/tr/`, `/pt-br/`, `alias.html.tr`). Without these marks the addresses of editions are equal.
//!
//! A number in an address need not be a version, nor two letters a language. So what stands before the mark is believed only
//! if it has at least [`PAGES_MIN`] pages in several editions, and these are a fair share of its pages: a site with
//! `/questions/15/…` has other pages below `/questions/16/…`. Years and larger numbers are no versions. Inside a name a
//! version has several numbers, for `chapter1` and `chapter2` are no editions, and of such a name so many pages must have
//! others that differ by more than their edition: the sections of a book are all called `index.html`.
//!
//! The edition that stands for the others is the newest: `current`, `stable` and what has no version before the largest
//! number, and that before `dev`; of these, the one without a language or in English.
//!
//! Cost: one look at each address, about a microsecond, and 32 bytes for each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use page::{DocId, PageUrl};

/// Goes up when other pages become editions of each other: what was gathered by older rules is gathered anew.
pub(crate) const RULES: u32 = 2;

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
    family: Option<Family>,
    mark: Mark,
}

/// Addresses that may be editions of each other's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Family {
    /// What stands before the first mark, and around it.
    around: u64,
    /// Whether the mark is part of a name.
    is_named: bool,
}

/// How many pages of a family have a mark, how many of these have other editions, and how many pages that makes if editions
/// are counted once.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    pages: u32,
    with_others: u32,
    different: u32,
}

impl Evidence {
    fn is_enough_for(self, family: Family) -> bool {
        let has_many = if family.is_named { self.different } else { self.with_others } >= PAGES_MIN;
        has_many && self.with_others * SHARE >= self.pages
    }
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
        let mut families: HashMap<Family, Evidence> = HashMap::new();
        for group in groups() {
            let mut before = None;
            for family in group.iter().filter_map(|page| page.family) {
                let (evidence, has_others) =
                    (families.entry(family).or_default(), u32::from(group.len() > 1));
                evidence.pages += 1;
                evidence.with_others += has_others;
                evidence.different += if before == Some(family) { 0 } else { has_others };
                before = Some(family);
            }
        }
        let is_believed =
            |page: &Page| page.family.is_none_or(|family| families[&family].is_enough_for(family));
        let mut pairs = Vec::new();
        for group in groups().filter(|group| group.len() > 1) {
            let believed: Vec<DocId> =
                group.iter().filter(|page| is_believed(page)).map(|page| page.doc).collect();
            pairs.extend(believed.windows(2).map(|pair| [pair[0], pair[1]]));
        }
        pairs
    }
}

/// Takes the marks out of an address: a hash of the rest, what stands around the first mark, and the marks.
fn read(authority: &str, path_and_query: &str) -> (u64, Option<Family>, Mark) {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let (mut bare, mut before) = (DefaultHasher::new(), DefaultHasher::new());
    let (mut mark, mut family) = (Mark::default(), None);
    authority.hash(&mut bare);
    authority.hash(&mut before);
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        let has_no_version = || mark.version == NO_VERSION;
        // What of the segment says which edition it is, and what it says else.
        let found = if is_last {
            let (name, has_language) = mark.take_ending(segment);
            name.hash(&mut bare);
            has_language.then_some(["", ""])
        } else if let Some(found) = version(segment).filter(|_| has_no_version()) {
            mark.version = found;
            "version".hash(&mut bare);
            Some(["", ""])
        } else if let Some((around, found)) = version_in(segment).filter(|_| has_no_version()) {
            mark.version = found;
            around.hash(&mut bare);
            Some(around)
        } else {
            mark.take_language(segment).then_some(["", ""])
        };
        match found {
            Some(around) if family.is_none() => {
                let mut before = before.clone();
                around.hash(&mut before);
                family = Some(Family { around: before.finish(), is_named: around != ["", ""] });
            }
            None if !is_last => segment.hash(&mut bare),
            _ => {}
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
    let parts: Vec<&str> = numbers.split(['.', '_']).collect();
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

/// The first numbers of a name that read like a version of several numbers, `3.11` of `python3.11-doc`, with what stands before
/// and behind them.
fn version_in(segment: &str) -> Option<([&str; 2], u64)> {
    let is_part_of_numbers = |c: char| c.is_ascii_digit() || c == '.' || c == '_';
    let begin = segment.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = segment.split_at(begin);
    let end = rest.find(|c: char| !is_part_of_numbers(c)).unwrap_or(rest.len());
    let numbers = rest[..end].trim_end_matches(['.', '_']);
    let around = [before, &rest[numbers.len()..]];
    let found = version(numbers).filter(|_| numbers.contains(['.', '_']) && around != ["", ""])?;
    Some((around, found))
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
        let names = [
            "http://a.example/doc/python3.9/a.html",
            "http://a.example/doc/python3.9/b.html",
            "http://a.example/doc/python3.9/c.html",
            "http://a.example/doc/python3.11/a.html",
            "http://a.example/doc/python3.11/b.html",
            "http://a.example/doc/python3.11/c.html",
            // Another name, and no page of it has two editions.
            "http://a.example/doc/pandas3.9/a.html",
            "http://a.example/doc/pandas3.9/b.html",
        ];
        assert_eq!(pairs(&names), [[0, 3], [1, 4], [2, 5]]);
    }

    #[test]
    fn versions_are_read_as_people_write_them() {
        let alone = [
            ("15", 1_015_000_000),
            ("v2.4", 1_002_004_000),
            ("1_81_0", 1_001_081_000),
            ("2.x", 1_002_999_000),
            ("stable", NO_VERSION - 1),
            ("dev", 0),
        ];
        for (segment, expected) in alone {
            assert_eq!(version(segment), Some(expected), "{segment}");
        }
        let named = [
            ("python3.11", ["python", ""], 1_003_011_000),
            ("libboost1.74-doc", ["libboost", "-doc"], 1_001_074_000),
            ("boost_1_81_0", ["boost_", ""], 1_001_081_000),
            ("foo-2.3.tar", ["foo-", ".tar"], 1_002_003_000),
        ];
        for (segment, around, expected) in named {
            assert_eq!((version(segment), version_in(segment)), (None, Some((around, expected))));
        }
        for segment in ["2016", "1.2.3.4", "chapter1", "gtk4", "2015-03", "a2016.03", "plain", ""] {
            assert_eq!((version(segment), version_in(segment)), (None, None), "{segment}");
        }
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
            // The sections of a book.
            &[
                "http://a.example/section-1.1/index.html",
                "http://a.example/section-1.2/index.html",
                "http://a.example/section-1.3/index.html",
                "http://a.example/section-1.1/notes.html",
                "http://a.example/section-1.2/notes.html",
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
