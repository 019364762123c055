//! The adaptive index: whichever structure is the cheapest for what it holds and for what is done with it.
//!
//! The user may say what to expect ([`Expected`]): how many filters, which mix of operations, how much memory may be
//! spent. What is observed then takes the place of what was expected.
//!
//! The rule. [`Traits`] estimate what a search, an insert, an update and a delete cost in each structure. From time to time
//! (when the operations since the last look have cost an eighth of a rebuild) the index adds up what each other structure
//! would have saved, never below nothing. Once such a debt reaches the work of changing over, and the structure would have
//! been better since the last look too, it changes over: rent until it would have paid for buying. Half of the debt is
//! enough where the change would pay twice before as many operations have passed as there are filters. So a mix that
//! stays costs at most the right structure and two rebuilds. Each change doubles the debt that the next one needs, and
//! that fades: bursts that come and go change the structure a few times and then no more.
//!
//! Who expects a mix without searches gets an index for which two operations in a hundred are searches until the first one
//! comes: an index is made to be searched, and a list of many filters is the wrong place to begin with it.
//!
//! While an index grows and nobody has searched it yet, it stays ready to be searched: whenever it has grown by a quarter
//! it takes the structure that is best for the expected mix, and that is searches if nobody said otherwise.
//!
//! A search cannot change the structure; so without help an index reckons with one search in ten operations at least, lest
//! it become a list that is searched for long. Who calls [`AdaptiveBloofi::adapt`] now and then, which is a comparison when
//! there is nothing to do, lets it follow searches too; and then inserts count as any other operation, so that what is
//! mostly filled becomes what is cheap to fill.
//!
//! The idea is that of the thesis from which Crivello's filters come: choose by parameters of storage and maintenance, and
//! when the conditions depart from them, become the structure that fits better. The rule of debts is that of Borodin,
//! Linial, Saks, "An optimal on-line algorithm for metrical task system" (1992), in its simplest form.

mod cost;
mod inner;
mod mix;
mod order;
mod window;

pub use cost::{Cost, Structure, Traits};
pub use mix::Mix;

use inner::Inner;
use order::{Order, sampled_fill};
use window::Window;

use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, check_batch};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Another structure must cost less than this share of the present one.
const COST_SHARE_MAX: f64 = 0.9;

/// A look every so many nanoseconds at most: it takes one or two thousand.
const LOOK_NS_MIN: f64 = 40_000.0;

/// Looks in the time that a rebuild would take.
const LOOKS_PER_REBUILD: f64 = 8.0;

/// What is left of the mix of late after a look.
const MIX_KEPT: f64 = 0.875;

/// What is left of the extra patience after a look.
const PATIENCE_KEPT: f64 = 0.99;

const PATIENCE_MAX: f64 = 16.0;

/// A mix that is new is expected to last for as many operations as there are filters, or this many.
const OPERATIONS_TO_COME: usize = 1_024;

/// If a change would pay twice in that time, this part of the debt is enough: one in ...
const HASTE: f64 = 2.0;

/// The share of a search that is spent on dead slots when half of them are.
const WORN_SHARE: f64 = 0.5;

/// Searches are at least this share of what is to come while nobody spoke of any and none came: that is what an index is
/// for.
const UNSAID_SHARE_MIN: f64 = 0.02;

/// The same while nobody says what to expect or calls `adapt`: a structure that is slow to search could not be left.
const UNSEEN_SHARE_MIN: f64 = 0.1;

/// As many operations outweigh what was expected.
const OPERATIONS_EXPECTED: f64 = 64.0;

