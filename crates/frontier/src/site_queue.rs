//! The queue of one site: its next addresses in memory, the others on disk.

use std::collections::VecDeque;

use page::{PageUrl, Site};

use crate::{DiskQueue, DiskQueues, Error};

/// At most this many addresses of one site are held in memory, so that one large site cannot take it all.
const IN_MEMORY_MAX: usize = 256;

/// An address that waits in the queue of its site. Only what differs from the site is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedUrl {
    /// Its place in the ready log.
    pub ordinal: u64,
    /// How many links away from a seed.
    pub depth: u16,
    /// How often it was tried in vain.
    pub tries: u8,
    /// Path and query.
    pub path: Box<str>,
}

impl QueuedUrl {
    /// An address that was not tried yet.
    pub fn new(ordinal: u64, depth: u16, url: &PageUrl) -> Self {
        Self { ordinal, depth, tries: 0, path: url.path_and_query().into() }
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

/// The queue of one site, first in first out.
#[derive(Debug, Default)]
pub(crate) struct SiteQueue {
    front: VecDeque<QueuedUrl>,
    overflow: DiskQueue,
}

impl SiteQueue {
    /// Adds an address at the end. `memory_is_full` sends it to the disk whatever the length of this queue.
    /// Returns the bytes of memory it took.
    pub(crate) fn push(
        &mut self,
        url: QueuedUrl,
        memory_is_full: bool,
        disk: &mut DiskQueues,
    ) -> Result<usize, Error> {
        // Whoever comes after an address on disk has to queue behind it.
        let goes_to_disk = !self.overflow.is_empty()
            || self.front.len() >= IN_MEMORY_MAX
            || (memory_is_full && !self.front.is_empty());
        if goes_to_disk {
            disk.push(&mut self.overflow, &url)?;
            return Ok(0);
        }
        let bytes = url.memory_bytes();
        self.front.push_back(url);
        Ok(bytes)
    }

    /// Takes the first address. Returns it and the change of memory, in bytes.
    pub(crate) fn pop(&mut self, disk: &mut DiskQueues) -> Result<(Option<QueuedUrl>, isize), Error> {
        let mut change = 0;
        if self.front.is_empty() {
            disk.pop_block(&mut self.overflow, &mut self.front)?;
            change += self.front.iter().map(|url| url.memory_bytes() as isize).sum::<isize>();
        }
        let first = self.front.pop_front();
        change -= first.as_ref().map_or(0, |url| url.memory_bytes() as isize);
        Ok((first, change))
    }

    pub(crate) fn overflow(&mut self) -> &mut DiskQueue {
        &mut self.overflow
    }

    pub(crate) fn len(&self) -> u64 {
        self.front.len() as u64 + self.overflow.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.front.is_empty() && self.overflow.is_empty()
    }
}
