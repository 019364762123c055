//! The queue of one site: its next addresses in memory, the others on disk.
//!
//! Where addresses are taken in the order of arrival, the first are in memory and the others queue behind them. Where the one
//! of most weight is next, the heaviest are in memory, and what is on disk stands in *bands* by the power of two of its
//! weight, each in the order of arrival. Whoever is heavier than all bands on disk goes to memory; if that is full, its lighter
//! half goes to the bands first. So the order is exact among what is in memory, and within a factor of two beyond it.
//!
//! Cost: each address goes to disk and back at most a few times, whatever the weights; nothing is searched for.

use std::collections::VecDeque;

use journal::{FieldReader, FieldWriter, Malformed};
use page::Site;

use crate::disk_queue::DiskQueue;
use crate::scratch_log::ScratchLog;
use crate::weighed_urls::WeighedUrls;
use crate::{Error, PriorityPolicy, QueuedUrl};

/// At most this many addresses of one site are held in memory, so that one large site cannot take it all.
const IN_MEMORY_MAX: usize = 256;

/// The same where the best of them is to be found: more to choose from.
const IN_MEMORY_TO_CHOOSE_MAX: usize = 4096;

/// A queue with fewer addresses in memory gives none of them to the disk for a heavier one.
const IN_MEMORY_TO_HALVE_MIN: usize = 16;

/// So many addresses come from the disk when memory is full, and so many go there with their host and come back with it.
const IN_FULL_MEMORY_MAX: usize = 16;

/// Weights of more bits are in one band.
const BAND_MAX: u32 = 28;

