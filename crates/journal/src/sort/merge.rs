//! Many sorted runs become one.
//!
//! A tree of losers: each inner node remembers who lost the match there, so that after the winner is replaced one walk from
//! its leaf to the root finds the next one, with one comparison a level (Knuth, TAOCP 3, 5.4.1). When a run ends, the tree
//! is made anew without it: that is as much work as there are runs, once for each.

use super::SortRecord;
use super::runs::RunReader;
use crate::Error;

/// Knows which of many offers is the least. Of equal ones, the first contender's is.
#[derive(Debug)]
struct LoserTree<T> {
    /// At place 0 the winner, at places 1 to k − 1 the losers: what they offer, and who they are.
    nodes: Vec<(T, usize)>,
}

impl<T: Ord> LoserTree<T> {
    /// Begins with what the contenders 0, 1, … offer.
    fn new(offers: impl ExactSizeIterator<Item = T>) -> Self {
        let k = offers.len();
        // Play all matches from the leaves up.
        let mut winners: Vec<Option<(T, usize)>> = (0..k).map(|_| None).collect();
        winners.extend(offers.enumerate().map(|(contender, offer)| Some((offer, contender))));
        let mut nodes = Vec::with_capacity(k);
        for node in (1..k).rev() {
            let left = winners[2 * node].take().expect("children come before parents");
            let right = winners[2 * node + 1].take().expect("children come before parents");
            let (winner, loser) = if left <= right { (left, right) } else { (right, left) };
            nodes.push(loser);
            winners[node] = Some(winner);
        }
        nodes.extend(winners.get_mut(1).and_then(Option::take));
        nodes.reverse();
        Self { nodes }
    }

    #[inline]
    fn winner(&self) -> Option<&(T, usize)> {
        self.nodes.first()
    }

    /// Takes the winner's offer and gives its next one.
    #[inline]
    fn replace(&mut self, offer: T) -> T {
        let mut current = (offer, self.nodes[0].1);
        let mut node = (current.1 + self.nodes.len()) / 2;
        while node > 0 {
            if self.nodes[node] < current {
                std::mem::swap(&mut self.nodes[node], &mut current);
            }
            node /= 2;
        }
        std::mem::replace(&mut self.nodes[0], current).0
    }

    /// Takes the winner's offer; it has no other. Contenders behind it move up by one.
    fn remove(&mut self) -> T {
        let (offer, _) = self.nodes.swap_remove(0);
        self.nodes.sort_unstable_by_key(|(_, contender)| *contender);
        *self = Self::new(std::mem::take(&mut self.nodes).into_iter().map(|(offer, _)| offer));
        offer
    }
}

/// Gives the records of all runs in order.
#[derive(Debug)]
pub(super) struct Merge<T> {
    readers: Vec<RunReader<T>>,
    tree: LoserTree<T>,
    is_once: bool,
    taken: u64,
}

impl<T: SortRecord> Merge<T> {
    /// Merges runs; of equal records it gives one if `is_once`.
    pub(super) fn new(mut readers: Vec<RunReader<T>>, is_once: bool) -> Result<Self, Error> {
        let mut offers = Vec::with_capacity(readers.len());
        for mut reader in std::mem::take(&mut readers) {
            if let Some(offer) = reader.next()? {
                offers.push(offer);
                readers.push(reader);
            }
        }
        Ok(Self { readers, tree: LoserTree::new(offers.into_iter()), is_once, taken: 0 })
    }

    /// How many records were taken so far, repeats included.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<T>, Error> {
        let Some(record) = self.take()? else { return Ok(None) };
        if self.is_once {
            while self.tree.winner().is_some_and(|(next, _)| *next == record) {
                self.take()?;
            }
        }
        Ok(Some(record))
    }

    #[inline]
    fn take(&mut self) -> Result<Option<T>, Error> {
        let Some(&(_, run)) = self.tree.winner() else { return Ok(None) };
        self.taken += 1;
        if let Some(next) = self.readers[run].next()? {
            return Ok(Some(self.tree.replace(next)));
        }
        self.readers.remove(run);
        Ok(Some(self.tree.remove()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_equals_sorting(lists in prop::collection::vec(prop::collection::vec(0u32..50, 1..20), 0..9)) {
            let mut expected: Vec<(u32, usize)> = Vec::new();
            let mut rests: Vec<_> = Vec::new();
            for (run, mut list) in lists.into_iter().enumerate() {
                list.sort_unstable();
                expected.extend(list.iter().map(|number| (*number, run)));
                rests.push((run, list.into_iter()));
            }
            expected.sort_unstable();
            let mut tree = LoserTree::new(rests.iter_mut().map(|(_, list)| list.next().unwrap()));
            let mut merged = Vec::new();
            while let Some(&(_, contender)) = tree.winner() {
                let (run, list) = &mut rests[contender];
                let run = *run;
                let number = match list.next() {
                    Some(next) => tree.replace(next),
                    None => {
                        rests.remove(contender);
                        tree.remove()
                    }
                };
                merged.push((number, run));
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
