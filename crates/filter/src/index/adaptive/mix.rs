//! How often each operation is expected.

/// How many operations of each kind; only their ratios matter.
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
}
