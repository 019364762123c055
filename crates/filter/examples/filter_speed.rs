//! How fast are the filters, how large, and how often wrong, beside fastbloom and a Parquet split-block filter?
//!
//! ```text
//! cargo run --release -p filter --example filter_speed            # 20,000 and 2,000,000 keys
//! cargo run --release -p filter --example filter_speed -- 100000000 [more sizes]
//! ```
//!
//! One thread, CPU time (other work on the machine is not counted, what it does to caches is), the best of several
//! rounds. All filters get the same hashed keys from the same array: hashing costs the same everywhere and is left out.
//! The rounds of the filters are interleaved, so that a slow minute hits all of them.
//! The claims: blocked queries take at most half of fastbloom's time, and the true rate is at most 1.00 % at 10.2 bits.

use std::time::Duration;

use fastbloom::BloomFilter as FastBloom;
use filter::{BlockedBloomFilter, BlockedShape, BloomFilter, FilterShape, FuseFilter, KeyHash};
use rustix::time::{ClockId, clock_gettime};
use sbbf_rs_safe::Filter as SplitBlock;

const RATE: f64 = 0.01;
const SEED: u64 = 2026;
/// Keys asked for in a round, also of a small filter: from fewer that come again and again the processor learns by heart
/// which probe of which key fails, and a miss in a classic filter looks six times as fast as it is.
const QUERIES: usize = 2_000_000;
/// Keys are inserted in runs of this many, made outside of the measured time.
const RUN: usize = 1 << 16;

fn main() {
    let mut sizes: Vec<usize> =
        std::env::args().skip(1).filter_map(|size| size.replace('_', "").parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![20_000, 2_000_000];
    }
    for keys in sizes {
        let rounds = if keys > 10_000_000 { 5 } else { 15 };
        println!("\n{keys} keys, best of {rounds} rounds\n");
        println!(
            "| filter | bits a key | true rate | insert ns | hit ns | miss ns |\n|---|---|---|---|---|---|"
        );
        for row in measure(keys, rounds) {
            println!(
                "| {} | {:.2} | {:.3} % | {:.2} | {:.2} | {:.2} |",
                row.name,
                row.bits_per_key,
                row.rate * 100.0,
                row.insert_ns,
                row.hit_ns,
                row.miss_ns
            );
        }
    }
}

/// What was measured of one filter.
struct Row {
    name: &'static str,
    bits_per_key: f64,
    rate: f64,
    insert_ns: f64,
    hit_ns: f64,
    miss_ns: f64,
}

/// A filter under measurement; only the loops inside are timed.
trait Subject {
    fn name(&self) -> &'static str;
    fn bits(&self) -> u64;
    fn insert(&mut self, hashes: &[u64]);
    /// Called once when all keys are in.
    fn seal(&mut self) {}
    fn count_found(&mut self, hashes: &[u64]) -> usize;
}

fn measure(keys: usize, rounds: usize) -> Vec<Row> {
    let mut subjects = subjects(keys);
    let hits: Vec<u64> = sample(keys, QUERIES).map(hash).collect();
    let misses: Vec<u64> = (keys as u64..).take(QUERIES).map(hash).collect();
    let mut rows = Vec::new();
    for subject in &mut subjects {
        let insert = fill(subject.as_mut(), keys);
        rows.push(Row {
            name: subject.name(),
            bits_per_key: subject.bits() as f64 / keys as f64,
            rate: true_rate(subject.as_mut(), keys),
            insert_ns: insert.as_nanos() as f64 / keys as f64,
            hit_ns: f64::MAX,
            miss_ns: f64::MAX,
        });
    }
    for _ in 0..rounds {
        for (subject, row) in subjects.iter_mut().zip(&mut rows) {
            let mut ask = |hashes: &[u64]| {
                let (found, took) = timed(|| subject.count_found(hashes));
                (found, took.as_nanos() as f64 / QUERIES as f64)
            };
            let (found, hit_ns) = ask(&hits);
            assert_eq!(found, hits.len(), "{} lost keys", row.name);
            row.hit_ns = row.hit_ns.min(hit_ns);
            row.miss_ns = row.miss_ns.min(ask(&misses).1);
        }
    }
    if keys <= 10_000_000 {
        for _ in 0..rounds {
            for (mut subject, row) in self::subjects(keys).into_iter().zip(&mut rows) {
                row.insert_ns =
                    row.insert_ns.min(fill(subject.as_mut(), keys).as_nanos() as f64 / keys as f64);
            }
        }
    }
    rows
}

