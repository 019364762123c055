//! Strongly connected components: which pages can reach each other?
//!
//! One depth-first walk numbers the nodes in the order in which it meets them. Each node also learns the smallest number
//! that can be reached from its subtree and that is not in a finished component yet. A node that cannot get below its own
//! number is the first of its component, and everything that was kept since belongs to it.
//!
//! The walk keeps its own stack, because a chain of a million pages would overflow the machine's. The lists of the nodes
//! on the path lie one behind the other in one array, so that any [`LinkGraph`] is asked for each list only once, also one
//! that has to decompress it.
//!
//! Cost: O(nodes + arcs) time. Four bytes a node, beside the path (16 bytes a node of it, and its lists) and the nodes
//! that wait for their component (4 bytes each).
//!
//! After Tarjan, "Depth-first search and linear graph algorithms" (1972), with the one array of Pearce, "A space-efficient
//! algorithm for finding strongly connected components" (2016): numbers grow from below and components fall from above, so
//! that they cannot be mistaken for each other and no bit says who still waits.

use crate::LinkGraph;

/// The components of a graph, the largest first; of equal ones that with the smallest node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    component_of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Components {
    /// Finds them.
    pub fn of(graph: &dyn LinkGraph) -> Self {
        let mut walk = Walk::new(graph.nodes());
        for node in 0..graph.nodes() as u32 {
            if walk.number[node as usize] == UNSEEN {
                walk.from(graph, node);
            }
        }
        Self::by_size(walk.number, walk.components)
    }

    /// The component of each node.
    pub fn component_of(&self) -> &[u32] {
        &self.component_of
    }

    /// How many nodes each component has; never ascends.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Turns the labels of the walk, which fall from the top, into ranks by size.
    fn by_size(mut labels: Vec<u32>, count: usize) -> Self {
        let mut sizes = vec![0u32; count];
        // Components in the order of their smallest node, which breaks ties below (the sort is stable).
        let mut met = Vec::with_capacity(count);
        for label in &mut labels {
            *label = u32::MAX - *label;
            let size = &mut sizes[*label as usize];
            if *size == 0 {
                met.push(*label);
            }
            *size += 1;
        }
        met.sort_by_key(|component| std::cmp::Reverse(sizes[*component as usize]));
        let mut rank = vec![0u32; count];
        for (place, component) in met.iter().enumerate() {
            rank[*component as usize] = place as u32;
        }
        for label in &mut labels {
            *label = rank[*label as usize];
        }
        let sizes = met.iter().map(|component| sizes[*component as usize]).collect();
        Self { component_of: labels, sizes }
    }
}

/// The number of a node that was not met yet.
const UNSEEN: u32 = 0;

/// A node on the path from the root to where the walk is.
struct Step {
    node: u32,
    /// Its smallest reachable number is below its own.
    reaches_lower: bool,
    /// Where its list begins in the lists of the path, and its next target.
    list: usize,
    next: usize,
}

struct Walk {
    /// Unseen, or the smallest number that is known to be reachable, or (from the top) the component.
    number: Vec<u32>,
    next_number: u32,
    components: usize,
    path: Vec<Step>,
    lists: Vec<u32>,
    /// Finished nodes whose component is not.
    waiting: Vec<u32>,
    list: Vec<u32>,
}

impl Walk {
    fn new(nodes: usize) -> Self {
        assert!(nodes < u32::MAX as usize / 2, "numbers from below and components from above must not meet");
        Self {
            number: vec![UNSEEN; nodes],
            next_number: 1,
            components: 0,
            path: Vec::new(),
            lists: Vec::new(),
            waiting: Vec::new(),
            list: Vec::new(),
        }
    }

    fn from(&mut self, graph: &dyn LinkGraph, root: u32) {
        self.enter(graph, root);
        while let Some(step) = self.path.last_mut() {
            if let Some(target) = self.lists.get(step.next).copied() {
                step.next += 1;
                let node = step.node as usize;
                match self.number[target as usize] {
                    UNSEEN => self.enter(graph, target),
                    reached if reached < self.number[node] => {
                        self.number[node] = reached;
                        step.reaches_lower = true;
                    }
                    _ => {}
                }
            } else {
                self.leave();
            }
        }
    }

