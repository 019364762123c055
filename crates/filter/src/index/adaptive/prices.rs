//! What moving and writing filters costs, in the time that it takes to look at one filter of the list.
//!
//! The numbers were measured on two machines for filters of 640 to 30,000 bits, and differ there by a factor of two from
//! what is written here. That does not matter much: the cost of the best batch grows with the square root of the price, so
//! that one which is wrong by a factor of two costs 6 %.

use super::AdaptiveBloofi;
use crate::FilterShape;
use crate::index::FilterIndex;

/// Looks for each row when a square of filters is written, and how many filters go there together: where rows are one word
/// long, and where they are longer.
const NARROW: (f64, usize) = (0.4, 64);
const WIDE: (f64, usize) = (0.9, 32);

/// Looks for each filter that moves to the rows and comes back, beside those for the rows.
const LOOKS_PER_MOVE: u64 = 12;

/// Looks for each row when one filter is written to rows that are one word long.
const LOOKS_PER_ROW_WRITTEN: f64 = 0.06;

/// Looks that the move of a filter to the list and back takes, which writing it to the rows at once saves.
const LOOKS_PER_DETOUR: f64 = 30.0;

/// A change is written to rows if searches would look at more than this part of its price in a list of all filters.
const WRITES_PER_LIST: f64 = 0.7;

/// Words that are copied in the time of a look.
const WORDS_PER_LOOK: u64 = 4;

/// More filters, and filters with more bits together, are searched faster in long rows than in those of one word.
const NARROW_FILTERS: (usize, usize) = (128, 512);
const NARROW_BITS_MAX: usize = 1 << 21;

/// Searches per change are counted in this part.
pub(super) const RECENT_UNIT: u64 = 512;

/// How many filters there are at most in rows of one word.
pub(super) fn narrow_max(shape: &FilterShape) -> usize {
    (NARROW_BITS_MAX / shape.bits() as usize).clamp(NARROW_FILTERS.0, NARROW_FILTERS.1)
}

/// How many searches there must be for each change, in [`RECENT_UNIT`], that it should be written to rows of one word at
/// once.
///
/// The detour over the list costs √(2·P·r/u) for each change, if there are u of them for a search, P is the price of a
/// square and r that of a look; writing costs more than the rest of the detour by w. They are equal at u = 2·P·r/w².
pub(super) fn in_place_min(shape: &FilterShape) -> u64 {
    let bits = shape.bits() as f64;
    let write = (LOOKS_PER_ROW_WRITTEN * bits - LOOKS_PER_DETOUR).max(4.0);
    let searches = write * write / (2.0 * NARROW.0 * bits);
    (RECENT_UNIT as f64 * searches.max(0.07)) as u64
}

impl AdaptiveBloofi {
    /// Looks that are worth as much as moving so many filters to the rows.
    pub(super) fn moving_looks(&self, sets: usize) -> u64 {
        let is_narrow = sets.max(self.len()) <= narrow_max(self.shape());
        let (looks_per_row, together) = if is_narrow { NARROW } else { WIDE };
        let square = (self.shape().bits() as f64 * looks_per_row) as u64;
        square * sets.div_ceil(together) as u64 + LOOKS_PER_MOVE * sets as u64
    }

    /// Looks that are worth as much as copying the rows.
    pub(super) fn copying_looks(&self) -> u64 {
        self.rows.slot_count() as u64 * self.shape().bits() / 64 / WORDS_PER_LOOK
    }

    /// Whether so many searches per change make it worth while to write to the rows and not to the list: the list would
    /// have to be looked through by every search.
    pub(super) fn is_worth_rows(&self, recent: u64) -> bool {
        let write = LOOKS_PER_ROW_WRITTEN * self.shape().bits() as f64;
        // Who has begun with one of both stays there while the other is not clearly better.
        let patience = if self.list.len() > self.rows.len() { 2 } else { 1 };
        recent > self.in_place_min * patience
            && recent as f64 * self.len() as f64 > WRITES_PER_LIST * write * (RECENT_UNIT * patience) as f64
    }
}
