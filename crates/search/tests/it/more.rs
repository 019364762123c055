//! Words that were not typed: synonyms, and words of the first pages.

use page::{DocId, PageKey};
use search::{
    Answer, AnswerRequest, Feedback, Meanings, PageReader, PageText, Query, Searcher, Synonyms, TotalIs,
};

use crate::{Fixture, fixture};

const PAGES: [(&str, &str); 8] = [
    ("Insurance", "how to insure a car and what a car insurance pays"),
    ("Policies", "automobile insurance with a policy for any automobile"),
    ("Engines", "the engine of an automobile and of automobiles"),
    ("Boats", "insurance of boats and of harbours"),
    ("Cities", "new houses in the city of york"),
    ("Metropolis", "new york city has bridges"),
    ("Tires", "a tire of rubber"),
    ("Nothing", "a page that says nothing of this"),
];

struct Pages;

impl PageReader for Pages {
    fn read(&self, key: PageKey) -> Option<PageText> {
        let (title, text) = PAGES[key.get() as usize - 100];
        let url = format!("http://a.test/{key}");
        Some(PageText { url, title: title.to_owned(), text: text.to_owned(), ..PageText::default() })
    }
}

fn with_synonyms(fixture: &Fixture, file: &str) -> Searcher {
    fixture.searcher.clone().with_synonyms(&Synonyms::parse(file).unwrap())
}

fn answer(searcher: &Searcher, query: &str, request: AnswerRequest) -> Answer {
    let request = AnswerRequest { count: 10, explain: true, meanings: Meanings::Off, ..request };
    searcher.answer_request(query, &request, &Pages).unwrap()
}

fn keys(answer: &Answer) -> Vec<u64> {
    answer.results.iter().map(|result| result.key.get() - 100).collect()
}

#[test]
fn synonyms_are_found_count_less_than_the_word_and_are_explained() {
    let fixture = fixture(&PAGES);
    let searcher = with_synonyms(&fixture, "car, automobile\nNYC => New York City\ntyre => tire\n");
    let rows: [(&str, &[u64]); 6] = [
        ("car", &[0, 1, 2]),
        ("automobile", &[2, 1, 0]),
        ("cars", &[0, 1, 2]),
        ("tyre", &[6]),
        ("tire", &[6]),
        ("+car", &[0]),
    ];
    for (query, expected) in rows {
        let found = answer(&searcher, query, AnswerRequest::default());
        let mut sorted = keys(&found);
        sorted.sort_unstable();
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted, "{query}");
        assert_eq!((found.total, found.total_is), (expected.len() as u64, TotalIs::Exact), "{query}");
    }
    // A page with the word and one with its synonym both come before those with neither.
    let found = answer(&searcher, "car insurance", AnswerRequest::default());
    assert_eq!(keys(&found)[..2], [0, 1]);
    assert!(keys(&found)[2..].contains(&3) && found.results[1].missing_words.is_empty());
    assert_eq!(found.results.iter().find(|result| result.key.get() == 103).unwrap().missing_words, ["car"]);
    let explained = found.results[1].explanation.as_ref().unwrap().to_string();
    assert!(explained.contains("automobile") && explained.contains("(synonym of car)"), "{explained}");
    let marked =
        |fragments: &[search::Fragment]| fragments.iter().any(|one| one.marked && one.text == "automobile");
    assert!(marked(&found.results[1].snippet.fragments), "{:?}", found.results[1].snippet);
    // The words of a phrase count one by one, so the page that has all of them comes first.
    assert_eq!(keys(&answer(&searcher, "nyc", AnswerRequest::default()))[0], 5);
    // Nobody is told that a word is on no page which was not typed.
    assert!(
        answer(&with_synonyms(&fixture, "boats => yachts"), "boats", AnswerRequest::default())
            .notes
            .is_empty()
    );
}

