//! Collections that are no collections, and texts that are no texts.

use std::sync::Mutex;

use dedup::{
    Clustering, DedupConfig, Deduplicator, DocumentReader, Documents, Error, Shingling, Unreadable,
    Verification, Watcher,
};

use crate::collections::{all_pairs, config, groups, groups_in, lists, pairs, planted};

const CLUSTERINGS: [Clustering; 4] = [
    Clustering::Banded,
    Clustering::SortedPairs,
    Clustering::Features { groups: 6, size: 10 },
    Clustering::Exhaustive,
];

/// What it is, the texts, and their groups.
type Case = (&'static str, Vec<String>, Vec<Vec<u32>>);

#[test]
fn small_and_strange_collections_have_the_groups_that_they_should() {
    let giant = (0..200_000).map(|n| format!("g{n} ")).collect::<String>();
    #[rustfmt::skip]
    let table: [Case; 7] = [
        ("nothing",            vec![],                                                     vec![]),
        ("one text",           vec!["a b c d".into()],                                     vec![]),
        ("empty texts",        vec![String::new(); 3],                                     vec![]),
        ("single words",       vec!["one".into(), "one".into()],                           vec![]),
        ("equal texts",        vec!["a b c d".into(), "x y z".into(), "A, B. c D".into()], vec![vec![0, 2]]),
        ("equal sets",         vec!["a b a b a b".into(), "b a b a".into()],               vec![vec![0, 1]]),
        ("giants",             vec![giant.clone(), "a b c".into(), format!("new {giant}")], vec![vec![0, 2]]),
    ];
    for (name, texts, expected) in table {
        for clustering in CLUSTERINGS {
            let config = DedupConfig { clustering, ..config() };
            assert_eq!(groups(&texts, &config), expected, "{name}, {clustering:?}");
        }
    }
}

#[test]
fn a_pair_exactly_at_the_threshold_is_a_copy_and_one_below_it_is_none() {
    // Pairs with 80 words of 100 in common, and pairs with 79 of 101, each with words of its own.
    let text = |pair: usize, own: usize, common: usize| {
        let common = (0..common).map(|word| format!("p{pair}c{word} "));
        let own =
            (0..(100 - common.len()) / 2 + common.len() % 2).map(|word| format!("p{pair}o{own}w{word} "));
        common.chain(own).collect::<String>()
    };
    let texts: Vec<String> =
        (0..20).flat_map(|pair| [0, 1].map(|own| text(pair, own, 80 - pair % 2))).collect();
    let at_threshold: Vec<Vec<u32>> = (0..40).step_by(4).map(|first| vec![first, first + 1]).collect();
    for clustering in [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive] {
        let shingling = Shingling::Words(1);
        let config = DedupConfig { clustering, shingling, threshold: 0.8, ..config() };
        assert_eq!(groups(&texts, &config), at_threshold, "{clustering:?}");
    }
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let bytes: Vec<Vec<u8>> =
        (0..20u32).map(|n| (0..5000u32).map(|i| ((i * i * (n / 2)) >> 3) as u8).collect()).collect();
    for shingling in [Shingling::Words(2), Shingling::Chars(5), Shingling::SeedChars(5)] {
        let folder = tempfile::tempdir().unwrap();
        let mut deduplicator =
            Deduplicator::open(folder.path(), DedupConfig { shingling, ..config() }, "").unwrap();
        let report = deduplicator.sketch(&&bytes[..], &()).unwrap();
        let groups = deduplicator.groups(&&bytes[..], &()).unwrap();
        assert_eq!((report.documents, report.bytes_read), (20, 100_000));
        for twin in (0..20).step_by(2).filter(|twin| groups.group_of(*twin).is_some()) {
            assert_eq!(groups.group_of(twin), groups.group_of(twin + 1));
        }
    }
}

#[test]
fn a_threshold_of_zero_shows_every_pair_that_shares_a_signature() {
    let texts = planted(3, 60);
    for clustering in [Clustering::Banded, Clustering::SortedPairs, Clustering::Exhaustive] {
        let config = DedupConfig { threshold: 0.0, clustering, ..config() };
        let any_in_common = all_pairs(&texts, &config);
        let found = pairs(&texts, &config);
        for (pair, similarity) in &any_in_common {
            // With 200 slots, a similarity of 0.1 is missed once in a thousand million times.
            assert!(*similarity < 0.1 || found.get(pair) == Some(similarity), "{clustering:?} {pair:?}");
        }
        assert!(found.keys().all(|pair| any_in_common.contains_key(pair)), "{clustering:?}");
    }
}

#[test]
fn estimates_decide_alone_where_it_is_asked_for() {
    let texts = planted(4, 200);
    for clustering in [Clustering::Banded, Clustering::SortedPairs] {
        let config = DedupConfig { clustering, verification: Verification::Estimate, ..config() };
        let folder = tempfile::tempdir().unwrap();
        let found = groups_in(folder.path(), &texts, &config);
        assert_eq!(found.checks.verified, 0);
        assert!(found.len() > 10);
    }
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = [
        DedupConfig { threshold: 1.5, ..config() },
        DedupConfig { threshold: f64::NAN, ..config() },
        DedupConfig { slots: 0, ..config() },
        DedupConfig { slots: 100_000, ..config() },
        DedupConfig { clustering: Clustering::Features { groups: 1, size: 14 }, ..config() },
        DedupConfig { clustering: Clustering::Features { groups: 15, size: 14 }, ..config() },
        DedupConfig { clustering: Clustering::Features { groups: 6, size: 0 }, ..config() },
    ];
    for config in refused {
        let outcome = Deduplicator::open(folder.path(), config.clone(), "");
        assert!(matches!(outcome, Err(Error::Settings(_))), "{config:?}");
    }
}

/// Texts of which some cannot be read.
struct Broken(Vec<String>);

impl Documents for Broken {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(BrokenReader(&self.0))
    }
}