/// The queue of one site: first in first out, or that of most weight of those in memory first.
#[derive(Debug)]
pub(crate) struct SiteQueue {
    front: Front,
    front_bytes: usize,
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
    pub(crate) log: &'b mut ScratchLog,
    /// The number of the site.
    pub(crate) owner: u32,
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
        Self { front, front_bytes: 0, bands: Vec::new() }
    }

    /// Adds an address.
    pub(crate) fn push(&mut self, url: QueuedUrl, mut around: Surroundings<'_>) -> Result<(), Error> {
        let weight = around.weigh(&url);
        let mut was_halved = false;
        if self.goes_to_memory(weight) && !self.has_room(around.memory_is_full) {
            was_halved = self.halve(weight, &mut around)?;
        }
        if !self.goes_to_memory(weight) || !self.has_room(around.memory_is_full && !was_halved) {
            let band = if matches!(self.front, Front::Weight(_)) { band_of(weight) } else { 0 };
            return self.push_to_disk(band, &url, &mut around);
        }
        self.push_to_memory(url, weight);
        Ok(())
    }

    fn push_to_memory(&mut self, url: QueuedUrl, weight: u64) {
        self.front_bytes += url.memory_bytes();
        match &mut self.front {
            Front::Arrival(urls) => {
                if urls.is_empty() {
                    urls.reserve_exact(1);
                }
                urls.push_back(url);
            }
            Front::Weight(urls) => urls.push_weighed(url, weight),
        }
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
    fn halve(&mut self, newcomer: u64, around: &mut Surroundings<'_>) -> Result<bool, Error> {
        let Front::Weight(urls) = &self.front else { return Ok(false) };
        if urls.len() < IN_MEMORY_TO_HALVE_MIN || urls.weight_min() >= newcomer {
            return Ok(false);
        }
        self.shorten(urls.len() - urls.len() / 2, around)?;
        Ok(true)
    }

    /// The band, which is there from now on.
    fn band(&mut self, band: u32) -> &mut DiskQueue {
        let place = self.bands.partition_point(|(other, _)| *other > band);
        if self.bands.get(place).is_none_or(|(other, _)| *other != band) {
            // Most queues have one, and there are many queues.
            self.bands.reserve_exact(1);
            self.bands.insert(place, (band, DiskQueue::default()));
        }
        &mut self.bands[place].1
    }

    fn push_to_disk(
        &mut self,
        band: u32,
        url: &QueuedUrl,
        around: &mut Surroundings<'_>,
    ) -> Result<(), Error> {
        self.band(band).push(url, around.owner, around.log)
    }

    /// Takes the next address.
    pub(crate) fn pop(&mut self, around: Surroundings<'_>) -> Result<Option<QueuedUrl>, Error> {
        if self.wants_more(around.memory_is_full)
            && let Some((_, band)) = self.bands.first_mut()
        {
            let urls_max = if around.memory_is_full { IN_FULL_MEMORY_MAX } else { usize::MAX };
            let mut block = VecDeque::new();
            band.pop(urls_max, around.log, &mut block)?;
            if band.is_empty() {
                self.bands.remove(0);
            }
            for url in block {
                let weight = around.weigh(&url);
                self.push_to_memory(url, weight);
            }
        }
        let first = match &mut self.front {
            Front::Arrival(urls) => urls.pop_front(),
            Front::Weight(urls) => urls.pop(|url| around.weigh(url)),
        };
        if self.front.len() == 0 {
            self.front = Self::new(matches!(self.front, Front::Weight(_))).front;
        }
        self.front_bytes -= first.as_ref().map_or(0, QueuedUrl::memory_bytes);
        Ok(first)
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

    /// Gives all but so many of what is in memory to the disk. They come before what is there, since they came first.
    fn shorten(&mut self, kept: usize, around: &mut Surroundings<'_>) -> Result<(), Error> {
        let excess = self.front.len().saturating_sub(kept);
        let urls: Vec<(u32, QueuedUrl)> = match &mut self.front {
            Front::Arrival(urls) => urls.drain(urls.len() - excess..).map(|url| (0, url)).collect(),
            Front::Weight(urls) => {
                let lighter = urls.take_lighter(excess, |url| around.weigh(url));
                lighter.into_iter().map(|(weight, url)| (band_of(weight), url)).collect()
            }
        };
        self.front_bytes -= urls.iter().map(|(_, url)| url.memory_bytes()).sum::<usize>();
        for same_band in urls.chunk_by(|(left, _), (right, _)| left == right) {
            let urls: Vec<QueuedUrl> = same_band.iter().map(|(_, url)| url.clone()).collect();
            self.band(same_band[0].0).push_front(&urls, around.owner, around.log)?;
        }
        Ok(())
    }

    /// Writes everything down, for a host that goes to disk.
    pub(crate) fn encode(
        &mut self,
        mut around: Surroundings<'_>,
        fields: &mut FieldWriter,
    ) -> Result<(), Error> {
        self.shorten(IN_FULL_MEMORY_MAX, &mut around)?;
        fields.number(self.front.len() as u64);
        match &self.front {
            Front::Arrival(urls) => urls.iter().for_each(|url| url.encode(fields)),
            Front::Weight(urls) => urls.iter().for_each(|url| url.encode(fields)),
        }
        fields.number(self.bands.len() as u64);
        for (band, queue) in &mut self.bands {
            fields.number(u64::from(*band));
            queue.encode(around.owner, around.log, fields)?;
        }
        Ok(())
    }

    /// Reads what was written.
    pub(crate) fn decode(fields: &mut FieldReader<'_>, around: &Surroundings<'_>) -> Result<Self, Malformed> {
        let mut queue = Self::new(around.policy.is_some());
        for _ in 0..fields.number()? {
            let url = QueuedUrl::decode(fields)?;
            let weight = around.weigh(&url);
            queue.push_to_memory(url, weight);
        }
        let bands: usize = fields.small()?;
        queue.bands.reserve_exact(bands.min(BAND_MAX as usize + 1));
        for _ in 0..bands {
            queue.bands.push((fields.small()?, DiskQueue::decode(fields)?));
        }
        Ok(queue)
    }

    /// Writes what it has in one segment of the file anew.
    pub(crate) fn leave(&mut self, segment: u32, owner: u32, log: &mut ScratchLog) -> Result<(), Error> {
        self.bands.iter_mut().try_for_each(|(_, queue)| queue.leave(segment, owner, log))
    }

    /// Are there blocks of it in the file?
    pub(crate) fn has_blocks(&self) -> bool {
        self.bands.iter().any(|(_, queue)| queue.has_blocks())
    }

    /// Are there any in that segment?
    pub(crate) fn has_in(&self, segment: u32, log: &ScratchLog) -> bool {
        self.bands.iter().any(|(_, queue)| queue.has_in(segment, log))
    }

    /// How many addresses are in memory.
    pub(crate) fn len_in_memory(&self) -> u64 {
        self.front.len() as u64
    }

    /// What it takes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        let bands = self.bands.iter().map(|(_, queue)| queue.memory_bytes() + size_of::<(u32, DiskQueue)>());
        let unused = match &self.front {
            Front::Arrival(urls) => (urls.capacity() - urls.len()) * size_of::<QueuedUrl>(),
            Front::Weight(urls) => urls.unused_bytes(),
        };
        self.front_bytes + unused + bands.sum::<usize>()
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
