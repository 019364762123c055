//! When filters move: searches pay rent for where they are, and when it has reached the price of a move, they move.

use super::prices::{Form, SETTLE_FIRST};
use super::{AdaptiveBloofi, searches_per_change};
use crate::index::FilterIndex;
use crate::index::visits::Count;

/// So many filters that came one after the other move together.
pub(super) const SQUARE_FILTERS: u64 = 64;

/// A change after searches brings the next look at where changes should go nearer by as much as so many others, and every
/// search by one.
const REVIEW_SEARCHED: u32 = 4;
/// The searches of the last change count by this part among those of late, once there were so many changes; before, all
/// count alike.
pub(super) const RECENT: f64 = 1.0 / 24.0;

/// The part of the most searches per change that are counted by which it is clear where changes should go.
const NO_DOUBT: f64 = 0.6;

/// Blocks stay where they are if more than this share of their filters is changed while searches pay for a move.
const CHANGED_SHARE_MAX: f64 = 0.7;

/// The part of the price that is waited for when blocks become long rows. To wait for all of it loses the least if searches
/// end just then; but those who search much mostly go on.
pub(super) const WIDE_RENT: f64 = 0.5;

/// Blocks with more free columns than that, as a multiple of those that would be needed, are pressed.
const FREE_BLOCKS_MAX: usize = 2;

/// The mix of late counts like so many changes when it is decided whether the list moves: a few changes tell little.
const LATE_CHANGES: f64 = 8.0;

/// Fewer blocks do not move to long rows: they would not fill a cache line of each.
const MOVED_BLOCKS_MIN: usize = 8;

/// What was paid since the last decision about a move, and what happened meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rent {
    pub paid: f64,
    searches: u64,
    changes: u64,
}

/// What a search would save if a list of so many filters were in blocks, and what it costs to move it: the same for change
/// after change where filters are only updated, so that it is kept until the next review.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ListTerms {
    filters: usize,
    gain: f64,
    price: f64,
}

impl Rent {
    /// Adds what searches paid, and gives all that was.
    fn add(&mut self, searches: u64, each: f64) -> f64 {
        self.paid += searches as f64 * each.max(0.0);
        self.searches += searches;
        self.paid
    }

    fn searches_per_change(&self) -> f64 {
        self.searches as f64 / self.changes.max(1) as f64
    }
}

/// What searches found among how many filters, until it is looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Finds {
    found: u64,
    among: u64,
}

impl Finds {
    /// With these searches, among so many filters.
    pub(super) fn with(self, found: u64, searches: u64, filters: usize) -> Self {
        let among = searches.saturating_mul(filters as u64);
        Self { found: self.found.saturating_add(found), among: self.among.saturating_add(among) }
    }

    /// The share of the filters that were found, if any was looked at.
    pub(super) fn share(self) -> Option<f64> {
        (self.among > 0).then(|| self.found as f64 / self.among as f64)
    }
}

impl AdaptiveBloofi {
    /// Counts what searches did since the last change.
    #[inline]
    pub(super) fn before_change(&mut self, count: &mut impl Count) {
        let searches = *self.searches.get_mut();
        if searches > 0 {
            self.pay(searches, count);
        }
    }

    /// Takes note of the changes since it was done last.
    fn note_changes(&mut self) {
        let changes = self.noted_at.saturating_sub(self.review_in);
        self.noted_at = self.review_in;
        self.list_rent.changes += u64::from(changes);
        self.blocks_rent.changes += u64::from(changes);
        // Near enough to a power, and faster.
        let forgotten = self.recent_share * f64::from(changes);
        // Asked first, because to divide takes as long as a look at some filters.
        if self.recent_share > RECENT {
            self.recent_share = (self.recent_share / (1.0 + forgotten)).max(RECENT);
        }
        self.recent -= self.recent * if changes < 16 { forgotten } else { forgotten / (1.0 + forgotten) };
    }

    /// Sets the searches per change of late. So many that there is no doubt are enough: more would take long to forget.
    fn set_recent(&mut self, searches: f64) {
        self.recent = searches.min(NO_DOUBT * self.prices.searches_max(self.len()));
    }

    /// Takes note of the searches since the last change and of what they found.
    pub(super) fn note_finds(&mut self) {
        let searches = std::mem::take(self.searches.get_mut());
        let found = std::mem::take(self.found.get_mut());
        self.finds = self.finds.with(found, searches, self.parts.len());
    }

