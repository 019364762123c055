//! Whatever part a filter is in, and however it came there, it is found.

use std::collections::BTreeMap;

use super::*;

const KEYS: u64 = 2_000;

fn random(n: u64, end: u64) -> u64 {
    KeyHash::of_u64(n, 41).as_u64() % end
}

fn filter(shape: FilterShape, seed: u64) -> BloomFilter {
    let mut filter = BloomFilter::new(shape);
    for n in 0..20 {
        filter.insert(&KeyHash::of_u64(random(seed << 8 | n, KEYS), 0));
    }
    filter
}

/// Compares the answers for some keys, and the filters of some ids.
fn compare(index: &AdaptiveBloofi, model: &BTreeMap<u64, BloomFilter>, seed: u64) {
    assert_eq!(index.len(), model.len());
    for n in 0..3 {
        let key = KeyHash::of_u64(random(seed + n, KEYS), 0);
        let holds = |(id, filter): (&u64, &BloomFilter)| filter.contains(&key).then_some(*id);
        let mut found = Vec::new();
        index.search(&key, &mut found);
        found.sort_unstable();
        assert_eq!(found, model.iter().filter_map(holds).collect::<Vec<_>>());
    }
    if let Some((id, filter)) = model.range(random(seed, 9_000)..).next() {
        assert_eq!(index.filter(*id).as_ref(), Some(filter));
    }
}

/// What was seen while an index was used.
#[derive(Debug, Default)]
struct Seen {
    list: usize,
    blocks: usize,
    wide: usize,
    settled_list: usize,
    settled_all: usize,
    slabs_max: usize,
}

impl Seen {
    fn look(&mut self, index: &AdaptiveBloofi) {
        self.list += usize::from(!index.parts.list.is_empty());
        self.blocks += usize::from(index.parts.blocks.block_count() > 0);
        self.wide += usize::from(index.parts.wide.slab_count() > 0);
        self.settled_list += usize::from(index.settled_list.get().is_some());
        self.settled_all += usize::from(index.settled_all.get().is_some());
        self.slabs_max = self.slabs_max.max(index.parts.wide.slab_count());
    }
}

/// Phases of inserts, updates, deletes and searches in other shares each, by a seed.
fn walk(mut index: AdaptiveBloofi, seed: u64, seen: &mut Seen) {
    let shape = *index.shape();
    let mut model: BTreeMap<u64, BloomFilter> = BTreeMap::new();
    let (mut ids, mut next) = (Vec::new(), 0u64);
    for step in 0..24_000u64 {
        let at = seed << 32 | step << 4;
        // The first phase fills; then each has its own mix, sometimes without searches and sometimes with little else.
        let phase = step / 1_500;
        let kind = random(at, 100) + if phase == 0 { 0 } else { 100 * (1 + random(seed << 8 | phase, 5)) };
        match kind {
            0..100 | 100..130 | 210..215 | 330..400 => {
                let filter = filter(shape, at);
                index.insert(next, &filter).unwrap();
                model.insert(next, filter);
                ids.push(next);
                next += 1;
            }
            130..180 | 215..300 | 400..405 if !ids.is_empty() => {
                let id = ids[random(at + 1, ids.len() as u64) as usize];
                let filter = filter(shape, at);
                index.update(id, &filter).unwrap();
                model.insert(id, filter);
            }
            180..200 | 300..330 | 405..430 if ids.len() > 40 => {
                let id = ids.swap_remove(random(at + 1, ids.len() as u64) as usize);
                index.delete(id).unwrap();
                model.remove(&id);
            }
            _ => {
                let mut found = Vec::new();
                for n in 0..30 {
                    index.search(&KeyHash::of_u64(random(at + n, KEYS), 0), &mut found);
                }
            }
        }
        seen.look(&index);
        if step % 50 == 0 {
            compare(&index, &model, at);
        }
    }
    let mut all = index.ids();
    all.sort_unstable();
    assert_eq!(all, model.keys().copied().collect::<Vec<_>>());
}

#[test]
fn a_filter_is_found_in_every_part_and_after_every_move() {
    let mut seen = Seen::default();
    for seed in 0..6 {
        let shape = FilterShape::new([256, 1_024, 4_096][seed as usize % 3], 8, 0);
        let expected = Expected { sets: [0, 1_500][seed as usize % 2], ..Expected::default() };
        walk(AdaptiveBloofi::expecting(shape, expected), seed, &mut seen);
    }
    assert!(seen.list > 1_000 && seen.blocks > 1_000 && seen.wide > 1_000, "{seen:?}");
    assert!(seen.settled_list > 20 && seen.settled_all > 20 && seen.slabs_max > 2, "{seen:?}");
}

