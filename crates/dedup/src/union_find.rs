//! Which documents are in one class? Classes are only ever joined.
//!
//! A forest of parents, with path halving on the way up. A class is named after its smallest member: the larger root is
//! hung under the smaller. So the names do not depend on the order of the unions, at the price of O(log n) amortised
//! instead of the inverse Ackermann function. Four bytes per member.
//!
//! After Tarjan, van Leeuwen, "Worst-case analysis of set union algorithms", 1984.

/// Members `0..len`, each at first in a class of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// So many classes of one member each.
    pub fn new(len: u32) -> Self {
        Self { parents: (0..len).collect() }
    }

    /// The smallest member of the class.
    pub fn find(&mut self, mut member: u32) -> u32 {
        loop {
            let parent = self.parents[member as usize];
            if parent == member {
                return member;
            }
            let grandparent = self.parents[parent as usize];
            self.parents[member as usize] = grandparent;
            member = grandparent;
        }
    }

    /// The smallest member of the class, after [`flatten`](Self::flatten) and before the next union.
    pub fn find_flat(&self, member: u32) -> u32 {
        self.parents[member as usize]
    }

    /// Joins two classes; tells whether they were two.
    pub fn union(&mut self, left: u32, right: u32) -> bool {
        let (left, right) = (self.find(left), self.find(right));
        self.parents[left.max(right) as usize] = left.min(right);
        left != right
    }

    /// Makes all paths as short as can be.
    pub fn flatten(&mut self) {
        // A parent is never larger than its child, so it is flat already.
        for member in 0..self.parents.len() {
            self.parents[member] = self.parents[self.parents[member] as usize];
        }
    }

    /// For each member the smallest of its class.
    pub fn into_names(mut self) -> Vec<u32> {
        self.flatten();
        self.parents
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn classes_are_those_of_repainting_and_are_named_after_their_smallest(
            unions in prop::collection::vec((0u32..40, 0u32..40), 0..60),
        ) {
            let mut forest = UnionFind::new(40);
            let mut colours: Vec<u32> = (0..40).collect();
            for (left, right) in unions {
                let (l, r) = (colours[left as usize], colours[right as usize]);
                prop_assert_eq!(forest.union(left, right), l != r);
                for colour in &mut colours {
                    if *colour == l || *colour == r {
                        *colour = l.min(r);
                    }
                }
            }
            for member in 0..40 {
                prop_assert_eq!(forest.find(member), colours[member as usize]);
            }
            forest.flatten();
            prop_assert!((0..40).all(|member| forest.find_flat(member) == colours[member as usize]));
            prop_assert_eq!(forest.into_names(), colours);
        }
    }
}
