//! Which hosts are in memory, and how the others go to disk and come back.
//!
//! A host that is *resident* has its name, the first addresses of its queue and what the caller keeps of it in memory. When all of
//! them take more than they may, those go to the [scratch file](crate::scratch_log) whose turn is furthest, of a few that are
//! drawn at random: the one that was visited last is due last, so that to keep what was used most recently would be the
//! worst choice. A host comes back when it has its turn.
//!
//! An address that comes for a host on disk does not bring it back: it is written behind it, as *mail*, and names the entry
//! before it. Who comes back reads this chain from its end. After sixty-four such addresses a host comes back for a moment to put
//! them into its queue.
//!
//! ```text
//! host = has blocks (0 or 1), site, queue, what the caller keeps           in pieces, if it is large
//! mail = address
//! ```
//!
//! Cost: a host that is on disk takes nothing here; one that comes and goes costs a read of its record and one of each mail.

use std::sync::Arc;

use journal::{FieldReader, FieldWriter, Malformed};
use page::{PageUrl, Site};

use crate::host_table::{Flag, HostTable, Moment};
use crate::scratch_log::{Kind, Place, ScratchLog, malformed_at};
use crate::site_queue::{SiteQueue, Surroundings};
use crate::{Error, PriorityPolicy, QueuedUrl};

/// So many hosts are looked at to find one that can go, and so often if none of them can.
const DRAWN: usize = 8;
const DRAWS_MAX: usize = 4;

/// After so many addresses a host on disk comes back to put them into its queue.
const MAILS_MAX: u64 = 64;

/// What a caller keeps of a host, which goes to disk with it.
pub trait Kept: Sized {
    /// Says whether nothing would be lost: connections and conversations cannot be written down.
    fn may_leave(&self) -> bool;

    /// Says how much memory it takes, about.
    fn memory_bytes(&self) -> usize;

    /// Writes it down.
    fn encode(&self, fields: &mut FieldWriter);

    /// Reads what was written.
    fn decode(fields: &mut FieldReader<'_>) -> Result<Self, Malformed>;
}

impl Kept for () {
    fn may_leave(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        0
    }

    fn encode(&self, _: &mut FieldWriter) {}

