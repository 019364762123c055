//! The workbench: which site may be visited now.
//!
//! A [`VisitState`] (one site) belongs to the entry of its machine (one IP address). Both carry a moment before which
//! they rest; an entry is due at the later of its own moment and that of its first site. The workbench is a heap of
//! entries by the moment they are due, so its top can be visited if anything can.
//!
//! Life of a visit state: born by [`Workbench::add_site`] when the first address of a site has been resolved; it waits
//! while it has addresses; [`Workbench::next_turn`] gives it out, to one visitor at a time and never together with
//! another site of the same machine; [`Workbench::release`] puts both to rest and then back. A site whose budget is
//! used up is [frozen](Workbench::freeze): it keeps its queue and is not given out any more. One that waits for something
//! outside is [held](Workbench::hold) meanwhile. Either is still given out for [errands](Workbench::add_errand), which are
//! not in its queue.
//!
//! Cost: O(log n) per turn. Heap items are never searched for: an item that is no longer true is put right when it
//! comes to the top.
//!
//! After Boldi, Marino, Santini, Vigna, "BUbiNG: Massive Crawling for the Masses", section 4. We differ in that a
//! turn is one request unless the [policy](crate::PolitenessPolicy) wants more: no bursts on a kept connection, so that the
//! gaps are even.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use page::Site;

use crate::site_queue::{SiteQueue, Surroundings};
use crate::{DiskQueues, Error, PolitenessPolicy, PriorityPolicy, QueuedUrl};

/// The number of a site on its workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(u32);

/// What can be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// This site may be visited; it is given out until [`Workbench::release`].
    Visit(SiteId),
    /// Nothing before this moment.
    WaitUntil(Instant),
    /// Nothing at all until an address is pushed or a site released.
    Idle,
}

/// All that is known of one site, with what the caller wants to keep beside it.
#[derive(Debug)]
pub struct VisitState<T> {
    site: Site,
    machine: usize,
    queue: SiteQueue,
    next_fetch: Instant,
    is_out: bool,
    is_frozen: bool,
    is_held: bool,
    is_listed: bool,
    errands: u32,
    /// What the caller keeps about the site.
    pub data: T,
}

impl<T> VisitState<T> {
    /// The site itself.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// How many addresses wait.
    pub fn queue_len(&self) -> u64 {
        self.queue.len()
    }

    /// How many of them wait on disk.
    pub fn queue_len_on_disk(&self) -> u64 {
        self.queue.len_on_disk()
    }

    /// The number of its machine on this workbench.
    pub fn machine(&self) -> usize {
        self.machine
    }

    /// True if it is being visited.
    pub fn is_out(&self) -> bool {
        self.is_out
    }

    /// True if it is not given out any more.
    pub fn is_frozen(&self) -> bool {
        self.is_frozen
    }

    /// Is there something to do for it?
    fn wants_a_turn(&self) -> bool {
        self.errands > 0 || !(self.is_frozen || self.is_held || self.queue.is_empty())
    }

    /// The moment before which it rests.
    pub fn next_fetch(&self) -> Instant {
        self.next_fetch
    }
}

/// One machine and those of its sites that have addresses.
#[derive(Debug)]
struct Machine {
    next_fetch: Instant,
    is_out: bool,
    waiting: BinaryHeap<Reverse<Due<SiteId>>>,
}

/// Who has a turn when; the first to be due is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due<W> {
    at: Instant,
    who: W,
}

/// All sites that one worker takes care of.
#[derive(Debug)]
pub struct Workbench<T> {
    policy: PolitenessPolicy,
    sites: Vec<VisitState<T>>,
    machines: Vec<Machine>,
    machine_of: HashMap<IpAddr, usize>,
    /// Machines by number.
    due: BinaryHeap<Reverse<Due<usize>>>,
    disk: DiskQueues,
    memory_bytes: usize,
    memory_bytes_max: usize,
    rest_until: Instant,
    priority: Option<Arc<dyn PriorityPolicy>>,
}

