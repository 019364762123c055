//! Large families of pages must not cost as much as their pairs.

use dedup::minhash::Scheme;
use dedup::{DedupConfig, Execution, Shingling, Verification};

use crate::collections::{Dice, all_pairs, components, config, groups_in, lists};

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
    // A pair may be compared in each of 33 bands, but by reading only once.
    let pairs = 1_100 * 1_099 / 2;
    assert!(found.checks.candidates < pairs * 33, "{:?}", found.checks);
    assert!(found.checks.verified < pairs, "{:?}", found.checks);
    assert_eq!(found.checks.left_out, 0);
    assert!(found.checks.verified > 1_100, "the pages are too different for this test: {:?}", found.checks);
}

/// Pages of one template in twins, in any order. Those of one length: twins share so many words, others none, beside the
/// template.
fn twins(pages: usize, template: usize, in_common: usize, own: usize) -> Vec<String> {
    let mut dice = Dice(5);
    let template: Vec<String> = (0..template).map(|n| format!("t{n}")).collect();
    let mut texts: Vec<String> = (0..pages)
        .map(|page| {
            let in_common = (0..in_common).map(|n| format!("c{}x{n}", page / 2));
            let own = (0..own).map(|n| format!("o{page}x{n}"));
            template.iter().cloned().chain(in_common).chain(own).collect::<Vec<_>>().join(" ")
        })
        .collect();
    for place in (1..texts.len()).rev() {
        texts.swap(place, dice.roll(place + 1));
    }
    texts
}

#[test]
fn twins_just_above_the_threshold_are_found_among_hundreds_just_below_it() {
    // Twins have a similarity of 399 / 491 = 0.813, all others one of 390 / 500 = 0.780.
    let texts = twins(600, 390, 9, 46);
    for scheme in Scheme::ALL {
        let config = DedupConfig { scheme, shingling: Shingling::Words(1), ..config() };
        let expected = components(&all_pairs(&texts, &config), texts.len());
        assert_eq!(expected.len(), 300);
        let folder = tempfile::tempdir().unwrap();
        let found = groups_in(folder.path(), &texts, &config);
        assert_eq!(lists(&found), expected, "{scheme}");
        assert_eq!(found.checks.left_out, 0);
        // Each pair is read once, but for a few that were forgotten.
        assert!(found.checks.verified <= 600 * 599 / 2 * 101 / 100, "{scheme}: {:?}", found.checks);
    }
}

#[test]
fn what_a_bound_leaves_out_is_counted() {
    // All in one run of each band, and none a copy of another by estimate.
    let texts: Vec<String> = (0..6_000).map(|page| format!("a b c d e f g h i page{page}x")).collect();
    let config = DedupConfig {
        shingling: Shingling::Words(1),
        threshold: 0.85,
        verification: Verification::Estimate,
        ..config()
    };
    let folder = tempfile::tempdir().unwrap();
    assert!(groups_in(folder.path(), &texts, &config).checks.left_out > 0);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(groups_in(folder.path(), &texts[..4_000], &config).checks.left_out, 0);
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
