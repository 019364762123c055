//! The adaptive index: a list for filters that change, columns for those that are searched, long rows for those that stay.
//!
//! No structure is good at everything: an update of a list is a copy, and a search looks at every filter; a search of columns
//! looks at 64 filters in one word of each probe, and an update touches every row; long rows are searched fastest, and nobody
//! wants to update them. So the index has three parts, every filter is in one of them, and one map knows where:
//!
//! - the *list*, as in [`NaiveIndex`](super::NaiveIndex),
//! - *blocks* of 64 columns, as in [`FlatBloofi`](super::FlatBloofi): 64 filters of the list become one as squares of 64 × 64
//!   bits, in the time of a few single ones,
//! - *long rows*, as in [`SlicedBloofi`](super::SlicedBloofi): words of eight blocks and more side by side.
//!
//! A change goes to one of three places, whichever costs least with as many searches for each change as there were of late
//! ([`prices`]): to the list for good (few searches, or few filters); to the list, and from there to the blocks together with
//! others; or to a block at once (many searches, small filters).
//!
//! The rule for moves is that of rents ([`moves`]): every search pays for what it would have saved after a move, and once that
//! has reached the price of the move, it is made: rent until it would have paid for buying. From the list to the blocks that
//! gives batches of √(2·u·P/r) filters, with u changes per search, a price P of a square and r of a look, which is also the
//! best size. For columns that deletes left free rent is paid too, until the blocks are pressed. Filters that would be back
//! before the move had paid do not move. So nothing has to be known of the mix, and when
//! it drifts, no more than about one price is lost. Searches alone make moves too ([`settling`]).
//!
//! Prices ([`prices`]) are those of a shape, of how much memory a part takes (what is far costs more), and of what searches
//! find: every id that a search finds in the list has cost it all probes of that filter.
//!
//! As long as nothing but inserts was seen, new filters become blocks when there are 64, and long rows when these are worth
//! it: an index is made to be searched, unless somebody says otherwise.
//!
//! The user may say what to expect ([`Expected`]): how many filters (when they are there they move to where they are best
//! off), which mix of operations (where that is, and where changes go at first), how much memory may be spent (if blocks would
//! take more, all is a list). What happens then takes the place of what was expected.
//!
//! The idea is that of the thesis from which Crivello's filters come: choose by parameters of storage and maintenance, and
//! when the conditions depart from them, become what fits better. The rule of rents is that of Karlin, Manasse, Rudolph,
//! Sleator, "Competitive snoopy caching" (1988), and the batches are those of O'Neil et al., "The log-structured merge-tree"
//! (1996), with two levels.

mod mix;
mod moves;
mod parts;
mod prices;
mod settling;
#[cfg(test)]
mod tests;
mod wide;

pub use mix::Mix;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use moves::{Finds, ListTerms, RECENT, Rent, SQUARE_FILTERS};
use parts::{Parts, Place};
use prices::{Form, Prices, SETTLE_FIRST};
use settling::{Settled, SettledBlocks};

use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, Positions, check_batch, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// More searches for each change make no difference.
const SEARCHES_MAX: f64 = 1.0e6;

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
    shape: FilterShape,
    parts: Parts,
    /// The list as blocks, perhaps with the blocks pressed, and all as long rows, made by searches; the next change puts them in the place of what they were
    /// made of.
    settled_list: OnceLock<SettledBlocks>,
    settled_all: OnceLock<Settled>,
    expected: Expected,
    prices: Prices,
    /// Where changes go.
    form: Form,
    /// Whether new filters are better off in blocks, as far as is known.
    blocks_pay: bool,
    /// Searches since the last change. Counted without a lock, so a few are lost when threads search together.
    searches: AtomicU64,
    /// What they found, counted like them.
    found: AtomicU64,
    /// From how many on a search looks whether it should make something or has been made; 0 if something was.
    settle_at: AtomicU64,
    /// When to compute whether they are worth as much as settling.
    consider_at: AtomicU64,
    /// The same of searches before the last change, until the next review.
    finds: Finds,
    /// Searches per change of late; more than the most are not of interest.
    recent: f64,
    recent_max: f64,
    /// By which part the searches of a change count among these.
    recent_share: f64,
    /// Inserts and updates until the next review, and how many these were when they were noted.
    review_in: u32,
    noted_at: u32,
    /// New filters since the list moved.
    fresh: u64,
    /// Whether nothing but inserts has been seen.
    is_filling: bool,
    list_rent: Rent,
    list_terms: ListTerms,
    blocks_rent: Rent,
    /// What searches paid for free columns of blocks since these were pressed.
    press_paid: f64,
}

impl AdaptiveBloofi {
    /// An index without filters, of which nothing is known.
    pub fn new(shape: FilterShape) -> Self {
        Self::expecting(shape, Expected::default())
    }

    /// An index without filters, made for what is expected.
    pub fn expecting(shape: FilterShape, expected: Expected) -> Self {
        let mut index = Self {
            shape,
            parts: Parts::new(&shape),
            settled_list: OnceLock::new(),
            settled_all: OnceLock::new(),
            expected,
            prices: Prices::new(&shape),
            form: Form::Staged,
            blocks_pay: true,
            searches: AtomicU64::new(0),
            found: AtomicU64::new(0),
            finds: Finds::default(),
            settle_at: AtomicU64::new(SETTLE_FIRST),
            consider_at: AtomicU64::new(SETTLE_FIRST),
            recent: 0.0,
            recent_max: 1.0,
            recent_share: RECENT,
            review_in: 1,
            noted_at: 1,
            fresh: 0,
            is_filling: true,
            list_rent: Rent::default(),
            list_terms: ListTerms::default(),
            blocks_rent: Rent::default(),
            press_paid: 0.0,
        };
        index.expect_anew(expected);
        index
    }

