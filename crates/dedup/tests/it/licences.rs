//! Real near-duplicates: the texts of licences, with the exact similarity of all their pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use dedup::{Clustering, DedupConfig, Deduplicator, Verification};

struct Licences {
    texts: Vec<String>,
    /// Pairs of similarity 0.5 and more.
    truth: BTreeMap<(u32, u32), f64>,
}

/// None where the data is not there, which is told.
fn licences() -> Option<Licences> {
    let data = std::env::var_os("CRIVELLO_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let folder = data.join("neardup/licensedcode-dev");
    let Ok(lines) = std::fs::read_to_string(folder.join("texts.tsv")) else {
        // Not by `eprintln!`, which a passing test keeps to itself.
        use std::io::Write;
        let _ =
            writeln!(std::io::stderr(), "skipped: there are no texts of licences in {}", folder.display());
        return None;
    };
    let mut numbers = BTreeMap::new();
    let mut texts = Vec::new();
    for line in lines.lines() {
        let mut fields = line.splitn(3, '\t');
        let name = fields.next().expect("a line has a first field").to_owned();
        numbers.insert(name, texts.len() as u32);
        texts.push(fields.nth(1).expect("a line has a text").to_owned());
    }
    let pairs =
        std::fs::read_to_string(folder.join("pairs_k5_0.5.tsv")).expect("texts come with their pairs");
    let truth = pairs
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let (left, right) = (numbers[fields[0]], numbers[fields[1]]);
            ((left.min(right), left.max(right)), fields[2].parse().expect("a similarity is a number"))
        })
        .collect();
    Some(Licences { texts, truth })
}

/// Pairs that were found and similarities that were told.
fn find(licences: &Licences, config: DedupConfig) -> BTreeMap<(u32, u32), f64> {
    let work = tempfile::tempdir().unwrap();
    let documents = &licences.texts[..];
    let mut deduplicator = Deduplicator::open(work.path(), config, "licences").unwrap();
    deduplicator.sketch(&documents, &()).unwrap();
    let mut found = BTreeMap::new();
    let report = deduplicator
        .pairs(&documents, &(), &mut |pair| {
            assert!(found.last_key_value().is_none_or(|(last, _)| *last < (pair.first, pair.second)));
            found.insert((pair.first, pair.second), pair.similarity);
            Ok(())
        })
        .unwrap();
    assert_eq!(report.pairs, found.len() as u64);
    found
}

#[test]
fn nearly_all_pairs_of_licences_are_found_and_nothing_else() {
    let Some(licences) = licences() else { return };
    for threshold in [0.5, 0.7, 0.8, 0.9, 0.95] {
        // The truth has six digits: pairs that they cannot decide are left out.
        let is_clear = |similarity: &f64| (similarity - threshold).abs() > 1e-6;
        let wanted: BTreeSet<_> = (licences.truth.iter())
            .filter(|(_, similarity)| **similarity >= threshold && is_clear(similarity))
            .map(|(pair, _)| *pair)
            .collect();
        for clustering in [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive] {
            let found = find(&licences, DedupConfig { threshold, clustering, ..DedupConfig::default() });
            for (pair, similarity) in &found {
                let truth = licences.truth.get(pair);
                assert!(
                    truth.is_some_and(|truth| (truth - similarity).abs() < 1e-6),
                    "{clustering:?} at {threshold}: {pair:?} is {truth:?}, not {similarity}"
                );
            }
            let hits = wanted.iter().filter(|pair| found.contains_key(pair)).count();
            let recall = hits as f64 / wanted.len() as f64;
            assert!(recall >= 0.999, "{clustering:?} at {threshold}: {hits} of {}", wanted.len());
            if clustering == Clustering::Exhaustive {
                assert_eq!(hits, wanted.len());
            }
        }
    }
}

#[test]
fn estimates_are_near_the_truth() {
    let Some(licences) = licences() else { return };
    for clustering in [Clustering::Banded, Clustering::SortedPairs] {
        let config = DedupConfig {
            threshold: 0.7,
            clustering,
            verification: Verification::Estimate,
            ..DedupConfig::default()
        };
        let found = find(&licences, config);
        let errors = found.iter().filter_map(|(pair, estimate)| Some(licences.truth.get(pair)? - estimate));
        let squares: Vec<f64> = errors.map(|error| error * error).collect();
        let error = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!(squares.len() > 1000 && error < 0.04, "{clustering:?}: {error} over {} pairs", squares.len());
    }
}
