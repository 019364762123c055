//! What each structure costs: nanoseconds of an operation and bytes of memory, from the traits of the filters.
//!
//! The constants are those of one core (AMD EPYC of family 25, CPU time, November 2026), fitted by least squares of the
//! logarithms to single structures, each measured alone and with a search after each update: N of 20, 64, 150, 500, 1,500,
//! 5,000 and 12,000, filters of 1,152, 4,800, 11,072 and 43,136 bits, fills of 2, 10, 30 and 50 %, unrelated sets and
//! clusters of fifty (`examples/index_costs.rs` prints such a table). The root mean square of the logarithms' errors is
//! 0.15 to 0.57, largest for inserts into a list and updates of rows. Misses of the caches come in smoothly with the bytes
//! of the filters; where the third cache ends (32 MB) was set by hand, after a look at the mixes that are held out.
//!
//! On another machine all of them grow or shrink together, more or less, and only their ratios decide. How good the
//! choices are is measured elsewhere: other N, shapes, fills and mixes (the rows "adaptive index, held out").

use super::Mix;
use crate::FilterShape;
use crate::index::slab::{SORTED_SLOTS_MIN, UPPER_RATE_MAX, UPPER_SLOTS_MIN};
use crate::index::{SPARSE_SHARE, SPARSE_SHARE_OF_ROWS};

/// What an adaptive index can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// [`NaiveIndex`](super::super::NaiveIndex).
    Naive,
    /// [`BloofiTree`](super::super::BloofiTree).
    Tree,
    /// [`FlatBloofi`](super::super::FlatBloofi).
    Flat,
    /// [`SlicedBloofi`](super::super::SlicedBloofi).
    Sliced,
}

impl Structure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Naive, Self::Tree, Self::Flat, Self::Sliced];
}

/// Children of an inner node, between d and 2d.
pub(super) const TREE_CHILDREN: f64 = 11.0;

/// The second cache and the third.
const L2_BYTES: f64 = 1e6;
const L3_BYTES: f64 = 32e6;

/// Filters that hold the key that is searched for, when nobody has counted.
const FOUND_RIGHTLY: f64 = 5.0;

/// What the choice depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// The number of filters.
    pub sets: usize,
    /// Their shape.
    pub shape: FilterShape,
    /// The share of set bits in a filter.
    pub fill: f64,
    /// The share of set bits in the OR of about eleven similar filters.
    pub group_fill: f64,
    /// In how many bits neighbours differ, of those in which strangers would: 1 for sets in no order, near 0 where each
    /// is like the one before. A list of such sets is fast because every filter answers as the one before.
    pub scatter: f64,
}

/// Nanoseconds of one operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Of a search.
    pub search: f64,
    /// Of an insert.
    pub insert: f64,
    /// Of an update.
    pub update: f64,
    /// Of a delete.
    pub delete: f64,
}

impl Cost {
    /// Nanoseconds of all operations of a mix.
    pub fn of(&self, mix: &Mix) -> f64 {
        self.search * mix.searches
            + self.insert * mix.inserts
            + self.update * mix.updates
            + self.delete * mix.deletes
    }
}

impl Traits {
    /// Traits of which nothing is known but these: unrelated sets in no order.
    pub(super) fn unrelated(sets: usize, shape: FilterShape, fill: f64) -> Self {
        let group_fill = 1.0 - (1.0 - fill).powf(TREE_CHILDREN);
        Self { sets, shape, fill, group_fill, scatter: 1.0 }
    }

    /// What the operations of a structure cost.
    pub fn cost(&self, structure: Structure) -> Cost {
        match structure {
            Structure::Naive => self.naive(),
            Structure::Tree => self.tree(),
            Structure::Flat => self.flat(),
            Structure::Sliced => self.sliced(),
        }
    }

    fn naive(&self) -> Cost {
        let (words, l2, l3) = (self.words(), self.misses(L2_BYTES), self.misses(L3_BYTES));
        // A look costs little if the first bits are surely 0, and a mispredicted branch if they may be.
        let guess = self.fill * (1.4 + 12.5 * self.scatter + l3 * (8.0 + 30.0 * self.scatter));
        let look = 0.77 + l2 + 20.0 * l3 * l3 + guess;
        Cost {
            search: 27.0 + self.sets as f64 * look + 2.5 * self.found(),
            insert: 70.0 + 31.0 * l2 + words * (0.47 + 2.1 * l3),
            update: 15.0 + 63.0 * l2 + 1_100.0 * l3 + words * (0.09 + 0.42 * l3),
            delete: 24.0 + words * (0.086 + 0.5 * l3),
        }
    }