    fn enter(&mut self, graph: &dyn LinkGraph, node: u32) {
        self.number[node as usize] = self.next_number;
        self.next_number += 1;
        graph.successors(node, &mut self.list);
        let list = self.lists.len();
        self.lists.extend_from_slice(&self.list);
        self.path.push(Step { node, reaches_lower: false, list, next: list });
    }

    /// All targets of the last node of the path are done.
    fn leave(&mut self) {
        let step = self.path.pop().expect("it is on the path");
        self.lists.truncate(step.list);
        let reached = self.number[step.node as usize];
        if step.reaches_lower {
            self.waiting.push(step.node);
        } else {
            let label = u32::MAX - self.components as u32;
            self.components += 1;
            // Whoever waits and was met after this node cannot get out of its subtree.
            while let Some(node) = self.waiting.pop_if(|node| self.number[*node as usize] >= reached) {
                self.number[node as usize] = label;
            }
            self.number[step.node as usize] = label;
        }
        if let Some(parent) = self.path.last_mut() {
            let (above, below) = (self.number[parent.node as usize], self.number[step.node as usize]);
            if below < above {
                self.number[parent.node as usize] = below;
                parent.reaches_lower = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;
    use proptest::prelude::*;

    /// Who can reach whom, by trying every way over every node.
    fn reachability(nodes: usize, graph: &Csr) -> Vec<Vec<bool>> {
        let mut reaches = vec![vec![false; nodes]; nodes];
        for (node, row) in reaches.iter_mut().enumerate() {
            row[node] = true;
            graph.targets(node as u32).iter().for_each(|target| row[*target as usize] = true);
        }
        for over in 0..nodes {
            for from in 0..nodes {
                for to in 0..nodes {
                    reaches[from][to] |= reaches[from][over] && reaches[over][to];
                }
            }
        }
        reaches
    }

    proptest! {
        #[test]
        fn two_nodes_share_a_component_when_they_reach_each_other(
            arcs in prop::collection::vec((0u32..24, 0u32..24), 0..60)
        ) {
            let graph = Csr::from_arcs(24, arcs);
            let (components, reaches) = (Components::of(&graph), reachability(24, &graph));
            for (a, b) in (0..24).flat_map(|a| (0..24).map(move |b| (a, b))) {
                let together = components.component_of()[a] == components.component_of()[b];
                prop_assert_eq!(together, reaches[a][b] && reaches[b][a], "{} and {}", a, b);
            }
            for (component, size) in components.sizes().iter().enumerate() {
                let members = components.component_of().iter().filter(|of| **of as usize == component).count();
                prop_assert_eq!(members, *size as usize);
            }
            prop_assert!(components.sizes().is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn graphs_at_the_edge_have_the_obvious_components() {
        let cases = [
            ("nothing", 0, vec![], vec![]),
            ("one node", 1, vec![], vec![0]),
            ("a loop", 1, vec![(0, 0)], vec![0]),
            ("no arcs", 3, vec![], vec![0, 1, 2]),
            ("the larger one comes first", 3, vec![(1, 2), (2, 1), (0, 1)], vec![1, 0, 0]),
        ];
        for (name, nodes, arcs, expected) in cases {
            assert_eq!(Components::of(&Csr::from_arcs(nodes, arcs)).component_of(), expected, "{name}");
        }
    }

    #[test]
    fn a_chain_of_a_million_nodes_does_not_overflow_the_stack() {
        let nodes = 1_000_000;
        let chain = Csr::from_arcs(nodes, (1..nodes as u32).map(|node| (node - 1, node)));
        assert_eq!(Components::of(&chain).sizes().len(), nodes);
        let ring = Csr::from_arcs(nodes, (0..nodes as u32).map(|node| (node, (node + 1) % nodes as u32)));
        assert_eq!(Components::of(&ring).sizes(), [nodes as u32]);
    }
}
