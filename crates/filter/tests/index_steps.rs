//! Every structure against brute force: random inserts, deletes, updates and searches, the same every time.
//!
//! 10⁵ steps; with `CRIVELLO_LONG_TESTS=1`, 10⁶. The number of filters goes up and down to nothing in waves, so that
//! blocks of 64 are emptied and filled again more than a thousand times.

use std::collections::BTreeMap;

use filter::index::{
    AdaptiveBloofi, BloofiTree, Distance, Expected, FilterIndex, FlatBloofi, IndexError, NaiveIndex,
    SizedSlicedBloofi, SlicedBloofi, SlotBitmap,
};
use filter::{BloomFilter, FilterShape, KeyHash};

/// Few different keys, so that searches find something.
const KEYS: u64 = 300;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 += 1;
        ((u128::from(KeyHash::of_u64(self.0, 99).as_u64()) * u128::from(end)) >> 64) as u64
    }

    fn key(&mut self) -> KeyHash {
        KeyHash::of_u64(self.below(KEYS), 0)
    }

    fn filter(&mut self, shape: FilterShape) -> BloomFilter {
        let mut filter = BloomFilter::new(shape);
        for _ in 0..self.below(12) {
            filter.insert(&self.key());
        }
        filter
    }
}

fn step_count() -> u64 {
    if std::env::var_os("CRIVELLO_LONG_TESTS").is_some_and(|value| value == "1") {
        1_000_000
    } else {
        100_000
    }
}

/// Walks through the steps, comparing every answer; `after_step` may look at the index.
fn walk<I: FilterIndex>(mut index: I, mut after_step: impl FnMut(&mut I, u64)) {
    let shape = *index.shape();
    let mut random = Random(0);
    let mut model: BTreeMap<u64, BloomFilter> = BTreeMap::new();
    let (mut top, mut rising) = (66, true);
    for step in 0..step_count() {
        let id = random.below(400);
        match random.below(100) {
            0..4 => compare_update(&mut index, &mut model, id, &mut random),
            4..12 => compare_search(&index, &model, &mut random),
            // Now and then against the wave, so that slots of living blocks are freed and taken again.
            kind if rising != (kind >= 94) => {
                let filter = random.filter(shape);
                let expected = if model.contains_key(&id) { Err(IndexError::IdTaken { id }) } else { Ok(()) };
                assert_eq!(index.insert(id, &filter), expected);
                if expected.is_ok() {
                    model.insert(id, filter);
                }
            }
            _ => {
                // Mostly an id that is there, else the waves would take too long to fall.
                let present = model.range(id..).next().or(model.iter().next()).map_or(id, |(id, _)| *id);
                let id = if random.below(50) == 0 { id } else { present };
                let expected = model.remove(&id).map(|_| ()).ok_or(IndexError::IdUnknown { id });
                assert_eq!(index.delete(id), expected);
            }
        }
        if rising && model.len() >= top {
            rising = false;
        } else if !rising && model.is_empty() {
            rising = true;
            top = if random.below(60) == 0 { 300 } else { 65 + random.below(6) as usize };
        }
        assert_eq!(index.len(), model.len());
        after_step(&mut index, step);
    }
    let mut ids = index.ids();
    ids.sort_unstable();
    assert_eq!(ids, model.keys().copied().collect::<Vec<_>>());
    for (id, filter) in &model {
        assert_eq!(index.filter(*id).as_ref(), Some(filter));
    }
}

fn compare_update<I: FilterIndex>(
    index: &mut I,
    model: &mut BTreeMap<u64, BloomFilter>,
    id: u64,
    random: &mut Random,
) {
    let mut filter = random.filter(*index.shape());
    let expected = match model.get_mut(&id) {
        None => Err(IndexError::IdUnknown { id }),
        Some(old) => {
            if random.below(2) == 0 {
                filter.union_with(old).unwrap();
            }
            *old = filter.clone();
            Ok(())
        }
    };
    assert_eq!(index.update(id, &filter), expected);
    assert_eq!(index.filter(id).as_ref(), model.get(&id));
}

fn compare_search(index: &impl FilterIndex, model: &BTreeMap<u64, BloomFilter>, random: &mut Random) {
    let keys: Vec<KeyHash> = (0..random.below(4)).map(|_| random.key()).collect();
    let mut found = vec![7; 3];
    match keys[..] {
        [key] => index.search(&key, &mut found),
        _ => index.search_all(&keys, &mut found),
    }
    found.sort_unstable();
    assert_eq!(found, brute_force(model, &keys));
}

