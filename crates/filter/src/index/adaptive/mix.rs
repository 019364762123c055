//! How often each operation is expected, or happened.

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

    /// The same ratios, and as many in all.
    pub(super) fn of_total(&self, total: f64) -> Self {
        self.times(total / self.total().max(1e-9))
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
