//! Large families of pages must not cost as much as their pairs.

use dedup::{DedupConfig, Execution};

use crate::collections::{Dice, config, groups_in, lists};

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
fn twins_are_found_among_pages_that_are_merely_alike_at_a_bounded_cost_each() {
    let mut dice = Dice(2);
    let template = dice.words(100);
    // A fifth of each page is its own: all pairs are alike, a little below the threshold.
    let pages = 1_000;
    let mut texts: Vec<String> =
        (0..pages).map(|_| [template.clone(), dice.words(25)].concat().join(" ")).collect();
    // Twins stand as far from each other as can be.
    let twins = 100;
    for page in 0..twins {
        texts.push(format!("{} and one more", texts[page]));
    }
    let folder = tempfile::tempdir().unwrap();
    let config = DedupConfig { threshold: 0.8, ..config() };
    let found = groups_in(folder.path(), &texts, &config);
    let expected: Vec<Vec<u32>> = (0..twins as u32).map(|page| vec![page, page + pages as u32]).collect();
    assert_eq!(lists(&found), expected);
    // In each of 33 bands a page may be compared with 4 leaders of 256 classes, and 8 times by reading.
    assert!(found.checks.candidates < 1_100 * 33 * 4 * 256, "{:?}", found.checks);
    assert!(found.checks.verified < 1_100 * 33 * 8, "{:?}", found.checks);
    assert!(found.checks.verified > 1_100, "the pages are too different for this test: {:?}", found.checks);
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
