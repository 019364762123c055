//! What sites are called: the words by which people look for them.
//!
//! A host is called by its name without what it shares with others, `www` and the public suffix. A folder that is a site of
//! its own ([`crate::graphs::fronts`]) is called by the words of its path: without numbers, which are versions, without those
//! that say that it is a folder of pages ([`NOT_NAMES`]), and without those that many sites beside it have in their paths.
//!
//! A name of one word is said as often as can be, a longer one half as often.

use std::collections::HashMap;

use search::percent_decoded;
use store::Collection;

use crate::anchors::{AnchorText, TIMES_MAX};
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

/// What each of some sites is called; those of one host stand together.
pub(crate) fn names_of(fronts: &[Front]) -> Vec<Option<AnchorText>> {
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
fn name_of_host(host: &str) -> Option<AnchorText> {
    let domain = page::registrable_domain(host);
    let name = domain.split('.').next().filter(|name| name.contains(char::is_alphabetic))?;
    let below = host.strip_suffix(domain).unwrap_or_default().trim_end_matches('.');
    let below = below.strip_prefix("www").filter(|rest| rest.is_empty()).unwrap_or(below);
    Some(match below {
        "" => AnchorText { text: name.to_owned(), times: TIMES_MAX },
        below => AnchorText { text: format!("{} {name}", below.replace('.', " ")), times: TIMES_MAX / 2 },
    })
}

fn names_of_paths<'f>(folders: impl Iterator<Item = &'f str>) -> Vec<Option<AnchorText>> {
    let words: Vec<Vec<String>> = folders.map(words_of_path).collect();
    let mut sites = HashMap::<&str, usize>::new();
    for word in words.iter().flatten() {
        *sites.entry(word).or_default() += 1;
    }
    let is_shared = |word: &str| sites[word] >= SHARED && SHARED * sites[word] >= words.len();
    let name = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_shared(word)).collect();
        let times = if words.len() == 1 { TIMES_MAX } else { TIMES_MAX / 2 };
        (!words.is_empty()).then(|| AnchorText { text: words.join(" "), times })
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

    fn text(text: &str, times: u32) -> AnchorText {
        AnchorText { text: text.to_owned(), times }
    }

    #[test]
    fn a_host_is_called_by_what_it_does_not_share_with_others() {
        let rows = [
            ("django.org", Some(("django", 4))),
            ("www.django.org", Some(("django", 4))),
            ("docs.python.org", Some(("docs python", 2))),
            ("a.b.example.co.uk", Some(("a b example", 2))),
            ("zsh-doc.test", Some(("zsh-doc", 4))),
            ("localhost", Some(("localhost", 4))),
            ("127.0.0.1", None),
            ("[::1]", None),
        ];
        for (host, expected) in rows {
            assert_eq!(name_of_host(host), expected.map(|(name, times)| text(name, times)), "{host}");
        }
    }

    /// A folder, and its name with how often it is said.
    type Row<'r> = (&'r str, Option<(&'r str, u32)>);

    #[test]
    fn a_folder_is_called_by_what_it_does_not_share_with_others() {
        let rows: [&[Row<'_>]; 3] = [
            &[
                ("/x/python-django-doc/html/", Some(("python django", 2))),
                ("/x/python3.11/html/", Some(("python", 4))),
                ("/x/apache2-doc/manual/", Some(("apache", 4))),
                ("/x/sqlite3/", Some(("sqlite", 4))),
                ("/x/gcc-12-base/libstdc++/", Some(("gcc base libstdc", 2))),
            ],
            // Some are alike, but not many.
            &[
                ("/share/erlang-doc/doc/", Some(("share erlang", 2))),
                ("/share/erlang-doc/lib/", Some(("share erlang lib", 2))),
            ],
            &[
                ("/share/a1/", None),
                ("/share/bee/", Some(("bee", 4))),
                ("/share/cee/1.0/", Some(("cee", 4))),
                ("/share/%C3%BCber/", Some(("über", 4))),
            ],
        ];
        for row in rows {
            let expected: Vec<_> =
                row.iter().map(|(_, name)| name.map(|(name, times)| text(name, times))).collect();
            assert_eq!(names_of_paths(row.iter().map(|(folder, _)| *folder)), expected);
        }
    }
}
