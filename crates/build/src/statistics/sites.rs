//! What a collection has of each of its sites.

use std::collections::HashMap;

use serde::Serialize;
use store::{PageRecord, RecordKind};

/// So many sites are told by name, those with the most pages.
const NAMED_MAX: usize = 1000;

/// The numbers of one site, which is a scheme, a host and a port.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct SiteStats {
    /// Its address without a path.
    pub site: String,
    /// Pages with content.
    pub pages: u64,
    /// Addresses that robots.txt forbids.
    pub forbidden: u64,
    /// Answers that are no page, and addresses that gave none, each time that they were asked for.
    pub other: u64,
    /// Bytes of its pages.
    pub body_bytes: u64,
}

/// Counts what there is of each site.
#[derive(Debug, Default)]
pub struct SiteCounts(HashMap<Box<str>, SiteStats>);

impl SiteCounts {
    /// Counts what became of an address.
    pub fn add(&mut self, record: &PageRecord) {
        let site = record.url.site_str();
        if !self.0.contains_key(site) {
            self.0.insert(site.into(), SiteStats { site: site.to_owned(), ..SiteStats::default() });
        }
        let Some(counts) = self.0.get_mut(site) else { return };
        match record.kind {
            RecordKind::Forbidden => counts.forbidden += 1,
            RecordKind::Robots => {}
            _ if record.is_page() => {
                counts.pages += 1;
                counts.body_bytes += record.body_bytes;
            }
            _ => counts.other += 1,
        }
    }

    /// The sites with the most pages, those first.
    pub fn largest(self) -> Vec<SiteStats> {
        let mut sites: Vec<SiteStats> = self.0.into_values().collect();
        sites.sort_by(|left, right| right.pages.cmp(&left.pages).then(left.site.cmp(&right.site)));
        sites.truncate(NAMED_MAX);
        sites
    }
}
