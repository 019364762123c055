//! The comparison of Bloofi and Flat Bloofi as it was published, for all structures: the figures of chapter 5 and the
//! tables of chapter 4 of the thesis "Bloofi e Flat Bloofi", under their numbers.

use ::filter::FilterShape;
use ::filter::index::{FilterIndex, Operation, Visits};

use super::sets::{Data, Kind, NAMES, empty, filled, search_ns};
use crate::clock::{time_once, timed};
use crate::plot::Plot;

/// Searches and changes that are counted.
const COUNTED: usize = 500;

/// Figures 5.1 and 5.2 and the storage of section 5.1: everything against the number of filters.
pub fn against_count(counts: &[usize]) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (what, fill) in [("filled", 0.5), ("sparse", 0.01)] {
        let plot = |figure: &str, title: &str, unit: &str| {
            Plot::new(&format!("Figure {figure}, {what}: {title}"), "filters", unit)
        };
        let mut search = plot("5.1", "search time by the number of filters", "ns");
        let mut looked = plot("5.1 b", "filters looked at in a search", "filters");
        let mut words = plot("5.1 c", "words read in a search", "words");
        let mut times = ["insert", "update", "delete"]
            .map(|name| plot("5.2", &format!("time of an {name}"), "ns per filter"));
        let mut touched = ["insert", "update", "delete"]
            .map(|name| plot("5.2 b", &format!("filters touched in an {name}"), "filters"));
        let mut memory = plot("5.0", "memory by the number of filters", "bytes per filter");
        for &count in counts {
            let data = Data::with_fill(fill, count, Kind::Intervals);
            for name in NAMES {
                let x = count as f64;
                let index = filled(name, &data);
                search.add(name, x, search_ns(&*index, &data.keys));
                memory.add(name, x, index.memory_bytes() as f64 / x);
                let changes = change_ns(name, &data);
                let [found, inserted, updated, deleted] = counted(name, &data);
                looked.add(name, x, found.filters as f64 / COUNTED as f64);
                words.add(name, x, found.words as f64 / COUNTED as f64);
                let few = COUNTED.min(count) as f64;
                let visits =
                    [inserted.filters as f64 / x, updated.filters as f64 / few, deleted.filters as f64 / few];
                for ((plot, y), (counts, visits)) in
                    times.iter_mut().zip(changes).zip(touched.iter_mut().zip(visits))
                {
                    plot.add(name, x, y);
                    counts.add(name, x, visits);
                }
            }
        }
        plots.extend([search, looked, words]);
        plots.extend(times);
        plots.extend(touched);
        plots.push(memory);
    }
    plots
}

/// Nanoseconds of an insert, an update and a delete.
fn change_ns(name: &str, data: &Data) -> [f64; 3] {
    let count = data.filters.len();
    let (runs, few) = ((2_000 / count).clamp(1, 20), count.min(1_000));
    let insert = time_once(runs, || (), |()| drop(filled(name, data))) / count as f64;
    let mut index = filled(name, data);
    let update = timed(|| {
        for id in 0..few {
            index.update(id as u64, &data.filters[(id + 1) % count]).expect("ids are there");
        }
    });
    let delete = timed(|| (0..few as u64).for_each(|id| index.delete(id).expect("ids are there")));
    [insert, update.1 / few as f64, delete.1 / few as f64]
}

/// What searches, inserts, updates and deletes touch, added up.
fn counted(name: &str, data: &Data) -> [Visits; 4] {
    let mut index = empty(name, data.shape);
    let mut sums = [Visits::default(); 4];
    let mut add = |place: usize, index: &mut dyn FilterIndex, operation: Operation<'_>| {
        sums[place] += index.counted(operation).expect("ids are as they should be");
    };
    for (id, filter) in data.batch() {
        add(1, &mut *index, Operation::Insert(id, filter));
    }
    let mut ids = Vec::new();
    for key in &data.keys[..COUNTED] {
        add(0, &mut *index, Operation::Search(std::slice::from_ref(key), &mut ids));
    }
    let few = COUNTED.min(data.filters.len());
    for id in 0..few {
        add(2, &mut *index, Operation::Update(id as u64, &data.filters[(id + 1) % data.filters.len()]));
    }
    (0..few as u64).for_each(|id| add(3, &mut *index, Operation::Delete(id)));
    sums
}

/// Figures 5.3 to 5.5 and section 5.5: searches against size, rate, elements and distribution, 1000 filters.
pub fn against_shape() -> Vec<Plot> {
    let mut size = Plot::new(
        "Figure 5.3: search time by the size of a filter (1000 filters of 100 elements)",
        "elements expected",
        "ns",
    );
    for expected in [100, 500, 2_000, 10_000, 50_000] {
        let shape = FilterShape::for_rate(expected, 0.01);
        add_searches(&mut size, expected as f64, &Data::new(shape, 1_000, 100, Kind::Intervals));
    }
    let mut rates = Plot::new(
        "Section 5.5: search time by the rate of false positives (1000 filters of 500 elements)",
        "1 / rate",
        "ns",
    );
    for rate in [0.1, 0.03, 0.01, 0.001, 0.000_1] {
        let shape = FilterShape::for_rate(500, rate);
        add_searches(&mut rates, (1.0 / rate).round(), &Data::new(shape, 1_000, 500, Kind::Intervals));
    }
    let mut plots = vec![size, rates];
    let shape = FilterShape::for_rate(1_000, 0.01);
    let by_elements = [
        ("Figure 5.4", Kind::Intervals),
        ("Figure 5.5 a", Kind::Drawn),
        ("Figure 5.5 b", Kind::EvenBits),
        ("Figure 5.5 c", Kind::Clustered),
    ];
    for (figure, kind) in by_elements {
        let title =
            format!("{figure}: search time by elements, {} (1000 filters for 1000 elements)", kind.name());
        let mut plot = Plot::new(&title, "elements", "ns");
        for count in [10, 50, 100, 500, 1_000] {
            add_searches(&mut plot, count as f64, &Data::new(shape, 1_000, count, kind));
        }
        plots.push(plot);
    }
    plots
}

/// A point of every structure.
fn add_searches(plot: &mut Plot, x: f64, data: &Data) {
    for name in NAMES {
        plot.add(name, x, search_ns(&*filled(name, data), &data.keys));
    }
}