#[test]
fn a_synonym_counts_as_another_form_of_a_word_does() {
    // The synonym is rarer than the word, and yet no more telling.
    let pages = [
        ("", "car one"),
        ("", "automobile one"),
        ("", "other words"),
        ("", "a long page without any car in it"),
    ];
    let fixture = fixture(&pages);
    let searcher = with_synonyms(&fixture, "car, automobile");
    let hits = searcher.search(&Query::parse("car").unwrap(), 0, 10).unwrap().hits;
    let docs: Vec<u32> = hits.iter().map(|hit| hit.doc.get()).collect();
    assert_eq!(docs, [0, 1, 3]);
    assert!((hits[1].score / hits[0].score - 0.8).abs() < 1e-4, "{hits:?}");
    for hit in hits {
        let explained = searcher.explain(&Query::parse("car").unwrap(), hit.doc).unwrap();
        assert!(explained.matches && (explained.score - hit.score).abs() < 1e-4, "{explained}");
    }
}

#[test]
fn the_best_with_words_that_were_not_typed_are_those_that_looking_at_every_document_finds() {
    let word = |doc: usize, place: usize| format!("w{}", (doc * 7 + place * place * 5 + doc / 9) % 23);
    let text = |doc: usize| (0..4 + doc % 13).map(|place| word(doc, place)).collect::<Vec<_>>().join(" ");
    let pages: Vec<(String, String)> = (0..700).map(|doc| (String::new(), text(doc))).collect();
    let searcher = with_synonyms(&fixture(&pages), "w1, w5, w9\nw2 => w11, w3 w4\nw20, w21");
    for typed in ["w1", "w1 w2", "w2 w20 w7", "w1 w2 w3 w20 w6 w8", "w20 site:a.test", "w1 -w5"] {
        let query = Query::parse(typed).unwrap();
        let explained = |doc: DocId| searcher.explain(&query, doc).unwrap();
        let mut all: Vec<(u64, u32)> = (0..700)
            .map(|doc| (explained(DocId::new(doc)), doc))
            .filter(|(explanation, _)| explanation.matches)
            .map(|(explanation, doc)| ((explanation.score * 1e4).round() as u64, doc))
            .collect();
        all.sort_by_key(|(score, doc)| (std::cmp::Reverse(*score), *doc));
        let hits = searcher.search(&query, 0, 25).unwrap();
        let found: Vec<u64> = hits.hits.iter().map(|hit| (hit.score * 1e4).round() as u64).collect();
        let expected: Vec<u64> = all.iter().take(25).map(|(score, _)| *score).collect();
        assert_eq!(found, expected, "{typed}");
        assert_eq!(hits.total, all.len() as u64, "{typed}");
    }
}

#[test]
fn words_of_the_first_pages_are_looked_for_if_somebody_asks_and_that_is_said() {
    let fixture = fixture(&PAGES);
    let query = "who pays insurance for automobiles";
    let plain = answer(&fixture.searcher, query, AnswerRequest::default());
    assert!(plain.notes.iter().all(|note| !note.to_string().contains("first pages")), "off by default");
    let on = AnswerRequest { feedback: Feedback::On, ..AnswerRequest::default() };
    let found = answer(&fixture.searcher, query, on);
    let note = found.notes.iter().map(ToString::to_string).find(|note| note.contains("of the first pages"));
    assert!(note.is_some_and(|note| note.contains("automobile")), "{:?}", found.notes);
    assert!(found.total >= plain.total);
    let explained: Vec<_> =
        found.results.iter().map(|result| (result.score, result.explanation.as_ref().unwrap())).collect();
    assert!(explained.iter().any(|(_, explained)| explained.to_string().contains("(of the first pages)")));
    for (score, explained) in explained {
        assert!((explained.score - score).abs() < 1e-4, "{explained}");
    }
    // Nothing is known of what pages mean here, so nobody can tell whether it would help.
    let auto = AnswerRequest { feedback: Feedback::Auto, ..AnswerRequest::default() };
    assert_eq!(keys(&answer(&fixture.searcher, query, auto)), keys(&plain));
    // Operators say what is wanted, and no more is looked for.
    for typed in ["+insurance boats", "\"new york\"", "insurance -boats"] {
        let notes = answer(&fixture.searcher, typed, on).notes;
        assert!(notes.iter().all(|note| !note.to_string().contains("first pages")), "{typed}");
    }
}
