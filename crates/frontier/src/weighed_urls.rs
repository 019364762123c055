//! Which address of a site is next, if not the one that came first: the one that matters most.
//!
//! How much an address matters is somebody else's knowledge ([`crate::PriorityPolicy`]), and it changes while the address waits: each
//! page that is fetched may link to it. So the addresses of a site that are in memory lie in a heap by what was known of
//! them when they were last weighed, and when a sixteenth of them has been taken, all are weighed anew. That is sixteen
//! questions per address, and no address is judged by news that a sixteenth of the queue is older than.
//!
//! What is on disk stands in bands by the weight that it had ([`crate::site_queue`]); it is weighed when it comes into memory.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::QueuedUrl;

/// Addresses are weighed anew when one of so many has been taken.
const WEIGHED_PER_ADDRESS: usize = 16;

/// Addresses by weight.
#[derive(Debug, Default)]
pub(crate) struct WeighedUrls {
    heap: BinaryHeap<Weighed>,
    taken: usize,
    weight_min: u64,
}

impl WeighedUrls {
    pub(crate) fn push_weighed(&mut self, url: QueuedUrl, weight: u64) {
        self.weight_min = if self.heap.is_empty() { weight } else { self.weight_min.min(weight) };
        self.heap.push(Weighed { weight, url });
    }

    /// Nobody is lighter. The lightest may be heavier.
    pub(crate) fn weight_min(&self) -> u64 {
        self.weight_min
    }

    /// The weight of the heaviest.
    pub(crate) fn weight_max(&self) -> Option<u64> {
        self.heap.peek().map(|weighed| weighed.weight)
    }

    /// Takes so many of the lightest, the heaviest and oldest of them first.
    pub(crate) fn take_lighter(
        &mut self,
        count: usize,
        weigh: impl Fn(&QueuedUrl) -> u64,
    ) -> Vec<(u64, QueuedUrl)> {
        let mut urls = std::mem::take(&mut self.heap).into_vec();
        urls.iter_mut().for_each(|weighed| weighed.weight = weigh(&weighed.url));
        urls.sort_unstable_by(|left, right| right.cmp(left));
        let lighter = urls.split_off(urls.len() - count);
        self.weight_min = urls.last().map_or(0, |weighed| weighed.weight);
        self.heap = urls.into();
        lighter.into_iter().map(|Weighed { weight, url }| (weight, url)).collect()
    }

    /// Takes the address of most weight.
    pub(crate) fn pop(&mut self, weigh: impl Fn(&QueuedUrl) -> u64) -> Option<QueuedUrl> {
        self.taken += 1;
        if self.taken * WEIGHED_PER_ADDRESS >= self.heap.len() {
            let mut urls = std::mem::take(&mut self.heap).into_vec();
            urls.iter_mut().for_each(|weighed| weighed.weight = weigh(&weighed.url));
            self.heap = urls.into();
            self.taken = 0;
        }
        self.heap.pop().map(|weighed| weighed.url)
    }

    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// Memory that is there for more of them.
    pub(crate) fn unused_bytes(&self) -> usize {
        (self.heap.capacity() - self.heap.len()) * size_of::<Weighed>()
    }

    /// All of them, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &QueuedUrl> {
        self.heap.iter().map(|weighed| &weighed.url)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Weighed {
    weight: u64,
    url: QueuedUrl,
}

impl Ord for Weighed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.cmp(&other.weight).then(other.url.ordinal.cmp(&self.url.ordinal))
    }
}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::Ordinal;
    use std::cell::Cell;

    fn url(ordinal: u64) -> QueuedUrl {
        QueuedUrl { ordinal: Ordinal::new(ordinal), depth: 0, hops: 0, tries: 0, path: "/".into() }
    }

    #[test]
    fn the_heaviest_comes_first_and_then_the_oldest() {
        let mut urls = WeighedUrls::default();
        let weigh = |url: &QueuedUrl| url.ordinal.get() % 3;
        [4, 2, 9, 5, 8, 1]
            .into_iter()
            .for_each(|ordinal| urls.push_weighed(url(ordinal), weigh(&url(ordinal))));
        let order: Vec<u64> = std::iter::from_fn(|| urls.pop(weigh)).map(|url| url.ordinal.get()).collect();
        assert_eq!(order, [2, 5, 8, 1, 4, 9]);
        assert_eq!(urls.len(), 0);
    }

    #[test]
    fn the_lightest_are_taken_in_order_and_the_heavier_stays() {
        let mut urls = WeighedUrls::default();
        let weigh = |url: &QueuedUrl| url.ordinal.get() % 3;
        [4, 2, 9, 5, 8, 1]
            .into_iter()
            .for_each(|ordinal| urls.push_weighed(url(ordinal), weigh(&url(ordinal))));
        assert_eq!((urls.weight_min(), urls.weight_max()), (0, Some(2)));
        let taken = urls.take_lighter(3, weigh).into_iter().map(|(weight, url)| (weight, url.ordinal.get()));
        assert!(taken.eq([(1, 1), (1, 4), (0, 9)]));
        assert_eq!((urls.weight_min(), urls.len()), (2, 3));
    }

    #[test]
    fn news_are_heard_before_a_sixteenth_is_taken_and_cost_sixteen_questions_each() {
        let mut urls = WeighedUrls::default();
        let (favourite, questions) = (Cell::new(u64::MAX), Cell::new(0));
        let weigh = |url: &QueuedUrl| {
            questions.set(questions.get() + 1);
            u64::from(url.ordinal.get() == favourite.get())
        };
        (0..1600).for_each(|ordinal| urls.push_weighed(url(ordinal), weigh(&url(ordinal))));
        favourite.set(1599);
        let taken = (0..).take_while(|_| urls.pop(weigh).unwrap().ordinal.get() != 1599).count();
        assert!(taken < 100, "{taken}");
        questions.set(0);
        let rest = std::iter::from_fn(|| urls.pop(weigh)).count();
        assert!(questions.get() <= 17 * (rest + 16), "{} for {rest}", questions.get());
    }
}
