//! One kind, measured in a process of its own.

use std::time::Instant;

use ::sieve::{Candidate, Outlet, SieveKind, SieveOptions};
use page::Fingerprint;

use super::offers::{Offers, Part};
use crate::clock::{process_seconds, thread_seconds, timed};
use crate::process::peak_memory_bytes;
use crate::{Error, Row, Surroundings, Yardstick};

/// Offers that are made up at a time.
const PART: u64 = 50_000;

/// One kind, alone.
#[derive(Debug)]
pub struct OneSieve {
    /// Which kind.
    pub kind: SieveKind,
    /// How many offers are made.
    pub offers: u64,
    /// What it may use.
    pub memory_bytes: u64,
    /// By how many bits it knows an address.
    pub signature_bits: u32,
}

/// Counts what passes.
struct Counting(u64);

impl Outlet for Counting {
    fn pass(&mut self, candidate: Candidate<'_>) -> std::io::Result<()> {
        self.0 += u64::from(!candidate.url.is_empty());
        Ok(())
    }

    fn seal(&mut self) -> std::io::Result<Vec<u8>> {
        Ok(self.0.to_le_bytes().to_vec())
    }
}

/// How long offers took: counts by the logarithm of the time, in sixteenths of a power of two of nanoseconds.
struct Stalls {
    counts: Vec<u64>,
    max_ns: u64,
}

impl Stalls {
    fn note(&mut self, ns: u64) {
        let at_least = ns.max(16);
        let log = u64::from(at_least.ilog2());
        let place = log * 16 + (at_least >> (log - 4) & 15);
        self.counts[place as usize] += 1;
        self.max_ns = self.max_ns.max(ns);
    }

    /// The time that this share of all offers did not exceed, rounded up to a sixteenth.
    fn within_ms(&self, share: f64) -> f64 {
        let wanted = (self.counts.iter().sum::<u64>() as f64 * share).ceil() as u64;
        let mut seen = 0;
        let place = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        let place = place.unwrap_or(0) as u64 + 1;
        ((16 + place % 16) as f64 * 2f64.powi((place / 16) as i32 - 4)) / 1e6
    }
}

impl Yardstick for OneSieve {
    fn measure(&self, _: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let folder = tempfile::tempdir_in(".").or_else(|_| tempfile::tempdir())?;
        let options =
            SieveOptions { memory_bytes: self.memory_bytes, signature_bits: Some(self.signature_bits) };
        let mut sieve = ::sieve::open(folder.path(), Some(self.kind), options)?;
        let (mut offers, mut part, mut outlet) = (Offers::new(), Part::default(), Counting(0));
        let mut stalls = Stalls { counts: vec![0; 64 * 16], max_ns: 0 };
        let (mut made_up_ns, mut tenths, mut cpu_tenths) = (0.0, [0.0; 10], [0.0; 10]);
        let cpu_before = process_seconds();
        let mut made = 0;
        while made < self.offers {
            let count = PART.min(self.offers - made);
            made_up_ns += timed(|| offers.fill(&mut part, count as usize)).1;
            let (begin, cpu_begin) = (Instant::now(), thread_seconds());
            let mut last = begin;
            for (fingerprint, url) in part.iter() {
                sieve.offer(Candidate {
                    fingerprint: Fingerprint::new(fingerprint),
                    depth: 1,
                    hops: 0,
                    url,
                })?;
                if sieve.is_full() {
                    sieve.flush(&mut outlet)?;
                }
                let now = Instant::now();
                stalls.note((now - last).as_nanos() as u64);
                last = now;
            }
            let tenth = (made * 10 / self.offers) as usize;
            tenths[tenth] += begin.elapsed().as_secs_f64();
            cpu_tenths[tenth] += thread_seconds() - cpu_begin;
            made += count;
        }
        let begin = Instant::now();
        sieve.flush(&mut outlet)?;
        sieve.settle()?;
        sieve.flush(&mut outlet)?;
        let wall = tenths.iter().sum::<f64>() + begin.elapsed().as_secs_f64();
        let cpu = process_seconds() - cpu_before - made_up_ns / 1e9 - clock_seconds(self.offers);
        let row = |name: &str, unit, value| Row::informative(name.into(), unit, value);
        let (each, keys) = (1e9 / self.offers as f64, offers.keys as f64);
        Ok(vec![
            row("offers", "", self.offers as f64),
            row("keys", "", keys),
            row("passed", "", outlet.0 as f64),
            row("cpu", "ns", cpu * each),
            row("wall", "ns", wall * each),
            row("memory", "MiB", peak_memory_bytes() as f64 / 1048576.0),
            row("disk", "bytes", journal::folder_bytes(folder.path())? as f64 / keys),
            row("stall", "ms", stalls.within_ms(0.999)),
            row("longest stall", "ms", stalls.max_ns as f64 / 1e6),
            row("slowdown", "×", tenths[9] / tenths[0]),
            row("slowdown by CPU time", "×", cpu_tenths[9] / cpu_tenths[0]),
        ])
    }
}

/// What it takes to ask for the time so often.
fn clock_seconds(times: u64) -> f64 {
    const SAMPLE: u64 = 1_000_000;
    let ns = timed(|| (0..SAMPLE).for_each(|_| _ = std::hint::black_box(Instant::now()))).1;
    ns / 1e9 * times as f64 / SAMPLE as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_within_a_sixteenth() {
        for ns in [17u64, 100, 999, 4_321, 1_000_000, 77_000_000] {
            let mut stalls = Stalls { counts: vec![0; 64 * 16], max_ns: 0 };
            (0..1000).for_each(|_| stalls.note(ns));
            let told = stalls.within_ms(0.999) * 1e6 / ns as f64;
            assert!((1.0..=1.07).contains(&told), "{ns} ns are told as {told} times that");
        }
    }
}
