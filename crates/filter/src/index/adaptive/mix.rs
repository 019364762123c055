//! Which operations there were, and which are expected.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many operations of each kind; only their ratios matter where a mix is expected.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mix {
    /// Searches.
    pub searches: f64,
    /// Inserts.
    pub inserts: f64,
    /// Updates.
    pub updates: f64,
    /// Deletes.
    pub deletes: f64,
}

impl Mix {
    /// Searches only.
    pub const SEARCHES: Self = Self { searches: 1.0, inserts: 0.0, updates: 0.0, deletes: 0.0 };

    /// How many operations in all.
    pub fn total(&self) -> f64 {
        self.searches + self.inserts + self.updates + self.deletes
    }

    pub(super) fn times(&self, factor: f64) -> Self {
        Self {
            searches: self.searches * factor,
            inserts: self.inserts * factor,
            updates: self.updates * factor,
            deletes: self.deletes * factor,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            searches: self.searches + other.searches,
            inserts: self.inserts + other.inserts,
            updates: self.updates + other.updates,
            deletes: self.deletes + other.deletes,
        }
    }
}

/// Operations since the last look.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// Counted without a lock, so a few are lost when threads search together.
    searches: AtomicU64,
    pub inserts: u64,
    pub updates: u64,
    pub deletes: u64,
}

impl Window {
    #[inline]
    pub(super) fn count_search(&self) {
        // Not `fetch_add`: a locked instruction would be a fifth of a search.
        self.searches.store(self.searches.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(super) fn as_mix(&self) -> Mix {
        Mix {
            searches: self.searches.load(Ordering::Relaxed) as f64,
            inserts: self.inserts as f64,
            updates: self.updates as f64,
            deletes: self.deletes as f64,
        }
    }
}
