//! Spreading rank along arcs until almost nothing is left to spread.
//!
//! We look for x = v + α·Pᵀx, where v is the preference and P moves from a page to each of its targets in equal or weighted
//! parts. Each node has a score and a residual: what has arrived but was not passed on yet. To relax a node is to add its
//! residual to its score and to hand the fraction α of it to its targets. What is missing from the scores is never more
//! than the sum of all residuals divided by 1 − α, because each bit of residual is passed on α of a time at most. So the
//! sum is a bound of the error that needs no second vector, and it is exact where no page is a dead end.
//!
//! A sweep relaxes the nodes in order, and later nodes see what earlier ones have just handed on. That is the Gauss–Seidel
//! method, column by column: it needs about half as many sweeps as power iteration (43 instead of 72 on cnr-2000), and,
//! unlike its usual form row by row, it reads the lists of successors, in order. So the same code runs on a graph in
//! memory and on one that is decompressed while it is scanned, and the transpose is not needed for either.
//!
//! Nodes with little residual, compared with the mean, wait for a later sweep: half of the arcs are never touched.
//!
//! Cost: two numbers (16 bytes) a node; a sweep costs about 1.1 ns an arc in memory.
//!
//! The residuals are those of Berkhin, "Bookmark-coloring approach to personalized PageRank computing" (2006), and of
//! Andersen, Chung, Lang, "Local graph partitioning using PageRank vectors" (2006). The order of a sweep is ours.

/// A node whose residual is below this part of the mean waits.
const WAITS_BELOW: f64 = 0.25;

/// In lists up to this length a loop is looked for. In longer ones its part is so small that it may take sweeps to fade.
const LOOP_LIST_MAX: usize = 16;

/// Scores that grow towards the solution, and what is still to be spread.
pub(crate) struct Relaxation {
    damping: f64,
    score: Vec<f64>,
    residual: Vec<f64>,
    score_sum: f64,
    /// Residuals up to this one wait.
    threshold: f64,
}

impl Relaxation {
    /// Nothing is spread yet: all of `preference` (not negative, sum 1) is residual.
    pub fn new(damping: f64, preference: Vec<f64>) -> Self {
        Self {
            damping,
            score: vec![0.0; preference.len()],
            residual: preference,
            score_sum: 0.0,
            threshold: 0.0,
        }
    }

    /// Hands on the residual of a node in equal parts.
    #[inline]
    pub fn relax(&mut self, node: u32, targets: &[u32]) {
        let mut mass = self.residual[node as usize];
        if mass <= self.threshold {
            return;
        }
        self.residual[node as usize] = 0.0;
        let part = if targets.is_empty() { 0.0 } else { self.damping / targets.len() as f64 };
        // What a page gives to itself comes back at once, a part of it again, and so on: a geometric series.
        let is_loop = targets.len() <= LOOP_LIST_MAX && targets.contains(&node);
        if is_loop {
            mass /= 1.0 - part;
        }
        self.absorb(node, mass);
        for target in targets {
            self.residual[*target as usize] += part * mass;
        }
        if is_loop {
            self.residual[node as usize] = 0.0;
        }
    }

    /// Hands on the residual of a node in parts that are in proportion to `weights`.
    pub fn relax_weighted(&mut self, node: u32, targets: &[u32], weights: &[u32]) {
        let mut mass = self.residual[node as usize];
        if mass <= self.threshold {
            return;
        }
        self.residual[node as usize] = 0.0;
        let total = weights.iter().map(|weight| f64::from(*weight)).sum::<f64>();
        let part = if total > 0.0 { self.damping / total } else { 0.0 };
        let own_weight = targets.binary_search(&node).map_or(0, |place| weights[place]);
        mass /= 1.0 - part * f64::from(own_weight);
        self.absorb(node, mass);
        for (target, weight) in targets.iter().zip(weights) {
            self.residual[*target as usize] += part * f64::from(*weight) * mass;
        }
        if own_weight > 0 {
            self.residual[node as usize] = 0.0;
        }
    }

    fn absorb(&mut self, node: u32, mass: f64) {
        self.score[node as usize] += mass;
        self.score_sum += mass;
    }

    /// Ends a sweep. Returns a bound of the L1 distance between the scores and the solution, in parts of their sum.
    pub fn end_sweep(&mut self) -> f64 {
        let left = sum(&self.residual);
        self.threshold = WAITS_BELOW * left / self.residual.len().max(1) as f64;
        left / (1.0 - self.damping) / self.score_sum.max(f64::MIN_POSITIVE)
    }

    /// The scores, not scaled.
    pub fn into_scores(self) -> Vec<f64> {
        self.score
    }
}

/// The sum, in eight lanes: one after the other the additions would wait for each other.
pub(crate) fn sum(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().chain(rest).sum()
}
