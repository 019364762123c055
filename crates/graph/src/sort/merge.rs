//! A tournament that always knows the least of many heads.
//!
//! A tree of losers: each inner node remembers who lost the match there, so that after the winner is replaced one walk from
//! its leaf to the root finds the next one, with one comparison a level (Knuth, TAOCP 3, 5.4.1).

/// Who of `k` contenders is the least.
#[derive(Debug)]
pub(crate) struct LoserTree<T> {
    /// At place 0 the winner, at places 1 to k − 1 the losers: what they offer, and who they are.
    nodes: Vec<(T, usize)>,
}

impl<T: Ord + Clone> LoserTree<T> {
    /// For what the contenders offer first.
    pub(crate) fn new(heads: Vec<T>) -> Self {
        let k = heads.len();
        assert!(k > 0, "a tournament needs a contender");
        // Play all matches from the leaves up.
        let mut winners: Vec<Option<(T, usize)>> = vec![None; k];
        winners.extend(heads.into_iter().enumerate().map(|(contender, head)| Some((head, contender))));
        let mut nodes = Vec::with_capacity(k);
        for node in (1..k).rev() {
            let left = winners[2 * node].take().expect("children come before parents");
            let right = winners[2 * node + 1].take().expect("children come before parents");
            let (winner, loser) = if left <= right { (left, right) } else { (right, left) };
            nodes.push(loser);
            winners[node] = Some(winner);
        }
        nodes.push(winners[1].take().expect("the last match has a winner"));
        nodes.reverse();
        Self { nodes }
    }

    /// The least, and whose it is.
    #[inline]
    pub(crate) fn winner(&self) -> &(T, usize) {
        &self.nodes[0]
    }

    /// Gives the winner's next offer.
    #[inline]
    pub(crate) fn replace(&mut self, head: T) {
        let mut current = (head, self.nodes[0].1);
        let mut node = (current.1 + self.nodes.len()) / 2;
        while node > 0 {
            if self.nodes[node] < current {
                std::mem::swap(&mut self.nodes[node], &mut current);
            }
            node /= 2;
        }
        self.nodes[0] = current;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_equals_sorting(lists in prop::collection::vec(prop::collection::vec(0u32..50, 0..20), 1..9)) {
            let mut expected: Vec<u32> = lists.concat();
            expected.sort_unstable();
            let mut lists = lists;
            lists.iter_mut().for_each(|list| list.sort_unstable());
            let mut rests: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
            let mut tree = LoserTree::new(rests.iter_mut().map(|list| list.next().unwrap_or(u32::MAX)).collect());
            let mut merged = Vec::new();
            while let (number @ 0..50, list) = *tree.winner() {
                merged.push(number);
                tree.replace(rests[list].next().unwrap_or(u32::MAX));
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
