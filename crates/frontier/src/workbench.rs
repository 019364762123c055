//! The workbench: which site may be visited now.
//!
//! A site belongs to the entry of its machine (one IP address). Both carry a moment before which they rest; an entry is due at
//! the later of its own moment and that of its first site. The workbench is a heap of entries by the moment they are due, so
//! its top can be visited if anything can ([`crate::host_table`]).
//!
//! Life of a site: born by [`Workbench::add_site`] when its first address has been resolved; it waits while it has addresses;
//! [`Workbench::next_turn`] gives it out, to one visitor at a time and never together with another site of the same machine;
//! [`Workbench::release`] puts both to rest and then back. A site whose budget is used up is [frozen](Workbench::freeze): it
//! keeps its queue and is not given out any more. One that waits for something outside is [held](Workbench::hold) meanwhile.
//! Either is still given out for [errands](Workbench::add_errand), which are not in its queue.
//!
//! What is known of a site beside the moment it is due is in memory while it is given out, and otherwise if there is room
//! ([`crate::residents`]).
//!
//! Cost: O(log n) per turn, and 32 bytes of memory for each site and some 60 for each machine beside the budget. Items of the
//! heap of machines are never searched for: one that is no longer true is put right when it comes to the top.
//!
//! After Boldi, Marino, Santini, Vigna, "BUbiNG: Massive Crawling for the Masses", section 4. We differ in that a
//! turn is one request unless the [policy](crate::PolitenessPolicy) wants more: no bursts on a kept connection, so that the
//! gaps are even.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use page::Site;

use crate::host_table::{Flag, HostTable, Moment, Next};
use crate::residents::{Kept, Residents, VisitState};
use crate::scratch_log::ScratchLog;
use crate::{Error, PolitenessPolicy, PriorityPolicy, QueuedUrl};

/// Moments are counted from so long before the first visit.
const BEFORE: Duration = Duration::from_secs(24 * 3600);

/// The number of a site on its workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(u32);

impl SiteId {
    /// The site that was added as the nth, from zero.
    pub fn nth(index: u32) -> Self {
        Self(index)
    }
}

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

/// What is known of a site wherever it is.
#[derive(Debug)]
pub struct Glance<'b, T> {
    /// The number of its machine.
    pub machine: u32,
    /// How many addresses wait.
    pub queue_len: u64,
    /// True if it is being visited.
    pub is_out: bool,
    /// True if it is not given out any more.
    pub is_frozen: bool,
    /// Until when it rests, or its machine; nothing if that is not known: it is held, or its machine is being visited.
    pub rests_until: Option<Instant>,
    /// All the rest, if it is in memory.
    pub state: Option<&'b VisitState<T>>,
}

/// All sites that one worker takes care of.
#[derive(Debug)]
pub struct Workbench<T> {
    policy: PolitenessPolicy,
    table: HostTable,
    residents: Residents<T>,
    /// Moments are counted from here.
    epoch: Instant,
    rest_until: Moment,
}

impl<T: Kept> Workbench<T> {
    /// An empty workbench. Queues and what is in memory of sites take at most `memory_bytes_max`; what is more goes to the
    /// scratch file `overflow`. Nobody is visited before `rest_until`: after a restart, we do not know whom the last run had
    /// asked just before it ended.
    pub fn new(
        policy: PolitenessPolicy,
        overflow: &Path,
        memory_bytes_max: usize,
        rest_until: Instant,
    ) -> Result<Self, Error> {
        let log = ScratchLog::create(overflow, memory_bytes_max)?;
        let epoch = rest_until.checked_sub(BEFORE).unwrap_or(rest_until);
        let rest_until = nanoseconds(rest_until - epoch);
        Ok(Self {
            residents: Residents::new(log, memory_bytes_max / 4 * 3, nanoseconds(policy.address_delay)),
            policy,
            table: HostTable::new(rest_until),
            epoch,
            rest_until,
        })
    }

