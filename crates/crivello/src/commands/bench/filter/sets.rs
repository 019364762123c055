//! Sets of keys as filters, keys to search, and the structures that hold the filters.
//!
//! A search cycles through 16,384 keys, half of them in one of the sets and half in none.

use ::filter::index::{AdaptiveBloofi, BloofiTree, FilterIndex, FlatBloofi, NaiveIndex, SlicedBloofi};
use ::filter::{BloomFilter, FilterShape, KeyHash};

use crate::commands::bench::clock::time;

/// The structures, the single ones first, in the order of `filter::index::Structure`.
pub const NAMES: [&str; 5] = ["naive", "tree", "flat", "sliced", "adaptive"];
/// How many of them are single structures.
pub const SINGLE: usize = 4;
const TREE_ORDER: usize = 8;

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

/// Sets of a cluster share nine keys of ten.
const CLUSTER_SETS: u64 = 50;

impl Data {
    /// Sets of so many keys each.
    pub fn new(shape: FilterShape, sets: usize, keys_per_set: usize, clustered: bool) -> Self {
        let key_of = |set: u64, n: u64| {
            let owner = if clustered && !n.is_multiple_of(10) { 1 << 40 | (set / CLUSTER_SETS) } else { set };
            KeyHash::of_u64(owner << 16 | n, 0)
        };
        let filter_of = |set: u64| {
            let mut filter = BloomFilter::new(shape);
            for n in 0..keys_per_set as u64 {
                filter.insert(&key_of(set, n));
            }
            filter
        };
        let filters = (0..sets as u64).map(filter_of).collect();
        let random = |n: u64, end: u64| KeyHash::of_u64(n, 77).as_u64() % end;
        let hit = |n: u64| key_of(random(n, sets as u64), random(n + 500_000, keys_per_set as u64));
        let keys = (0..1 << 14).map(|n| if n % 2 == 0 { hit(n) } else { KeyHash::of_u64(n, 123) }).collect();
        Self { shape, filters, keys }
    }

    /// Sets of so many keys that this share of the bits is set.
    pub fn with_fill(fill: f64, sets: usize, clustered: bool) -> Self {
        let shape = FilterShape::for_rate(500, 0.01);
        let keys = shape.keys_at((fill * shape.bits() as f64) as u64).round().max(1.0);
        Self::new(shape, sets, keys as usize, clustered)
    }

    /// The filters with their ids.
    pub fn batch(&self) -> Vec<(u64, &BloomFilter)> {
        (0..).zip(&self.filters).collect()
    }
}

fn empty(name: &str, shape: FilterShape) -> Box<dyn FilterIndex> {
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
    data.batch().into_iter().for_each(|(id, filter)| index.insert(id, filter).expect("ids differ"));
    index
}

/// Nanoseconds of a search.
pub fn search_ns(index: &dyn FilterIndex, keys: &[KeyHash]) -> f64 {
    let mut ids = Vec::with_capacity(1 << 12);
    time(|n| index.search(&keys[n % keys.len()], &mut ids))
}