    fn tree(&self) -> Cost {
        let (words, l2, l3) = (self.words(), self.misses(L2_BYTES), self.misses(L3_BYTES));
        let levels = (self.sets.max(2) as f64).log(TREE_CHILDREN).max(1.0);
        let look = 2.0 + 8.7 * l2 + 26.7 * l3 + self.fill * (10.3 + 4.0 * self.scatter);
        Cost {
            search: 8.0 * levels + look * self.tree_visits() + 3.0 * self.found(),
            // Every level compares with all children, and a split makes three nodes anew.
            insert: 110.0 + 170.0 * levels + words * (6.8 + levels * (1.8 + 4.6 * l2)),
            update: 186.0 + words * levels * (1.05 + 5.8 * l2 + 2.6 * l3),
            delete: 254.0 + words * levels * (2.0 + 1.6 * l2),
        }
    }

    fn flat(&self) -> Cost {
        let (probes, bits, ones) = (self.probes(), self.bits(), self.bits() * self.fill);
        let (l2, l3, blocks) = (self.misses(L2_BYTES), self.misses(L3_BYTES), self.row_words());
        let is_anything_found = (64.0 * self.fill.powf(probes)).min(1.0);
        let block = 2.7 + 6.8 * is_anything_found + 12.0 * probes * l3;
        let is_sparse = self.fill * SPARSE_SHARE as f64 <= 1.0;
        Cost {
            search: 14.0 + probes * (1.7 + 15.0 * l2) + blocks * block + 0.45 * self.found(),
            insert: if is_sparse {
                46.0 + 166.0 * l2 + 0.07 * bits + 1.1 * ones * l2
            } else {
                66.0 + 88.0 * l2 + bits * (0.12 + 0.022 * l2)
            },
            update: if is_sparse {
                68.0 + 800.0 * l2 + 3.1 * ones * l2 + bits * (0.017 + 0.12 * l3)
            } else {
                28.0 + 450.0 * l2 + bits * (0.116 + 0.16 * l3)
            },
            delete: 25.0,
        }
    }

    fn sliced(&self) -> Cost {
        let (bits, ones, words) = (self.bits(), self.bits() * self.fill, self.row_words());
        let (l2, l3) = (self.misses(L2_BYTES), self.misses(L3_BYTES));
        let is_short = words <= 1.0;
        let share = if is_short { SPARSE_SHARE } else { SPARSE_SHARE_OF_ROWS };
        let is_sparse = self.fill * share as f64 <= 1.0;
        let upper = f64::from(u8::from(self.has_upper_rows()));
        let overwrite = if is_short {
            55.0 + bits * (0.11 + 0.14 * l2)
        } else {
            280.0 + bits * (0.59 + 0.225 * l2 + 12.3 * l3 * l3 + 0.024 * words * l3 + 0.76 * upper)
        };
        let set = 187.0 + ones * (0.84 + 0.74 * l2 + 3.5 * l3);
        let scrub = bits * (0.24 * l2 + 0.57 * l3 + 0.033 * upper);
        // Rows are copied when they grow.
        let grow = bits * (0.23 * l2 + 1.2 * l3);
        Cost {
            search: self.sliced_search(),
            insert: if is_short && !is_sparse { overwrite } else { set + grow },
            update: if is_sparse && !self.stays_sorted() { set + scrub } else { overwrite },
            delete: 25.0,
        }
    }

    fn sliced_search(&self) -> f64 {
        let (probes, words) = (self.probes(), self.row_words());
        let (l2, l3) = (self.misses(L2_BYTES), self.misses(L3_BYTES));
        if words <= 4.0 {
            return 22.0 + probes * (1.6 + 0.52 * words + 17.0 * l2) + 0.7 * self.found();
        }
        if self.has_upper_rows() {
            let matching = words * self.upper_rate(self.scatter);
            return 40.0 + probes * (33.0 * l3 + 13.0 * matching) + 0.13 * words + 5.2 * self.found();
        }
        // After four rows nothing may be left of all filters of a block.
        let rows = 4.0 + (probes - 4.0).max(0.0) * (1_024.0 * self.fill.powi(4)).min(1.0);
        50.0 + words * (4.0 + rows * (0.037 + 1.3 * l3)) + probes * 85.0 * l3 + 1.8 * self.found()
    }

    /// Nanoseconds of reading all filters out of one structure and putting them into another.
    pub(super) fn change_over_ns(&self, from: Structure, to: Structure) -> f64 {
        let (l2, l3) = (self.misses(L2_BYTES), self.misses(L3_BYTES));
        // Columns are read and written as squares of 64, full or not.
        let square = 0.03 * self.row_words() * 64.0 / self.sets.max(1) as f64;
        let read = match from {
            Structure::Naive | Structure::Tree => 0.0,
            Structure::Flat => square + 0.02 * l3,
            Structure::Sliced => square + 0.12 * l3,
        };
        let write = match to {
            Structure::Naive | Structure::Tree => 0.01 * l2,
            Structure::Flat => square + 0.012 * l2 + 0.012 * l3,
            Structure::Sliced => square + 0.015 * l2 + 0.25 * l3,
        };
        // The new pages have to be given by the system.
        let fresh = if to == Structure::Naive { 0.02 } else { square };
        let grow = if to == Structure::Tree { self.tree().insert } else { 0.0 };
        // Half as much again: the caches hold nothing of it then.
        2_000.0 + 1.5 * self.sets as f64 * (30.0 + grow + self.bits() * (read + write + fresh))
    }