impl<T> Workbench<T> {
    /// An empty workbench. Queues take at most `memory_bytes_max`, but for one address per site; what is more goes to
    /// the scratch file `overflow`. Nobody is visited before `rest_until`: after a restart, we do not know whom the
    /// last run had asked just before it ended.
    pub fn new(
        policy: PolitenessPolicy,
        overflow: &Path,
        memory_bytes_max: usize,
        rest_until: Instant,
    ) -> Result<Self, Error> {
        let disk = DiskQueues::create(overflow, memory_bytes_max / 4)?;
        Ok(Self {
            policy,
            sites: Vec::new(),
            machines: Vec::new(),
            machine_of: HashMap::new(),
            due: BinaryHeap::new(),
            disk,
            memory_bytes: 0,
            memory_bytes_max: memory_bytes_max / 4 * 3,
            rest_until,
            priority: None,
        })
    }

    /// The same workbench, whose sites give the address first that matters most to a policy, as far as memory shows it.
    #[must_use]
    pub fn in_order_of(self, priority: Option<Arc<dyn PriorityPolicy>>) -> Self {
        debug_assert!(self.sites.is_empty(), "the order is chosen before sites come");
        Self { priority, ..self }
    }

    /// Takes in a site. If it wants to be left alone, it rests until `not_before`; its neighbours need not.
    pub fn add_site(&mut self, site: Site, address: IpAddr, not_before: Option<Instant>, data: T) -> SiteId {
        let id = SiteId(u32::try_from(self.sites.len()).expect("fewer than four billion sites"));
        let machine = *self.machine_of.entry(address).or_insert_with(|| {
            self.machines.push(Machine {
                next_fetch: self.rest_until,
                is_out: false,
                waiting: BinaryHeap::new(),
            });
            self.machines.len() - 1
        });
        self.sites.push(VisitState {
            site,
            machine,
            queue: SiteQueue::new(self.priority.is_some()),
            next_fetch: not_before.map_or(self.rest_until, |moment| moment.max(self.rest_until)),
            is_out: false,
            is_frozen: false,
            is_held: false,
            is_listed: false,
            errands: 0,
            data,
        });
        id
    }

    /// The queue of a site and what it needs to know.
    fn queue(&mut self, id: SiteId) -> (&mut SiteQueue, Surroundings<'_>) {
        let VisitState { site, queue, .. } = &mut self.sites[id.0 as usize];
        let around = Surroundings {
            memory_is_full: self.memory_bytes > self.memory_bytes_max,
            disk: &mut self.disk,
            site,
            policy: self.priority.as_deref(),
        };
        (queue, around)
    }

    /// Adds an address to a site's queue.
    pub fn push(&mut self, id: SiteId, url: QueuedUrl) -> Result<(), Error> {
        let (queue, around) = self.queue(id);
        let change = queue.push(url, around)?;
        self.memory_bytes = self.memory_bytes.saturating_add_signed(change);
        self.list(id);
        if self.disk.wants_compaction() {
            self.disk.compact(self.sites.iter_mut().flat_map(|state| state.queue.overflow()))?;
        }
        Ok(())
    }

    /// Takes the next address of a site that was given out.
    pub fn take_url(&mut self, id: SiteId) -> Result<Option<QueuedUrl>, Error> {
        let (queue, around) = self.queue(id);
        let (url, change) = queue.pop(around)?;
        self.memory_bytes = self.memory_bytes.saturating_add_signed(change);
        Ok(url)
    }

