//! What is always in memory of a host and of a machine, and the order in which they are due.
//!
//! A host has 32 bytes: when it may be asked, where the rest of it is, how many addresses wait, and its neighbours in the heap of
//! its machine. Those hosts of a machine that have something to do form a pairing heap by the moment they are due, whose links
//! are in the hosts themselves: one host more costs no allocation, however many a machine has. A machine has 26 bytes, five to
//! ten in a table by address, and a place in the heap of machines.
//!
//! Moments are nanoseconds since the table was made. Machines with addresses of version 6 are told apart by 47 bits of a hash:
//! should two ever have the same (one chance in three hundred with a million of them), they rest together.
//!
//! After Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap: A New Form of Self-Adjusting Heap".

use std::net::IpAddr;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::pieces::{Heap, Pieces};
use crate::scratch_log::Place;

/// A moment, in nanoseconds.
pub(crate) type Moment = u64;

/// No host.
const NOBODY: u32 = u32::MAX;

/// A machine that is not in the heap of machines.
const NEVER: Moment = Moment::MAX;

/// The same of one that is being visited.
const OUT: Moment = Moment::MAX - 1;

/// Where the rest of a host is: a place in the file, or one among those in memory.
const WHERE_BITS: u32 = 48;

/// Above that and the flags.
const MAILS_SHIFT: u32 = 56;

/// What is always in memory of a host.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) next_fetch: Moment,
    /// Where the rest is, above that what is so of it, and how many addresses came for it since it is on disk.
    place_and_flags: u64,
    pub(crate) machine: u32,
    first_child: u32,
    next_sibling: u32,
    /// Addresses that wait.
    pub(crate) queue_len: u32,
}

/// What can be so of a host: a bit each.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flag {
    /// It is being visited.
    Out = 0,
    /// It is given out no more for its queue.
    Frozen = 1,
    /// The same until somebody says otherwise.
    Held = 2,
    /// It is in the heap of its machine.
    Listed = 3,
    /// Something is to be done that is not in its queue.
    Errand = 4,
    /// It is at another machine now.
    Gone = 5,
    /// The rest of it is in memory.
    Resident = 6,
}

impl Host {
    pub(crate) fn is(&self, flag: Flag) -> bool {
        self.place_and_flags >> (WHERE_BITS + flag as u32) & 1 == 1
    }

    pub(crate) fn set(&mut self, flag: Flag, is: bool) {
        let bit = 1 << (WHERE_BITS + flag as u32);
        self.place_and_flags = if is { self.place_and_flags | bit } else { self.place_and_flags & !bit };
    }

    fn set_where(&mut self, number: u64) {
        debug_assert!(number >> WHERE_BITS == 0, "a file is shorter than 256 TiB");
        self.place_and_flags = self.place_and_flags >> WHERE_BITS << WHERE_BITS | number;
    }

    fn number(&self) -> u64 {
        self.place_and_flags & ((1 << WHERE_BITS) - 1)
    }

    /// Its number among those in memory.
    pub(crate) fn resident(&self) -> Option<usize> {
        self.is(Flag::Resident).then(|| self.number() as usize)
    }

    /// The newest entry of it in the file, if it is there.
    pub(crate) fn place(&self) -> Place {
        Place(self.number())
    }

    pub(crate) fn set_resident(&mut self, index: usize) {
        self.set_where(index as u64);
        self.set(Flag::Resident, true);
    }

    /// It has gone to disk.
    pub(crate) fn set_place(&mut self, place: Place) {
        self.set_where(place.0);
        self.set(Flag::Resident, false);
        self.place_and_flags &= (1 << MAILS_SHIFT) - 1;
    }

    /// An address has come while it is on disk. Returns how many did.
    pub(crate) fn add_mail(&mut self, place: Place) -> u64 {
        self.set_where(place.0);
        self.place_and_flags += 1 << MAILS_SHIFT;
        self.place_and_flags >> MAILS_SHIFT
    }

    /// Is there something to do for it?
    fn wants_a_turn(&self) -> bool {
        self.is(Flag::Errand) || !(self.is(Flag::Frozen) || self.is(Flag::Held) || self.queue_len == 0)
    }
}

/// What is in memory of a machine, without gaps: there are millions of them.
#[derive(Debug)]
#[repr(C, packed(2))]
struct Machine {
    key: Key,
    next_fetch: Moment,
    /// When it is due by the heap of machines, [`NEVER`] if it is not there, or [`OUT`]. An item with another moment is out of date.
    scheduled: Moment,
    /// The first of its hosts.
    first: u32,
}

impl Machine {
    /// Is one of its hosts being visited?
    fn is_out(&self) -> bool {
        self.scheduled == OUT
    }
}

/// What machines are told apart by: the address itself if it is of version 4, else 48 bits of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key([u16; 3]);

