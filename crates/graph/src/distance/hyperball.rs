//! HyperBall: distances in graphs that are too large for a search from every node.
//!
//! Several runs ([`Run`]) with different hash functions are averaged, what they have in common is corrected by a few exact
//! searches ([`Calibration`]), and the errors of the results are estimated from how much they change when a run or some of
//! the searches are left out (the jackknife).
//!
//! Cost: see [`Run`]; on cnr-2000 a run with 64 registers takes 0.6 s, the exact searches 0.2 s.

use super::balls::{Grown, Run};
use super::broadword::Broadword;
use super::calibration::Calibration;
use super::counter::{Bytes, Counter, Planes, mix};
use super::distances::{DistanceErrors, Distances};
use super::jackknife::{Jackknife, Tracks};
use super::measured::Measured;
use crate::link_graph::in_memory;
use crate::{LinkGraph, RankMemory, RankMode, Watcher};

/// How registers lie in memory. All give the same answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegisterForm {
    /// A byte each: fast.
    #[default]
    Bytes,
    /// Five bits each: 3/8 less memory, half as fast. Counters with less than 64 registers are kept as bytes all the same.
    Packed,
    /// Six bits each, side by side, the maximum by subtraction: an eighth less memory.
    Broadword,
}

/// How to estimate distances.
///
/// ```
/// use graph::{Csr, HyperBall};
/// let ring = Csr::from_arcs(1000, (0..1000).map(|node| (node, (node + 1) % 1000)));
/// let distances = HyperBall { log2_registers: 8, ..HyperBall::default() }.of(&ring);
/// let (found, error) = (distances.neighbourhood.average_distance().unwrap(), distances.errors.average_distance);
/// assert!((found - 500.0).abs() < 4.0 * error.max(1.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HyperBall {
    /// The logarithm of the number of registers of a counter, 4 to 12. One run without calibration is off by about
    /// 1.04 / √registers.
    pub log2_registers: u32,
    /// How they are kept.
    pub form: RegisterForm,
    /// How many runs are averaged; at least one.
    pub runs: usize,
    /// Decides the hash functions and the nodes of the calibration: the same seed gives the same numbers.
    pub seed: u64,
    /// On how many nodes the estimates are calibrated. Zero leaves them as they are.
    pub calibration_nodes: usize,
    /// How many runs go on at once, each with its own counters.
    pub threads: usize,
    /// Decides whether the graph is unpacked.
    pub memory: RankMemory,
}

impl Default for HyperBall {
    fn default() -> Self {
        Self {
            log2_registers: 6,
            form: RegisterForm::Bytes,
            runs: 5,
            seed: 0,
            calibration_nodes: 128,
            threads: 1,
            memory: RankMemory::default(),
        }
    }
}

impl HyperBall {
    /// Estimates the distances to all nodes. The transpose, which calibration needs, is made in memory for as long.
    ///
    /// # Panics
    ///
    /// If the logarithm of the number of registers is not between 4 and 12.
    pub fn of(&self, graph: &dyn LinkGraph) -> Distances {
        self.watched(graph, &())
    }

    /// The same, while somebody looks.
    pub fn watched(&self, graph: &dyn LinkGraph, watcher: &dyn Watcher) -> Distances {
        if self.calibration_nodes == 0 {
            // Nobody searches backwards.
            return self.with_transpose(graph, graph, watcher);
        }
        let measured = self.measure(&in_memory(graph).transpose(), watcher);
        self.estimate(graph, measured, watcher)
    }

    /// The same, for whoever has the transpose: then nothing is unpacked that does not fit into the budget.
    pub fn with_transpose(
        &self,
        graph: &dyn LinkGraph,
        transpose: &dyn LinkGraph,
        watcher: &dyn Watcher,
    ) -> Distances {
        self.estimate(graph, self.measure(transpose, watcher), watcher)
    }

    fn measure(&self, transpose: &dyn LinkGraph, watcher: &dyn Watcher) -> Measured {
        Measured::choose(transpose, self.calibration_nodes, self.seed, watcher)
    }