    /// Puts another expectation in the place of the one before and of what was seen since, as when there are to be more
    /// filters than it knew of.
    pub fn expect_anew(&mut self, expected: Expected) {
        self.expected = expected;
        self.parts.reserve(expected.sets.saturating_sub(self.len()));
        let sets = expected.sets.max(self.len());
        let searches = searches_per_change(&expected.mix);
        // Of whom nothing is known, there may be many.
        let is_listed = expected.sets > 0 && self.prices.form(searches, sets, Form::Listed) == Form::Listed;
        self.blocks_pay = !is_listed;
        if is_listed && expected.memory_bytes_max == usize::MAX {
            self.parts.list.reserve(sets - self.parts.len());
        }
        self.form = if is_listed { Form::Listed } else { Form::Staged };
        (self.list_rent, self.blocks_rent) = (Rent::default(), Rent::default());
    }

    /// What most filters are in now.
    pub fn structure(&self) -> Structure {
        let is_settled = self.settled_list.get().is_some() || self.settled_all.get().is_some();
        if is_settled || self.parts.list.len() * 2 < self.len() {
            Structure::Sliced
        } else {
            Structure::Naive
        }
    }

    /// Adds many filters: all, or none if one cannot be. Faster than one by one.
    pub fn insert_all(&mut self, filters: &[(u64, &BloomFilter)]) -> Result<(), IndexError> {
        check_batch(self.shape(), |id| self.contains_id(id), filters)?;
        self.parts.reserve(filters.len());
        filters.iter().try_for_each(|(id, filter)| self.insert(*id, filter))?;
        if self.blocks_pay {
            self.move_list(&mut ());
        }
        Ok(())
    }

    /// Adds a filter to the list.
    fn append(&mut self, id: u64, words: &[u64]) {
        let growth = self.parts.list.growth_bytes();
        if growth > 0 && !self.may_hold(growth) {
            self.parts.gather(&self.shape);
        }
        self.parts.append(id, words);
    }

    /// Puts another filter in the place of one that is not in the list.
    #[inline(never)]
    fn renew(&mut self, place: Place, id: u64, words: &[u64], count: &mut impl Count) {
        match (place, self.is_written_in_place()) {
            (Place::Blocks(slot), true) => self.parts.renew(slot, id, words, count),
            (_, true) => {
                self.parts.free(place, &mut ());
                self.parts.put(id, words, count);
            }
            (_, false) => {
                self.parts.free(place, &mut ());
                self.append(id, words);
                count.add(1, words.len());
            }
        }
    }

    /// Whether a change is written to a block at once.
    #[inline]
    fn is_written_in_place(&self) -> bool {
        self.form == Form::InPlace && self.may_hold(self.parts.block_bytes(1, &self.shape))
    }
}

/// Searches for each filter that comes or changes. Who names no operation at all expects searches.
fn searches_per_change(mix: &Mix) -> f64 {
    let changes = mix.inserts + mix.updates;
    let is_searched = mix.searches > 0.0 || changes + mix.deletes <= 0.0;
    if is_searched { (mix.searches.max(1.0e-9) / changes).min(SEARCHES_MAX) } else { 0.0 }
}

impl Counting for AdaptiveBloofi {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.parts.check_free(id)?;
        self.before_change(count);
        if self.is_written_in_place() {
            self.parts.put(id, filter.words(), count);
        } else {
            self.append(id, filter.words());
            count.add(1, filter.words().len());
            self.fresh += 1;
            if self.fresh >= SQUARE_FILTERS || self.len() == self.expected.sets {
                self.move_fresh(count);
            }
        }
        self.after_change(filter.words());
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        // Nothing is written, so that it tells nothing about where changes should go.
        if *self.settle_at.get_mut() == 0 {
            self.adopt(&mut ());
        }
        let place = self.parts.forget(id)?;
        count.add(1, 0);
        self.parts.free(place, count);
        Ok(())
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.before_change(count);
        let words = filter.words();
        match self.parts.place(id).ok_or(IndexError::IdUnknown { id })? {
            Place::List(slot) => {
                self.parts.list.write(slot, words);
                count.add(1, words.len());
            }
            place => self.renew(place, id, words, count),
        }
        self.after_change(words);
        self.is_filling = false;
        Ok(())
    }

    #[inline]
    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        // Not `fetch_add`: a locked instruction would be a fifth of a search.
        let searches = self.searches.load(Ordering::Relaxed) + 1;
        self.searches.store(searches, Ordering::Relaxed);
        let positions = positions.as_slice();
        if searches >= self.settle_at.load(Ordering::Relaxed) {
            self.search_settling(searches, positions, ids, count);
        } else {
            self.parts.blocks.append_all(positions, ids, count);
            if !self.parts.list.is_empty() {
                self.parts.list.append_all(positions, ids, count);
            }
            self.parts.wide.append_all(positions, ids, count);
        }
        let found = self.found.load(Ordering::Relaxed) + ids.len() as u64;
        self.found.store(found, Ordering::Relaxed);
    }
}

impl FilterIndex for AdaptiveBloofi {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.parts.words(id)?;
        Some(BloomFilter::from_words(self.shape, words).expect("a place has the words of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.parts.place(id).is_some()
    }

    fn len(&self) -> usize {
        self.parts.len()
    }

    fn memory_bytes(&self) -> usize {
        self.parts.memory_bytes()
            + self.settled_list.get().map_or(0, |settled| settled.blocks.memory_bytes())
            + self.settled_all.get().map_or(0, |settled| settled.wide.memory_bytes())
    }

    fn ids(&self) -> Vec<u64> {
        self.parts.ids()
    }
}
