//! The adaptive index: a list for the filters that change, and rows for those that stay.
//!
//! No structure is good at both: an update of a list is a copy, and a search looks at every filter; a search of rows looks
//! at 64 filters in one word, and an update touches every row. So the index is both. What is inserted or updated goes to
//! the list, and from there to the rows together with others: 64 filters are written into rows as squares of 64 × 64 bits
//! in the time of a few single ones. A pure list and pure rows are the two ends of this, and the mix of operations, the
//! number of filters and their size decide what is in between.
//!
//! The rule. Every look of a search at a filter of the list is rent. Once the rent has reached the price of moving the
//! list to the rows, it moves: rent until it would have paid for buying. With u changes per search, a price P of a square
//! and r of a look, batches have √(2·u·P/r) filters then, which is also the best size: a search pays as much for the list
//! as the changes pay for the rows. But if most of all filters were changed while the rent was paid, they would be back in
//! the list before the move had paid, and nothing moves. So nothing has to be known of the mix, and when it drifts, no
//! more than one price is lost. [`prices`] has the prices; errors in them enter by their square root.
//!
//! Some cases are decided beforehand:
//!
//! - New filters move as soon as they fill a square, unless rows do not pay.
//! - Up to some hundred filters, rows are one word long, as in [`FlatBloofi`](super::FlatBloofi). A change of a small
//!   filter among many searches is written there at once, because the detour over the list would cost more.
//! - A search cannot change the index. So when searches have paid for it since the last change, one of them makes rows of
//!   everything beside the index, they are searched from then on, and the next change puts them in its place.
//!
//! The user may say what to expect ([`Expected`]): how many filters (their room is taken at once, and when they are there
//! they move), which mix of operations (whether the first filters are better off in the list or in the rows), how much
//! memory may be spent (if the rows would take more, all is a list). What happens then takes the place of what was
//! expected.
//!
//! The idea is that of the thesis from which Crivello's filters come: choose by parameters of storage and maintenance, and
//! when the conditions depart from them, become what fits better. The rule of rents is that of Karlin, Manasse, Rudolph,
//! Sleator, "Competitive snoopy caching" (1988), and the batches are those of O'Neil et al., "The log-structured merge-tree"
//! (1996), with two levels.

mod mix;
mod prices;

pub use mix::Mix;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use prices::{RECENT_UNIT, in_place_min, narrow_max};

use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, NaiveIndex, Positions, SlicedBloofi, check_batch, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// Filters stay in the list if more than this share of all is changed while searches pay for the move.
const CHANGED_SHARE_MAX: f64 = 0.7;

/// To begin with the list takes a search as long as this many looks.
const LOOKS_PER_LIST: u64 = 4;

const SQUARE_FILTERS: usize = 64;

/// Fewer filters at a time go to the list.
const BATCH_MIN: usize = 16;

/// As many filters are expected where nobody says anything.
const SETS_UNTOLD: usize = 1_024;

/// Updates per search that are reckoned with at most: an index is made to be searched.
const UPDATES_PER_SEARCH_MAX: f64 = 50.0;

/// Deletes leave one slot in so many at least.
const LIVE_SHARE_MIN: usize = 8;

/// What an adaptive index is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// Most filters are in the list, as in a [`NaiveIndex`].
    Naive,
    /// Most filters are in the rows, as in a [`SlicedBloofi`].
    Sliced,
}

/// What somebody knows beforehand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// How many filters there will be; 0 if that is not known.
    pub sets: usize,
    /// The mix of operations once they are in.
    pub mix: Mix,
    /// Rows that would make it hold more bytes than this are not made; a list always may be. While filters move, old and
    /// new rows may both be there.
    pub memory_bytes_max: usize,
}

impl Default for Expected {
    /// Searches, of any number of filters, in as much memory as helps.
    fn default() -> Self {
        Self { sets: 0, mix: Mix::SEARCHES, memory_bytes_max: usize::MAX }
    }
}

/// An index that follows its content and use, see the module.
#[derive(Debug)]
pub struct AdaptiveBloofi {
    list: NaiveIndex,
    rows: SlicedBloofi,
    /// All filters as rows, made by a search; the next change puts them in the place of both.
    settled: OnceLock<SlicedBloofi>,
    expected: Expected,
    /// Whether filters are better off in the rows, as far as is known.
    rows_pay: bool,
    /// Searches since the last change. Counted without a lock, so a few are lost when threads search together.
    searches: AtomicU64,
    /// So many are worth as much as settling.
    settle_at: u64,
    /// Looks at filters of the list since the last decision, and how many of them are worth as much as moving it.
    looks: u64,
    due: u64,
    /// Updates since the last decision.
    updates: u64,
    /// Filters that came since the last move.
    fresh: usize,
    /// Searches per change of late, and from where on changes are written to narrow rows at once.
    recent: u64,
    in_place_min: u64,
}

impl AdaptiveBloofi {
    /// An index without filters, of which nothing is known.
    pub fn new(shape: FilterShape) -> Self {
        Self::expecting(shape, Expected::default())
    }

