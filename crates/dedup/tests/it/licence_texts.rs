//! Real texts with known similarities: licences, many of which are versions of each other.
//!
//! They live beside the project; without them the tests that want them say so and pass.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Texts and the pairs of them that are similar.
pub struct Licences {
    pub texts: Vec<String>,
    /// Places of two texts, and their exact similarity over shingles of five words.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// Reads them, or says that they are absent.
pub fn licences() -> Option<Licences> {
    let root = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = root.join("neardup/licensedcode-dev");
    let (Ok(texts), Ok(pairs)) =
        (fs::read_to_string(folder.join("texts.tsv")), fs::read_to_string(folder.join("pairs_k5_0.5.tsv")))
    else {
        // Not by `eprintln!`, which a passing test keeps to itself.
        let _ = writeln!(std::io::stderr(), "skipped: {} is absent (set CRIVELLO_DATA)", folder.display());
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
    Some(Licences { pairs: pairs.lines().map(pair).collect(), texts: all })
}
