//! Plain words side by side: those with all words first, as the strict query gives them where it does not matter how words
//! stand, then the best others.

use std::collections::BTreeSet;
use std::sync::Arc;

use page::DocId;
use proptest::prelude::*;
use search::{
    AnswerRequest, Copies, CopiesView, Hit, Hits, Limits, LinkRanks, PageReader, PageText, Query, Searcher,
    Sites, Weights,
};

use crate::fixture;

fn search(searcher: &Searcher, text: &str, from: usize, count: usize) -> Hits {
    let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    searcher.search_within(&query, from, count, CopiesView::default(), Limits::default()).unwrap()
}

/// Where only words and ranks count, and not how the words stand: formulas do not ask for that.
fn by_words_alone(searcher: &Searcher) -> Searcher {
    searcher.clone().with_weights(Weights { proximity: 0.0, whole_title: 0.0, ..Weights::default() })
}

/// What a plain reader would make of `a b c`: the answers to `a AND b AND c`, then those to `a OR b OR c`, both ranked.
/// Copies are folded by hand: of each group one is shown, with as many similar ones as there are others in either list.
fn two_lists(searcher: &Searcher, words: &[&str], excluded: &str) -> (Vec<DocId>, usize) {
    let strict = format!("({}) {excluded}", words.join(" AND "));
    let loose = format!("({}) {excluded}", words.join(" OR "));
    let query = |text: &str| Query::parse(text).unwrap();
    let all =
        searcher.search_within(&query(&strict), 0, 1000, CopiesView::Shown, Limits::default()).unwrap().hits;
    let any =
        searcher.search_within(&query(&loose), 0, 1000, CopiesView::Shown, Limits::default()).unwrap().hits;
    let with_all: BTreeSet<DocId> = all.iter().map(|hit| hit.doc).collect();
    let others = any.iter().map(|hit| hit.doc).filter(|doc| !with_all.contains(doc));
    (all.iter().map(|hit| hit.doc).chain(others).collect(), all.len())
}

fn any_pages() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("([abcd] ){0,2}", "([abcde] ){0,8}"), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn pages_with_all_words_come_first_and_then_the_best_of_the_others(
        pages in any_pages(),
        words in prop::sample::subsequence(vec!["a", "b", "c", "d", "absent"], 2..5),
        excluded in prop::sample::select(vec!["", "-e"]),
        ranks in prop::collection::vec(0f32..9.0, 40),
        weight in prop::sample::select(vec![0.0, 2.0]),
        step in 1usize..7,
    ) {
        let fixture = fixture(&pages);
        let searcher = by_words_alone(&fixture.searcher).with_ranks(LinkRanks::new(ranks.into(), weight));
        let (expected, with_all_words) = two_lists(&searcher, &words, excluded);
        let text = format!("{} {excluded}", words.join(" "));
        let mut found = Vec::new();
        // However results are divided into pages, it is one list.
        for from in (0..=expected.len()).step_by(step) {
            let page = search(&searcher, &text, from, step);
            prop_assert_eq!((page.total, page.with_all_words), (expected.len() as u64, with_all_words as u64));
            found.extend(page.hits.iter().map(|hit| hit.doc));
        }
        prop_assert_eq!(&found, &expected);
        let all = search(&searcher, &text, 0, 1000).hits;
        for (place, hit) in all.iter().enumerate() {
            assert_explained(&searcher, &text, &words, hit, place < with_all_words)?;
        }
        let query = Query::parse(&text).unwrap();
        for doc in (0..pages.len()).map(DocId::from_index).filter(|doc| !expected.contains(doc)) {
            prop_assert!(!searcher.explain(&query, doc).unwrap().matches);
        }
    }

    #[test]
    fn of_copies_one_that_has_all_words_is_shown(
        pages in any_pages(),
        owners in prop::collection::vec(0usize..12, 40),
        step in 1usize..7,
    ) {
        let documents = pages.len() as u32;
        let mut groups = vec![Vec::new(); 6];
        for (doc, owner) in (0..documents).map(DocId::new).zip(owners) {
            if let Some(group) = groups.get_mut(owner) {
                group.push(doc);
            }
        }
        groups.retain(|group| group.len() > 1);
        let fixture = fixture(&pages);
        let copies = Copies::new(documents, groups.iter().map(Vec::as_slice));
        let plain = by_words_alone(&fixture.searcher);
        let searcher = plain.clone().with_copies(Arc::new(copies));
        let (all, with_all_words) = two_lists(&plain, &["a", "b", "c"], "");
        let expected = folded_by_hand(&all, with_all_words, &groups);
        let mut found = Vec::new();
        for from in (0..=expected.len()).step_by(step) {
            let page = search(&searcher, "a b c", from, step);
            prop_assert_eq!(page.total, expected.len() as u64);
            let full = expected.iter().filter(|(doc, _)| all[..with_all_words].contains(doc)).count();
            prop_assert_eq!(page.with_all_words, full as u64);
            found.extend(page.hits.iter().map(|hit| (hit.doc, hit.similar)));
        }
        prop_assert_eq!(&found, &expected);
    }
}

