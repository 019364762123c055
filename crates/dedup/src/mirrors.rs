//! Which sites are copies of other sites?
//!
//! For each pair of sites the pages that they have in common are counted, once per page, when the second of two copies is
//! seen. A site is a mirror if it has at least [`MIRROR_PAGES_MIN`] such pages and they are [most](MIRROR_PERCENT_MIN)
//! of all it has.
//!
//! Memory: there are at most [`PAIRS_MAX`] pairs. When one more is needed, all counts fall by one and those at zero are
//! forgotten. So counts may be too small and are never too large: a mirror can be missed, but none is invented.
//! Cost: O(log n) per copy, as a sweep over n pairs takes n earlier counts away.
//!
//! After Misra, Gries, "Finding repeated elements" (1982).

use std::collections::BTreeMap;

/// Pairs of sites that are remembered at once.
pub const PAIRS_MAX: usize = 1 << 18;

/// A mirror has at least so many pages of the other site.
pub const MIRROR_PAGES_MIN: u32 = 5;

/// They are at least so many in a hundred of its pages.
pub const MIRROR_PERCENT_MIN: u32 = 80;

/// About what an entry of a map takes, beside its key and value.
const ENTRY_BYTES: usize = 8;

/// A site that is mostly a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mirror {
    /// The site with fewer pages, and if they have as many, the one with the larger number.
    pub site: u32,
    /// The site that has them too.
    pub of: u32,
    /// How many pages they have in common.
    pub pages: u32,
}

/// Counts pages of sites and what pairs of sites have in common.
#[derive(Debug)]
pub struct SiteCopies {
    pages: BTreeMap<u32, u32>,
    /// The smaller number first.
    pairs: BTreeMap<(u32, u32), u32>,
    pairs_max: usize,
}

impl Default for SiteCopies {
    fn default() -> Self {
        Self { pages: BTreeMap::new(), pairs: BTreeMap::new(), pairs_max: PAIRS_MAX }
    }
}

impl SiteCopies {
    /// Counts a page of a site that is a copy of one of another site, of one of its own, or of none.
    pub fn count(&mut self, site: u32, copied_site: Option<u32>) {
        *self.pages.entry(site).or_default() += 1;
        let Some(other) = copied_site.filter(|other| *other != site) else { return };
        let pair = (site.min(other), site.max(other));
        if let Some(count) = self.pairs.get_mut(&pair) {
            *count += 1;
        } else if self.pairs.len() < self.pairs_max {
            self.pairs.insert(pair, 1);
        } else {
            self.pairs.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
        }
    }

    /// All mirrors, by site.
    pub fn mirrors(&self) -> Vec<Mirror> {
        let pages_of = |site: u32| self.pages.get(&site).copied().unwrap_or(0);
        let as_mirror = |site, of, count: u32| {
            let pages = count.min(pages_of(site));
            let is_most = u64::from(pages) * 100 >= u64::from(pages_of(site)) * u64::from(MIRROR_PERCENT_MIN);
            (pages >= MIRROR_PAGES_MIN && is_most).then_some(Mirror { site, of, pages })
        };
        let mut mirrors: Vec<_> = self
            .pairs
            .iter()
            .filter_map(|((low, high), count)| {
                let (fewer, more) =
                    if pages_of(*low) < pages_of(*high) { (*low, *high) } else { (*high, *low) };
                as_mirror(fewer, more, *count).or_else(|| as_mirror(more, fewer, *count))
            })
            .collect();
        mirrors.sort();
        mirrors
    }

    /// The memory in use, about.
    pub fn memory_bytes(&self) -> usize {
        self.pages.len() * (8 + ENTRY_BYTES) + self.pairs.len() * (12 + ENTRY_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_makes_a_mirror() {
        // (pages of site 1 that are copies of site 2, other pages of site 1, pages of site 2, what is found)
        let mirror = |site, of, pages| Some(Mirror { site, of, pages });
        let cases = [
            (5, 0, 100, mirror(1, 2, 5)),
            (4, 0, 100, None),
            (8, 2, 100, mirror(1, 2, 8)),
            (7, 2, 100, None),
            (10, 0, 10, mirror(2, 1, 10)),
            (10, 0, 1, mirror(1, 2, 10)),
            (0, 10, 10, None),
        ];
        for (copies, others, theirs, expected) in cases {
            let mut sites = SiteCopies::default();
            (0..theirs).for_each(|_| sites.count(2, None));
            (0..copies).for_each(|_| sites.count(1, Some(2)));
            (0..others).for_each(|_| sites.count(1, Some(1)));
            assert_eq!(sites.mirrors(), Vec::from_iter(expected), "{copies} of {others} more, {theirs}");
        }
    }

    proptest! {
        #[test]
        fn few_pairs_lose_counts_and_never_invent_any(
            copies in prop::collection::vec((0u32..8, 0u32..8), 0..300),
            pairs_max in 1usize..12,
        ) {
            let mut few = SiteCopies { pairs_max, ..SiteCopies::default() };
            let mut all = SiteCopies::default();
            for (site, other) in &copies {
                few.count(*site, Some(*other));
                all.count(*site, Some(*other));
                prop_assert!(few.pairs.len() <= pairs_max);
            }
            // The bound of the method: each sweep takes one from every pair and one that did not come in.
            let loss = copies.len() as u32 / (pairs_max as u32 + 1);
            for (pair, exact) in &all.pairs {
                let kept = few.pairs.get(pair).copied().unwrap_or(0);
                prop_assert!(kept <= *exact && exact - kept <= loss);
            }
        }
    }
}