#[test]
fn what_costs_least_depends_on_searches_and_on_the_size_of_filters() {
    let form = |bits, searches, filters| {
        Prices::new(&FilterShape::new(bits, 7, 0)).form(searches, filters, Form::Staged)
    };
    assert_eq!(form(10_000, 0.0, 1_000), Form::Listed);
    assert_eq!(form(10_000, 1.0, 1_000), Form::Staged);
    assert_eq!(form(10_000, 1_000.0, 1_000), Form::InPlace);
    assert_eq!(form(256, 1.0, 1_000), Form::InPlace);
    assert_eq!(form(10_000, 1.0, 10), Form::Listed);
}

#[test]
fn a_change_that_cannot_be_made_leaves_the_reviews_where_they_were() {
    let shape = FilterShape::new(256, 3, 0);
    let mut index = AdaptiveBloofi::new(shape);
    index.insert(1, &filter(shape, 1)).unwrap();
    for _ in 0..2_000 {
        assert_eq!(index.update(2, &filter(shape, 2)), Err(IndexError::IdUnknown { id: 2 }));
    }
    index.update(1, &filter(shape, 2)).unwrap();
    assert!(index.review_in <= index.prices.changes_per_review(Form::Staged));
}

/// Half of the filters are updated again and again, with a few searches in between, so that they are moved in batches.
fn updated_in_batches(shape: FilterShape) -> AdaptiveBloofi {
    let mut index = AdaptiveBloofi::expecting(shape, Expected { sets: 640, ..Expected::default() });
    for id in 0..640 {
        index.insert(id, &filter(shape, id)).unwrap();
    }
    let mut found = Vec::new();
    for n in 0..6_000u64 {
        index.update(random(n, 640), &filter(shape, n << 20)).unwrap();
        if n % 3 == 0 {
            index.search(&KeyHash::of_u64(random(n, KEYS), 0), &mut found);
        }
    }
    index
}

#[test]
fn blocks_from_which_filters_went_take_others() {
    let index = updated_in_batches(FilterShape::new(4_096, 3, 0));
    let (blocks, live) = (index.parts.blocks.block_count(), index.parts.blocks.live_count());
    assert!(live > 320, "{live} filters are in blocks");
    assert!(blocks * 64 <= live * 2 + 64, "{blocks} blocks of {live} filters");
}

#[test]
fn searches_press_free_columns_out_of_blocks_and_the_next_change_keeps_it() {
    let shape = FilterShape::new(1_024, 3, 0);
    let mut index = AdaptiveBloofi::expecting(shape, Expected { sets: 640, ..Expected::default() });
    let mut model = BTreeMap::new();
    for id in 0..640 {
        index.insert(id, &filter(shape, id)).unwrap();
        model.insert(id, filter(shape, id));
    }
    for id in (0..640).filter(|id| id % 10 != 0) {
        index.delete(id).unwrap();
        model.remove(&id);
    }
    let blocks = index.parts.blocks.block_count();
    assert!(blocks >= 10, "{blocks}");
    let mut found = Vec::new();
    for n in 0..20_000 {
        index.search(&KeyHash::of_u64(random(n, KEYS), 0), &mut found);
    }
    compare(&index, &model, 7);
    index.update(0, &filter(shape, 9)).unwrap();
    model.insert(0, filter(shape, 9));
    assert!(index.parts.blocks.block_count() <= 2, "{} of {blocks} blocks", index.parts.blocks.block_count());
    compare(&index, &model, 8);
}

#[test]
fn who_is_told_how_many_come_has_all_of_them_in_long_rows_then() {
    let shape = FilterShape::new(1_024, 8, 0);
    let mut index = AdaptiveBloofi::expecting(shape, Expected { sets: 5_010, ..Expected::default() });
    (0..5_010).for_each(|id| index.insert(id, &filter(shape, id)).unwrap());
    assert_eq!((index.parts.list.len(), index.parts.blocks.block_count()), (0, 0));
}