    /// The searches since the last change pay for where the filters are, and for moves.
    #[inline(never)]
    fn pay(&mut self, searches: u64, count: &mut impl Count) {
        self.note_finds();
        self.note_changes();
        self.recent += (searches as f64).min(self.recent_max) * self.recent_share;
        if std::mem::take(&mut self.is_filling) && self.expected.sets == 0 {
            // All that is known, and there may have been many by chance.
            self.set_recent(searches as f64 / 2.0);
            self.recent_share = 0.5;
            self.review_in = 0;
        }
        // Many searches are worth a look at where changes should go, which happens with the change that comes to zero.
        let nearer = (searches.min(1_000) as u32).saturating_add(REVIEW_SEARCHED - 1);
        self.review_in = self.review_in.saturating_sub(nearer);
        self.noted_at = self.review_in;
        if *self.settle_at.get_mut() == 0 {
            return self.adopt(count);
        }
        (*self.settle_at.get_mut(), *self.consider_at.get_mut()) = (SETTLE_FIRST, SETTLE_FIRST);
        let list = self.parts.list.len();
        if list > 0 {
            if self.list_terms.filters != list {
                let (gain, price) = (self.prices.list_gain(list), self.prices.list_price(list));
                self.list_terms = ListTerms { filters: list, gain, price };
            }
            if self.list_rent.add(searches, self.list_terms.gain) >= self.list_terms.price {
                self.decide_list(count);
            }
        }
        let blocks = self.parts.blocks.block_count();
        self.pay_for_free_columns(searches, blocks);
        if blocks >= MOVED_BLOCKS_MIN {
            let merges = self.parts.wide.dead_words() > 0;
            let (gain, price) = self.wide_terms(merges);
            // What has been changed so often that half of it is dead will be again.
            let share = if merges { 1.0 } else { WIDE_RENT };
            if self.blocks_rent.add(searches, gain) >= share * price {
                self.decide_blocks();
            }
        }
    }

    /// Presses free columns out of blocks when searches have paid as much for them. Where they are fewer, filters that come
    /// from the list will take them.
    #[inline]
    fn pay_for_free_columns(&mut self, searches: u64, blocks: usize) {
        let live = self.parts.blocks.live_count();
        let needed = live.div_ceil(SQUARE_FILTERS as usize);
        if blocks <= FREE_BLOCKS_MAX * needed {
            return;
        }
        self.press_paid += searches as f64 * self.prices.blocks_gain(blocks - needed);
        if self.press_paid >= self.prices.blocks_press_price(blocks, live)
            && self.may_hold(self.parts.block_bytes(live, &self.shape))
        {
            self.parts.press_blocks(&self.shape);
            self.press_paid = 0.0;
        }
    }

    /// How many filters there is room for in a list that moved.
    pub(super) fn list_room(&self) -> usize {
        (SQUARE_FILTERS as usize).max(self.len() / 8)
    }

    /// What a search would save if the list and the blocks were long rows, and merged with those that there are; and what
    /// it costs.
    pub(super) fn wide_terms(&self, merges: bool) -> (f64, f64) {
        let (parts, prices) = (&self.parts, &self.prices);
        let blocks = parts.blocks.block_count() + parts.list.len().div_ceil(64);
        // Free columns can be pressed out of blocks for less: that is not what long rows are worth.
        let needed = (parts.blocks.live_count() + parts.list.len()).div_ceil(64);
        let mut gain = prices.wide_gain(needed, merges && parts.wide.slab_count() > 0);
        let mut price = prices.list_price(parts.list.len()) + prices.blocks_price(blocks);
        if merges {
            let (dead, words) = (parts.wide.dead_words(), parts.wide.word_count());
            gain += prices.merge_gain(parts.wide.slab_count(), dead);
            price += prices.blocks_price(words) + if dead > 0 { prices.press_price(words) } else { 0.0 };
        }
        (gain, price)
    }

    /// Looks now and then whether changes should go elsewhere. A change without searches is the one that must not take long:
    /// it is counted by what is left until then.
    #[inline]
    pub(super) fn after_change(&mut self, words: &[u64]) {
        if self.review_in > 1 {
            self.review_in -= 1;
        } else {
            self.review(words);
        }
    }

    #[cold]
    #[inline(never)]
    fn review(&mut self, words: &[u64]) {
        // With this one.
        self.noted_at = self.noted_at.saturating_sub(self.review_in) + 1;
        self.review_in = 0;
        self.note_changes();
        self.prices.look_at(words);
        self.list_terms = ListTerms::default();
        if let Some(share) = std::mem::take(&mut self.finds).share() {
            self.prices = self.prices.finding(share);
        }
        self.recent_max = self.prices.searches_max(self.len());
        self.form = self.prices.form(self.recent, self.len(), self.form);
        self.review_in = self.prices.changes_per_review(self.form);
        self.noted_at = self.review_in;
        self.parts.tidy();
    }

