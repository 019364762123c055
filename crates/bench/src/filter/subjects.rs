//! The filters under measurement. All get the same hashed keys from the same array: hashing costs the same everywhere
//! and is left out.

use ::filter::{BlockedBloomFilter, BlockedShape, BloomFilter, FilterShape, FuseFilter, KeyHash};

use crate::peers;

/// The rate of wrong answers that each filter is made for.
pub const RATE: f64 = 0.01;

/// From here on a filter does not fit into caches: asking in batches is what it is made for, and what needs many times
/// its own size while it is built is left out.
pub const LARGE_KEYS: usize = 10_000_000;

/// What the peer of the goals is called.
pub const FASTBLOOM: &str = "fastbloom 0.17";
/// What the other peer is called.
pub const SPLIT_BLOCK: &str = "sbbf-rs-safe 0.3 (Parquet)";

/// A filter under measurement; only the loops inside are timed.
pub trait Subject {
    /// What it is called.
    fn name(&self) -> &'static str;
    /// Its size.
    fn bits(&self) -> u64;
    /// Takes keys in.
    fn insert(&mut self, hashes: &[u64]);
    /// Called once when all keys are in.
    fn seal(&mut self) {}
    /// How many of the keys it finds.
    fn count_found(&mut self, hashes: &[u64]) -> usize;
}

/// Our blocked filter first, then the others of ours, then the peers.
pub fn subjects(keys: usize, queries: usize) -> Vec<Box<dyn Subject>> {
    let blocked = BlockedBloomFilter::new(BlockedShape::for_rate(keys as u64, RATE));
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    if keys >= LARGE_KEYS {
        subjects.push(Box::new(Batch(blocked, vec![0; queries.div_ceil(64)])));
    } else {
        subjects.push(Box::new(One(blocked)));
        subjects.push(Box::new(One(BloomFilter::new(FilterShape::for_rate(keys as u64, RATE)))));
        subjects.push(Box::new(Fuse(Vec::new(), None)));
    }
    subjects.extend(peers::filters(keys));
    subjects
}

/// Keys one by one.
pub struct One<F>(pub F);
/// Keys in batches.
struct Batch(BlockedBloomFilter, Vec<u64>);
/// Keys gathered, then built at once.
struct Fuse(Vec<u64>, Option<FuseFilter>);

/// What is asked key by key: its type, its name, its bits, and how keys are taken in and asked for.
macro_rules! one_by_one {
    ($filter:ty, $name:expr, $bits:expr, $insert:expr, $contains:expr) => {
        impl Subject for One<$filter> {
            fn name(&self) -> &'static str {
                $name
            }
            fn bits(&self) -> u64 {
                $bits(&self.0) as u64
            }
            fn insert(&mut self, hashes: &[u64]) {
                for hash in hashes {
                    $insert(&mut self.0, *hash);
                }
            }
            fn count_found(&mut self, hashes: &[u64]) -> usize {
                hashes.iter().filter(|hash| $contains(&self.0, **hash)).count()
            }
        }
    };
}

#[cfg(feature = "peers")]
pub(crate) use one_by_one;

one_by_one!(
    BlockedBloomFilter,
    "blocked filter, one by one",
    |filter: &BlockedBloomFilter| filter.shape().bits(),
    BlockedBloomFilter::insert,
    BlockedBloomFilter::contains
);
one_by_one!(
    BloomFilter,
    "classic filter",
    |filter: &BloomFilter| filter.shape().bits(),
    // The step comes from the same 64 bits, as in fastbloom.
    |filter: &mut BloomFilter, hash: u64| filter.insert(&key_hash(hash)),
    |filter: &BloomFilter, hash: u64| filter.contains(&key_hash(hash))
);
fn key_hash(hash: u64) -> KeyHash {
    KeyHash::from_parts(hash, hash.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl Subject for Batch {
    fn name(&self) -> &'static str {
        "blocked filter, in batches"
    }
    fn bits(&self) -> u64 {
        self.0.shape().bits()
    }
    fn insert(&mut self, hashes: &[u64]) {
        self.0.insert_batch(hashes);
    }
    fn count_found(&mut self, hashes: &[u64]) -> usize {
        let found = &mut self.1[..hashes.len().div_ceil(64)];
        self.0.contains_batch(hashes, found);
        found.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl Subject for Fuse {
    fn name(&self) -> &'static str {
        "fuse filter"
    }
    fn bits(&self) -> u64 {
        self.1.as_ref().map_or(0, FuseFilter::bits)
    }
    fn insert(&mut self, hashes: &[u64]) {
        self.0.extend_from_slice(hashes);
    }
    fn seal(&mut self) {
        self.1 =
            Some(FuseFilter::build(std::mem::take(&mut self.0)).expect("the keys are not made to collide"));
    }
    fn count_found(&mut self, hashes: &[u64]) -> usize {
        let filter = self.1.as_ref().expect("it was sealed");
        hashes.iter().filter(|hash| filter.contains(**hash)).count()
    }
}
