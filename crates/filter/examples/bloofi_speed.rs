//! How fast are the indexes of many filters? The comparison of the thesis' chapter 5, for all structures.
//!
//! ```text
//! cargo run --release --example bloofi_speed -- [--quick] [folder for the plots]
//! ```
//!
//! Tables as Markdown on stdout, plots as SVG into the folder. All times are CPU time of the one thread (the kernel's
//! count in `/proc/thread-self/schedstat`; wall time where there is none), the best of several runs. A search cycles
//! through 16,384 keys, half of them in one of the sets and half in none, unless said otherwise.

use std::fmt::Write as _;
use std::time::Instant;

use filter::index::{
    AdaptiveBloofi, BloofiTree, FilterIndex, FlatBloofi, NaiveIndex, SlicedBloofi, SlotBitmap,
};
use filter::{BloomFilter, FilterShape, KeyHash};

const NAMES: [&str; 5] = ["naive", "tree", "flat", "sliced", "adaptive"];
const TREE_ORDER: usize = 8;

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    args.retain(|arg| !arg.starts_with("--"));
    let mut report = Report { folder: args.pop() };
    thesis_case();
    let counts: &[usize] = if quick { &[10, 100, 1_000] } else { &[10, 100, 1_000, 10_000, 100_000] };
    against_count(&mut report, counts);
    against_shape(&mut report);
    adaptive_grid(if quick { &counts[..3] } else { counts });
    adaptive_mix();
}

/// Sets of keys as filters, and keys to search.
struct Data {
    shape: FilterShape,
    filters: Vec<BloomFilter>,
    keys: Vec<KeyHash>,
}

/// Sets of a cluster share nine keys of ten.
const CLUSTER_SETS: u64 = 50;

impl Data {
    fn new(shape: FilterShape, sets: usize, keys_per_set: usize, clustered: bool) -> Self {
        let key_of = |set: u64, n: u64| {
            let owner = if clustered && !n.is_multiple_of(10) { 1 << 40 | (set / CLUSTER_SETS) } else { set };
            KeyHash::of_u64(owner << 16 | n, 0)
        };
        let filter_of = |set: u64| {
            let mut filter = BloomFilter::new(shape);
            for n in 0..keys_per_set as u64 {
                filter.insert(&key_of(set, n));
            }
            filter
        };
        let filters = (0..sets as u64).map(filter_of).collect();
        let random = |n: u64, end: u64| KeyHash::of_u64(n, 77).as_u64() % end;
        let hit = |n: u64| key_of(random(n, sets as u64), random(n + 500_000, keys_per_set as u64));
        let keys = (0..1 << 14).map(|n| if n % 2 == 0 { hit(n) } else { KeyHash::of_u64(n, 123) }).collect();
        Self { shape, filters, keys }
    }

    fn with_fill(fill: f64, sets: usize, clustered: bool) -> Self {
        let shape = FilterShape::for_rate(500, 0.01);
        let keys = shape.keys_at((fill * shape.bits() as f64) as u64).round().max(1.0);
        Self::new(shape, sets, keys as usize, clustered)
    }

    fn batch(&self) -> Vec<(u64, &BloomFilter)> {
        (0..).zip(&self.filters).collect()
    }
}

fn empty(name: &str, shape: FilterShape) -> Box<dyn FilterIndex> {
    match name {
        "naive" => Box::new(NaiveIndex::new(shape)),
        "tree" => Box::new(BloofiTree::new(shape, TREE_ORDER)),
        "flat" => Box::new(FlatBloofi::new(shape)),
        "sliced" => Box::new(SlicedBloofi::new(shape)),
        _ => Box::new(AdaptiveBloofi::new(shape)),
    }
}

fn filled(name: &str, data: &Data) -> Box<dyn FilterIndex> {
    let mut index = empty(name, data.shape);
    data.batch().into_iter().for_each(|(id, filter)| index.insert(id, filter).expect("ids differ"));
    index
}

