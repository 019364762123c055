//! Large families of pages must not cost as much as their pairs.

use dedup::{DedupConfig, Execution};

use crate::collections::{Dice, config, groups_in};

#[test]
fn ten_thousand_pages_of_one_template_cost_a_few_checks_each() {
    let mut dice = Dice(1);
    let template = dice.words(120);
    let texts: Vec<String> = (0..10_000)
        .map(|number| {
            let mut words = template.clone();
            words[40] = format!("title{number}");
            words[90] = format!("number{}", dice.roll(1_000_000));
            words.join(" ")
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let found = groups_in(folder.path(), &texts, &config());
    assert_eq!((found.len(), found.copies()), (1, 9_999));
    assert!(found.checks.verified < 20_000, "{:?}", found.checks);
    assert!(found.checks.candidates < 80_000, "{:?}", found.checks);
}

#[test]
fn a_template_that_makes_no_copies_costs_a_bounded_number_of_checks_each() {
    let mut dice = Dice(2);
    let template = dice.words(100);
    // Half of each page is its own: all pairs are alike, below the threshold.
    let texts: Vec<String> =
        (0..3_000).map(|_| [template.clone(), dice.words(60)].concat().join(" ")).collect();
    let folder = tempfile::tempdir().unwrap();
    let config = DedupConfig { threshold: 0.6, ..config() };
    let found = groups_in(folder.path(), &texts, &config);
    assert!(found.is_empty());
    // 66 bands, in each of which a page may be compared with 64 others: 8 of them by their sets.
    assert!(found.checks.candidates < 3_000 * 66 * 64, "{:?}", found.checks);
    assert!(found.checks.verified < 3_000 * 66 * 8, "{:?}", found.checks);
}

#[test]
fn a_hundred_thousand_equal_pages_are_compared_with_nothing() {
    let page = Dice(3).words(30).join(" ");
    let other = Dice(4).words(30).join(" ");
    let mut texts = vec![page; 100_000];
    texts[500] = other;
    let folder = tempfile::tempdir().unwrap();
    let config = DedupConfig { execution: Execution::Threads(2), ..config() };
    let found = groups_in(folder.path(), &texts, &config);
    assert_eq!((found.len(), found.copies()), (1, 99_998));
    assert_eq!(found.exact_copies, 99_998);
    assert_eq!(found.checks.candidates, 0);
    assert_eq!(found.group_of(500), None);
}
