//! The adaptive index in runs of mixed operations that its constants were not fitted to: other numbers of filters, other
//! shapes, fills and mixes, bursts and drift. It is judged by the whole time of a run beside that of the best single
//! structure for this very run, which nobody knows beforehand.
//!
//! *Told*: it knows how many filters there will be and the mix of the first phase. *Untold*: it knows nothing.

use std::fmt::Write as _;

use ::filter::FilterShape;
use ::filter::index::{AdaptiveBloofi, Expected, FilterIndex, Mix};

use super::sets::{Data, Kind, NAMES, SINGLE, filled};
use crate::Row;
use crate::clock::timed;

/// How much slower than the best structure the adaptive index may be.
const RATIO_MAX: f64 = 1.3;
/// Others work on this machine too: all structures of a case in turn, several times, and the best counts.
const ROUNDS: usize = 4;
const OPERATIONS: usize = 12_000;

/// Phases of a run: how many of all operations in sixteenths, and searches, inserts, updates and deletes in each.
type Phases = &'static [(usize, [u64; 4])];

const RUNS: [(&str, Phases); 9] = [
    ("ten searches per update", &[(16, [10, 0, 1, 0])]),
    ("one update per search", &[(16, [1, 0, 1, 0])]),
    ("three updates per search", &[(16, [1, 0, 3, 0])]),
    ("ten updates per search", &[(16, [1, 0, 10, 0])]),
    ("inserts, then searches", &[(4, [0, 1, 0, 0]), (12, [1, 0, 0, 0])]),
    ("deletes, then searches", &[(2, [0, 0, 0, 1]), (14, [1, 0, 0, 0])]),
    (
        "bursts of searches and of updates",
        &[
            (2, [1, 0, 0, 0]),
            (2, [0, 0, 1, 0]),
            (2, [1, 0, 0, 0]),
            (2, [0, 0, 1, 0]),
            (2, [1, 0, 0, 0]),
            (2, [0, 0, 1, 0]),
            (2, [1, 0, 0, 0]),
            (2, [0, 0, 1, 0]),
        ],
    ),
    ("searches, then updates, then searches", &[(5, [20, 0, 1, 0]), (6, [1, 0, 20, 0]), (5, [20, 0, 1, 0])]),
    ("everything", &[(16, [6, 1, 3, 1])]),
];

/// Filters, expected keys, rate, share of set bits, kind.
const SETS: [(usize, u64, f64, f64, Kind); 9] = [
    (40, 100, 0.05, 0.2, Kind::Intervals),
    (40, 2_000, 0.001, 0.5, Kind::Intervals),
    (300, 100, 0.05, 0.5, Kind::Intervals),
    (300, 2_000, 0.001, 0.03, Kind::Clustered),
    (3_000, 100, 0.05, 0.03, Kind::Intervals),
    (3_000, 2_000, 0.001, 0.3, Kind::Clustered),
    (3_000, 200, 0.02, 0.5, Kind::Drawn),
    (20_000, 100, 0.05, 0.5, Kind::Clustered),
    (20_000, 100, 0.05, 0.03, Kind::Drawn),
];