    fn estimate(&self, graph: &dyn LinkGraph, measured: Measured, watcher: &dyn Watcher) -> Distances {
        let (within, mode) = self.within_budget(graph);
        match mode {
            RankMode::InMemory => within.average(&*in_memory(graph), measured, watcher),
            RankMode::Streamed => within.average(graph, measured, watcher),
        }
    }

    /// The same estimate in a budget: streamed if need be, then with fewer runs at once, then with packed registers. None of
    /// this changes the numbers. Less than the counters of one run cannot be.
    fn within_budget(&self, graph: &dyn LinkGraph) -> (Self, RankMode) {
        let nodes = graph.nodes() as u64;
        let threads = self.threads.clamp(1, self.runs.max(1));
        let mut fewer = (1..=threads).rev().map(|threads| Self { threads, ..*self });
        let packed = Self { threads: 1, form: RegisterForm::Packed, ..*self };
        if self.memory.plan(graph, self.bytes_per_node()) == RankMode::InMemory {
            return (Self { threads, ..*self }, RankMode::InMemory);
        }
        let fits = |plan: &Self| plan.bytes_per_node() * nodes <= self.memory.bytes_max;
        (fewer.find(fits).unwrap_or(packed), RankMode::Streamed)
    }

    /// Two counters and what else a run keeps, times the runs that go on at once; and the sums over runs.
    pub fn bytes_per_node(&self) -> u64 {
        let registers = 1u64 << self.log2_registers;
        let counter = match self.form {
            RegisterForm::Packed if self.log2_registers >= 6 => registers * 5 / 8,
            RegisterForm::Broadword => 8 * registers.div_ceil(10),
            _ => registers,
        };
        let of_run = 2 * counter + 38;
        of_run * self.threads.clamp(1, self.runs.max(1)) as u64 + 32
    }

    fn average(&self, graph: &dyn LinkGraph, measured: Measured, watcher: &dyn Watcher) -> Distances {
        let mut means = Means::new(graph.nodes());
        let mut tracks = Tracks::new(measured.balls());
        let runs = self.runs.max(1);
        for first in (0..runs).step_by(self.threads.max(1)) {
            let at_once = first..runs.min(first + self.threads.max(1));
            let grow = |run: usize, watcher: &dyn Watcher| {
                let seed = mix(self.seed.wrapping_add(mix(run as u64)));
                self.grow(&Run { graph, seed, traced: &measured.nodes, watcher })
            };
            let grown: Vec<Grown> = std::thread::scope(|scope| {
                let grow = &grow;
                // Only the first one reports, so that the watcher is called from one thread.
                let others = at_once.clone().skip(1).map(|run| scope.spawn(move || grow(run, &())));
                let others: Vec<_> = others.collect();
                let mut grown = vec![grow(at_once.start, watcher)];
                grown.extend(others.into_iter().map(|other| other.join().expect("a run does not panic")));
                grown
            });
            for run in grown {
                means.add(&run);
                tracks.add(run.pairs, run.traced);
            }
        }
        let nodes = &measured.nodes;
        let harmonic = calibrate(&mut means.harmonic, nodes, &measured.sums(|distance| 1.0 / distance));
        calibrate(&mut means.distance_sum, nodes, &measured.sums(|distance| distance));
        let others = measured.sums(|_| 1.0).into_iter().map(|others| others + 1.0).collect::<Vec<_>>();
        calibrate(&mut means.reaching, nodes, &others);
        let Jackknife { average_distance, effective_diameter, reachable_pairs } = tracks.errors();
        Distances {
            neighbourhood: tracks.neighbourhood(),
            errors: DistanceErrors {
                harmonic: harmonic
                    .unwrap_or_else(|| means.spread(1.04 / f64::from(1u32 << self.log2_registers).sqrt())),
                average_distance,
                effective_diameter,
                reachable_pairs,
            },
            harmonic: means.harmonic,
            distance_sum: means.distance_sum,
            reaching: means.reaching,
        }
    }

