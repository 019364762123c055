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

use super::id_map::IdMap;
use super::kernel::Isa;
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

    fn or_into(&mut self, node: usize, filter: &[u64]) {
        self.filter_at_mut(node).iter_mut().zip(filter).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Makes the filter of an inner node from its children.
    fn renew(&mut self, node: usize) {
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

    fn renew_upward(&mut self, mut node: usize) {
        loop {
            self.renew(node);
            if node == self.root {
                return;
            }
            node = self.nodes[node].parent;
        }
    }

    /// The place among the children of a node of the one most similar to a filter.
    fn nearest_child(&self, node: usize, filter: &[u64]) -> Option<usize> {
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

    /// Halves nodes with too many children, from this one upward.
    fn split_upward(&mut self, mut node: usize) {
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
            self.renew(node);
            self.renew(right);
            if parent == self.root {
                self.renew(parent);
            }
            node = parent;
        }
    }

    /// Gives nodes with too few children some of a neighbour's, or joins the two, from this one upward.
    fn refill_upward(&mut self, mut node: usize) {
        while node != self.root {
            let parent = self.nodes[node].parent;
            if self.nodes[node].children.len() < self.order {
                let place = self.place_of(node);
                let left_place = place.saturating_sub(1);
                let (left, right) = match self.nodes[parent].children[left_place..] {
                    [left, right, ..] => (left, right),
                    _ => unreachable!("an inner node has at least two children"),
                };
                self.even_out(left, right);
                if self.nodes[right].children.is_empty() {
                    self.nodes[parent].children.remove(left_place + 1);
                    self.drop_node(right);
                }
            } else {
                self.renew(node);
            }
            node = parent;
        }
        self.renew(node);
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
    fn even_out(&mut self, left: usize, right: usize) {
        let mut all = std::mem::take(&mut self.nodes[left].children);
        all.append(&mut self.nodes[right].children);
        let to_left = if all.len() <= 2 * self.order { all.len() } else { all.len() / 2 };
        let of_right = all.split_off(to_left);
        all.iter().for_each(|child| self.nodes[*child].parent = left);
        of_right.iter().for_each(|child| self.nodes[*child].parent = right);
        self.nodes[left].children = all;
        self.nodes[right].children = of_right;
        self.renew(left);
        self.renew(right);
    }

    fn descend(&self, node: usize, positions: &[usize], ids: &mut Vec<u64>) {
        for &child in &self.nodes[node].children {
            if self.matches(child, positions) {
                if self.nodes[child].is_leaf {
                    ids.push(self.nodes[child].id);
                } else {
                    self.descend(child, positions, ids);
                }
            }
        }
    }

    fn matches(&self, node: usize, positions: &[usize]) -> bool {
        let words = self.filter_at(node);
        positions.iter().all(|position| words[position / 64] >> (position % 64) & 1 == 1)
    }
}

impl FilterIndex for BloofiTree {
    fn shape(&self) -> &FilterShape {
        &self.shape
    }

    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        self.leaves.check_free(id)?;
        let leaf = self.add_node(Some(id));
        self.or_into(leaf, filter.words());
        self.leaves.set(id, leaf);
        let mut node = self.root;
        loop {
            self.or_into(node, filter.words());
            let nearest = self.nearest_child(node, filter.words());
            if self.has_leaves(node) {
                self.adopt(node, nearest.map_or(0, |place| place + 1), leaf);
                break;
            }
            node = self.nodes[node].children[nearest.expect("inner nodes above inner nodes have children")];
        }
        self.split_upward(node);
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        let leaf = self.leaves.remove(id)?;
        let (parent, place) = (self.nodes[leaf].parent, self.place_of(leaf));
        self.nodes[parent].children.remove(place);
        self.drop_node(leaf);
        self.refill_upward(parent);
        Ok(())
    }

    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        check_shape(&self.shape, filter)?;
        let leaf = self.leaves.slot(id)?;
        let grew = self.filter_at(leaf).iter().zip(filter.words()).all(|(old, new)| old & !new == 0);
        self.filter_at_mut(leaf).copy_from_slice(filter.words());
        let mut node = leaf;
        if !grew {
            self.renew_upward(self.nodes[node].parent);
            return Ok(());
        }
        while node != self.root {
            node = self.nodes[node].parent;
            self.or_into(node, filter.words());
        }
        Ok(())
    }

    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        ids.clear();
        let positions = Positions::of(keys, &self.shape);
        if self.matches(self.root, positions.as_slice()) {
            self.descend(self.root, positions.as_slice(), ids);
        }
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        let words = self.filter_at(self.leaves.get(id)?).to_vec();
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