    /// What to do now.
    pub fn next_turn(&mut self, now: Instant) -> Turn {
        while let Some(&Reverse(Due { at: moment, who: index })) = self.due.peek() {
            let machine = &mut self.machines[index];
            let Some(&Reverse(first)) = machine.waiting.peek().filter(|_| !machine.is_out) else {
                self.due.pop();
                continue;
            };
            let due_at = machine.next_fetch.max(first.at);
            if due_at > now {
                if due_at == moment {
                    return Turn::WaitUntil(moment);
                }
                self.due.pop();
                self.due.push(Reverse(Due { at: due_at, who: index }));
                continue;
            }
            self.due.pop();
            machine.waiting.pop();
            machine.is_out = true;
            let state = &mut self.sites[first.who.0 as usize];
            state.is_listed = false;
            state.is_out = true;
            return Turn::Visit(first.who);
        }
        Turn::Idle
    }

    /// Whose turn is next and when, right after [`next_turn`](Self::next_turn) said to wait.
    pub fn next_due(&self) -> Option<(Instant, SiteId)> {
        let Reverse(machine) = self.due.peek()?;
        let Reverse(site) = self.machines[machine.who].waiting.peek()?;
        Some((machine.at, site.who))
    }

    /// Takes a site back after a visit that ended `now` and took `elapsed`; `site_delay` is the least rest that the
    /// site itself asks for.
    pub fn release(&mut self, id: SiteId, now: Instant, elapsed: Duration, site_delay: Duration) {
        let state = &mut self.sites[id.0 as usize];
        state.next_fetch = now + self.policy.site_rest(elapsed, site_delay);
        self.machines[state.machine].next_fetch = now + self.policy.address_rest(elapsed);
        self.put_back(id);
    }

    /// Takes a site back that was given out but not asked for anything: it need not rest.
    pub fn release_unvisited(&mut self, id: SiteId) {
        self.put_back(id);
    }

    fn put_back(&mut self, id: SiteId) {
        let state = &mut self.sites[id.0 as usize];
        state.is_out = false;
        let machine = state.machine;
        self.machines[machine].is_out = false;
        self.list(id);
        self.schedule(machine);
    }

    /// Puts a site into the list of its machine if it has something to fetch.
    fn list(&mut self, id: SiteId) {
        let state = &mut self.sites[id.0 as usize];
        if state.is_listed || state.is_out || !state.wants_a_turn() {
            return;
        }
        state.is_listed = true;
        let machine = state.machine;
        self.machines[machine].waiting.push(Reverse(Due { at: state.next_fetch, who: id }));
        self.schedule(machine);
    }

    fn schedule(&mut self, index: usize) {
        let machine = &self.machines[index];
        if let Some(Reverse(first)) = machine.waiting.peek().filter(|_| !machine.is_out) {
            self.due.push(Reverse(Due { at: machine.next_fetch.max(first.at), who: index }));
        }
    }

    /// Gives a site out no more, once it is back. Its queue stays.
    pub fn freeze(&mut self, id: SiteId) {
        self.sites[id.0 as usize].is_frozen = true;
    }

    /// Gives a site that is out no more turns for its queue, until it is [resumed](Self::resume).
    pub fn hold(&mut self, id: SiteId) {
        self.sites[id.0 as usize].is_held = true;
    }

    /// Gives a site no turn before that moment.
    pub fn postpone(&mut self, id: SiteId, not_before: Instant) {
        let state = &mut self.sites[id.0 as usize];
        state.next_fetch = state.next_fetch.max(not_before);
    }

    /// Gives a site that was held turns again, from that moment on.
    pub fn resume(&mut self, id: SiteId, not_before: Instant) {
        let state = &mut self.sites[id.0 as usize];
        state.is_held = false;
        state.next_fetch = state.next_fetch.max(not_before);
        self.list(id);
    }

    /// Wants a turn of a site for something that is not in its queue: whoever gets the turn knows what.
    pub fn add_errand(&mut self, id: SiteId) {
        self.sites[id.0 as usize].errands += 1;
        self.list(id);
    }

    /// The turn of a site that was given out is used for an errand.
    pub fn take_errand(&mut self, id: SiteId) {
        self.sites[id.0 as usize].errands -= 1;
    }

