//! Measures the Hamming index and the watch for copies that is made of it: nanoseconds per query and per insert, bytes per entry, recall of planted matches.
//!
//! `cargo run --release -p dedup --example hamming -- [entries ...]`, by default one and ten million.
//!
//! Queries are stored fingerprints with 0 to 3 flipped bits and as many others of the same spread, in random order. Times are CPU time
//! of the one thread, the best of three rounds.

use std::hint::black_box;

use dedup::hamming::HammingIndex;
use dedup::{CopyWatch, WatchedPage};
use page::NearPrint;
use rustix::time::{ClockId, clock_gettime};
use xxhash_rust::xxh3::xxh3_64;

const DISTANCE: u32 = 3;
const QUERIES: usize = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sizes: Vec<u32> = std::env::args().skip(1).map(|size| size.parse()).collect::<Result<_, _>>()?;
    if sizes.is_empty() {
        sizes = vec![1_000_000, 10_000_000];
    }
    for size in sizes {
        for spread in [Spread::Uniform, Spread::Clustered, Spread::Biased] {
            measure(spread, size)?;
        }
        watch(size)?;
    }
    Ok(())
}

/// How the stored fingerprints lie.
#[derive(Debug, Clone, Copy)]
enum Spread {
    /// Anywhere.
    Uniform,
    /// Sixteen around each of many centres, up to twelve bits away.
    Clustered,
    /// As of pages in one language: each bit is the same in seven of ten.
    Biased,
}

impl Spread {
    fn fingerprints(self, size: u32, next: &mut impl FnMut() -> u64) -> Vec<u64> {
        match self {
            Self::Uniform => (0..size).map(|_| next()).collect(),
            Self::Clustered => {
                let centres: Vec<u64> = (0..size / 16).map(|_| next()).collect();
                let mut near = |centre| (0..next() % 13).fold(centre, |bits, _| bits ^ 1 << (next() % 64));
                (0..size).map(|number| near(centres[number as usize % centres.len()])).collect()
            }
            Self::Biased => {
                // a & (b | (c & d)) has bits that are set in 5 of 16 = 0.31.
                (0..size).map(|_| next() & (next() | (next() & next()))).collect()
            }
        }
    }
}

fn measure(spread: Spread, size: u32) -> Result<(), Box<dyn std::error::Error>> {
    let mut next = numbers();
    let stored = spread.fingerprints(size, &mut next);

    let start = cpu_ns();
    let mut index = HammingIndex::<u64>::new(DISTANCE);
    for (fingerprint, id) in stored.iter().zip(0..) {
        index.insert(*fingerprint, id)?;
    }
    let insert_ns = (cpu_ns() - start) / u64::from(size);

    let planted: Vec<(u64, u32, u32)> = (0..QUERIES)
        .map(|_| {
            let id = (next() % u64::from(size)) as u32;
            let (original, distance) = (stored[id as usize], (next() % 4) as u32);
            let mut query = original;
            while (query ^ original).count_ones() < distance {
                query ^= 1 << (next() % 64);
            }
            (query, id, distance)
        })
        .collect();
    let mut queries: Vec<u64> = planted.iter().map(|(query, ..)| *query).collect();
    queries.extend(spread.fingerprints(QUERIES as u32, &mut next));
    queries.sort_by_key(|query| xxh3_64(&query.to_le_bytes()));

    let (runs, grown_ns) = (index.run_counts().0, per_query(&index, &queries)?);
    let start = cpu_ns();
    index.compact()?;
    let merge_ns = (cpu_ns() - start) as f64 / f64::from(size) / f64::from(DISTANCE + 1);
    let compact_ns = per_query(&index, &queries)?;
    let bytes = index.memory_bytes() as f64 / f64::from(size);
    let recall = recall(&index, &planted)?;
    let matches = matches(&index, &queries)? as f64 / queries.len() as f64;
    println!(
        "{:>9} {size:>9}  query {compact_ns} ns in one run, {grown_ns} ns in {runs}  insert {insert_ns} ns  \
         last merge {merge_ns:.1} ns per entry and table  {bytes:.1} bytes per entry  recall {recall}  {matches:.2} matches per query",
        format!("{spread:?}"),
    );
    drop(index);

    let folder = std::env::temp_dir().join(format!("hamming-example-{}", std::process::id()));
    let mut index = HammingIndex::<u64>::with_budget(DISTANCE, &folder, 8 << 20)?;
    let start = cpu_ns();
    for (fingerprint, id) in stored.iter().zip(0..) {
        index.insert(*fingerprint, id)?;
    }
    let insert_ns = (cpu_ns() - start) / u64::from(size);
    let ((in_memory, on_disk), grown_ns) = (index.run_counts(), per_query(&index, &queries)?);
    index.compact()?;
    let (compact_ns, recall) = (per_query(&index, &queries)?, self::recall(&index, &planted)?);
    println!(
        "{:>19}  on disk {:.1} µs in one run, {:.1} µs in {in_memory} + {on_disk}  insert {insert_ns} ns  \
         {:.2} bytes of memory per entry  recall {recall}",
        "8 MiB",
        compact_ns as f64 / 1e3,
        grown_ns as f64 / 1e3,
        index.memory_bytes() as f64 / f64::from(size),
    );
    drop(index);
    Ok(std::fs::remove_dir(&folder)?)
}

