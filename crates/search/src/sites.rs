//! Which host and folder each document is from, as plain numbers: this crate does not know what a page table is.
//!
//! Cost: four bytes per document, and twelve and its name for each host and folder.

use std::collections::HashMap;

use page::DocId;

use crate::columns::{Column, PartsReader, PartsWriter};

/// The hosts and folders of the documents of an index.
#[derive(Debug, Clone, Default)]
pub struct Sites {
    /// Hosts and folders by their names, each with the number of the folder that it is in. Only who adds needs them.
    numbers: HashMap<(u32, Box<str>), u32>,
    /// In which folder or host each folder is; always one of a smaller number. Hosts are in none.
    parents: Column<4>,
    /// On which host each folder is, by its place in `hosts`.
    host_of: Column<4>,
    /// Where the name of each ends in `names`.
    name_ends: Column<4>,
    names: Column<1>,
    /// The numbers of the hosts.
    hosts: Column<4>,
    /// For each document the number of its folder, or [`NONE`].
    folder_of: Column<4>,
}

const NONE: u32 = u32::MAX;

impl Sites {
    /// Of so many documents, no host known yet.
    pub fn new(documents: u32) -> Self {
        Self { folder_of: Column::of(NONE.to_le_bytes(), documents), ..Self::default() }
    }

    /// A page of `host`, by its path on it; a host is known also when its page is no document of the index.
    pub fn add(&mut self, host: &str, path: &str, doc: Option<DocId>) {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        let mut number = self.number(NONE, host);
        for folder in names(folders) {
            number = self.number(number, folder);
        }
        if let Some(place) = doc.and_then(|doc| self.folder_of.rows_mut().get_mut(doc.index())) {
            *place = number.to_le_bytes();
        }
    }

    fn number(&mut self, parent: u32, name: &str) -> u32 {
        let next = self.parents.len() as u32;
        let number = *self.numbers.entry((parent, name.into())).or_insert(next);
        if number == next {
            self.parents.push(parent);
            self.names.rows_mut().extend_from_slice(name.as_bytes().as_chunks().0);
            self.name_ends.push(self.names.len() as u32);
            let host = self.host_of.number(parent as usize).unwrap_or_else(|| {
                self.hosts.push(number);
                self.hosts.len() as u32 - 1
            });
            self.host_of.push(host);
        }
        number
    }

    pub(crate) fn write(&self, parts: &mut PartsWriter) {
        for column in [&self.parents, &self.host_of, &self.name_ends, &self.hosts, &self.folder_of] {
            parts.column(column);
        }
        parts.column(&self.names);
    }

    pub(crate) fn read(parts: &mut PartsReader, documents: u32) -> Option<Self> {
        let parents = parts.any_column()?;
        let (host_of, name_ends) = (parts.column(parents.len())?, parts.column(parents.len())?);
        let (hosts, folder_of) = (parts.any_column()?, parts.column(documents as usize)?);
        let (numbers, names) = (HashMap::new(), parts.any_column()?);
        let (host_of, hosts): (Column<4>, Column<4>) = (host_of, hosts);
        let are_there = host_of.numbers().all(|host| (host as usize) < hosts.len());
        are_there.then_some(Self { numbers, parents, host_of, name_ends, names, hosts, folder_of })
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u64 {
        self.hosts.len() as u64
    }

    /// The number of the host of a document, if it is known.
    #[inline]
    pub(crate) fn of(&self, doc: DocId) -> Option<u32> {
        self.host_of.number(self.folder_of.number(doc.index())? as usize)
    }

    /// The host of a document, if it is known.
    pub fn host(&self, doc: DocId) -> Option<&str> {
        Some(self.name(self.hosts.number(self.of(doc)? as usize)?))
    }

    /// What a host or a folder is called.
    fn name(&self, number: u32) -> &str {
        let end = |number: u32| self.name_ends.number(number as usize);
        let start = number.checked_sub(1).and_then(end).unwrap_or(0);
        let name = self.names.rows().get(start as usize..end(number).unwrap_or(0) as usize);
        std::str::from_utf8(name.unwrap_or_default().as_flattened()).unwrap_or_default()
    }

    /// In how many folders a document is.
    pub fn depth(&self, doc: DocId) -> u32 {
        let mut folder = self.folder_of.number(doc.index()).unwrap_or(NONE);
        let mut depth = 0;
        while let Some(parent) = self.parents.number(folder as usize).filter(|parent| *parent < folder) {
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
        let wanted: Vec<&str> = names(path).collect();
        // How many of the wanted names each has passed on the way to it, if no other.
        let mut passed: Vec<Option<usize>> = Vec::with_capacity(self.parents.len());
        for (number, parent) in (0..).zip(self.parents.numbers()) {
            passed.push(match passed.get(parent as usize) {
                None => is_below(self.name(number)).then_some(0),
                Some(Some(before)) if *before == wanted.len() => Some(*before),
                Some(Some(before)) => (self.name(number) == wanted[*before]).then_some(before + 1),
                Some(None) => None,
            });
        }
        passed.into_iter().map(|passed| passed == Some(wanted.len())).collect()
    }

    /// Whether a document is from one of the `wanted` folders.
    pub(crate) fn is_from(&self, doc: DocId, wanted: &[bool]) -> bool {
        let folder = self.folder_of.number(doc.index()).unwrap_or(NONE);
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
