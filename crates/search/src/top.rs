//! The best few of many, in memory for the few: a heap whose top is the worst that is still kept.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use page::DocId;

use crate::points::Points;

/// A document and its score. Better is greater: who has all words, then by score, then by smaller number, so that the
/// order never wavers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scored {
    /// It has all plain words, where that makes it come first.
    pub(crate) has_all: bool,
    pub(crate) points: Points,
    pub(crate) doc: DocId,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.points.cmp(&other.points);
        self.has_all.cmp(&other.has_all).then(by_score).then(other.doc.cmp(&self.doc))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Scored {
    /// The points with which a document that is not before `first` is better; `None`: with none at all.
    #[inline]
    pub(crate) fn least_above(&self, has_all: bool, first: DocId) -> Option<Points> {
        match has_all.cmp(&self.has_all) {
            Ordering::Less => None,
            Ordering::Equal if self.doc < first => Some(self.points + Points(1)),
            Ordering::Equal => Some(self.points),
            Ordering::Greater => Some(Points::ZERO),
        }
    }
}

/// Keeps the best of what it is offered.
pub(crate) trait Keeper {
    /// Takes a document, if it is good enough.
    fn offer(&mut self, scored: Scored);

    /// Takes a document out again, if it is there.
    fn remove(&mut self, doc: DocId);
}

/// Keeps the best `capacity` of what it is offered.
pub(crate) struct TopDocuments {
    heap: BinaryHeap<Reverse<Scored>>,
    capacity: usize,
}

impl TopDocuments {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(capacity), capacity }
    }

    /// The points with which a document that is not before `first` is kept; `None`: with none at all.
    #[inline]
    pub(crate) fn least(&self, has_all: bool, first: DocId) -> Option<Points> {
        match self.has_room() {
            true => Some(Points::ZERO),
            false => self.heap.peek()?.0.least_above(has_all, first),
        }
    }

    /// The worst that is kept, if there is no room for others.
    pub(crate) fn worst_of_all(&self) -> Option<&Scored> {
        self.heap.peek().map(|worst| &worst.0).filter(|_| !self.has_room())
    }

    /// Whether there is room for any document.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.heap.len() < self.capacity
    }

    /// Best first.
    pub(crate) fn into_sorted(self) -> Vec<Scored> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(scored)| scored).collect()
    }
}

impl Keeper for TopDocuments {
    fn offer(&mut self, scored: Scored) {
        if self.heap.len() < self.capacity {
            self.heap.push(Reverse(scored));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && scored > worst.0
        {
            *worst = Reverse(scored);
        }
    }

    fn remove(&mut self, doc: DocId) {
        self.heap.retain(|kept| kept.0.doc != doc);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(points: u32, doc: u32) -> Scored {
        Scored { has_all: true, points: Points(points), doc: DocId::new(doc) }
    }

    #[test]
    fn the_best_come_out_first_and_ties_by_document() {
        let mut top = TopDocuments::new(3);
        for (points, doc) in [(10, 5), (20, 9), (20, 3), (5, 0), (20, 4), (10, 1)] {
            top.offer(scored(points, doc));
        }
        top.offer(Scored { has_all: false, ..scored(90, 2) });
        let docs: Vec<u32> = top.into_sorted().iter().map(|scored| scored.doc.get()).collect();
        assert_eq!(docs, [3, 4, 9]);
    }

    #[test]
    fn what_reaches_the_least_is_kept_and_nothing_else() {
        let mut top = TopDocuments::new(2);
        assert_eq!(top.least(false, DocId::new(0)), Some(Points(0)));
        top.offer(scored(20, 7));
        top.offer(scored(10, 5));
        // has all, first, least
        let rows = [(true, 4, Some(10)), (true, 5, Some(10)), (true, 6, Some(11)), (false, 0, None)];
        for (has_all, first, least) in rows {
            assert_eq!(top.least(has_all, DocId::new(first)), least.map(Points), "{has_all} {first}");
        }
        top.remove(DocId::new(5));
        assert!(top.has_room());
        top.offer(Scored { has_all: false, ..scored(90, 2) });
        assert_eq!(top.least(true, DocId::new(9)), Some(Points(0)));
    }

    #[test]
    fn room_for_none_keeps_none() {
        let mut top = TopDocuments::new(0);
        assert_eq!(top.least(true, DocId::new(0)), None);
        top.offer(scored(1, 0));
        assert!(top.into_sorted().is_empty());
    }
}
