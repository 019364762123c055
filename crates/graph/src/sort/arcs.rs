//! Arcs in any order in, lists of targets in order out, in bounded memory.
//!
//! An arc is one number, source before target, in as few bits as the nodes need. Half the budget is the buffer of the
//! external sort ([`journal::ExternalSort`]), the other half the second buffer of the radix sort that brings it in order.
//!
//! Cost: some 25 ns an arc and two bytes of scratch.

use std::path::Path;

use journal::{BufferSort, ExternalSort, Sorted};

use super::{Item, radix};
use crate::{Error, LinkGraph};

/// Takes arcs in any order, with repeats.
#[derive(Debug)]
pub struct ArcSorter<T = u64> {
    nodes: usize,
    node_bits: u32,
    sort: ExternalSort<T, ByDigits<T>>,
}

/// Sorts a buffer by the digits of its keys.
#[derive(Debug)]
struct ByDigits<T> {
    spare: Vec<T>,
    /// Lower bits by which the keys come sorted already.
    skipped_bits: u32,
    bits: u32,
}

impl<T: Item> BufferSort<T> for ByDigits<T> {
    fn sort(&mut self, items: &mut Vec<T>) {
        radix::sort(items, &mut self.spare, self.skipped_bits, self.bits);
        if T::CARRIES {
            // Within one arc, by what is carried: these are few at a time.
            items.chunk_by_mut(|one, next| one.key() == next.key()).for_each(<[T]>::sort_unstable);
        }
    }
}

impl ArcSorter<u64> {
    /// For plain arcs between `nodes` nodes, within `memory_bytes`; what does not fit goes to a file in `scratch`.
    pub fn new(nodes: usize, memory_bytes: usize, scratch: &Path) -> Result<Self, Error> {
        Self::with_items(nodes, memory_bytes, scratch)
    }

    /// Adds an arc.
    #[inline]
    pub fn push(&mut self, source: u32, target: u32) -> Result<(), Error> {
        self.push_item(source, target, 0)
    }

    /// All arcs of a graph, turned around. Cheaper than arcs in any order, because they come sorted by one end.
    pub fn transpose(
        graph: &dyn LinkGraph,
        memory_bytes: usize,
        scratch: &Path,
    ) -> Result<SortedArcs, Error> {
        let mut sorter = Self::begin(graph.nodes(), memory_bytes, scratch, true)?;
        let mut outcome = Ok(());
        graph.scan(0..graph.nodes() as u32, &mut |source, targets| {
            for target in targets {
                if outcome.is_ok() {
                    outcome = sorter.push(*target, source);
                }
            }
        });
        outcome?;
        sorter.finish()
    }
}

impl<T: Item> ArcSorter<T> {
    pub(crate) fn with_items(nodes: usize, memory_bytes: usize, scratch: &Path) -> Result<Self, Error> {
        Self::begin(nodes, memory_bytes, scratch, false)
    }

    fn begin(
        nodes: usize,
        memory_bytes: usize,
        scratch: &Path,
        are_targets_sorted: bool,
    ) -> Result<Self, Error> {
        if nodes > u32::MAX as usize {
            return Err(Error::TooMany { what: "nodes", limit: u64::from(u32::MAX) });
        }
        let node_bits = nodes.max(2).next_power_of_two().ilog2();
        let skipped_bits = if are_targets_sorted { node_bits } else { 0 };
        let by_digits = ByDigits { spare: Vec::new(), skipped_bits, bits: 2 * node_bits };
        Ok(Self { nodes, node_bits, sort: ExternalSort::with(scratch, memory_bytes / 2, true, by_digits) })
    }

    #[inline]
    pub(crate) fn push_item(&mut self, source: u32, target: u32, carried: u64) -> Result<(), Error> {
        if source.max(target) as usize >= self.nodes {
            return Err(Error::NoSuchNode { source_node: source, target_node: target, nodes: self.nodes });
        }
        let key = u64::from(source) << self.node_bits | u64::from(target);
        Ok(self.sort.push(T::new(key, carried))?)
    }

    /// Sorts what is left and begins to merge.
    pub fn finish(self) -> Result<SortedArcs<T>, Error> {
        Ok(SortedArcs { nodes: self.nodes, node_bits: self.node_bits, sorted: self.sort.finish()? })
    }
}