/// The nanoseconds that this thread has run. The kernel brings its count up to date at ticks of 4 ms, and when the
/// thread yields.
fn cpu_ns(start: Instant) -> f64 {
    std::thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_cpu = stat.and_then(|stat| stat.split(' ').next()?.parse::<f64>().ok());
    on_cpu.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

/// Nanoseconds of one call, the best of five runs of at least 2 ms.
fn time(mut call: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    let mut run = |count: usize| {
        let before = cpu_ns(start);
        (0..count).for_each(&mut call);
        cpu_ns(start) - before
    };
    let mut count = 16;
    while run(count) < 2e6 && count < 1 << 24 {
        count *= 2;
    }
    (0..5).map(|_| run(count) / count as f64).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds of a job that cannot be repeated on the same thing; the best of some runs.
fn time_once<T>(runs: usize, mut make: impl FnMut() -> T, mut job: impl FnMut(&mut T)) -> f64 {
    let start = Instant::now();
    let mut run = || {
        let mut thing = make();
        let before = cpu_ns(start);
        job(&mut thing);
        cpu_ns(start) - before
    };
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn search_ns(index: &dyn FilterIndex, keys: &[KeyHash]) -> f64 {
    let mut ids = Vec::with_capacity(1 << 12);
    time(|n| index.search(&keys[n % keys.len()], &mut ids))
}

fn bitmap_ns(index: &SlicedBloofi, keys: &[KeyHash]) -> f64 {
    let mut found = SlotBitmap::new();
    time(|n| index.search_bitmap(&keys[n % keys.len()], &mut found))
}

/// The goals: 1000 filters of 500 elements at 1 %, and 10,000 of them.
fn thesis_case() {
    let data = Data::new(FilterShape::for_rate(500, 0.01), 1_000, 500, false);
    let mut grown = data.filters.clone();
    for (filter, n) in grown.iter_mut().zip(0..) {
        filter.insert(&KeyHash::of_u64(n, 9));
    }
    let others: Vec<BloomFilter> = data.filters.iter().skip(1).chain(&data.filters[..1]).cloned().collect();
    let misses: Vec<KeyHash> = (0..1 << 14).map(|n| KeyHash::of_u64(n, 321)).collect();
    println!("## The thesis' case: 1000 filters of 500 elements at 1 % ({:?})\n", data.shape);
    println!(
        "| structure | insert 1000 ms | update 1000, grown ms | update 1000, other ms | search ns | miss ns | delete ns | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for name in NAMES {
        let make = || filled(name, &data);
        let put_all = |filters: &[BloomFilter], index: &mut Box<dyn FilterIndex>| {
            (0..).zip(filters).for_each(|(id, filter)| index.update(id, filter).expect("ids are there"));
        };
        let insert = time_once(7, || (), |()| drop(make()));
        let update = time_once(7, make, |index| put_all(&grown, index));
        let replace = time_once(7, make, |index| put_all(&others, index));
        let delete = time_once(7, make, |index| {
            (0..1_000).for_each(|id| index.delete(id * 7 % 1_000).expect("there"))
        });
        let index = make();
        println!(
            "| {name} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} | {:.0} | {:.3} |",
            insert / 1e6,
            update / 1e6,
            replace / 1e6,
            search_ns(&*index, &data.keys),
            search_ns(&*index, &misses),
            delete / 1_000.0,
            index.memory_bytes() as f64 / 1e6,
        );
    }
    let batch = data.batch();
    let build = || {
        let mut index = SlicedBloofi::new(data.shape);
        index.insert_all(&batch).expect("ids differ");
        index
    };
    let other_batch: Vec<(u64, &BloomFilter)> = (0..).zip(&others).collect();
    let insert = time_once(7, || (), |()| drop(build()));
    let update = time_once(7, build, |index| index.update_all(&other_batch).expect("ids are there"));
    let index = build();
    println!("\nsliced, in batches: insert 1000 {:.2} ms, update 1000 {:.2} ms", insert / 1e6, update / 1e6);
    println!("sliced, as a bitmap: {:.0} ns", bitmap_ns(&index, &data.keys));
    println!("sliced without AVX2: {:.0} ns as a bitmap", bitmap_ns(&index.without_simd(), &data.keys));
    let few = SlicedBloofi::shape_for(500, 0.01, 1_000);
    let data = Data::new(few, 1_000, 500, false);
    let mut index = SlicedBloofi::new(few);
    index.insert_all(&data.batch()).expect("ids differ");
    println!(
        "sliced with `shape_for` ({} probes): {:.0} ns as a bitmap, {:.0} ns with ids, {:.3} MB",
        few.probes(),
        bitmap_ns(&index, &data.keys),
        search_ns(&index, &data.keys),
        index.memory_bytes() as f64 / 1e6
    );
    for shape in [FilterShape::for_rate(500, 0.01), SlicedBloofi::shape_for(500, 0.01, 10_000)] {
        let data = Data::new(shape, 10_000, 500, false);
        let mut index = SlicedBloofi::new(shape);
        index.insert_all(&data.batch()).expect("ids differ");
        println!(
            "sliced, 10,000 filters, {} probes: {:.0} ns as a bitmap, {:.0} ns with ids, {:.1} MB",
            shape.probes(),
            bitmap_ns(&index, &data.keys),
            search_ns(&index, &data.keys),
            index.memory_bytes() as f64 / 1e6
        );
    }
    println!();
}

/// Search, insert, update, delete and memory against the number of filters.
fn against_count(report: &mut Report, counts: &[usize]) {
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
                let each = x;
                insert.add(name, x, time_once(runs, || (), |()| drop(filled(name, &data))) / each);
                let mut index = filled(name, &data);
                search.add(name, x, search_ns(&*index, &data.keys));
                memory.add(name, x, index.memory_bytes() as f64 / each);
                let few = count.min(1_000);
                let change = |index: &mut dyn FilterIndex| {
                    for id in 0..few {
                        index.update(id as u64, &data.filters[(id + 1) % count]).expect("ids are there");
                    }
                };
                let start = Instant::now();
                let before = cpu_ns(start);
                change(&mut *index);
                update.add(name, x, (cpu_ns(start) - before) / few as f64);
                let before = cpu_ns(start);
                (0..few as u64).for_each(|id| index.delete(id * 7 % few as u64).unwrap_or(()));
                delete.add(name, x, (cpu_ns(start) - before) / few as f64);
            }
        }
        [search, insert, update, delete, memory].iter().for_each(|plot| report.show(plot));
    }
}

