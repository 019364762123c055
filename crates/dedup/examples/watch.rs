//! What a crawler pays for each page to know whether it is a copy, while there are more and more of them.
//!
//! `cargo run --release -p dedup --example watch -- [pages] [budget in MiB]`, by default ten million in 64 MiB.
//!
//! One page in twenty is an exact copy of an earlier one, one in twenty a near one. The SimHashes are those of short pages in
//! one language: each bit is the same in seven pages of ten. A line for each tenth of a power of ten: CPU time per
//! page, the memory, and how many earlier pages are not compared any more.

use dedup::{CopyWatch, WatchedPage};
use page::NearPrint;
use rustix::time::{ClockId, clock_gettime};
use xxhash_rust::xxh3::xxh3_64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<u32> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let pages = numbers.first().copied().unwrap_or(10_000_000);
    let budget_bytes = numbers.get(1).copied().unwrap_or(64) as usize * (1 << 20);
    let folder = std::env::temp_dir().join(format!("watch-example-{}", std::process::id()));
    let mut watch = CopyWatch::new(&folder, budget_bytes)?;
    let (mut begin, mut copies) = (cpu_ns(), 0u64);
    let mut next_line = 10_000;
    let mut since = 0;
    for id in 0..pages {
        copies += u64::from(watch.see(page(id))?.is_some());
        if id + 1 == next_line || id + 1 == pages {
            let now = cpu_ns();
            println!(
                "{:>9} to {:>9}  {:>5} ns per page  {:>4} MiB  {copies} copies  {} not compared",
                since,
                id + 1,
                (now - begin) / u64::from(id + 1 - since),
                watch.memory_bytes() >> 20,
                watch.forgotten(),
            );
            (begin, since) = (now, id + 1);
            next_line += 10u32.pow(next_line.ilog10());
        }
    }
    drop(watch);
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// The page with a number: the same each time.
fn page(id: u32) -> WatchedPage {
    let draw = |what: u64| xxh3_64(&[u64::from(id), what].map(u64::to_le_bytes).concat());
    let original = match draw(0) % 20 {
        0 | 1 if id > 0 => (draw(1) % u64::from(id)) as u32,
        _ => id,
    };
    let of = |what: u64| xxh3_64(&[u64::from(original), what].map(u64::to_le_bytes).concat());
    // a & (b | (c & d)) has bits that are set in 5 of 16.
    let simhash = of(2) & (of(3) | (of(4) & of(5)));
    let digest = u128::from(of(6)) << 64 | u128::from(of(7));
    let near = Some(NearPrint { simhash, check: of(8) });
    let as_it_was = WatchedPage { id, site: id % 1000, digest, near };
    match draw(0) % 20 {
        1 if id > 0 => WatchedPage {
            digest: digest ^ u128::from(draw(9)),
            near: Some(NearPrint { simhash: simhash ^ 0x8001_0000, check: of(8) }),
            ..as_it_was
        },
        _ => as_it_was,
    }
}

fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
