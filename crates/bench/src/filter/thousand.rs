//! A thousand filters of 500 elements at 1 %, the largest published case, and ten thousand of them.

use ::filter::index::{FilterIndex, SlicedBloofi, SlotBitmap};
use ::filter::{BloomFilter, FilterShape};

use super::sets::{Data, Kind, filled, search_ns};
use crate::Row;
use crate::clock::{time, time_once};

const SETS: usize = 1_000;
const MANY_SETS: usize = 10_000;
const KEYS_PER_SET: usize = 500;
const RUNS: usize = 7;

/// The goals, in the units of the rows.
const BITMAP_NS_MAX: f64 = 50.0;
const IDS_NS_MAX: f64 = 170.0;
const IDS_OF_MANY_NS_MAX: f64 = 1_200.0;
const CHANGE_MS_MAX: f64 = 7.0;
const DELETE_NS_MAX: f64 = 100.0;
const MEGABYTES_MAX: f64 = 0.7;

/// Measures the sliced index.
pub fn rows() -> Vec<Row> {
    let data = case(SETS);
    let others: Vec<BloomFilter> = data.filters.iter().skip(1).chain(&data.filters[..1]).cloned().collect();
    let other_batch: Vec<(u64, &BloomFilter)> = (0..).zip(&others).collect();
    let insert = time_once(RUNS, || (), |()| drop(filled("sliced", &data)));
    let update_each = |index: &mut SlicedBloofi| {
        other_batch.iter().for_each(|(id, filter)| index.update(*id, filter).expect("ids are there"));
    };
    let update = time_once(RUNS, || build(&data), update_each);
    let insert_batch = time_once(RUNS, || (), |()| drop(build(&data)));
    let update_batch =
        time_once(RUNS, || build(&data), |index| index.update_all(&other_batch).expect("ids are there"));
    let delete_all = |index: &mut SlicedBloofi| {
        (0..SETS as u64).for_each(|id| index.delete(id * 7 % SETS as u64).expect("ids are there"));
    };
    let delete = time_once(RUNS, || build(&data), delete_all) / SETS as f64;
    let index = build(&data);
    let mut found = SlotBitmap::new();
    let bitmap = time(|n| index.search_bitmap(&data.keys[n % data.keys.len()], &mut found));
    let ids = search_ns(&index, &data.keys);
    let megabytes = index.memory_bytes() as f64 / 1e6;
    let many = case(MANY_SETS);
    let ids_of_many = search_ns(&build(&many), &many.keys);

    let row = |what: &str, unit, ours, goal| {
        Row::absolute(format!("sliced index of 1,000 filters: {what}"), unit, ours, goal)
    };
    vec![
        row("search, as a bitmap", "ns", bitmap, BITMAP_NS_MAX),
        row("search, as ids", "ns", ids, IDS_NS_MAX),
        Row::absolute(
            "sliced index of 10,000 filters: search, as ids".into(),
            "ns",
            ids_of_many,
            IDS_OF_MANY_NS_MAX,
        ),
        row("insert all, one by one", "ms", insert / 1e6, CHANGE_MS_MAX),
        row("update all, one by one", "ms", update / 1e6, CHANGE_MS_MAX),
        row("insert all, in a batch", "ms", insert_batch / 1e6, CHANGE_MS_MAX),
        row("update all, in a batch", "ms", update_batch / 1e6, CHANGE_MS_MAX),
        row("delete one", "ns", delete, DELETE_NS_MAX),
        row("memory", "MB", megabytes, MEGABYTES_MAX),
    ]
}

fn case(sets: usize) -> Data {
    Data::new(FilterShape::for_rate(KEYS_PER_SET as u64, 0.01), sets, KEYS_PER_SET, Kind::Intervals)
}

fn build(data: &Data) -> SlicedBloofi {
    let mut index = SlicedBloofi::new(data.shape);
    index.insert_all(&data.batch()).expect("ids differ");
    index
}
