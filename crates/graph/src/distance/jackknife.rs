//! The neighbourhood function of several runs, and how far it can be trusted.
//!
//! The function is the mean over runs, corrected at each radius by the ratio of the true to the estimated sizes of the balls
//! that are known exactly. To see how much of the result is chance, it is computed again without each of the runs, and
//! without each of eight parts of the known balls. If leaving one of k parts out gives the values v, the variance of the
//! whole is (k − 1)/k · Σ (v − mean of v)².
//!
//! After Efron and Stein, "The jackknife estimate of variance" (1981).

use super::neighbourhood::Neighbourhood;

/// Of a run: pairs within each radius, and the balls of the nodes that are traced.
type Track = (Vec<f64>, Vec<Vec<f64>>);

/// Into how many parts the known balls are divided.
const PARTS: usize = 8;

/// Runs beside what is known exactly; one entry for each radius.
pub(crate) struct Tracks {
    /// True sizes of the known balls.
    known: Vec<Vec<f64>>,
    /// Pairs and estimated sizes of the known balls, of each run.
    runs: Vec<Track>,
}

/// Standard errors.
pub(crate) struct Jackknife {
    pub average_distance: f64,
    pub effective_diameter: f64,
    /// As a part of their number.
    pub reachable_pairs: f64,
}

/// What is left out.
#[derive(Clone, Copy, PartialEq)]
enum Without {
    Nothing,
    Run(usize),
    Part(usize),
}

impl Tracks {
    pub fn new(known: Vec<Vec<f64>>) -> Self {
        Self { known, runs: Vec::new() }
    }

    pub fn add(&mut self, pairs: Vec<f64>, balls: Vec<Vec<f64>>) {
        self.runs.push((pairs, balls));
    }

    pub fn neighbourhood(&self) -> Neighbourhood {
        self.compute(Without::Nothing)
    }

    pub fn errors(&self) -> Jackknife {
        let runs: Vec<_> = (0..self.runs.len()).map(|run| self.compute(Without::Run(run))).collect();
        let parts: Vec<_> = (0..PARTS).map(|part| self.compute(Without::Part(part))).collect();
        let error = |of: &dyn Fn(&Neighbourhood) -> f64| {
            let variance = [&runs, &parts].map(|group| {
                let values: Vec<f64> = group.iter().map(of).collect();
                let count = values.len() as f64;
                let mean = values.iter().sum::<f64>() / count;
                values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() * (count - 1.0) / count
            });
            variance.iter().sum::<f64>().sqrt()
        };
        let pairs = self.neighbourhood().reachable_pairs().max(1.0);
        Jackknife {
            average_distance: error(&|function| function.average_distance().unwrap_or(0.0)),
            effective_diameter: error(&|function| function.effective_diameter(0.9)),
            reachable_pairs: error(&|function| function.reachable_pairs()) / pairs,
        }
    }

    fn compute(&self, without: Without) -> Neighbourhood {
        // The only run cannot be left out: then the runs tell nothing about chance.
        let is_in = |run: &usize| without != Without::Run(*run) || self.runs.len() == 1;
        let runs: Vec<_> = (0..self.runs.len()).filter(is_in).map(|run| &self.runs[run]).collect();
        let longest = runs.iter().map(|(pairs, _)| pairs.len()).chain([self.known.len()]).max().unwrap_or(0);
        let mut highest = 0.0f64;
        let function = (0..longest).map(|radius| {
            let mean =
                |of: &dyn Fn(&Track) -> f64| runs.iter().map(|run| of(run)).sum::<f64>() / runs.len() as f64;
            let known = self.sum(&self.known, radius, without);
            let estimated = mean(&|(_, balls)| self.sum(balls, radius, without));
            let factor = if known > 0.0 && estimated > 0.0 { known / estimated } else { 1.0 };
            highest = highest.max(factor * mean(&|(pairs, _)| at(pairs, radius).copied().unwrap_or(0.0)));
            highest
        });
        let mut pairs: Vec<f64> = function.collect();
        // Radii at which nothing was added any more are not part of the function.
        let end = pairs.partition_point(|pairs| *pairs < highest);
        pairs.truncate(end + 1);
        Neighbourhood { pairs }
    }

    /// The sizes of the known balls of a radius, added up.
    fn sum(&self, balls: &[Vec<f64>], radius: usize, without: Without) -> f64 {
        let sizes = at(balls, radius).map_or(&[][..], |sizes| sizes);
        let is_in = |(place, _): &(usize, &f64)| without != Without::Part(place % PARTS);
        sizes.iter().enumerate().filter(is_in).map(|(_, size)| size).sum()
    }
}

/// What does not grow any more stays as it was.
fn at<T>(by_radius: &[T], radius: usize) -> Option<&T> {
    by_radius.get(radius).or(by_radius.last())
}
