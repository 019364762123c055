//! Whatever is done to a filter, it never denies a key that is in the set.

use std::collections::{HashMap, HashSet};

use filter::{
    AtomicBlockedBloomFilter, BlockedBloomFilter, BlockedShape, BlockedView, BloomFilter, BloomView,
    CountingBloomFilter, FilterShape, FuseFilter, KeyHash,
};
use proptest::collection::{hash_set, vec};
use proptest::prelude::*;

/// Few letters and short: keys that are equal, that are prefixes of each other, and the empty one.
fn keys() -> impl Strategy<Value = HashSet<Vec<u8>>> {
    hash_set(vec(prop_oneof![Just(b'a'), Just(b'b'), any::<u8>()], 0..12), 0..400)
}

fn shapes() -> impl Strategy<Value = FilterShape> {
    (1u64..5_000, 1u32..12, any::<u64>())
        .prop_map(|(bits, probes, seed)| FilterShape::new(bits, probes, seed))
}

proptest! {
    #[test]
    fn no_filter_ever_denies_a_key_of_its_set(keys in keys(), shape in shapes(), block_count in 1u64..20) {
        let blocked_shape = BlockedShape::new(block_count, shape.seed());
        let mut classic = BloomFilter::new(shape);
        let mut counting = CountingBloomFilter::new(shape);
        let mut blocked = BlockedBloomFilter::new(blocked_shape);
        let shared = AtomicBlockedBloomFilter::new(blocked_shape);
        let hashes: Vec<KeyHash> = keys.iter().map(|key| shape.hash(key)).collect();
        for hash in &hashes {
            // What was not found before is new, and what was found is not.
            prop_assert_ne!(classic.contains(hash), classic.insert(hash));
            prop_assert_ne!(blocked.contains(hash.as_u64()), blocked.insert(hash.as_u64()));
            prop_assert_ne!(shared.contains(hash.as_u64()), shared.insert(hash.as_u64()));
            counting.insert(hash);
        }
        let fuse = FuseFilter::build(hashes.iter().map(|hash| hash.as_u64()).collect()).unwrap();
        let (classic_bytes, blocked_bytes) = (classic.to_bytes(), blocked.to_bytes());
        // One byte off, so that no word is aligned.
        let (classic_bytes, blocked_bytes) = ([vec![0], classic_bytes].concat(), [vec![0], blocked_bytes].concat());
        let classic_view = BloomView::open(&classic_bytes[1..]).unwrap();
        let blocked_view = BlockedView::open(&blocked_bytes[1..]).unwrap();
        for hash in &hashes {
            prop_assert!(classic.contains(hash) && classic_view.contains(hash) && counting.contains(hash));
            prop_assert!(blocked.contains(hash.as_u64()) && blocked_view.contains(hash.as_u64()));
            prop_assert!(shared.contains(hash.as_u64()) && fuse.contains(hash.as_u64()));
        }
        prop_assert_eq!(counting.to_bloom(), classic);
        prop_assert_eq!(shared.snapshot(), blocked);
        // Strangers: the views and the shared filter are wrong exactly where the filter is.
        for stranger in 0..200 {
            let hash = KeyHash::of_u64(stranger, shape.seed());
            prop_assert_eq!(classic_view.contains(&hash), classic_view.to_filter().contains(&hash));
            let expected = blocked_view.to_filter().contains(hash.as_u64());
            prop_assert_eq!(blocked_view.contains(hash.as_u64()), expected);
            prop_assert_eq!(shared.contains(hash.as_u64()), expected);
        }
    }

    #[test]
    fn a_counting_filter_follows_a_multiset(steps in vec((0u64..60, any::<bool>()), 0..600), shape in shapes()) {
        let mut filter = CountingBloomFilter::new(shape);
        let mut expected: HashMap<u64, u32> = HashMap::new();
        for (key, is_insert) in steps {
            let count = expected.entry(key).or_default();
            let hash = KeyHash::of_u64(key, shape.seed());
            if is_insert {
                filter.insert(&hash);
                *count += 1;
            } else if *count > 0 {
                prop_assert!(filter.remove(&hash));
                *count -= 1;
            }
        }
        for (key, count) in expected {
            prop_assert!(filter.count_of(&KeyHash::of_u64(key, shape.seed())) >= count.min(15));
        }
    }

    #[test]
    fn joins_obey_the_laws_of_sets(a in keys(), b in keys(), c in keys(), shape in shapes(), block_count in 1u64..20) {
        let classic = |keys: &HashSet<Vec<u8>>| {
            let mut filter = BloomFilter::new(shape);
            for key in keys {
                filter.insert(&shape.hash(key));
            }
            filter
        };
        let blocked = |keys: &HashSet<Vec<u8>>| {
            let mut filter = BlockedBloomFilter::new(BlockedShape::new(block_count, shape.seed()));
            for key in keys {
                filter.insert(shape.hash(key).as_u64());
            }
            filter
        };
        macro_rules! check_laws {
            ($make:expr, $filter:ty) => {
                let or = |left: &$filter, right: &$filter| {
                    let mut out = left.clone();
                    out.union_with(right).map(|()| out).unwrap()
                };
                let and = |left: &$filter, right: &$filter| {
                    let mut out = left.clone();
                    out.intersect_with(right).map(|()| out).unwrap()
                };
                let (x, y, z) = ($make(&a), $make(&b), $make(&c));
                prop_assert_eq!(or(&x, &y), $make(&a.union(&b).cloned().collect()));
                prop_assert_eq!(or(&x, &y), or(&y, &x));
                prop_assert_eq!(or(&or(&x, &y), &z), or(&x, &or(&y, &z)));
                prop_assert_eq!(and(&x, &or(&y, &z)), or(&and(&x, &y), &and(&x, &z)));
                prop_assert_eq!(or(&x, &and(&x, &y)), x.clone());
                prop_assert_eq!(and(&x, &x), x.clone());
                // The filter of the intersection is inside the intersection of the filters.
                let both = $make(&a.intersection(&b).cloned().collect());
                prop_assert_eq!(and(&both, &and(&x, &y)), both);
            };
        }
        check_laws!(classic, BloomFilter);
        check_laws!(blocked, BlockedBloomFilter);
        let (x, y) = (classic(&a), classic(&b));
        prop_assert_eq!(x.distance(&y), y.distance(&x));
        prop_assert_eq!(x.distance(&x), Ok(0));
        prop_assert_eq!(x.is_subset_of(&y).unwrap() && y.is_subset_of(&x).unwrap(), x == y);
    }

    #[test]
    fn a_batch_answers_like_its_keys(
        hashes in vec(any::<u64>(), 0..300), others in vec(any::<u64>(), 0..300), is_large in any::<bool>()
    ) {
        // Large filters ask for memory ahead.
        let shape = BlockedShape::new(if is_large { 10_000 } else { 3 }, 0);
        let (mut single, mut batch) = (BlockedBloomFilter::new(shape), BlockedBloomFilter::new(shape));
        for hash in &hashes {
            single.insert(*hash);
        }
        batch.insert_batch(&hashes);
        prop_assert_eq!(&single, &batch);
        let asked = [hashes, others].concat();
        let mut found = vec![u64::MAX; asked.len().div_ceil(64)];
        batch.contains_batch(&asked, &mut found);
        for index in 0..found.len() * 64 {
            let expected = asked.get(index).is_some_and(|hash| single.contains(*hash));
            prop_assert_eq!(found[index / 64] >> (index % 64) & 1 == 1, expected);
        }
    }
}

#[test]
#[should_panic(expected = "one bit per key")]
fn a_batch_needs_room_for_its_answers() {
    BlockedBloomFilter::new(BlockedShape::new(1, 0)).contains_batch(&[0; 65], &mut [0; 1]);
}
