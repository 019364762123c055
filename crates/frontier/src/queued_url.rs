//! An address that waits.

use page::{Ordinal, PageUrl, Site};

/// An address that waits in the queue of its site. Only what differs from the site is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedUrl {
    /// Its place in the ready log.
    pub ordinal: Ordinal,
    /// How many links away from a seed.
    pub depth: u16,
    /// How many redirects away from the address that was found.
    pub hops: u8,
    /// How often it was tried in vain.
    pub tries: u8,
    /// Path and query.
    pub path: Box<str>,
}

impl QueuedUrl {
    /// An address that was not tried yet.
    pub fn new(ordinal: Ordinal, depth: u16, hops: u8, url: &PageUrl) -> Self {
        Self { ordinal, depth, hops, tries: 0, path: url.path_and_query().into() }
    }

    /// The whole address again.
    pub fn url(&self, site: &Site) -> PageUrl {
        let text = format!("{}{}", site.as_str(), self.path);
        PageUrl::from_normalised(&text).expect("site and path come from one address")
    }

    /// What it costs in memory, about.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.path.len() + 16
    }
}
