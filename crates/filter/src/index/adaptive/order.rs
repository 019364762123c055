//! How similar sets lie: measured in a sample of the filters, because it cannot be computed from their number and fill.

use super::cost::TREE_CHILDREN;
use super::inner::Inner;
use super::{AdaptiveBloofi, Mix, Structure, Traits};
use crate::BloomFilter;
use crate::index::FilterIndex;

/// Filters that are read to see whether sets cluster.
const SAMPLE_FILTERS: usize = 96;

/// Pairs of neighbours that are compared to see whether they are alike.
const SAMPLE_PAIRS: usize = 8;

/// How similar sets lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    pub group_fill: f64,
    pub scatter: f64,
    measured_at: u64,
}

impl AdaptiveBloofi {
    /// Reads some filters to see how similar sets lie: only if it may decide, and rarely.
    pub(super) fn measure_order(&mut self, mix: &Mix) {
        let is_old = |order: &Order| self.changes > order.measured_at + 1_000 + 8 * self.len() as u64;
        if self.len() < SAMPLE_PAIRS || self.order.as_ref().is_some_and(|order| !is_old(order)) {
            return;
        }
        let traits = Traits::unrelated(self.len(), *self.shape(), self.fill);
        let alike = Traits { group_fill: self.fill, scatter: 0.1, ..traits };
        let cost = |traits: &Traits, structure| traits.cost(structure).of(mix);
        let others = cost(&traits, Structure::Flat)
            .min(cost(&traits, Structure::Sliced))
            .min(cost(&traits, Structure::Naive));
        let tree_may_win = cost(&alike, Structure::Tree) < others;
        let list_may_win = cost(&alike, Structure::Naive) < others;
        if !tree_may_win && !list_may_win {
            return;
        }
        self.order = Some(Order {
            group_fill: if tree_may_win { self.measured_group_fill() } else { traits.group_fill },
            scatter: self.measured_scatter(),
            measured_at: self.changes,
        });
    }

    /// The share of bits in which neighbours differ, of what strangers would.
    fn measured_scatter(&self) -> f64 {
        let (index, ids) = (self.inner.as_index(), self.inner.as_index().ids());
        let (mut differing, mut strangers) = (0.0, 0.0);
        for pair in ids.windows(2).step_by((ids.len() / SAMPLE_PAIRS).max(1)) {
            let (Some(left), Some(right)) = (index.filter(pair[0]), index.filter(pair[1])) else { continue };
            let (left_fill, right_fill) = (left.fill(), right.fill());
            differing += left.distance(&right).expect("filters of one shape") as f64;
            strangers += left_fill * (1.0 - right_fill) + right_fill * (1.0 - left_fill);
        }
        let strangers = strangers * self.shape().bits() as f64;
        if strangers > 0.0 { (differing / strangers).min(1.0) } else { 1.0 }
    }

    /// The fill of the OR of similar filters: in a tree, of the nodes above the leaves; else of some filters with those
    /// that are most similar in a sample. A sample misses the neighbours of small clusters among many and then says
    /// random, which is the careful answer.
    fn measured_group_fill(&self) -> f64 {
        if let Inner::Tree(tree) = &self.inner {
            return tree.level_one_fill();
        }
        let index = self.inner.as_index();
        let ids = index.ids();
        let spread = ids.iter().step_by((ids.len() / SAMPLE_FILTERS).max(1)).take(SAMPLE_FILTERS);
        let mut sample: Vec<BloomFilter> = spread.filter_map(|id| index.filter(*id)).collect();
        let centre_count = 4.min(sample.len());
        let mut fills = 0.0;
        for centre in 0..centre_count {
            sample.swap(0, centre);
            let (first, others) = sample.split_first_mut().expect("there is a centre");
            others.sort_by_cached_key(|other| first.distance(other).expect("filters of one shape"));
            let mut group = first.clone();
            for other in others.iter().take(TREE_CHILDREN as usize - 1) {
                group.union_with(other).expect("filters of one shape");
            }
            fills += group.fill();
        }
        fills / centre_count.max(1) as f64
    }
}
