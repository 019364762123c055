//! Which operations there were since the last look, and what they cost.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Cost, Mix};

/// Operations since the last look, and what they cost: counted in whole numbers, because in a list of small filters all
/// else takes a few nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// Counted without a lock, so a few are lost when threads search together.
    searches: AtomicU64,
    inserts: u64,
    updates: u64,
    deletes: u64,
    /// Nanoseconds of all but the searches.
    changes_ns: u64,
    prices: [u64; 4],
}

impl Window {
    #[inline]
    pub(super) fn count_search(&self) {
        // Not `fetch_add`: a locked instruction would be a fifth of a search.
        self.searches.store(self.searches.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn count_insert(&mut self) {
        self.count_inserts(1);
    }

    pub(super) fn count_inserts(&mut self, count: u64) {
        self.inserts += count;
        self.changes_ns += count * self.prices[1];
    }

    #[inline]
    pub(super) fn count_update(&mut self) {
        self.updates += 1;
        self.changes_ns += self.prices[2];
    }

    #[inline]
    pub(super) fn count_delete(&mut self) {
        self.deletes += 1;
        self.changes_ns += self.prices[3];
    }

    /// Says what operations cost from now on.
    pub(super) fn price(&mut self, cost: &Cost) {
        self.prices = [cost.search, cost.insert, cost.update, cost.delete].map(|ns| ns as u64);
    }

    /// Whether the operations cost this much.
    #[inline]
    pub(super) fn is_worth(&self, ns: u64) -> bool {
        self.changes_ns + self.searches.load(Ordering::Relaxed) * self.prices[0] >= ns
    }

    /// What was counted, and begins anew.
    pub(super) fn take(&mut self) -> Mix {
        let mix = self.as_mix();
        *self = Self { prices: self.prices, ..Self::default() };
        mix
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
