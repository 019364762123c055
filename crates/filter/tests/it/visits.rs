//! What operations touch, beside counts made by hand.

use filter::index::{
    AdaptiveBloofi, BloofiTree, FilterIndex, FlatBloofi, IndexError, NaiveIndex, Operation, SlicedBloofi,
    Visits,
};
use filter::{BloomFilter, FilterShape, KeyHash};

/// One word and one probe: a key is a position, and what is counted can be counted on paper.
fn shape() -> FilterShape {
    FilterShape::new(64, 1, 0)
}

fn key_at(position: u64) -> KeyHash {
    (0..).map(|n| KeyHash::of_u64(n, 0)).find(|key| key.probes(&shape()).eq([position])).unwrap()
}

fn filter_with(bits: u64) -> BloomFilter {
    BloomFilter::from_words(shape(), vec![bits]).unwrap()
}

/// Filters under 0, 1, …, each with the bits that `bits` says.
fn filled<I: FilterIndex>(mut index: I, count: u64, bits: impl Fn(u64) -> u64) -> I {
    (0..count).for_each(|id| index.insert(id, &filter_with(bits(id))).unwrap());
    index
}

fn search(index: &mut dyn FilterIndex, position: u64) -> (u64, u64) {
    pair(index.counted(Operation::Search(&[key_at(position)], &mut Vec::new())))
}

fn insert(index: &mut dyn FilterIndex, id: u64, bits: u64) -> (u64, u64) {
    pair(index.counted(Operation::Insert(id, &filter_with(bits))))
}

fn update(index: &mut dyn FilterIndex, id: u64, bits: u64) -> (u64, u64) {
    pair(index.counted(Operation::Update(id, &filter_with(bits))))
}

fn delete(index: &mut dyn FilterIndex, id: u64) -> (u64, u64) {
    pair(index.counted(Operation::Delete(id)))
}

fn pair(visits: Result<Visits, IndexError>) -> (u64, u64) {
    let visits = visits.unwrap();
    (visits.filters, visits.words)
}

const DENSE: u64 = u64::MAX >> 8;

#[test]
fn a_list_looks_at_all_and_touches_one() {
    let mut list = filled(NaiveIndex::new(shape()), 3, |id| 1 << id);
    assert_eq!(search(&mut list, 1), (3, 3));
    assert_eq!(insert(&mut list, 3, 0b11), (1, 1));
    assert_eq!(update(&mut list, 0, DENSE), (1, 1));
    // The last one takes its place.
    assert_eq!(delete(&mut list, 1), (2, 1));
    assert_eq!(delete(&mut list, 2), (1, 0));
}

#[test]
fn a_list_looks_at_two_bits_and_then_stops_at_the_first_that_is_missing() {
    let shape = FilterShape::new(64, 3, 0);
    let key = KeyHash::of_u64(7, 0);
    let bits: Vec<u64> = key.probes(&shape).map(|position| 1 << position).collect();
    assert!(bits[0] != bits[1] && bits[1] != bits[2] && bits[0] != bits[2], "another key, please");
    let mut list = NaiveIndex::new(shape);
    for (id, bits) in (0..).zip([0, bits[0], bits[0] | bits[1], bits[0] | bits[1] | bits[2], bits[1]]) {
        list.insert(id, &BloomFilter::from_words(shape, vec![bits]).unwrap()).unwrap();
    }
    let mut ids = Vec::new();
    assert_eq!(pair(list.counted(Operation::Search(&[key], &mut ids))), (5, 2 + 2 + 3 + 3 + 2));
    assert_eq!(ids, [3]);
}

#[test]
fn columns_look_at_64_filters_a_word() {
    let mut flat = filled(FlatBloofi::new(shape()), 65, |id| 1 << (id % 64));
    assert_eq!(search(&mut flat, 1), (65, 2));
    assert_eq!(insert(&mut flat, 65, 0b111), (1, 3));
    assert_eq!(update(&mut flat, 7, 0b11), (1, 2));
    assert_eq!(update(&mut flat, 7, DENSE), (1, 64));
    assert_eq!(delete(&mut flat, 7), (1, 1));
    assert_eq!(search(&mut flat, 1), (65, 2));
}

