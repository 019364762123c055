//! Bloofi: a B+-tree whose inner nodes are the OR of their children.
//!
//! The filters are the leaves, all at the same depth. A search goes down where all bits of the key are set, so with
//! sparse or clustered filters it visits about d·log N nodes; but with filled filters of unrelated sets every inner node
//! is all ones and it visits all leaves and the inner nodes on top. A tree of order d has d to 2d children per inner node
//! (the root: 0 to 2d).
//!
//! Life of a leaf: it goes down to the most similar child at every level, ORing itself into the nodes on the way, and
//! settles beside the most similar leaf. A node with 2d + 1 children is split in the middle, up to the root if need be.
//! When a leaf goes, a node with d − 1 children takes one of a neighbour's or, if that has none to spare, the two become
//! one. ORs are made anew upward after everything that may take bits away.
//!
//! After Crainiceanu and Lemire, "Bloofi: Multidimensional Bloom filters" (2015), section 4.

mod balance;

use super::id_map::IdMap;
use super::kernel::Isa;
use super::visits::{Count, Counting, Operation, Visits, counted, operations_by_counting};
use super::{FilterIndex, IndexError, Positions, check_shape};
use crate::{BloomFilter, FilterShape, KeyHash};

/// How the most similar node is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distance {
    /// The number of bits that differ.
    #[default]
    Hamming,
    /// 1 − |A ∩ B| / |A ∪ B|.
    Jaccard,
    /// 1 − |A ∩ B| / √(|A|·|B|).
    Cosine,
}

/// Filters as the leaves of a tree of ORs, see the module.
#[derive(Debug, Clone)]
pub struct BloofiTree {
    shape: FilterShape,
    order: usize,
    distance: Distance,
    nodes: Vec<Node>,
    /// The filter of node n is `words[n * word_count..][..word_count]`.
    words: Vec<u64>,
    /// Nodes that are not in use.
    free: Vec<usize>,
    /// Always an inner node.
    root: usize,
    /// The leaf of every id.
    leaves: IdMap,
    isa: Isa,
}

#[derive(Debug, Clone)]
struct Node {
    /// Of the root: itself.
    parent: usize,
    /// All leaves or all inner nodes; of a leaf, none.
    children: Vec<usize>,
    /// Of a leaf.
    id: u64,
    is_leaf: bool,
}

impl BloofiTree {
    /// An empty tree of this order (at least 2: a node of order 1 would be legal with one child and help nobody), with
    /// neighbours chosen by Hamming distance.
    pub fn new(shape: FilterShape, order: usize) -> Self {
        Self::with_distance(shape, order, Distance::Hamming)
    }

    /// An empty tree with another distance.
    pub fn with_distance(shape: FilterShape, order: usize, distance: Distance) -> Self {
        let mut tree = Self {
            shape,
            order: order.max(2),
            distance,
            nodes: Vec::new(),
            words: Vec::new(),
            free: Vec::new(),
            root: 0,
            leaves: IdMap::default(),
            isa: Isa::detect(),
        };
        tree.root = tree.add_node(None);
        tree
    }

    /// The number of levels of inner nodes.
    pub fn height(&self) -> usize {
        let below = |node: &usize| self.nodes[*node].children.first().copied();
        std::iter::successors(Some(self.root), below).filter(|node| !self.nodes[*node].is_leaf).count()
    }

    /// The share of bits that are set in the inner nodes just above the leaves, on average: near 1, a search visits all.
    pub fn level_one_fill(&self) -> f64 {
        let mut parents: Vec<usize> = self.leaves.ids().filter_map(|id| self.leaves.get(id)).collect();
        parents.iter_mut().for_each(|node| *node = self.nodes[*node].parent);
        parents.sort_unstable();
        parents.dedup();
        let ones: u64 = parents
            .iter()
            .map(|node| self.isa.count_ones(self.filter_at(*node), self.filter_at(*node))[0])
            .sum();
        ones as f64 / (parents.len().max(1) as u64 * self.shape.bits()) as f64
    }

    /// The first words of a filter.
    pub(in crate::index) fn prefix(&self, id: u64, word_count: usize) -> Option<Vec<u64>> {
        Some(self.filter_at(self.leaves.get(id)?)[..word_count].to_vec())
    }

