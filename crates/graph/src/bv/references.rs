//! Which lists copy from which: the best references under a bound on chains of copies, for a chunk of lists.
//!
//! Without the bound each list would take the reference that saves most; these choices are a forest. A first pass, from the
//! leaves up, finds which of its arcs to give up so that no chain is too long and least is lost: for each list and each
//! length, what the lists that hang on it save if chains below it may be so long. Then lists that lost their reference
//! take the best one that is still allowed.
//!
//! Cost: window × the cost of a greedy choice without it, and chain + 1 numbers a list. After Versari, Comsa, Conte and
//! Grossi, "Zuckerli: A New Compressed Representation for Graphs" (2020).

/// What each list of a chunk would take with each reference, in bits, and which reference it has.
#[derive(Debug)]
pub(super) struct References {
    /// For each list, without reference and with the one 1, 2 … lists back; [`NEVER`] where there is none.
    costs: Vec<u64>,
    width: usize,
    /// How far back, 0 for none.
    chosen: Vec<usize>,
}

/// A reference that cannot be taken.
pub(super) const NEVER: u64 = u64::MAX;

impl References {
    /// A chunk without lists.
    pub(super) fn new(window: usize) -> Self {
        Self { costs: Vec::new(), width: window + 1, chosen: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.costs.clear();
        self.chosen.clear();
    }

    /// Adds a list with its costs: as many as there are lists before it in the window, and one. It takes the cheapest.
    pub(super) fn push(&mut self, costs: impl Iterator<Item = u64>) {
        let start = self.costs.len();
        self.costs.extend(costs);
        self.costs.resize(start + self.width, NEVER);
        let mut best = 0;
        for (back, cost) in self.costs[start..].iter().enumerate() {
            // Of equal ones the nearest.
            best = if *cost < self.costs[start + best] { back } else { best };
        }
        self.chosen.push(best);
    }

    /// How far back each list copies from, 0 for none.
    pub(super) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Gives references up, and takes others, until no chain is longer than this.
    pub(super) fn bound_chains(&mut self, chain_max: usize) {
        // No chain is longer than all lists.
        if chain_max < self.chosen.len() {
            self.give_up(chain_max);
            self.take_others(chain_max);
        }
    }

    fn cost(&self, list: usize, back: usize) -> u64 {
        self.costs[list * self.width + back]
    }

    fn parent(&self, list: usize) -> Option<usize> {
        let back = self.chosen[list];
        (back > 0).then(|| list - back)
    }

    fn give_up(&mut self, chain_max: usize) {
        let (count, links) = (self.chosen.len(), chain_max + 1);
        let saved = |list: usize| self.cost(list, 0) - self.cost(list, self.chosen[list]);
        // What all lists that hang on one save together, if chains below them have at most so many links more.
        let mut below = vec![0u64; count * links];
        // Whether it is better to keep the reference of a list than to let those below it have longer chains.
        let keeps = |below: &[u64], list: usize, left: usize| {
            let sums = &below[list * links..][..links];
            left > 0 && saved(list) + sums[left - 1] > sums[chain_max]
        };
        for list in (0..count).rev() {
            let Some(parent) = self.parent(list) else { continue };
            for left in 0..links {
                let with =
                    if keeps(&below, list, left) { saved(list) + below[list * links + left - 1] } else { 0 };
                below[parent * links + left] += with.max(below[list * links + chain_max]);
            }
        }
        // From the roots down: how many links are left for each list.
        let mut left = vec![chain_max; count];
        let mut kept = vec![false; count];
        for list in 0..count {
            let Some(parent) = self.parent(list) else { continue };
            if kept[parent] {
                left[list] = left[parent] - 1;
            }
            kept[list] = keeps(&below, list, left[list]);
        }
        for (back, is_kept) in self.chosen.iter_mut().zip(kept) {
            *back = if is_kept { *back } else { 0 };
        }
    }

    fn take_others(&mut self, chain_max: usize) {
        let count = self.chosen.len();
        // The longest chain that ends in a list, and the longest that begins there.
        let (mut above, mut below) = (vec![0; count], vec![0; count]);
        for list in (0..count).rev() {
            if let Some(parent) = self.parent(list) {
                below[parent] = below[parent].max(below[list] + 1);
            }
        }
        for list in 0..count {
            let mut best = self.cost(list, 0);
            for back in 1..self.width.min(list + 1) {
                let is_allowed = above[list - back] + below[list] < chain_max;
                if is_allowed && self.cost(list, back) < best {
                    best = self.cost(list, back);
                    self.chosen[list] = back;
                }
            }
            above[list] = self.parent(list).map_or(0, |parent| above[parent] + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all lists take, and the longest chain.
    fn measure(references: &References) -> (u64, usize) {
        let (mut bits, mut chains) = (0, Vec::new());
        for (list, back) in references.chosen().iter().enumerate() {
            bits += references.cost(list, *back);
            chains.push(if *back > 0 { chains[list - back] + 1 } else { 0 });
        }
        (bits, chains.into_iter().max().unwrap_or(0))
    }

    /// The least that is possible, by trying everything.
    fn least(costs: &[Vec<u64>], chain_max: usize, chains: &mut Vec<usize>) -> u64 {
        let list = chains.len();
        if list == costs.len() {
            return 0;
        }
        let mut best = u64::MAX;
        for (back, cost) in costs[list].iter().enumerate().filter(|(_, cost)| **cost != NEVER) {
            let chain = if back > 0 { chains[list - back] + 1 } else { 0 };
            if chain <= chain_max {
                chains.push(chain);
                best = best.min(cost + least(costs, chain_max, chains));
                chains.pop();
            }
        }
        best
    }

    #[test]
    fn chains_are_bounded_and_little_is_lost() {
        let mut state = 7u64;
        let mut random = |end: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % end
        };
        for round in 0..200 {
            let (window, chain_max) = (1 + random(3) as usize, random(4) as usize);
            let mut references = References::new(window);
            let costs: Vec<Vec<u64>> = (0..8)
                .map(|list| {
                    let others =
                        (0..window.min(list)).map(|_| [NEVER, 20 + random(90)][random(8).min(1) as usize]);
                    std::iter::once(100).chain(others).collect()
                })
                .collect();
            for list in &costs {
                references.push(list.iter().copied());
            }
            references.bound_chains(chain_max);
            let (bits, chain) = measure(&references);
            let best = least(&costs, chain_max, &mut Vec::new());
            assert!(chain <= chain_max, "round {round}: a chain of {chain}, and not of {chain_max}");
            assert!(bits >= best && bits <= best * 5 / 4, "round {round}: {bits} bits instead of {best}");
        }
    }
}
