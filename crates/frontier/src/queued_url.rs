//! An address that waits.

use journal::{FieldReader, FieldWriter, Malformed};
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

    /// Writes it behind others.
    pub(crate) fn encode(&self, fields: &mut FieldWriter) {
        fields.number(self.ordinal.get()).number(u64::from(self.depth));
        fields.number(u64::from(self.hops)).number(u64::from(self.tries)).text(&self.path);
    }

    /// Reads one that was written.
    pub(crate) fn decode(fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            ordinal: Ordinal::new(fields.number()?),
            depth: fields.small()?,
            hops: fields.small()?,
            tries: fields.small()?,
            path: fields.text()?.into(),
        })
    }
}
