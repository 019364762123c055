//! How far are estimates from the truth, against the ideal √(J(1−J)/k)?
//!
//! Pairs of one family of texts are alike in everything, so a family must not outweigh all others: at most three pairs
//! per text and tenth of J. And a scheme draws one set of random numbers for all pairs, so errors are averaged over six
//! draws.

use std::collections::HashMap;

use dedup::minhash::{BBit, SLOTS, Scheme, estimate};
use dedup::{Shingling, jaccard};

use crate::licence_texts::{Licences, licences};
use crate::shingles_of_licences::sets;

const SEEDS: u64 = 6;
const PAIRS_PER_TEXT: u32 = 3;

/// Pairs whose similarity is known, few per text.
pub struct Sample {
    sets: Vec<Vec<u64>>,
    pairs: Vec<(usize, usize, f64)>,
}

/// Chooses pairs of which `is_wanted` (by the size of their union) is true. Pairs below J = 0.5 are not listed in the
/// data; some are drawn here, by texts that stand near each other.
pub fn sample(licences: &Licences, is_wanted: impl Fn(usize) -> bool) -> Sample {
    let sets = sets(&licences.texts, Shingling::Words(5));
    let listed = licences.pairs.iter().map(|(left, right, _)| (*left, *right));
    let near = (0..sets.len())
        .flat_map(|left| (left + 1..(left + 30).min(sets.len())).map(move |right| (left, right)));
    let mut taken: HashMap<(usize, usize), u32> = HashMap::new();
    let mut pairs = Vec::new();
    for (left, right) in listed.chain(near) {
        let similarity = jaccard(&sets[left], &sets[right]);
        let union = ((sets[left].len() + sets[right].len()) as f64 / (1.0 + similarity)).round() as usize;
        if similarity <= 0.05 || similarity >= 1.0 || !is_wanted(union) {
            continue;
        }
        let tenth = (similarity * 10.0) as usize;
        if [left, right]
            .iter()
            .all(|text| taken.get(&(*text, tenth)).is_none_or(|count| *count < PAIRS_PER_TEXT))
        {
            *taken.entry((left, tenth)).or_default() += 1;
            *taken.entry((right, tenth)).or_default() += 1;
            pairs.push((left, right, similarity));
        }
    }
    Sample { sets, pairs }
}

/// The root of the mean square error, divided by that of `slots` independent slots, for whole slots and b-bit ones.
pub fn error_against_ideal(sample: &Sample, scheme: Scheme, slots: usize) -> (f64, f64) {
    let (mut squares, mut packed_squares, mut ideal) = (0.0, 0.0, 0.0);
    for seed in 1..=SEEDS {
        let hasher = scheme.hasher(slots, seed);
        let sketches: Vec<(Vec<u64>, Vec<u8>)> = sample
            .sets
            .iter()
            .map(|set| {
                let (mut sketch, mut packed) = (vec![0; slots], Vec::new());
                hasher.sketch(set, &mut sketch);
                BBit::Eight.pack(&sketch, &mut packed);
                (sketch, packed)
            })
            .collect();
        for (left, right, similarity) in &sample.pairs {
            let (left, right) = (&sketches[*left], &sketches[*right]);
            squares += (estimate(&left.0, &right.0) - similarity).powi(2);
            packed_squares += (BBit::Eight.estimate(&left.1, &right.1, slots) - similarity).powi(2);
            ideal += similarity * (1.0 - similarity) / slots as f64;
        }
    }
    ((squares / ideal).sqrt(), (packed_squares / ideal).sqrt())
}

#[test]
fn errors_against_the_ideal_are_those_of_the_schemes() {
    let Some(licences) = licences() else { return };
    let all = sample(&licences, |_| true);
    let short = sample(&licences, |union| union < 300);
    assert!(all.pairs.len() > 2000 && short.pairs.len() > 500, "{} {}", all.pairs.len(), short.pairs.len());
    // The most that is allowed: over all pairs, and over those with unions below 300 shingles.
    let limits = [
        (Scheme::FastSimilarity, 0.85, 0.80),
        (Scheme::OnePermutation, 1.10, 1.15),
        (Scheme::MultiplyAdd, 1.10, 1.10),
        (Scheme::Seed, 1.60, 1.70),
    ];
    for (scheme, limit, limit_short) in limits {
        let (error, packed) = error_against_ideal(&all, scheme, SLOTS);
        let (error_short, _) = error_against_ideal(&short, scheme, SLOTS);
        eprintln!("{scheme:<16} {error:.3} (8 bits: {packed:.3}), short {error_short:.3}");
        assert!(error < limit && error_short < limit_short, "{scheme}: {error:.3}, short {error_short:.3}");
        assert!(packed < error + 0.08, "{scheme}: {packed:.3} with 8 bits, {error:.3} with all");
    }
}
