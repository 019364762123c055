//! Where chains of aliases end.

/// Follows `to` from every node to a node that stands for itself. A ring of aliases ends at its smallest member.
pub(super) fn resolve(to: &mut [u32]) {
    const UNKNOWN: u32 = u32::MAX;
    let mut ends = vec![UNKNOWN; to.len()];
    let mut chain = Vec::new();
    for start in 0..to.len() as u32 {
        chain.clear();
        let mut node = start;
        // A node of this very chain is marked by being in `ends` with itself, until its end is known.
        while ends[node as usize] == UNKNOWN {
            ends[node as usize] = node;
            chain.push(node);
            node = to[node as usize];
        }
        let end = match chain.iter().position(|member| *member == node) {
            Some(ring) => *chain[ring..].iter().min().expect("a ring has a member"),
            None => ends[node as usize],
        };
        chain.iter().for_each(|member| ends[*member as usize] = end);
    }
    to.copy_from_slice(&ends);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_end_where_nothing_goes_on() {
        for (to, expected) in [
            (vec![0, 1, 2], vec![0, 1, 2]),
            (vec![1, 2, 2], vec![2, 2, 2]),
            (vec![0, 0, 1, 2], vec![0, 0, 0, 0]),
            // A ring of two, and a chain that leads into it.
            (vec![0, 2, 1, 2], vec![0, 1, 1, 1]),
            // The same where the chain is met first and enters at the larger one.
            (vec![2, 2, 1], vec![1, 1, 1]),
            (vec![], vec![]),
        ] {
            let mut ends = to.clone();
            resolve(&mut ends);
            assert_eq!(ends, expected, "{to:?}");
        }
    }
}