fn assert_explained(
    searcher: &Searcher,
    text: &str,
    words: &[&str],
    hit: &Hit,
    has_all: bool,
) -> Result<(), TestCaseError> {
    let explanation = searcher.explain(&Query::parse(text).unwrap(), hit.doc).unwrap();
    prop_assert!(explanation.matches && (explanation.score - hit.score).abs() < 1e-9, "{explanation}");
    let counts = explanation.words.as_ref().unwrap();
    prop_assert_eq!(counts.found + counts.missing.len(), words.len());
    prop_assert_eq!(counts.missing.is_empty(), has_all);
    let said = match has_all {
        true => "all words; score ".to_owned(),
        false => format!("{} of {} words; score ", counts.found, words.len()),
    };
    prop_assert!(explanation.to_string().starts_with(&said), "{explanation}");
    Ok(())
}

/// The list without copies: of each group the canonical one if it is among the best kind there is, else the first.
fn folded_by_hand(all: &[DocId], with_all_words: usize, groups: &[Vec<DocId>]) -> Vec<(DocId, u64)> {
    let mut shown = Vec::new();
    for &doc in all {
        let Some(group) = groups.iter().find(|group| group.contains(&doc)) else {
            shown.push((doc, 0));
            continue;
        };
        let matching: Vec<DocId> = all.iter().copied().filter(|other| group.contains(other)).collect();
        let best_kind: Vec<DocId> =
            all[..with_all_words].iter().copied().filter(|other| group.contains(other)).collect();
        let best_kind = if best_kind.is_empty() { &matching } else { &best_kind };
        let stands = if best_kind.contains(&group[0]) { group[0] } else { best_kind[0] };
        if stands == doc {
            shown.push((doc, matching.len() as u64 - 1));
        }
    }
    shown
}

#[test]
fn what_must_hold_holds_and_plain_words_beside_it_only_decide_the_order() {
    let pages = [
        ("", "to be or not"),
        ("", "hamlet to be or not"),
        ("", "hamlet be to"),
        ("", "be to"),
        ("", "ophelia to be hamlet"),
    ];
    let fixture = fixture(&pages);
    let docs = |text: &str| {
        let hits = search(&fixture.searcher, text, 0, 10);
        (hits.hits.iter().map(|hit| hit.doc.get()).collect::<Vec<_>>(), hits.with_all_words)
    };
    assert_eq!(docs("\"to be\" hamlet"), (vec![4, 1, 0], 2));
    assert_eq!(docs("\"to be\" hamlet -ophelia"), (vec![1, 0], 1));
    assert_eq!(docs("\"to be\" ophelia absent"), (vec![4, 0, 1], 0));
    assert_eq!(docs("+hamlet ophelia"), (vec![4, 2, 1], 1));
    assert_eq!(docs("hamlet AND ophelia"), (vec![4], 1));
    assert_eq!(docs("(ophelia OR not) hamlet"), (vec![4, 1, 0], 2));
}

#[test]
fn a_word_that_is_taken_apart_is_a_phrase_alone_and_no_obstacle_in_a_question() {
    let pages = [
        ("", "send e mail now"),
        ("", "mail the letter e"),
        ("", "the mail server"),
        ("", "server e mail set up"),
        ("", "nothing"),
        ("", "mail server e"),
    ];
    let fixture = fixture(&pages);
    let docs = |text: &str| {
        search(&fixture.searcher, text, 0, 10).hits.iter().map(|hit| hit.doc.get()).collect::<Vec<_>>()
    };
    let sorted = |text: &str| BTreeSet::from_iter(docs(text)).into_iter().collect::<Vec<_>>();
    assert_eq!(sorted("e-mail"), [0, 3]);
    assert_eq!(sorted("e-mail -server"), [0]);
    // The phrase and the other word come first, then whoever has some of it.
    assert_eq!(docs("e-mail server")[0], 3);
    assert_eq!(sorted("e-mail server"), [0, 1, 2, 3, 5]);
    let hits = search(&fixture.searcher, "e-mail server", 0, 10);
    assert_eq!((hits.total, hits.with_all_words), (5, 1));
    let explanation =
        fixture.searcher.explain(&Query::parse("e-mail server").unwrap(), DocId::new(1)).unwrap();
    assert_eq!(explanation.words.unwrap().missing, ["e-mail", "server"], "its pieces are not side by side");
    assert_eq!(explanation.terms.iter().map(|row| row.term.as_str()).collect::<Vec<_>>(), ["e", "mail"]);
}

