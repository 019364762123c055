//! Scoring as textbooks have it: the formulas of the notes, over a handful of pages.

use page::DocId;
use search::{Query, Scheme, Weights};

use crate::fixture;

/// Title and text; "and" is in all but one of them.
const PAGES: [(&str, &str); 5] = [
    ("", "romeo and juliet and the nurse"),
    ("", "and and and and and"),
    ("", "romeo romeo romeo and tybalt"),
    ("", "juliet and the friar"),
    ("", "the prince of verona"),
];

/// Documents and scores, best first, by a formula of count, length, largest count and frequency.
fn by_hand(words: &[&str], formula: impl Fn(f64, f64, f64, f64) -> f64) -> Vec<(u32, f64)> {
    let texts = PAGES.map(|(_, text)| text.split(' ').collect::<Vec<_>>());
    let count = |text: &[&str], word: &str| text.iter().filter(|one| **one == word).count() as f64;
    let frequency = |word: &str| texts.iter().filter(|text| text.contains(&word)).count() as f64;
    let mut found = Vec::new();
    for (doc, text) in texts.iter().enumerate() {
        let most = text.iter().map(|word| count(text, word)).fold(0.0, f64::max);
        let there: Vec<&&str> = words.iter().filter(|word| text.contains(word)).collect();
        let of_word = |word: &str| formula(count(text, word), text.len() as f64, most, frequency(word));
        let score: f64 = there.iter().map(|word| of_word(word)).sum();
        if !there.is_empty() {
            found.push((doc as u32, score));
        }
    }
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    found
}

#[test]
fn pages_stand_as_the_formulas_of_the_notes_have_them() {
    let fixture = fixture(&PAGES.map(|(title, text)| (title.to_owned(), text.to_owned())));
    let pages = PAGES.len() as f64;
    let average = PAGES.iter().map(|(_, text)| text.split(' ').count() as f64).sum::<f64>() / pages;
    let weights = Weights { k1: 1.5, main_b: 0.6, ..Weights::default() };
    let bm25 = |count: f64, length: f64, _: f64, frequency: f64| {
        let held_back = 1.5 * (1.0 - 0.6 + 0.6 * length / average);
        2.5 * count / (held_back + count) * ((pages - frequency + 0.5) / (frequency + 0.5)).ln()
    };
    let words = ["romeo", "and", "juliet"];
    let rows = [
        (Scheme::Count, by_hand(&words, |count, _, _, _| count)),
        (Scheme::TfIdf, by_hand(&words, |count, length, _, f| count / length * (pages / f).ln())),
        (Scheme::TfIdfMax, by_hand(&words, |count, _, most, f| count / most * (pages / f).ln())),
        (Scheme::Bm25, by_hand(&words, bm25)),
    ];
    assert!(
        rows[3].1.iter().any(|(_, score)| *score < 0.0),
        "a page that only has a frequent word loses by it"
    );
    for (scheme, expected) in rows {
        let searcher = fixture.searcher.clone().with_weights(weights).with_scheme(scheme);
        let query = Query::parse("romeo and juliet").unwrap();
        let hits = searcher.search(&query, 0, 10).unwrap();
        assert_eq!((hits.total, hits.with_all_words), (expected.len() as u64, 1), "{scheme:?}");
        for (hit, (doc, score)) in hits.hits.iter().zip(&expected) {
            assert_eq!(hit.doc, DocId::new(*doc), "{scheme:?}");
            assert!((hit.score - score).abs() < 1e-6, "{scheme:?}: {} instead of {score}", hit.score);
            let explanation = searcher.explain(&query, hit.doc).unwrap();
            assert!((explanation.score - hit.score).abs() < 1e-12, "{scheme:?}");
        }
        assert_eq!(searcher.search(&query, 1, 2).unwrap().hits, hits.hits[1..3], "{scheme:?}");
        assert!(!searcher.explain(&query, DocId::new(4)).unwrap().matches);
    }
}