    fn decode(_: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        Ok(())
    }
}

/// A host that is in memory, with what the caller keeps of it.
#[derive(Debug)]
pub struct VisitState<T> {
    id: u32,
    site: Site,
    queue: SiteQueue,
    pub(crate) errands: u32,
    /// It rests at least until then, whatever its place in the heap says.
    pub(crate) not_before: Moment,
    /// What was last counted of its queue, and of everything else.
    queue_bytes: usize,
    other_bytes: usize,
    /// What the caller keeps about the site.
    pub data: T,
}

impl<T> VisitState<T> {
    /// The site itself.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// How many of its addresses wait in memory.
    pub fn queue_len_in_memory(&self) -> u64 {
        self.queue.len_in_memory()
    }
}

/// What is in the file of a host.
struct Chain {
    record: Vec<u8>,
    /// The oldest first.
    mails: Vec<Vec<u8>>,
    /// Where the entries are, and how long.
    entries: Vec<(Place, usize)>,
}

/// The hosts in memory, and the file for the others.
#[derive(Debug)]
pub(crate) struct Residents<T> {
    states: Vec<Box<VisitState<T>>>,
    pub(crate) log: ScratchLog,
    pub(crate) priority: Option<Arc<dyn PriorityPolicy>>,
    queue_bytes: usize,
    other_bytes: usize,
    pub(crate) bytes_max: usize,
    /// How long a machine rests between two of its hosts.
    address_delay: Moment,
    random: u64,
}

impl<T: Kept> Residents<T> {
    pub(crate) fn new(log: ScratchLog, bytes_max: usize, address_delay: Moment) -> Self {
        Self {
            states: Vec::new(),
            log,
            priority: None,
            queue_bytes: 0,
            other_bytes: 0,
            bytes_max,
            address_delay,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// The memory that queues take.
    pub(crate) fn queue_bytes(&self) -> usize {
        self.queue_bytes
    }

    /// The memory that all hosts and queues take.
    pub(crate) fn bytes(&self) -> usize {
        self.queue_bytes + self.other_bytes
    }

    /// Is memory so full that queues keep to the disk? Before the first host has to leave.
    fn is_full(&self) -> bool {
        self.bytes() > self.bytes_max / 8 * 7
    }

    pub(crate) fn get(&self, index: usize) -> &VisitState<T> {
        &self.states[index]
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> &mut VisitState<T> {
        &mut self.states[index]
    }

    /// Takes in a host that is new.
    pub(crate) fn add(&mut self, table: &mut HostTable, id: u32, site: Site, data: T) {
        let queue = SiteQueue::new(self.priority.is_some());
        self.enter(
            table,
            VisitState { id, site, queue, errands: 0, not_before: 0, queue_bytes: 0, other_bytes: 0, data },
        );
    }

    fn enter(&mut self, table: &mut HostTable, state: VisitState<T>) -> usize {
        let index = self.states.len();
        table.get_mut(state.id).set_resident(index);
        self.states.push(Box::new(state));
        self.count(index);
        self.count_queue(index);
        index
    }

    /// Counts what a host takes beside its queue.
    pub(crate) fn count(&mut self, index: usize) {
        let state = &mut *self.states[index];
        let bytes = size_of::<VisitState<T>>() + 32 + state.site.as_str().len() + state.data.memory_bytes();
        self.other_bytes = self.other_bytes + bytes - state.other_bytes;
        state.other_bytes = bytes;
    }

    fn count_queue(&mut self, index: usize) {
        let state = &mut *self.states[index];
        let bytes = state.queue.memory_bytes();
        self.queue_bytes = self.queue_bytes + bytes - state.queue_bytes;
        state.queue_bytes = bytes;
    }

    /// The queue of a host and what it needs to know.
    fn queue(&mut self, index: usize) -> (&mut SiteQueue, Surroundings<'_>) {
        let memory_is_full = self.is_full();
        let VisitState { id, site, queue, .. } = &mut *self.states[index];
        let policy = self.priority.as_deref();
        (queue, Surroundings { memory_is_full, log: &mut self.log, owner: *id, site, policy })
    }

    /// Adds an address to the queue of a host, wherever that is.
    pub(crate) fn push(&mut self, table: &mut HostTable, id: u32, url: QueuedUrl) -> Result<(), Error> {
        table.get_mut(id).queue_len += 1;
        if let Some(index) = table.get(id).resident() {
            return self.push_here(index, url);
        }
        let mut fields = FieldWriter::new();
        url.encode(&mut fields);
        let place = self.log.append(id, Kind::Mail, Some(table.get(id).place()), fields.as_bytes())?;
        if table.get_mut(id).add_mail(place) >= MAILS_MAX {
            self.wake(table, id)?;
        }
        Ok(())
    }

    fn push_here(&mut self, index: usize, url: QueuedUrl) -> Result<(), Error> {
        let (queue, around) = self.queue(index);
        queue.push(url, around)?;
        self.count_queue(index);
        Ok(())
    }

    /// Takes the next address of a host that is in memory.
    pub(crate) fn pop(
        &mut self,
        table: &mut HostTable,
        id: u32,
        index: usize,
    ) -> Result<Option<QueuedUrl>, Error> {
        let (queue, around) = self.queue(index);
        let url = queue.pop(around)?;
        table.get_mut(id).queue_len -= u32::from(url.is_some());
        self.count_queue(index);
        Ok(url)
    }

    /// Has a host in memory until there is need of room again. Returns its number there.
    pub(crate) fn wake(&mut self, table: &mut HostTable, id: u32) -> Result<usize, Error> {
        if let Some(index) = table.get(id).resident() {
            return Ok(index);
        }
        let place = table.get(id).place();
        let chain = self.read_chain(place)?;
        chain.entries.iter().for_each(|(place, bytes)| self.log.forget(*place, *bytes));
        let malformed = |Malformed| malformed_at(place);
        let state = self.decode(id, &chain.record).map_err(malformed)?;
        let index = self.enter(table, state);
        for mail in &chain.mails {
            let url = QueuedUrl::decode(&mut FieldReader::new(mail)).map_err(malformed)?;
            self.push_here(index, url)?;
        }
        Ok(index)
    }

    /// Reads all that the file has of a host.
    fn read_chain(&self, last: Place) -> Result<Chain, Error> {
        let (mut pieces, mut chain) =
            (Vec::new(), Chain { record: Vec::new(), mails: Vec::new(), entries: Vec::new() });
        let mut next = Some(last);
        while let Some(place) = next {
            let entry = self.log.read(place)?;
            chain.entries.push((place, entry.bytes));
            match entry.kind {
                Kind::Mail => chain.mails.push(entry.payload),
                _ => pieces.push(entry.payload),
            }
            next = entry.before;
        }
        chain.mails.reverse();
        pieces.reverse();
        chain.record = if pieces.len() == 1 { pieces.remove(0) } else { pieces.concat() };
        Ok(chain)
    }

    fn decode(&mut self, id: u32, record: &[u8]) -> Result<VisitState<T>, Malformed> {
        let mut fields = FieldReader::new(record);
        let _has_blocks = fields.number()?;
        let (site, queue) = self.decode_queue(id, &mut fields)?;
        let data = T::decode(&mut fields)?;
        Ok(VisitState { id, site, queue, errands: 0, not_before: 0, queue_bytes: 0, other_bytes: 0, data })
    }

    fn decode_queue(
        &mut self,
        id: u32,
        fields: &mut FieldReader<'_>,
    ) -> Result<(Site, SiteQueue), Malformed> {
        let front = format!("{}/", fields.text()?);
        let site = PageUrl::from_normalised(&front).map_err(|_| Malformed)?.site();
        let policy = self.priority.as_deref();
        let around =
            Surroundings { memory_is_full: false, log: &mut self.log, owner: id, site: &site, policy };
        let queue = SiteQueue::decode(fields, &around)?;
        Ok((site, queue))
    }

    /// Sends hosts to disk until the others have room, and cleans the file if it is time.
    pub(crate) fn make_room(&mut self, table: &mut HostTable) -> Result<(), Error> {
        while self.bytes() > self.bytes_max && !self.log.is_refused() {
            let Some(index) = self.furthest(table) else { break };
            self.evict(table, index)?;
        }
        if let Some(victim) = self.log.victim() {
            self.clean(table, victim)?;
        }
        self.log.shrink_if_empty()
    }

    /// Of a few hosts that are drawn, the one whose turn is furthest.
    fn furthest(&mut self, table: &HostTable) -> Option<usize> {
        for _ in 0..DRAWS_MAX {
            let drawn: [usize; DRAWN] = std::array::from_fn(|number| match self.states.len() {
                0 => 0,
                few if few <= DRAWN => number % few,
                many => self.random_below(many),
            });
            let turn = |index: &usize| {
                let state = self.states.get(*index)?;
                let host = table.get(state.id);
                let can_leave = !host.is(Flag::Out) && state.errands == 0 && state.data.may_leave();
                can_leave.then(|| (table.turn_of(host, state.id, self.address_delay), *index))
            };
            if let Some((_, index)) = drawn.iter().filter_map(turn).max() {
                return Some(index);
            }
        }
        None
    }

    fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound as u64) as usize
    }

    /// Sends a host to disk.
    fn evict(&mut self, table: &mut HostTable, index: usize) -> Result<(), Error> {
        let state = &mut *self.states[index];
        let VisitState { id, site, queue, data, .. } = state;
        let (mut record, mut fields) = (FieldWriter::new(), FieldWriter::new());
        let policy = self.priority.as_deref();
        let around = Surroundings { memory_is_full: true, log: &mut self.log, owner: *id, site, policy };
        queue.encode(around, &mut fields)?;
        record.number(u64::from(queue.has_blocks())).text(site.as_str()).fixed(fields.as_bytes());
        data.encode(&mut record);
        let (id, mut place) = (*id, None);
        for piece in record.as_bytes().chunks(self.log.payload_bytes_max()) {
            place = Some(self.log.append(id, Kind::Host, place, piece)?);
        }
        table.get_mut(id).set_place(place.expect("a record has a name"));
        self.queue_bytes -= state.queue_bytes;
        self.other_bytes -= state.other_bytes;
        self.states.swap_remove(index);
        if let Some(moved) = self.states.get(index) {
            table.get_mut(moved.id).set_resident(index);
        }
        Ok(())
    }

    /// Writes anew what is wanted of a segment.
    fn clean(&mut self, table: &mut HostTable, segment: u32) -> Result<(), Error> {
        for id in self.log.owners_in(segment)? {
            let was_resident = table.get(id).resident().is_some();
            if !was_resident && !self.has_in(id, table.get(id).place(), segment)? {
                continue;
            }
            let index = self.wake(table, id)?;
            self.states[index].queue.leave(segment, id, &mut self.log)?;
            if !was_resident {
                self.evict(table, index)?;
            }
        }
        Ok(())
    }

    /// Has a host on disk anything in a segment?
    fn has_in(&mut self, id: u32, place: Place, segment: u32) -> Result<bool, Error> {
        let chain = self.read_chain(place)?;
        if chain.entries.iter().any(|(place, _)| self.log.is_in(*place, segment)) {
            return Ok(true);
        }
        let mut fields = FieldReader::new(&chain.record);
        let malformed = |Malformed| malformed_at(place);
        if fields.number().map_err(malformed)? == 0 {
            return Ok(false);
        }
        let (_, queue) = self.decode_queue(id, &mut fields).map_err(malformed)?;
        Ok(queue.has_in(segment, &self.log))
    }
}
