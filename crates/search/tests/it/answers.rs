//! Scores by hand, limits, and the JSON that other programs read.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use search::{
    AnswerRequest, CopiesView, Error, Limits, PageReader, PageText, Query, QueryError, Scheme, TotalIs,
};

use crate::{Fixture, fixture};

fn plays() -> Fixture {
    let pages = [
        ("Romeo and Juliet", "two households both alike in dignity"),
        ("Hamlet", "to be or not to be that is the question"),
        ("", "romeo romeo wherefore art thou romeo"),
        ("", "juliet is the sun"),
    ];
    fixture(&pages)
}

struct Plays;

impl PageReader for Plays {
    fn read(&self, key: page::PageKey) -> Option<PageText> {
        let text = "It is the east, and <b>Juliet</b> is the sun.".to_owned();
        let page = PageText {
            url: format!("http://plays.test/{key}"),
            collection: None,
            title: "A play".to_owned(),
            text,
            main: Vec::new(),
            date: None,
            is_cut: false,
        };
        (key.get() != 102).then_some(page)
    }
}

/// A long page, which remembers how much of it was asked for.
struct Long {
    text: String,
    asked: Mutex<Vec<usize>>,
}

impl PageReader for Long {
    fn read(&self, key: page::PageKey) -> Option<PageText> {
        self.read_beginning(key, usize::MAX)
    }

    fn read_beginning(&self, _key: page::PageKey, text_bytes: usize) -> Option<PageText> {
        self.asked.lock().unwrap().push(text_bytes);
        let text = self.text[..self.text.len().min(text_bytes)].to_owned();
        let is_cut = text.len() < self.text.len();
        Some(PageText { text, is_cut, ..PageText::default() })
    }
}

#[test]
fn of_a_long_page_no_more_is_read_than_its_snippet_needs() {
    let filler = "a word of many ".repeat(6_000);
    let text = format!("romeo begins {filler} juliet comes late {filler}{filler}{filler} nurse ends");
    let fixture = fixture(&[("Tybalt", &text), ("", "tybalt mercutio")]);
    let shown = |query: &str| {
        let pages = Long { text: text.clone(), asked: Mutex::default() };
        let answer = fixture.searcher.answer(query, 0, 1, &pages).unwrap();
        (answer.results[0].snippet.text(), pages.asked.into_inner().unwrap())
    };
    let first = 64 << 10;
    // All words are there, or are known not to be in the text: one only in the title, one on another page.
    for query in ["romeo", "romeo tybalt", "romeo begins mercutio"] {
        let (snippet, asked) = shown(query);
        assert!(snippet.contains("romeo begins a word"), "{query}: {snippet}");
        assert_eq!(asked, [first], "{query}");
    }
    // One is further on, and it is known about where.
    let (snippet, asked) = shown("romeo juliet");
    assert!(snippet.contains("romeo") && snippet.contains("juliet comes"), "{snippet}");
    assert!(asked.len() == 1 && asked[0] > text.find("juliet").unwrap() && asked[0] < 256 << 10, "{asked:?}");
    // Where one stands nobody reads on.
    let (snippet, asked) = shown("romeo nurse");
    assert!(snippet.contains("romeo begins"), "{snippet}");
    assert_eq!(asked, [first]);
}

#[test]
fn of_a_page_of_long_words_more_is_read_where_one_is_not_seen() {
    let text = format!("romeo begins {}juliet comes late", "extraordinarily ".repeat(6_000));
    let fixture = fixture(&[("", &text)]);
    let pages = Long { text: text.clone(), asked: Mutex::default() };
    let answer = fixture.searcher.answer("romeo juliet", 0, 1, &pages).unwrap();
    let snippet = answer.results[0].snippet.text();
    assert!(snippet.contains("romeo") && snippet.contains("juliet comes"), "{snippet}");
    assert_eq!(pages.asked.into_inner().unwrap(), [64 << 10, 256 << 10]);
}

