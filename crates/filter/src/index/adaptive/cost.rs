//! What each structure costs: nanoseconds of an operation and bytes of memory, from the traits of the filters.
//!
//! The constants are those of one core (AMD EPYC of family 25, CPU time, November 2026), fitted to single structures in
//! `crivello bench filter`: filters of 4,800 bits, N from 10 to 100,000, fills of 1, 10 and 50 %, clustered and random.
//! On another machine all of them grow or shrink together, more or less, and only their ratios decide. How good the
//! choices are is measured elsewhere: other N, shapes, fills and mixes (the rows "adaptive index, held out"), where some
//! are still wrong: the worst mix costs about twice what the best single structure does.

use super::Mix;
use crate::FilterShape;

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

/// Dead columns that are scrubbed in one pass, on average.
const SCRUBBED: f64 = 24.0;

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
        let search = 10.0 + self.sets as f64 * self.look();
        Cost { search, insert: 60.0 + 0.4 * self.words(), update: 30.0 + 0.3 * self.words(), delete: 25.0 }
    }

    fn tree(&self) -> Cost {
        let levels = (self.sets.max(2) as f64).log(TREE_CHILDREN).max(1.0);
        let path = 100.0 + 2.4 * self.words() * levels;
        // Every level compares with all children, and a split makes three nodes anew.
        let grow = 100.0 + 0.6 * self.words() * TREE_CHILDREN * levels;
        let search = 20.0 + (4.0 + self.look()) * self.tree_visits();
        Cost { search, insert: grow, update: path, delete: path }
    }

    fn flat(&self) -> Cost {
        let (probes, bits) = (self.probes(), self.bits());
        let blocks = (self.sets as f64 / 64.0).ceil();
        let search = 9.0 + blocks * probes * 0.8 * self.slowed([1.0, 1.0, 2.5, 9.0]) + 8.0 * self.found();
        let scattered = 60.0 + bits * self.fill * self.slowed([1.3, 7.0, 9.0, 12.0]);
        let write = scattered.min(50.0 + 0.105 * bits);
        // A new block is cleared once for 64 filters.
        Cost { search, insert: write + 0.01 * bits, update: write, delete: 12.0 }
    }

    fn sliced(&self) -> Cost {
        let (probes, bits) = (self.probes(), self.bits());
        let words = (self.sets as f64 / 64.0).ceil();
        let row = if words <= 4.0 { words * 0.8 } else { 1.5 + words * 0.12 };
        let search = 16.0 + probes * row * self.slowed([1.0, 2.0, 3.0, 8.0]) + 6.0 * self.found();
        let set = 100.0 + bits * self.fill * self.slowed([1.15, 2.5, 9.0, 12.0]);
        let replace =
            50.0 + if words <= 1.0 { 0.105 } else { 0.75 * self.slowed([1.0, 1.0, 1.4, 6.0]) } * bits;
        let scrub = self.slowed([1.5, 3.0, 5.0, 9.0]) * bits / SCRUBBED;
        // Rows are copied when they grow.
        let grow = self.slowed([0.05, 0.05, 0.16, 0.3]) * bits;
        Cost {
            search,
            insert: set.min(replace) + grow,
            update: replace.min(set + 40.0 + scrub),
            delete: 12.0,
        }
    }

    /// Nanoseconds of reading all filters out of one structure and putting them into another.
    pub(super) fn change_over_ns(&self, from: Structure, to: Structure) -> f64 {
        // Columns are read and written as squares of 64.
        let square = 40.0 + 0.045 * self.bits();
        let read = match from {
            Structure::Naive | Structure::Tree => 60.0 + 0.1 * self.words(),
            Structure::Flat | Structure::Sliced => square,
        };
        let write = match to {
            Structure::Naive | Structure::Tree => self.cost(to).insert,
            Structure::Flat | Structure::Sliced => square,
        };
        self.sets as f64 * (read + write)
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

    fn filter_bytes(&self) -> f64 {
        self.sets as f64 * self.bits() / 8.0
    }

    /// What accesses cost that lie far apart, by where the filters fit: into the second cache, just not, into the third,
    /// or into none.
    fn slowed(&self, by_place: [f64; 4]) -> f64 {
        let ends = [0.4e6, 3e6, 16e6];
        by_place[ends.iter().take_while(|end| **end <= self.filter_bytes()).count()]
    }

    /// Filters that a search finds wrongly.
    fn found(&self) -> f64 {
        self.sets as f64 * self.fill.powf(self.probes())
    }

    /// A look at a filter costs little if its first bits are surely 0, and a mispredicted branch if they may be.
    fn look(&self) -> f64 {
        self.slowed([1.0, 1.0, 1.5, 3.0]) * (1.0 + 18.0 * self.fill * self.scatter)
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