fn brute_force(model: &BTreeMap<u64, BloomFilter>, keys: &[KeyHash]) -> Vec<u64> {
    let holds_all = |filter: &BloomFilter| keys.iter().all(|key| filter.contains(key));
    model.iter().filter(|(_, filter)| holds_all(filter)).map(|(id, _)| *id).collect()
}

fn shape() -> FilterShape {
    FilterShape::new(128, 3, 0)
}

#[test]
fn the_list_answers_as_brute_force_does() {
    walk(NaiveIndex::new(shape()), |_, _| {});
}

#[test]
fn the_tree_answers_as_brute_force_does() {
    walk(BloofiTree::new(shape(), 2), |_, _| {});
    walk(BloofiTree::with_distance(shape(), 5, Distance::Jaccard), |_, _| {});
    walk(BloofiTree::with_distance(shape(), 3, Distance::Cosine), |_, _| {});
}

#[test]
fn columns_answer_as_brute_force_does_while_a_thousand_blocks_are_emptied() {
    let (mut blocks, mut emptied) = (0, 0);
    walk(FlatBloofi::new(shape()), |index, _| {
        emptied += usize::from(index.block_count() < blocks);
        blocks = index.block_count();
    });
    assert!(emptied >= 1_000, "only {emptied} blocks were emptied");
}

#[test]
fn rows_answer_as_brute_force_does() {
    walk(SlicedBloofi::new(shape()), |_, _| {});
    walk(SlicedBloofi::with_capacity(shape(), 700).without_simd(), |index, step| {
        if step % 97 == 0 {
            index.compact();
        }
    });
}

#[test]
fn rows_answer_as_brute_force_does_through_bytes() {
    walk(SlicedBloofi::new(shape()), |index, step| {
        if step % 50 == 0 {
            *index = SlicedBloofi::from_bytes(&index.to_bytes()).unwrap();
        }
    });
}

#[test]
fn the_adaptive_index_answers_as_brute_force_does_whatever_it_is_made_of() {
    walk(AdaptiveBloofi::new(shape()), |_, _| {});
    // Now and then so many searches that filters move, or are settled before the next change.
    let mut made_of = [0; 2];
    // Larger filters, so that changes are not all written in place.
    walk(AdaptiveBloofi::new(FilterShape::new(4_096, 3, 0)), |index, step| {
        let mut ids = Vec::new();
        let searches = [0, 0, 1, 40, 2_000][(step / 97) as usize % 5];
        (0..searches).for_each(|key| index.search(&KeyHash::of_u64(key, 0), &mut ids));
        made_of[index.structure() as usize] += 1;
    });
    assert!(made_of.into_iter().all(|steps| steps > 10_000), "{made_of:?}");
    // Rows that are given up for lack of memory.
    let expected = Expected { memory_bytes_max: 14_000, ..Expected::default() };
    walk(AdaptiveBloofi::expecting(shape(), expected), |index, step| {
        if step % 61 == 0 {
            index.expect_anew(Expected { sets: step as usize % 200, ..expected });
        }
    });
}

#[test]
fn sets_by_size_never_lose_a_key_and_find_few_others() {
    let mut index = SizedSlicedBloofi::new(0.01, 1_000);
    let mut model: BTreeMap<u64, Vec<KeyHash>> = BTreeMap::new();
    let mut random = Random(0);
    let (mut false_found, mut foreign) = (0, 0);
    for step in 0..5_000u64 {
        let id = random.below(150);
        let key_count = 1 << random.below(11);
        let keys: Vec<KeyHash> = (0..key_count).map(|n| KeyHash::of_u64(step << 32 | n, 0)).collect();
        let known = model.contains_key(&id);
        let result = match random.below(3) {
            0 => index.insert(id, &keys).map(|()| drop(model.insert(id, keys))),
            1 => index.update(id, &keys).map(|()| drop(model.insert(id, keys))),
            _ => index.delete(id).map(|()| drop(model.remove(&id))),
        };
        assert!(
            result.is_ok()
                || result
                    == Err(if known { IndexError::IdTaken { id } } else { IndexError::IdUnknown { id } })
        );
        assert_eq!(index.len(), model.len());
        let mut found = Vec::new();
        if let Some((id, keys)) = model.range(random.below(150)..).next() {
            index.search(&keys[random.below(keys.len() as u64) as usize], &mut found);
            assert!(found.contains(id));
            index.search_all(&keys[..keys.len().min(9)], &mut found);
            assert!(found.contains(id));
        }
        index.search(&KeyHash::of_u64(u64::MAX - step, 0), &mut found);
        false_found += found.len();
        foreign += model.len();
    }
    assert!((false_found as f64) < foreign as f64 * 0.011, "{false_found} of {foreign}");
    let mut ids = index.ids();
    ids.sort_unstable();
    assert_eq!(ids, model.keys().copied().collect::<Vec<_>>());
}

