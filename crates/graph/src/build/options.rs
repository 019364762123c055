//! What a graph is built from, and how.

use page::PageUrl;

use crate::BvOptions;

/// How a graph is built.
pub struct BuildOptions<'a> {
    /// For sorting.
    pub memory_bytes: usize,
    /// How lists are compressed.
    pub bv: BvOptions,
    /// Whether links that ask not to be followed are arcs.
    pub keep_nofollow: bool,
    /// Whether targets that were never fetched are nodes.
    pub keep_off_crawl: bool,
    /// The registrable domain of a host.
    pub domain_of: &'a dyn for<'h> Fn(&'h str) -> &'h str,
}

impl Default for BuildOptions<'_> {
    /// Standard compression in 256 MiB, with nofollow links, without targets that were not fetched; each host its own domain.
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            bv: BvOptions::standard(),
            keep_nofollow: true,
            keep_off_crawl: false,
            domain_of: &|host| host,
        }
    }
}

/// A link as a page has it.
#[derive(Debug, Clone, Copy)]
pub struct LinkRecord<'a> {
    /// The page.
    pub source: &'a PageUrl,
    /// Where the link points to.
    pub target: &'a PageUrl,
    /// The words of the link.
    pub anchor: &'a str,
    /// It stands in the navigation, header or footer.
    pub is_navigation: bool,
    /// The page asks not to follow it.
    pub is_nofollow: bool,
}

impl LinkRecord<'_> {
    pub(super) fn stored_flags(&self) -> u8 {
        u8::from(self.is_navigation) | u8::from(self.is_nofollow) << 1
    }
}
