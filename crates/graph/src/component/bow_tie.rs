//! The bow tie: what the web looks like from afar.
//!
//! The largest strongly connected component is the core. IN is what reaches it, OUT what it reaches. Of the rest, tendrils
//! hang on IN (they are reached from it) or lead into OUT, tubes do both and so get from IN to OUT past the core, and what
//! does neither is disconnected.
//!
//! Cost: four searches; a byte a node beside the components.
//!
//! After Broder et al., "Graph structure in the web" (2000).

use super::scc::Components;
use crate::LinkGraph;

/// Where a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BowTiePart {
    /// In the largest component.
    Core,
    /// Reaches the core.
    In,
    /// Reached from the core.
    Out,
    /// Reached from IN, or reaches OUT.
    Tendril,
    /// Both: a way from IN to OUT past the core.
    Tube,
    /// Neither.
    Disconnected,
}

impl BowTiePart {
    /// All of them, in the order of their declaration.
    pub const ALL: [Self; 6] =
        [Self::Core, Self::In, Self::Out, Self::Tendril, Self::Tube, Self::Disconnected];
}

/// The part of each node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BowTie {
    parts: Vec<BowTiePart>,
}

impl BowTie {
    /// Looks at a graph from afar. `transpose` must have the same arcs, turned around.
    pub fn of(graph: &dyn LinkGraph, transpose: &dyn LinkGraph, components: &Components) -> Self {
        let nodes = graph.nodes();
        let is_core: Vec<bool> = components.component_of().iter().map(|component| *component == 0).collect();
        let from_core = reached(graph, &is_core);
        let to_core = reached(transpose, &is_core);
        let only = |this: &[bool], other: &[bool]| -> Vec<bool> {
            this.iter().zip(other).map(|(this, other)| *this && !*other).collect()
        };
        let from_in = reached(graph, &only(&to_core, &is_core));
        let to_out = reached(transpose, &only(&from_core, &is_core));
        let part = |node: usize| match () {
            () if is_core[node] => BowTiePart::Core,
            () if to_core[node] => BowTiePart::In,
            () if from_core[node] => BowTiePart::Out,
            () if from_in[node] && to_out[node] => BowTiePart::Tube,
            () if from_in[node] || to_out[node] => BowTiePart::Tendril,
            () => BowTiePart::Disconnected,
        };
        Self { parts: (0..nodes).map(part).collect() }
    }

    /// The part of each node.
    pub fn parts(&self) -> &[BowTiePart] {
        &self.parts
    }

    /// How many nodes a part has.
    pub fn size(&self, part: BowTiePart) -> usize {
        self.parts.iter().filter(|found| **found == part).count()
    }
}

/// What can be reached from some nodes, themselves included.
fn reached(graph: &dyn LinkGraph, from: &[bool]) -> Vec<bool> {
    let mut is_reached = from.to_vec();
    let mut waiting: Vec<u32> =
        from.iter().zip(0..).filter(|(is_in, _)| **is_in).map(|(_, node)| node).collect();
    let mut targets = Vec::new();
    while let Some(node) = waiting.pop() {
        graph.successors(node, &mut targets);
        for target in &targets {
            if !std::mem::replace(&mut is_reached[*target as usize], true) {
                waiting.push(*target);
            }
        }
    }
    is_reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    #[test]
    fn every_part_is_recognised() {
        use BowTiePart::*;
        let arcs = [
            ((0, 1), "core"),
            ((1, 0), "core"),
            ((2, 0), "in"),
            ((3, 2), "in, further out"),
            ((1, 4), "out"),
            ((4, 5), "out, further out"),
            ((3, 6), "tendril of in"),
            ((7, 5), "tendril into out"),
            ((3, 8), "tube"),
            ((8, 9), "tube"),
            ((9, 4), "tube"),
            ((10, 6), "disconnected, although it links to a tendril"),
            ((11, 11), "disconnected"),
        ];
        let graph = Csr::from_arcs(12, arcs.map(|(arc, _)| arc));
        let found = BowTie::of(&graph, &graph.transpose(), &Components::of(&graph));
        let expected =
            [Core, Core, In, In, Out, Out, Tendril, Tendril, Tube, Tube, Disconnected, Disconnected];
        assert_eq!(found.parts(), expected);
        assert_eq!(BowTiePart::ALL.map(|part| found.size(part)), [2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn an_empty_graph_has_no_core() {
        let graph = Csr::from_arcs(0, []);
        let found = BowTie::of(&graph, &graph, &Components::of(&graph));
        assert_eq!(found.parts(), []);
    }
}
