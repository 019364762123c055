//! What the words of a query add up to in a document, as far as they have been looked up.
//!
//! Pairs of words add a share of what their words do, the strongest left out ([`PairBound`]). So a sum knows apart what the
//! words add that make pairs, and how strong the strongest of them is at least: with words that are only bounded it bounds
//! both. Where there are no pairs, `PAIRS` is false, and none of that is kept.

use crate::bonus::PairBound;
use crate::points::Points;

/// What words add to a document, some of which make pairs if `PAIRS` is true.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum<const PAIRS: bool> {
    pub(super) points: Points,
    /// Those of them that make pairs.
    pub(super) of_pairs: Points,
    /// What one of those adds, the strongest that is known.
    pub(super) strongest: Points,
}

impl<const PAIRS: bool> Sum<PAIRS> {
    /// Adds what a word adds.
    #[inline]
    pub(super) fn add(&mut self, points: Points, makes_pairs: bool) {
        self.add_bound(points, makes_pairs);
        if PAIRS && makes_pairs {
            self.strongest = self.strongest.max(points);
        }
    }

    /// Adds what words add at most.
    #[inline]
    pub(super) fn add_bound(&mut self, points: Points, makes_pairs: bool) {
        self.points += points;
        if PAIRS && makes_pairs {
            self.of_pairs += points;
        }
    }

    /// The same of several words.
    #[inline]
    pub(super) fn add_bounds(&mut self, bounds: &Self) {
        self.points += bounds.points;
        self.of_pairs += bounds.of_pairs;
    }

    /// Puts what a word adds in the place of what it adds at most.
    #[inline]
    pub(super) fn settle(&mut self, bound: Points, points: Points, makes_pairs: bool) {
        self.take_bound(bound, makes_pairs);
        self.add(points, makes_pairs);
    }

    /// Takes away what was added of words that were bounded.
    #[inline]
    pub(super) fn take_bound(&mut self, bound: Points, makes_pairs: bool) {
        self.points = Points(self.points.0 - bound.0);
        if PAIRS && makes_pairs {
            self.of_pairs = Points(self.of_pairs.0 - bound.0);
        }
    }

    /// What it is with all that pairs may add.
    #[inline]
    pub(super) fn at_most(&self, pairs: PairBound) -> Points {
        self.with_pairs(self.points, self.of_pairs, pairs)
    }

    /// The same with words that add no more than these.
    #[inline]
    pub(super) fn at_most_with(&self, others: &Self, pairs: PairBound) -> Points {
        self.with_pairs(self.points + others.points, self.of_pairs + others.of_pairs, pairs)
    }

    #[inline]
    fn with_pairs(&self, points: Points, of_pairs: Points, pairs: PairBound) -> Points {
        if PAIRS { points + pairs.most(of_pairs, self.strongest) } else { points }
    }
}