#[test]
fn the_ranking_is_the_one_computed_by_hand() {
    // df(romeo) = 2 of 4: idf = 5·(ln(1 + 2.5/2.5)/5)^1.4 = 0.314462; k1 1.75, b 0.75.
    // Texts have 6, 10, 6 and 4 words, 6.5 on average; titles 3, 1, 0, 0, 1 on average.
    // Document 2: w = 3 / (0.25 + 0.75·6/6.5) = 3.183673; 0.314462·2.75·w/(1.75 + w) = 0.558031
    // Document 0: w = 4·1 / (0.25 + 0.75·3/1) = 1.6; 0.314462·2.75·w/(1.75 + w) = 0.413024
    let hits = plays().searcher.search(&Query::parse("romeo").unwrap(), 0, 10).unwrap();
    let expected = [(2, 0.558_031), (0, 0.413_024)];
    assert_eq!(hits.total, 2);
    for (hit, (doc, score)) in hits.hits.iter().zip(expected) {
        assert_eq!(hit.doc.get(), doc);
        assert!((hit.score - score).abs() < 1e-6, "document {doc}: {} instead of {score}", hit.score);
    }
}

#[test]
fn a_menu_does_not_weigh_like_the_text_but_is_found() {
    use index::Field::{Main, Rest};
    let documents = [
        vec![(Rest, "bridges bridges"), (Main, "about stones and stones")],
        vec![(Rest, "home news"), (Main, "about bridges and stones")],
        vec![(Rest, "home news"), (Main, "about houses and stones")],
    ];
    let fixture = crate::fixture_of(&documents);
    let found = |query: &str| -> Vec<u32> {
        let hits = fixture.searcher.search(&Query::parse(query).unwrap(), 0, 10).unwrap();
        hits.hits.iter().map(|hit| hit.doc.get()).collect()
    };
    assert_eq!(found("bridges"), [1, 0]);
    // A phrase of the menu is one of the page too, and may go on into the text.
    assert_eq!(found("\"home news\""), [1, 2]);
    assert_eq!(found("\"bridges about stones\""), [0]);
    let explanation =
        fixture.searcher.explain(&Query::parse("bridges").unwrap(), page::DocId::new(0)).unwrap().to_string();
    assert!(
        explanation.contains("bridges: tf 2 (2 in rest of 2, 2.0 on average, ×0.25), df 2"),
        "{explanation}"
    );
}

#[test]
fn an_explanation_reads_like_a_calculation() {
    // idf(and) = 5·(ln(1 + 3.5/1.5)/5)^1.4 = 0.6812, idf(juliet) = idf(romeo); together 0.9957, ·2.75·1.6/3.35 = 1.3077
    let fixture = plays();
    let explanation = fixture
        .searcher
        .explain(&Query::parse("+romeo \"and juliet\" -sun").unwrap(), page::DocId::new(0))
        .unwrap();
    let title = "tf 1 (1 in title of 3, 1.0 on average, ×4)";
    let expected = format!(
        "score 1.7208
  0.4130  romeo: {title}, df 2, idf 0.3145, impact 0.4776
  1.3077  \"and juliet\": {title}, df 1, idf 0.9957, impact 0.4776"
    );
    assert_eq!(explanation.to_string(), expected);
    let words =
        fixture.searcher.explain(&Query::parse("romeo hamlet").unwrap(), page::DocId::new(0)).unwrap();
    let expected = format!(
        "1 of 2 words; score 0.4130
  0.4130  romeo: {title}, df 2, idf 0.3145, impact 0.4776"
    );
    assert_eq!(words.to_string(), expected);
    let other = fixture.searcher.explain(&Query::parse("hamlet").unwrap(), page::DocId::new(3)).unwrap();
    assert_eq!(other.to_string(), "document 3 does not match");
}

