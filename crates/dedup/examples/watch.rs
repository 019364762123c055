//! What a crawler pays for each page to know whether it is a copy, while there are more and more of them.
//!
//! `cargo run --release -p dedup --example watch -- [pages] [budget in MiB] [words]`, by default ten million pages of 72
//! words in 64 MiB.
//!
//! One page in forty is an exact copy of an earlier one, one in forty a near one, with another word in one place. Words
//! are drawn by Zipf's law, and a sixth of a page is what all pages of its site say: so the SimHashes are as those of a
//! crawl, with most bits the same in most pages. A line for each tenth of a power of ten: CPU time per page without
//! that of making it, the memory, what was found, and how many earlier pages are not compared any more.

use dedup::{CopyFound, CopyWatch, PagePrinter, WatchedPage};
use rustix::time::{ClockId, clock_gettime};
use xxhash_rust::xxh3::xxh3_64;

/// So many pages are made, and then shown to the watch.
const AT_A_TIME: u32 = 1000;

/// So many words are in use.
const VOCABULARY: f64 = 200_000.0;

const SITES: u32 = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<u32> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let pages = numbers.first().copied().unwrap_or(10_000_000);
    let budget_bytes = numbers.get(1).copied().unwrap_or(64) as usize * (1 << 20);
    let words = numbers.get(2).copied().unwrap_or(72);
    let folder = std::env::temp_dir().join(format!("watch-example-{}", std::process::id()));
    let mut watch = CopyWatch::new(&folder, budget_bytes)?;
    let mut printer = PagePrinter::new();
    let (mut spent_ns, mut exact, mut near) = (0, 0u64, 0u64);
    let (mut next_line, mut since) = (10_000, 0);
    for first in (0..pages).step_by(AT_A_TIME as usize) {
        let made: Vec<WatchedPage> =
            (first..first + AT_A_TIME).map(|id| page(id, words, &mut printer)).collect();
        let begin = cpu_ns();
        for page in made {
            match watch.see(page)? {
                Some(CopyFound::Exact(_)) => exact += 1,
                Some(CopyFound::Near(..)) => near += 1,
                None => {}
            }
        }
        spent_ns += cpu_ns() - begin;
        let end = first + AT_A_TIME;
        if end == next_line || end >= pages {
            println!(
                "{since:>9} to {end:>9}  {:>5} ns per page  {:>4} MiB  {exact} copies and {near} near ones  {} not compared",
                spent_ns / u64::from(end - since),
                watch.memory_bytes() >> 20,
                watch.forgotten(),
            );
            (spent_ns, since) = (0, end);
            next_line += 10u32.pow(next_line.ilog10());
        }
    }
    drop(watch);
    Ok(std::fs::remove_dir_all(&folder)?)
}

/// A number that looks random.
fn draw(numbers: [u32; 2]) -> u64 {
    xxh3_64(numbers.map(u32::to_le_bytes).as_flattened())
}

/// A word by Zipf's law.
fn word(drawn: u64) -> u64 {
    VOCABULARY.powf(drawn as f64 / u64::MAX as f64) as u64
}

/// The page with a number: the same each time.
fn page(id: u32, words: u32, printer: &mut PagePrinter) -> WatchedPage {
    let kind = draw([id, u32::MAX]) % 40;
    let original = if kind < 2 && id > 0 { (draw([id, u32::MAX - 1]) % u64::from(id)) as u32 } else { id };
    let site = original % SITES;
    let mut text = String::new();
    for place in 0..words {
        let drawn = if kind == 1 && place == words / 2 {
            draw([id, place])
        } else if place < words / 6 {
            draw([u32::MAX - site, place])
        } else {
            draw([original, place])
        };
        text.push_str(&format!("w{} ", word(drawn)));
    }
    let print = printer.print(text.as_bytes());
    WatchedPage { id, site: id % SITES, digest: print.digest, near: print.near() }
}

fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