    /// The same workbench, whose sites give the address first that matters most to a policy, as far as memory shows it.
    #[must_use]
    pub fn in_order_of(mut self, priority: Option<Arc<dyn PriorityPolicy>>) -> Self {
        debug_assert!(self.table.iter().next().is_none(), "the order is chosen before sites come");
        self.residents.priority = priority;
        self
    }

    fn moment(&self, instant: Instant) -> Moment {
        nanoseconds(instant.saturating_duration_since(self.epoch))
    }

    fn instant(&self, moment: Moment) -> Instant {
        self.epoch + Duration::from_nanos(moment)
    }

    /// Takes in a site. If it wants to be left alone, it rests until `not_before`; its neighbours need not.
    pub fn add_site(
        &mut self,
        site: Site,
        address: IpAddr,
        not_before: Option<Instant>,
        data: T,
    ) -> Result<SiteId, Error> {
        let next_fetch = not_before.map_or(0, |instant| self.moment(instant)).max(self.rest_until);
        let id = self.table.add(address, next_fetch);
        self.residents.add(&mut self.table, id, site, data);
        self.residents.make_room(&mut self.table)?;
        Ok(SiteId(id))
    }

    /// Adds an address to a site's queue.
    pub fn push(&mut self, id: SiteId, url: QueuedUrl) -> Result<(), Error> {
        self.residents.push(&mut self.table, id.0, url)?;
        self.table.list(id.0);
        self.residents.make_room(&mut self.table)
    }

    /// Takes the next address of a site that was given out.
    pub fn take_url(&mut self, id: SiteId) -> Result<Option<QueuedUrl>, Error> {
        let index = self.residents.wake(&mut self.table, id.0)?;
        self.residents.pop(&mut self.table, id.0, index)
    }

    /// What to do now.
    pub fn next_turn(&mut self, now: Instant) -> Result<Turn, Error> {
        let now = self.moment(now);
        loop {
            let id = match self.table.next(now) {
                Next::Nobody => return Ok(Turn::Idle),
                Next::WaitUntil(moment) => return Ok(Turn::WaitUntil(self.instant(moment))),
                Next::Host(id) => id,
            };
            let index = self.residents.wake(&mut self.table, id)?;
            let not_before = std::mem::take(&mut self.residents.get_mut(index).not_before);
            if not_before <= now {
                return Ok(Turn::Visit(SiteId(id)));
            }
            self.table.get_mut(id).next_fetch = not_before;
            self.table.put_back(id);
        }
    }

    /// Whose turn is next and when, right after [`next_turn`](Self::next_turn) said to wait.
    pub fn next_due(&self) -> Option<(Instant, SiteId)> {
        let (moment, id) = self.table.next_due()?;
        Some((self.instant(moment), SiteId(id)))
    }

    /// Takes a site back after a visit that ended `now` and took `elapsed`; `site_delay` is the least rest that the
    /// site itself asks for.
    pub fn release(
        &mut self,
        id: SiteId,
        now: Instant,
        elapsed: Duration,
        site_delay: Duration,
    ) -> Result<(), Error> {
        let until = self.moment(now + self.policy.site_rest(elapsed, site_delay));
        self.table.get_mut(id.0).next_fetch = until;
        self.table.rest_machine(id.0, self.moment(now + self.policy.address_rest(elapsed)));
        self.release_unvisited(id)
    }

    /// Takes a site back that was given out but not asked for anything: it need not rest.
    pub fn release_unvisited(&mut self, id: SiteId) -> Result<(), Error> {
        self.table.put_back(id.0);
        if let Some(index) = self.table.get(id.0).resident() {
            self.residents.count(index);
        }
        self.residents.make_room(&mut self.table)
    }

    /// Gives a site out no more, once it is back. Its queue stays.
    pub fn freeze(&mut self, id: SiteId) {
        self.table.get_mut(id.0).set(Flag::Frozen, true);
    }

    /// True if a site is not given out any more.
    pub fn is_frozen(&self, id: SiteId) -> bool {
        self.table.get(id.0).is(Flag::Frozen)
    }

