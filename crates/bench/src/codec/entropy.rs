//! The entropy of numbers: how many bits each takes at least, in the mean, by a code that knows how often each comes.

use std::collections::HashMap;

/// The mean surprise of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entropy {
    /// In bits.
    pub bits: f64,
}

impl Entropy {
    /// Σ −p log p over the numbers that come.
    pub fn of(numbers: impl Iterator<Item = u32>) -> Self {
        let (mut counts, mut all) = (HashMap::<u32, u64>::new(), 0u64);
        for number in numbers {
            *counts.entry(number).or_default() += 1;
            all += 1;
        }
        let surprise = |count: &u64| {
            let probability = *count as f64 / all as f64;
            -probability * probability.log2()
        };
        Self { bits: counts.values().map(surprise).sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_that_are_as_frequent_take_two_bits_and_one_alone_none() {
        assert_eq!(Entropy::of([1, 2, 3, 4].into_iter()).bits, 2.0);
        assert_eq!(Entropy::of([7, 7].into_iter()).bits, 0.0);
    }
}