#[test]
fn json_has_the_promised_keys() {
    let request = AnswerRequest { from: 0, count: 10, explain: true, ..Default::default() };
    let answer = plays().searcher.answer_request("juliet sun", &request, &Plays).unwrap();
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!((&json["total"], &json["with_all_words"]), (&2.into(), &1.into()));
    assert_eq!(json["total_is"], "exact");
    assert!(json["took_us"].is_u64());
    assert_eq!(
        (&json["query"], &json["from"], &json["partial"]),
        (&"juliet sun".into(), &0.into(), &false.into())
    );
    let result = &json["results"][0];
    assert_eq!((&result["rank"], &result["url"]), (&1.into(), &"http://plays.test/103".into()));
    assert_eq!(result["title"], "A play");
    assert_eq!(result["snippet"], "It is the east, and <b>Juliet</b> is the sun.");
    assert_eq!(result["snippet_fragments"][1], serde_json::json!({"text": "Juliet", "marked": true}));
    assert!(result["score"].as_f64().unwrap() > 0.0);
    assert_eq!(result["explanation"]["terms"][0]["term"], "juliet");
}

#[test]
fn ranks_count_over_the_whole_list_and_unreadable_pages_are_counted() {
    let answer = plays().searcher.answer("romeo OR juliet", 1, 2, &Plays).unwrap();
    // The second of three results is document 2, whose page is gone.
    assert_eq!((answer.total, answer.unreadable), (3, 1));
    assert_eq!(answer.results.iter().map(|result| result.rank).collect::<Vec<_>>(), [3]);
    assert!(answer.results.iter().all(|result| result.explanation.is_none()));
}

#[test]
fn results_too_far_down_are_refused() {
    let fixture = plays();
    let query = Query::parse("romeo").unwrap();
    assert!(fixture.searcher.search(&query, 990, 10).is_ok());
    for (from, count) in [(991, 10), (0, 1001), (usize::MAX, 1), (1, usize::MAX)] {
        assert!(matches!(fixture.searcher.search(&query, from, count), Err(Error::TooFar { .. })));
    }
    let error = fixture.searcher.answer("!?", 0, 10, &Plays).unwrap_err();
    assert!(matches!(error, Error::Query(QueryError::Empty)));
}

#[test]
fn a_deadline_that_has_passed_gives_a_partial_answer() {
    let pages: Vec<(String, String)> = (0..5000)
        .map(|number| (String::new(), if number % 2 == 0 { "all even" } else { "all odd" }.to_owned()))
        .collect();
    let fixture = fixture(&pages);
    for text in ["all", "all OR even", "even odd", "even AND odd", "\"even odd\"", "all -even"] {
        let query = Query::parse(text).unwrap();
        let past = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        let future =
            Limits { deadline: Some(Instant::now() + Duration::from_secs(3600)), ..Limits::default() };
        for scheme in Scheme::ALL {
            let searcher = fixture.searcher.clone().with_scheme(scheme);
            let hits = searcher.search_within(&query, 0, 10, CopiesView::default(), past).unwrap();
            assert!(hits.partial && hits.total <= 2048, "{text} {scheme:?}");
            assert!(scheme == Scheme::Bm25f || hits.total_is == TotalIs::AtLeast, "{text} {scheme:?}");
        }
        let hits = fixture.searcher.search_within(&query, 0, 10, CopiesView::default(), future).unwrap();
        assert_eq!(hits, fixture.searcher.search(&query, 0, 10).unwrap(), "{text}");
    }
}

#[test]
fn hostile_queries_get_an_answer_or_a_reason() {
    let fixture = plays();
    let (parentheses, megabyte) = ("(".repeat(10_000), "romeo ".repeat(180_000));
    let sixteen_deep = format!("{}romeo", "-(-(".repeat(8));
    // Text, and how many documents it finds if it is answered.
    let rows: [(&str, Option<u64>); 13] = [
        (&parentheses, None),
        (&megabyte, Some(2)),
        (&sixteen_deep, Some(2)),
        ("OR AND NOT | - ( ) \" \"", None),
        ("\u{0}\u{1}\u{7f}\u{85}", None),
        ("romeo\u{0}juliet", Some(0)),
        ("romeo\u{0}juliet sun", Some(3)),
        ("👨‍👩‍👧 👍🏽", None),
        ("👍 hamlet 👍", Some(1)),
        ("\u{202e}hamlet\u{202c}", Some(1)),
        ("\u{2066}\u{2069}", None),
        ("<script>alert(1)</script>", Some(0)),
        ("' OR 1=1 --", Some(0)),
    ];
    for (text, total) in rows {
        let found = fixture.searcher.answer(text, 0, 10, &Plays).ok().map(|answer| answer.total);
        assert_eq!(found, total, "{:?}", text.chars().take(40).collect::<String>());
    }
}

