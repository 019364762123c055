//! Breadth-first search from hundreds of nodes at once.
//!
//! Each node has a bit for each source: whether the source has come to it. A step hands the bits that are new at a node to
//! its targets. Searches from near sources share almost all of their way, so 512 of them cost little more than a few.
//!
//! Cost: 3·8·W bytes a node.
//!
//! After Then et al., "The more the merrier: efficient multi-source graph traversal" (2014).

use super::balls::RANDOM_ACCESS_COST;
use crate::LinkGraph;

/// A bit for each source.
pub(crate) type SourceBits<const W: usize> = [u64; W];

/// The state of a search, to be used again for the next batch of sources.
pub(crate) struct ManySources<const W: usize> {
    seen: Vec<SourceBits<W>>,
    fresh: Vec<SourceBits<W>>,
    next: Vec<SourceBits<W>>,
    active: Vec<u32>,
    met: Vec<u32>,
}

impl<const W: usize> ManySources<W> {
    /// How many sources there may be.
    pub const SOURCES: usize = 64 * W;

    pub fn new(nodes: usize) -> Self {
        let bits = || vec![[0; W]; nodes];
        Self { seen: bits(), fresh: bits(), next: bits(), active: Vec::new(), met: Vec::new() }
    }

    /// Searches from `sources` and tells of each node, in the order of distances from 1 on, which sources come to it.
    pub fn search(
        &mut self,
        graph: &dyn LinkGraph,
        sources: &[u32],
        see: &mut dyn FnMut(usize, u32, &SourceBits<W>),
    ) {
        assert!(sources.len() <= Self::SOURCES, "a batch has a bit for each source");
        self.seen.fill([0; W]);
        for (place, source) in sources.iter().enumerate() {
            let bit = 1 << (place % 64);
            self.seen[*source as usize][place / 64] |= bit;
            self.fresh[*source as usize][place / 64] |= bit;
            self.active.push(*source);
        }
        for distance in 1.. {
            if self.active.is_empty() {
                break;
            }
            self.step(graph, &mut |node, bits| see(distance, node, bits));
        }
    }

    fn step(&mut self, graph: &dyn LinkGraph, see: &mut dyn FnMut(u32, &SourceBits<W>)) {
        self.hand_on(graph);
        for node in self.met.drain(..) {
            let mut bits = std::mem::replace(&mut self.next[node as usize], [0; W]);
            let seen = &mut self.seen[node as usize];
            bits.iter_mut().zip(seen.iter()).for_each(|(bits, seen)| *bits &= !seen);
            if bits != [0; W] {
                seen.iter_mut().zip(&bits).for_each(|(seen, bits)| *seen |= bits);
                self.fresh[node as usize] = bits;
                self.active.push(node);
                see(node, &bits);
            }
        }
    }
    /// Hands what is new at the active nodes to their targets.
    fn hand_on(&mut self, graph: &dyn LinkGraph) {
        let Self { fresh, next, active, met, .. } = self;
        let mut give = |node: u32, targets: &[u32]| {
            // A source that is named twice is active twice; its bits go out once.
            let bits = std::mem::replace(&mut fresh[node as usize], [0; W]);
            if bits == [0; W] {
                return;
            }
            for target in targets {
                let next = &mut next[*target as usize];
                if *next == [0; W] {
                    met.push(*target);
                }
                next.iter_mut().zip(&bits).for_each(|(next, bits)| *next |= bits);
            }
        };
        if let Some(csr) = graph.as_csr() {
            active.iter().for_each(|node| give(*node, csr.targets(*node)));
        } else if active.len() * RANDOM_ACCESS_COST < graph.nodes() {
            let mut targets = Vec::new();
            for node in active.iter() {
                graph.successors(*node, &mut targets);
                give(*node, &targets);
            }
        } else {
            graph.scan(0..graph.nodes() as u32, &mut give);
        }
        active.clear();
    }
}
