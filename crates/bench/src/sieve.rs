//! The kinds of sieves beside each other: speed, memory, bytes on disk, stalls, and what they miss.
//!
//! A hundred million offers, of which four in five repeat one that was made before, each of these equally likely: so
//! neither the cache in front of the sieve nor those of the processor help, as they do on the web. Each kind is measured
//! by a process of its own, which is given 256 MiB. Making up addresses, hashing them and asking for the time are not
//! counted; whatever threads the sieve has are. The sieve is flushed when it says that it is full, and the time of that counts as the stall of the
//! offer before it.
//!
//! Kinds that would take hours are measured on the first offers alone, and their rows say so. The default is measured on
//! as many once more, so that equals are compared.
//!
//! The claims, for the default: a tenth of the CPU time of the sieve on a log-structured database, 1.5 million offers a
//! second and core, five bytes a key, 99.9 % of all offers within 5 ms, and the last tenth nine tenths as fast as the
//! first. With 64 bits a key cannot take less than log₂(2⁶⁴/n) + 1.44 bits, which is 5.15 bytes for twenty million: that
//! bound is told beside.

mod offers;
mod one;

use std::process::Command;

use ::sieve::SieveKind;

pub use self::one::OneSieve;
use crate::process::json_of;
use crate::{Error, Row, Surroundings, Yardstick};

/// All kinds, or some of them.
#[derive(Debug)]
pub struct SieveBench {
    /// Which are measured.
    pub kinds: Vec<SieveKind>,
    /// How many offers are made.
    pub offers: u64,
    /// How many at most to kinds that ask a database.
    pub offers_to_databases: u64,
    /// What each may use.
    pub memory_bytes: u64,
    /// By how many bits the default knows an address.
    pub signature_bits: u32,
}

/// What one process tells.
#[derive(Debug, Clone, Copy)]
struct Told {
    kind: SieveKind,
    offers: f64,
    keys: f64,
    passed: f64,
    cpu_ns: f64,
    wall_ns: f64,
    memory_mib: f64,
    disk_bytes: f64,
    stall_ms: f64,
    stall_max_ms: f64,
    slowdown: f64,
    /// By the CPU time of the thread that offers, which others on the machine bear on less.
    cpu_slowdown: f64,
}

impl SieveBench {
    /// The number of offers to a kind.
    fn offers_to(&self, kind: SieveKind) -> u64 {
        match kind {
            SieveKind::Lsm | SieveKind::Btree => self.offers.min(self.offers_to_databases),
            _ => self.offers,
        }
    }

    fn run(&self, kind: SieveKind, offers: u64, surroundings: &Surroundings<'_>) -> Result<Told, Error> {
        let bits = if kind == SieveKind::Tiered { self.signature_bits } else { 64 };
        let mut command = Command::new(surroundings.program);
        command.args(["--json", "--quiet", "bench", "sieve", "--alone", "--kinds", kind.name()]);
        command.args(["--offers", &offers.to_string(), "--signature-bits", &bits.to_string()]);
        command.args(["--memory", &self.memory_bytes.to_string()]);
        let report = json_of(&mut command)?;
        let value = |name: &str| {
            let rows = report["rows"].as_array().into_iter().flatten();
            let row = rows.into_iter().find(|row| row["name"] == name);
            row.and_then(|row| row["ours"].as_f64()).unwrap_or(f64::NAN)
        };
        Ok(Told {
            kind,
            offers: value("offers"),
            keys: value("keys"),
            passed: value("passed"),
            cpu_ns: value("cpu"),
            wall_ns: value("wall"),
            memory_mib: value("memory"),
            disk_bytes: value("disk"),
            stall_ms: value("stall"),
            stall_max_ms: value("longest stall"),
            slowdown: value("slowdown"),
            cpu_slowdown: value("slowdown by CPU time"),
        })
    }
}

impl Yardstick for SieveBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let mut told = Vec::new();
        for &kind in &self.kinds {
            let offers = self.offers_to(kind);
            surroundings.say(&format!("{}: {} offers", kind.name(), page::thousands(offers)));
            told.push(self.run(kind, offers, surroundings)?);
        }
        let of = |kind| told.iter().find(|told: &&Told| told.kind == kind);
        let mut rows = Vec::new();
        if let Some(ours) = of(SieveKind::default()) {
            rows.extend(self.claims(ours));
            rows.push(self.beside_database(ours, of(SieveKind::Lsm), surroundings)?);
        }
        rows.extend(told.iter().flat_map(picture));
        Ok(rows)
    }
}

impl SieveBench {
    /// What we promise of the default.
    fn claims(&self, ours: &Told) -> Vec<Row> {
        let name = |what: &str| format!("tiered: {what}");
        let least = (f64::from(self.signature_bits) - ours.keys.log2() + std::f64::consts::LOG2_E) / 8.0;
        vec![
            Row::absolute(
                name("CPU time of an offer (1.5 million a second and core)"),
                "ns",
                ours.cpu_ns,
                1e9 / 1.5e6,
            ),
            Row::absolute(name("disk for a key"), "bytes", ours.disk_bytes, 5.0),
            Row::new(name("disk for a key"), "bytes", ours.disk_bytes, "least possible", Ok(least), None),
            Row::absolute(name("99.9 % of offers return within"), "ms", ours.stall_ms, 5.0),
            Row::absolute(name("time of the last tenth by that of the first"), "×", ours.slowdown, 1.0 / 0.9),
        ]
    }
}

impl SieveBench {
    /// The default and the sieve on a log-structured database, with as many offers each.
    fn beside_database(
        &self,
        ours: &Told,
        lsm: Option<&Told>,
        surroundings: &Surroundings<'_>,
    ) -> Result<Row, Error> {
        let Some(lsm) = lsm else {
            let hint = Err("measure it with --kinds tiered,lsm".to_owned());
            return Ok(Row::new(
                "tiered: CPU time of an offer".into(),
                "ns",
                ours.cpu_ns,
                "fjall",
                hint,
                Some(0.1),
            ));
        };
        let again = if lsm.offers < ours.offers {
            surroundings.say("tiered: with as many offers");
            self.run(SieveKind::default(), lsm.offers as u64, surroundings)?
        } else {
            *ours
        };
        let name = format!("tiered: CPU time of an offer, {:.0} M offers", lsm.offers / 1e6);
        Ok(Row::new(name, "ns", again.cpu_ns, "fjall", Ok(lsm.cpu_ns), Some(0.1)))
    }
}

/// Everything that was measured of a kind.
fn picture(told: &Told) -> Vec<Row> {
    let (kind, millions) = (told.kind.name(), told.offers / 1e6);
    let row = |what: &str, unit, value| {
        Row::informative(format!("{kind}, {millions:.0} M offers: {what}"), unit, value)
    };
    vec![
        row("offers a second and core", "million", 1e3 / told.cpu_ns),
        row("offers a second by the clock", "million", 1e3 / told.wall_ns),
        row("memory at most", "MiB", told.memory_mib),
        row("disk for a key", "bytes", told.disk_bytes),
        row("99.9 % of offers return within", "ms", told.stall_ms),
        row("longest stall", "ms", told.stall_max_ms),
        row("time of the last tenth by that of the first", "×", told.slowdown),
        row("CPU time of the last tenth by that of the first", "×", told.cpu_slowdown),
        row("missed of a million new ones", "", (told.keys - told.passed) / told.keys * 1e6),
    ]
}
