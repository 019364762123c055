//! Work that was stopped goes on, and its result is the same.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dedup::{DedupConfig, Deduplicator, Execution, Stage, Watcher};

use crate::collections::{Dice, config, groups, groups_in, lists, planted};

/// Ends everything, as a kill would, once a stage has come so far.
struct Kill {
    stage: Stage,
    after: u64,
}

impl Watcher for Kill {
    fn progress(&self, stage: Stage, done: u64, _total: u64) {
        assert!(stage != self.stage || done < self.after, "killed");
    }
}

#[test]
fn killed_anywhere_it_goes_on_and_finds_the_same() {
    let texts = planted(51, 1500);
    for execution in [Execution::Serial, Execution::Threads(2), Execution::ProducerConsumer(2)] {
        let config = DedupConfig { execution, ..config() };
        let expected = groups(&texts, &config);
        let folder = tempfile::tempdir().unwrap();
        let mut kills = 0;
        for step in 0..200 {
            // Each attempt comes a little farther than the one before.
            let (stage, after) = if step < 6 {
                (Stage::Sketching, 256 * step + 1)
            } else {
                (Stage::Sorting, (step - 6) * texts.len() as u64 + 1)
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let mut deduplicator = Deduplicator::open(folder.path(), config.clone(), "test").unwrap();
                let watcher = Kill { stage, after };
                let report = deduplicator.sketch(&&texts[..], &watcher).unwrap();
                // What was done before the kill is not done again.
                assert!(report.new_documents <= texts.len() as u64 - 256 * step.saturating_sub(1).min(5));
                lists(&deduplicator.groups(&&texts[..], &watcher).unwrap())
            }));
            match outcome {
                Ok(found) => {
                    assert_eq!(found, expected);
                    break;
                }
                Err(_) => kills += 1,
            }
        }
        assert!(kills > 30, "only {kills} kills");
        // Once more, from what is there.
        assert_eq!(lists(&groups_in(folder.path(), &texts, &config)), expected);
    }
}

#[test]
fn documents_that_were_added_are_sketched_alone() {
    let texts = planted(52, 1000);
    let folder = tempfile::tempdir().unwrap();
    let mut deduplicator = Deduplicator::open(folder.path(), config(), "test").unwrap();
    for count in [0, 1, 300, 300, 777, 1000] {
        let report = deduplicator.sketch(&&texts[..count], &()).unwrap();
        assert_eq!(report.documents, count as u64);
        let found = lists(&deduplicator.groups(&&texts[..count], &()).unwrap());
        assert_eq!(found, groups(&texts[..count], &config()));
    }
}

#[test]
fn groups_that_grew_in_any_steps_and_were_killed_between_are_those_of_all_at_once() {
    for seed in 0..3 {
        let mut dice = Dice(seed);
        let mut texts = planted(60 + seed, 600);
        // A family that is too large to try all pairs: most are copies of some others.
        let family = dice.words(150);
        for _ in 0..100 {
            let mut words = family.clone();
            (0..dice.roll(12)).for_each(|_| words[dice.roll(150)] = format!("n{}", dice.roll(1000)));
            texts.insert(dice.roll(texts.len()), words.join(" "));
        }
        let folder = tempfile::tempdir().unwrap();
        let mut count = 0;
        while count < texts.len() {
            count = (count + 1 + dice.roll(200)).min(texts.len());
            let some = &texts[..count];
            if dice.roll(2) == 0 {
                let watcher = Kill { stage: Stage::Sorting, after: (dice.roll(20) * count) as u64 };
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    let mut deduplicator = Deduplicator::open(folder.path(), config(), "test").unwrap();
                    deduplicator.sketch(&some, &()).unwrap();
                    deduplicator.groups(&some, &watcher).map(drop)
                }));
                assert!(outcome.is_err(), "it was killed");
            }
            let grown = lists(&groups_in(folder.path(), some, &config()));
            assert_eq!(grown, groups(some, &config()), "{count} of {seed}");
        }
    }
}

#[test]
fn documents_that_were_compared_are_compared_with_new_ones_alone() {
    let texts = planted(54, 1000);
    let folder = tempfile::tempdir().unwrap();
    let before = groups_in(folder.path(), &texts[..990], &config()).checks;
    let after = groups_in(folder.path(), &texts, &config()).checks;
    let more = after.candidates - before.candidates;
    assert!(more > 0 && more * 20 < before.candidates, "{more} of {}", before.candidates);
}

#[test]
fn other_settings_or_another_stamp_begin_anew_and_the_same_do_not() {
    let texts = planted(53, 300);
    let same = config();
    #[rustfmt::skip]
    let table = [
        ("the same",        same.clone(),                                                  "test",  0),
        ("other threads",   DedupConfig { execution: Execution::Threads(2), ..same.clone() }, "test",  0),
        ("less memory",     DedupConfig { memory_bytes: 1 << 20, ..same.clone() },          "test",  0),
        ("another stamp",   same.clone(),                                                  "other", 300),
        ("another seed",    DedupConfig { seed: 2, ..same.clone() },                        "test",  300),
        ("fewer slots",     DedupConfig { slots: 100, ..same.clone() },                     "test",  300),
        ("other bands",     DedupConfig { threshold: 0.5, ..same.clone() },                 "test",  300),
        ("the same bands",  DedupConfig { threshold: 0.8001, ..same.clone() },              "test",  0),
    ];
    for (what, changed, stamp, sketched_again) in table {
        let folder = tempfile::tempdir().unwrap();
        groups_in(folder.path(), &texts, &same);
        let mut deduplicator = Deduplicator::open(folder.path(), changed.clone(), stamp).unwrap();
        let report = deduplicator.sketch(&&texts[..], &()).unwrap();
        assert_eq!(report.new_documents, sketched_again, "{what}");
        let found = lists(&deduplicator.groups(&&texts[..], &()).unwrap());
        assert_eq!(found, groups(&texts, &changed), "{what}");
    }
}
