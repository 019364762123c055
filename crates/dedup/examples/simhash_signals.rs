//! Which signals make the best SimHash? Words, rows of words, both; with repeats or without.
//!
//! `cargo run --release -p dedup --example simhash_signals`
//!
//! Over the licences of the test data: the share of pairs at a Hamming distance of at most 3, for texts with one word in
//! sixty replaced, for pairs of similarity 0.9 and more, and for pairs below 0.5 and below 0.2, which should have none.

use std::fs;
use std::path::{Path, PathBuf};

use dedup::{Shingler, Shingling, SimHash64, TextOptions, hamming, jaccard, make_set};

const WORDS_MIN: usize = 100;

/// Weights of single words, pairs and rows of three, and whether repeats count.
const SIGNALS: [([u32; 3], bool); 9] = [
    ([1, 0, 0], true),
    ([1, 0, 0], false),
    ([4, 1, 0], true),
    ([2, 1, 0], true),
    ([1, 1, 0], true),
    ([1, 1, 1], true),
    ([0, 1, 0], true),
    ([0, 1, 0], false),
    ([0, 0, 1], true),
];

fn main() {
    let data = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = data.join("neardup/licensedcode-dev/texts.tsv");
    let Ok(file) = fs::read_to_string(&path) else {
        println!("skipped: {} is absent (set CRIVELLO_DATA)", path.display());
        return;
    };
    let texts: Vec<&str> = file
        .lines()
        .filter_map(|line| line.splitn(3, '\t').nth(2))
        .filter(|text| text.split_whitespace().count() >= WORDS_MIN)
        .collect();
    let sets: Vec<Vec<u64>> = texts.iter().map(|text| shingles(text, 5, false)).collect();
    // In pairs: similar, below one half, below one fifth.
    let mut pairs: [Vec<(usize, usize)>; 3] = Default::default();
    for (i, left) in sets.iter().enumerate() {
        for (j, right) in sets.iter().enumerate().skip(i + 1) {
            let similarity = jaccard(left, right);
            let is_in = [similarity >= 0.9, similarity < 0.5, similarity < 0.2];
            for (pairs, _) in pairs.iter_mut().zip(is_in).filter(|(_, is_in)| *is_in) {
                pairs.push((i, j));
            }
        }
    }
    println!(
        "{} texts of {WORDS_MIN} words and more; pairs: {:?}",
        texts.len(),
        pairs.each_ref().map(Vec::len)
    );
    println!("weights, repeats      edited    J≥0.9     J<0.5     J<0.2");
    for (weights, with_repeats) in SIGNALS {
        let simhash = |text: &str| {
            let rows = (1..).zip(weights).filter(|(_, weight)| *weight > 0);
            let signals = rows.flat_map(|(length, weight)| {
                shingles(text, length, with_repeats).into_iter().map(move |hash| (hash, weight))
            });
            SimHash64::of(signals).0
        };
        let hashes: Vec<u64> = texts.iter().map(|text| simhash(text)).collect();
        let are_near = |left: u64, right: u64| hamming(left, right) <= 3;
        let edited = (0..texts.len()).filter(|i| are_near(simhash(&edit(texts[*i], *i)), hashes[*i])).count();
        let found = pairs.each_ref().map(|pairs| {
            let near = pairs.iter().filter(|(i, j)| are_near(hashes[*i], hashes[*j])).count();
            near as f64 / pairs.len() as f64
        });
        println!(
            "{weights:?}, {with_repeats:<5} {:>10.3} {:>8.3}  {:>8.6}  {:>8.6}",
            edited as f64 / texts.len() as f64,
            found[0],
            found[1],
            found[2]
        );
    }
}

fn shingles(text: &str, length: usize, with_repeats: bool) -> Vec<u64> {
    let mut hashes = Vec::new();
    Shingler::new(Shingling::Words(length), TextOptions::default()).shingle(text.as_bytes(), &mut hashes);
    if !with_repeats {
        make_set(&mut hashes);
    }
    hashes
}

/// One word in sixty replaced by a word that stands nowhere else.
fn edit(text: &str, number: usize) -> String {
    let words = text.split_whitespace().enumerate();
    let edited = words.map(|(i, word)| {
        if (i + number).is_multiple_of(60) { format!("edit{number}x{i}") } else { word.to_owned() }
    });
    edited.collect::<Vec<_>>().join(" ")
}