    /// A site.
    pub fn site(&self, id: SiteId) -> &VisitState<T> {
        &self.sites[id.0 as usize]
    }

    /// A site, with the caller's data to be changed.
    pub fn site_mut(&mut self, id: SiteId) -> &mut VisitState<T> {
        &mut self.sites[id.0 as usize]
    }

    /// The last time that the disk had no room for a queue, since this was asked before. Nothing is lost by it.
    pub fn take_refusal(&mut self) -> Option<std::io::Error> {
        self.disk.take_refusal()
    }

    /// The memory that queued addresses take.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Until when a site rests, or its machine; nothing if that is not known: it is held, or its machine is being visited.
    pub fn rests_until(&self, state: &VisitState<T>) -> Option<Instant> {
        let machine = &self.machines[state.machine];
        (!state.is_held && !machine.is_out).then(|| state.next_fetch.max(machine.next_fetch))
    }

    /// All sites.
    pub fn sites(&self) -> impl Iterator<Item = &VisitState<T>> {
        self.sites.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::{Ordinal, PageUrl};

    struct Bench {
        _dir: tempfile::TempDir,
        bench: Workbench<()>,
        start: Instant,
        next_ordinal: Ordinal,
    }

    impl Bench {
        fn new(host_delay: u64, address_delay: u64) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let policy = PolitenessPolicy {
                host_delay: Duration::from_secs(host_delay),
                address_delay: Duration::from_secs(address_delay),
                rest_ratio: 0.0,
                visit_time: Duration::ZERO,
            };
            let start = Instant::now();
            let bench = Workbench::new(policy, &dir.path().join("overflow"), 64 << 10, start).unwrap();
            Self { _dir: dir, bench, start, next_ordinal: Ordinal::new(0) }
        }

        fn site(&mut self, host: &str, address: &str, urls: u64) -> SiteId {
            let url = PageUrl::parse(&format!("http://{host}/some/path")).unwrap();
            let id = self.bench.add_site(url.site(), address.parse().unwrap(), None, ());
            for _ in 0..urls {
                self.bench.push(id, QueuedUrl::new(self.next_ordinal, 0, 0, &url)).unwrap();
                self.next_ordinal = self.next_ordinal.next();
            }
            id
        }

        fn at(&self, seconds: u64) -> Instant {
            self.start + Duration::from_secs(seconds)
        }

        fn visit(&mut self, expected: SiteId, second: u64) {
            assert_eq!(self.bench.next_turn(self.at(second)), Turn::Visit(expected), "at second {second}");
            assert!(self.bench.take_url(expected).unwrap().is_some());
        }

        fn release(&mut self, id: SiteId, second: u64) {
            self.bench.release(id, self.at(second), Duration::ZERO, Duration::ZERO);
        }
    }

    #[test]
    fn a_site_rests_between_two_visits() {
        let mut bench = Bench::new(4, 0);
        let site = bench.site("a.test", "127.0.0.1", 2);
        bench.visit(site, 0);
        assert_eq!(bench.bench.next_turn(bench.at(100)), Turn::Idle, "never two requests at the same time");
        bench.release(site, 1);
        assert_eq!(bench.bench.next_turn(bench.at(2)), Turn::WaitUntil(bench.at(5)));
        assert_eq!(bench.bench.next_due(), Some((bench.at(5), site)));
        bench.visit(site, 5);
    }