#[test]
fn words_that_begin_as_was_asked_are_marked() {
    let answer = plays().searcher.answer("jul*", 0, 10, &Plays).unwrap();
    let fragments = answer.results.iter().flat_map(|result| &result.snippet.fragments);
    assert!(fragments.clone().any(|fragment| fragment.marked && fragment.text == "Juliet"));
    assert!(fragments.filter(|fragment| fragment.marked).all(|fragment| fragment.text.starts_with("Jul")));
}

#[test]
fn of_a_question_the_telling_words_are_looked_for_and_that_is_said() {
    let pages = [
        ("", "how do I do what I do in the house of an aunt"),
        ("", "to create an index use the command"),
        ("", "the index of the book"),
        ("", "create a garden"),
    ];
    let searcher = fixture(&pages).searcher;
    let request = AnswerRequest { count: 10, ..AnswerRequest::default() };
    let ask = |typed: &str| searcher.answer_request(typed, &request, &Plays).unwrap();
    let docs =
        |typed: &str| ask(typed).results.iter().map(|result| result.key.get() - 100).collect::<Vec<_>>();
    assert_eq!(docs("how do I create an index"), [1, 3]);
    let note = "not looked for: how, do, I, an; a + before a word makes it count";
    assert_eq!(
        ask("how do I create an index").notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [note]
    );
    // What must be there is there, few words are no question, and of words that say nothing nothing is left out.
    assert_eq!(docs("+how do I create an index"), [0]);
    assert!(docs("how create index").contains(&0));
    assert!(docs("how do I do what").contains(&0));
}

#[test]
fn of_a_question_with_few_telling_words_pages_with_all_of_them_come_first() {
    let filler = "some more words about other things that nobody asked for ".repeat(20);
    let pages = [
        (String::new(), "sort sort vector vector sort vector".to_owned()),
        (String::new(), format!("{filler} a vector of rust can be brought in order by sort {filler}")),
        (String::new(), "rust".to_owned()),
        (String::new(), "rust again".to_owned()),
        (String::new(), "rust once more".to_owned()),
    ];
    let searcher = fixture(&pages).searcher;
    let request = AnswerRequest { count: 2, ..AnswerRequest::default() };
    let first =
        |typed: &str| searcher.answer_request(typed, &request, &Plays).unwrap().results[0].key.get() - 100;
    assert_eq!(first("how do I sort a vector in rust"), 1);
    // Of many words the best page need not have all.
    assert_eq!(first("which sort of vector does sort a vector in once bitten iron rust"), 0);
}

#[test]
fn long_pages_are_read_by_two_threads_and_come_in_their_order() {
    let long = |number: usize| format!("whale {}", "and the sea ".repeat(4_000 + number));
    let pages: Vec<(String, String)> = (0..12).map(|number| (String::new(), long(number))).collect();
    let searcher = fixture(&pages).searcher;
    let request = AnswerRequest { count: 10, ..AnswerRequest::default() };
    let answer = searcher.answer_request("whale", &request, &Plays).unwrap();
    let hits = searcher.search(&Query::parse("whale").unwrap(), 0, 10).unwrap().hits;
    // One of them cannot be read.
    let expected: Vec<_> = hits
        .iter()
        .zip(1..)
        .filter(|(hit, _)| hit.key.get() != 102)
        .map(|(hit, rank)| (rank, hit.key))
        .collect();
    let shown: Vec<_> = answer.results.iter().map(|result| (result.rank, result.key)).collect();
    assert_eq!(shown, expected);
    assert_eq!(answer.unreadable as usize, hits.len() - shown.len());
}