#[test]
fn rows_look_at_all_filters_or_at_the_ors_of_64_and_what_is_below() {
    let mut rows = filled(SlicedBloofi::new(shape()), 65, |id| 1 << (id % 64));
    assert_eq!(search(&mut rows, 1), (65, 2));
    assert_eq!(insert(&mut rows, 65, 0b111), (1, 3));
    assert_eq!(update(&mut rows, 7, 0b11), (1, 2));
    assert_eq!(update(&mut rows, 7, DENSE), (1, 64));
    assert_eq!(delete(&mut rows, 7), (1, 1));

    // 64 words of filters that have the same bit: 64 ORs are looked at, and the 64 filters of the one that matches.
    let mut sorted = filled(SlicedBloofi::with_capacity(shape(), 4_096), 4_096, |id| 1 << (id / 64 % 60));
    assert_eq!(search(&mut sorted, 5), (64 + 64, 2));
    assert_eq!(search(&mut sorted, 60), (64, 1));
    // Neighbours that are alike are not torn apart: the column is overwritten.
    assert_eq!(update(&mut sorted, 70, 0b10), (1, 64));
}

#[test]
fn a_tree_looks_where_the_key_may_be_and_touches_what_is_above() {
    // Order 2: a node has up to four children, and all distances are equal, so that the first child is the nearest.
    let mut tree = BloofiTree::new(shape(), 2);
    // The leaf, the root, and the children that are compared.
    assert_eq!(insert(&mut tree, 0, 1), (2, 2));
    assert_eq!(insert(&mut tree, 1, 1 << 1), (3, 3));
    assert_eq!(insert(&mut tree, 2, 1 << 2), (4, 4));
    assert_eq!(insert(&mut tree, 3, 1 << 3), (5, 5));
    // A split: halves of 2 and 3 leaves are made anew, and the new root above them.
    assert_eq!(insert(&mut tree, 4, 1 << 4), (6 + 3 + 4 + 3, 16));
    // Now (0 4) and (3 2 1): the root, two nodes, and the leaves of the one that matches.
    assert_eq!(search(&mut tree, 0), (1 + 2 + 2, 5));
    assert_eq!(search(&mut tree, 1), (1 + 2 + 3, 6));
    assert_eq!(search(&mut tree, 9), (1, 1));
    // A filter that grew is ORed upward; one that lost a bit makes the nodes above it anew.
    assert_eq!(update(&mut tree, 0, 0b1 | 1 << 40), (3, 3));
    assert_eq!(update(&mut tree, 0, 1), (1 + 3 + 3, 7));
    assert_eq!(delete(&mut tree, 1), (1 + 3 + 3, 6));
    // Two and one leaf become one node, and the root above it goes.
    assert_eq!(delete(&mut tree, 2), (1 + 4 + 1 + 2, 7));
    assert_eq!((tree.height(), tree.len()), (1, 3));
}

#[test]
fn counting_changes_nothing_and_an_error_counts_nothing() {
    let mut all: Vec<Box<dyn FilterIndex>> = vec![
        Box::new(NaiveIndex::new(shape())),
        Box::new(BloofiTree::new(shape(), 2)),
        Box::new(FlatBloofi::new(shape())),
        Box::new(SlicedBloofi::new(shape())),
        Box::new(AdaptiveBloofi::new(shape())),
    ];
    for index in &mut all {
        for id in 0..200 {
            assert!(insert(&mut **index, id, 1 << (id % 64)).0 >= 1);
            assert!(update(&mut **index, id / 2, 1 << (id % 61)).0 >= 1);
        }
        let (mut plain, mut counted) = (Vec::new(), Vec::new());
        for position in 0..64 {
            let key = key_at(position);
            index.search(&key, &mut plain);
            let visits = index.counted(Operation::Search(&[key], &mut counted)).unwrap();
            plain.sort_unstable();
            counted.sort_unstable();
            assert_eq!(plain, counted);
            assert!(visits.filters as usize >= plain.len());
        }
        assert_eq!(index.counted(Operation::Delete(999)), Err(IndexError::IdUnknown { id: 999 }));
        assert_eq!(index.counted(Operation::Insert(0, &filter_with(1))), Err(IndexError::IdTaken { id: 0 }));
        assert_eq!(delete(&mut **index, 100).0.min(1), 1);
        assert_eq!(index.len(), 199);
    }
}
