//! What sites are called: the words by which people look for them.
//!
//! A host is called by its name without what it shares with others, `www` and the public suffix. A folder that is a site of
//! its own ([`crate::graphs::fronts`]) is called by the words of its path: without numbers, which are versions, without those
//! that say that it is a folder of pages ([`NOT_NAMES`]), and without those that many sites beside it have in their paths.
//!
//! Of `docs.python.org` and of `python-django` that gives two words, of which either may be the name: such a name says less than
//! one word alone or a domain does.

use std::collections::HashMap;

use search::percent_decoded;
use store::Collection;

use crate::graphs::fronts::{Front, fronts};
use crate::graphs::open_graph;

/// Words of paths that are the name of nothing.
const NOT_NAMES: [&str; 16] = [
    "doc",
    "docs",
    "documentation",
    "en",
    "help",
    "htdocs",
    "htm",
    "html",
    "latest",
    "manual",
    "manuals",
    "public",
    "site",
    "stable",
    "web",
    "www",
];
/// Of folders of one host more may be called alike only if they are few among them: one in ...
const SHARED: usize = 4;

/// What a site is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SiteName {
    /// Its words, with a space between them.
    pub(crate) text: String,
    /// Whether it is the name of something as it stands: of a domain, or a word alone.
    pub(crate) is_whole: bool,
}

/// What each of some sites is called; those of one host stand together.
pub(crate) fn names_of(fronts: &[Front]) -> Vec<Option<SiteName>> {
    let mut names = Vec::with_capacity(fronts.len());
    for of_host in fronts.chunk_by(|one, next| one.host == next.host) {
        match of_host {
            [Front { folder, host, .. }] if folder == "/" => names.push(name_of_host(host)),
            folders => {
                names.extend(names_of_paths(folders.iter().map(|front| &*front.folder)));
            }
        }
    }
    names
}

/// What folders of a collection are called that are sites, by the addresses of their front pages. Without a graph nobody
/// knows any; who cannot read it is told by others.
pub(crate) fn names_of_folders(collection: &Collection) -> HashMap<String, String> {
    let Ok(graph) = open_graph(collection) else { return HashMap::new() };
    let fronts = fronts(&graph);
    let named = fronts.iter().zip(names_of(&fronts)).filter(|(front, _)| front.folder != "/");
    named.filter_map(|(front, name)| Some((graph.address(front.node), name?.text))).collect()
}

/// An address in numbers is no name.
fn name_of_host(host: &str) -> Option<SiteName> {
    let domain = page::registrable_domain(host);
    let name = domain.split('.').next().filter(|name| name.contains(char::is_alphabetic))?;
    let below = host.strip_suffix(domain).unwrap_or_default().trim_end_matches('.');
    let below = below.strip_prefix("www").filter(|rest| rest.is_empty()).unwrap_or(below);
    Some(match below {
        "" => SiteName { text: name.to_owned(), is_whole: true },
        below => SiteName { text: format!("{} {name}", below.replace('.', " ")), is_whole: false },
    })
}

fn names_of_paths<'f>(folders: impl Iterator<Item = &'f str>) -> Vec<Option<SiteName>> {
    let words: Vec<Vec<String>> = folders.map(words_of_path).collect();
    let mut sites = HashMap::<&str, usize>::new();
    for word in words.iter().flatten() {
        *sites.entry(word).or_default() += 1;
    }
    let is_shared = |word: &str| sites[word] >= SHARED && SHARED * sites[word] >= words.len();
    let name = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_shared(word)).collect();
        let is_whole = words.len() == 1;
        (!words.is_empty()).then(|| SiteName { text: words.join(" "), is_whole })
    };
    words.iter().map(name).collect()
}

/// The words of a path that may be names, each once.
fn words_of_path(path: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in percent_decoded(path).to_lowercase().split(|c: char| !c.is_alphabetic()) {
        let is_name = word.chars().nth(1).is_some() && !NOT_NAMES.contains(&word);
        if is_name && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str, is_whole: bool) -> SiteName {
        SiteName { text: text.to_owned(), is_whole }
    }

    #[test]
    fn a_host_is_called_by_what_it_does_not_share_with_others() {
        let rows = [
            ("django.org", Some(("django", true))),
            ("www.django.org", Some(("django", true))),
            ("docs.python.org", Some(("docs python", false))),
            ("a.b.example.co.uk", Some(("a b example", false))),
            ("zsh-doc.test", Some(("zsh-doc", true))),
            ("localhost", Some(("localhost", true))),
            ("127.0.0.1", None),
            ("[::1]", None),
        ];
        for (host, expected) in rows {
            assert_eq!(name_of_host(host), expected.map(|(text, is_whole)| name(text, is_whole)), "{host}");
        }
    }

    /// A folder, its name, and whether that is one as it stands.
    type Row<'r> = (&'r str, Option<(&'r str, bool)>);

    #[test]
    fn a_folder_is_called_by_what_it_does_not_share_with_others() {
        let rows: [&[Row<'_>]; 3] = [
            &[
                ("/x/python-django-doc/html/", Some(("python django", false))),
                ("/x/python3.11/html/", Some(("python", true))),
                ("/x/apache2-doc/manual/", Some(("apache", true))),
                ("/x/sqlite3/", Some(("sqlite", true))),
                ("/x/gcc-12-base/libstdc++/", Some(("gcc base libstdc", false))),
            ],
            // Some are alike, but not many.
            &[
                ("/share/erlang-doc/doc/", Some(("share erlang", false))),
                ("/share/erlang-doc/lib/", Some(("share erlang lib", false))),
            ],
            &[
                ("/share/a1/", None),
                ("/share/bee/", Some(("bee", true))),
                ("/share/cee/1.0/", Some(("cee", true))),
                ("/share/%C3%BCber/", Some(("über", true))),
            ],
        ];
        for row in rows {
            let expected: Vec<_> = row
                .iter()
                .map(|(_, expected)| expected.map(|(text, is_whole)| name(text, is_whole)))
                .collect();
            assert_eq!(names_of_paths(row.iter().map(|(folder, _)| *folder)), expected);
        }
    }
}