    /// An index without filters, made for what is expected.
    pub fn expecting(shape: FilterShape, expected: Expected) -> Self {
        let mut index = Self {
            list: NaiveIndex::new(shape),
            rows: SlicedBloofi::narrow(shape),
            settled: OnceLock::new(),
            expected,
            rows_pay: false,
            searches: AtomicU64::new(0),
            settle_at: u64::MAX,
            looks: 0,
            due: 0,
            updates: 0,
            fresh: 0,
            recent: 0,
            in_place_min: in_place_min(&shape),
        };
        index.expect_anew(expected);
        index
    }

    /// Puts another expectation in the place of the one before and of what was seen since, as when there are to be more
    /// filters than it knew of.
    pub fn expect_anew(&mut self, expected: Expected) {
        self.expected = expected;
        let sets = if expected.sets == 0 { self.len().max(SETS_UNTOLD) } else { expected.sets };
        let Mix { searches, updates, .. } = expected.mix;
        let updates_per_search =
            updates / searches.max(updates / UPDATES_PER_SEARCH_MAX).max(f64::MIN_POSITIVE);
        let searches_to_pay = self.moving_looks(sets) as f64 / sets as f64;
        self.rows_pay = updates_per_search * searches_to_pay < CHANGED_SHARE_MAX * sets as f64;
        self.updates = 0;
        self.plan();
    }

    /// What most filters are in now.
    pub fn structure(&self) -> Structure {
        let is_settled = self.settled.get().is_some();
        if is_settled || self.rows.len() > self.list.len() { Structure::Sliced } else { Structure::Naive }
    }

    /// Adds many filters: all, or none if one cannot be. Faster than one by one.
    pub fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(self.shape(), |id| self.contains_id(id), filters)?;
        if self.rows_pay && filters.len() >= BATCH_MIN && self.may_place(filters.len()) {
            self.before_change();
            self.lengthen_rows(self.len() + filters.len());
            self.rows.insert_all(filters)?;
            self.plan();
            return Ok(());
        }
        filters.iter().try_for_each(|(id, filter)| self.insert(*id, filter))
    }

    /// Computes when the list and the searches since now have paid for a move.
    fn plan(&mut self) {
        self.due = self.moving_looks(self.list.len());
        self.settle_at = (self.due + self.copying_looks()) / (self.list.len() as u64 + LOOKS_PER_LIST) + 1;
    }

    /// Whether the rows may take so many filters more.
    fn may_place(&self, sets: usize) -> bool {
        let bytes_max = self.expected.memory_bytes_max;
        bytes_max == usize::MAX || self.rows.memory_bytes_with(sets) <= bytes_max
    }

    /// Counts what searches did since the last change, and takes over what they made.
    #[inline]
    fn before_change(&mut self) {
        let searches = std::mem::take(self.searches.get_mut());
        self.recent = self.recent - self.recent / 8 + RECENT_UNIT / 8 * searches;
        if !self.list.is_empty() {
            self.looks += searches * (self.list.len() as u64 + LOOKS_PER_LIST);
        }
        if let Some(settled) = self.settled.take() {
            self.rows = settled;
            self.forget_list();
            (self.looks, self.updates, self.rows_pay) = (0, 0, true);
        }
    }

    #[inline]
    fn after_change(&mut self, count: &mut impl Count) {
        if self.looks >= self.due && !self.list.is_empty() {
            self.decide(count);
        }
    }

    /// The searches have paid for moving the list: it moves, if its filters would not be back too soon.
    #[cold]
    #[inline(never)]
    fn decide(&mut self, count: &mut impl Count) {
        self.rows_pay = (self.updates as f64) < CHANGED_SHARE_MAX * self.len() as f64;
        if self.rows_pay {
            self.move_list(count);
        }
        (self.looks, self.updates) = (0, 0);
    }

    /// Moves the list to the rows, if there is memory for it.
    #[cold]
    #[inline(never)]
    fn move_list(&mut self, count: &mut impl Count) {
        if self.may_place(self.list.len()) {
            self.lengthen_rows(self.len());
            self.rows.place(self.list.filters(), count);
            count.add(self.list.len(), self.list.len() * self.shape().word_count());
            self.forget_list();
        }
    }

    /// The filters of the list are in the rows now.
    fn forget_list(&mut self) {
        self.list.clear(SQUARE_FILTERS.max(self.rows.len() / 8));
        if self.memory_bytes() > self.expected.memory_bytes_max {
            self.list.clear(0);
        }
        self.fresh = 0;
        self.plan();
    }

    fn lengthen_rows(&mut self, sets: usize) {
        if let Some(rows) = self.longer_rows(sets) {
            self.rows = rows;
        }
    }

    /// The same rows as long as is good for so many filters, if they are not.
    fn longer_rows(&self, sets: usize) -> Option<SlicedBloofi> {
        let room = if sets <= self.expected.sets { self.expected.sets / 8 } else { sets / 2 };
        let sets = sets.max(self.expected.sets);
        if !self.rows.is_narrow() || sets <= narrow_max(self.shape()) {
            return None;
        }
        let mut rows = SlicedBloofi::with_capacity(*self.shape(), sets + room);
        if rows.memory_bytes() > self.expected.memory_bytes_max {
            rows = SlicedBloofi::new(*self.shape());
        }
        rows.place_all_of(&self.rows);
        Some(rows)
    }

    /// Presses out what deletes left, when that is almost everything.
    fn shrink_rows(&mut self) {
        let slots = self.rows.slot_count();
        if slots > SQUARE_FILTERS && self.rows.len().max(self.expected.sets) * LIVE_SHARE_MIN < slots {
            let mut rows = SlicedBloofi::narrow(*self.shape());
            rows.place_all_of(&self.rows);
            self.rows = rows;
        }
    }

    /// Makes rows of all filters beside them, if there is memory for it.
    #[cold]
    #[inline(never)]
    fn settle(&self) {
        let bytes = self.memory_bytes().saturating_add(self.rows.memory_bytes_with(self.list.len()));
        if bytes <= self.expected.memory_bytes_max {
            let mut rows = self.longer_rows(self.len()).unwrap_or_else(|| self.rows.clone());
            rows.place(self.list.filters(), &mut ());
            // If another thread was faster, its rows are the same.
            let _ = self.settled.set(rows);
        }
    }

    /// Adds a filter to the list.
    fn append(&mut self, id: u64, words: &[u64]) {
        let growth = self.list.growth_bytes();
        if growth > 0 && self.memory_bytes().saturating_add(growth) > self.expected.memory_bytes_max {
            self.gather();
        }
        self.list.append(id, words);
        self.plan();
    }

    /// Moves all filters to the list.
    #[cold]
    #[inline(never)]
    fn gather(&mut self) {
        let none = SlicedBloofi::narrow(*self.shape());
        let rows = std::mem::replace(&mut self.rows, none);
        rows.each_filter(&mut |id, words| self.list.append(id, words));
    }

    /// Whether a change should be written to the rows at once.
    fn is_written_in_place(&self) -> bool {
        self.rows.is_narrow() && self.is_worth_rows(self.recent) && self.may_place(1)
    }
}

