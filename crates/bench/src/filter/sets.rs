//! Sets of keys as filters, keys to search, and the structures that hold the filters.
//!
//! A search cycles through 16,384 keys, half of them in one of the sets and half in none.

use ::filter::index::{AdaptiveBloofi, BloofiTree, FilterIndex, FlatBloofi, NaiveIndex, SlicedBloofi};
use ::filter::{BloomFilter, FilterShape, KeyHash};

use crate::clock::time;

/// The structures, the single ones first, in the order of `filter::index::Structure`.
pub const NAMES: [&str; 5] = ["naive", "tree", "flat", "sliced", "adaptive"];
/// How many of them are single structures.
pub const SINGLE: usize = 4;
const TREE_ORDER: usize = 8;
/// Sets of a cluster share nine keys of ten.
const CLUSTER_SETS: u64 = 50;

/// How the keys of the sets are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Every set has an interval of numbers of its own.
    Intervals,
    /// Every set draws from as many numbers as all sets have together, so that some are in several.
    Drawn,
    /// Fifty neighbours share nine keys of ten.
    Clustered,
    /// No keys: bits at regular distances, as many as the keys would set at most. A search hits by chance.
    EvenBits,
}

impl Kind {
    /// What it is called in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intervals => "intervals",
            Self::Drawn => "drawn at random",
            Self::Clustered => "clustered",
            Self::EvenBits => "bits at regular distances",
        }
    }
}

/// Sets of keys as filters, and keys to search.
#[derive(Debug)]
pub struct Data {
    /// Of all filters.
    pub shape: FilterShape,
    /// One per set.
    pub filters: Vec<BloomFilter>,
    /// What is asked for.
    pub keys: Vec<KeyHash>,
}

impl Data {
    /// Sets of so many keys each.
    pub fn new(shape: FilterShape, sets: usize, keys_per_set: usize, kind: Kind) -> Self {
        let all_keys = (sets * keys_per_set) as u64;
        let random = |n: u64, end: u64| KeyHash::of_u64(n, 77).as_u64() % end;
        let key_of = |set: u64, n: u64| {
            let own = set << 16 | n;
            KeyHash::of_u64(
                match kind {
                    Kind::Clustered if !n.is_multiple_of(10) => (1 << 40 | (set / CLUSTER_SETS)) << 16 | n,
                    Kind::Drawn => 1 << 50 | random(own, all_keys),
                    _ => own,
                },
                0,
            )
        };
        let filter_of = |set: u64| {
            if kind == Kind::EvenBits {
                return with_even_bits(shape, keys_per_set, set);
            }
            let mut filter = BloomFilter::new(shape);
            for n in 0..keys_per_set as u64 {
                filter.insert(&key_of(set, n));
            }
            filter
        };
        let filters = (0..sets as u64).map(filter_of).collect();
        let hit = |n: u64| key_of(random(n, sets as u64), random(n + 500_000, keys_per_set as u64));
        let keys = (0..1 << 14).map(|n| if n % 2 == 0 { hit(n) } else { KeyHash::of_u64(n, 123) }).collect();
        Self { shape, filters, keys }
    }

    /// Sets of so many keys that this share of the bits is set.
    pub fn with_fill(fill: f64, sets: usize, kind: Kind) -> Self {
        Self::filled_to(FilterShape::for_rate(500, 0.01), fill, sets, kind)
    }

    /// The same in another shape.
    pub fn filled_to(shape: FilterShape, fill: f64, sets: usize, kind: Kind) -> Self {
        let keys = shape.keys_at((fill * shape.bits() as f64) as u64).round().max(1.0);
        Self::new(shape, sets, keys as usize, kind)
    }

    /// The filters with their ids.
    pub fn batch(&self) -> Vec<(u64, &BloomFilter)> {
        (0..).zip(&self.filters).collect()
    }
}

fn with_even_bits(shape: FilterShape, keys: usize, set: u64) -> BloomFilter {
    let ones = (keys as u64 * u64::from(shape.probes())).clamp(1, shape.bits());
    let mut words = vec![0; shape.word_count()];
    for n in 0..ones {
        let position = (n * shape.bits() / ones + set) % shape.bits();
        words[(position / 64) as usize] |= 1 << (position % 64);
    }
    BloomFilter::from_words(shape, words).expect("as many words as the shape has")
}

/// A structure without filters.
pub fn empty(name: &str, shape: FilterShape) -> Box<dyn FilterIndex> {
    match name {
        "naive" => Box::new(NaiveIndex::new(shape)),
        "tree" => Box::new(BloofiTree::new(shape, TREE_ORDER)),
        "flat" => Box::new(FlatBloofi::new(shape)),
        "sliced" => Box::new(SlicedBloofi::new(shape)),
        _ => Box::new(AdaptiveBloofi::new(shape)),
    }
}

/// A structure with all filters in it.
pub fn filled(name: &str, data: &Data) -> Box<dyn FilterIndex> {
    let mut index = empty(name, data.shape);
    fill(&mut *index, data);
    index
}

/// Inserts all filters.
pub fn fill(index: &mut dyn FilterIndex, data: &Data) {
    data.batch().into_iter().for_each(|(id, filter)| index.insert(id, filter).expect("ids differ"));
}

/// Nanoseconds of a search.
pub fn search_ns(index: &dyn FilterIndex, keys: &[KeyHash]) -> f64 {
    let mut ids = Vec::with_capacity(1 << 12);
    time(|n| index.search(&keys[n % keys.len()], &mut ids))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_sets_are_what_they_say() {
        let shape = FilterShape::for_rate(100, 0.01);
        let found = |kind| {
            let data = Data::new(shape, 100, 100, kind);
            let index = filled("naive", &data);
            let mut ids = Vec::new();
            let hits = data.keys.iter().step_by(2).take(400);
            hits.map(|key| {
                index.search(key, &mut ids);
                ids.len()
            })
            .sum::<usize>() as f64
                / 400.0
        };
        // Itself and one wrong one in a hundred; about one more; its cluster.
        assert!((1.0..3.0).contains(&found(Kind::Intervals)), "{}", found(Kind::Intervals));
        assert!((2.3..4.5).contains(&found(Kind::Drawn)), "{}", found(Kind::Drawn));
        assert!(found(Kind::Clustered) > 40.0, "{}", found(Kind::Clustered));
        let even = Data::new(shape, 3, 50, Kind::EvenBits);
        assert!(even.filters.iter().all(|filter| filter.count_ones() == 50 * u64::from(shape.probes())));
    }
}