/// Arcs in order, each once.
#[derive(Debug)]
pub struct SortedArcs<T = u64> {
    nodes: usize,
    node_bits: u32,
    sorted: Sorted<T>,
}

impl SortedArcs<u64> {
    /// Gives the targets of every node in order, also of those that have none.
    pub fn for_each_list(mut self, mut see: impl FnMut(&[u32]) -> Result<(), Error>) -> Result<(), Error> {
        let mut targets = Vec::new();
        let mut node = 0;
        while let Some((source, target, _)) = self.next()? {
            while node < source {
                see(&targets)?;
                targets.clear();
                node += 1;
            }
            targets.push(target);
        }
        for _ in node as usize..self.nodes {
            see(&targets)?;
            targets.clear();
        }
        Ok(())
    }
}

impl<T: Item> SortedArcs<T> {
    /// The next arc: source, target, and what is carried.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<(u32, u32, u64)>, Error> {
        Ok(self.sorted.next()?.map(|item| {
            let key = item.key();
            ((key >> self.node_bits) as u32, (key & ((1 << self.node_bits) - 1)) as u32, item.carried())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;
    use proptest::prelude::*;

    fn lists(sorted: SortedArcs) -> Vec<Vec<u32>> {
        let mut lists = Vec::new();
        sorted
            .for_each_list(|targets| {
                lists.push(targets.to_vec());
                Ok(())
            })
            .unwrap();
        lists
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn arcs_in_any_order_become_lists_whatever_the_budget(
            arcs in prop::collection::vec((0u32..40, 0u32..40), 0..6000), memory_bytes in 0usize..80_000,
        ) {
            let scratch = tempfile::tempdir().unwrap();
            let mut sorter = ArcSorter::new(40, memory_bytes, scratch.path()).unwrap();
            for (source, target) in &arcs {
                sorter.push(*source, *target).unwrap();
            }
            let plain = Csr::from_arcs(40, arcs);
            let expected: Vec<Vec<u32>> = (0..40).map(|node| plain.targets(node).to_vec()).collect();
            prop_assert_eq!(lists(sorter.finish().unwrap()), expected);
            let turned = plain.transpose();
            let expected: Vec<Vec<u32>> = (0..40).map(|node| turned.targets(node).to_vec()).collect();
            prop_assert_eq!(lists(ArcSorter::transpose(&plain, memory_bytes, scratch.path()).unwrap()), expected);
            prop_assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
        }

        #[test]
        fn what_arcs_carry_is_sorted_within_them(
            arcs in prop::collection::vec((0u32..9, 0u32..9, 0u64..5), 0..5000), memory_bytes in 0usize..80_000,
        ) {
            let scratch = tempfile::tempdir().unwrap();
            let mut sorter = ArcSorter::<(u64, u64)>::with_items(9, memory_bytes, scratch.path()).unwrap();
            for (source, target, carried) in &arcs {
                sorter.push_item(*source, *target, *carried).unwrap();
            }
            let mut sorted = sorter.finish().unwrap();
            let expected: std::collections::BTreeSet<_> = arcs.into_iter().collect();
            for arc in expected {
                prop_assert_eq!(sorted.next().unwrap(), Some(arc));
            }
            prop_assert_eq!(sorted.next().unwrap(), None);
        }
    }

    #[test]
    fn arcs_that_leave_the_graph_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let mut sorter = ArcSorter::new(2, 0, scratch.path()).unwrap();
        assert!(matches!(sorter.push(0, 2), Err(Error::NoSuchNode { .. })));
        assert!(matches!(sorter.push(2, 0), Err(Error::NoSuchNode { .. })));
    }

    #[test]
    fn no_nodes_and_one_node_are_graphs() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(
            lists(ArcSorter::new(0, 0, scratch.path()).unwrap().finish().unwrap()),
            Vec::<Vec<u32>>::new()
        );
        let mut sorter = ArcSorter::new(1, 0, scratch.path()).unwrap();
        sorter.push(0, 0).unwrap();
        assert_eq!(lists(sorter.finish().unwrap()), [[0]]);
    }
}
