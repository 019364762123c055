//! The adaptive index in runs that are drawn by a seed: any number of filters, any shape, fill and mix of operations, with
//! drift. Nobody has looked at these runs while the index was made, so that they tell what a user may expect.
//!
//! A run is judged by its whole time beside that of the best single structure for this very run, which nobody knows
//! beforehand. In every second one the first filters are inserted before the clock starts. The index is measured three times.
//! *Told*: it knows how many filters there are at first, and how often each operation will come in the whole run, which is the
//! expectation that section 6.3 of the thesis has in mind. *Told of the first phase*: it knows the mix of that one alone, and
//! drift follows in three runs of four. *Untold*: it knows nothing.

use ::filter::index::{AdaptiveBloofi, Expected, FilterIndex, Mix};
use ::filter::{FilterShape, KeyHash};

use super::sets::{Data, Kind, NAMES, SINGLE, empty};
use crate::Row;
use crate::clock::timed;

/// How much slower than the best structure the adaptive index may be.
const RATIO_MAX: f64 = 1.3;
/// Where nobody gives a seed. Whoever changes the index after a look at these runs takes another one.
pub const SEED: u64 = 16_180;
const RUNS: (u64, u64) = (33, 200);

/// All structures of a case in turn, at least and at most so many times, and the best time of each counts: in between, as
/// many as it takes until the index ran so long. Everybody is the first of a round as often as the others: who comes after a
/// large one finds the caches and the memory of the process in another state, which is worth a tenth of a run.
const ROUNDS: (usize, usize) = (CONTENDERS, 6 * CONTENDERS);
const RUNNING_NS_MIN: f64 = 6e7;
/// A run that is near the goal, on whichever side, has as many rounds again, so many times: a disturbance of a few
/// milliseconds may have brought it there.
const REPEATED: usize = 2;
const NEAR: f64 = 1.15;
/// Who takes so many times as long as the slowest adaptive index, twice, is not the best one, and need not come to an end.
const GIVEN_UP: f64 = 2.0;
const GIVEN_UP_AFTER: usize = 2;
/// What the index knows.
const KNOWING: [&str; 3] = ["told what comes", "told the first phase", "told nothing"];
const TOLD: usize = 0;
const CONTENDERS: usize = KNOWING.len() + SINGLE;
/// Operations between two looks at the clock, which must not take a part of the time that is measured.
const STRETCH: usize = 1_024;
/// All filters of a case together have at most so many bits.
const BITS_MAX: u64 = 1 << 27;
const OPERATIONS: (f64, f64) = (2_000.0, 40_000.0);
const FILTERS: (f64, f64) = (10.0, 20_000.0);
const KEYS: (f64, f64) = (20.0, 3_000.0);
const RATES: (f64, f64) = (0.001, 0.1);

/// The worst run of the index that is told what comes, and of the one that is not; how many are over the goal; and all
/// runs as a table.
pub fn measure(seed: u64, quick: bool) -> (Vec<Row>, String) {
    let count = if quick { RUNS.0 } else { RUNS.1 };
    let mut table = String::from(
        "## The adaptive index in runs that were drawn, microseconds\n\n\
         | run | naive | tree | flat | sliced | told | to the best | first phase | to the best | untold | to the best |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut runs = Vec::new();
    for number in 0..count {
        let drawn = Drawn::new(seed, number);
        let times = drawn.measure();
        table += &times.line(&drawn.name);
        runs.push((drawn.name, times));
    }
    let mut rows = Vec::new();
    for (place, knows) in KNOWING.into_iter().enumerate() {
        let by_ratio = |left: &&(String, Times), right: &&(String, Times)| {
            left.1.ratio(place).total_cmp(&right.1.ratio(place))
        };
        let (name, worst) = runs.iter().max_by(by_ratio).expect("there are runs");
        let (best_name, best) = worst.best();
        rows.push(Row::new(
            format!("adaptive index, {knows}, worst of {count} drawn runs ({name})"),
            "µs of the run",
            worst.own[place] / 1e3,
            best_name,
            Ok(best / 1e3),
            Some(RATIO_MAX),
        ));
        let over = runs.iter().filter(|(_, times)| times.ratio(place) > RATIO_MAX).count();
        rows.push(Row::absolute(
            format!("adaptive index, {knows}, drawn runs over {RATIO_MAX} times the best structure"),
            "% of the runs",
            over as f64 * 100.0 / count as f64,
            0.0,
        ));
    }
    (rows, table)
}

/// One operation; filters and keys by their numbers in [`Data`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// For a key.
    Search(usize),
    /// Under an id.
    Insert(u64, usize),
    /// Of an id.
    Update(u64, usize),
    /// Of an id.
    Delete(u64),
}