    /// Gives a site that is out no more turns for its queue, until it is [resumed](Self::resume).
    pub fn hold(&mut self, id: SiteId) {
        self.table.get_mut(id.0).set(Flag::Held, true);
    }

    /// Notes that a site is elsewhere now: its queue was taken away, and nothing more is to be pushed.
    pub fn note_gone(&mut self, id: SiteId) {
        self.table.get_mut(id.0).set(Flag::Gone, true);
    }

    /// True if a site is elsewhere now.
    pub fn is_gone(&self, id: SiteId) -> bool {
        self.table.get(id.0).is(Flag::Gone)
    }

    /// Gives a site no turn before that moment.
    pub fn postpone(&mut self, id: SiteId, not_before: Instant) -> Result<(), Error> {
        let not_before = self.moment(not_before);
        if self.table.get(id.0).is(Flag::Listed) {
            // Its place in the heap stays; what it says is put right when it comes to the top.
            let index = self.residents.wake(&mut self.table, id.0)?;
            let state = self.residents.get_mut(index);
            state.not_before = state.not_before.max(not_before);
        } else {
            let host = self.table.get_mut(id.0);
            host.next_fetch = host.next_fetch.max(not_before);
        }
        Ok(())
    }

    /// Gives a site that was held turns again, from that moment on.
    pub fn resume(&mut self, id: SiteId, not_before: Instant) -> Result<(), Error> {
        self.table.get_mut(id.0).set(Flag::Held, false);
        self.postpone(id, not_before)?;
        self.table.list(id.0);
        Ok(())
    }

    /// Wants a turn of a site for something that is not in its queue: whoever gets the turn knows what.
    pub fn add_errand(&mut self, id: SiteId) -> Result<(), Error> {
        self.wake(id)?.errands += 1;
        self.table.get_mut(id.0).set(Flag::Errand, true);
        self.table.list(id.0);
        Ok(())
    }

    /// The turn of a site that was given out is used for an errand.
    pub fn take_errand(&mut self, id: SiteId) {
        let state = self.site_mut(id);
        state.errands -= 1;
        let has_more = state.errands > 0;
        self.table.get_mut(id.0).set(Flag::Errand, has_more);
    }

    /// Brings a site into memory, where it stays at least until the next address is pushed or site released.
    pub fn wake(&mut self, id: SiteId) -> Result<&mut VisitState<T>, Error> {
        let index = self.residents.wake(&mut self.table, id.0)?;
        Ok(self.residents.get_mut(index))
    }

    fn index(&self, id: SiteId) -> usize {
        self.table.get(id.0).resident().expect("it is given out, or was woken")
    }

    /// A site that is given out, or was [woken](Self::wake).
    pub fn site(&self, id: SiteId) -> &VisitState<T> {
        self.residents.get(self.index(id))
    }

    /// The same, with the caller's data to be changed.
    pub fn site_mut(&mut self, id: SiteId) -> &mut VisitState<T> {
        let index = self.index(id);
        self.residents.get_mut(index)
    }

    /// How many addresses of a site wait.
    pub fn queue_len(&self, id: SiteId) -> u64 {
        u64::from(self.table.get(id.0).queue_len)
    }

    /// The moment before which a site rests.
    pub fn next_fetch(&self, id: SiteId) -> Instant {
        self.instant(self.table.get(id.0).next_fetch)
    }

    /// The last time that the disk had no room for a queue, since this was asked before. Nothing is lost by it.
    pub fn take_refusal(&mut self) -> Option<std::io::Error> {
        self.residents.log.take_refusal()
    }

    /// The memory that queued addresses take.
    pub fn memory_bytes(&self) -> usize {
        self.residents.queue_bytes()
    }