#[test]
fn a_word_that_is_typed_twice_counts_twice() {
    let fixture = fixture(&[("", "stone bridge"), ("", "old")]);
    let plain = by_words_alone(&fixture.searcher);
    let score = |text: &str| search(&plain, text, 0, 1).hits[0].score;
    assert!((score("stone bridge stone") - score("stone OR stone OR bridge")).abs() < 1e-5);
    let explanation = plain.explain(&Query::parse("stone bridge stone").unwrap(), DocId::new(0)).unwrap();
    assert!(explanation.to_string().contains("impact 0.3137, typed ×2\n"), "{explanation}");
    assert!((explanation.score - score("stone bridge stone")).abs() < 1e-12);
}

struct Blank;

impl PageReader for Blank {
    fn read(&self, _key: page::PageKey) -> Option<PageText> {
        Some(PageText::default())
    }
}

#[test]
fn long_queries_are_cut_by_weight_and_that_is_said() {
    // Word number n is on the first n pages: the first words are the rarest.
    let words: Vec<String> = (1..=50).map(|number| format!("w{number}")).collect();
    let pages: Vec<(String, String)> = (0..50).map(|page| (String::new(), words[page..].join(" "))).collect();
    let fixture = fixture(&pages);
    let typed = format!("{} nowhere", words.join(" "));
    let request = AnswerRequest { count: 60, explain: true, ..Default::default() };
    let answer = fixture.searcher.answer_request(&typed, &request, &Blank).unwrap();
    let said: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "on no page: nowhere");
    assert!(said[1].starts_with("only the 32 rarest words were looked for, without w33, w34, "), "{said:?}");
    assert!(said[1].ends_with(", w44 and 6 more"), "{said:?}");
    assert_eq!((answer.total, answer.unknown_words.as_slice()), (32, &["nowhere".to_owned()][..]));
    // What is cut does not depend on the page of results, and the explanation knows of it.
    let explanation = answer.results[0].explanation.as_ref().unwrap();
    assert_eq!((explanation.terms.len(), explanation.words.as_ref().unwrap().found), (32, 32));
    let short = search(&fixture.searcher, &words[..32].join(" "), 0, 60);
    assert_eq!(search(&fixture.searcher, &typed, 0, 60), short);
    let second: Vec<Hit> = (0..32).flat_map(|from| search(&fixture.searcher, &typed, from, 1).hits).collect();
    assert_eq!(second, short.hits);
}

#[test]
fn words_that_are_on_no_page_and_hosts_without_pages_are_named() {
    let fixture = fixture(&[("", "stone bridge"), ("", "old bridge")]);
    let mut sites = Sites::new(2);
    sites.add("a.test", "/", Some(DocId::new(0)));
    sites.add("b.test", "/", Some(DocId::new(1)));
    let searcher = fixture.searcher.clone().with_sites(Arc::new(sites));
    let rows: [(&str, u64, &[&str]); 13] = [
        ("bridge", 2, &[]),
        ("\"bridge stone\" -old", 0, &["\"bridge stone\" is on no page, though its words are"]),
        ("title:bridge old", 0, &["title:\"bridge\" is on no page, though the word is elsewhere"]),
        ("anchor:bridge", 0, &["anchor:\"bridge\" is on no page, though the word is elsewhere"]),
        ("url:bridge", 0, &["url:\"bridge\" is on no page, though the word is elsewhere"]),
        ("\"bridge marble\"", 0, &["on no page: marble"]),
        ("\"stone bridge\" \"old bridge\"", 0, &[]),
        ("marble bridge tol", 2, &["on no page: marble, tol"]),
        ("marble", 0, &["on no page: marble"]),
        ("bridge site:a.test", 1, &[]),
        ("site:test", 2, &[]),
        ("bridge -site:a.test", 1, &[]),
        ("bridge site:c.test", 0, &["no page is from c.test"]),
    ];
    for (text, total, notes) in rows {
        let answer = searcher.answer(text, 0, 10, &Blank).unwrap();
        let said: Vec<String> = answer.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            (answer.total, said.as_slice()),
            (total, &notes.iter().map(|note| (*note).to_owned()).collect::<Vec<_>>()[..]),
            "{text}"
        );
    }
    let answer = searcher.answer("stone bridge old", 0, 10, &Blank).unwrap();
    assert_eq!(answer.results[0].missing_words, ["old"]);
    assert_eq!((answer.total, answer.with_all_words), (2, 0));
    let json = serde_json::to_value(searcher.answer("marble bridge", 0, 10, &Blank).unwrap()).unwrap();
    assert_eq!(json["notes"], serde_json::json!(["on no page: marble"]));
    assert_eq!(json["unknown_words"], serde_json::json!(["marble"]));
    assert_eq!(json["results"][0]["missing_words"], serde_json::json!(["marble"]));
    assert_eq!(json["with_all_words"], 0);
}
