//! The adaptive index against the best single structure, over the grid of numbers, fills and kinds of sets that its
//! constants were fitted to. [`super::held_out`] judges it elsewhere.

use std::fmt::Write as _;

use ::filter::index::{AdaptiveBloofi, FilterIndex};

use page::thousands;

use super::sets::{Data, Kind, NAMES, SINGLE, fill, filled, search_ns};
use crate::Row;
use crate::clock::time;

/// How much slower than the best structure the adaptive index may be.
const RATIO_MAX: f64 = 1.2;
/// Others work on this machine too: all structures of a case in turn, several times, and the best counts.
const ROUNDS: usize = 4;
const KINDS: [Kind; 2] = [Kind::Intervals, Kind::Clustered];

/// The worst case of the grid, and the whole grid as a Markdown table.
pub fn grid(counts: &[usize]) -> (Row, String) {
    let mut table = String::from(
        "## The adaptive index against the best structure, search ns\n\n\
         | filters | fill | sets | naive | tree | flat | sliced | adaptive | chosen | to the best |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut worst: Option<Case> = None;
    let mut cases = 0;
    for &count in counts {
        for (fill, kind) in [0.01, 0.1, 0.5].into_iter().flat_map(|fill| KINDS.map(|kind| (fill, kind))) {
            let case = Case::measure(count, fill, kind);
            writeln!(table, "{}", case.line()).expect("a string takes all");
            cases += 1;
            if worst.as_ref().is_none_or(|worst| case.ratio() > worst.ratio()) {
                worst = Some(case);
            }
        }
    }
    let worst = worst.expect("the grid is not empty");
    let name = format!(
        "adaptive index, worst of {cases} cases that its constants were fitted to ({} filters, {}, {} % of the bits set): search",
        thousands(worst.count as u64),
        worst.kind.name(),
        worst.fill * 100.0
    );
    let (best_name, best) = worst.best();
    (Row::new(name, "ns", worst.adaptive, best_name, Ok(best), Some(RATIO_MAX)), table)
}

/// One field of the grid.
#[derive(Debug)]
struct Case {
    count: usize,
    fill: f64,
    kind: Kind,
    singles: [f64; SINGLE],
    adaptive: f64,
    chosen: String,
}

impl Case {
    fn measure(count: usize, fill: f64, kind: Kind) -> Self {
        let data = Data::with_fill(fill, count, kind);
        let adaptive = adapted(&data);
        let indexes: Vec<Box<dyn FilterIndex>> =
            NAMES[..SINGLE].iter().map(|name| filled(name, &data)).collect();
        let (mut singles, mut own) = ([f64::INFINITY; SINGLE], f64::INFINITY);
        for _ in 0..ROUNDS {
            for (best, index) in singles.iter_mut().zip(&indexes) {
                *best = best.min(search_ns(&**index, &data.keys));
            }
            own = own.min(search_ns(&adaptive, &data.keys));
        }
        let chosen = format!("{:?}", adaptive.structure()).to_lowercase();
        Self { count, fill, kind, singles, adaptive: own, chosen }
    }

    /// The best single structure and its time.
    fn best(&self) -> (&'static str, f64) {
        let pairs = NAMES.into_iter().zip(self.singles);
        pairs.min_by(|left, right| left.1.total_cmp(&right.1)).expect("there are structures")
    }

    fn ratio(&self) -> f64 {
        self.adaptive / self.best().1
    }

    fn line(&self) -> String {
        let singles = self.singles.map(|ns| format!("{ns:.0}")).join(" | ");
        format!(
            "| {} | {} | {} | {singles} | {:.0} | {} | {:.2} |",
            self.count,
            self.fill,
            self.kind.name(),
            self.adaptive,
            self.chosen,
            self.ratio()
        )
    }
}

/// The adaptive index when updates outnumber searches, as a Markdown table.
pub fn mix() -> String {
    let mut table = String::from(
        "## By the mix of operations: 1000 filters, ns per operation\n\n\
         | fill | sets | updates per search | naive | tree | flat | sliced | adaptive | chosen |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (fill, kind) in [(0.5, Kind::Intervals), (0.01, Kind::Intervals), (0.1, Kind::Clustered)] {
        let data = Data::with_fill(fill, 1_000, kind);
        for updates in [0, 1, 10, 100] {
            let singles =
                NAMES[..SINGLE].iter().map(|name| mix_ns(&mut *filled(name, &data), &data, updates));
            let singles: Vec<String> = singles.map(|ns| format!("{ns:.0}")).collect();
            let mut adaptive = adapted(&data);
            // The first time it still adapts.
            mix_ns(&mut adaptive, &data, updates);
            let own = mix_ns(&mut adaptive, &data, updates);
            let sets = kind.name();
            writeln!(
                table,
                "| {fill} | {sets} | {updates} | {} | {own:.0} | {:?} |",
                singles.join(" | "),
                adaptive.structure()
            )
            .expect("a string takes all");
        }
    }
    table
}

fn adapted(data: &Data) -> AdaptiveBloofi {
    let mut adaptive = AdaptiveBloofi::new(data.shape);
    fill(&mut adaptive, data);
    adaptive
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_measured_by_its_best_structure() {
        let singles = [400.0, 90.0, 50.0, 100.0];
        let case = Case {
            count: 10,
            fill: 0.5,
            kind: Kind::Clustered,
            singles,
            adaptive: 55.0,
            chosen: "flat".into(),
        };
        assert_eq!(case.best(), ("flat", 50.0));
        assert_eq!(case.line(), "| 10 | 0.5 | clustered | 400 | 90 | 50 | 100 | 55 | flat | 1.10 |");
    }
}