impl Key {
    fn of(address: IpAddr) -> Self {
        let bits = match address {
            IpAddr::V4(address) => u64::from(address.to_bits()),
            // The highest bit tells them from the others.
            IpAddr::V6(address) => xxh3_64(&address.octets()) | 1 << 47,
        };
        Self([(bits >> 32) as u16, (bits >> 16) as u16, bits as u16])
    }

    fn hash(self) -> u64 {
        let [high, middle, low] = self.0.map(u64::from);
        xxh3_64(&(high << 32 | middle << 16 | low).to_le_bytes())
    }
}

/// All hosts and machines.
#[derive(Debug)]
pub(crate) struct HostTable {
    hosts: Pieces<Host>,
    machines: Pieces<Machine>,
    machine_of: HashTable<u32>,
    /// Nobody is visited before.
    rest_until: Moment,
    /// When machines are due.
    due: Heap<Due>,
}

/// When a machine is due, in numbers of four bytes so that nothing lies between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    moment: [u32; 2],
    machine: u32,
}

impl Due {
    fn new(moment: Moment, machine: u32) -> Self {
        Self { moment: [(moment >> 32) as u32, moment as u32], machine }
    }

    fn moment(&self) -> Moment {
        u64::from(self.moment[0]) << 32 | u64::from(self.moment[1])
    }
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Host(u32),
    WaitUntil(Moment),
    Nobody,
}

impl HostTable {
    /// An empty table, of whose machines none is visited before that moment.
    pub(crate) fn new(rest_until: Moment) -> Self {
        let (hosts, machines) = (Pieces::default(), Pieces::default());
        Self { hosts, machines, machine_of: HashTable::new(), rest_until, due: Heap::default() }
    }

    /// Adds a host that is at that address.
    pub(crate) fn add(&mut self, address: IpAddr, next_fetch: Moment) -> u32 {
        let machine = self.machine_at(address);
        self.hosts.push(Host {
            next_fetch,
            place_and_flags: 0,
            machine,
            first_child: NOBODY,
            next_sibling: NOBODY,
            queue_len: 0,
        });
        u32::try_from(self.hosts.len() - 1).expect("fewer than four billion hosts")
    }

    fn machine_at(&mut self, address: IpAddr) -> u32 {
        let key = Key::of(address);
        let (machines, next_fetch) = (&mut self.machines, self.rest_until);
        let key_of = |machines: &Pieces<Machine>, number: &u32| machines[*number].key;
        if let Some(found) = self.machine_of.find(key.hash(), |number| key_of(machines, number) == key) {
            return *found;
        }
        let number = machines.len() as u32;
        machines.push(Machine { key, next_fetch, scheduled: NEVER, first: NOBODY });
        self.machine_of.insert_unique(key.hash(), number, |number| key_of(machines, number).hash());
        number
    }

