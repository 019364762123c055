//! Plain copy lists: which targets of an earlier list this one has too, a bit for each of them.
//!
//! The first form of reference compression, before runs of equal bits became blocks. Nothing is stored so; it shows what
//! the blocks are worth, with everything else as in BV: outdegrees in γ, references in unary, what is not copied as gaps
//! in ζ₃, the best of the lists in the window, and chains of bounded length.
//!
//! After chapter 10.3 of the notes, and Boldi and Vigna, "The WebGraph Framework I" (2004), section 4.

use crate::bv::zeta_bits;
use crate::{BvOptions, LinkGraph};

/// A list by reference to another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyList {
    /// For each target of the other whether this list has it.
    pub copied: Vec<bool>,
    /// What the other does not have.
    pub extra: Vec<u32>,
}

impl CopyList {
    /// Compares two ascending lists.
    pub fn new(list: &[u32], referred: &[u32]) -> Self {
        let copied = referred.iter().map(|target| list.binary_search(target).is_ok()).collect();
        let is_extra = |target: &&u32| referred.binary_search(target).is_err();
        Self { copied, extra: list.iter().filter(is_extra).copied().collect() }
    }

    fn bits(&self, node: u32) -> u64 {
        self.copied.len() as u64 + gap_bits(node, &self.extra)
    }
}

/// Targets as gaps, the first relative to the node.
fn gap_bits(node: u32, targets: &[u32]) -> u64 {
    let Some(first) = targets.first() else { return 0 };
    let difference = i64::from(*first) - i64::from(node);
    let natural = (difference << 1 ^ difference >> 63) as u64;
    let gaps = targets.windows(2).map(|pair| u64::from(pair[1] - pair[0] - 1));
    std::iter::once(natural).chain(gaps).map(|gap| u64::from(zeta_bits(gap))).sum()
}

fn gamma_bits(number: usize) -> u64 {
    u64::from(2 * (number as u64 + 1).ilog2() + 1)
}

/// How many bits the lists of a graph take with plain copy lists, within the window and the chains of these options.
pub(crate) fn size_in_bits(graph: &dyn LinkGraph, options: &BvOptions) -> u64 {
    let mut bits = 0;
    // The last lists, and how long the chain is that ends in each.
    let mut window = vec![(Vec::new(), 0); options.window + 1];
    graph.scan(0..graph.nodes() as u32, &mut |node, targets| {
        bits += gamma_bits(targets.len());
        let places = window.len();
        let at = |node: u32| node as usize % places;
        let (mut best, mut chain) = (gap_bits(node, targets) + u64::from(options.window > 0), 0);
        for back in 1..=(options.window as u32).min(node) {
            let (referred, its_chain): &(Vec<u32>, usize) = &window[at(node - back)];
            if *its_chain < options.reference_chain_max && !referred.is_empty() {
                let cost = CopyList::new(targets, referred).bits(node) + u64::from(back) + 1;
                (best, chain) = if cost < best { (cost, its_chain + 1) } else { (best, chain) };
            }
        }
        // An empty list is its outdegree.
        bits += if targets.is_empty() { 0 } else { best };
        window[at(node)] = (targets.to_vec(), chain);
    });
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    #[test]
    fn the_nodes_of_the_notes_are_copied_as_they_are_drawn() {
        let lists: [&[u32]; 4] = [
            &[13, 15, 16, 17, 18, 19, 23, 24, 203, 315, 1034],
            &[15, 16, 17, 22, 23, 24, 315, 316, 317, 3041],
            &[],
            &[13, 15, 16, 17, 50],
        ];
        // Node, how far back it refers, the copy list, the extra nodes.
        let rows = [(16, 1, "01110011010", &[22, 316, 317, 3041][..]), (18, 3, "11110000000", &[50])];
        for (node, reference, copied, extra) in rows {
            let list = CopyList::new(lists[node - 15], lists[node - 15 - reference]);
            let bits: String = list.copied.iter().map(|copied| if *copied { '1' } else { '0' }).collect();
            assert_eq!((bits.as_str(), list.extra.as_slice()), (copied, extra), "node {node}");
        }
        // In their place in a graph these references are the best ones, and save what the notes hope for.
        let arcs = (15..).zip(lists).flat_map(|(node, list)| list.iter().map(move |target| (node, *target)));
        let graph = Csr::from_arcs(3042, arcs);
        let gaps = |node: u32, targets: &[u32]| gap_bits(node, targets) + gamma_bits(targets.len());
        let of_lists = |referred: [Option<usize>; 4]| -> u64 {
            let bits = (0..4).map(|at| match referred[at] {
                None => gaps(15 + at as u32, lists[at]) + u64::from(!lists[at].is_empty()),
                Some(back) => {
                    let degree = gamma_bits(lists[at].len());
                    CopyList::new(lists[at], lists[at - back]).bits(15 + at as u32) + degree + back as u64 + 1
                }
            });
            bits.sum::<u64>() + 3038
        };
        let found = size_in_bits(&graph, &BvOptions::standard());
        assert_eq!(found, of_lists([None, Some(1), None, Some(3)]));
        assert!(found < of_lists([None; 4]));
    }

    #[test]
    fn without_references_it_is_what_bv_writes() {
        let arcs = (0..4000u64).map(|arc| ((arc * arc % 500) as u32, (arc * 2_654_435_761 % 501) as u32));
        let graph = Csr::from_arcs(501, arcs);
        let gaps = BvOptions { window: 0, min_interval: 0, ..BvOptions::standard() };
        assert_eq!(size_in_bits(&graph, &gaps), crate::bv::size_in_bits(&graph, &gaps));
    }
}
