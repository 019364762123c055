//! Moves that searches make. A search cannot change the index; so when searches since the last change have paid for a move,
//! one of them makes what would come of it beside the index, they look there from then on, and the next change puts it in
//! its place.
//!
//! Threads may search together. What they make is the same, whoever is first.

use std::sync::atomic::Ordering;

use super::AdaptiveBloofi;
use super::moves::{Rent, WIDE_RENT};
use super::prices::{Form, Prices, SETTLE_FIRST};
use super::wide::Wide;
use crate::index::blocks::Blocks;
use crate::index::visits::Count;

/// Fewer filters that searches made a block of are moved to blocks with room instead.
const ADOPTED_FILTERS_MIN: usize = 32;

/// Where long rows merged with those that there are would save so many times as much as long rows beside them, searches wait
/// until they have paid for that.
const MERGED_GAIN_MIN: f64 = 2.0;

/// Blocks that searches made.
#[derive(Debug)]
pub(super) struct SettledBlocks {
    pub blocks: Blocks,
    /// Whether they were made of the list and of the blocks, whose free columns were pressed out, or of the list alone.
    presses: bool,
}

/// Long rows that searches made.
#[derive(Debug)]
pub(super) struct Settled {
    pub wide: Wide,
    /// Whether they were made of everything, or of the list and the blocks alone.
    merges: bool,
}

impl AdaptiveBloofi {
    /// Puts what searches made in its place.
    #[cold]
    #[inline(never)]
    pub(super) fn adopt(&mut self, count: &mut impl Count) {
        (*self.settle_at.get_mut(), *self.consider_at.get_mut()) = (SETTLE_FIRST, SETTLE_FIRST);
        self.note_finds();
        let room = if self.expected.memory_bytes_max == usize::MAX { self.list_room() } else { 0 };
        let settled_list = self.settled_list.take();
        if let Some(settled) = self.settled_all.take() {
            self.parts.adopt_wide(settled.wide, settled.merges, room);
            self.blocks_rent = Rent::default();
        } else if let Some(settled) = settled_list {
            if settled.presses || self.parts.list.len() >= ADOPTED_FILTERS_MIN {
                self.parts.adopt_blocks(settled.blocks, settled.presses, room);
            } else {
                self.move_list(count);
            }
        }
        (self.blocks_pay, self.list_rent, self.fresh) = (true, Rent::default(), 0);
    }

    /// A search that may make moves beside the index, or looks at what another one made.
    #[inline(never)]
    pub(super) fn search_settling(
        &self,
        searches: u64,
        positions: &[usize],
        ids: &mut Vec<u64>,
        count: &mut impl Count,
    ) {
        if searches >= self.consider_at.load(Ordering::Relaxed) {
            self.consider(searches);
        }
        if let Some(settled) = self.settled_all.get() {
            settled.wide.append_all(positions, ids, count);
            if !settled.merges {
                self.parts.wide.append_all(positions, ids, count);
            }
            return;
        }
        let settled = self.settled_list.get();
        if let Some(settled) = settled {
            settled.blocks.append_all(positions, ids, count);
        } else if !self.parts.list.is_empty() {
            self.parts.list.append_all(positions, ids, count);
        }
        if settled.is_none_or(|settled| !settled.presses) {
            self.parts.blocks.append_all(positions, ids, count);
        }
        self.parts.wide.append_all(positions, ids, count);
    }