/// Pages of which every tenth is an exact copy and every tenth a near one, as a crawler would ask about them.
fn watch(size: u32) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("watch-example-{}", std::process::id()));
    let mut next = numbers();
    let mut pages: Vec<WatchedPage> = Vec::new();
    for id in 0..size {
        let fresh = WatchedPage {
            id,
            site: id % 1000,
            digest: u128::from(next()) << 64 | u128::from(next()),
            near: Some(NearPrint { simhash: next(), check: next() }),
        };
        let earlier = pages.get((next() % u64::from(id.max(1))) as usize).copied();
        pages.push(match (id % 10, earlier) {
            (3, Some(earlier)) => WatchedPage { id, site: fresh.site, ..earlier },
            (7, Some(earlier)) => {
                let near = earlier.near.map(|near| NearPrint { simhash: near.simhash ^ 0x8001_0000, ..near });
                WatchedPage { near, ..fresh }
            }
            _ => fresh,
        });
    }
    for budget_bytes in [4 << 30, 64 << 20] {
        let mut watch = CopyWatch::new(&folder, budget_bytes)?;
        let start = cpu_ns();
        let mut copies = 0;
        for page in &pages {
            copies += u64::from(watch.see(*page)?.is_some());
        }
        let see_ns = (cpu_ns() - start) / u64::from(size);
        println!(
            "    watch {size:>9}  {see_ns} ns per page with a budget of {} MiB  {} MiB used  {copies} copies",
            budget_bytes >> 20,
            watch.memory_bytes() >> 20
        );
    }
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The best of three rounds.
fn per_query(index: &HammingIndex<u64>, queries: &[u64]) -> Result<u64, dedup::hamming::Error> {
    let mut best = u64::MAX;
    for _ in 0..3 {
        let start = cpu_ns();
        black_box(matches(index, queries)?);
        best = best.min((cpu_ns() - start) / queries.len() as u64);
    }
    Ok(best)
}

fn matches(index: &HammingIndex<u64>, queries: &[u64]) -> Result<u64, dedup::hamming::Error> {
    let mut count = 0;
    for query in queries {
        index.find(*query, |_, _| count += 1)?;
    }
    Ok(count)
}

/// The share of planted (query, id, distance) that are found with their distance.
fn recall(index: &HammingIndex<u64>, planted: &[(u64, u32, u32)]) -> Result<f64, dedup::hamming::Error> {
    let mut hits = 0;
    for (query, id, distance) in planted {
        index.find(*query, |found, at| hits += usize::from((found, at) == (*id, *distance)))?;
    }
    Ok(hits as f64 / planted.len() as f64)
}

fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn numbers() -> impl FnMut() -> u64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        xxh3_64(&state.to_le_bytes())
    }
}