impl Counting for AdaptiveBloofi {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(self.shape(), filter)?;
        if self.contains_id(id) {
            return Err(IndexError::IdTaken { id });
        }
        self.before_change();
        if self.len() < narrow_max(self.shape()) && self.is_written_in_place() {
            self.rows.place(std::iter::once((id, filter.words())), count);
            self.after_change(count);
            return Ok(());
        }
        self.append(id, filter.words());
        count.add(1, filter.words().len());
        self.fresh += 1;
        let square = if self.rows.is_empty() { SQUARE_FILTERS / 2 } else { SQUARE_FILTERS };
        if self.rows_pay && (self.fresh >= square || self.len() == self.expected.sets) {
            self.fresh = 0;
            self.move_list(count);
        }
        self.after_change(count);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        self.before_change();
        if self.list.contains_id(id) {
            self.list.delete_counting(id, count)?;
        } else {
            self.rows.delete_counting(id, count)?;
            self.shrink_rows();
        }
        self.plan();
        self.after_change(count);
        Ok(())
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(self.shape(), filter)?;
        self.before_change();
        if self.list.replace(id, filter.words()) {
            count.add(1, filter.words().len());
            self.updates += 1;
        } else if self.is_written_in_place() {
            self.rows.overwrite(id, filter.words())?;
            count.add(1, self.shape().bits() as usize);
        } else {
            self.rows.delete_counting(id, &mut ())?;
            self.append(id, filter.words());
            count.add(1, filter.words().len());
            self.updates += 1;
        }
        self.after_change(count);
        Ok(())
    }

    #[inline]
    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        let positions = Positions::of(keys, self.shape());
        let positions = positions.as_slice();
        // Not `fetch_add`: a locked instruction would be a fifth of a search.
        let searches = self.searches.load(Ordering::Relaxed) + 1;
        self.searches.store(searches, Ordering::Relaxed);
        if !self.list.is_empty() {
            if let Some(settled) = self.settled.get() {
                return settled.append_at(positions, ids, count);
            }
            self.list.append_all(positions, ids, count);
            if searches == self.settle_at {
                self.settle();
            }
        }
        self.rows.append_at(positions, ids, count);
    }
}

impl FilterIndex for AdaptiveBloofi {
    fn shape(&self) -> &FilterShape {
        self.list.shape()
    }

    operations_by_counting!();

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        self.list.filter(id).or_else(|| self.rows.filter(id))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.list.contains_id(id) || self.rows.contains_id(id)
    }

    fn len(&self) -> usize {
        self.list.len() + self.rows.len()
    }

    fn memory_bytes(&self) -> usize {
        let settled = self.settled.get().map_or(0, SlicedBloofi::memory_bytes);
        self.list.memory_bytes() + self.rows.memory_bytes() + settled
    }

    fn ids(&self) -> Vec<u64> {
        let mut ids = self.rows.ids();
        ids.extend(self.list.ids());
        ids
    }
}