    /// Looks whether searches since the last change have paid for moves, and when they will have.
    #[cold]
    #[inline(never)]
    fn consider(&self, searches: u64) {
        let (searches, prices) = (searches as f64, self.prices_now());
        let list_needed = |presses| match self.settled_list.get() {
            Some(_) => f64::INFINITY,
            None => self.list_needed(&prices, presses),
        };
        let (list_needed, pressed_needed) = (list_needed(false), list_needed(true));
        let is_open = self.settled_all.get().is_none();
        let wide_needed = |merges| if is_open { self.wide_needed(&prices, merges) } else { f64::INFINITY };
        let (mut blocks_needed, all_needed) = (wide_needed(false), wide_needed(true));
        // Only one of both can be made until the next change.
        if self.wide_terms(true).0 > MERGED_GAIN_MIN * self.wide_terms(false).0 {
            blocks_needed = f64::INFINITY;
        }
        if searches >= blocks_needed.min(all_needed) {
            self.settle_all(all_needed <= searches);
        } else if searches >= list_needed.min(pressed_needed) {
            self.settle_list(pressed_needed <= searches);
        }
        let needed = [list_needed, pressed_needed, blocks_needed, all_needed]
            .into_iter()
            .filter(|needed| *needed > searches);
        let next = needed.fold(f64::INFINITY, f64::min).ceil() as u64;
        let is_settled = self.settled_list.get().is_some() || self.settled_all.get().is_some();
        self.consider_at.store(next, Ordering::Relaxed);
        self.settle_at.store(if is_settled { 0 } else { next }, Ordering::Relaxed);
    }

    /// The part of a price that searches must pay when nothing changes meanwhile: who has only been filled so far is there
    /// to be searched.
    fn price_share(&self) -> f64 {
        if self.is_filling { 0.5 } else { 1.0 }
    }

    /// The prices with what searches have found since the last change.
    fn prices_now(&self) -> Prices {
        let (found, searches) = (self.found.load(Ordering::Relaxed), self.searches.load(Ordering::Relaxed));
        match self.finds.with(found, searches, self.parts.len()).share() {
            Some(share) => self.prices.finding(share),
            None => self.prices,
        }
    }

    /// After how many searches since the last change it has paid to make blocks of the list, and to press those that there
    /// are.
    fn list_needed(&self, prices: &Prices, presses: bool) -> f64 {
        let list = self.parts.list.len();
        let (mut gain, mut price) = (prices.list_gain(list), prices.list_price(list));
        if presses {
            let (blocks, live) = (self.parts.blocks.block_count(), self.parts.blocks.live_count());
            gain += prices.blocks_gain(blocks - live.div_ceil(64));
            price += prices.blocks_press_price(blocks, live);
        }
        let paid = if self.form == Form::Listed { 0.0 } else { self.list_rent.paid };
        let price = self.price_share() * price - paid;
        if gain > 0.0 { price.max(0.0) / gain } else { f64::INFINITY }
    }

    /// The same for long rows of the list and the blocks, and for those merged with the long rows that there are.
    fn wide_needed(&self, prices: &Prices, merges: bool) -> f64 {
        let list = if self.settled_list.get().is_some() { 0 } else { self.parts.list.len() };
        let (gain, price) = self.wide_terms(merges);
        // Long rows that are made anew save little, so that it takes long until that is worth more than it costs.
        let share = if merges { 1.0 } else { WIDE_RENT * self.price_share() };
        if gain > 0.0 { share * price / (gain + prices.list_search(list)) } else { f64::INFINITY }
    }

    /// Makes blocks of the list beside it, if there is memory for it, and of those that there are. If another thread was
    /// faster, its blocks are the same.
    fn settle_list(&self, presses: bool) {
        let pressed = if presses { self.parts.blocks.live_count() } else { 0 };
        if self.may_hold(self.parts.block_bytes(self.parts.list.len() + pressed, &self.shape)) {
            let mut blocks = self.parts.list_as_blocks(&self.shape);
            if presses {
                blocks.put_pressed(&self.parts.blocks);
            }
            let _ = self.settled_list.set(SettledBlocks { blocks, presses });
        }
    }

    /// Makes long rows beside what they are made of, if there is memory for it.
    fn settle_all(&self, merges: bool) {
        let words = self.parts.blocks.block_count() + if merges { self.parts.wide.word_count() } else { 0 };
        if self.may_hold(self.parts.block_bytes((words * 64 + self.parts.list.len()) * 2, &self.shape)) {
            let wide = self.parts.as_wide(&self.shape, merges);
            let _ = self.settled_all.set(Settled { wide, merges });
        }
    }
}