    /// The searches have paid for moving the list: it moves, if its filters would not be back too soon.
    fn decide_list(&mut self, count: &mut impl Count) {
        let rent = std::mem::take(&mut self.list_rent);
        let searches =
            (rent.searches as f64 + LATE_CHANGES * self.recent) / (rent.changes as f64 + LATE_CHANGES);
        let now = if self.parts.list.len() * 2 > self.len() { Form::Listed } else { self.form };
        let form = self.prices.form(searches, self.len(), now);
        self.blocks_pay = form != Form::Listed;
        if self.blocks_pay {
            self.move_list(count);
            if self.form == Form::Listed {
                // Otherwise the next changes would bring them back one by one, until it is looked where changes should go.
                self.form = form;
            }
        }
    }

    /// The searches have paid for moving the blocks: they move, if their filters would not be back too soon.
    fn decide_blocks(&mut self) {
        let rent = std::mem::take(&mut self.blocks_rent);
        // As if all were in blocks: it is about what wide rows are worth, not about these few.
        let gain = self.prices.wide_gain(self.len().div_ceil(64), false);
        let in_blocks = (self.parts.blocks.block_count() * 64) as f64;
        if rent.changes as f64 <= CHANGED_SHARE_MAX * in_blocks
            && self.prices.wide_is_kept(rent.searches_per_change(), gain)
        {
            self.move_blocks(false);
        }
    }

    /// Moves the list to the blocks, if there is memory for it.
    #[cold]
    #[inline(never)]
    pub(super) fn move_list(&mut self, count: &mut impl Count) {
        let filters = self.parts.list.len();
        self.fresh = 0;
        // The list is empty then.
        let bytes =
            self.parts.block_bytes(filters, &self.shape).saturating_sub(self.parts.list.memory_bytes());
        if filters > 0 && self.may_hold(bytes) {
            count.add(filters, filters * self.shape.word_count());
            self.parts.move_list(self.list_room());
            if !self.may_hold(0) {
                self.parts.list.clear(0);
            }
            self.list_rent = Rent::default();
        }
    }

    /// Moves the blocks, or all but those that are far from full, to the long rows, if there is memory for it. Where half of
    /// these are dead, they are made anew.
    #[cold]
    #[inline(never)]
    fn move_blocks(&mut self, all: bool) {
        let merges = self.parts.wide.dead_words() > 0;
        let words = self.parts.blocks.block_count() + if merges { self.parts.wide.word_count() } else { 0 };
        if !self.may_hold(self.parts.block_bytes(words * 64, &self.shape)) {
            return;
        }
        if merges {
            let wide = self.parts.as_wide(&self.shape, true);
            self.parts.adopt_wide(wide, true, self.list_room());
            self.list_rent = Rent::default();
        } else {
            self.parts.move_blocks(all);
        }
        self.blocks_rent = Rent::default();
    }

    /// New filters go on when they are enough, or all that were expected.
    #[cold]
    #[inline(never)]
    pub(super) fn move_fresh(&mut self, count: &mut impl Count) {
        let is_complete = self.len() == self.expected.sets;
        self.fresh = 0;
        if self.is_filling && self.expected.sets > 0 {
            // Only now is it known how full they are.
            self.expect_anew(self.expected);
        }
        if self.blocks_pay && self.is_filling {
            self.move_list(count);
        }
        if !self.is_filling {
            return;
        }
        let blocks = self.parts.blocks.block_count();
        let searches = searches_per_change(&self.expected.mix);
        if is_complete {
            self.set_recent(searches);
            self.form = self.prices.form(searches, self.len(), self.form);
        }
        // Half as many as there are already, so that they are copied into few slabs.
        let are_enough = self.expected.sets == 0 && blocks * 2 >= self.parts.wide.word_count();
        if blocks >= MOVED_BLOCKS_MIN
            && (is_complete || are_enough)
            && self.prices.wide_pays(searches, self.len())
        {
            // A last block that is not full would be looked at by every search from then on.
            self.move_blocks(is_complete);
        }
    }

    /// Whether it may hold so many bytes more.
    pub(super) fn may_hold(&self, bytes: usize) -> bool {
        let bytes_max = self.expected.memory_bytes_max;
        bytes_max == usize::MAX || self.memory_bytes().saturating_add(bytes) <= bytes_max
    }
}
