//! The best few of many, in memory for the few: a heap whose top is the worst that is still kept.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use page::DocId;

/// A document and its score. Better is greater: who has all words, then by score, then by smaller number, so that the
/// order never wavers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) has_all: bool,
    pub(crate) score: f64,
    pub(crate) doc: DocId,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        self.has_all.cmp(&other.has_all).then(by_score).then(other.doc.cmp(&self.doc))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scored {}

/// Keeps the best `capacity` of what it is offered.
pub(crate) struct TopDocuments {
    heap: BinaryHeap<Reverse<Scored>>,
    capacity: usize,
}

impl TopDocuments {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(capacity), capacity }
    }

    /// Whether it would keep this.
    pub(crate) fn takes(&self, scored: Scored) -> bool {
        self.heap.len() < self.capacity || self.heap.peek().is_some_and(|worst| scored > worst.0)
    }

    pub(crate) fn offer(&mut self, scored: Scored) {
        if self.heap.len() < self.capacity {
            self.heap.push(Reverse(scored));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && scored > worst.0
        {
            *worst = Reverse(scored);
        }
    }

    /// Best first.
    pub(crate) fn into_sorted(self) -> Vec<Scored> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_out_first_and_ties_by_document() {
        let mut top = TopDocuments::new(3);
        for (score, doc) in [(1.0, 5), (2.0, 9), (2.0, 3), (0.5, 0), (2.0, 4), (1.0, 1)] {
            top.offer(Scored { has_all: true, score, doc: DocId::new(doc) });
        }
        top.offer(Scored { has_all: false, score: 9.0, doc: DocId::new(2) });
        let docs: Vec<u32> = top.into_sorted().iter().map(|scored| scored.doc.get()).collect();
        assert_eq!(docs, [3, 4, 9]);
    }

    #[test]
    fn room_for_none_keeps_none() {
        let mut top = TopDocuments::new(0);
        let scored = Scored { has_all: true, score: 1.0, doc: DocId::new(0) };
        assert!(!top.takes(scored));
        top.offer(scored);
        assert!(top.into_sorted().is_empty());
    }
}