    /// The bytes that a structure holds, with the room that it leaves itself to grow.
    pub fn memory_bytes(&self, structure: Structure) -> usize {
        let (sets, bits) = (self.sets.max(1), self.shape.bits() as usize);
        let per_set = match structure {
            Structure::Naive => sets * (bits / 8 + 8) * 5 / 4,
            Structure::Tree => sets * (bits / 8 + 72) * 5 / 2,
            Structure::Flat => sets.div_ceil(64) * 5 / 4 * bits * 8 + sets.div_ceil(64) * 600,
            Structure::Sliced => slots_of_rows(sets * 5 / 4) * (bits / 8 + 8),
        };
        // The map of ids.
        per_set + sets.next_power_of_two() * 2 * 17
    }

    fn words(&self) -> f64 {
        self.bits() / 64.0
    }

    fn bits(&self) -> f64 {
        self.shape.bits() as f64
    }

    fn probes(&self) -> f64 {
        f64::from(self.shape.probes())
    }

    /// Words of a row, or blocks of columns.
    fn row_words(&self) -> f64 {
        (self.sets as f64 / 64.0).ceil().max(1.0)
    }

    /// The share of accesses that miss a cache of this size.
    fn misses(&self, cache_bytes: f64) -> f64 {
        let bytes = self.sets as f64 * self.bits() / 8.0;
        bytes / (bytes + cache_bytes)
    }

    /// Filters that a search finds: some rightly, the others wrongly.
    fn found(&self) -> f64 {
        FOUND_RIGHTLY + self.sets as f64 * self.fill.powf(self.probes())
    }

    /// The share of words of rows that pass the upper rows: ORs of 64 neighbours.
    fn upper_rate(&self, scatter: f64) -> f64 {
        (1.0 - (1.0 - self.fill).powf(1.0 + 63.0 * scatter)).powf(self.probes())
    }

    fn has_upper_rows(&self) -> bool {
        self.sets >= UPPER_SLOTS_MIN && self.upper_rate(self.scatter) < UPPER_RATE_MAX
    }

    /// Whether updates overwrite columns to keep neighbours alike.
    fn stays_sorted(&self) -> bool {
        self.sets >= SORTED_SLOTS_MIN && self.has_upper_rows() && self.upper_rate(1.0) >= UPPER_RATE_MAX
    }

    /// How many nodes of a tree a search looks at: level by level, the children of those that match.
    fn tree_visits(&self) -> f64 {
        let mut nodes = self.sets as f64;
        let mut fill = self.group_fill;
        let mut visits = 1.0;
        while nodes > 1.0 {
            visits += (nodes * fill.powf(self.probes())).max(TREE_CHILDREN.min(nodes));
            nodes /= TREE_CHILDREN;
            fill = 1.0 - (1.0 - fill).powf(TREE_CHILDREN);
        }
        visits
    }
}

/// Rows have one, two, four, or a multiple of eight words.
fn slots_of_rows(sets: usize) -> usize {
    let words = sets.div_ceil(64);
    64 * if words > 4 { words.next_multiple_of(8) } else { words.next_power_of_two() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The structure that is best for a mix.
    fn best(traits: &Traits, mix: Mix) -> Structure {
        let cost = |structure: &Structure| traits.cost(*structure).of(&mix);
        *Structure::ALL.iter().min_by(|left, right| cost(left).total_cmp(&cost(right))).unwrap()
    }

    #[test]
    fn what_is_known_of_the_structures_is_in_the_model() {
        let shape = FilterShape::for_rate(500, 0.01);
        let mix = |searches, updates| Mix { searches, updates, ..Mix::default() };
        for (sets, fill, scatter, mix, expected) in [
            (50, 0.5, 1.0, mix(1.0, 0.0), Structure::Flat),
            (5_000, 0.5, 1.0, mix(1.0, 0.0), Structure::Sliced),
            (5_000, 0.01, 1.0, mix(1.0, 0.0), Structure::Sliced),
            // Updates of sparse filters are cheap everywhere, those of dense ones only in a list.
            (1_000, 0.01, 1.0, mix(1.0, 1.0), Structure::Flat),
            (1_000, 0.5, 1.0, mix(1.0, 100.0), Structure::Naive),
            // A list of similar neighbours is searched faster.
            (1_000, 0.5, 1.0, mix(1.0, 4.0), Structure::Flat),
            (1_000, 0.5, 0.1, mix(1.0, 4.0), Structure::Naive),
        ] {
            let traits = Traits { scatter, ..Traits::unrelated(sets, shape, fill) };
            assert_eq!(best(&traits, mix), expected, "{sets} sets, fill {fill}, scatter {scatter}, {mix:?}");
        }
    }
}
