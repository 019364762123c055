//! The adaptive index: whichever structure is the cheapest for what it holds and for what is done with it.
//!
//! The user may say what to expect ([`Expected`]): how many filters, which mix of operations, how much memory may be
//! spent. What is observed then takes the place of what was expected.
//!
//! The rule. [`Traits`] estimate what a search, an insert, an update and a delete cost in each structure. From time to time
//! (when the operations since the last look have cost an eighth of a rebuild) the index adds up what each other structure
//! would have saved, never below nothing. Once such a debt reaches the work of changing over, and the structure is also
//! the best for the fading mix of late, it changes over: rent until it would have paid for buying. So a mix that stays
//! costs at most about twice what it would have cost with the right structure from the start, and much less as it goes
//! on. Each change doubles the debt that the next one needs, and that fades: bursts that come and go change the structure
//! a few times and then no more.
//!
//! While an index grows and nobody has searched it yet, it stays ready to be searched: whenever it has grown by a quarter
//! it takes the structure that is best for the expected mix, and that is searches if nobody said otherwise.
//!
//! A search cannot change the structure. Who calls [`AdaptiveBloofi::adapt`] now and then, which is a comparison when
//! there is nothing to do, lets it follow searches too; and then inserts count as any other operation, so that what is
//! only filled becomes a list until it is searched.
//!
//! The idea is that of the thesis from which Crivello's filters come: choose by parameters of storage and maintenance, and
//! when the conditions depart from them, become the structure that fits better. The rule of debts is that of Borodin,
//! Linial, Saks, "An optimal on-line algorithm for metrical task system" (1992), in its simplest form.

mod cost;
mod inner;
mod mix;
mod order;

pub use cost::{Cost, Structure, Traits};
pub use mix::Mix;

use inner::Inner;
use mix::Window;
use order::Order;

use super::visits::{Count, Counting, Operation, Visits, counted};
use super::{FilterIndex, IndexError, check_batch};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Another structure must cost less than this share of the present one.
const COST_SHARE_MAX: f64 = 0.9;

/// A look every so many nanoseconds at most: it takes about one.
const LOOK_NS_MIN: f64 = 20_000.0;

/// Looks in the time that a rebuild would take.
const LOOKS_PER_REBUILD: f64 = 8.0;

/// What is left of the mix of late after a look.
const MIX_KEPT: f64 = 0.875;

/// What is left of the extra patience after a look.
const PATIENCE_KEPT: f64 = 0.97;

const PATIENCE_MAX: f64 = 16.0;

/// As many operations outweigh what was expected.
const OPERATIONS_EXPECTED: f64 = 64.0;

/// Filters whose fill is averaged; every so many changes one is looked at.
const FILL_FILTERS: f64 = 16.0;
const FILL_EVERY: u64 = 8;

/// After so many filters the structure for those that were announced is chosen again.
const ANNOUNCED_SEEN: u64 = 8;

/// What somebody knows beforehand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// How many filters there will be; 0 if that is not known.
    pub sets: usize,
    /// The mix of operations once they are in.
    pub mix: Mix,
    /// Structures that would hold more bytes than this are not taken; the list always is. While an index changes over,
    /// the old and the new structure are both there.
    pub memory_bytes_max: usize,
}

impl Default for Expected {
    /// Searches, of any number of filters, in as much memory as helps.
    fn default() -> Self {
        Self { sets: 0, mix: Mix::SEARCHES, memory_bytes_max: usize::MAX }
    }
}

/// An index that changes its structure with its content and use, see the module.
#[derive(Debug)]
pub struct AdaptiveBloofi {
    inner: Inner,
    expected: Expected,
    /// Whether inserts are part of the mix: somebody said what to expect, or calls `adapt`.
    counts_inserts: bool,
    window: Window,
    /// Before the last look, fading.
    mix: Mix,
    /// Operations in all, and those that change something.
    operations: f64,
    changes: u64,
    /// What each structure would have saved since the last change, in nanoseconds.
    debts: [f64; 4],
    /// The debt that is needed, in rebuilds.
    patience: f64,
    /// Of filters that came lately.
    fill: f64,
    /// The number of filters at which growth was last looked at.
    grown_to: usize,
    /// Costs of the present structure at the last look, and when the next one is due.
    cost: Cost,
    look_ns: f64,
    /// For how many filters that was computed.
    planned_for: usize,
    /// What was last measured of the filters, and at how many changes.
    order: Option<Order>,
}

