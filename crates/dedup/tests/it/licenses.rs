//! Real texts with known similarities: licences, many of which are versions of each other.
//!
//! They live beside the project; without them these tests say so and pass.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use dedup::{Shingler, Shingling, TextOptions, jaccard, make_set};

/// Texts and the pairs of them that are similar.
pub struct Licenses {
    pub texts: Vec<String>,
    /// Places of two texts, and their exact similarity over shingles of five words.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// Reads them, or says that they are absent.
pub fn licenses() -> Option<Licenses> {
    let root = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = root.join("neardup/licensedcode-dev");
    let (Ok(texts), Ok(pairs)) =
        (fs::read_to_string(folder.join("texts.tsv")), fs::read_to_string(folder.join("pairs_k5_0.5.tsv")))
    else {
        eprintln!("skipped: {} is absent (set CRIVELLO_DATA)", folder.display());
        return None;
    };
    let mut places = HashMap::new();
    let mut all = Vec::new();
    for line in texts.lines() {
        let mut fields = line.splitn(3, '\t');
        places.insert(fields.next().expect("an id"), all.len());
        all.push(fields.nth(1).expect("a text").to_owned());
    }
    let pair = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (places[fields[0]], places[fields[1]], fields[2].parse().expect("a number"))
    };
    Some(Licenses { pairs: pairs.lines().map(pair).collect(), texts: all })
}

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
    let Some(licenses) = licenses() else { return };
    let sets = sets(&licenses.texts, Shingling::Words(5));
    assert!(licenses.pairs.len() > 10_000);
    for (left, right, expected) in &licenses.pairs {
        let found = jaccard(&sets[*left], &sets[*right]);
        assert!((found - expected).abs() < 0.51e-6, "texts {left} and {right}: {found}, not {expected}");
    }
}

#[test]
fn different_shingles_have_different_hashes() {
    let Some(licenses) = licenses() else { return };
    let words: Vec<Vec<String>> = licenses
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
            sets(&licenses.texts, Shingling::Words(length)).into_iter().flatten().collect();
        assert_eq!(hashes.len(), shingles.len(), "{length} words");
    }
    let chars: Vec<Vec<char>> = licenses
        .texts
        .iter()
        .map(|text| text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect())
        .collect();
    let shingles: HashSet<&[char]> = chars.iter().flat_map(|chars| chars.windows(54)).collect();
    let hashes: HashSet<u64> = sets(&licenses.texts, Shingling::Chars(54)).into_iter().flatten().collect();
    assert_eq!(hashes.len(), shingles.len());
}
