//! How far are estimates from the truth, and what does banding miss? On licence texts, of which every pair is known.

use std::collections::HashMap;

use ::dedup::minhash::{SLOTS, Scheme, estimate};
use ::dedup::{Shingler, Shingling, TextOptions};

use super::texts::Licences;
use crate::Row;

const SEEDS: u64 = 6;
/// Of one document, in one tenth of similarities: else a family of hundreds would decide alone.
const PAIRS_PER_DOCUMENT_MAX: usize = 3;
/// Of the error that independent, perfectly random permutations would make.
const ERROR_RATIO_MAX: f64 = 0.85;

/// The error of each scheme, beside that of ideal MinHash.
pub fn error_rows(licences: &Licences) -> Vec<Row> {
    let pairs = capped(licences);
    let sets: Vec<Vec<u64>> = licences
        .texts
        .iter()
        .map(|text| {
            let mut hashes = Vec::new();
            Shingler::new(Shingling::Words(5), TextOptions::default()).shingle(text.as_bytes(), &mut hashes);
            hashes
        })
        .collect();
    let ideal = pairs.iter().map(|(.., truth)| truth * (1.0 - truth) / SLOTS as f64).sum::<f64>();
    let ideal = (ideal / pairs.len() as f64).sqrt();
    let row = |scheme: Scheme| {
        let error = (0..SEEDS).map(|seed| squared_error(scheme, seed, &sets, &pairs)).sum::<f64>();
        let error = (error / SEEDS as f64).sqrt();
        let goal = (scheme == Scheme::default()).then_some(ERROR_RATIO_MAX);
        let name = format!("{scheme}, error of estimates, {} pairs", pairs.len());
        Row::new(name, "root mean square", error, "ideal MinHash", Ok(ideal), goal)
    };
    Scheme::ALL.into_iter().map(row).collect()
}

/// Pairs by number, few of each document.
fn capped(licences: &Licences) -> Vec<(usize, usize, f64)> {
    let numbers: HashMap<&str, usize> =
        licences.names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let mut taken: HashMap<(usize, usize), usize> = HashMap::new();
    let mut pairs = Vec::new();
    for (first, second, truth) in &licences.pairs {
        let (first, second) = (numbers[first.as_str()], numbers[second.as_str()]);
        let tenth = (truth * 10.0) as usize;
        let has_room =
            |document| taken.get(&(document, tenth)).is_none_or(|count| *count < PAIRS_PER_DOCUMENT_MAX);
        // Equal sets have equal sketches: nothing is estimated.
        if *truth < 1.0 && has_room(first) && has_room(second) {
            *taken.entry((first, tenth)).or_default() += 1;
            *taken.entry((second, tenth)).or_default() += 1;
            pairs.push((first, second, *truth));
        }
    }
    pairs
}

fn squared_error(scheme: Scheme, seed: u64, sets: &[Vec<u64>], pairs: &[(usize, usize, f64)]) -> f64 {
    let hasher = scheme.hasher(SLOTS, seed);
    let sketches: Vec<Vec<u64>> = sets
        .iter()
        .map(|set| {
            let mut slots = vec![0; SLOTS];
            hasher.sketch(set, &mut slots);
            slots
        })
        .collect();
    let error = |(first, second, truth): &(usize, usize, f64)| {
        (estimate(&sketches[*first], &sketches[*second]) - truth).powi(2)
    };
    pairs.iter().map(error).sum::<f64>() / pairs.len() as f64
}