/// Inserts all keys and gives the time that this took.
fn fill(subject: &mut dyn Subject, keys: usize) -> Duration {
    let mut took = Duration::ZERO;
    let mut hashes = Vec::with_capacity(RUN);
    for start in (0..keys).step_by(RUN) {
        hashes.clear();
        hashes.extend((start..keys.min(start + RUN)).map(|key| hash(key as u64)));
        took += timed(|| subject.insert(&hashes)).1;
    }
    took + timed(|| subject.seal()).1
}

/// The share of ten million foreign keys that are found.
fn true_rate(subject: &mut dyn Subject, keys: usize) -> f64 {
    let foreign: Vec<u64> = (1u64 << 40..).take(1_000_000).collect();
    let found: usize = (0..10)
        .map(|round| {
            let hashes: Vec<u64> =
                foreign.iter().map(|key| hash(key + round * 1_000_000 + keys as u64)).collect();
            subject.count_found(&hashes)
        })
        .sum();
    found as f64 / 1e7
}

fn hash(key: u64) -> u64 {
    KeyHash::of_u64(key, SEED).as_u64()
}

/// Keys that were inserted, in no order.
fn sample(keys: usize, count: usize) -> impl Iterator<Item = u64> {
    (0..count as u64).map(move |index| ((u128::from(hash(!index)) * keys as u128) >> 64) as u64)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let start = now();
    let result = std::hint::black_box(work());
    (result, now() - start)
}

fn subjects(keys: usize) -> Vec<Box<dyn Subject>> {
    let blocked = BlockedBloomFilter::new(BlockedShape::for_rate(keys as u64, RATE));
    vec![
        Box::new(One(blocked.clone())),
        Box::new(Batch(blocked, vec![0; QUERIES.div_ceil(64)])),
        Box::new(One(BloomFilter::new(FilterShape::for_rate(keys as u64, RATE)))),
        Box::new(Fuse(Vec::new(), None)),
        Box::new(One(FastBloom::with_false_pos(RATE).seed(&1).expected_items(keys))),
        Box::new(One(SplitBlock::new(10, keys))),
    ]
}

/// Keys one by one.
struct One<F>(F);
/// Keys in batches.
struct Batch(BlockedBloomFilter, Vec<u64>);
/// Keys gathered, then built at once.
struct Fuse(Vec<u64>, Option<FuseFilter>);

macro_rules! one_by_one {
    ($filter:ty, $name:literal, $bits:expr, $insert:expr, $contains:expr) => {
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

one_by_one!(
    BlockedBloomFilter,
    "blocked",
    |filter: &BlockedBloomFilter| filter.shape().bits(),
    BlockedBloomFilter::insert,
    BlockedBloomFilter::contains
);
one_by_one!(
    BloomFilter,
    "classic",
    |filter: &BloomFilter| filter.shape().bits(),
    // The step comes from the same 64 bits, as in fastbloom.
    |filter: &mut BloomFilter, hash: u64| filter.insert(&key_hash(hash)),
    |filter: &BloomFilter, hash: u64| filter.contains(&key_hash(hash))
);
one_by_one!(
    FastBloom,
    "fastbloom 0.17",
    FastBloom::num_bits,
    FastBloom::insert_hash,
    FastBloom::contains_hash
);
one_by_one!(
    SplitBlock,
    "sbbf-rs-safe 0.3",
    |filter: &SplitBlock| filter.as_bytes().len() * 8,
    SplitBlock::insert_hash,
    SplitBlock::contains_hash
);

fn key_hash(hash: u64) -> KeyHash {
    KeyHash::from_parts(hash, hash.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl Subject for Batch {
    fn name(&self) -> &'static str {
        "blocked, batched"
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
        "fuse"
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
