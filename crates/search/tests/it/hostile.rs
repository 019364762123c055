//! Whatever somebody types is answered or refused, and costs no more than its limits allow: machine-made queries of the worst
//! kinds, on lists that are long.
//!
//! Time is counted, not measured: a search whose deadline has passed may do no more than it does between two looks at the clock,
//! however long the lists are.

use std::sync::OnceLock;
use std::time::Instant;

use search::{AnswerRequest, CopiesView, Limits, PageReader, PageText, Query};

use crate::{Fixture, fixture};

/// Every page has the same few words many times, so that each list has all pages and each page many positions.
const PAGES: usize = 6_000;

fn pages() -> &'static Fixture {
    static PAGES_FIXTURE: OnceLock<Fixture> = OnceLock::new();
    PAGES_FIXTURE.get_or_init(|| {
        let text = |page: usize| format!("{} w{page} x{}", "a b c ab ".repeat(4 + page % 3), page % 7);
        fixture(&(0..PAGES).map(|page| ("a b".to_owned(), text(page))).collect::<Vec<_>>())
    })
}

struct Blank;

impl PageReader for Blank {
    fn read(&self, _key: page::PageKey) -> Option<PageText> {
        Some(PageText::default())
    }
}

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A query of pieces that mean something, and of some that mean nothing.
    fn query(&mut self) -> String {
        let pieces = [
            "a",
            "b",
            "c",
            "ab",
            "absent",
            "a*",
            "w*",
            "w1*",
            "*",
            "\"",
            "\"a b\"",
            "\"a * c",
            "(",
            ")",
            "((",
            "))",
            "-",
            "NOT",
            "+",
            "OR",
            "|",
            "AND",
            "NEAR/0",
            "NEAR/3",
            "NEAR/4294967296",
            "<",
            "WITHIN",
            "CONTAINING",
            "title:",
            "title:a",
            "title:(",
            "url:x",
            "site:a.org",
            "site:",
            "lang:de",
            "type:html",
            "after:2020",
            "before:2021-02-30",
            "cache:x",
            "\u{0}",
            "\u{202e}",
            "é",
            "東京都",
            "a-b-c",
            "🎉",
            "\\",
            "'",
            "%00",
            "a:b:c",
            "<script>",
        ];
        let most = [3, 12, 60, 400][self.below(4)];
        let count = 1 + self.below(most);
        let glue = [" ", " ", " ", ""][self.below(4)];
        (0..count).map(|_| pieces[self.below(pieces.len())]).collect::<Vec<_>>().join(glue)
    }
}

#[test]
fn three_thousand_machine_made_queries_stop_when_their_time_is_over() {
    let searcher = &pages().searcher;
    let mut random = Random(14);
    let (mut answered, mut operators) = (0, 0);
    for _ in 0..3_000 {
        let text = random.query();
        let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        let request = AnswerRequest { count: 10, limits, ..AnswerRequest::default() };
        match searcher.answer_request(&text, &request, &Blank) {
            Ok(answer) => {
                answered += 1;
                operators += usize::from(text.contains("NEAR/3") && text.contains("w*"));
                assert!(answer.total <= 2048, "{text:?} looked at {} documents", answer.total);
                assert!(answer.notes.len() <= search::NOTES_MAX, "{text:?}");
            }
            Err(problem) => assert!(!problem.to_string().is_empty(), "{text:?}"),
        }
    }
    assert!(answered > 1_500 && operators > 50, "{answered} {operators}");
}

#[test]
fn machine_made_queries_that_have_time_are_answered_as_they_are_explained() {
    let searcher = &pages().searcher;
    let mut random = Random(41);
    for _ in 0..60 {
        let text = random.query();
        let Ok(query) = Query::parse(&text) else { continue };
        let hits = searcher.search_within(&query, 0, 3, CopiesView::default(), Limits::default()).unwrap();
        for hit in hits.hits {
            let explanation = searcher.explain(&query, hit.doc).unwrap();
            assert!(
                explanation.matches && (explanation.score - hit.score).abs() < 1e-6,
                "{text:?} {explanation}"
            );
        }
    }
}

#[test]
fn of_very_many_words_that_begin_alike_the_most_frequent_are_looked_for() {
    let searcher = &pages().searcher;
    let answer = searcher.answer("w*", 0, 1, &Blank).unwrap();
    let said: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["of 6000 words that begin like “w*” the 64 most frequent were looked for"]);
    assert_eq!(answer.total, 64);
    let answer = searcher.answer("wx*", 0, 1, &Blank).unwrap();
    assert_eq!(answer.notes[0].to_string(), "no word begins like “wx*”");
    assert_eq!(searcher.answer("x*", 0, 1, &Blank).unwrap().notes, []);
}
