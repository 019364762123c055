//! The failures of one run, for its report: the first of them by name, all of them by reason.

use std::collections::HashMap;

use page::PageUrl;
use store::WhyFailed;

/// So many failures are kept with their addresses; all of them are in the store.
const NAMED_MAX: usize = 10;

/// What failed, in memory that does not grow with it.
#[derive(Debug, Clone, Default)]
pub struct Failures {
    first: Vec<FailedAddress>,
    counts: HashMap<WhyFailed, u64>,
}

/// An address that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAddress {
    /// The address.
    pub url: PageUrl,
    /// What went wrong.
    pub why: WhyFailed,
}

impl Failures {
    pub(crate) fn add(&mut self, url: &PageUrl, why: WhyFailed) {
        if self.first.len() < NAMED_MAX {
            self.first.push(FailedAddress { url: url.clone(), why });
        }
        *self.counts.entry(why).or_default() += 1;
    }

    /// The first ones.
    pub fn first(&self) -> &[FailedAddress] {
        &self.first
    }

    /// How many there are of each sort, the most frequent first.
    pub fn by_reason(&self) -> Vec<(WhyFailed, u64)> {
        let mut counts: Vec<_> = self.counts.iter().map(|(why, count)| (*why, *count)).collect();
        counts.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), why.to_string()));
        counts
    }
}