/// A row for each kind of run (the worst set of filters), one for the index that is told nothing, and all runs as a table.
pub fn measure(quick: bool) -> (Vec<Row>, String) {
    let mut table = String::from(
        "## The adaptive index in runs that its constants were not fitted to, ns per operation\n\n\
         | run | filters | bits | fill | sets | naive | tree | flat | sliced | told | to the best | untold | to the best |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let sets = if quick { &SETS[..4] } else { &SETS[..] };
    let mut cases: Vec<Case> = Vec::new();
    for &(count, keys, rate, fill, kind) in sets {
        // Half as many filters again, for those that are inserted.
        let data = Data::filled_to(FilterShape::for_rate(keys, rate), fill, count + count / 2, kind);
        for (name, phases) in RUNS {
            let case = Case::measure(name, phases, &data, count);
            let line = case.line(&format!("{count} | {} | {fill} | {}", data.shape.bits(), kind.name()));
            writeln!(table, "{line}").expect("a string takes all");
            cases.push(case);
        }
    }
    let mut rows = Vec::new();
    for (name, _) in RUNS {
        let of_run = cases.iter().filter(|case| case.name == name);
        let worst = of_run.max_by(|left, right| left.told_ratio().total_cmp(&right.told_ratio()));
        let worst = worst.expect("every run has cases");
        rows.push(
            worst.row(format!("adaptive index, held out, worst of {}: {name}", sets.len()), worst.told),
        );
    }
    let worst = cases.iter().max_by(|left, right| left.untold_ratio().total_cmp(&right.untold_ratio()));
    let worst = worst.expect("there are cases");
    let name =
        format!("adaptive index that is told nothing, held out, worst of {} ({})", cases.len(), worst.name);
    rows.push(worst.row(name, worst.untold));
    (rows, table)
}

/// One run of one set of filters; nanoseconds per operation.
#[derive(Debug)]
struct Case {
    name: &'static str,
    singles: [f64; SINGLE],
    told: f64,
    untold: f64,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Search(usize),
    Insert(u64, usize),
    Update(u64, usize),
    Delete(u64),
}

impl Case {
    fn measure(name: &'static str, phases: Phases, data: &Data, count: usize) -> Self {
        let start = Data { shape: data.shape, filters: data.filters[..count].to_vec(), keys: Vec::new() };
        let steps = steps(phases, count, data);
        let [searches, inserts, updates, deletes] = phases[0].1.map(|share| share as f64);
        let mix = Mix { searches, inserts, updates, deletes };
        let expected = Expected { sets: count, mix, ..Expected::default() };
        let mut case =
            Self { name, singles: [f64::INFINITY; SINGLE], told: f64::INFINITY, untold: f64::INFINITY };
        for _ in 0..ROUNDS {
            for (best, structure) in case.singles.iter_mut().zip(NAMES) {
                *best = best.min(run(&mut *filled(structure, &start), data, &steps));
            }
            let mut told = AdaptiveBloofi::expecting(data.shape, expected);
            super::sets::fill(&mut told, &start);
            case.told = case.told.min(run(&mut told, data, &steps));
            let mut untold = AdaptiveBloofi::new(data.shape);
            super::sets::fill(&mut untold, &start);
            case.untold = case.untold.min(run(&mut untold, data, &steps));
        }
        case
    }

    fn best(&self) -> (&'static str, f64) {
        let pairs = NAMES.into_iter().zip(self.singles);
        pairs.min_by(|left, right| left.1.total_cmp(&right.1)).expect("there are structures")
    }

    fn told_ratio(&self) -> f64 {
        self.told / self.best().1
    }

    fn untold_ratio(&self) -> f64 {
        self.untold / self.best().1
    }

    fn row(&self, name: String, ours: f64) -> Row {
        let (best_name, best) = self.best();
        Row::new(name, "ns per operation", ours, best_name, Ok(best), Some(RATIO_MAX))
    }

    fn line(&self, sets: &str) -> String {
        let singles = self.singles.map(|ns| format!("{ns:.0}")).join(" | ");
        format!(
            "| {} | {sets} | {singles} | {:.0} | {:.2} | {:.0} | {:.2} |",
            self.name,
            self.told,
            self.told_ratio(),
            self.untold,
            self.untold_ratio()
        )
    }
}

/// The operations of a run, the same for every structure.
fn steps(phases: Phases, count: usize, data: &Data) -> Vec<Step> {
    let random =
        |n: usize, end: usize| (::filter::KeyHash::of_u64(n as u64, 5).as_u64() % end as u64) as usize;
    let mut live: Vec<u64> = (0..count as u64).collect();
    let mut next_id = count as u64;
    let mut steps = Vec::with_capacity(OPERATIONS);
    for (sixteenths, shares) in phases {
        for _ in 0..OPERATIONS * sixteenths / 16 {
            let n = steps.len() * 4;
            let mut rest = random(n, shares.iter().sum::<u64>() as usize) as u64;
            let kind = shares.iter().position(|share| {
                let is_it = rest < *share;
                rest = rest.saturating_sub(*share);
                is_it
            });
            let place = random(n + 1, live.len().max(1));
            let filter = random(n + 2, data.filters.len());
            steps.push(match kind {
                Some(1) => {
                    live.push(next_id);
                    next_id += 1;
                    Step::Insert(next_id - 1, filter)
                }
                Some(2) => Step::Update(live[place], filter),
                // Half of them stay.
                Some(3) if live.len() > count / 2 => Step::Delete(live.swap_remove(place)),
                _ => Step::Search(random(n + 3, data.keys.len())),
            });
        }
    }
    steps
}

/// Nanoseconds of an operation.
fn run(index: &mut dyn FilterIndex, data: &Data, steps: &[Step]) -> f64 {
    const PROOF: &str = "ids are taken and free as the steps were made";
    let mut ids = Vec::with_capacity(1 << 12);
    let ((), ns) = timed(|| {
        for step in steps {
            match *step {
                Step::Search(key) => index.search(&data.keys[key], &mut ids),
                Step::Insert(id, filter) => index.insert(id, &data.filters[filter]).expect(PROOF),
                Step::Update(id, filter) => index.update(id, &data.filters[filter]).expect(PROOF),
                Step::Delete(id) => index.delete(id).expect(PROOF),
            }
        }
    });
    ns / steps.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_can_be_made_and_has_the_operations_that_it_says() {
        let data = Data::new(FilterShape::new(64, 2, 0), 60, 3, Kind::Intervals);
        for (name, phases) in RUNS {
            assert_eq!(phases.iter().map(|(sixteenths, _)| sixteenths).sum::<usize>(), 16, "{name}");
            let steps = steps(phases, 40, &data);
            let start = Data { shape: data.shape, filters: data.filters[..40].to_vec(), keys: Vec::new() };
            assert!(run(&mut *filled("naive", &start), &data, &steps) >= 0.0);
            let updates = steps.iter().filter(|step| matches!(step, Step::Update(..))).count();
            let expected: f64 = phases
                .iter()
                .map(|(sixteenths, shares)| {
                    *sixteenths as f64 / 16.0 * shares[2] as f64 / shares.iter().sum::<u64>() as f64
                })
                .sum();
            assert!((updates as f64 / OPERATIONS as f64 - expected).abs() < 0.03, "{name}: {updates}");
        }
    }
}