impl AdaptiveBloofi {
    /// An index without filters, of which nothing is known.
    pub fn new(shape: FilterShape) -> Self {
        Self {
            inner: Inner::new(Structure::Naive, shape, 0),
            expected: Expected::default(),
            counts_inserts: false,
            window: Window::default(),
            mix: Mix::default(),
            operations: 0.0,
            changes: 0,
            debts: [0.0; 4],
            patience: 1.0,
            fill: 0.0,
            grown_to: 0,
            cost: Cost::default(),
            look_ns: LOOK_NS_MIN,
            planned_for: 0,
            order: None,
        }
    }

    /// An index without filters, made for what is expected. Filters are taken to be half full, as they are made to be.
    pub fn expecting(shape: FilterShape, expected: Expected) -> Self {
        let mut index = Self { expected, counts_inserts: true, fill: 0.5, ..Self::new(shape) };
        index.grown_to = expected.sets;
        index.inner = Inner::new(index.cheapest().0, shape, expected.sets);
        index.plan_next_look();
        index
    }

    /// What it is made of now.
    pub fn structure(&self) -> Structure {
        self.inner.structure()
    }

    /// Adds many filters: all, or none if one cannot be. Faster than one by one where filters lie in columns.
    pub fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(self.shape(), |id| self.contains_id(id), filters)?;
        let sets = self.len() + filters.len();
        if sets > self.grown_to + self.grown_to / 4 {
            if let Some((_, filter)) = filters.first().filter(|_| self.is_empty()) {
                self.fill = filter.fill();
            }
            // As if they were there: what is begun now need not be rebuilt.
            self.grown_to = sets;
            let (best, _) = self.cheapest_for(sets);
            self.change_over(best, &mut ());
        }
        self.inner.load(filters);
        self.window.inserts += filters.len() as u64;
        self.changes += filters.len() as u64;
        self.plan_next_look();
        Ok(())
    }

    /// Follows the searches since the last change, if they are enough to matter. Call it as often as you like.
    #[inline]
    pub fn adapt(&mut self) {
        self.counts_inserts = true;
        if self.is_look_due() {
            self.look(&mut ());
        }
    }

    #[inline]
    fn is_look_due(&self) -> bool {
        self.cost.of(&self.window.as_mix()) >= self.look_ns
    }

    fn after_change(&mut self, filter: Option<&BloomFilter>, count: &mut impl Count) {
        if let Some(filter) = filter.filter(|_| self.changes < 4 || self.changes.is_multiple_of(FILL_EVERY)) {
            let weight = 1.0 / (self.changes as f64 + 1.0).min(FILL_FILTERS);
            self.fill += (filter.fill() - self.fill) * weight;
        }
        self.changes += 1;
        // Now it is known how full the announced filters are.
        let is_told = self.changes == ANNOUNCED_SEEN && self.expected_sets() > self.len();
        if is_told || self.len() > self.grown_to + self.grown_to / 4 {
            self.look_at_growth(count);
        } else if self.is_look_due() {
            self.look(count);
        } else if self.len() > 2 * self.planned_for {
            self.plan_next_look();
        }
    }

    /// Growth: the old structure may no longer fit. The work is paid by the inserts.
    fn look_at_growth(&mut self, count: &mut impl Count) {
        self.look(count);
        self.grown_to = self.len().max(self.expected_sets());
        let (best, costs) = self.cheapest();
        let too_large = !self.is_allowed(self.structure(), self.len());
        if too_large || costs[best as usize] < costs[self.structure() as usize] * COST_SHARE_MAX {
            self.change_over(best, count);
        }
    }

    /// Adds up what other structures would have saved, and changes over when that pays for the work.
    fn look(&mut self, count: &mut impl Count) {
        let window = std::mem::take(&mut self.window).as_mix();
        self.operations += window.total();
        self.mix = self.mix.times(MIX_KEPT).plus(&window);
        let (best, _) = self.cheapest();
        let (traits, present) = (self.traits(), self.structure());
        let spent = traits.cost(present).of(&window);
        for (debt, structure) in self.debts.iter_mut().zip(Structure::ALL) {
            *debt = (*debt + spent - traits.cost(structure).of(&window)).max(0.0);
        }
        self.patience = 1.0 + (self.patience - 1.0) * PATIENCE_KEPT;
        if best != present
            && self.debts[best as usize] >= traits.change_over_ns(present, best) * self.patience
        {
            self.patience = (self.patience * 2.0).min(PATIENCE_MAX);
            self.change_over(best, count);
        }
        self.inner.compact();
        self.grown_to = self.grown_to.min(self.len().max(self.expected_sets()));
        self.plan_next_look();
    }

    fn plan_next_look(&mut self) {
        self.planned_for = self.len().max(self.expected_sets());
        let traits = Traits { sets: self.planned_for, ..self.traits() };
        self.cost = traits.cost(self.structure());
        let rebuild = traits.change_over_ns(self.structure(), Structure::Naive);
        self.look_ns = (rebuild / LOOKS_PER_REBUILD).max(LOOK_NS_MIN);
    }

    /// The best structure for the operations of late and those that are expected, if it is clearly better than the
    /// present one, and what each would cost.
    fn cheapest(&mut self) -> (Structure, [f64; 4]) {
        self.cheapest_for(self.len())
    }

    /// The same if there were this many filters.
    fn cheapest_for(&mut self, sets: usize) -> (Structure, [f64; 4]) {
        let mut seen = self.mix.plus(&self.window.as_mix());
        if !self.counts_inserts {
            seen.inserts = 0.0;
        }
        // What is expected gives way to what was seen.
        let weight = OPERATIONS_EXPECTED / (OPERATIONS_EXPECTED + seen.total()) * OPERATIONS_EXPECTED;
        let expected = self.expected.mix.times(weight / self.expected.mix.total().max(1e-9));
        let mix = seen.plus(&expected);
        self.measure_order(&mix);
        let traits = Traits { sets: sets.max(self.expected_sets()), ..self.traits() };
        let costs = Structure::ALL.map(|structure| {
            if self.is_allowed(structure, sets) { traits.cost(structure).of(&mix) } else { f64::INFINITY }
        });
        let best = (0..costs.len()).min_by(|left, right| costs[*left].total_cmp(&costs[*right]));
        let best = Structure::ALL[best.expect("there are four")];
        let is_clear = costs[best as usize] < costs[self.structure() as usize] * COST_SHARE_MAX;
        (if is_clear { best } else { self.structure() }, costs)
    }

    /// How many filters were announced, as long as they may still come.
    fn expected_sets(&self) -> usize {
        let is_open = self.operations < OPERATIONS_EXPECTED + 4.0 * self.expected.sets as f64;
        if is_open { self.expected.sets } else { 0 }
    }

    fn is_allowed(&self, structure: Structure, sets: usize) -> bool {
        let traits = Traits { sets: sets.max(self.expected_sets()), ..self.traits() };
        structure == Structure::Naive || traits.memory_bytes(structure) <= self.expected.memory_bytes_max
    }

    /// Changes over to a structure, with the same filters.
    pub fn become_structure(&mut self, structure: Structure) {
        self.change_over(structure, &mut ());
        self.plan_next_look();
    }

    fn change_over(&mut self, structure: Structure, count: &mut impl Count) {
        if structure == self.structure() {
            return;
        }
        let sets = self.len().max(self.expected_sets());
        self.inner = self.inner.rebuilt(structure, sets);
        self.debts = [0.0; 4];
        // Each filter is read and written.
        count.add(2 * self.len(), 2 * self.len() * self.shape().word_count());
    }

    /// What the choice depends on now.
    pub fn traits(&self) -> Traits {
        let unrelated = Traits::unrelated(self.len(), *self.shape(), self.fill);
        match self.order {
            Some(Order { group_fill, scatter, .. }) => Traits { group_fill, scatter, ..unrelated },
            None => unrelated,
        }
    }
}