    fn filter_at(&self, node: usize) -> &[u64] {
        &self.words[node * self.shape.word_count()..][..self.shape.word_count()]
    }

    fn filter_at_mut(&mut self, node: usize) -> &mut [u64] {
        &mut self.words[node * self.shape.word_count()..][..self.shape.word_count()]
    }

    /// A node without parent: a leaf with this id, or an inner one. Its filter is empty.
    fn add_node(&mut self, id: Option<u64>) -> usize {
        let node = Node { parent: 0, children: Vec::new(), id: id.unwrap_or(0), is_leaf: id.is_some() };
        let index = self.free.pop().unwrap_or_else(|| {
            self.words.resize(self.words.len() + self.shape.word_count(), 0);
            self.nodes.push(node.clone());
            self.nodes.len() - 1
        });
        self.nodes[index] = Node { parent: index, ..node };
        self.filter_at_mut(index).fill(0);
        index
    }

    fn drop_node(&mut self, node: usize) {
        self.nodes[node].children = Vec::new();
        self.free.push(node);
    }

    fn or_into(&mut self, node: usize, filter: &[u64], count: &mut impl Count) {
        count.add(1, filter.len());
        self.filter_at_mut(node).iter_mut().zip(filter).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// The place among the children of a node of the one most similar to a filter.
    fn nearest_child(&self, node: usize, filter: &[u64], count: &mut impl Count) -> Option<usize> {
        let child_count = self.nodes[node].children.len();
        count.add(child_count, child_count * filter.len());
        let distances = self.nodes[node].children.iter().map(|child| self.distance_to(*child, filter));
        distances.enumerate().min_by(|left, right| left.1.total_cmp(&right.1)).map(|(place, _)| place)
    }

    fn distance_to(&self, node: usize, filter: &[u64]) -> f64 {
        let [left, right, both] = self.isa.count_ones(self.filter_at(node), filter);
        match self.distance {
            Distance::Hamming => (left + right - 2 * both) as f64,
            Distance::Jaccard => 1.0 - both as f64 / (left + right - both).max(1) as f64,
            Distance::Cosine => 1.0 - both as f64 / ((left * right) as f64).sqrt().max(1.0),
        }
    }

    fn has_leaves(&self, node: usize) -> bool {
        self.nodes[node].children.first().is_none_or(|child| self.nodes[*child].is_leaf)
    }

    fn adopt(&mut self, parent: usize, place: usize, child: usize) {
        self.nodes[parent].children.insert(place, child);
        self.nodes[child].parent = parent;
    }

    fn place_of(&self, node: usize) -> usize {
        let siblings = &self.nodes[self.nodes[node].parent].children;
        siblings.iter().position(|sibling| *sibling == node).expect("a node is among its parent's children")
    }

    fn descend(&self, node: usize, positions: &[usize], ids: &mut Vec<u64>, count: &mut impl Count) {
        for &child in &self.nodes[node].children {
            if self.matches(child, positions, count) {
                if self.nodes[child].is_leaf {
                    ids.push(self.nodes[child].id);
                } else {
                    self.descend(child, positions, ids, count);
                }
            }
        }
    }

    fn matches(&self, node: usize, positions: &[usize], count: &mut impl Count) -> bool {
        let words = self.filter_at(node);
        count.add(1, 0);
        positions.iter().all(|position| {
            count.add(0, 1);
            words[position / 64] >> (position % 64) & 1 == 1
        })
    }
}

impl Counting for BloofiTree {
    fn insert_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.leaves.check_free(id)?;
        let leaf = self.add_node(Some(id));
        self.or_into(leaf, filter.words(), count);
        self.leaves.set(id, leaf);
        let mut node = self.root;
        loop {
            self.or_into(node, filter.words(), count);
            let nearest = self.nearest_child(node, filter.words(), count);
            if self.has_leaves(node) {
                self.adopt(node, nearest.map_or(0, |place| place + 1), leaf);
                break;
            }
            node = self.nodes[node].children[nearest.expect("inner nodes above inner nodes have children")];
        }
        self.split_upward(node, count);
        Ok(())
    }