/// Search against filter size, rate, elements and distribution, 1000 filters.
fn against_shape(report: &mut Report) {
    let names = &NAMES[..];
    let mut size =
        Plot::new("search, 1000 filters of 100 elements, by filter size", "elements expected", "ns");
    for expected in [100, 500, 2_000, 10_000, 50_000] {
        let data = Data::new(FilterShape::for_rate(expected, 0.01), 1_000, 100, false);
        names
            .iter()
            .for_each(|name| size.add(name, expected as f64, search_ns(&*filled(name, &data), &data.keys)));
    }
    let mut rates = Plot::new("search, 1000 filters of 500 elements, by rate", "1 / rate", "ns");
    for rate in [0.1, 0.03, 0.01, 0.001, 0.000_1] {
        let data = Data::new(FilterShape::for_rate(500, rate), 1_000, 500, false);
        names
            .iter()
            .for_each(|name| rates.add(name, 1.0 / rate, search_ns(&*filled(name, &data), &data.keys)));
    }
    let mut elements = Plot::new("search, 1000 filters for 1000 elements, by elements", "elements", "ns");
    for count in [10, 50, 100, 500, 1_000, 2_000] {
        let data = Data::new(FilterShape::for_rate(1_000, 0.01), 1_000, count, false);
        names
            .iter()
            .for_each(|name| elements.add(name, count as f64, search_ns(&*filled(name, &data), &data.keys)));
    }
    let mut clustered =
        Plot::new("search, 1000 clustered filters for 1000 elements, by elements", "elements", "ns");
    for count in [10, 50, 100, 500, 1_000] {
        let data = Data::new(FilterShape::for_rate(1_000, 0.01), 1_000, count, true);
        names
            .iter()
            .for_each(|name| clustered.add(name, count as f64, search_ns(&*filled(name, &data), &data.keys)));
    }
    [size, rates, elements, clustered].iter().for_each(|plot| report.show(plot));
}

