//! Who asks reads some languages: pages in these come first where words do not tell pages apart.

use std::sync::Arc;

use page::DocId;
use proptest::prelude::*;
use search::{AnswerRequest, Facts, LinkRanks, Meanings, ReaderLanguages, Searcher};

use crate::facts::Blank;
use crate::{Fixture, fixture};

const LANGUAGES: [Option<&str>; 4] = [Some("ko"), Some("en-GB"), None, Some("de")];

/// Documents whose languages take turns, some of them with a rank.
fn searcher(documents: u32) -> (Searcher, Fixture) {
    let texts: Vec<String> = (0..documents)
        .map(|number| {
            let fill = |word: &str, times: u32| format!("{word} ").repeat(times as usize);
            fill("apt", 1 + number % 7) + &fill("get", number % 3) + &fill("and", 1 + number * 7 % 31)
        })
        .collect();
    let pages: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_str())).collect();
    let fixture = fixture(&pages);
    let mut facts = Facts::new(documents);
    for doc in 0..documents {
        let language = LANGUAGES[doc as usize % LANGUAGES.len()];
        language.iter().for_each(|language| facts.set_language(DocId::new(doc), language));
    }
    let ranks = LinkRanks::new((0..documents).map(|doc| (doc % 11) as f32).collect(), 0.5);
    (fixture.searcher.clone().with_facts(Arc::new(facts)).with_ranks(ranks), fixture)
}

/// Keys and scores of the first results for a reader of these languages.
fn found(searcher: &Searcher, query: &str, languages: &str, count: usize) -> Vec<(u64, f64)> {
    let reader = ReaderLanguages::parse(languages);
    let request = AnswerRequest { count, reader, meanings: Meanings::Off, ..AnswerRequest::default() };
    let answer = searcher.answer_request(query, &request, &Blank).unwrap();
    answer.results.iter().map(|result| (result.key.get(), result.score)).collect()
}

#[test]
fn a_page_that_can_be_read_comes_before_one_that_cannot_where_words_say_the_same() {
    let pages: Vec<(&str, &str)> = vec![("", "apt installs packages"); 4];
    let fixture = fixture(&pages);
    let mut facts = Facts::new(4);
    for (language, doc) in LANGUAGES.iter().zip((0..).map(DocId::new)) {
        language.iter().for_each(|language| facts.set_language(doc, language));
    }
    let searcher = fixture.searcher.clone().with_facts(Arc::new(facts));
    let first = fixture.searcher.search(&search::Query::parse("apt").unwrap(), 0, 4).unwrap();
    let keys: Vec<u64> = first.hits.iter().map(|hit| hit.key.get()).collect();
    let rows: [(&str, [usize; 4]); 5] = [
        ("", [0, 1, 2, 3]),
        ("en", [1, 2, 0, 3]),
        ("de-AT, en;q=0.5", [1, 2, 3, 0]),
        // No page is in this language, so nothing is told apart.
        ("fr", [0, 1, 2, 3]),
        ("ko", [0, 2, 1, 3]),
    ];
    for (languages, expected) in rows {
        let order: Vec<u64> =
            found(&searcher, "apt", languages, 10).into_iter().map(|(key, _)| key).collect();
        assert_eq!(order, expected.map(|place| keys[place]), "{languages}");
    }
}

#[test]
fn an_explanation_says_what_the_language_adds_and_adds_up() {
    let (searcher, _fixture) = searcher(40);
    let reader = ReaderLanguages::parse("en");
    let request = AnswerRequest { count: 40, reader, explain: true, ..AnswerRequest::default() };
    let answer = searcher.answer_request("apt get", &request, &Blank).unwrap();
    let mut readable = 0;
    for result in &answer.results {
        let explanation = result.explanation.as_ref().unwrap();
        assert!((explanation.score - result.score).abs() < 1e-4, "{explanation}");
        readable += usize::from(explanation.readable == Some(1.0));
        let is_told = explanation.to_string().contains("1.0000  the language can be read");
        assert_eq!(is_told, explanation.readable.is_some());
    }
    assert_eq!((answer.results.len(), readable), (40, 20));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_best_for_a_reader_are_those_of_looking_at_all(
        query in prop_oneof![
            Just("apt"), Just("apt get"), Just("apt AND get"), Just("apt OR get"), Just("\"apt get\""),
            Just("get -and"), Just("+apt and"), Just("lang:en"), Just("-lang:ko apt"),
        ],
        languages in prop_oneof![Just("en"), Just("de, ko"), Just("ko"), Just("en, de, ko")],
        count in 1usize..30,
    ) {
        let (searcher, _fixture) = searcher(700);
        let all = found(&searcher, query, languages, 1000);
        prop_assert_eq!(found(&searcher, query, languages, count), &all[..count.min(all.len())]);
        // The same pages as for anybody, each with what its language adds.
        let reads: Vec<&str> = languages.split(", ").collect();
        for (key, score) in found(&searcher, query, "", 1000) {
            let doc = searcher.index().find_key(page::PageKey::new(key)).unwrap();
            let language = LANGUAGES[doc.index() % LANGUAGES.len()];
            let added = if language.is_none_or(|tag| reads.contains(&&tag[..2])) { 1.0 } else { 0.0 };
            let found = all.iter().find(|found| found.0 == key).map(|found| found.1);
            prop_assert!(found.is_some_and(|found| (found - score - added).abs() < 1e-4), "{} {:?}", key, found);
        }
    }
}