/// Filters whose fill is averaged; every so many changes one is looked at.
const FILL_FILTERS: f64 = 16.0;
const FILL_EVERY: u64 = 16;

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
    /// Whether searches were expected or came.
    is_searched: bool,
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
    /// What searches have lost to deleted filters.
    wear_ns: f64,
    /// Of filters that came lately.
    fill: f64,
    /// The number of filters at which growth was last looked at.
    grown_to: usize,
    /// What the operations of the window may cost until the next look.
    look_ns: u64,
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
            is_searched: true,
            window: Window::default(),
            mix: Mix::default(),
            operations: 0.0,
            changes: 0,
            debts: [0.0; 4],
            patience: 1.0,
            wear_ns: 0.0,
            fill: 0.0,
            grown_to: 0,
            look_ns: LOOK_NS_MIN as u64,
            planned_for: 0,
            order: None,
        }
    }

    /// An index without filters, made for what is expected. Filters are taken to be half full, as they are made to be.
    pub fn expecting(shape: FilterShape, expected: Expected) -> Self {
        let mut index = Self { expected, counts_inserts: true, fill: 0.5, ..Self::new(shape) };
        index.grown_to = expected.sets;
        index.is_searched = expected.mix.searches > 0.0;
        index.inner = Inner::new(index.cheapest().0, shape, expected.sets);
        index.plan_next_look();
        index
    }

    /// Puts another expectation in the place of the one before and of what was seen since, as when there are to be more
    /// filters than it knew of.
    pub fn expect_anew(&mut self, expected: Expected) {
        (self.expected, self.counts_inserts) = (expected, true);
        (self.mix, self.operations, self.debts) = (Mix::default(), 0.0, [0.0; 4]);
        self.window.take();
        self.plan_next_look();
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
                self.fill = sampled_fill(filter.words());
            }
            // As if they were there: what is begun now need not be rebuilt.
            self.grown_to = sets;
            let (best, _) = self.cheapest_for(sets);
            self.change_over(best, &mut ());
        }
        self.inner.load(filters);
        self.window.count_inserts(filters.len() as u64);
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
        self.window.is_worth(self.look_ns)
    }

    /// Looks at how full some of the filters are that come.
    #[inline]
    fn see(&mut self, filter: &BloomFilter) {
        if self.changes < 4 || self.changes.is_multiple_of(FILL_EVERY) {
            let weight = 1.0 / (self.changes as f64 + 1.0).min(FILL_FILTERS);
            self.fill += (sampled_fill(filter.words()) - self.fill) * weight;
        }
    }

    #[inline]
    fn after_change(&mut self, count: &mut impl Count) {
        self.changes += 1;
        if self.is_look_due() {
            self.look(count);
        }
    }

    fn after_insert(&mut self, count: &mut impl Count) {
        // Now it is known how full the announced filters are.
        let is_told = self.changes + 1 == ANNOUNCED_SEEN && self.expected_sets() > self.len();
        if is_told || self.len() > self.grown_to + self.grown_to / 4 {
            self.changes += 1;
            self.look_at_growth(count);
            return;
        }
        self.after_change(count);
        if self.len() > 2 * self.planned_for {
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
        let window = self.window.take();
        self.operations += window.total();
        self.mix = self.mix.times(MIX_KEPT).plus(&window);
        let mix = self.mix;
        self.measure_order(&mix);
        self.patience = 1.0 + (self.patience - 1.0) * PATIENCE_KEPT;
        let judged = Mix { inserts: if self.counts_inserts { window.inserts } else { 0.0 }, ..window };
        self.is_searched |= window.searches > 0.0;
        if let Some(best) = self.overdue(&self.with_searches(judged)) {
            self.patience = (self.patience * 2.0).min(PATIENCE_MAX);
            self.change_over(best, count);
        }
        self.compact(window.searches);
        self.grown_to = self.grown_to.min(self.len().max(self.expected_sets()));
        self.plan_next_look();
    }

    /// A mix with the searches that have to be reckoned with.
    fn with_searches(&self, mix: Mix) -> Mix {
        let share_min = match (self.counts_inserts, self.is_searched) {
            (false, _) => UNSEEN_SHARE_MIN,
            (true, false) => UNSAID_SHARE_MIN,
            (true, true) => 0.0,
        };
        Mix { searches: mix.searches.max(mix.total() * share_min), ..mix }
    }

    /// The best structure for what may come, of those whose debt is paid, if any is.
    fn overdue(&mut self, window: &Mix) -> Option<Structure> {
        let (traits, present) = (self.traits(), self.structure());
        let operations = self.len().max(OPERATIONS_TO_COME) as f64;
        let once_more = operations / window.total().max(1.0);
        // Half as now, half as of late: whoever is in a burst of updates should not become a list for it.
        let to_come = window.of_total(operations / 2.0).plus(&self.mix.of_total(operations / 2.0));
        let spent = traits.cost(present).of(window);
        let mut best = None;
        let mut least = f64::INFINITY;
        for structure in Structure::ALL {
            let cost = traits.cost(structure);
            let saved = spent - cost.of(window);
            let debt = (self.debts[structure as usize] + saved).max(0.0);
            self.debts[structure as usize] = debt;
            let work = traits.change_over_ns(present, structure);
            let haste = if saved * once_more > 2.0 * work { HASTE } else { 1.0 };
            let is_due = debt * haste >= work * self.patience && saved > spent * (1.0 - COST_SHARE_MAX);
            let in_all = work + cost.of(&to_come);
            if structure != present && is_due && in_all < least && self.is_allowed(structure, self.len()) {
                (best, least) = (Some(structure), in_all);
            }
        }
        best
    }

    /// Presses out what deletes left in rows, once that has cost searches as much as the work.
    fn compact(&mut self, searches: f64) {
        if !self.inner.is_worn() {
            self.wear_ns = 0.0;
            return;
        }
        let traits = self.traits();
        self.wear_ns += searches * traits.cost(self.structure()).search * WORN_SHARE;
        if self.wear_ns >= traits.change_over_ns(self.structure(), Structure::Sliced) {
            self.inner.compact();
        }
    }

    fn plan_next_look(&mut self) {
        self.planned_for = self.len().max(self.expected_sets());
        let traits = Traits { sets: self.planned_for, ..self.traits() };
        self.window.price(&traits.cost(self.structure()));
        let rebuild = traits.change_over_ns(self.structure(), Structure::Naive);
        self.look_ns = (rebuild / LOOKS_PER_REBUILD).max(LOOK_NS_MIN) as u64;
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
        let expected = self.expected.mix.of_total(weight);
        let mix = self.with_searches(seen.plus(&expected));
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
        // With some room, or the next filter would make the rows grow, which is as much work again.
        let sets = self.len().max(self.expected_sets());
        self.inner = self.inner.rebuilt(structure, sets + sets / 8);
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
        if self.len() > self.expected_sets() {
            self.window.count_insert();
        }
        self.see(filter);
        self.after_insert(count);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        self.inner.delete_counting(id, count)?;
        self.window.count_delete();
        self.after_change(count);
        Ok(())
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        self.inner.update_counting(id, filter, count)?;
        self.window.count_update();
        self.see(filter);
        self.after_change(count);
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

    operations_by_counting!();

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
