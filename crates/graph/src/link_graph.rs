//! What an algorithm needs of a graph, however the graph is kept, and the plain form in memory that iterative algorithms
//! want: all lists of targets in one array, four bytes an arc.

use std::borrow::Cow;
use std::ops::Range;

/// A directed graph. Nodes are numbers from zero; the targets of a node ascend and are distinct.
pub trait LinkGraph: Sync {
    /// How many nodes there are.
    fn nodes(&self) -> usize;

    /// How many arcs there are.
    fn arcs(&self) -> u64;

    /// Replaces `targets` by those of one node.
    fn successors(&self, node: u32, targets: &mut Vec<u32>);

    /// Shows the targets of all nodes of a range, in order. The cheapest way to see all arcs.
    fn scan(&self, nodes: Range<u32>, see: &mut dyn FnMut(u32, &[u32]));

    /// How many targets a node has.
    fn outdegree(&self, node: u32) -> usize {
        let mut targets = Vec::new();
        self.successors(node, &mut targets);
        targets.len()
    }

    /// The graph itself, if its lists lie in memory as they are.
    fn as_csr(&self) -> Option<&Csr> {
        None
    }
}

/// The lists in memory: as they are, or unpacked now.
pub(crate) fn in_memory(graph: &dyn LinkGraph) -> Cow<'_, Csr> {
    match graph.as_csr() {
        Some(csr) => Cow::Borrowed(csr),
        None => Cow::Owned(Csr::from_graph(graph)),
    }
}

/// Lists of targets one behind the other, and where each begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr {
    offsets: Vec<u64>,
    targets: Vec<u32>,
}

impl Csr {
    /// From arcs in any order, with or without repeats.
    pub fn from_arcs(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut packed: Vec<u64> =
            arcs.into_iter().map(|(source, target)| u64::from(source) << 32 | u64::from(target)).collect();
        packed.sort_unstable();
        packed.dedup();
        let mut offsets = vec![0u64; nodes + 1];
        for arc in &packed {
            offsets[(arc >> 32) as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        Self { offsets, targets: packed.into_iter().map(|arc| arc as u32).collect() }
    }

    /// Unpacks any graph.
    pub fn from_graph(graph: &dyn LinkGraph) -> Self {
        let mut offsets = Vec::with_capacity(graph.nodes() + 1);
        let mut targets = Vec::with_capacity(graph.arcs() as usize);
        offsets.push(0);
        graph.scan(0..graph.nodes() as u32, &mut |_, list| {
            targets.extend_from_slice(list);
            offsets.push(targets.len() as u64);
        });
        Self { offsets, targets }
    }

    /// The same arcs, turned around.
    pub fn transpose(&self) -> Self {
        let nodes = self.nodes();
        let mut offsets = vec![0u64; nodes + 1];
        for target in &self.targets {
            offsets[*target as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let (mut next, mut sources) = (offsets.clone(), vec![0; self.targets.len()]);
        for node in 0..nodes as u32 {
            for target in self.targets(node) {
                let place = &mut next[*target as usize];
                sources[*place as usize] = node;
                *place += 1;
            }
        }
        Self { offsets, targets: sources }
    }

    /// Where the targets of a node begin among those of all nodes.
    pub fn start_of(&self, node: u32) -> u64 {
        self.offsets[node as usize]
    }

    /// The targets of a node.
    pub fn targets(&self, node: u32) -> &[u32] {
        &self.targets[self.places(node)]
    }

    /// Where the targets of a node lie among those of all nodes.
    pub(crate) fn places(&self, node: u32) -> Range<usize> {
        let node = node as usize;
        self.offsets[node] as usize..self.offsets[node + 1] as usize
    }
}

impl LinkGraph for Csr {
    fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    fn arcs(&self) -> u64 {
        self.targets.len() as u64
    }

    fn successors(&self, node: u32, targets: &mut Vec<u32>) {
        targets.clear();
        targets.extend_from_slice(self.targets(node));
    }

    fn scan(&self, nodes: Range<u32>, see: &mut dyn FnMut(u32, &[u32])) {
        for node in nodes {
            see(node, self.targets(node));
        }
    }

    fn outdegree(&self, node: u32) -> usize {
        self.targets(node).len()
    }

    fn as_csr(&self) -> Option<&Csr> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turning_arcs_around_twice_changes_nothing(arcs in prop::collection::vec((0u32..20, 0u32..20), 0..80)) {
            let graph = Csr::from_arcs(20, arcs.iter().copied());
            let reversed = Csr::from_arcs(20, arcs.iter().map(|(source, target)| (*target, *source)));
            prop_assert_eq!(&graph.transpose(), &reversed);
            prop_assert_eq!(&reversed.transpose(), &graph);
            prop_assert_eq!(&Csr::from_graph(&graph), &graph);
        }
    }
}
