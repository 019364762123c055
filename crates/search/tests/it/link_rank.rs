//! Ranks beside words: what they change, and what they leave alone.

use page::DocId;
use proptest::prelude::*;
use search::{CopiesView, Hits, Limits, LinkRanks, Query, Searcher};

use crate::{Fixture, fixture};

/// Documents of which some have the same words, so that scores tie.
fn pages(words: &[u8]) -> Fixture {
    let page = |count: &u8| {
        let (sieve, filler) =
            ("sieve ".repeat(usize::from(count % 4)), "filler ".repeat(usize::from(*count)));
        (String::new(), format!("{sieve}{filler}stone"))
    };
    fixture(&words.iter().map(page).collect::<Vec<_>>())
}

fn search(searcher: &Searcher, text: &str) -> Hits {
    let query = Query::parse(text).unwrap();
    searcher.search_within(&query, 0, 100, CopiesView::Shown, Limits::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn without_weight_nothing_changes_and_with_it_scores_are_those_of_a_reader(
        documents in prop::collection::vec((0u8..12, 0f32..50.0), 1..60),
        equal in 0f32..9.0,
        weight in 0.01f64..9.0,
    ) {
        let (words, ranks): (Vec<u8>, Vec<f32>) = documents.into_iter().unzip();
        let fixture = pages(&words);
        let ranked = |ranks: &[f32], weight| {
            fixture.searcher.clone().with_ranks(LinkRanks::new(ranks.into(), weight))
        };
        for text in ["sieve", "sieve OR filler", "stone -sieve", "\"sieve filler\""] {
            let plain = search(&fixture.searcher, text);
            prop_assert_eq!(&search(&ranked(&ranks, 0.0), text), &plain, "weight zero");
            prop_assert_eq!(&search(&ranked(&[], weight), text), &plain, "no ranks");

            // Equal ranks change nothing but what rounding makes equal.
            for ranks in [&vec![equal; words.len()], &ranks] {
                let searcher = ranked(ranks, weight);
                let found = search(&searcher, text);
                prop_assert_eq!((found.total, found.hits.len()), (plain.total, plain.hits.len()));
                let found: Vec<_> = found.hits.iter().map(|hit| (hit.score, hit.doc)).collect();
                let is_in_order = |pair: &[(f64, DocId)]| {
                    pair[0].0 > pair[1].0 || pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1
                };
                prop_assert!(found.windows(2).all(is_in_order));
                for hit in &plain.hits {
                    let rank = f64::from(ranks[hit.doc.index()]);
                    let expected = hit.score + weight * (rank / (rank + 1.0));
                    let (score, _) = found.iter().find(|(_, doc)| *doc == hit.doc).unwrap();
                    prop_assert!((score - expected).abs() < 1e-5, "{} instead of {}", score, expected);
                }
                for (score, doc) in found.into_iter().take(3) {
                    let explanation = searcher.explain(&Query::parse(text).unwrap(), doc).unwrap();
                    prop_assert!((explanation.score - score).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn among_equal_words_the_better_rank_wins_and_then_the_first() {
    let fixture = pages(&[1, 1, 1, 1]);
    let searcher = fixture.searcher.clone().with_ranks(LinkRanks::new([0.5, 2.0, 0.5, 7.0].into(), 0.001));
    let docs: Vec<u32> = search(&searcher, "sieve").hits.iter().map(|hit| hit.doc.get()).collect();
    assert_eq!(docs, [3, 1, 0, 2]);
}

#[test]
fn the_rank_has_a_line_of_its_own_in_an_explanation() {
    let fixture = pages(&[1, 2]);
    let query = Query::parse("stone").unwrap();
    let explain =
        |ranks: LinkRanks| fixture.searcher.clone().with_ranks(ranks).explain(&query, DocId::new(1)).unwrap();
    let explanation = explain(LinkRanks::new([1.0, 3.0].into(), 2.0));
    assert!(
        explanation.to_string().ends_with("\n  1.5000  links: 3.00 times the average rank, weight 2"),
        "{explanation}"
    );
    let json = serde_json::to_value(&explanation).unwrap();
    assert_eq!(json["rank"], serde_json::json!({"rank": 3.0, "weight": 2.0, "contribution": 1.5}));
    let switched_off = serde_json::to_value(explain(LinkRanks::new([1.0, 3.0].into(), 0.0))).unwrap();
    assert_eq!(switched_off.get("rank"), None);
}
