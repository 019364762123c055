//! The queue of one site: its next addresses in memory, the others on disk.
//!
//! Where addresses are taken in the order of arrival, the first are in memory and the others queue behind them. Where the one
//! of most weight is next, the heaviest are in memory, and what is on disk stands in *bands* by the power of two of its
//! weight, each in the order of arrival. Whoever is heavier than all bands on disk goes to memory; if that is full, its lighter
//! half goes to the bands first. So the order is exact among what is in memory, and within a factor of two beyond it.
//!
//! Cost: each address goes to disk and back at most a few times, whatever the weights; nothing is searched for.

use std::collections::VecDeque;

use page::Site;

use crate::weighed_urls::WeighedUrls;
use crate::{DiskQueue, DiskQueues, Error, PriorityPolicy, QueuedUrl};

/// At most this many addresses of one site are held in memory, so that one large site cannot take it all.
const IN_MEMORY_MAX: usize = 256;

/// The same where the best of them is to be found: more to choose from.
const IN_MEMORY_TO_CHOOSE_MAX: usize = 4096;

/// A queue with fewer addresses in memory gives none of them to the disk for a heavier one.
const IN_MEMORY_TO_HALVE_MIN: usize = 16;

/// Weights of more bits are in one band.
const BAND_MAX: u32 = 28;

/// The queue of one site: first in first out, or that of most weight of those in memory first.
#[derive(Debug)]
pub(crate) struct SiteQueue {
    front: Front,
    /// What is on disk, by band, the heaviest first; a queue in the order of arrival has one band. None is empty.
    bands: Vec<(u32, DiskQueue)>,
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

fn band_of(weight: u64) -> u32 {
    (u64::BITS - weight.leading_zeros()).min(BAND_MAX)
}

impl SiteQueue {
    pub(crate) fn new(is_by_weight: bool) -> Self {
        let front = match is_by_weight {
            true => Front::Weight(WeighedUrls::default()),
            false => Front::Arrival(VecDeque::new()),
        };
        Self { front, bands: Vec::new() }
    }

    /// Adds an address. Returns the change of memory, in bytes.
    pub(crate) fn push(&mut self, url: QueuedUrl, mut around: Surroundings<'_>) -> Result<isize, Error> {
        let bytes = url.memory_bytes() as isize;
        let weight = around.weigh(&url);
        let mut change = 0;
        if self.goes_to_memory(weight) && !self.has_room(around.memory_is_full) {
            change -= self.halve(weight, &mut around)?;
        }
        if !self.goes_to_memory(weight) || !self.has_room(around.memory_is_full && change == 0) {
            let band = if matches!(self.front, Front::Weight(_)) { band_of(weight) } else { 0 };
            self.push_to_disk(band, &url, around.disk)?;
            return Ok(change);
        }
        match &mut self.front {
            Front::Arrival(urls) => urls.push_back(url),
            Front::Weight(urls) => urls.push_weighed(url, weight),
        }
        Ok(change + bytes)
    }

    /// Is an address before all that are on disk? Whoever comes after one of its own band has to queue behind it.
    fn goes_to_memory(&self, weight: u64) -> bool {
        match (self.bands.first(), &self.front) {
            (None, _) => true,
            (Some(_), Front::Arrival(_)) => false,
            (Some((best, _)), Front::Weight(_)) => band_of(weight) > *best,
        }
    }

    fn has_room(&self, memory_is_full: bool) -> bool {
        let len = self.front.len();
        len == 0 || (len < self.front.len_max() && !memory_is_full)
    }

    /// Gives the lighter half of what is in memory to the disk, if there are many and some are lighter than a newcomer.
    /// Returns the bytes that are free now.
    fn halve(&mut self, newcomer: u64, around: &mut Surroundings<'_>) -> Result<isize, Error> {
        let Front::Weight(urls) = &mut self.front else { return Ok(0) };
        if urls.len() < IN_MEMORY_TO_HALVE_MIN || urls.weight_min() >= newcomer {
            return Ok(0);
        }
        let mut bytes = 0;
        for (weight, url) in
            urls.take_lighter_half(|url| around.policy.map_or(0, |policy| policy.weight(around.site, url)))
        {
            bytes += url.memory_bytes() as isize;
            self.push_to_disk(band_of(weight), &url, around.disk)?;
        }
        Ok(bytes)
    }

    fn push_to_disk(&mut self, band: u32, url: &QueuedUrl, disk: &mut DiskQueues) -> Result<(), Error> {
        let place = self.bands.partition_point(|(other, _)| *other > band);
        if self.bands.get(place).is_none_or(|(other, _)| *other != band) {
            self.bands.insert(place, (band, DiskQueue::default()));
        }
        disk.push(&mut self.bands[place].1, url)
    }

    /// Takes the next address. Returns it and the change of memory, in bytes.
    pub(crate) fn pop(&mut self, around: Surroundings<'_>) -> Result<(Option<QueuedUrl>, isize), Error> {
        let mut change = 0;
        if self.wants_more(around.memory_is_full)
            && let Some((_, band)) = self.bands.first_mut()
        {
            let mut block = VecDeque::new();
            around.disk.pop_block(band, &mut block)?;
            if band.is_empty() {
                self.bands.remove(0);
            }
            change += block.iter().map(|url| url.memory_bytes() as isize).sum::<isize>();
            match &mut self.front {
                Front::Arrival(urls) => *urls = block,
                Front::Weight(urls) => {
                    for url in block {
                        let weight = around.weigh(&url);
                        urls.push_weighed(url, weight);
                    }
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

    /// Time to bring a block from the disk: nothing is in memory, nothing as heavy, or too few for a good choice.
    fn wants_more(&self, memory_is_full: bool) -> bool {
        match (&self.front, self.bands.first()) {
            (Front::Weight(urls), Some((best, _))) => {
                let is_low = !memory_is_full && urls.len() < IN_MEMORY_TO_CHOOSE_MAX / 2;
                is_low || urls.weight_max().is_none_or(|weight| band_of(weight) < *best)
            }
            (front, _) => front.len() == 0,
        }
    }

    /// What is on disk.
    pub(crate) fn overflow(&mut self) -> impl Iterator<Item = &mut DiskQueue> {
        self.bands.iter_mut().map(|(_, queue)| queue)
    }

    /// How many addresses are on disk.
    pub(crate) fn len_on_disk(&self) -> u64 {
        self.bands.iter().map(|(_, queue)| queue.len()).sum()
    }

    pub(crate) fn len(&self) -> u64 {
        self.front.len() as u64 + self.len_on_disk()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.front.len() == 0 && self.bands.is_empty()
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
}
