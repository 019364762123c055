//! From a key to the block that would hold it: a blind trie over the first keys of all blocks.
//!
//! Each inner node of the trie is a place between two neighbouring first keys, and knows the first bit in which they
//! differ; nodes that split at an earlier bit are above. Going down one looks at no key, only at bits of the one that is
//! looked for. That leads to a block whose first key shares more with it than any other does, perhaps; the first bit in
//! which these two really differ says from which node on the way was wrong, and so between which blocks the key belongs.
//!
//! Nodes stand in preorder: the left one of a node comes next, the right one behind all that are on the left. It is made
//! when a list is opened, in some 50 ns a block, and takes eight bytes a block, half a byte a key.
//!
//! After Ferragina and Grossi, "The String B-Tree" (1999), of which this is one node.

use super::list::KeyList;

/// Finds the block of a key.
#[derive(Debug)]
pub(crate) struct BlockIndex {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    /// The first bit in which the keys left and right of it differ.
    bit: BitPlace,
    /// How many nodes there are on its left; there is one block more.
    left: u32,
}

/// A place in the bits of a key. A byte has nine: the first tells it from the end of the key, which comes before all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BitPlace(u32);

impl BitPlace {
    /// The first bit in which two keys differ; nothing if they are the same.
    fn of_difference(one: &[u8], other: &[u8]) -> Option<Self> {
        let byte = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        let differing = symbol(one, byte) ^ symbol(other, byte);
        (differing != 0).then(|| Self((byte as u32) << 4 | (differing.leading_zeros() - (32 - 9))))
    }

    #[inline]
    fn is_set_in(self, key: &[u8]) -> bool {
        symbol(key, (self.0 >> 4) as usize) << (self.0 & 15) & 0x100 != 0
    }
}

/// A byte with a one before it, or zero behind the end.
#[inline]
fn symbol(key: &[u8], byte: usize) -> u32 {
    key.get(byte).map_or(0, |byte| 0x100 | u32::from(*byte))
}

/// Some nodes of one subtree, and the blocks that they divide.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    root: usize,
    nodes: usize,
    first_block: usize,
}

impl BlockIndex {
    /// Looks at the first key of each block.
    pub(crate) fn new(list: &KeyList) -> Self {
        let heads: Vec<&[u8]> = (0..list.blocks()).map(|block| list.head(block)).collect();
        let bits: Vec<BitPlace> = heads
            .windows(2)
            // Two equal keys are in no list that we wrote; whoever made one finds only one of them.
            .map(|pair| BitPlace::of_difference(pair[0], pair[1]).unwrap_or(BitPlace(u32::MAX)))
            .collect();
        Self { nodes: in_preorder(&bits) }
    }

    /// The block that holds the key if there is one; nothing if it comes before all.
    pub(crate) fn block_of(&self, list: &KeyList, key: &[u8]) -> Option<usize> {
        if list.blocks() == 0 {
            return None;
        }
        let near = self.descend(|bit| Some(bit.is_set_in(key))).first_block;
        let Some(differing) = BitPlace::of_difference(key, list.head(near)) else { return Some(near) };
        let alike = self.descend(|bit| (bit < differing).then(|| bit.is_set_in(key)));
        match differing.is_set_in(key) {
            true => Some(alike.first_block + alike.nodes),
            false => alike.first_block.checked_sub(1),
        }
    }

    /// Goes right where the answer is yes, left where it is no, and ends where there is none, at the latest in a block.
    #[inline]
    fn descend(&self, is_right: impl Fn(BitPlace) -> Option<bool>) -> Subtree {
        let mut at = Subtree { root: 0, nodes: self.nodes.len(), first_block: 0 };
        while at.nodes > 0 {
            let node = self.nodes[at.root];
            let left = node.left as usize;
            at = match is_right(node.bit) {
                None => return at,
                Some(false) => Subtree { root: at.root + 1, nodes: left, ..at },
                Some(true) => Subtree {
                    root: at.root + 1 + left,
                    nodes: at.nodes - 1 - left,
                    first_block: at.first_block + left + 1,
                },
            };
        }
        at
    }

    pub(crate) fn bytes(&self) -> usize {
        std::mem::size_of_val(&self.nodes[..])
    }
}

/// Makes the tree in which the least of each stretch is above the others. Two equal ones have a lesser one between them.
fn in_preorder(bits: &[BitPlace]) -> Vec<Node> {
    const NONE: u32 = u32::MAX;
    let mut children = vec![(NONE, NONE); bits.len()];
    // From the root to the right: those that have no right child yet but the next on this way.
    let mut way: Vec<u32> = Vec::new();
    for (place, bit) in bits.iter().enumerate() {
        let mut left = NONE;
        while let Some(top) = way.pop_if(|top| bits[*top as usize] > *bit) {
            left = top;
        }
        children[place].0 = left;
        if let Some(parent) = way.last() {
            children[*parent as usize].1 = place as u32;
        }
        way.push(place as u32);
    }
    let mut nodes = Vec::with_capacity(bits.len());
    // What is still to do, with the place of its first block.
    let mut open: Vec<(u32, u32)> = way.first().map(|root| (*root, 0)).into_iter().collect();
    while let Some((place, first)) = open.pop() {
        nodes.push(Node { bit: bits[place as usize], left: place - first });
        let (left, right) = children[place as usize];
        open.extend((right != NONE).then_some((right, place + 1)));
        open.extend((left != NONE).then_some((left, first)));
    }
    nodes
}
