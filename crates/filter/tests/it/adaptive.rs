//! What the adaptive index becomes, for what it is told and for what it sees.

use filter::index::{AdaptiveBloofi, Expected, FilterIndex, Mix, Operation, Structure};
use filter::{BloomFilter, FilterShape, KeyHash};

fn shape() -> FilterShape {
    FilterShape::for_rate(300, 0.02)
}

/// Unrelated sets, as many keys each.
fn filters(count: u64, keys: u64) -> Vec<BloomFilter> {
    let filter_of = |set: u64| {
        let mut filter = BloomFilter::new(shape());
        for key in 0..keys {
            filter.insert(&KeyHash::of_u64(set << 20 | key, 0));
        }
        filter
    };
    (0..count).map(filter_of).collect()
}

fn fill(index: &mut AdaptiveBloofi, filters: &[BloomFilter]) {
    (0..).zip(filters).for_each(|(id, filter)| index.insert(id, filter).unwrap());
}

fn search(index: &AdaptiveBloofi, count: u64) {
    let mut ids = Vec::new();
    (0..count).for_each(|key| index.search(&KeyHash::of_u64(key, 9), &mut ids));
}

fn update(index: &mut AdaptiveBloofi, filters: &[BloomFilter], count: usize) {
    for n in 0..count {
        let id = n * 7 % filters.len();
        index.update(id as u64, &filters[(id + 1) % filters.len()]).unwrap();
    }
}

#[test]
fn the_adaptive_index_begins_with_what_it_is_told() {
    let mix = |searches, inserts, updates, deletes| Mix { searches, inserts, updates, deletes };
    for (sets, mix, expected) in [
        (20, Mix::SEARCHES, Structure::Sliced),
        (1_000, Mix::SEARCHES, Structure::Sliced),
        // Whoever says that there will be no searches is believed until they come.
        (1_000, mix(0.0, 1.0, 0.0, 0.0), Structure::Naive),
        (1_000, mix(0.0, 0.0, 0.0, 1.0), Structure::Naive),
        (1_000, mix(1.0, 0.0, 1.0, 0.0), Structure::Sliced),
        // What is soon changed again had better stay in the list.
        (20, mix(1.0, 0.0, 1.0, 0.0), Structure::Naive),
        (200, mix(1.0, 0.0, 40.0, 0.0), Structure::Naive),
    ] {
        let mut index = AdaptiveBloofi::expecting(shape(), Expected { sets, mix, ..Expected::default() });
        fill(&mut index, &filters(sets as u64, 300));
        assert_eq!(index.structure(), expected, "{sets} {mix:?}");
        search(&index, 2_000);
        assert_eq!(index.structure(), Structure::Sliced, "{sets} {mix:?}, searched");
    }
}

#[test]
fn the_adaptive_index_is_ready_to_be_searched_if_nobody_says_otherwise() {
    let all = filters(2_000, 300);
    let mut index = AdaptiveBloofi::new(shape());
    fill(&mut index, &all);
    assert_eq!(index.structure(), Structure::Sliced);
    let mut at_once = AdaptiveBloofi::new(shape());
    let batch: Vec<(u64, &BloomFilter)> = (0..).zip(&all).collect();
    at_once.insert_all(&batch).unwrap();
    assert_eq!((at_once.structure(), at_once.len()), (Structure::Sliced, 2_000));
    assert!(at_once.insert_all(&batch[..3]).is_err());
    assert_eq!(at_once.len(), 2_000);
}

#[test]
fn the_adaptive_index_follows_the_mix_there_and_back() {
    let all = filters(1_000, 300);
    let mut index = AdaptiveBloofi::new(shape());
    fill(&mut index, &all);
    for _ in 0..3 {
        assert_eq!(index.structure(), Structure::Sliced);
        update(&mut index, &all, 4_000);
        assert_eq!(index.structure(), Structure::Naive);
        // Searches alone bring it back.
        search(&index, 200);
        assert_eq!(index.structure(), Structure::Sliced);
        update(&mut index, &all, 1);
    }
    // Rare searches do not: the filters would be changed again before the move had paid.
    update(&mut index, &all, 1_000);
    for n in 0..120_000 {
        let update = Operation::Update(n % 1_000, &all[(n / 1_000) as usize]);
        assert_eq!(index.counted(update).unwrap().filters, 1, "no other filter moves");
        search(&index, (n % 1_000 == 0).into());
    }
    assert_eq!(index.structure(), Structure::Naive);
    // Frequent ones do, while there are updates too.
    for _ in 0..400 {
        update(&mut index, &all, 1);
        search(&index, 10);
    }
    assert_eq!(index.structure(), Structure::Sliced);
}

#[test]
fn the_adaptive_index_keeps_to_the_memory_that_it_may_spend() {
    let all = filters(1_500, 100);
    let bytes = |count: usize| count * shape().bits() as usize / 8;
    for factor in [1.4, 2.0, 4.0] {
        let memory_bytes_max = (bytes(1_500) as f64 * factor) as usize + 200_000;
        let expected = Expected { memory_bytes_max, ..Expected::default() };
        let mut index = AdaptiveBloofi::expecting(shape(), expected);
        for (id, filter) in (0..).zip(&all) {
            index.insert(id, filter).unwrap();
            assert!(index.memory_bytes() <= memory_bytes_max, "{id} filters: {}", index.memory_bytes());
        }
        for updates in [1, 3_000, 10] {
            update(&mut index, &all, updates);
            assert!(index.memory_bytes() <= memory_bytes_max, "after updates: {}", index.memory_bytes());
            search(&index, 20_000);
            assert!(index.memory_bytes() <= memory_bytes_max, "after searches: {}", index.memory_bytes());
        }
    }
    // Columns of 64 for two filters would be 32 times as large.
    let expected = Expected { sets: 2, memory_bytes_max: 4 * bytes(2), ..Expected::default() };
    let mut few = AdaptiveBloofi::expecting(shape(), expected);
    fill(&mut few, &all[..2]);
    search(&few, 20_000);
    assert_eq!(few.structure(), Structure::Naive);
    assert!(few.memory_bytes() <= 4 * bytes(2), "{}", few.memory_bytes());
}
