//! Copies by comparing everything with everything, exactly: too slow for many texts, and certainly right.

use std::collections::BTreeMap;

use crate::DedupConfig;
use crate::shingles::{Shingler, jaccard, make_set};

/// Which texts of a few are copies of each other: pairs of their places that join them, by the exact similarity of their sets of
/// shingles. Of equal texts each is joined to the first alone; texts without shingles are copies of nothing.
pub fn exhaustive_pairs(texts: &[impl AsRef<[u8]>], config: &DedupConfig) -> Vec<(usize, usize)> {
    let mut shingler = Shingler::new(config.shingling, config.text);
    let mut sets: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let mut set = Vec::new();
        shingler.shingle(text.as_ref(), &mut set);
        make_set(&mut set);
        if !set.is_empty() {
            let first = *sets.entry(set).or_insert(place);
            pairs.extend((first != place).then_some((first, place)));
        }
    }
    let sets: Vec<_> = sets.into_iter().collect();
    for (number, (left, place)) in sets.iter().enumerate() {
        let is_alike = |(right, _): &&(Vec<u64>, usize)| jaccard(left, right) >= config.threshold;
        pairs.extend(sets[..number].iter().filter(is_alike).map(|(_, other)| (*other, *place)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_near_texts_are_joined_and_others_are_not() {
        let words = |from: u32, to: u32| (from..to).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let texts =
            [words(0, 100), words(0, 98), String::new(), words(0, 100), words(500, 600), String::new()];
        assert_eq!(exhaustive_pairs(&texts, &DedupConfig::default()).len(), 2);
        let joined = |one, other| {
            exhaustive_pairs(&texts, &DedupConfig::default())
                .iter()
                .any(|&(left, right)| (left.min(right), left.max(right)) == (one, other))
        };
        assert!(joined(0, 3) && joined(0, 1));
    }
}
