//! Real near-duplicates: the texts of licences, with the exact similarity of all their pairs.

use std::collections::{BTreeMap, BTreeSet};

use dedup::minhash::Scheme;
use dedup::{Clustering, DedupConfig, Deduplicator, Verification};

use crate::licence_texts::{Licences, licences};

/// The known pairs, the smaller number first.
fn truth(licences: &Licences) -> BTreeMap<(u32, u32), f64> {
    let pair = |&(left, right, similarity): &(usize, usize, f64)| {
        ((left.min(right) as u32, left.max(right) as u32), similarity)
    };
    licences.pairs.iter().map(pair).collect()
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

/// Looks for the pairs of licences at all thresholds: nothing wrong may be found, and little may be missed.
fn assert_recall(licences: &Licences, config: &DedupConfig) {
    let known = truth(licences);
    let name = format!("{:?} {:?}", config.scheme, config.clustering);
    for threshold in [0.5, 0.7, 0.8, 0.9, 0.95] {
        // The truth has six digits: pairs that they cannot decide are left out.
        let is_clear = |similarity: &f64| (similarity - threshold).abs() > 1e-6;
        let wanted: BTreeSet<_> = (known.iter())
            .filter(|(_, similarity)| **similarity >= threshold && is_clear(similarity))
            .map(|(pair, _)| *pair)
            .collect();
        let found = find(licences, DedupConfig { threshold, ..config.clone() });
        for (pair, similarity) in &found {
            let truth = known.get(pair);
            assert!(
                truth.is_some_and(|truth| (truth - similarity).abs() < 1e-6),
                "{name} at {threshold}: {pair:?} is {truth:?}, not {similarity}"
            );
        }
        let hits = wanted.iter().filter(|pair| found.contains_key(pair)).count();
        let recall = hits as f64 / wanted.len() as f64;
        assert!(recall >= 0.999, "{name} at {threshold}: {hits} of {}", wanted.len());
        if config.clustering == Clustering::Exhaustive {
            assert_eq!(hits, wanted.len());
        }
    }
}

#[test]
fn nearly_all_pairs_of_licences_are_found_and_nothing_else() {
    let Some(licences) = licences() else { return };
    for clustering in [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive] {
        assert_recall(&licences, &DedupConfig { clustering, ..DedupConfig::default() });
    }
}

#[test]
fn every_scheme_finds_nearly_all_pairs_of_licences() {
    let Some(licences) = licences() else { return };
    for scheme in Scheme::ALL {
        assert_recall(&licences, &DedupConfig { scheme, ..DedupConfig::default() });
    }
}

#[test]
fn estimates_are_near_the_truth() {
    let Some(licences) = licences() else { return };
    let known = truth(&licences);
    for clustering in [Clustering::Banded, Clustering::SortedPairs] {
        let config = DedupConfig {
            threshold: 0.7,
            clustering,
            verification: Verification::Estimate,
            ..DedupConfig::default()
        };
        let found = find(&licences, config);
        let errors = found.iter().filter_map(|(pair, estimate)| Some(known.get(pair)? - estimate));
        let squares: Vec<f64> = errors.map(|error| error * error).collect();
        let error = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!(squares.len() > 1000 && error < 0.04, "{clustering:?}: {error} over {} pairs", squares.len());
    }
}