struct BrokenReader<'a>(&'a [String]);

impl DocumentReader for BrokenReader<'_> {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        if document % 10 == 3 {
            text.extend_from_slice(b"half of a text that must not be used");
            return Err(Unreadable(format!("{document} is gone")));
        }
        text.clear();
        text.extend_from_slice(self.0[document as usize].as_bytes());
        Ok(())
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<(u32, String)>>);

impl Watcher for Notes {
    fn unreadable(&self, document: u32, why: &Unreadable) {
        self.0.lock().unwrap().push((document, why.to_string()));
    }
}

#[test]
fn documents_that_cannot_be_read_are_told_counted_and_copies_of_nothing() {
    let documents = Broken(vec!["the same text in all of them".to_owned(); 600]);
    for execution in [dedup::Execution::Threads(2), dedup::Execution::ProducerConsumer(2)] {
        let folder = tempfile::tempdir().unwrap();
        let config = DedupConfig { execution, ..config() };
        let mut deduplicator = Deduplicator::open(folder.path(), config, "").unwrap();
        let notes = Notes::default();
        let report = deduplicator.sketch(&documents, &notes).unwrap();
        assert_eq!((report.documents, report.unreadable, report.too_short), (600, 60, 60));
        let notes = notes.0.into_inner().unwrap();
        assert_eq!(notes.len(), 60);
        assert_eq!(notes[1], (13, "13 is gone".to_owned()));
        let expected: Vec<u32> = (0..600).filter(|document| document % 10 != 3).collect();
        assert_eq!(lists(&deduplicator.groups(&documents, &()).unwrap()), [expected]);
    }
}

#[test]
fn documents_that_were_not_sketched_are_an_error_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let texts = planted(1, 10);
    let mut deduplicator = Deduplicator::open(folder.path(), config(), "").unwrap();
    deduplicator.sketch(&&texts[..5], &()).unwrap();
    for outcome in [
        deduplicator.groups(&&texts[..], &()).map(|_| ()),
        deduplicator.sketch(&&texts[..4], &()).map(|_| ()),
    ] {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::OtherDocuments { sketched: 5, .. }));
        assert!(error.hint().is_some());
    }
}
