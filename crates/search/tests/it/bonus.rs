//! How the words of a query stand in a page: near each other, or as its whole title.

use page::{DocId, PageKey};
use search::{
    AnswerRequest, CopiesView, Hit, Limits, Meanings, PageReader, PageText, Query, Searcher, Weights,
};

use crate::fixture;

fn first(searcher: &Searcher, text: &str) -> DocId {
    searcher.search(&Query::parse(text).unwrap(), 0, 1).unwrap().hits[0].doc
}

#[test]
fn of_pages_with_the_same_words_the_one_that_has_them_together_comes_first() {
    let filler = "one two three four five six seven eight nine ten";
    let apart = format!("old {filler} bridge");
    let together = format!("{filler} old bridge");
    let fixture = fixture(&[("", apart.as_str()), ("", &together), ("", "something else")]);
    let plain = fixture.searcher.clone().with_weights(Weights { proximity: 0.0, ..Weights::default() });
    assert_eq!(
        first(&plain, "old bridge"),
        DocId::new(0),
        "equal scores stand in the order of the documents"
    );
    for text in ["old bridge", "bridge old", "the old bridge", "+one old bridge", "+one +two old bridge"] {
        assert_eq!(first(&fixture.searcher, text), DocId::new(1), "{text}");
    }
    let explanation = fixture.searcher.explain(&Query::parse("old bridge").unwrap(), DocId::new(1)).unwrap();
    let [pair] = explanation.pairs.as_slice() else { panic!("one pair: {explanation}") };
    assert_eq!((pair.words.join(" "), pair.closeness), ("old bridge".to_owned(), 1.0 / 1.3));
    let weaker = explanation.terms.iter().map(|term| term.contribution).fold(f64::INFINITY, f64::min);
    assert!((pair.contribution - 0.3 * pair.closeness * weaker).abs() < 1e-5, "{explanation}");
    assert!(
        explanation.to_string().contains("old near bridge: closeness 0.769, weight 0.3"),
        "{explanation}"
    );
}

#[test]
fn a_page_whose_title_is_the_query_comes_first() {
    let fixture = fixture(&[
        ("Old bridge, and how a bridge is built", "The old bridge, the old bridge, and an old bridge again"),
        ("Bridge building", "An old bridge is an old bridge"),
        ("Old bridge", "It stands where the river is narrow, and nobody knows who built it or when that was"),
    ]);
    let plain = fixture.searcher.clone().with_weights(Weights { whole_title: 0.0, ..Weights::default() });
    let whole = fixture.searcher.clone().with_weights(Weights { whole_title: 1.0, ..Weights::default() });
    assert_eq!((first(&whole, "old bridge"), first(&whole, "bridge old")), (DocId::new(2), DocId::new(2)));
    let explain = |searcher: &Searcher, text: &str, doc: u32| {
        searcher.explain(&Query::parse(text).unwrap(), DocId::new(doc)).unwrap().whole_title
    };
    // searcher, query, document, whether its title is the query
    let rows = [
        (&whole, "old bridge", 2, true),
        (&whole, "old bridge", 0, false),
        (&whole, "bridge building", 1, true),
        (&whole, "bridge", 2, false),
        (&whole, "old bridge river", 2, false),
        (&whole, "\"old bridge\"", 2, false),
        (&plain, "old bridge", 2, false),
    ];
    for (searcher, text, doc, is_title) in rows {
        assert_eq!(explain(searcher, text, doc).is_some(), is_title, "{text} {doc}");
    }
}

