//! Shingles of real texts: their sets have the known similarities, and no two of them the same hash.

use std::collections::HashSet;

use dedup::{Shingler, Shingling, TextOptions, jaccard, make_set};

use crate::licence_texts::licences;

/// The sets of shingles of all texts.
pub fn sets(texts: &[String], shingling: Shingling) -> Vec<Vec<u64>> {
    let mut shingler = Shingler::new(shingling, TextOptions::default());
    let set = |text: &String| {
        let mut hashes = Vec::new();
        shingler.shingle(text.as_bytes(), &mut hashes);
        make_set(&mut hashes);
        hashes
    };
    texts.iter().map(set).collect()
}

#[test]
fn similarities_are_the_known_ones_to_six_digits() {
    let Some(licences) = licences() else { return };
    let sets = sets(&licences.texts, Shingling::Words(5));
    assert!(licences.pairs.len() > 10_000);
    for (left, right, expected) in &licences.pairs {
        let found = jaccard(&sets[*left], &sets[*right]);
        assert!((found - expected).abs() < 0.51e-6, "texts {left} and {right}: {found}, not {expected}");
    }
}

#[test]
fn different_shingles_have_different_hashes() {
    let Some(licences) = licences() else { return };
    let words: Vec<Vec<String>> = licences
        .texts
        .iter()
        .map(|text| {
            let lower = text.to_lowercase();
            lower
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        })
        .collect();
    for length in [1, 2, 5] {
        let shingles: HashSet<&[String]> = words.iter().flat_map(|words| words.windows(length)).collect();
        let hashes: HashSet<u64> =
            sets(&licences.texts, Shingling::Words(length)).into_iter().flatten().collect();
        assert_eq!(hashes.len(), shingles.len(), "{length} words");
    }
    let chars: Vec<Vec<char>> = licences
        .texts
        .iter()
        .map(|text| text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect())
        .collect();
    let shingles: HashSet<&[char]> = chars.iter().flat_map(|chars| chars.windows(54)).collect();
    let hashes: HashSet<u64> = sets(&licences.texts, Shingling::Chars(54)).into_iter().flatten().collect();
    assert_eq!(hashes.len(), shingles.len());
}
