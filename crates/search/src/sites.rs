//! Which host and folder each document is from, as plain numbers: this crate does not know what a page table is.
//!
//! Cost: four bytes per document, and the name of each host and folder once.

use std::collections::HashMap;

use page::DocId;

/// The hosts and folders of the documents of an index.
#[derive(Debug, Clone, Default)]
pub struct Sites {
    /// Hosts and folders by their names, each with the number of the folder that it is in; hosts are in none.
    numbers: HashMap<(u32, Box<str>), u32>,
    /// In which folder or host each folder is; always one of a smaller number.
    parents: Vec<u32>,
    /// On which host each folder is, by its place in `hosts`.
    host_of: Vec<u32>,
    /// The names of the hosts.
    hosts: Vec<Box<str>>,
    /// For each document the number of its folder, or [`NONE`].
    folder_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Sites {
    /// Of so many documents, no host known yet.
    pub fn new(documents: u32) -> Self {
        Self { folder_of: vec![NONE; documents as usize], ..Self::default() }
    }

    /// A page of `host`, by its path on it; a host is known also when its page is no document of the index.
    pub fn add(&mut self, host: &str, path: &str, doc: Option<DocId>) {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        let mut number = self.number(NONE, host);
        for folder in names(folders) {
            number = self.number(number, folder);
        }
        if let Some(place) = doc.and_then(|doc| self.folder_of.get_mut(doc.index())) {
            *place = number;
        }
    }

    fn number(&mut self, parent: u32, name: &str) -> u32 {
        let next = self.parents.len() as u32;
        let number = *self.numbers.entry((parent, name.into())).or_insert(next);
        if number == next {
            self.parents.push(parent);
            let host = self.host_of.get(parent as usize).copied().unwrap_or_else(|| {
                self.hosts.push(name.into());
                self.hosts.len() as u32 - 1
            });
            self.host_of.push(host);
        }
        number
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u64 {
        self.hosts.len() as u64
    }

    /// The number of the host of a document, if it is known.
    #[inline]
    pub(crate) fn of(&self, doc: DocId) -> Option<u32> {
        self.host_of.get(*self.folder_of.get(doc.index())? as usize).copied()
    }

    /// The host of a document, if it is known.
    pub fn host(&self, doc: DocId) -> Option<&str> {
        self.hosts.get(self.of(doc)? as usize).map(|name| &**name)
    }

    /// In how many folders a document is.
    pub fn depth(&self, doc: DocId) -> u32 {
        let mut folder = self.folder_of.get(doc.index()).copied().unwrap_or(NONE);
        let mut depth = 0;
        while let Some(parent) = self.parents.get(folder as usize).copied().filter(|parent| *parent != NONE) {
            (folder, depth) = (parent, depth + 1);
        }
        depth
    }

    /// For each document the sum of a number over all documents of its host, in multiples of the average host's.
    pub fn sums(&self, numbers: &[f32]) -> Vec<f32> {
        let documents = || (0..self.folder_of.len() as u32).map(DocId::new);
        let mut sums = vec![0.0; self.hosts.len()];
        for (doc, number) in documents().zip(numbers) {
            if let Some(host) = self.of(doc) {
                sums[host as usize] += f64::from(*number);
            }
        }
        let average = sums.iter().sum::<f64>() / sums.len().max(1) as f64;
        let of_host = |host: u32| (sums[host as usize] / average.max(f64::MIN_POSITIVE)) as f32;
        documents().map(|doc| self.of(doc).map_or(0.0, of_host)).collect()
    }

    /// For each host and folder whether it is in `path` on `site`, or on a host below it.
    pub(crate) fn below(&self, site: &str, path: &str) -> Vec<bool> {
        let is_below = |host: &str| {
            host.strip_suffix(site).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let mut below = vec![false; self.parents.len()];
        for ((_, host), number) in self.numbers.iter().filter(|((parent, _), _)| *parent == NONE) {
            let folder = names(path)
                .try_fold(*number, |number, name| self.numbers.get(&(number, name.into())).copied());
            if let Some(folder) = folder.filter(|_| is_below(host)) {
                below[folder as usize] = true;
            }
        }
        for number in 0..below.len() {
            below[number] |= below.get(self.parents[number] as usize).copied().unwrap_or(false);
        }
        below
    }

    /// Whether a document is from one of the `wanted` folders.
    pub(crate) fn is_from(&self, doc: DocId, wanted: &[bool]) -> bool {
        let folder = self.folder_of.get(doc.index()).copied().unwrap_or(NONE);
        wanted.get(folder as usize).copied().unwrap_or(false)
    }
}

/// The names of the folders of a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_its_hosts_and_those_below_and_a_folder_what_is_in_it() {
        let pages = [
            ("a.org", "/"),
            ("b.a.org", "/docs/"),
            ("ba.org", "/docs/x?y=/z/"),
            ("org.b", "/docs/x/y.html"),
            ("a.org", "/docs/x/y.html"),
            ("a.org", "/docs-old/x"),
            ("a.org", "/docs"),
        ];
        let mut sites = Sites::new(pages.len() as u32);
        for ((host, path), doc) in pages.iter().zip((0..).map(DocId::new)) {
            sites.add(host, path, Some(doc));
        }
        sites.add("a.org", "/q/", None);
        let found = |site: &str, path: &str| {
            let wanted = sites.below(site, path);
            (0..9).filter(|doc| sites.is_from(DocId::new(*doc), &wanted)).collect::<Vec<u32>>()
        };
        assert_eq!(found("a.org", ""), [0, 1, 4, 5, 6]);
        assert_eq!(found("org", "/"), [0, 1, 2, 4, 5, 6]);
        assert_eq!(found("b", ""), [3]);
        assert_eq!(found("c", ""), [] as [u32; 0]);
        assert_eq!(found("a.org", "/docs"), [1, 4]);
        assert_eq!(found("a.org", "/docs/x/"), [4]);
        assert_eq!(found("ba.org", "/docs/x"), [] as [u32; 0]);
        assert_eq!(found("a.org", "/x"), [] as [u32; 0]);
        assert_eq!(sites.hosts(), 4);
        assert_eq!([1, 5, 7].map(|doc| sites.host(DocId::new(doc))), [Some("b.a.org"), Some("a.org"), None]);
    }
}
