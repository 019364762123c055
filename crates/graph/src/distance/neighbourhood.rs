//! How many pairs of nodes are how far apart?

/// The neighbourhood function: at place t, how many pairs (x, y), x = y included, have a path from x to y of at most t
/// arcs. The last number counts all pairs that are connected at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbourhood {
    /// The function; never falls.
    pub pairs: Vec<f64>,
}

impl Neighbourhood {
    /// How many pairs are connected by a path.
    pub fn reachable_pairs(&self) -> f64 {
        self.pairs.last().copied().unwrap_or(0.0)
    }

    /// The part of the connected pairs that is exactly t apart, for each t.
    pub fn distribution(&self) -> Vec<f64> {
        let before = std::iter::once(&0.0).chain(&self.pairs);
        self.pairs.iter().zip(before).map(|(upto, before)| (upto - before) / self.reachable_pairs()).collect()
    }

    /// The mean distance of different nodes that are connected; absent if there are none.
    pub fn average_distance(&self) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for (distance, pair) in self.pairs.windows(2).enumerate() {
            sum += (distance + 1) as f64 * (pair[1] - pair[0]);
            count += pair[1] - pair[0];
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The distance within which a part of the connected pairs lies (usually 0.9), interpolated between whole numbers.
    pub fn effective_diameter(&self, part: f64) -> f64 {
        let wanted = part * self.reachable_pairs();
        let Some(first) = self.pairs.iter().position(|pairs| *pairs >= wanted) else { return 0.0 };
        match first.checked_sub(1).map(|before| self.pairs[before]) {
            None => 0.0,
            Some(before) => (first - 1) as f64 + (wanted - before) / (self.pairs[first] - before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_three_nodes_is_summed_up_as_by_hand() {
        // 0 → 1 → 2: three pairs at distance 0, two at 1, one at 2.
        let path = Neighbourhood { pairs: vec![3.0, 5.0, 6.0] };
        assert_eq!(path.reachable_pairs(), 6.0);
        assert_eq!(path.distribution(), [3.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0]);
        assert_eq!(path.average_distance(), Some(4.0 / 3.0));
        assert!((path.effective_diameter(0.9) - 1.4).abs() < 1e-12);
        assert_eq!(path.effective_diameter(0.4), 0.0);
    }

    #[test]
    fn without_arcs_there_is_no_average_distance() {
        for pairs in [vec![], vec![4.0]] {
            let alone = Neighbourhood { pairs };
            assert_eq!((alone.average_distance(), alone.effective_diameter(0.9)), (None, 0.0));
        }
    }
}