#[test]
fn a_title_with_the_same_numbers_in_another_order_is_another_one() {
    let title = |version: &str| {
        (format!("Notes of {version}"), "what is new in versions 1.11.2 and 2.1.11".to_owned())
    };
    let fixture = fixture(&["1.11.2", "2.1.11", "11.2.1"].map(title));
    let whole = fixture.searcher.clone().with_weights(Weights { whole_title: 1.0, ..Weights::default() });
    let called = |text: &str| {
        let is_called = |doc: &u32| {
            let query = Query::parse(text).unwrap();
            whole.explain(&query, DocId::new(*doc)).unwrap().whole_title.is_some()
        };
        (0..3).filter(is_called).collect::<Vec<u32>>()
    };
    assert_eq!((called("notes of 1.11.2"), called("notes of 11.2.1")), (vec![0], vec![2]));
    // Nobody is called so; then the words decide.
    assert_eq!((called("notes of 1.2.11"), called("notes of 11 2 1")), (vec![0, 1, 2], vec![0, 1, 2]));
}

/// Pages about something, one of which is called so and another one says it more often, and many that have less of it.
fn titled_pages() -> Vec<(String, String)> {
    let mut pages = vec![
        (
            "All commands and an index".to_owned(),
            "create index and create table and create index, ".repeat(3),
        ),
        (
            "Create index".to_owned(),
            "makes one, which takes a while where a table is large: create it early".to_owned(),
        ),
    ];
    pages.extend((0..90).map(|number| {
        let title = if number % 3 == 0 { "Create things of any kind" } else { "" };
        (
            title.to_owned(),
            format!("number {number} of an index, to create {}", "other things ".repeat(number % 7)),
        )
    }));
    pages.extend((0..200).map(|number| (String::new(), format!("something else, number {number}"))));
    pages
}

fn looked_at_once_more(searcher: &Searcher, from: usize, count: usize, meanings: Meanings) -> Vec<Hit> {
    let query = Query::parse("create index table").unwrap();
    let limits = Limits::default();
    searcher.search_by_meaning(&query, from, count, CopiesView::default(), limits, meanings).unwrap().hits
}

#[test]
fn of_the_best_by_words_those_come_first_whose_titles_consist_of_them() {
    let fixture = fixture(&titled_pages());
    let searcher = fixture.searcher.clone().with_weights(Weights { whole_title: 1.0, ..Weights::default() });
    let docs = |hits: &[Hit]| hits.iter().map(|hit| hit.doc.get()).collect::<Vec<_>>();
    let hits = |meanings| looked_at_once_more(&searcher, 0, 10, meanings);
    let [by_words, with_titles] = [Meanings::Off, Meanings::Auto].map(hits);
    assert_eq!(docs(&by_words)[..2], [0, 1]);
    assert_eq!(docs(&with_titles)[..2], [1, 0]);
    assert!(by_words.iter().all(|hit| hit.title_words.is_none()));
    // All of the one title is of the query, of the other one word of five.
    let gains = with_titles.iter().map(|hit| hit.title_words.unwrap_or_default()).take(2).collect::<Vec<_>>();
    assert!(gains[0] > 4.0 * gains[1] && gains[1] > 0.0, "{gains:?}");
    // However the list is asked for, it is the same one, behind those that are looked at, too.
    let all = docs(&looked_at_once_more(&searcher, 0, 92, Meanings::Auto));
    let pages = (0..92)
        .step_by(9)
        .flat_map(|from| docs(&looked_at_once_more(&searcher, from, 9.min(92 - from), Meanings::Auto)));
    assert_eq!(pages.collect::<Vec<_>>(), all);
    let mut sorted = all;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..92).collect::<Vec<_>>());
}

/// Nobody reads these pages.
struct NoTexts;

impl PageReader for NoTexts {
    fn read(&self, _: PageKey) -> Option<PageText> {
        Some(PageText::default())
    }
}

#[test]
fn what_titles_add_is_told_and_adds_up() {
    let fixture = fixture(&titled_pages());
    let request = AnswerRequest { count: 5, explain: true, ..AnswerRequest::default() };
    let answer = fixture.searcher.answer_request("create index table", &request, &NoTexts).unwrap();
    for result in &answer.results {
        let explanation = result.explanation.as_ref().unwrap();
        assert!((explanation.score - result.score).abs() < 1e-4, "{explanation}");
    }
    let first = answer.results[0].explanation.as_ref().unwrap().to_string();
    assert!(first.contains("words in the title"), "{first}");
}
