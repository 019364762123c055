//! Compresses a stretch of consecutive lists, in memory.
//!
//! There are two ways to choose references: the greedy one of the first paper, which gives published graphs byte for byte,
//! and a plan for many lists at once ([`References`]).

use std::ops::AddAssign;

use super::list_code::{Bits, Length, ListCode};
use super::references::{NEVER, References};
use crate::bit_buffer::BitBuffer;

/// How a graph is compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BvOptions {
    /// How many nodes back a list may copy from.
    pub window: usize,
    /// How long a chain of copies may be: what random access costs at most.
    pub reference_chain_max: usize,
    /// From how many consecutive targets on they are an interval; zero for never.
    pub min_interval: usize,
    /// π₂ instead of ζ₃ for residuals. Smaller, but other tools must know version 1 of the format.
    pub use_pi_codes: bool,
    /// Look for the best references instead of the next best ones.
    pub plan_references: bool,
    /// After how many arcs a new stretch begins that can be compressed by another thread. Nothing is copied across.
    /// The bytes depend on this and not on the number of threads.
    pub stretch_arcs: usize,
}

impl BvOptions {
    /// What published graphs use: window 7, chains of 3, intervals from 4, ζ₃. Every tool can read it.
    pub fn standard() -> Self {
        Self {
            window: 7,
            reference_chain_max: 3,
            min_interval: 4,
            use_pi_codes: false,
            plan_references: false,
            stretch_arcs: 4 << 20,
        }
    }

    /// Some 4 % smaller for thrice the time, at the same cost of access: window 16, intervals from 2, planned references,
    /// π₂. Read by this crate and by WebGraph in Rust; not by WebGraph in Java.
    pub fn optimised() -> Self {
        Self { window: 16, min_interval: 2, use_pi_codes: true, plan_references: true, ..Self::standard() }
    }
}

/// Consecutive lists.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    pub(super) first_node: usize,
    /// Where each list ends among the targets.
    pub(super) ends: Vec<u32>,
    pub(super) targets: Vec<u32>,
}

impl Stretch {
    fn list(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.targets[start as usize..self.ends[place] as usize]
    }
}

/// What was written of some lists.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BvStats {
    pub(super) nodes: usize,
    pub(super) arcs: u64,
    pub(super) bits: u64,
    /// The sum of all chains of copies.
    pub(super) chains: u64,
    /// The sum of all distances to the list that is copied from.
    pub(super) distances: u64,
}

impl AddAssign for BvStats {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.arcs += other.arcs;
        self.bits += other.bits;
        self.chains += other.chains;
        self.distances += other.distances;
    }
}

/// What became of a stretch.
pub(super) struct Compressed {
    pub(super) lists: BitBuffer,
    /// γ codes of the length of each list.
    pub(super) lengths: BitBuffer,
    pub(super) stats: BvStats,
}

/// How many lists are planned together.
const PLANNED_LISTS: usize = 10_000;

/// Compresses a stretch.
pub(super) fn compress(stretch: &Stretch, options: &BvOptions) -> Compressed {
    match options.use_pi_codes {
        true => Encoder::<true>::new(stretch, options).run(),
        false => Encoder::<false>::new(stretch, options).run(),
    }
}

/// Compresses one stretch; residuals in π₂ or in ζ₃.
struct Encoder<'a, const PI: bool> {
    stretch: &'a Stretch,
    options: &'a BvOptions,
    bits: Bits<PI>,
    lengths: BitBuffer,
    stats: BvStats,
    /// The length of the chain that ends in each of the last lists.
    chains: Vec<usize>,
}

impl<'a, const PI: bool> Encoder<'a, PI> {
    fn new(stretch: &'a Stretch, options: &'a BvOptions) -> Self {
        let (bits, lengths) = (Bits::default(), BitBuffer::default());
        let chains = vec![0; options.window + 1];
        Self { stretch, options, bits, lengths, stats: BvStats::default(), chains }
    }

    fn run(mut self) -> Compressed {
        if self.options.plan_references && self.options.window > 0 {
            self.plan();
        } else {
            self.choose_greedily();
        }
        Compressed { lists: self.bits.0, lengths: self.lengths, stats: self.stats }
    }

    /// Each list copies from the one that is best for it, of those whose chains may still grow.
    fn choose_greedily(&mut self) {
        let (mut best, mut other) = (ListCode::default(), ListCode::default());
        for place in 0..self.stretch.ends.len() {
            let (mut back, mut bits) = (0, self.try_reference(&mut best, place, 0));
            for tried in 1..=self.options.window.min(place) {
                let may_grow = self.chain(place - tried) < self.options.reference_chain_max;
                if !may_grow || self.stretch.list(place - tried).is_empty() {
                    continue;
                }
                let tried_bits = self.try_reference(&mut other, place, tried);
                // Of equal ones the nearest.
                if tried_bits < bits {
                    (back, bits) = (tried, tried_bits);
                    std::mem::swap(&mut best, &mut other);
                }
            }
            self.put(&best, place, back);
        }
    }

    /// References are chosen for many lists together.
    fn plan(&mut self) {
        let mut code = ListCode::default();
        let mut references = References::new(self.options.window);
        let count = self.stretch.ends.len();
        for start in (0..count).step_by(PLANNED_LISTS) {
            let end = count.min(start + PLANNED_LISTS);
            references.clear();
            for place in start..end {
                let cost = |back: usize| match back {
                    1.. if self.stretch.list(place - back).is_empty() => NEVER,
                    _ => self.try_reference(&mut code, place, back),
                };
                references.push((0..=self.options.window.min(place - start)).map(cost));
            }
            references.bound_chains(self.options.reference_chain_max);
            for (place, back) in (start..end).zip(references.chosen()) {
                code.set(self.stretch.list(place), self.referred(place, *back), self.options.min_interval);
                self.put(&code, place, *back);
            }
        }
    }

    fn referred(&self, place: usize, back: usize) -> &'a [u32] {
        if back == 0 { &[] } else { self.stretch.list(place - back) }
    }

    /// The bits of a list that copies from the one so far back.
    fn try_reference(&self, code: &mut ListCode, place: usize, back: usize) -> u64 {
        code.set(self.stretch.list(place), self.referred(place, back), self.options.min_interval);
        if back > 0 && !code.copies() {
            return NEVER;
        }
        let mut length = Length::<PI>::default();
        code.put(self.node(place), self.reference(back), self.options.min_interval, &mut length);
        length.0
    }

    fn put(&mut self, code: &ListCode, place: usize, back: usize) {
        let before = self.bits.0.len();
        code.put(self.node(place), self.reference(back), self.options.min_interval, &mut self.bits);
        let bits = self.bits.0.len() - before;
        self.lengths.put_gamma(bits);
        let chain = if back == 0 { 0 } else { self.chain(place - back) + 1 };
        let at = place % self.chains.len();
        self.chains[at] = chain;
        self.stats += BvStats {
            nodes: 1,
            arcs: self.stretch.list(place).len() as u64,
            bits,
            chains: chain as u64,
            distances: back as u64,
        };
    }

    fn chain(&self, place: usize) -> usize {
        self.chains[place % self.chains.len()]
    }

    fn node(&self, place: usize) -> u32 {
        (self.stretch.first_node + place) as u32
    }

    /// Without a window nothing is said of references.
    fn reference(&self, back: usize) -> Option<usize> {
        (self.options.window > 0).then_some(back)
    }
}