/// The adaptive index against the best single structure.
fn adaptive_grid(counts: &[usize]) {
    println!("## The adaptive index against the best structure, search ns\n");
    println!(
        "| filters | fill | sets | naive | tree | flat | sliced | adaptive | chosen | choice to the best | adaptive to the best |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut worst = [0f64; 2];
    for &count in counts {
        for fill in [0.01, 0.1, 0.5] {
            for clustered in [false, true] {
                let data = Data::with_fill(fill, count, clustered);
                let mut adaptive = AdaptiveBloofi::new(data.shape);
                data.batch()
                    .into_iter()
                    .for_each(|(id, filter)| adaptive.insert(id, filter).expect("ids differ"));
                let singles: Vec<Box<dyn FilterIndex>> =
                    NAMES[..4].iter().map(|name| filled(name, &data)).collect();
                // Twice, and the better: others work on this machine too.
                let twice =
                    |index: &dyn FilterIndex| search_ns(index, &data.keys).min(search_ns(index, &data.keys));
                let times: Vec<f64> = singles.iter().map(|index| twice(&**index)).collect();
                let own = twice(&adaptive);
                // The same structure measured twice differs by the noise of the machine; the choice itself does not.
                let best = times.iter().copied().fold(f64::INFINITY, f64::min);
                let ratios = [times[adaptive.structure() as usize] / best, own / best];
                worst.iter_mut().zip(ratios).for_each(|(worst, ratio)| *worst = worst.max(ratio));
                println!(
                    "| {count} | {fill} | {} | {:.0} | {:.0} | {:.0} | {:.0} | {own:.0} | {:?} | {:.2} | {:.2} |",
                    if clustered { "clustered" } else { "random" },
                    times[0],
                    times[1],
                    times[2],
                    times[3],
                    adaptive.structure(),
                    ratios[0],
                    ratios[1],
                );
            }
        }
    }
    println!("\nworst: choice {:.2}, adaptive {:.2}\n", worst[0], worst[1]);
}

/// The adaptive index when updates outnumber searches.
fn adaptive_mix() {
    println!("## By the mix of operations: 1000 filters, ns per operation\n");
    println!("| fill | sets | updates per search | naive | tree | flat | sliced | adaptive | chosen |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for (fill, clustered) in [(0.5, false), (0.01, false), (0.1, true)] {
        let data = Data::with_fill(fill, 1_000, clustered);
        for updates in [0, 1, 10, 100] {
            let singles = NAMES[..4].iter().map(|name| mix_ns(&mut *filled(name, &data), &data, updates));
            let singles: Vec<String> = singles.map(|ns| format!("{ns:.0}")).collect();
            let mut adaptive = AdaptiveBloofi::new(data.shape);
            data.batch()
                .into_iter()
                .for_each(|(id, filter)| adaptive.insert(id, filter).expect("ids differ"));
            // The first time it still adapts.
            mix_ns(&mut adaptive, &data, updates);
            let own = mix_ns(&mut adaptive, &data, updates);
            let sets = if clustered { "clustered" } else { "random" };
            println!(
                "| {fill} | {sets} | {updates} | {} | {own:.0} | {:?} |",
                singles.join(" | "),
                adaptive.structure()
            );
        }
    }
    println!();
}

fn mix_ns(index: &mut dyn FilterIndex, data: &Data, updates: usize) -> f64 {
    let mut ids = Vec::new();
    time(|n| {
        if n % (updates + 1) == 0 {
            index.search(&data.keys[n % data.keys.len()], &mut ids);
        } else {
            // Every filter goes under every id in turn.
            let id = n * 7 % data.filters.len();
            let filter = &data.filters[(id + n / data.filters.len()) % data.filters.len()];
            index.update(id as u64, filter).expect("ids are there");
        }
    })
}

/// Where results go.
struct Report {
    folder: Option<String>,
}

impl Report {
    fn show(&mut self, plot: &Plot) {
        println!("{}", plot.table());
        if let Some(folder) = &self.folder {
            let name: String = plot
                .title
                .chars()
                .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
                .collect();
            let path = format!("{folder}/{name}.svg");
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, plot.svg()));
            if let Err(error) = written {
                eprintln!("{path}: {error}");
            }
        }
    }
}

