//! What the operations of each structure take, beside what the adaptive index believes, on the grid to which the constants
//! of `index/adaptive/cost.rs` were fitted. Run it with `cargo run --release -p filter --example index_costs` on a quiet
//! machine; it takes some minutes. Name some numbers of filters to see only those.

use std::time::Instant;

use filter::index::{
    AdaptiveBloofi, BloofiTree, FilterIndex, FlatBloofi, NaiveIndex, SlicedBloofi, Structure, Traits,
};
use filter::{BloomFilter, FilterShape, KeyHash};

/// Larger ones were left out.
const BYTES_MAX: u64 = 40_000_000;

fn main() {
    println!(
        "structure sets bits fill kind | search: taken believed | insert | update | delete | change over, a filter"
    );
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|number| number.parse().ok()).collect();
    for sets in [20, 64, 150, 500, 1_500, 5_000, 12_000] {
        for (keys, rate) in [(150, 0.03), (500, 0.01), (1_000, 0.005), (3_000, 0.001)] {
            let shape = FilterShape::for_rate(keys, rate);
            let is_too_large = sets as u64 * shape.bits() / 8 > BYTES_MAX;
            if is_too_large || !(asked.is_empty() || asked.contains(&sets)) {
                continue;
            }
            for (fill, clustered) in [0.02, 0.1, 0.3, 0.5].map(|fill| [(fill, false), (fill, true)]).concat()
            {
                for structure in Structure::ALL {
                    measure(structure, shape, sets, fill, clustered);
                }
            }
        }
    }
}

fn measure(structure: Structure, shape: FilterShape, sets: usize, fill: f64, clustered: bool) {
    let keys = shape.keys_at((fill * shape.bits() as f64) as u64).round().max(1.0) as u64;
    let key_of = |set: u64, n: u64| {
        let owner = if clustered && !n.is_multiple_of(10) { 1 << 40 | (set / 50) } else { set };
        KeyHash::of_u64(owner << 16 | n, 0)
    };
    let filter_of = |set: u64| {
        let mut filter = BloomFilter::new(shape);
        for n in 0..keys {
            filter.insert(&key_of(set, n));
        }
        filter
    };
    let filters: Vec<BloomFilter> = (0..sets as u64).map(filter_of).collect();
    let random = |n: u64, end: u64| KeyHash::of_u64(n, 77).as_u64() % end;
    let asked: Vec<KeyHash> = (0..1u64 << 14)
        .map(|n| {
            if n % 2 == 0 {
                key_of(random(n, sets as u64), random(n + 500_000, keys))
            } else {
                KeyHash::of_u64(n, 123)
            }
        })
        .collect();
    let mut best = [f64::INFINITY; 5];
    let mut note = |place: usize, ns: f64| best[place] = best[place].min(ns);
    let mut traits: Option<Traits> = None;
    for _ in 0..2 {
        let mut index: Box<dyn FilterIndex> = match structure {
            Structure::Naive => Box::new(NaiveIndex::new(shape)),
            Structure::Tree => Box::new(BloofiTree::new(shape, 8)),
            Structure::Flat => Box::new(FlatBloofi::new(shape)),
            Structure::Sliced => Box::new(SlicedBloofi::new(shape)),
        };
        note(1, timed(sets, |n| index.insert(n as u64, &filters[n]).unwrap()));
        let mut ids = Vec::with_capacity(1 << 12);
        let searches = (20_000_000 / (sets * 10)).clamp(200, 20_000);
        note(0, timed(searches, |n| index.search(&asked[n % asked.len()], &mut ids)));
        note(
            2,
            timed(sets * 3, |n| {
                index.update((n * 7 % sets) as u64, &filters[(n * 7 + n / sets) % sets]).unwrap()
            }),
        );
        note(3, timed(sets, |n| index.delete(n as u64).unwrap()));
        let mut adaptive = AdaptiveBloofi::new(shape);
        filters.iter().enumerate().for_each(|(id, filter)| adaptive.insert(id as u64, filter).unwrap());
        adaptive.become_structure(if structure == Structure::Naive {
            Structure::Sliced
        } else {
            Structure::Naive
        });
        note(4, timed(1, |_| adaptive.become_structure(structure)) / sets as f64);
        let scatter = if clustered { 0.12 } else { 1.0 };
        traits = Some(Traits {
            fill,
            scatter,
            group_fill: if clustered { fill * 1.5 } else { 1.0 - (1.0 - fill).powi(11) },
            ..adaptive.traits()
        });
    }
    let cost = traits.unwrap().cost(structure);
    let kind = if clustered { "clustered" } else { "random" };
    println!(
        "{structure:?} {sets} {} {fill} {kind} | {:.0} {:.0} | {:.0} {:.0} | {:.0} {:.0} | {:.0} {:.0} | {:.0}",
        shape.bits(),
        best[0],
        cost.search,
        best[1],
        cost.insert,
        best[2],
        cost.update,
        best[3],
        cost.delete,
        best[4]
    );
}

fn timed(count: usize, mut call: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    (0..count).for_each(&mut call);
    start.elapsed().as_nanos() as f64 / count as f64
}
