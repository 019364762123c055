//! The shortest way from one page to another.
//!
//! A breadth-first search from the start; with the transpose at hand also one from the end, always from the side that has
//! fewer nodes to go on from. They meet after half of the way, and two small balls have far fewer nodes than one large one.
//!
//! Cost: four bytes a node a side, and the lists of the nodes that are met.

use crate::LinkGraph;

/// One of the shortest paths, both ends included; absent if there is none. `transpose` makes it faster.
pub fn shortest_path(
    graph: &dyn LinkGraph,
    transpose: Option<&dyn LinkGraph>,
    from: u32,
    to: u32,
) -> Option<Vec<u32>> {
    assert!(from.max(to) < graph.nodes() as u32, "both ends are nodes of the graph");
    if from == to {
        return Some(vec![from]);
    }
    let mut ahead = Side::new(graph, from);
    let mut back = transpose.map(|transpose| Side::new(transpose, to));
    let meeting = loop {
        match &mut back {
            None => {
                if ahead.came_from[to as usize] != NOBODY {
                    break to;
                }
                ahead.step(|_| false);
            }
            Some(back) => {
                let (near, far) =
                    if ahead.edge.len() <= back.edge.len() { (&mut ahead, back) } else { (back, &mut ahead) };
                // The first node that both sides know lies on a shortest path: all that the other side knows at its edge is
                // equally far from it, and what lies behind its edge would have been met before.
                if let Some(meeting) = near.step(|node| far.came_from[node as usize] != NOBODY) {
                    break meeting;
                }
            }
        }
        if ahead.edge.is_empty() || back.as_ref().is_some_and(|back| back.edge.is_empty()) {
            return None;
        }
    };
    let mut path = ahead.way_to(meeting);
    path.reverse();
    if let Some(back) = back {
        path.extend_from_slice(&back.way_to(meeting)[1..]);
    }
    Some(path)
}

/// The mark of a node that was not met.
const NOBODY: u32 = u32::MAX;

/// A search from one end.
struct Side<'a> {
    graph: &'a dyn LinkGraph,
    /// From where each node was met first; the start from itself.
    came_from: Vec<u32>,
    /// The nodes that were met last.
    edge: Vec<u32>,
}

impl<'a> Side<'a> {
    fn new(graph: &'a dyn LinkGraph, start: u32) -> Self {
        let mut came_from = vec![NOBODY; graph.nodes()];
        came_from[start as usize] = start;
        Self { graph, came_from, edge: vec![start] }
    }

    /// Goes on by one arc from all nodes of the edge; stops at a node that is looked for.
    fn step(&mut self, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let mut targets = Vec::new();
        for node in std::mem::take(&mut self.edge) {
            self.graph.successors(node, &mut targets);
            for target in &targets {
                let place = &mut self.came_from[*target as usize];
                if *place == NOBODY {
                    *place = node;
                    self.edge.push(*target);
                    if is_wanted(*target) {
                        return Some(*target);
                    }
                }
            }
        }
        None
    }

    /// The nodes from `node` back to the start.
    fn way_to(&self, node: u32) -> Vec<u32> {
        let before = |node: &u32| Some(self.came_from[*node as usize]).filter(|before| before != node);
        std::iter::successors(Some(node), before).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;
    use crate::distance::exact::tests::all_pairs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn paths_are_made_of_arcs_and_as_short_as_possible(arcs in prop::collection::vec((0u32..16, 0u32..16), 0..40)) {
            let graph = Csr::from_arcs(16, arcs);
            let (back, truth) = (graph.transpose(), all_pairs(&graph));
            for (from, to) in (0..16).flat_map(|from| (0..16).map(move |to| (from, to))) {
                for transpose in [None, Some(&back as &dyn LinkGraph)] {
                    let path = shortest_path(&graph, transpose, from, to);
                    let length = path.as_ref().map(|path| path.len() as u32 - 1);
                    prop_assert_eq!(length, truth[from as usize][to as usize]);
                    let path = path.unwrap_or(vec![from, to]);
                    prop_assert_eq!((path[0], *path.last().unwrap()), (from, to));
                    let is_arc = |step: &[u32]| graph.targets(step[0]).contains(&step[1]);
                    prop_assert!(length.is_none() || path.windows(2).all(is_arc));
                }
            }
        }
    }
}
