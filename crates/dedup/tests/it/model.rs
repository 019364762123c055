//! Every way of looking for copies gives what comparing all with all gives.

use dedup::minhash::Scheme;
use dedup::{Clustering, DedupConfig, Execution, Shingling, Verification};

use crate::collections::{all_pairs, components, config, groups, pairs, planted};

const CLUSTERINGS: [Clustering; 3] = [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive];

#[test]
fn groups_and_pairs_are_those_of_comparing_all_with_all() {
    for (seed, threshold) in [(1, 0.3), (2, 0.5), (3, 0.7), (4, 0.8), (5, 0.9), (6, 0.97), (7, 1.0)] {
        let texts = planted(seed, 250);
        for clustering in CLUSTERINGS {
            let config = DedupConfig { threshold, clustering, ..config() };
            let expected = all_pairs(&texts, &config);
            assert!(expected.len() > 20, "only {} pairs at {threshold}", expected.len());
            assert_eq!(pairs(&texts, &config), expected, "{clustering:?} at {threshold}");
            assert_eq!(
                groups(&texts, &config),
                components(&expected, texts.len()),
                "{clustering:?} at {threshold}"
            );
        }
    }
}

#[test]
fn every_scheme_and_every_shingling_agrees_with_the_model() {
    let texts = planted(11, 150);
    for scheme in [Scheme::Seed, Scheme::MultiplyAdd, Scheme::OnePermutation, Scheme::FastSimilarity] {
        for shingling in [Shingling::Words(2), Shingling::Chars(9), Shingling::SeedChars(20)] {
            let config = DedupConfig { scheme, shingling, ..config() };
            let expected = all_pairs(&texts, &config);
            assert_eq!(pairs(&texts, &config), expected, "{scheme:?} {shingling:?}");
        }
    }
}

#[test]
fn nothing_depends_on_threads_or_memory() {
    let texts = planted(21, 700);
    let forms = [
        (Execution::Serial, 512 << 20),
        (Execution::Serial, 1 << 12),
        (Execution::Threads(2), 1 << 20),
        (Execution::Threads(5), 512 << 20),
        (Execution::ProducerConsumer(1), 1 << 16),
        (Execution::ProducerConsumer(3), 512 << 20),
    ];
    let features = Clustering::Features { groups: 12, size: 5 };
    for clustering in CLUSTERINGS.into_iter().chain([features]) {
        for verification in [Verification::Exact, Verification::Estimate] {
            let answers = forms.map(|(execution, memory_bytes)| {
                let config = DedupConfig { clustering, verification, execution, memory_bytes, ..config() };
                (pairs(&texts, &config), groups(&texts, &config))
            });
            for (answer, form) in answers.iter().zip(forms) {
                assert_eq!(*answer, answers[0], "{clustering:?} {verification:?} {form:?}");
            }
            let (pairs, groups) = &answers[0];
            assert_eq!(*groups, components(pairs, texts.len()), "{clustering:?} {verification:?}");
        }
    }
}

#[test]
fn features_find_nearly_identical_documents_and_nothing_that_is_no_copy() {
    let texts = planted(31, 400);
    let config =
        DedupConfig { threshold: 0.9, clustering: Clustering::Features { groups: 20, size: 6 }, ..config() };
    let expected = all_pairs(&texts, &config);
    let found = pairs(&texts, &config);
    assert!(found.iter().all(|(pair, similarity)| expected.get(pair) == Some(similarity)));
    let close = expected.iter().filter(|(_, similarity)| **similarity >= 0.95);
    assert!(close.clone().count() > 20);
    assert!(close.filter(|(pair, _)| found.contains_key(pair)).count() > 20);
}

#[test]
fn the_files_are_the_same_for_any_form_of_execution() {
    let texts = planted(41, 900);
    let contents =
        [Execution::Serial, Execution::Threads(3), Execution::ProducerConsumer(2)].map(|execution| {
            let folder = tempfile::tempdir().unwrap();
            let config = DedupConfig { execution, ..config() };
            crate::collections::groups_in(folder.path(), &texts, &config);
            let mut files: Vec<_> = std::fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| {
                    let entry = entry.unwrap();
                    (entry.file_name(), std::fs::read(entry.path()).unwrap())
                })
                .collect();
            files.sort();
            files
        });
    assert!(contents[0] == contents[1] && contents[1] == contents[2]);
    assert!(contents[0].len() > 30);
}
