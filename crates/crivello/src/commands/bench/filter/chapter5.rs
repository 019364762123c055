//! The comparison of the thesis' chapter 5, for all structures: against the number of filters and against their shape.

use ::filter::FilterShape;
use ::filter::index::FilterIndex;

use super::plot::Plot;
use super::sets::{Data, NAMES, filled, search_ns};
use crate::commands::bench::clock::{time_once, timed};

/// Search, insert, update, delete and memory against the number of filters.
pub fn against_count(counts: &[usize]) -> Vec<Plot> {
    let mut plots = Vec::new();
    for (title, fill) in [("filled (500 of 500 elements, 1 %)", 0.5), ("sparse (1 % of the bits)", 0.01)] {
        let mut search = Plot::new(&format!("search, {title}"), "filters", "ns");
        let mut insert = Plot::new(&format!("insert, {title}"), "filters", "ns per filter");
        let mut update = Plot::new(&format!("update, {title}"), "filters", "ns per filter");
        let mut delete = Plot::new(&format!("delete, {title}"), "filters", "ns per filter");
        let mut memory = Plot::new(&format!("memory, {title}"), "filters", "bytes per filter");
        for &count in counts {
            let data = Data::with_fill(fill, count, false);
            let runs = (2_000 / count).clamp(1, 20);
            for name in NAMES {
                let x = count as f64;
                insert.add(name, x, time_once(runs, || (), |()| drop(filled(name, &data))) / x);
                let mut index = filled(name, &data);
                search.add(name, x, search_ns(&*index, &data.keys));
                memory.add(name, x, index.memory_bytes() as f64 / x);
                let few = count.min(1_000);
                let change = |index: &mut dyn FilterIndex| {
                    for id in 0..few {
                        index.update(id as u64, &data.filters[(id + 1) % count]).expect("ids are there");
                    }
                };
                update.add(name, x, timed(|| change(&mut *index)).1 / few as f64);
                let clear = |index: &mut dyn FilterIndex| {
                    (0..few as u64).for_each(|id| index.delete(id).expect("ids are there"));
                };
                delete.add(name, x, timed(|| clear(&mut *index)).1 / few as f64);
            }
        }
        plots.extend([search, insert, update, delete, memory]);
    }
    plots
}

/// Search against filter size, rate, elements and distribution, 1000 filters.
pub fn against_shape() -> Vec<Plot> {
    let mut size =
        Plot::new("search, 1000 filters of 100 elements, by filter size", "elements expected", "ns");
    for expected in [100, 500, 2_000, 10_000, 50_000] {
        let shape = FilterShape::for_rate(expected, 0.01);
        add_searches(&mut size, expected as f64, &Data::new(shape, 1_000, 100, false));
    }
    let mut rates = Plot::new("search, 1000 filters of 500 elements, by rate", "1 / rate", "ns");
    for rate in [0.1, 0.03, 0.01, 0.001, 0.000_1] {
        let shape = FilterShape::for_rate(500, rate);
        add_searches(&mut rates, (1.0 / rate).round(), &Data::new(shape, 1_000, 500, false));
    }
    let shape = FilterShape::for_rate(1_000, 0.01);
    let mut elements = Plot::new("search, 1000 filters for 1000 elements, by elements", "elements", "ns");
    for count in [10, 50, 100, 500, 1_000, 2_000] {
        add_searches(&mut elements, count as f64, &Data::new(shape, 1_000, count, false));
    }
    let mut clustered =
        Plot::new("search, 1000 clustered filters for 1000 elements, by elements", "elements", "ns");
    for count in [10, 50, 100, 500, 1_000] {
        add_searches(&mut clustered, count as f64, &Data::new(shape, 1_000, count, true));
    }
    vec![size, rates, elements, clustered]
}

/// A point of every structure.
fn add_searches(plot: &mut Plot, x: f64, data: &Data) {
    for name in NAMES {
        plot.add(name, x, search_ns(&*filled(name, data), &data.keys));
    }
}
