//! The queue of one site: its next addresses in memory, the others on disk.

use std::collections::VecDeque;

use page::{PageUrl, Site};

use crate::importance::WeighedUrls;
use crate::{DiskQueue, DiskQueues, Error, Importance};

/// At most this many addresses of one site are held in memory, so that one large site cannot take it all.
const IN_MEMORY_MAX: usize = 256;

/// The same where the best of them is to be found: more to choose from.
const IN_MEMORY_TO_CHOOSE_MAX: usize = 4096;

/// An address that waits in the queue of its site. Only what differs from the site is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedUrl {
    /// Its place in the ready log.
    pub ordinal: u64,
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
    pub fn new(ordinal: u64, depth: u16, hops: u8, url: &PageUrl) -> Self {
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

/// The queue of one site: first in first out, or the most important of those in memory first.
#[derive(Debug)]
pub(crate) struct SiteQueue {
    front: Front,
    overflow: DiskQueue,
}

/// The part in memory.
#[derive(Debug)]
enum Front {
    Arrival(VecDeque<QueuedUrl>),
    Importance(WeighedUrls),
}

/// What a queue needs to be told for every operation.
pub(crate) struct Surroundings<'b> {
    /// Addresses go to the disk whatever the length of this queue, and come back only when it is empty.
    pub(crate) memory_is_full: bool,
    pub(crate) disk: &'b mut DiskQueues,
    pub(crate) site: &'b Site,
    /// Asked by queues that are ordered by it.
    pub(crate) importance: Option<&'b dyn Importance>,
}

impl Surroundings<'_> {
    fn weigh(&self, url: &QueuedUrl) -> u64 {
        self.importance.map_or(0, |importance| importance.of(self.site, url))
    }
}

impl SiteQueue {
    pub(crate) fn new(is_by_importance: bool) -> Self {
        let front = match is_by_importance {
            true => Front::Importance(WeighedUrls::default()),
            false => Front::Arrival(VecDeque::new()),
        };
        Self { front, overflow: DiskQueue::default() }
    }

    /// Adds an address. Returns the bytes of memory it took.
    pub(crate) fn push(&mut self, url: QueuedUrl, around: Surroundings<'_>) -> Result<usize, Error> {
        // Whoever comes after an address on disk has to queue behind it.
        let goes_to_disk = !self.overflow.is_empty()
            || self.front.len() >= self.front.len_max()
            || (around.memory_is_full && self.front.len() > 0);
        if goes_to_disk {
            around.disk.push(&mut self.overflow, &url)?;
            return Ok(0);
        }
        let bytes = url.memory_bytes();
        match &mut self.front {
            Front::Arrival(urls) => urls.push_back(url),
            Front::Importance(urls) => urls.push(url, |url| around.weigh(url)),
        }
        Ok(bytes)
    }

    /// Takes the next address. Returns it and the change of memory, in bytes.
    pub(crate) fn pop(&mut self, around: Surroundings<'_>) -> Result<(Option<QueuedUrl>, isize), Error> {
        let mut change = 0;
        if self.front.wants_more(around.memory_is_full) {
            let mut block = VecDeque::new();
            around.disk.pop_block(&mut self.overflow, &mut block)?;
            change += block.iter().map(|url| url.memory_bytes() as isize).sum::<isize>();
            match &mut self.front {
                Front::Arrival(urls) => *urls = block,
                Front::Importance(urls) => {
                    block.into_iter().for_each(|url| urls.push(url, |url| around.weigh(url)));
                }
            }
        }
        let first = match &mut self.front {
            Front::Arrival(urls) => urls.pop_front(),
            Front::Importance(urls) => urls.pop(|url| around.weigh(url)),
        };
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
        self.front.len() == 0 && self.overflow.is_empty()
    }
}

impl Front {
    fn len(&self) -> usize {
        match self {
            Self::Arrival(urls) => urls.len(),
            Self::Importance(urls) => urls.len(),
        }
    }

    fn len_max(&self) -> usize {
        match self {
            Self::Arrival(_) => IN_MEMORY_MAX,
            Self::Importance(_) => IN_MEMORY_TO_CHOOSE_MAX,
        }
    }

    /// Time to bring a block from the disk. A choice is better among many.
    fn wants_more(&self, memory_is_full: bool) -> bool {
        let is_low = match self {
            Self::Arrival(_) => false,
            Self::Importance(urls) => !memory_is_full && urls.len() < IN_MEMORY_TO_CHOOSE_MAX / 2,
        };
        is_low || self.len() == 0
    }
}
