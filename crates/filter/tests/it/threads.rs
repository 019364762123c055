//! The shared filter while many threads fill it.

use std::thread;

use filter::{AtomicBlockedBloomFilter, BlockedBloomFilter, BlockedShape, KeyHash};

const THREADS: u64 = 4;

fn hash(key: u64) -> u64 {
    KeyHash::of_u64(key, 0).as_u64()
}

#[test]
fn threads_together_make_the_filter_of_all_their_keys() {
    let shape = BlockedShape::for_rate(40_000, 0.01);
    let shared = AtomicBlockedBloomFilter::new(shape);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let shared = &shared;
            scope.spawn(move || {
                for key in thread * 8_000..thread * 8_000 + 16_000 {
                    shared.insert(hash(key));
                    assert!(shared.contains(hash(key)));
                }
            });
        }
    });
    let mut expected = BlockedBloomFilter::new(shape);
    for key in 0..40_000 {
        expected.insert(hash(key));
    }
    assert_eq!(shared.snapshot(), expected);
    assert!((0..40_000).all(|key| !shared.insert(hash(key))));
    assert_eq!(AtomicBlockedBloomFilter::from(&expected).snapshot(), expected);
}

#[test]
fn of_threads_that_race_at_least_one_is_told_that_the_key_is_new() {
    // So large that no key is there by chance.
    let shared = AtomicBlockedBloomFilter::new(BlockedShape::new(100_000, 0));
    let told: Vec<Vec<bool>> = thread::scope(|scope| {
        let work = || (0..20_000).map(|key| shared.insert(hash(key))).collect();
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    assert!((0..20_000).all(|key| told.iter().any(|told| told[key])));
}
