//! The operators find exactly what reading every document would find, and rank it as the explanation says.

use proptest::prelude::*;
use search::{Query, QueryError, Searcher};

use crate::fixture;

/// A query as a person means it.
#[derive(Debug, Clone)]
enum Formula {
    Word(&'static str),
    Phrase(Vec<&'static str>),
    Title(Vec<&'static str>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Not(Box<Formula>),
}

const WORDS: [&str; 5] = ["a", "b", "c", "d", "absent"];

impl Formula {
    fn typed(&self) -> String {
        let join = |parts: &[Formula], between: &str| {
            let typed: Vec<String> = parts.iter().map(Formula::typed).collect();
            format!("({})", typed.join(between))
        };
        match self {
            Formula::Word(word) => (*word).to_owned(),
            Formula::Phrase(words) => format!("\"{}\"", words.join(" ")),
            Formula::Title(words) => format!("title:\"{}\"", words.join(" ")),
            // Side by side they would only be wishes.
            Formula::All(parts) => join(parts, " AND "),
            Formula::Any(parts) => join(parts, " OR "),
            // A run of dashes is punctuation, so only one dash excludes.
            Formula::Not(part) if matches!(**part, Formula::Not(_)) => format!("NOT {}", part.typed()),
            Formula::Not(part) => format!("-{}", part.typed()),
        }
    }

    /// By reading: title and text are two sequences of words, and phrases stay within one.
    fn holds(&self, fields: [&[&str]; 2]) -> bool {
        match self {
            Formula::Word(word) => fields.iter().any(|field| field.contains(word)),
            Formula::Phrase(words) => {
                fields.iter().any(|field| field.windows(words.len()).any(|window| window == words.as_slice()))
            }
            Formula::Title(words) => Formula::Phrase(words.clone()).holds([fields[0], &[]]),
            Formula::All(parts) => parts.iter().all(|part| part.holds(fields)),
            Formula::Any(parts) => parts.iter().any(|part| part.holds(fields)),
            Formula::Not(part) => !part.holds(fields),
        }
    }
}

fn any_formula() -> impl Strategy<Value = Formula> {
    let word = prop::sample::select(&WORDS[..]);
    let leaf = prop_oneof![
        3 => word.clone().prop_map(Formula::Word),
        1 => prop::collection::vec(word.clone(), 2..4).prop_map(Formula::Phrase),
        1 => prop::collection::vec(word, 1..3).prop_map(Formula::Title),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::All),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::Any),
            inner.prop_map(|part| Formula::Not(Box::new(part))),
        ]
    })
}

fn any_pages() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("([abcd] ){0,2}", "([abcd] ){0,8}"), 0..30)
}

fn assert_ranked_as_explained(searcher: &Searcher, query: &Query, expected: &[u32]) {
    let all = searcher.search(query, 0, 1000).unwrap();
    assert_eq!((all.total, all.partial), (expected.len() as u64, false));
    let mut found: Vec<u32> = all.hits.iter().map(|hit| hit.doc.get()).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
    for pair in all.hits.windows(2) {
        assert!(
            pair[0].score > pair[1].score || (pair[0].score == pair[1].score && pair[0].doc < pair[1].doc)
        );
    }
    for hit in &all.hits {
        let explanation = searcher.explain(query, hit.doc).unwrap();
        assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{explanation}");
        assert_eq!(hit.key.get(), 100 + u64::from(hit.doc.get()));
    }
    let page = searcher.search(query, 2, 3).unwrap();
    assert_eq!(page.hits, all.hits.iter().skip(2).take(3).copied().collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_found_is_what_a_reader_would_find(pages in any_pages(), formula in any_formula()) {
        let query = match Query::parse(&formula.typed()) {
            Ok(query) => query,
            Err(QueryError::OnlyNegatives) => return Ok(()),
            Err(error) => panic!("{}: {error}", formula.typed()),
        };
        let fixture = fixture(&pages);
        let holds = |page: &(String, String)| {
            let (title, text): (Vec<&str>, Vec<&str>) =
                (page.0.split_whitespace().collect(), page.1.split_whitespace().collect());
            formula.holds([&title, &text])
        };
        let expected: Vec<u32> = (0..).zip(&pages).filter(|(_, page)| holds(page)).map(|(doc, _)| doc).collect();
        assert_ranked_as_explained(&fixture.searcher, &query, &expected);
        for doc in (0..pages.len() as u32).filter(|doc| !expected.contains(doc)) {
            prop_assert!(!fixture.searcher.explain(&query, page::DocId::new(doc)).unwrap().matches);
        }
    }
}

#[test]
fn excluded_words_do_not_score() {
    let fixture = fixture(&[("", "a b"), ("", "a c")]);
    let score = |text| fixture.searcher.search(&Query::parse(text).unwrap(), 0, 1).unwrap().hits[0].score;
    assert_eq!(score("a -b"), score("a"));
    assert_eq!(score("a AND (c OR -b)"), score("a AND c"));
}

#[test]
fn no_phrase_reaches_from_the_title_into_the_text() {
    let fixture = fixture(&[("cold war", "peace treaty")]);
    let total = |text| fixture.searcher.search(&Query::parse(text).unwrap(), 0, 1).unwrap().total;
    assert_eq!((total("\"war peace\""), total("\"cold war\""), total("war AND peace")), (0, 1, 1));
}