    fn delete_counting(&mut self, id: u64, count: &mut impl Count) -> Result<(), IndexError> {
        let leaf = self.leaves.remove(id)?;
        let (parent, place) = (self.nodes[leaf].parent, self.place_of(leaf));
        self.nodes[parent].children.remove(place);
        self.drop_node(leaf);
        count.add(1, 0);
        self.refill_upward(parent, count);
        Ok(())
    }

    fn update_counting(
        &mut self,
        id: u64,
        filter: &BloomFilter,
        count: &mut impl Count,
    ) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        let leaf = self.leaves.slot(id)?;
        let grew = self.filter_at(leaf).iter().zip(filter.words()).all(|(old, new)| old & !new == 0);
        self.filter_at_mut(leaf).copy_from_slice(filter.words());
        count.add(1, filter.words().len());
        let mut node = leaf;
        if !grew {
            self.renew_upward(self.nodes[node].parent, count);
            return Ok(());
        }
        while node != self.root {
            node = self.nodes[node].parent;
            self.or_into(node, filter.words(), count);
        }
        Ok(())
    }

    fn search_counting(&self, keys: &[KeyHash], ids: &mut Vec<u64>, count: &mut impl Count) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        if self.matches(self.root, positions.as_slice(), count) {
            self.descend(self.root, positions.as_slice(), ids, count);
        }
    }
}

impl FilterIndex for BloofiTree {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    operations_by_counting!();

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.prefix(id, self.shape.word_count())?;
        Some(BloomFilter::from_words(self.shape, words).expect("a node has the words of the shape"))
    }

    fn contains_id(&self, id: u64) -> bool {
        self.leaves.get(id).is_some()
    }

    fn len(&self) -> usize {
        self.leaves.len()
    }

    fn memory_bytes(&self) -> usize {
        let children: usize = self.nodes.iter().map(|node| node.children.capacity()).sum();
        self.words.capacity() * 8
            + self.nodes.capacity() * size_of::<Node>()
            + (children + self.free.capacity()) * size_of::<usize>()
            + self.leaves.memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        self.leaves.ids().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every inner node is the OR of its children and has d to 2d of them; all leaves are at one depth.
    fn check(tree: &BloofiTree, node: usize, depth: usize, leaf_depths: &mut Vec<usize>) {
        if tree.nodes[node].is_leaf {
            return leaf_depths.push(depth);
        }
        let children = &tree.nodes[node].children;
        let least = if node == tree.root { 0 } else { tree.order };
        assert!((least..=2 * tree.order).contains(&children.len()), "{} children", children.len());
        let mut or = vec![0; tree.shape.word_count()];
        for &child in children {
            assert_eq!(tree.nodes[child].parent, node);
            or.iter_mut().zip(tree.filter_at(child)).for_each(|(all, word)| *all |= word);
            check(tree, child, depth + 1, leaf_depths);
        }
        assert_eq!(tree.filter_at(node), or);
    }

    #[test]
    fn the_tree_stays_a_balanced_tree_of_ors() {
        let shape = FilterShape::new(256, 3, 0);
        for (order, distance) in [(2, Distance::Hamming), (3, Distance::Jaccard), (8, Distance::Cosine)] {
            let mut tree = BloofiTree::with_distance(shape, order, distance);
            for step in 0..3_000u64 {
                let random = KeyHash::of_u64(step, 1).as_u64();
                let id = random % 200;
                let mut filter = BloomFilter::new(shape);
                for key in 0..random >> 60 {
                    filter.insert(&KeyHash::of_u64(random % 7 + key, 0));
                }
                // Growing in the first half, shrinking in the second.
                let result = match (tree.contains_id(id), (random >> 20) % 4 + step / 1_500) {
                    (false, 0..3) => tree.insert(id, &filter),
                    (true, 0) => tree.update(id, &filter),
                    (true, 3..) => tree.delete(id),
                    _ => Ok(()),
                };
                assert_eq!(result, Ok(()));
                let mut leaf_depths = Vec::new();
                check(&tree, tree.root, 0, &mut leaf_depths);
                assert_eq!(leaf_depths.len(), tree.len());
                assert!(leaf_depths.iter().all(|depth| *depth == tree.height()));
            }
        }
    }
}