/// A run that was drawn.
#[derive(Debug)]
pub struct Drawn {
    /// What there is at first, and what comes.
    pub data: Data,
    /// How many filters there are at first.
    pub count: usize,
    /// Whether the clock starts before they are inserted.
    pub is_filling_timed: bool,
    /// What happens then.
    pub steps: Vec<Step>,
    /// What the index may be told: the mix of the whole run, and that of the first phase.
    pub whole: Expected,
    /// See above.
    pub first: Expected,
    /// Everything in a line.
    pub name: String,
}

/// Times of a run, in nanoseconds.
#[derive(Debug)]
pub struct Times {
    /// Infinite for who was given up.
    pub singles: [f64; SINGLE],
    /// Of the index, by what it knows.
    pub own: [f64; KNOWING.len()],
}

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        (KeyHash::of_u64(self.0, 0xd1ce).as_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f64) as usize
    }

    /// Between two numbers, every factor as likely as any other.
    fn scale(&mut self, (low, high): (f64, f64)) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn is(&mut self, chance: f64) -> bool {
        self.unit() < chance
    }

    /// Weights of searches, inserts, updates and deletes.
    fn mix(&mut self) -> [f64; 4] {
        [0.8, 0.3, 0.7, 0.3].map(|chance| if self.is(chance) { self.scale((0.02, 5.0)) } else { 0.0 })
    }
}