#[test]
fn forty_thousand_filters_in_three_slabs_with_upper_rows_answer_as_brute_force_does() {
    let shape = FilterShape::new(2_048, 4, 0);
    let mut random = Random(0);
    let mut filter_with = |marker: u64| {
        let mut filter = BloomFilter::new(shape);
        for _ in 0..random.below(4) {
            filter.insert(&KeyHash::of_u64(random.below(5_000), 0));
        }
        filter.insert(&KeyHash::of_u64(10_000 + marker / 40, 0));
        filter
    };
    let mut model: BTreeMap<u64, BloomFilter> = (0..40_000).map(|id| (id, filter_with(id))).collect();
    let batch: Vec<(u64, &BloomFilter)> = model.iter().map(|(id, filter)| (*id, filter)).collect();
    let mut index = SlicedBloofi::new(shape);
    index.insert_all(&batch[..30_000]).unwrap();
    batch[30_000..].iter().for_each(|(id, filter)| index.insert(*id, filter).unwrap());
    drop(batch);

    for round in 0..4u64 {
        compare_large(&index, &model, round);
        // A third goes, and half of that comes back under other ids; every fifth of the rest changes.
        for id in (round..40_000).step_by(3) {
            assert_eq!(index.delete(id).is_ok(), model.remove(&id).is_some());
        }
        for id in (round..20_000).step_by(3).map(|id| 100_000 * (round + 1) + id) {
            let filter = filter_with(id);
            index.insert(id, &filter).unwrap();
            model.insert(id, filter);
        }
        let changed: Vec<u64> = model.keys().copied().filter(|id| id % 5 == round).collect();
        for id in &changed {
            model.insert(*id, filter_with(*id + 77));
        }
        let updates: Vec<(u64, &BloomFilter)> = changed.iter().map(|id| (*id, &model[id])).collect();
        if round % 2 == 0 {
            index.update_all(&updates).unwrap();
        } else {
            updates.iter().for_each(|(id, filter)| index.update(*id, filter).unwrap());
        }
        if round == 2 {
            index.compact();
        }
    }
    compare_large(&index, &model, 9);
}

fn compare_large(index: &SlicedBloofi, model: &BTreeMap<u64, BloomFilter>, seed: u64) {
    assert_eq!(index.len(), model.len());
    let bytes = index.to_bytes();
    let view = filter::index::SlicedView::open(&bytes).unwrap();
    assert_eq!(view.len(), model.len());
    let mut random = Random(seed << 40);
    for _ in 0..40 {
        let near = random.below(1_000) + 10_000;
        let keys = [KeyHash::of_u64(random.below(5_000), 0), KeyHash::of_u64(near, 0)];
        for keys in [&keys[..1], &keys[1..], &keys] {
            let expected = brute_force(model, keys);
            let (mut found, mut bitmap) = (Vec::new(), SlotBitmap::new());
            let check = |found: &mut Vec<u64>, how: &str| {
                found.sort_unstable();
                assert_eq!(*found, expected, "{how}");
            };
            index.search_all(keys, &mut found);
            check(&mut found, "search");
            index.search_all_threads(keys, 2, &mut found);
            check(&mut found, "threads");
            index.search_all_bitmap(keys, &mut bitmap);
            assert_eq!(bitmap.count(), expected.len());
            index.ids_of(&bitmap, &mut found);
            check(&mut found, "bitmap");
            view.search_all(keys, &mut found);
            check(&mut found, "view");
            view.search_all_threads(keys, 5, &mut found);
            check(&mut found, "view, threads");
        }
        let mut left = SlotBitmap::new();
        let (mut right, mut both) = (left.clone(), left.clone());
        index.search_bitmap(&keys[0], &mut left);
        index.search_bitmap(&keys[1], &mut right);
        index.search_all_bitmap(&keys, &mut both);
        left.intersect_with(&right);
        assert_eq!(left, both);
    }
}
