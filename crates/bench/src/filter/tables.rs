//! Tables beside the figures: the three cases in ten trials each, the spread of search times, the distances of the tree,
//! and two threads.

use std::fmt::Write as _;
use std::time::Instant;

use ::filter::index::{
    AdaptiveBloofi, BloofiTree, Distance, FilterIndex, FlatBloofi, NaiveIndex, Operation, SlicedBloofi,
};
use ::filter::{FilterShape, KeyHash};

use super::sets::{Data, Kind, NAMES, fill, filled, search_ns};
use crate::clock::timed;

/// Trials of a case.
const TRIALS: usize = 10;

/// Filters and elements of a case, the tables of the thesis, and what it has for columns in Java and C and a tree in C:
/// insert, update and search, in milliseconds.
const CASES: [(usize, usize, &str, [[f64; 3]; 3]); 3] = [
    (1, 5, "4.1 and 4.2", [[0.461, 0.041, 0.025], [0.120, 0.008, 0.005], [0.011, 0.011, 0.002]]),
    (100, 50, "4.3 and 4.4", [[4.327, 0.853, 1.597], [3.220, 0.986, 0.309], [13.385, 2.453, 4.087]]),
    (
        1_000,
        500,
        "4.5 and 4.6",
        [[45.145, 14.734, 27.320], [67.871, 30.199, 22.089], [162.464, 30.663, 549.82]],
    ),
];

/// Insert, update and search in milliseconds: of all filters, one search for each of them.
pub fn cases() -> String {
    let mut text = String::from(
        "## Three cases, ten trials each\n\nMilliseconds: all filters are inserted, all are updated, and one element of each is searched for.\nThe last three rows are the published means, from another machine; how many searches were made is not stated there.\n",
    );
    for (sets, elements, tables, published) in CASES {
        let data = Data::new(FilterShape::for_rate(elements as u64, 0.01), sets, elements, Kind::Intervals);
        writeln!(text, "\n### Tables {tables}: {sets} × {elements}\n\n| structure | insert: mean | min | max | update: mean | min | max | search: mean | min | max |\n|---|---|---|---|---|---|---|---|---|---|").expect("a string takes all");
        for name in NAMES {
            let trials: Vec<[f64; 3]> = (0..TRIALS).map(|_| trial(name, &data)).collect();
            let cells: Vec<String> =
                (0..3).map(|column| mean_min_max(trials.iter().map(|trial| trial[column]))).collect();
            writeln!(text, "| {name} | {} |", cells.join(" | ")).expect("a string takes all");
        }
        for (name, [insert, update, search]) in ["flat, Java", "flat, C", "tree, C"].iter().zip(published) {
            writeln!(text, "| published: {name} | {insert} | | | {update} | | | {search} | | |")
                .expect("a string takes all");
        }
    }
    text
}

fn trial(name: &str, data: &Data) -> [f64; 3] {
    let (mut index, insert) = timed(|| filled(name, data));
    let count = data.filters.len();
    let update = timed(|| {
        for id in 0..count {
            index.update(id as u64, &data.filters[(id + 1) % count]).expect("ids are there");
        }
    });
    let mut ids = Vec::new();
    let hits = data.keys.iter().step_by(2).cycle().take(count);
    let search = timed(|| hits.for_each(|key| index.search(key, &mut ids)));
    [insert, update.1, search.1].map(|ns| ns / 1e6)
}

fn mean_min_max(values: impl Iterator<Item = f64> + Clone) -> String {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let (min, max) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
    format!("{mean:.4} | {min:.4} | {max:.4}")
}

/// Single searches: the shortest, the median, the 95th percentile and the longest.
pub fn spread() -> String {
    let mut text = String::from(
        "\n## The spread of search times: 1000 filters of 500 elements, ns\n\nSingle searches for different elements, half of them in a set; each is timed alone, which adds some 30 ns.\n\n| structure | min | median | p95 | max |\n|---|---|---|---|---|\n",
    );
    let data = Data::new(FilterShape::for_rate(500, 0.01), 1_000, 500, Kind::Intervals);
    for name in NAMES {
        let index = filled(name, &data);
        let mut ids = Vec::with_capacity(1 << 10);
        let mut best = vec![f64::INFINITY; 2_000];
        // The best of several rounds for each key: the spread of the structure, not of the machine.
        for _ in 0..7 {
            for (best, key) in best.iter_mut().zip(&data.keys) {
                let start = Instant::now();
                index.search(key, &mut ids);
                *best = best.min(start.elapsed().as_nanos() as f64);
            }
        }
        best.sort_by(f64::total_cmp);
        let at = |share: f64| best[((best.len() - 1) as f64 * share) as usize];
        writeln!(text, "| {name} | {:.0} | {:.0} | {:.0} | {:.0} |", at(0.0), at(0.5), at(0.95), at(1.0))
            .expect("a string takes all");
    }
    text
}

