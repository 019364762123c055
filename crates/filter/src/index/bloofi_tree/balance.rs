//! Keeping the tree in shape: every inner node the OR of its children, with d to 2d of them.

use super::BloofiTree;
use crate::index::visits::Count;

impl BloofiTree {
    /// Makes the filter of an inner node from its children.
    fn renew(&mut self, node: usize, count: &mut impl Count) {
        let filter_count = self.nodes[node].children.len() + 1;
        count.add(filter_count, filter_count * self.shape.word_count());
        let word_count = self.shape.word_count();
        self.filter_at_mut(node).fill(0);
        for index in 0..self.nodes[node].children.len() {
            let child = self.nodes[node].children[index];
            let (low, high) = self.words.split_at_mut(node.max(child) * word_count);
            let (low, high) =
                (&mut low[node.min(child) * word_count..][..word_count], &mut high[..word_count]);
            let (mine, theirs) = if node < child { (low, &*high) } else { (high, &*low) };
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
        }
    }

    pub(super) fn renew_upward(&mut self, mut node: usize, count: &mut impl Count) {
        loop {
            self.renew(node, count);
            if node == self.root {
                return;
            }
            node = self.nodes[node].parent;
        }
    }

    /// Halves nodes with too many children, from this one upward.
    pub(super) fn split_upward(&mut self, mut node: usize, count: &mut impl Count) {
        while self.nodes[node].children.len() > 2 * self.order {
            if node == self.root {
                self.root = self.add_node(None);
                self.nodes[self.root].parent = self.root;
                self.adopt(self.root, 0, node);
            }
            let parent = self.nodes[node].parent;
            let right = self.add_node(None);
            let moved = self.nodes[node].children.split_off(self.order);
            moved.iter().for_each(|child| self.nodes[*child].parent = right);
            self.nodes[right].children = moved;
            let place = self.place_of(node) + 1;
            self.adopt(parent, place, right);
            self.renew(node, count);
            self.renew(right, count);
            if parent == self.root {
                self.renew(parent, count);
            }
            node = parent;
        }
    }

    /// Gives nodes with too few children some of a neighbour's, or joins the two, from this one upward.
    pub(super) fn refill_upward(&mut self, mut node: usize, count: &mut impl Count) {
        while node != self.root {
            let parent = self.nodes[node].parent;
            if self.nodes[node].children.len() < self.order {
                let place = self.place_of(node);
                let left_place = place.saturating_sub(1);
                let (left, right) = match self.nodes[parent].children[left_place..] {
                    [left, right, ..] => (left, right),
                    _ => unreachable!("an inner node has at least two children"),
                };
                self.even_out(left, right, count);
                if self.nodes[right].children.is_empty() {
                    self.nodes[parent].children.remove(left_place + 1);
                    self.drop_node(right);
                }
            } else {
                self.renew(node, count);
            }
            node = parent;
        }
        self.renew(node, count);
        while let [only] = self.nodes[self.root].children[..] {
            if self.nodes[only].is_leaf {
                break;
            }
            self.drop_node(self.root);
            self.root = only;
            self.nodes[only].parent = only;
        }
    }

    /// Shares the children of two neighbours, or gives all to the left one if they fit there.
    fn even_out(&mut self, left: usize, right: usize, count: &mut impl Count) {
        let mut all = std::mem::take(&mut self.nodes[left].children);
        all.append(&mut self.nodes[right].children);
        let to_left = if all.len() <= 2 * self.order { all.len() } else { all.len() / 2 };
        let of_right = all.split_off(to_left);
        all.iter().for_each(|child| self.nodes[*child].parent = left);
        of_right.iter().for_each(|child| self.nodes[*child].parent = right);
        self.nodes[left].children = all;
        self.nodes[right].children = of_right;
        self.renew(left, count);
        self.renew(right, count);
    }
}