/// Lines over a logarithmic x and a logarithmic y.
struct Plot {
    title: String,
    x_name: String,
    y_name: String,
    lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Plot {
    fn new(title: &str, x_name: &str, y_name: &str) -> Self {
        Self { title: title.into(), x_name: x_name.into(), y_name: y_name.into(), lines: Vec::new() }
    }

    fn add(&mut self, line: &str, x: f64, y: f64) {
        match self.lines.iter_mut().find(|(name, _)| name == line) {
            Some((_, points)) => points.push((x, y)),
            None => self.lines.push((line.into(), vec![(x, y)])),
        }
    }

    fn table(&self) -> String {
        let names: Vec<&str> = self.lines.iter().map(|(name, _)| name.as_str()).collect();
        let mut table =
            format!("## {} ({})\n\n| {} | {} |\n", self.title, self.y_name, self.x_name, names.join(" | "));
        table += &"|---".repeat(names.len() + 1);
        table += "|\n";
        for row in 0..self.lines[0].1.len() {
            write!(table, "| {}", self.lines[0].1[row].0).expect("a string takes all");
            for (_, points) in &self.lines {
                write!(table, " | {:.0}", points[row].1).expect("a string takes all");
            }
            table += " |\n";
        }
        table
    }

    fn svg(&self) -> String {
        const COLOURS: [&str; 5] = ["#888888", "#2ca02c", "#1f77b4", "#d62728", "#9467bd"];
        let (width, height, edge) = (640.0, 400.0, 60.0);
        let all = || self.lines.iter().flat_map(|(_, points)| points);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let values = || all().map(of).map(|value| value.max(0.1).log10());
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(-9.0, f64::max));
            (low.floor(), high.ceil().max(low.floor() + 1.0))
        };
        let (x_range, y_range) = (range(|point| point.0), range(|point| point.1));
        let x_at =
            |x: f64| edge + (x.max(0.1).log10() - x_range.0) / (x_range.1 - x_range.0) * (width - 2.0 * edge);
        let y_at = |y: f64| {
            height - edge - (y.max(0.1).log10() - y_range.0) / (y_range.1 - y_range.0) * (height - 2.0 * edge)
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"{edge}\" y=\"24\" font-size=\"15\">{}</text>\n<text x=\"{}\" y=\"{}\">{}</text>\n\
             <text x=\"8\" y=\"48\">{}</text>\n",
            self.title,
            width / 2.0 - 30.0,
            height - 14.0,
            self.x_name,
            self.y_name
        );
        let mut line = |from: (f64, f64), to: (f64, f64), label: String, at: (f64, f64)| {
            writeln!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
                from.0, from.1, to.0, to.1, at.0, at.1
            )
            .expect("a string takes all");
        };
        for power in x_range.0 as i32..=x_range.1 as i32 {
            let x = x_at(10f64.powi(power));
            line((x, edge), (x, height - edge), format!("1e{power}"), (x - 8.0, height - edge + 16.0));
        }
        for power in y_range.0 as i32..=y_range.1 as i32 {
            let y = y_at(10f64.powi(power));
            line((edge, y), (width - edge, y), format!("1e{power}"), (edge - 34.0, y + 4.0));
        }
        for ((name, points), colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
            let path: Vec<String> =
                points.iter().map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y))).collect();
            let (x, y) = points[points.len() - 1];
            writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
                path.join(" "),
                x_at(x) + 4.0,
                y_at(y) + 4.0
            )
            .expect("a string takes all");
        }
        svg + "</svg>\n"
    }
}
