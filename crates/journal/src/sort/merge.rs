//! Many sorted runs become one.
//!
//! A tree of losers: each inner node remembers who lost the match there, so that after the winner is replaced one walk from
//! its leaf to the root finds the next one, with one comparison a level (Knuth, TAOCP 3, 5.4.1). When a run ends, the tree
//! is made anew without it: that is as much work as there are runs, once for each.

use std::cmp::Ordering;
use std::path::Path;

use super::SortRecord;
use super::runs::{RunFile, RunReader};
use crate::Error;

/// Knows which of many offers is the least. Of equal ones, the first contender's is.
#[derive(Debug)]
struct LoserTree<T> {
    /// At place 0 the winner, at places 1 to k − 1 the losers: what they offer, and who they are.
    nodes: Vec<Offer<T>>,
}

/// What a contender offers, and which of them it is.
#[derive(Debug)]
struct Offer<T> {
    record: T,
    contender: usize,
}

impl<T: Ord> Offer<T> {
    #[inline]
    fn beats(&self, other: &Self) -> bool {
        match self.record.cmp(&other.record) {
            Ordering::Less => true,
            Ordering::Equal => self.contender < other.contender,
            Ordering::Greater => false,
        }
    }
}

impl<T: Ord> LoserTree<T> {
    /// Begins with what the contenders 0, 1, … offer.
    fn new(offers: impl ExactSizeIterator<Item = T>) -> Self {
        let k = offers.len();
        // Play all matches from the leaves up.
        let mut winners: Vec<Option<Offer<T>>> = (0..k).map(|_| None).collect();
        winners.extend(offers.enumerate().map(|(contender, record)| Some(Offer { record, contender })));
        let mut nodes = Vec::with_capacity(k);
        for node in (1..k).rev() {
            let left = winners[2 * node].take().expect("children come before parents");
            let right = winners[2 * node + 1].take().expect("children come before parents");
            let (winner, loser) = if right.beats(&left) { (right, left) } else { (left, right) };
            nodes.push(loser);
            winners[node] = Some(winner);
        }
        nodes.extend(winners.get_mut(1).and_then(Option::take));
        nodes.reverse();
        Self { nodes }
    }

    #[inline]
    fn winner(&self) -> Option<&Offer<T>> {
        self.nodes.first()
    }

    /// Takes the winner's offer and gives its next one.
    #[inline]
    fn replace(&mut self, record: T) -> T {
        let mut current = Offer { record, contender: self.nodes[0].contender };
        let mut node = (current.contender + self.nodes.len()) / 2;
        while node > 0 {
            if self.nodes[node].beats(&current) {
                std::mem::swap(&mut self.nodes[node], &mut current);
            }
            node /= 2;
        }
        std::mem::replace(&mut self.nodes[0], current).record
    }

    /// Takes the winner's offer; it has no other. Contenders behind it move up by one.
    fn remove(&mut self) -> T {
        let Offer { record, .. } = self.nodes.swap_remove(0);
        self.nodes.sort_unstable_by_key(|offer| offer.contender);
        *self = Self::new(std::mem::take(&mut self.nodes).into_iter().map(|offer| offer.record));
        record
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
    pub(super) fn of(runs: RunFile, is_once: bool) -> Result<Self, Error> {
        let (mut readers, mut offers) = (Vec::new(), Vec::new());
        for mut reader in runs.into_readers() {
            if let Some(offer) = reader.next()? {
                offers.push(offer);
                readers.push(reader);
            }
        }
        Ok(Self { readers, tree: LoserTree::new(offers.into_iter()), is_once, taken: 0 })
    }

    /// Makes one run of all, in a new file.
    pub(super) fn into_one_run(mut self, folder: &Path, memory_bytes: usize) -> Result<RunFile, Error> {
        let (mut file, mut before) = (RunFile::create(folder, memory_bytes)?, T::default());
        file.write(|bytes| {
            let Some(record) = self.next()? else { return Ok(false) };
            record.put_after(&before, bytes);
            before = record;
            Ok(true)
        })?;
        Ok(file)
    }

    /// How many records were taken so far, repeats included.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<T>, Error> {
        let Some(record) = self.take()? else { return Ok(None) };
        if self.is_once {
            while self.tree.winner().is_some_and(|next| next.record == record) {
                self.take()?;
            }
        }
        Ok(Some(record))
    }

    #[inline]
    fn take(&mut self) -> Result<Option<T>, Error> {
        let Some(&Offer { contender: run, .. }) = self.tree.winner() else { return Ok(None) };
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
            while let Some(&Offer { contender, .. }) = tree.winner() {
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