    #[test]
    fn two_hosts_on_one_address_wait_for_each_other() {
        let mut bench = Bench::new(4, 2);
        let (first, second) = (bench.site("a.test", "127.0.0.1", 2), bench.site("b.test", "127.0.0.1", 2));
        let other = bench.site("c.test", "127.0.0.2", 1);
        bench.visit(first, 0);
        bench.visit(other, 0);
        assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Idle);
        bench.release(first, 0);
        assert_eq!(bench.bench.next_turn(bench.at(1)), Turn::WaitUntil(bench.at(2)));
        bench.visit(second, 2);
        bench.release(second, 2);
        assert_eq!(bench.bench.next_turn(bench.at(3)), Turn::WaitUntil(bench.at(4)));
        bench.visit(first, 4);
    }

    #[test]
    fn a_crawl_delay_can_only_make_the_rest_longer() {
        let mut bench = Bench::new(4, 0);
        let site = bench.site("a.test", "127.0.0.1", 3);
        for (crawl_delay, rest) in [(1, 4), (9, 9)] {
            let start = bench.bench.site(site).next_fetch().duration_since(bench.start).as_secs();
            bench.visit(site, start);
            bench.bench.release(site, bench.at(start), Duration::ZERO, Duration::from_secs(crawl_delay));
            assert_eq!(bench.bench.next_turn(bench.at(start)), Turn::WaitUntil(bench.at(start + rest)));
        }
    }

    #[test]
    fn a_frozen_site_keeps_its_queue_and_lets_its_neighbours_go_on() {
        let mut bench = Bench::new(0, 0);
        let (first, second) = (bench.site("a.test", "127.0.0.1", 5), bench.site("b.test", "127.0.0.1", 1));
        bench.visit(first, 0);
        bench.bench.freeze(first);
        bench.release(first, 0);
        bench.visit(second, 0);
        bench.release(second, 0);
        assert_eq!(bench.bench.next_turn(bench.at(9)), Turn::Idle);
        assert_eq!(bench.bench.site(first).queue_len(), 4);
    }

    #[test]
    fn long_queues_go_to_disk_and_come_back_in_order() {
        let mut bench = Bench::new(0, 0);
        let site = bench.site("a.test", "127.0.0.1", 10_000);
        assert!(bench.bench.memory_bytes() < 100 << 10);
        for expected in 0..10_000 {
            assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Visit(site));
            assert_eq!(bench.bench.take_url(site).unwrap().unwrap().ordinal.get(), expected);
            bench.release(site, 0);
        }
        assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Idle);
        assert_eq!(bench.bench.memory_bytes(), 0);
    }

    #[test]
    fn addresses_keep_their_order_however_they_come_and_go() {
        let mut bench = Bench::new(0, 0);
        let site = bench.site("a.test", "127.0.0.1", 300);
        let url = PageUrl::parse("http://a.test/some/path").unwrap();
        // Some are on disk by now; who comes while there is room again in memory still comes after them.
        for expected in 0..600 {
            assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Visit(site));
            assert_eq!(bench.bench.take_url(site).unwrap().unwrap().ordinal.get(), expected);
            if bench.next_ordinal.get() < 600 {
                bench.bench.push(site, QueuedUrl::new(bench.next_ordinal, 0, 0, &url)).unwrap();
                bench.next_ordinal = bench.next_ordinal.next();
            }
            bench.release(site, 0);
        }
        assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Idle);
    }

    #[test]
    fn many_queues_share_the_memory_and_one_takes_only_its_part() {
        let mut bench = Bench::new(0, 0);
        for number in 0..100 {
            bench.site(&format!("{number}.test"), &format!("127.0.0.{number}"), 100);
        }
        // Three quarters of the budget, and one address of each site.
        assert!(bench.bench.memory_bytes() <= (48 << 10) + 101 * 100, "{}", bench.bench.memory_bytes());
        let mut rich = Bench::new(0, 0);
        rich.bench.memory_bytes_max = 64 << 20;
        rich.site("a.test", "127.0.0.1", 10_000);
        assert!(rich.bench.memory_bytes() <= 256 * 100, "{}", rich.bench.memory_bytes());
    }

    /// Some order that is not that of arrival.
    #[derive(Debug)]
    struct Shuffled;

    impl PriorityPolicy for Shuffled {
        fn weight(&self, _: &Site, url: &QueuedUrl) -> u64 {
            url.ordinal.get().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
        }
    }

    #[test]
    fn the_most_important_comes_first_and_memory_decides_only_how_far_one_sees() {
        // Memory; whether all of the queue is in it.
        for (memory_bytes, is_whole) in [(64 << 10, false), (4 << 20, true)] {
            let dir = tempfile::tempdir().unwrap();
            let policy = PolitenessPolicy {
                host_delay: Duration::ZERO,
                address_delay: Duration::ZERO,
                rest_ratio: 0.0,
                visit_time: Duration::ZERO,
            };
            let start = Instant::now();
            let bench = Workbench::new(policy, &dir.path().join("overflow"), memory_bytes, start).unwrap();
            let mut bench = Bench {
                _dir: dir,
                bench: bench.in_order_of(Some(Arc::new(Shuffled))),
                start,
                next_ordinal: Ordinal::new(0),
            };
            let site = bench.site("a.test", "127.0.0.1", 4000);
            assert!(bench.bench.memory_bytes() <= memory_bytes, "{}", bench.bench.memory_bytes());
            let mut taken = Vec::new();
            while bench.bench.next_turn(bench.at(0)) == Turn::Visit(site) {
                taken.push(bench.bench.take_url(site).unwrap().unwrap());
                bench.release(site, 0);
            }
            assert_eq!(bench.bench.memory_bytes(), 0);
            let weights: Vec<u64> =
                taken.iter().map(|url| Shuffled.weight(bench.bench.site(site).site(), url)).collect();
            assert_eq!(weights.is_sorted_by(|a, b| a >= b), is_whole);
            let mut ordinals: Vec<u64> = taken.iter().map(|url| url.ordinal.get()).collect();
            ordinals.sort_unstable();
            assert_eq!(ordinals, (0..4000).collect::<Vec<_>>(), "none is lost and none comes twice");
        }
    }

    /// Every thousandth matters more than the others, and the latest of these the most.
    #[derive(Debug)]
    struct RareAndLate;

    impl PriorityPolicy for RareAndLate {
        fn weight(&self, _: &Site, url: &QueuedUrl) -> u64 {
            let ordinal = url.ordinal.get();
            if ordinal % 1000 == 999 { 1 << (ordinal / 1000) } else { 0 }
        }
    }

    #[test]
    fn what_matters_most_comes_first_however_late_it_came_and_however_little_memory_there_is() {
        for memory_bytes in [8 << 10, 256 << 10, 8 << 20] {
            let dir = tempfile::tempdir().unwrap();
            let policy = PolitenessPolicy { host_delay: Duration::ZERO, ..PolitenessPolicy::default() };
            let start = Instant::now();
            let bench = Workbench::new(policy, &dir.path().join("overflow"), memory_bytes, start).unwrap();
            let bench = bench.in_order_of(Some(Arc::new(RareAndLate)));
            let mut bench = Bench { _dir: dir, bench, start, next_ordinal: Ordinal::new(0) };
            let site = bench.site("a.test", "127.0.0.1", 20_000);
            assert!(bench.bench.memory_bytes() <= memory_bytes, "{}", bench.bench.memory_bytes());
            let taken = std::iter::from_fn(|| bench.bench.take_url(site).unwrap());
            let taken: Vec<u64> = taken.map(|url| url.ordinal.get()).collect();
            let rare: Vec<u64> = (1..=20).rev().map(|thousand| thousand * 1000 - 1).collect();
            assert_eq!(taken[..20], rare, "{memory_bytes} bytes");
            let others = taken[20..].to_vec();
            assert_eq!(others.len(), 20_000 - 20);
            // Equals keep about the order of arrival: those that made room for others wait behind newer ones.
            let late = others
                .iter()
                .enumerate()
                .filter(|(place, ordinal)| ordinal.abs_diff(*place as u64) > 4096 + 30);
            assert_eq!(late.count(), 0, "{memory_bytes} bytes");
        }
    }

    #[test]
    fn a_site_that_lets_others_go_first_does_not_hold_up_its_machine() {
        let mut bench = Bench::new(4, 0);
        let (first, second) = (bench.site("a.test", "127.0.0.1", 2), bench.site("b.test", "127.0.0.1", 1));
        bench.visit(first, 0);
        bench.bench.release(first, bench.at(0), Duration::ZERO, Duration::from_secs(7));
        bench.visit(second, 0);
        bench.release(second, 1);
        assert_eq!(bench.bench.next_turn(bench.at(2)), Turn::WaitUntil(bench.at(7)));
        bench.visit(first, 7);
    }

    #[test]
    fn a_site_that_is_held_or_frozen_has_turns_for_errands_alone() {
        let mut bench = Bench::new(4, 2);
        let held = bench.site("held.test", "127.0.0.1", 5);
        let frozen = bench.site("frozen.test", "127.0.0.2", 0);
        bench.bench.freeze(frozen);
        bench.site("frozen.test", "127.0.0.2", 0);
        assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Visit(held));
        bench.bench.hold(held);
        bench.bench.release_unvisited(held);
        assert_eq!(bench.bench.next_turn(bench.at(0)), Turn::Idle);
        for (id, second) in [(held, 0), (frozen, 0), (held, 4)] {
            bench.bench.add_errand(id);
            assert_eq!(bench.bench.next_turn(bench.at(second)), Turn::Visit(id));
            bench.bench.take_errand(id);
            bench.release(id, second);
            assert_ne!(bench.bench.next_turn(bench.at(second + 3)), Turn::Visit(id));
        }
        bench.bench.add_errand(held);
        assert_eq!(bench.bench.next_turn(bench.at(7)), Turn::WaitUntil(bench.at(8)), "an errand waits too");
        bench.visit(held, 8);
        bench.bench.take_errand(held);
        bench.release(held, 8);
        // What it waited for came before its rest was over.
        bench.bench.resume(held, bench.at(9));
        assert_eq!(bench.bench.next_turn(bench.at(10)), Turn::WaitUntil(bench.at(12)));
        bench.visit(held, 12);
        bench.bench.hold(held);
        bench.release(held, 12);
        bench.bench.resume(held, bench.at(20));
        assert_eq!(bench.bench.next_turn(bench.at(19)), Turn::WaitUntil(bench.at(20)));
        bench.visit(held, 20);
    }

    proptest::proptest! {
        #[test]
        fn no_schedule_breaks_the_rules(steps in proptest::collection::vec((0usize..6, 0u64..3, 0u64..5), 1..300)) {
            let mut bench = Bench::new(4, 2);
            let sites: Vec<SiteId> =
                (0..6).map(|n| bench.site(&format!("{n}.test"), &format!("127.0.0.{}", n / 2 + 1), 1)).collect();
            let mut second = 0;
            let mut out: Vec<usize> = Vec::new();
            let mut rested = [0u64; 6];
            let mut machine_rested = [0u64; 3];
            for (which, wait, extra) in steps {
                second += wait;
                let url = PageUrl::parse(&format!("http://{which}.test/x")).unwrap();
                bench.bench.push(sites[which], QueuedUrl::new(Ordinal::new(0), 0, 0, &url)).unwrap();
                if let Turn::Visit(id) = bench.bench.next_turn(bench.at(second)) {
                    let index = id.0 as usize;
                    proptest::prop_assert!(out.iter().all(|other| other / 2 != index / 2), "two at once");
                    proptest::prop_assert!(second >= rested[index] && second >= machine_rested[index / 2], "too early");
                    bench.bench.take_url(id).unwrap().unwrap();
                    out.push(index);
                }
                if (out.len() > 2 || extra == 0)
                    && let Some(index) = out.pop()
                {
                    bench.bench.release(sites[index], bench.at(second), Duration::ZERO, Duration::from_secs(extra));
                    rested[index] = second + extra.max(4);
                    machine_rested[index / 2] = second + 2;
                }
            }
        }
    }
}