    /// All sites.
    pub fn glances(&self) -> impl Iterator<Item = Glance<'_, T>> {
        self.table.iter().map(|host| Glance {
            machine: host.machine,
            queue_len: u64::from(host.queue_len),
            is_out: host.is(Flag::Out),
            is_frozen: host.is(Flag::Frozen),
            rests_until: self.table.rests_until(host).map(|moment| self.instant(moment)),
            state: host.resident().map(|index| self.residents.get(index)),
        })
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::{FieldReader, FieldWriter, Malformed};
    use page::{Ordinal, PageUrl};
    use std::collections::VecDeque;

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
            let id = self.bench.add_site(url.site(), address.parse().unwrap(), None, ()).unwrap();
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
            assert_eq!(
                self.bench.next_turn(self.at(second)).unwrap(),
                Turn::Visit(expected),
                "at second {second}"
            );
            assert!(self.bench.take_url(expected).unwrap().is_some());
        }

        fn release(&mut self, id: SiteId, second: u64) {
            self.bench.release(id, self.at(second), Duration::ZERO, Duration::ZERO).unwrap();
        }
    }

    #[test]
    fn a_site_rests_between_two_visits() {
        let mut bench = Bench::new(4, 0);
        let site = bench.site("a.test", "127.0.0.1", 2);
        bench.visit(site, 0);
        assert_eq!(
            bench.bench.next_turn(bench.at(100)).unwrap(),
            Turn::Idle,
            "never two requests at the same time"
        );
        bench.release(site, 1);
        assert_eq!(bench.bench.next_turn(bench.at(2)).unwrap(), Turn::WaitUntil(bench.at(5)));
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
        assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Idle);
        bench.release(first, 0);
        assert_eq!(bench.bench.next_turn(bench.at(1)).unwrap(), Turn::WaitUntil(bench.at(2)));
        bench.visit(second, 2);
        bench.release(second, 2);
        assert_eq!(bench.bench.next_turn(bench.at(3)).unwrap(), Turn::WaitUntil(bench.at(4)));
        bench.visit(first, 4);
    }

    #[test]
    fn a_crawl_delay_can_only_make_the_rest_longer() {
        let mut bench = Bench::new(4, 0);
        let site = bench.site("a.test", "127.0.0.1", 3);
        for (crawl_delay, rest) in [(1, 4), (9, 9)] {
            let start = bench.bench.next_fetch(site).duration_since(bench.start).as_secs();
            bench.visit(site, start);
            bench
                .bench
                .release(site, bench.at(start), Duration::ZERO, Duration::from_secs(crawl_delay))
                .unwrap();
            assert_eq!(
                bench.bench.next_turn(bench.at(start)).unwrap(),
                Turn::WaitUntil(bench.at(start + rest))
            );
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
        assert_eq!(bench.bench.next_turn(bench.at(9)).unwrap(), Turn::Idle);
        assert_eq!(bench.bench.queue_len(first), 4);
    }

    #[test]
    fn long_queues_go_to_disk_and_come_back_in_order() {
        let mut bench = Bench::new(0, 0);
        let site = bench.site("a.test", "127.0.0.1", 10_000);
        assert!(bench.bench.memory_bytes() < 100 << 10);
        for expected in 0..10_000 {
            assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Visit(site));
            assert_eq!(bench.bench.take_url(site).unwrap().unwrap().ordinal.get(), expected);
            bench.release(site, 0);
        }
        assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Idle);
        assert_eq!(bench.bench.memory_bytes(), 0);
    }

    #[test]
    fn addresses_keep_their_order_however_they_come_and_go() {
        let mut bench = Bench::new(0, 0);
        let site = bench.site("a.test", "127.0.0.1", 300);
        let url = PageUrl::parse("http://a.test/some/path").unwrap();
        // Some are on disk by now; who comes while there is room again in memory still comes after them.
        for expected in 0..600 {
            assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Visit(site));
            assert_eq!(bench.bench.take_url(site).unwrap().unwrap().ordinal.get(), expected);
            if bench.next_ordinal.get() < 600 {
                bench.bench.push(site, QueuedUrl::new(bench.next_ordinal, 0, 0, &url)).unwrap();
                bench.next_ordinal = bench.next_ordinal.next();
            }
            bench.release(site, 0);
        }
        assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Idle);
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
        rich.bench.residents.bytes_max = 64 << 20;
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
            while bench.bench.next_turn(bench.at(0)).unwrap() == Turn::Visit(site) {
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
            assert!(others.is_sorted(), "equals keep the order of arrival");
        }
    }

    #[test]
    fn a_site_that_lets_others_go_first_does_not_hold_up_its_machine() {
        let mut bench = Bench::new(4, 0);
        let (first, second) = (bench.site("a.test", "127.0.0.1", 2), bench.site("b.test", "127.0.0.1", 1));
        bench.visit(first, 0);
        bench.bench.release(first, bench.at(0), Duration::ZERO, Duration::from_secs(7)).unwrap();
        bench.visit(second, 0);
        bench.release(second, 1);
        assert_eq!(bench.bench.next_turn(bench.at(2)).unwrap(), Turn::WaitUntil(bench.at(7)));
        bench.visit(first, 7);
    }

    #[test]
    fn a_site_that_is_held_or_frozen_has_turns_for_errands_alone() {
        let mut bench = Bench::new(4, 2);
        let held = bench.site("held.test", "127.0.0.1", 5);
        let frozen = bench.site("frozen.test", "127.0.0.2", 0);
        bench.bench.freeze(frozen);
        bench.site("frozen.test", "127.0.0.2", 0);
        assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Visit(held));
        bench.bench.hold(held);
        bench.bench.release_unvisited(held).unwrap();
        assert_eq!(bench.bench.next_turn(bench.at(0)).unwrap(), Turn::Idle);
        for (id, second) in [(held, 0), (frozen, 0), (held, 4)] {
            bench.bench.add_errand(id).unwrap();
            assert_eq!(bench.bench.next_turn(bench.at(second)).unwrap(), Turn::Visit(id));
            bench.bench.take_errand(id);
            bench.release(id, second);
            assert_ne!(bench.bench.next_turn(bench.at(second + 3)).unwrap(), Turn::Visit(id));
        }
        bench.bench.add_errand(held).unwrap();
        assert_eq!(
            bench.bench.next_turn(bench.at(7)).unwrap(),
            Turn::WaitUntil(bench.at(8)),
            "an errand waits too"
        );
        bench.visit(held, 8);
        bench.bench.take_errand(held);
        bench.release(held, 8);
        // What it waited for came before its rest was over.
        bench.bench.resume(held, bench.at(9)).unwrap();
        assert_eq!(bench.bench.next_turn(bench.at(10)).unwrap(), Turn::WaitUntil(bench.at(12)));
        bench.visit(held, 12);
        bench.bench.hold(held);
        bench.release(held, 12);
        bench.bench.resume(held, bench.at(20)).unwrap();
        assert_eq!(bench.bench.next_turn(bench.at(19)).unwrap(), Turn::WaitUntil(bench.at(20)));
        bench.visit(held, 20);
    }

    /// How often a host was visited, and that it is being visited.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Visits {
        count: u64,
        is_under_way: bool,
    }

    impl Kept for Visits {
        fn may_leave(&self) -> bool {
            !self.is_under_way
        }

        fn memory_bytes(&self) -> usize {
            100
        }

        fn encode(&self, fields: &mut FieldWriter) {
            // Longer than a piece of a record, now and then.
            fields.number(self.count).bytes(&vec![7; if self.count % 50 == 30 { 20_000 } else { 10 }]);
        }

        fn decode(fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
            let count = fields.number()?;
            fields.bytes()?;
            Ok(Self { count, is_under_way: false })
        }
    }

    #[test]
    fn hosts_that_go_to_disk_come_back_in_their_turn_with_all_that_they_had() {
        let policies: [Option<Arc<dyn PriorityPolicy>>; 2] = [None, Some(Arc::new(Equal))];
        for policy in policies {
            let (dir, start) = (tempfile::tempdir().unwrap(), Instant::now());
            let rests =
                PolitenessPolicy { host_delay: Duration::from_secs(1), ..PolitenessPolicy::default() };
            let path = dir.path().join("overflow");
            let bench: Workbench<Visits> = Workbench::new(rests, &path, 64 << 10, start).unwrap();
            let mut bench = bench.in_order_of(policy);
            let hosts: Vec<PageUrl> =
                (0..1000).map(|host| PageUrl::parse(&format!("http://{host}.test/")).unwrap()).collect();
            for (number, host) in hosts.iter().enumerate() {
                let address = [127, 0, (number / 8) as u8, 1].into();
                let id = bench.add_site(host.site(), address, None, Visits::default()).unwrap();
                assert_eq!(id, SiteId::nth(number as u32));
            }
            let (mut expected, mut visits) = (vec![VecDeque::new(); 1000], vec![0; 1000]);
            let (mut now, mut on_disk_max, mut file_bytes_max, mut wanted_bytes_max) = (start, 0, 0, 0);
            for round in 0..40_000u64 {
                // Most addresses are for a few hosts, whose queues become long.
                let host = (round * round * 7 + round) % if round % 3 == 0 { 1000 } else { 10 };
                let url = QueuedUrl::new(Ordinal::new(round), 1, 0, &hosts[host as usize]);
                bench.push(SiteId::nth(host as u32), url).unwrap();
                expected[host as usize].push_back(round);
                match bench.next_turn(now).unwrap() {
                    Turn::Idle => {}
                    Turn::WaitUntil(moment) => now = moment,
                    Turn::Visit(id) => {
                        let host = id.0 as usize;
                        assert_eq!(bench.site(id).site(), &hosts[host].site());
                        visits[host] += 1;
                        let data = &mut bench.site_mut(id).data;
                        *data = Visits { count: data.count + 1, is_under_way: true };
                        assert_eq!(data.count, visits[host], "what the caller keeps comes back");
                        let taken = bench.take_url(id).unwrap().map(|url| url.ordinal.get());
                        assert_eq!(taken, expected[host].pop_front());
                        bench.site_mut(id).data.is_under_way = false;
                        bench.release(id, now, Duration::ZERO, Duration::ZERO).unwrap();
                    }
                }
                assert!(bench.residents.bytes() <= 48 << 10, "{} bytes", bench.residents.bytes());
                if round % 1000 == 999 {
                    on_disk_max =
                        on_disk_max.max(bench.glances().filter(|host| host.state.is_none()).count());
                    wanted_bytes_max = wanted_bytes_max.max(bench.residents.log.wanted_bytes());
                    file_bytes_max = file_bytes_max.max(std::fs::metadata(&path).unwrap().len());
                }
            }
            for (host, mut expected) in expected.into_iter().enumerate() {
                let id = SiteId::nth(host as u32);
                assert_eq!(bench.queue_len(id), expected.len() as u64);
                while let Some(url) = bench.take_url(id).unwrap() {
                    assert_eq!(Some(url.ordinal.get()), expected.pop_front());
                }
                assert_eq!(expected.len(), 0);
            }
            assert!(on_disk_max > 800, "{on_disk_max} of 1000 hosts were on disk");
            let segments = 16 * (16 << 10);
            assert!(
                file_bytes_max < 3 * wanted_bytes_max + segments,
                "{file_bytes_max} of {wanted_bytes_max} bytes"
            );
        }
    }

    #[test]
    fn the_scratch_file_does_not_grow_with_what_came_and_went() {
        let (dir, start) = (tempfile::tempdir().unwrap(), Instant::now());
        let rests = PolitenessPolicy { host_delay: Duration::from_secs(1), ..PolitenessPolicy::default() };
        let path = dir.path().join("overflow");
        let mut bench: Workbench<()> = Workbench::new(rests, &path, 64 << 10, start).unwrap();
        let url = |host: u32| PageUrl::parse(&format!("http://{host}.test/")).unwrap();
        for host in 0..2000 {
            let address = [127, (host >> 8) as u8, host as u8, 1].into();
            bench.add_site(url(host).site(), address, None, ()).unwrap();
        }
        let (mut now, mut wanted_bytes_max) = (start, 0);
        for round in 0..60_000u32 {
            // Half of the hosts are asked again and again; of the others, which rest for long, each stretch of the file keeps a
            // few addresses that nobody takes for now.
            let host = if round % 16 == 0 { 1000 + round / 16 % 1000 } else { round % 1000 };
            bench
                .push(SiteId::nth(host), QueuedUrl::new(Ordinal::new(round.into()), 1, 0, &url(host)))
                .unwrap();
            match bench.next_turn(now).unwrap() {
                Turn::Idle => {}
                Turn::WaitUntil(moment) => now = moment,
                Turn::Visit(id) => {
                    bench.take_url(id).unwrap();
                    let rest = Duration::from_secs(if id.0 < 1000 { 1 } else { 1 << 30 });
                    bench.release(id, now, Duration::ZERO, rest).unwrap();
                }
            }
            wanted_bytes_max = wanted_bytes_max.max(bench.residents.log.wanted_bytes());
        }
        let file_bytes = std::fs::metadata(&path).unwrap().len();
        let segments = 16 * (16 << 10);
        assert!(file_bytes < 2 * wanted_bytes_max + segments, "{file_bytes} of {wanted_bytes_max} bytes");
    }

    #[test]
    fn a_machine_with_very_many_hosts_takes_no_turns_from_others() {
        // How many visits of eighteen hosts there are in a minute if two can be under way and each takes 100 ms: nearly all
        // that there is room for.
        let visits = |whales: u32| {
            let (dir, start) = (tempfile::tempdir().unwrap(), Instant::now());
            let delay = Duration::from_secs(1);
            let rests =
                PolitenessPolicy { host_delay: delay, address_delay: delay, ..PolitenessPolicy::default() };
            let path = dir.path().join("overflow");
            let mut bench: Workbench<()> = Workbench::new(rests, &path, 64 << 10, start).unwrap();
            for number in 0..whales + 18 {
                let url = PageUrl::parse(&format!("http://{number}.test/")).unwrap();
                let machine = if number < whales { 0 } else { number - whales + 1 };
                let address = std::net::Ipv4Addr::from_bits((127 << 24) + machine).into();
                let id = bench.add_site(url.site(), address, None, ()).unwrap();
                for ordinal in 0..if number < whales { 2 } else { 100 } {
                    bench.push(id, QueuedUrl::new(Ordinal::new(ordinal), 1, 0, &url)).unwrap();
                }
            }
            let (mut under_way, mut visits) = (VecDeque::new(), 0);
            for tick in 0..600 {
                let now = start + Duration::from_millis(100) * tick;
                while let Some(id) = under_way.pop_front() {
                    bench.release(id, now, Duration::from_millis(100), Duration::ZERO).unwrap();
                }
                while under_way.len() < 2
                    && let Turn::Visit(id) = bench.next_turn(now).unwrap()
                {
                    bench.take_url(id).unwrap().unwrap();
                    visits += u64::from(id.0 >= whales);
                    under_way.push_back(id);
                }
            }
            visits
        };
        let (alone, beside_whales) = (visits(0), visits(5000));
        assert!(beside_whales * 100 >= alone * 95, "{beside_whales} of {alone}");
    }

    /// All weigh the same.
    #[derive(Debug)]
    struct Equal;

    impl PriorityPolicy for Equal {
        fn weight(&self, _: &Site, _: &QueuedUrl) -> u64 {
            1
        }
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
                if let Turn::Visit(id) = bench.bench.next_turn(bench.at(second)).unwrap() {
                    let index = id.0 as usize;
                    proptest::prop_assert!(out.iter().all(|other| other / 2 != index / 2), "two at once");
                    proptest::prop_assert!(second >= rested[index] && second >= machine_rested[index / 2], "too early");
                    bench.bench.take_url(id).unwrap().unwrap();
                    out.push(index);
                }
                if (out.len() > 2 || extra == 0)
                    && let Some(index) = out.pop()
                {
                    bench.bench.release(sites[index], bench.at(second), Duration::ZERO, Duration::from_secs(extra)).unwrap();
                    rested[index] = second + extra.max(4);
                    machine_rested[index / 2] = second + 2;
                }
            }
        }
    }
}