#[test]
fn who_is_only_searched_has_long_rows_in_one_piece() {
    let shape = FilterShape::new(1_024, 8, 0);
    let mut index = AdaptiveBloofi::new(shape);
    (0..6_000).for_each(|id| index.insert(id, &filter(shape, id)).unwrap());
    assert!(index.parts.wide.slab_count() > 1, "nothing to put together");
    let mut found = Vec::new();
    (0..60_000).for_each(|n| index.search(&KeyHash::of_u64(random(n, KEYS), 0), &mut found));
    index.update(0, &filter(shape, 0)).unwrap();
    assert_eq!(index.parts.wide.slab_count(), 1);
}

#[test]
fn what_deletes_left_free_is_pressed_out_of_blocks_while_changes_go_on() {
    let shape = FilterShape::new(1_024, 3, 0);
    let mut index = AdaptiveBloofi::expecting(shape, Expected { sets: 640, ..Expected::default() });
    let mut model = BTreeMap::new();
    for id in 0..640 {
        index.insert(id, &filter(shape, id)).unwrap();
        model.insert(id, filter(shape, id));
    }
    let blocks = index.parts.blocks.block_count();
    assert!(blocks >= 10, "{blocks}");
    for id in (0..640).filter(|id| id % 10 != 0) {
        index.delete(id).unwrap();
        model.remove(&id);
    }
    let mut found = Vec::new();
    for n in 0..2_000 {
        // So few searches at a time that they alone would never move anything.
        (0..8).for_each(|key| index.search(&KeyHash::of_u64(random(n + key, KEYS), 0), &mut found));
        index.update(10, &filter(shape, n << 20)).unwrap();
        model.insert(10, filter(shape, n << 20));
    }
    assert!(index.parts.blocks.block_count() <= 2, "{} of {blocks} blocks", index.parts.blocks.block_count());
    (0..200).for_each(|seed| compare(&index, &model, seed));
}

#[test]
fn what_is_found_and_what_is_far_makes_a_list_dear() {
    let prices = Prices::new(&FilterShape::new(16_384, 5, 0));
    let finding = prices.finding(0.9);
    assert!(finding.list_search(600) > 2.0 * prices.list_search(600));
    // With so few searches new filters go to the list, but not if each search finds most of them.
    let form = |prices: &Prices, filters| prices.form(0.4, filters, Form::Listed);
    assert_eq!([form(&prices, 200), form(&finding, 200)], [Form::Listed, Form::Staged]);
    let each = |filters| prices.list_search(filters) / filters as f64;
    assert!(each(20_000) > 3.0 * each(200), "{} {}", each(20_000), each(200));
}

/// So many searches for every update of filters that are larger than those of a review; the keys are in all filters, or in
/// none.
fn updated(searches: u64, sets: u64, bits: u64, is_found: bool) -> AdaptiveBloofi {
    let shape = FilterShape::new(bits, 8, 0);
    let mut index = AdaptiveBloofi::new(shape);
    let mut filter = BloomFilter::new(shape);
    (0..bits / 20).for_each(|key| _ = filter.insert(&KeyHash::of_u64(key, 1)));
    (0..sets).for_each(|id| index.insert(id, &filter).unwrap());
    let mut found = Vec::new();
    for n in 0..400 {
        index.update(n % sets, &filter).unwrap();
        for key in 0..searches {
            index.search(&KeyHash::of_u64(key, if is_found { 1 } else { 2 }), &mut found);
        }
    }
    index
}

#[test]
fn searches_for_each_change_are_as_many_as_there_were() {
    // A change of a large filter often has a review of its own, and must be counted with it.
    for (searches, bits) in [(3, 29_440), (8, 29_440), (3, 512)] {
        let recent = updated(searches, 46, bits, false).recent;
        assert!((recent - searches as f64).abs() < 0.2 * searches as f64, "{recent} for {searches}");
    }
}

#[test]
fn large_filters_that_are_updated_stay_in_the_list_unless_searches_find_many() {
    assert_eq!(updated(8, 46, 29_440, false).structure(), Structure::Naive);
    assert_eq!(updated(8, 46, 29_440, true).structure(), Structure::Sliced);
}

#[test]
fn long_rows_are_not_worth_it_where_every_search_finds_much() {
    let mut prices = Prices::new(&FilterShape::new(384, 3, 0));
    prices.look_at(&[0x5555_5555_5555_5555; 6]);
    assert!(prices.wide_gain(220, false) < 0.0);
    prices.look_at(&[0; 6]);
    (0..40).for_each(|_| prices.look_at(&[0; 6]));
    assert!(prices.wide_gain(2_200, false) > 0.0);
}