    pub(crate) fn get(&self, id: u32) -> &Host {
        &self.hosts[id]
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> &mut Host {
        &mut self.hosts[id]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Host> {
        self.hosts.iter()
    }

    /// Until when a host rests, or its machine; nothing if that is not known.
    pub(crate) fn rests_until(&self, host: &Host) -> Option<Moment> {
        let machine = &self.machines[host.machine];
        (!host.is(Flag::Held) && !machine.is_out()).then(|| host.next_fetch.max(machine.next_fetch))
    }

    /// When a host has its next turn, about; never if there is nothing to do for it.
    pub(crate) fn turn_of(&self, host: &Host, id: u32, address_delay: Moment) -> Moment {
        let machine = &self.machines[host.machine];
        let behind_others = if machine.first == id { 0 } else { address_delay };
        let turn = host.next_fetch.max(machine.next_fetch).saturating_add(behind_others);
        if host.is(Flag::Listed) { turn } else { NEVER }
    }

    /// Says whose turn it is. A host that has one is out, and so is its machine.
    pub(crate) fn next(&mut self, now: Moment) -> Next {
        while let Some(&due) = self.due.peek() {
            let (moment, number) = (due.moment(), due.machine);
            let machine = &self.machines[number];
            if machine.scheduled == moment && machine.first != NOBODY && !machine.is_out() {
                let due_at = self.due_at(machine);
                if due_at == moment && moment > now {
                    return Next::WaitUntil(moment);
                }
                if due_at <= now {
                    return Next::Host(self.give_out(number));
                }
                self.machines[number].scheduled = NEVER;
                self.due.pop();
                self.schedule(number);
                continue;
            }
            if machine.scheduled == moment {
                self.machines[number].scheduled = NEVER;
            }
            self.due.pop();
        }
        Next::Nobody
    }

    /// Gives out the first host of the machine that is at the top of the heap.
    fn give_out(&mut self, number: u32) -> u32 {
        self.due.pop();
        let first = self.machines[number].first;
        let rest = self.without_first(first);
        let machine = &mut self.machines[number];
        machine.first = rest;
        machine.scheduled = OUT;
        let host = &mut self.hosts[first];
        host.set(Flag::Listed, false);
        host.set(Flag::Out, true);
        first
    }

    /// Whose turn is next and when, right after [`next`](Self::next) said to wait.
    pub(crate) fn next_due(&self) -> Option<(Moment, u32)> {
        let due = self.due.peek()?;
        let first = self.machines[due.machine].first;
        (first != NOBODY).then_some((due.moment(), first))
    }

    /// Has the machine of a host rest.
    pub(crate) fn rest_machine(&mut self, id: u32, until: Moment) {
        let machine = self.hosts[id].machine;
        self.machines[machine].next_fetch = until;
    }

    /// Takes a host back that was given out.
    pub(crate) fn put_back(&mut self, id: u32) {
        let host = &mut self.hosts[id];
        host.set(Flag::Out, false);
        let machine = host.machine;
        self.machines[machine].scheduled = NEVER;
        self.list(id);
        self.schedule(machine);
    }

    /// Puts a host into the heap of its machine if there is something to do for it.
    pub(crate) fn list(&mut self, id: u32) {
        let host = &mut self.hosts[id];
        if host.is(Flag::Listed) || host.is(Flag::Out) || !host.wants_a_turn() {
            return;
        }
        host.set(Flag::Listed, true);
        (host.first_child, host.next_sibling) = (NOBODY, NOBODY);
        let machine = host.machine;
        self.machines[machine].first = self.meld(self.machines[machine].first, id);
        self.schedule(machine);
    }

    /// Puts a machine into the heap of machines, unless it is there already for that moment or an earlier one.
    fn schedule(&mut self, number: u32) {
        let machine = &self.machines[number];
        if machine.is_out() || machine.first == NOBODY {
            return;
        }
        let due_at = self.due_at(machine);
        if due_at < machine.scheduled {
            self.machines[number].scheduled = due_at;
            self.due.push(Due::new(due_at, number));
        }
    }

    /// When a machine that has hosts is due: it has rested, and so has the first of them.
    fn due_at(&self, machine: &Machine) -> Moment {
        machine.next_fetch.max(self.hosts[machine.first].next_fetch)
    }

    /// Makes one heap of two.
    fn meld(&mut self, left: u32, right: u32) -> u32 {
        if left == NOBODY || right == NOBODY {
            return left.min(right);
        }
        let moment = |id: u32| (self.hosts[id].next_fetch, id);
        let (first, second) = if moment(left) < moment(right) { (left, right) } else { (right, left) };
        self.hosts[second].next_sibling = self.hosts[first].first_child;
        self.hosts[first].first_child = second;
        first
    }

    /// What is left of a heap without its first: its children, melded in pairs and these from the last to the first.
    fn without_first(&mut self, first: u32) -> u32 {
        let mut child = std::mem::replace(&mut self.hosts[first].first_child, NOBODY);
        let mut pairs = NOBODY;
        while child != NOBODY {
            let second = std::mem::replace(&mut self.hosts[child].next_sibling, NOBODY);
            let mut next = NOBODY;
            if second != NOBODY {
                next = std::mem::replace(&mut self.hosts[second].next_sibling, NOBODY);
            }
            let pair = self.meld(child, second);
            self.hosts[pair].next_sibling = pairs;
            (pairs, child) = (pair, next);
        }
        let mut heap = NOBODY;
        while pairs != NOBODY {
            let next = std::mem::replace(&mut self.hosts[pairs].next_sibling, NOBODY);
            heap = self.meld(heap, pairs);
            pairs = next;
        }
        heap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_machine_have_few_bytes() {
        assert_eq!((size_of::<Host>(), size_of::<Machine>(), size_of::<Due>()), (32, 26, 12));
    }

    proptest::proptest! {
        #[test]
        fn hosts_of_a_machine_come_in_the_order_of_a_sorted_list(steps in proptest::collection::vec((0u64..50, 0usize..4), 1..400)) {
            let mut table = HostTable::new(0);
            let mut waiting = std::collections::BTreeSet::new();
            for (moment, turns) in steps {
                let id = table.add([127, 0, 0, 1].into(), moment);
                table.get_mut(id).queue_len = 1;
                table.list(id);
                waiting.insert((moment, id));
                for _ in 0..turns {
                    let expected = waiting.pop_first().map_or(Next::Nobody, |(_, id)| Next::Host(id));
                    proptest::prop_assert_eq!(table.next(50), expected);
                    if let Next::Host(id) = expected {
                        table.get_mut(id).queue_len = 0;
                        table.put_back(id);
                    }
                }
            }
        }
    }
}