impl Counting for AdaptiveBloofi {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        self.inner.insert_counting(id, filter, count)?;
        // Those that were announced are no part of the mix that comes after them.
        self.window.inserts += u64::from(self.len() > self.expected_sets());
        self.after_change(Some(filter), count);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        self.inner.delete_counting(id, count)?;
        self.window.deletes += 1;
        self.after_change(None, count);
        Ok(())
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        self.inner.update_counting(id, filter, count)?;
        self.window.updates += 1;
        self.after_change(Some(filter), count);
        Ok(())
    }

    #[inline]
    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        self.window.count_search();
        self.inner.search_counting(keys, ids, count);
    }
}

impl FilterIndex for AdaptiveBloofi {
    fn shape(&self) -> &FilterShape {
        self.inner.as_index().shape()
    }

    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        self.insert_counting(id, filter, &mut ())
    }

    fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        self.delete_counting(id, &mut ())
    }

    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        self.update_counting(id, filter, &mut ())
    }

    #[inline]
    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        self.search_counting(keys, ids, &mut ());
    }

    fn counted(&mut self, operation: Operation<'_>) -> Result<Visits, IndexError> {
        counted(self, operation)
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        self.inner.as_index().filter(id)
    }

    fn contains_id(&self, id: u64) -> bool {
        self.inner.as_index().contains_id(id)
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn memory_bytes(&self) -> usize {
        self.inner.as_index().memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        self.inner.as_index().ids()
    }
}
