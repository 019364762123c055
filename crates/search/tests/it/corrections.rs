//! What people meant and what they are about to type, on small collections and on lists of real misspellings.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use index::Field;
use page::PageKey;
use search::{Answer, AnswerRequest, PageReader, PageText, Titles};

use crate::{Fixture, fixture, fixture_in};

struct Blank;

impl PageReader for Blank {
    fn read(&self, _key: PageKey) -> Option<PageText> {
        Some(PageText::default())
    }
}

/// Many pages about servers, some about severe weather, one with a slip.
fn pages() -> Fixture {
    let mut pages = vec![("", "the apache server answers"); 300];
    pages.extend([("", "severe storms over the harbour"); 200]);
    pages.push(("", "an apache sevrer by mistake"));
    pages.push(("", "a zebra"));
    fixture(&pages)
}

fn answer(fixture: &Fixture, query: &str, as_typed: bool) -> Answer {
    let request = AnswerRequest { count: 10, as_typed, ..AnswerRequest::default() };
    fixture.searcher.answer_request(query, &request, &Blank).unwrap()
}

#[test]
fn a_slip_is_corrected_and_words_that_are_fine_are_not() {
    let fixture = pages();
    // The query, what is offered, whether the results are those of that.
    let rows = [
        ("apache sevrer", Some("apache server"), false),
        ("servr", Some("server"), true),
        ("\"apache servr\"", Some("\"apache server\""), true),
        ("+stroms harbuor", Some("+storms harbour"), true),
        ("sever storms", Some("severe storms"), false),
        ("sever apache", Some("server apache"), false),
        ("apache server", None, false),
        ("zebra", None, false),
        ("xqzwvk", None, false),
        ("se", None, false),
        ("server9", None, false),
        ("-servr storms", None, false),
    ];
    for (query, meant, corrected) in rows {
        let found = answer(&fixture, query, false);
        assert_eq!((found.did_you_mean.as_deref(), found.corrected), (meant, corrected), "{query}");
        assert_eq!(found.query, query);
        if corrected {
            assert!(found.total > 0 && found.unknown_words.is_empty(), "{query}");
        }
        let as_typed = answer(&fixture, query, true);
        assert_eq!((as_typed.did_you_mean, as_typed.corrected), (None, false), "{query}");
    }
}

#[test]
fn what_is_typed_is_completed_by_words_and_titles() {
    let fixture = pages();
    let titles = [("Storms and servers", 2.0), ("Server manual", 9.0)];
    fixture.searcher.complete_with(|| Titles::new(titles.map(|(title, weight)| (title.to_owned(), weight))));
    let rows: &[(&str, &[&str])] = &[
        ("", &[]),
        ("  ", &[]),
        ("serv", &["server", "Server manual", "Storms and servers"]),
        ("storms a", &["Storms and servers", "storms answers", "storms apache"]),
        ("apache SE", &["apache server", "apache severe"]),
        ("+harb", &["+harbour"]),
        ("xyz", &[]),
        ("storms ", &["Storms and servers"]),
        ("(", &[]),
    ];
    for (typed, expected) in rows {
        let found = fixture.searcher.complete(typed, 8).unwrap();
        let missing: Vec<_> = expected.iter().filter(|word| !found.contains(&(**word).to_owned())).collect();
        assert!(missing.is_empty() && found.is_empty() == expected.is_empty(), "{typed:?}: {found:?}");
        assert_eq!(found.first().map(String::as_str), expected.first().copied(), "{typed:?}: {found:?}");
        assert!(fixture.searcher.complete(typed, 1).unwrap().len() <= 1);
    }
    assert!(fixture.searcher.complete(&"s".repeat(10_000), 8).unwrap().is_empty());
}

fn data() -> Option<PathBuf> {
    let data = match std::env::var_os("CRIVELLO_DATA") {
        Some(data) => PathBuf::from(data),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    if data.join("queries/codespell-dictionary.txt").exists() {
        return Some(data);
    }
    let line = format!("skipped: {} has no misspellings (set CRIVELLO_DATA)\n", data.display());
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
        .expect("standard error can be written to");
    None
}

#[derive(serde::Deserialize)]
struct Abstract {
    title: String,
    text: String,
}

fn abstracts(data: &Path) -> Fixture {
    let mut documents = Vec::new();
    for name in ["cacm", "cisi", "cranfield", "adi", "xquad-en"] {
        let lines = std::fs::read_to_string(data.join("ir").join(name).join("docs.jsonl")).unwrap();
        for line in lines.lines() {
            let page: Abstract = serde_json::from_str(line).unwrap();
            documents.push(vec![(Field::Title, page.title), (Field::Main, page.text)]);
        }
    }
    fixture_in(Some("en"), &documents)
}

/// Misspellings, each with the word that was meant.
fn misspellings(data: &Path) -> [Vec<(String, String)>; 2] {
    let is_word = |word: &str| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let kept = |wrong: &str, right: &str| {
        let pair = (wrong.to_lowercase(), right.to_lowercase());
        (is_word(&pair.0) && is_word(&pair.1)).then_some(pair)
    };
    let codespell = std::fs::read_to_string(data.join("queries/codespell-dictionary.txt")).unwrap();
    let codespell = codespell
        .lines()
        .filter_map(|line| line.split_once("->"))
        .filter_map(|(wrong, right)| kept(wrong, right));
    let birkbeck = std::fs::read(data.join("queries/birkbeck/missp.dat")).unwrap();
    let (mut pairs, mut right) = (Vec::new(), String::new());
    for line in String::from_utf8_lossy(&birkbeck).lines() {
        match line.strip_prefix('$') {
            Some(word) => word.clone_into(&mut right),
            None => pairs.extend(kept(line, &right)),
        }
    }
    [codespell.collect(), pairs]
}

#[test]
fn real_misspellings_are_mostly_understood_and_right_words_left_alone() {
    let Some(data) = data() else { return };
    let fixture = abstracts(&data);
    let searcher = &fixture.searcher;
    let documents =
        |word: &str| searcher.index().term(word).unwrap().map_or(0, |entry| entry.document_frequency());
    let [codespell, birkbeck] = misspellings(&data);
    for (name, pairs, every, least) in
        [("codespell", &codespell, 29, 0.85), ("birkbeck", &birkbeck, 19, 0.33)]
    {
        // Words that the abstracts know, in spellings that they do not.
        let is_asked = |(wrong, right): &&(String, String)| documents(right) >= 2 && documents(wrong) == 0;
        let asked: Vec<_> = pairs.iter().filter(is_asked).step_by(every).collect();
        let is_right =
            |(wrong, right): &&&(String, String)| searcher.correction(wrong).unwrap().as_ref() == Some(right);
        let right = asked.iter().filter(is_right).count();
        let share = right as f64 / asked.len() as f64;
        println!("{name}: {right} of {} misspellings are understood ({share:.3})", asked.len());
        assert!(asked.len() > 500 && share >= least, "{name}: {share}");
    }
    let right: HashSet<&String> = codespell.iter().chain(&birkbeck).map(|(_, right)| right).collect();
    let known: Vec<_> = right.into_iter().filter(|word| documents(word) > 0).collect();
    let doubted: Vec<_> = known.iter().filter(|word| searcher.correction(word).unwrap().is_some()).collect();
    println!("{} of {} right words are doubted: {doubted:?}", doubted.len(), known.len());
    assert!(known.len() > 5000 && doubted.len() * 100 < known.len(), "{} of {}", doubted.len(), known.len());
}