impl Drawn {
    /// A run of this seed.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut dice = Dice(KeyHash::of_u64(number, seed).as_u64());
        let keys = dice.scale(KEYS) as u64;
        let shape = FilterShape::for_rate(keys, dice.scale(RATES));
        let count = (dice.scale(FILTERS) as u64).clamp(1, BITS_MAX / shape.bits()) as usize;
        let fill = if dice.is(0.5) { 0.5 } else { dice.scale((0.01, 0.5)) };
        let kind = [Kind::Intervals, Kind::Drawn, Kind::Clustered][dice.below(3)];
        let data = Data::filled_to(shape, fill, count + count.div_ceil(2), kind);
        let is_filling_timed = dice.is(0.5);
        let operations = dice.scale(OPERATIONS) as usize;
        let hits = [0.0, 0.5, 1.0][dice.below(3)];
        let phases: Vec<[f64; 4]> = (0..1 + dice.below(4)).map(|_| dice.mix()).collect();
        let steps = steps(&mut dice, &phases, operations, count, &data, hits);
        let expecting = |[searches, inserts, updates, deletes]: [f64; 4]| {
            let mix = Mix { searches, inserts, updates, deletes };
            Expected { sets: count, mix, ..Expected::default() }
        };
        let (whole, first) = (expecting(shares(&steps)), expecting(phases[0]));
        let mixes = phases.iter().map(|mix| mix.map(|share| format!("{share:.2}")).join("/"));
        let name = format!(
            "{count} filters of {} bits, k {}, {:.0} % full, {}, {:.0} % hits, {operations} steps{}: {}",
            shape.bits(),
            shape.probes(),
            fill * 100.0,
            kind.name(),
            hits * 100.0,
            if is_filling_timed { " and filling" } else { "" },
            mixes.collect::<Vec<_>>().join(", ")
        );
        Self { data, count, is_filling_timed, steps, whole, first, name }
    }

    /// Measures all structures.
    pub fn measure(&self) -> Times {
        let mut times = Times { singles: [f64::INFINITY; SINGLE], own: [f64::INFINITY; KNOWING.len()] };
        let mut given_up = [0; CONTENDERS];
        self.rounds(&mut times, &mut given_up);
        for _ in 0..REPEATED {
            if (0..KNOWING.len()).any(|place| times.ratio(place) > NEAR) {
                self.rounds(&mut times, &mut given_up);
            }
        }
        times
    }

    /// All structures in turn, some times.
    fn rounds(&self, times: &mut Times, given_up: &mut [usize; CONTENDERS]) {
        let mut running_ns = 0.0;
        for round in 0..ROUNDS.1 {
            if round >= ROUNDS.0 && running_ns > RUNNING_NS_MIN {
                break;
            }
            for place in (0..CONTENDERS).map(|place| (place + round) % CONTENDERS) {
                if given_up[place] == GIVEN_UP_AFTER {
                    continue;
                }
                let is_own = place < KNOWING.len();
                let ns_max = if is_own { f64::INFINITY } else { times.given_up() };
                let ns = self.run(&mut *self.empty(place), ns_max);
                given_up[place] += usize::from(ns.is_infinite());
                running_ns += if place == TOLD { ns } else { 0.0 };
                let time =
                    if is_own { &mut times.own[place] } else { &mut times.singles[place - KNOWING.len()] };
                *time = time.min(ns);
            }
        }
    }

    /// An index without filters: the adaptive one by what it knows, then the others.
    pub fn empty(&self, place: usize) -> Box<dyn FilterIndex> {
        let shape = self.data.shape;
        match place {
            TOLD => Box::new(AdaptiveBloofi::expecting(shape, self.whole)),
            1 => Box::new(AdaptiveBloofi::expecting(shape, self.first)),
            2 => Box::new(AdaptiveBloofi::new(shape)),
            _ => empty(NAMES[place - KNOWING.len()], shape),
        }
    }

    /// Nanoseconds of the whole run, or infinity if they are more than the limit.
    pub fn run(&self, index: &mut dyn FilterIndex, ns_max: f64) -> f64 {
        let filling: Vec<Step> = (0..self.count).map(|n| Step::Insert(n as u64, n)).collect();
        let mut ids = Vec::with_capacity(1 << 12);
        let mut ns = 0.0;
        if self.is_filling_timed {
            ns += self.run_steps(index, &filling, &mut ids, ns_max);
        } else {
            filling.iter().for_each(|step| self.step(index, *step, &mut ids));
        }
        if ns.is_infinite() {
            return ns;
        }
        ns + self.run_steps(index, &self.steps, &mut ids, ns_max - ns)
    }

    fn run_steps(&self, index: &mut dyn FilterIndex, steps: &[Step], ids: &mut Vec<u64>, ns_max: f64) -> f64 {
        let mut ns = 0.0;
        for stretch in steps.chunks(STRETCH) {
            ns += timed(|| stretch.iter().for_each(|step| self.step(index, *step, ids))).1;
            if ns > ns_max {
                return f64::INFINITY;
            }
        }
        ns
    }

    /// Does one operation.
    #[inline]
    pub fn step(&self, index: &mut dyn FilterIndex, step: Step, ids: &mut Vec<u64>) {
        const PROOF: &str = "ids are taken and free as the steps were made";
        match step {
            Step::Search(key) => index.search(&self.data.keys[key], ids),
            Step::Insert(id, filter) => index.insert(id, &self.data.filters[filter]).expect(PROOF),
            Step::Update(id, filter) => index.update(id, &self.data.filters[filter]).expect(PROOF),
            Step::Delete(id) => index.delete(id).expect(PROOF),
        }
    }
}

