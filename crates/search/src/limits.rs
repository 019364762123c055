//! How much of a query is read and looked for, and giving up in time: a search that reaches its deadline returns what it
//! has.

use std::cell::Cell;
use std::time::Instant;

/// Of a longer query so many bytes are read.
pub const QUERY_BYTES_MAX: usize = 8192;
/// So many terms are looked for at once; of more, the rarest.
pub const QUERY_TERMS_MAX: usize = 32;
/// Queries with deeper parentheses are refused.
pub const QUERY_DEPTH_MAX: usize = 16;

/// So many remarks are made on a query; who makes more mistakes has read enough.
pub const NOTES_MAX: usize = 24;
/// So many words that begin alike are looked for at once; of more, the most frequent.
pub(crate) const PREFIX_TERMS_MAX: usize = 64;
/// So many are looked at to find these.
pub(crate) const PREFIX_TERMS_READ: usize = 50_000;
/// So many operators that say where words stand may follow each other.
pub(crate) const JOINTS_MAX: usize = 16;

/// How long a search may take, and what it may pay for a count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// When to stop; `None`: when everything has been seen.
    pub deadline: Option<Instant>,
    /// How much it may cost to say how many documents match.
    pub total: TotalWish,
    /// Whether two threads may look for the best of some plain words, each in half of the documents.
    pub in_halves: bool,
    /// A search may end early, as soon as no document that is left out can be better than the last one that is given by more
    /// than this share of its score; 0: the best are given exactly.
    pub slack: f32,
}

/// How exactly one wants to know how many documents match. The best are found without looking at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TotalWish {
    /// Exactly where that is quick; otherwise at least how many.
    #[default]
    Quick,
    /// Exactly, however long it takes.
    Exact,
    /// Not at all: what has been met anyway.
    Free,
}

impl TotalWish {
    /// So many postings may be looked at to count.
    pub(crate) fn postings(self) -> u64 {
        match self {
            Self::Quick => 1 << 15,
            Self::Exact => u64::MAX,
            Self::Free => 0,
        }
    }
}

const STEPS_BETWEEN_LOOKS: u32 = 2048;

/// Asked at every step of a search whether to go on. It looks at the clock now and then only, as the clock costs as
/// much as some steps.
#[derive(Debug)]
pub(crate) struct Stopper {
    deadline: Option<Instant>,
    steps: Cell<u32>,
    stopped: Cell<bool>,
}

impl Stopper {
    /// A deadline that has passed already stops at the first step.
    pub(crate) fn new(limits: Limits) -> Self {
        let stopped = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        Self { deadline: limits.deadline, steps: Cell::new(0), stopped: Cell::new(stopped) }
    }

    pub(crate) fn must_stop(&self) -> bool {
        self.must_stop_after(1)
    }

    /// The same where what was done last is worth so many steps: a step is about a tenth of a microsecond.
    pub(crate) fn must_stop_after(&self, steps: u32) -> bool {
        let before = self.steps.get();
        let steps = before.wrapping_add(steps);
        self.steps.set(steps);
        if before / STEPS_BETWEEN_LOOKS != steps / STEPS_BETWEEN_LOOKS
            && let Some(deadline) = self.deadline
            && Instant::now() >= deadline
        {
            self.stopped.set(true);
        }
        self.stopped.get()
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Stops from now on.
    pub(crate) fn stop(&self) {
        self.stopped.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_deadline_that_comes_during_the_search_stops_it_too() {
        let deadline = Instant::now() + Duration::from_millis(20);
        let stopper = Stopper::new(Limits { deadline: Some(deadline), ..Limits::default() });
        assert!(!stopper.must_stop());
        while Instant::now() < deadline {
            stopper.must_stop();
        }
        let stops = (0..STEPS_BETWEEN_LOOKS).filter(|_| stopper.must_stop()).count();
        assert!(stops > 0 && stopper.has_stopped());
    }
}
