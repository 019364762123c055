//! The best few of many, in memory for the few.
//!
//! A few are kept in order. Of more, what may be among them is put aside in no order, and when that has become too much, the
//! worst are thrown away: a few steps for each, however many are wanted, where a heap takes more the more are wanted.

use std::cmp::{Ordering, Reverse};

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
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.place().cmp(&other.place())
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Scored {
    /// All that decides, in one number: which of two is better nobody can foresee, so it has to be seen quickly.
    #[inline]
    fn place(&self) -> u128 {
        let score = u64::from(self.has_all) << 32 | u64::from(self.points.0);
        u128::from(score) << 32 | u128::from(!self.doc.get())
    }

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
    /// All of the best, and others that were not worse than the worst of the best when they came; in order if there is no
    /// room to spare for others.
    kept: Vec<Scored>,
    capacity: usize,
    /// The worst of the best when they were looked at last, if there were so many.
    worst: Option<Scored>,
}

impl TopDocuments {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { kept: Vec::with_capacity(capacity + spare(capacity) + 1), capacity, worst: None }
    }

    /// The points with which a document that is not before `first` is kept; `None`: with none at all.
    #[inline]
    pub(crate) fn least(&self, has_all: bool, first: DocId) -> Option<Points> {
        match &self.worst {
            Some(worst) => worst.least_above(has_all, first),
            None => (self.capacity > 0).then_some(Points::ZERO),
        }
    }

    /// One of which it is known that nothing worse is kept, if there is no room for others.
    pub(crate) fn worst_of_all(&self) -> Option<&Scored> {
        self.worst.as_ref()
    }

    /// Whether there is room for any document.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.kept.len() < self.capacity
    }

    /// Best first.
    pub(crate) fn into_sorted(mut self) -> Vec<Scored> {
        self.kept.sort_unstable_by_key(|scored| Reverse(scored.place()));
        self.kept.truncate(self.capacity);
        self.kept
    }

    /// Throws away what is not among the best.
    fn select(&mut self) {
        let by_place = |scored: &Scored| Reverse(scored.place());
        let (_, worst, _) = self.kept.select_nth_unstable_by_key(self.capacity - 1, by_place);
        self.worst = Some(*worst);
        self.kept.truncate(self.capacity);
    }
}

/// So many more are put aside before they are looked at; none where few are wanted.
fn spare(capacity: usize) -> usize {
    capacity / 64 * 32
}

impl Keeper for TopDocuments {
    #[inline]
    fn offer(&mut self, scored: Scored) {
        if self.worst.is_some_and(|worst| scored < worst) {
            return;
        }
        let spare = spare(self.capacity);
        if spare == 0 {
            let place = self.kept.partition_point(|kept| *kept > scored);
            self.kept.insert(place, scored);
            self.kept.truncate(self.capacity);
            self.worst = self.kept.last().copied().filter(|_| !self.has_room());
        } else {
            self.kept.push(scored);
            if self.kept.len() == self.capacity || self.kept.len() > self.capacity + spare {
                self.select();
            }
        }
    }

    fn remove(&mut self, doc: DocId) {
        self.kept.retain(|kept| kept.doc != doc);
        if self.has_room() {
            self.worst = None;
        }
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