impl Times {
    /// The best single structure and its time. If all were given up, it takes at least so long.
    pub fn best(&self) -> (&'static str, f64) {
        let pairs = NAMES.into_iter().zip(self.singles);
        let (name, ns) =
            pairs.min_by(|left, right| left.1.total_cmp(&right.1)).expect("there are structures");
        (name, ns.min(self.given_up()))
    }

    /// Who takes longer is given up.
    fn given_up(&self) -> f64 {
        GIVEN_UP * self.own.into_iter().fold(0.0, f64::max)
    }

    /// Beside the best structure, by what the index knows.
    pub fn ratio(&self, place: usize) -> f64 {
        self.own[place] / self.best().1
    }

    fn line(&self, name: &str) -> String {
        let us = |ns: f64| if ns.is_finite() { format!("{:.0}", ns / 1e3) } else { "–".into() };
        let singles = self.singles.map(us).join(" | ");
        let own =
            (0..KNOWING.len()).map(|place| format!("{} | {:.2}", us(self.own[place]), self.ratio(place)));
        format!("| {name} | {singles} | {} |\n", own.collect::<Vec<_>>().join(" | "))
    }
}

/// How many steps search, insert, update and delete.
fn shares(steps: &[Step]) -> [f64; 4] {
    let mut shares = [0.0; 4];
    for step in steps {
        shares[match step {
            Step::Search(_) => 0,
            Step::Insert(..) => 1,
            Step::Update(..) => 2,
            Step::Delete(_) => 3,
        }] += 1.0;
    }
    shares
}

/// The operations of a run, the same for every structure: the phases one after the other, of equal length.
fn steps(
    dice: &mut Dice,
    phases: &[[f64; 4]],
    operations: usize,
    count: usize,
    data: &Data,
    hits: f64,
) -> Vec<Step> {
    let mut live: Vec<u64> = (0..count as u64).collect();
    let mut next_id = count as u64;
    let filters_max = (BITS_MAX / data.shape.bits()) as usize * 2;
    let step_of = |n: usize| {
        let shares = phases[n * phases.len() / operations];
        let mut rest = dice.unit() * shares.iter().sum::<f64>();
        let kind = shares.iter().position(|share| {
            rest -= share;
            rest < 0.0
        });
        let filter = dice.below(data.filters.len());
        match kind {
            Some(1) if live.len() < filters_max => {
                live.push(next_id);
                next_id += 1;
                Step::Insert(next_id - 1, filter)
            }
            Some(2) if !live.is_empty() => Step::Update(live[dice.below(live.len())], filter),
            Some(3) if live.len() > count / 8 => {
                let place = dice.below(live.len());
                Step::Delete(live.swap_remove(place))
            }
            // Every second key is in one of the filters.
            _ => Step::Search(dice.below(data.keys.len() / 2) * 2 + usize::from(!dice.is(hits))),
        }
    };
    (0..operations).map(step_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_run_again_and_every_structure_can_make_it() {
        let mut seen = [0.0; 4];
        for number in 0..12 {
            let drawn = Drawn::new(1, number);
            assert_eq!(drawn.steps, Drawn::new(1, number).steps);
            assert_ne!(drawn.steps, Drawn::new(2, number).steps);
            seen.iter_mut().zip(shares(&drawn.steps)).for_each(|(seen, count)| *seen += count);
            if drawn.count * drawn.steps.len() < 1 << 20 {
                let times = NAMES.map(|name| drawn.run(&mut *empty(name, drawn.data.shape), f64::INFINITY));
                assert!(times.iter().all(|ns| ns.is_finite()), "{}: {times:?}", drawn.name);
            }
        }
        assert!(seen.iter().all(|steps| *steps > 1_000.0), "{seen:?}");
    }
}