/// The three distances of a tree.
pub fn distances() -> String {
    let mut text = String::from(
        "\n## The distance that places a filter in the tree: 1000 filters\n\n| fill | sets | distance | insert ns | search ns | filters looked at in a search | fill above the leaves |\n|---|---|---|---|---|---|---|\n",
    );
    for fill_share in [0.01, 0.1, 0.5] {
        for kind in [Kind::Intervals, Kind::Drawn, Kind::Clustered] {
            // In no order, so that clusters have to be found.
            let mut data = Data::with_fill(fill_share, 1_000, kind);
            let order = |place: usize| place * 367 % 1_000;
            data.filters = (0..1_000).map(|place| data.filters[order(place)].clone()).collect();
            for distance in [Distance::Hamming, Distance::Jaccard, Distance::Cosine] {
                let mut tree = BloofiTree::with_distance(data.shape, 8, distance);
                let ((), insert) = timed(|| fill(&mut tree, &data));
                let mut ids = Vec::new();
                let looked: u64 = data.keys[..500]
                    .iter()
                    .map(|key| {
                        let search = Operation::Search(std::slice::from_ref(key), &mut ids);
                        tree.counted(search).expect("a search cannot fail").filters
                    })
                    .sum();
                writeln!(
                    text,
                    "| {fill_share} | {} | {distance:?} | {:.0} | {:.0} | {:.0} | {:.2} |",
                    kind.name(),
                    insert / 1e3,
                    search_ns(&tree, &data.keys),
                    looked as f64 / 500.0,
                    tree.level_one_fill()
                )
                .expect("a string takes all");
            }
        }
    }
    text
}

/// Two threads that search one index, and one search cut in two.
pub fn threads(many: usize) -> String {
    let mut text = String::from(
        "\n## Two threads, wall time\n\n| what | one thread | two threads | times as fast |\n|---|---|---|---|\n",
    );
    let data = Data::new(FilterShape::for_rate(500, 0.01), 1_000, 500, Kind::Intervals);
    text += &two_searchers("naive", NaiveIndex::new(data.shape), &data);
    text += &two_searchers("tree", BloofiTree::new(data.shape, 8), &data);
    text += &two_searchers("flat", FlatBloofi::new(data.shape), &data);
    text += &two_searchers("sliced", SlicedBloofi::new(data.shape), &data);
    text += &two_searchers("adaptive", AdaptiveBloofi::new(data.shape), &data);
    let data = Data::new(FilterShape::for_rate(100, 0.01), many, 100, Kind::Intervals);
    let mut large = SlicedBloofi::new(data.shape);
    large.insert_all(&data.batch()).expect("ids differ");
    let search_with = |threads: usize| {
        let mut ids = Vec::new();
        let mut keys = data.keys.iter().cycle();
        wall_seconds(|| {
            for key in keys.by_ref().take(200) {
                large.search_all_threads(std::slice::from_ref(key), threads, &mut ids);
            }
        }) * 1e9
            / 200.0
    };
    let (one, two) = (search_with(1), search_with(2));
    writeln!(
        text,
        "| sliced, {many} filters: one search cut in pieces, ns | {one:.0} | {two:.0} | {:.2} |",
        one / two
    )
    .expect("a string takes all");
    text
}

/// The same searches by one thread, and half of them by each of two that share the index.
fn two_searchers(name: &str, mut index: impl FilterIndex + Sync, data: &Data) -> String {
    fill(&mut index, data);
    let search_all = |keys: &[KeyHash]| {
        let mut ids = Vec::new();
        keys.iter().for_each(|key| index.search(key, &mut ids));
    };
    let one = wall_seconds(|| search_all(&data.keys));
    let two = wall_seconds(|| {
        let (left, right) = data.keys.split_at(data.keys.len() / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| search_all(left));
            search_all(right);
        });
    });
    let searches = data.keys.len() as f64;
    format!(
        "| {name}, 1000 filters, ns per search | {:.0} | {:.0} | {:.2} |\n",
        one * 1e9 / searches,
        two * 1e9 / searches,
        one / two
    )
}

/// The best of some runs.
fn wall_seconds(mut job: impl FnMut()) -> f64 {
    let mut run = || {
        let start = Instant::now();
        job();
        start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}