    fn grow(&self, run: &Run) -> Grown {
        match self.log2_registers {
            4 => grow_in::<Bytes<16>, Bytes<16>, Broadword<16, 2>>(run, self.form),
            5 => grow_in::<Bytes<32>, Bytes<32>, Broadword<32, 4>>(run, self.form),
            6 => grow_in::<Bytes<64>, Planes<1>, Broadword<64, 7>>(run, self.form),
            7 => grow_in::<Bytes<128>, Planes<2>, Broadword<128, 13>>(run, self.form),
            8 => grow_in::<Bytes<256>, Planes<4>, Broadword<256, 26>>(run, self.form),
            9 => grow_in::<Bytes<512>, Planes<8>, Broadword<512, 52>>(run, self.form),
            10 => grow_in::<Bytes<1024>, Planes<16>, Broadword<1024, 103>>(run, self.form),
            11 => grow_in::<Bytes<2048>, Planes<32>, Broadword<2048, 205>>(run, self.form),
            12 => grow_in::<Bytes<4096>, Planes<64>, Broadword<4096, 410>>(run, self.form),
            other => panic!("there are counters with 2⁴ to 2¹² registers, not with 2^{other}"),
        }
    }
}

fn grow_in<Fast: Counter, Small: Counter, Usual: Counter>(run: &Run, form: RegisterForm) -> Grown {
    match form {
        RegisterForm::Bytes => run.grow::<Fast>(),
        RegisterForm::Packed => run.grow::<Small>(),
        RegisterForm::Broadword => run.grow::<Usual>(),
    }
}

/// Corrects estimates by the truths of some nodes, which are put in their place. Returns the error that is left.
fn calibrate(estimates: &mut [f64], nodes: &[u32], truths: &[f64]) -> Option<f64> {
    let calibration =
        Calibration::new(nodes.iter().map(|node| estimates[*node as usize]).zip(truths.iter().copied()));
    estimates.iter_mut().for_each(|estimate| *estimate = calibration.correct(*estimate));
    for (node, truth) in nodes.iter().zip(truths) {
        estimates[*node as usize] = *truth;
    }
    calibration.error()
}

/// Means over the runs so far.
struct Means {
    runs: f64,
    harmonic: Vec<f64>,
    /// Sums of squared differences from the mean.
    harmonic_squares: Vec<f64>,
    distance_sum: Vec<f64>,
    reaching: Vec<f64>,
}

impl Means {
    fn new(nodes: usize) -> Self {
        let zeros = || vec![0.0; nodes];
        Self {
            runs: 0.0,
            harmonic: zeros(),
            harmonic_squares: zeros(),
            distance_sum: zeros(),
            reaching: zeros(),
        }
    }

    fn add(&mut self, run: &Grown) {
        self.runs += 1.0;
        for ((mean, squares), value) in
            self.harmonic.iter_mut().zip(&mut self.harmonic_squares).zip(&run.harmonic)
        {
            let before = *mean;
            *mean += (value - before) / self.runs;
            *squares += (value - before) * (value - *mean);
        }
        for (means, values) in
            [(&mut self.distance_sum, &run.distance_sum), (&mut self.reaching, &run.reaching)]
        {
            means.iter_mut().zip(values).for_each(|(mean, value)| *mean += (value - *mean) / self.runs);
        }
    }

    /// The relative standard error of harmonic centrality, from how runs differ; from theory if there is only one.
    fn spread(&self, of_one_run: f64) -> f64 {
        if self.runs < 2.0 {
            return of_one_run;
        }
        let of_mean = (self.runs - 1.0) * self.runs;
        let parts = self.harmonic.iter().zip(&self.harmonic_squares).filter(|(mean, _)| **mean > 0.0);
        let (sum, count) = parts.fold((0.0, 0.0), |(sum, count), (mean, squares)| {
            (sum + squares / of_mean / (mean * mean), count + 1.0)
        });
        if count > 0.0 { (sum / count).sqrt() } else { 0.0 }
    }
}

#[cfg(test)]
#[path = "hyperball_tests.rs"]
mod tests;
