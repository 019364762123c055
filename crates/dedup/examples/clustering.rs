//! What does it cost to find the groups of many documents, once they are sketched?
//!
//! ```sh
//! cargo run --release -p dedup --example clustering -- 1000000 2 exact 20
//! ```
//!
//! The documents are made up: thirty words each, and of a hundred so many (20) in families of three that differ by one
//! word. They are made when they are read, so that they cost neither memory nor disk. CPU time is that of the process.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use dedup::{
    DedupConfig, Deduplicator, DocumentReader, Documents, Execution, Shingling, Unreadable, Verification,
    WorkFolder, banding::Banding,
};
use rustix::time::{ClockId, clock_gettime};

/// Documents that are made up from their numbers.
struct MadeUp {
    count: u32,
    in_families_percent: u32,
}

impl Documents for MadeUp {
    fn count(&self) -> u32 {
        self.count
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(Maker { third: (self.count / 3).max(1), in_families_percent: self.in_families_percent })
    }
}

struct Maker {
    third: u32,
    in_families_percent: u32,
}

impl DocumentReader for Maker {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        // The members of a family are a third of all documents apart.
        let family = document % self.third;
        let is_copy = family % 100 < self.in_families_percent;
        let words_of = u64::from(if is_copy { family } else { document });
        text.clear();
        for word in 0..30u64 {
            let changed = if is_copy && word == 29 { u64::from(document) } else { 0 };
            let mixed = (words_of * 30 + word + (changed << 34)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for shift in [8, 22, 36, 50] {
                text.push(b'a' + ((mixed >> shift) % 26) as u8);
            }
            text.push(b' ');
        }
        Ok(())
    }
}

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The most memory that the process ever had, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let documents: u32 = arguments.next().map_or(Ok(1_000_000), |count| count.parse())?;
    let threads: usize = arguments.next().map_or(Ok(1), |threads| threads.parse())?;
    let verification = match arguments.next().as_deref() {
        Some("exact") => Verification::Exact,
        _ => Verification::Estimate,
    };
    let in_families_percent: u32 = arguments.next().map_or(Ok(20), |percent| percent.parse())?;
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let work = tempfile::tempdir_in(folder)?;
    let config = DedupConfig {
        shingling: Shingling::Words(1),
        execution: Execution::Threads(threads),
        verification,
        ..DedupConfig::default()
    };
    let bands = Banding::for_threshold(config.slots, config.threshold).bands;
    let documents = MadeUp { count: documents, in_families_percent };

    let mut deduplicator = Deduplicator::open_in(WorkFolder::temporary(work.path())?, config, "made up")?;
    let (cpu_before, started) = (cpu(), Instant::now());
    deduplicator.sketch(&documents, &())?;
    let (cpu_sketched, sketched) = (cpu(), Instant::now());
    let groups = deduplicator.groups(&documents, &())?;
    let (cpu_done, done) = (cpu(), Instant::now());

    let records = bands as f64 * f64::from(documents.count);
    let nanoseconds = (cpu_done - cpu_sketched).as_nanos() as f64;
    println!("documents            {}", documents.count);
    println!("bands                {bands}");
    println!("threads              {threads}");
    println!(
        "sketching            {:.1} s CPU, {:.1} s",
        (cpu_sketched - cpu_before).as_secs_f64(),
        (sketched - started).as_secs_f64()
    );
    println!("grouping             {:.1} s CPU, {:.1} s", nanoseconds / 1e9, (done - sketched).as_secs_f64());
    println!("per band, document   {:.1} ns CPU", nanoseconds / records);
    println!("groups               {} with {} copies", groups.len(), groups.copies());
    println!("checks               {:?}", groups.checks);
    println!("peak memory          {} MiB", peak_mib());
    Ok(())
}
