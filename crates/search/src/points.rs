//! Points: scores as whole numbers.
//!
//! Words of a query are added up in whatever order is quickest, list by list or document by document. Sums of floating
//! point numbers differ with the order, sums of whole numbers do not: so every way to search gives the same score, and a
//! bound that is not reached is never a question of rounding. A point is 2⁻²⁰.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A score, or a part of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Points(pub(crate) u32);

/// How many points are a score of one.
pub(crate) const PER_ONE: f32 = (1 << 20) as f32;

/// All words of a query together add no more than this, so that sums do not overflow.
pub(crate) const SCORE_MAX: f64 = 3_000.0;

impl Points {
    pub(crate) const ZERO: Self = Self(0);
    pub(crate) const MAX: Self = Self(u32::MAX);

    /// Rounded down; what is not a number, or negative, is nothing.
    #[inline]
    pub(crate) fn of(score: f32) -> Self {
        Self((score * PER_ONE) as u32)
    }

    /// The nearest to a number of points from 0 to 2³². The bits of the sum with 2⁵² are the number itself, which is
    /// quicker than a conversion that has to mind what is out of range.
    #[inline]
    pub(crate) fn nearest(points: f32) -> Self {
        const TO_BITS: f64 = (1u64 << 52) as f64;
        Self((f64::from(points) + TO_BITS).to_bits() as u32)
    }

    /// As people read it.
    pub(crate) fn score(self) -> f64 {
        f64::from(self.0) / f64::from(PER_ONE)
    }

    /// So many shares of it more.
    #[inline]
    pub(crate) fn and_share(self, share: f32) -> Self {
        if share > 0.0 { self + Self((self.0 as f32 * share) as u32) } else { self }
    }

    /// What is left to reach `goal`.
    #[inline]
    pub(crate) fn missing_to(self, goal: Self) -> Self {
        Self(goal.0.saturating_sub(self.0))
    }
}

impl Add for Points {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Points {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}
