//! How similar sets lie: measured in a sample of the filters, because it cannot be computed from their number and fill.
//!
//! Of each filter of the sample only the first words are read: bits are spread evenly over a filter, and some hundred of
//! them say how full and how alike filters are as well as all would, for a fraction of the time.

use super::cost::TREE_CHILDREN;
use super::{AdaptiveBloofi, Mix, Structure, Traits};
use crate::index::FilterIndex;

/// Words of a filter that are read.
const SAMPLE_WORDS: usize = 8;

/// Filters that are read to see whether sets cluster.
const SAMPLE_FILTERS: usize = 96;

/// Filters around which a group of similar ones is looked for.
const CENTRES: usize = 4;

/// Pairs of neighbours that are compared to see whether they are alike.
const SAMPLE_PAIRS: usize = 16;

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
        let is_old = |order: &Order| self.changes > order.measured_at + 500 + 2 * self.len() as u64;
        if self.len() < TREE_CHILDREN as usize || self.order.as_ref().is_some_and(|order| !is_old(order)) {
            return;
        }
        let traits = Traits::unrelated(self.len(), *self.shape(), self.fill);
        let alike = Traits { group_fill: self.fill, scatter: 0.1, ..traits };
        let costs = |traits: &Traits| Structure::ALL.map(|structure| traits.cost(structure).of(mix));
        let least = |costs: [f64; 4]| costs.into_iter().fold(f64::INFINITY, f64::min);
        let (unrelated, tree) = (least(costs(&traits)), alike.cost(Structure::Tree).of(mix));
        if least(costs(&alike)) > unrelated * 0.95 {
            return;
        }
        let ids = self.inner.as_index().ids();
        self.order = Some(Order {
            group_fill: if tree < unrelated { self.measured_group_fill(&ids) } else { traits.group_fill },
            scatter: self.measured_scatter(&ids),
            measured_at: self.changes,
        });
    }

    fn sample(&self, id: u64) -> Vec<u64> {
        let word_count = SAMPLE_WORDS.min(self.shape().word_count());
        self.inner.prefix(id, word_count).expect("an id that was just listed")
    }

    /// The share of bits in which neighbours differ, of what strangers would.
    fn measured_scatter(&self, ids: &[u64]) -> f64 {
        let (mut differing, mut strangers) = (0.0, 0.0);
        for pair in ids.windows(2).step_by((ids.len() / SAMPLE_PAIRS).max(1)) {
            let (left, right) = (self.sample(pair[0]), self.sample(pair[1]));
            let (left_fill, right_fill) = (fill(&left), fill(&right));
            differing += f64::from(distance(&left, &right));
            let bits = left.len() as f64 * 64.0;
            strangers += (left_fill * (1.0 - right_fill) + right_fill * (1.0 - left_fill)) * bits;
        }
        if strangers > 0.0 { (differing / strangers).min(1.0) } else { 1.0 }
    }

    /// The fill of the OR of similar filters: of some filters with those that are most similar in a sample. A sample
    /// misses the neighbours of small clusters among many and then says random, which is the careful answer.
    fn measured_group_fill(&self, ids: &[u64]) -> f64 {
        let spread = ids.iter().step_by((ids.len() / SAMPLE_FILTERS).max(1)).take(SAMPLE_FILTERS);
        let mut sample: Vec<Vec<u64>> = spread.map(|id| self.sample(*id)).collect();
        let centre_count = CENTRES.min(sample.len());
        let mut fills = 0.0;
        for centre in 0..centre_count {
            sample.swap(0, centre);
            let (first, others) = sample.split_first_mut().expect("there is a centre");
            others.sort_by_cached_key(|other| distance(first, other));
            let mut group = first.clone();
            for other in others.iter().take(TREE_CHILDREN as usize - 1) {
                group.iter_mut().zip(other).for_each(|(all, word)| *all |= word);
            }
            fills += fill(&group);
        }
        fills / centre_count.max(1) as f64
    }
}

fn distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(left, right)| (left ^ right).count_ones()).sum()
}

/// The share of set bits in the first words of a filter.
pub(super) fn sampled_fill(words: &[u64]) -> f64 {
    fill(&words[..words.len().min(SAMPLE_WORDS)])
}

fn fill(words: &[u64]) -> f64 {
    f64::from(words.iter().map(|word| word.count_ones()).sum::<u32>()) / (words.len() * 64) as f64
}
