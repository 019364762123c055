//! The plainest rank: how many pages link here?

use crate::LinkGraph;

/// How many arcs end at each node, a loop among them. One scan.
pub fn in_degrees(graph: &dyn LinkGraph) -> Vec<u32> {
    let mut counts = vec![0; graph.nodes()];
    graph.scan(0..graph.nodes() as u32, &mut |_, targets| {
        targets.iter().for_each(|target| counts[*target as usize] += 1);
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    #[test]
    fn arcs_are_counted_where_they_end() {
        assert_eq!(in_degrees(&Csr::from_arcs(3, [(0, 1), (1, 1), (2, 1), (1, 0)])), [1, 3, 0]);
        assert_eq!(in_degrees(&Csr::from_arcs(0, [])), [0; 0]);
    }
}
