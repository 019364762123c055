//! Which host each document is from, as plain numbers: this crate does not know what a page table is.
//!
//! Cost: four bytes per document, and the name of each host once.

use std::collections::HashMap;

use page::DocId;

/// The hosts of the documents of an index.
#[derive(Debug, Clone, Default)]
pub struct Sites {
    numbers: HashMap<String, u32>,
    /// For each document the number of its host, or [`NO_SITE`].
    site_of: Vec<u32>,
}

const NO_SITE: u32 = u32::MAX;

impl Sites {
    /// Of so many documents, no host known yet.
    pub fn new(documents: u32) -> Self {
        Self { numbers: HashMap::new(), site_of: vec![NO_SITE; documents as usize] }
    }

    /// A page of `host`; a host is known also when its page is no document of the index.
    pub fn add(&mut self, host: &str, doc: Option<DocId>) {
        let number = match self.numbers.get(host) {
            Some(number) => *number,
            None => {
                let number = self.numbers.len() as u32;
                self.numbers.insert(host.to_owned(), number);
                number
            }
        };
        if let Some(place) = doc.and_then(|doc| self.site_of.get_mut(doc.index())) {
            *place = number;
        }
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u64 {
        self.numbers.len() as u64
    }

    /// For each host whether it is `site` or below it.
    pub(crate) fn below(&self, site: &str) -> Vec<bool> {
        let is_below = |host: &str| {
            host.strip_suffix(site).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let mut below = vec![false; self.numbers.len()];
        for (host, number) in &self.numbers {
            below[*number as usize] = is_below(host);
        }
        below
    }

    /// Whether a document is from one of the `wanted` hosts.
    pub(crate) fn is_from(&self, doc: DocId, wanted: &[bool]) -> bool {
        let site = self.site_of.get(doc.index()).copied().unwrap_or(NO_SITE);
        wanted.get(site as usize).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_its_hosts_and_those_below() {
        let mut sites = Sites::new(4);
        for (host, doc) in ["a.org", "b.a.org", "ba.org", "org.b"].iter().zip((0..).map(DocId::new)) {
            sites.add(host, Some(doc));
        }
        sites.add("a.org", None);
        let found = |site: &str| {
            (0..5).filter(|doc| sites.is_from(DocId::new(*doc), &sites.below(site))).collect::<Vec<u32>>()
        };
        assert_eq!(found("a.org"), [0, 1]);
        assert_eq!(found("org"), [0, 1, 2]);
        assert_eq!(found("b"), [3]);
        assert_eq!(found("c"), [] as [u32; 0]);
        assert_eq!(sites.hosts(), 4);
    }
}
