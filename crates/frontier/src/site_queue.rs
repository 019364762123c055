//! The queue of one site: its next addresses in memory, the others on disk.

use std::collections::VecDeque;

use page::Site;

use crate::weighed_urls::WeighedUrls;
use crate::{DiskQueue, DiskQueues, Error, PriorityPolicy, QueuedUrl};

/// At most this many addresses of one site are held in memory, so that one large site cannot take it all.
const IN_MEMORY_MAX: usize = 256;

/// The same where the best of them is to be found: more to choose from.
const IN_MEMORY_TO_CHOOSE_MAX: usize = 4096;

/// The queue of one site: first in first out, or that of most weight of those in memory first.
#[derive(Debug)]
pub(crate) struct SiteQueue {
    front: Front,
    overflow: DiskQueue,
}

/// The part in memory.
#[derive(Debug)]
enum Front {
    Arrival(VecDeque<QueuedUrl>),
    Weight(WeighedUrls),
}

/// What a queue needs to be told for every operation.
pub(crate) struct Surroundings<'b> {
    /// Addresses go to the disk whatever the length of this queue, and come back only when it is empty.
    pub(crate) memory_is_full: bool,
    pub(crate) disk: &'b mut DiskQueues,
    pub(crate) site: &'b Site,
    /// Asked by queues that are ordered by it.
    pub(crate) policy: Option<&'b dyn PriorityPolicy>,
}

impl Surroundings<'_> {
    fn weigh(&self, url: &QueuedUrl) -> u64 {
        self.policy.map_or(0, |policy| policy.weight(self.site, url))
    }
}

impl SiteQueue {
    pub(crate) fn new(is_by_weight: bool) -> Self {
        let front = match is_by_weight {
            true => Front::Weight(WeighedUrls::default()),
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
            Front::Weight(urls) => urls.push(url, |url| around.weigh(url)),
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
                Front::Weight(urls) => {
                    block.into_iter().for_each(|url| urls.push(url, |url| around.weigh(url)));
                }
            }
        }
        let first = match &mut self.front {
            Front::Arrival(urls) => urls.pop_front(),
            Front::Weight(urls) => urls.pop(|url| around.weigh(url)),
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
            Self::Weight(urls) => urls.len(),
        }
    }

    fn len_max(&self) -> usize {
        match self {
            Self::Arrival(_) => IN_MEMORY_MAX,
            Self::Weight(_) => IN_MEMORY_TO_CHOOSE_MAX,
        }
    }

    /// Time to bring a block from the disk. A choice is better among many.
    fn wants_more(&self, memory_is_full: bool) -> bool {
        let is_low = match self {
            Self::Arrival(_) => false,
            Self::Weight(urls) => !memory_is_full && urls.len() < IN_MEMORY_TO_CHOOSE_MAX / 2,
        };
        is_low || self.len() == 0
    }
}
