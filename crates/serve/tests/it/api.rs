//! What programs read.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, mpsc};

use serde_json::Value;
use serve::{Note, SearchServer, ServeLimits};

use crate::{Fake, Running};

#[test]
fn an_answer_has_the_keys_that_programs_rely_on() {
    let server = Running::start(Fake::default());
    let reply = server.get("/api/search?q=two+words&from=30&n=20");
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"));
    let answer: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!((&answer["total"], &answer["took_us"]), (&35.into(), &1234.into()));
    assert_eq!(answer["query"], "two words");
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    assert_eq!(results[0]["rank"], 31);
    assert_eq!(results[0]["url"], "http://example.org/page");
    assert_eq!(results[0]["title"], "A title");
    assert_eq!(results[0]["snippet"], "some wordssome words");
    assert_eq!(results[0]["score"], 1.5);
    assert_eq!(results[0]["snippet_fragments"][1]["marked"], true);
}

#[test]
fn completions_have_the_form_that_browsers_read() {
    let server = Running::start(Fake::default());
    let reply = server.get("/api/suggest?q=ru%22");
    let content_type = "application/x-suggestions+json; charset=utf-8";
    assert_eq!((reply.status, reply.header("content-type")), (200, content_type));
    let (typed, completions): (String, Vec<String>) = serde_json::from_str(&reply.body).unwrap();
    assert_eq!((typed.as_str(), completions[0].as_str(), completions.len()), ("ru\"", "ru\"0", 8));
}

#[test]
fn what_makes_no_sense_is_an_error_in_json() {
    let server = Running::start(Fake::default());
    let cases = [
        ("/api/search", 400),
        ("/api/search?q=", 400),
        ("/api/search?q=x&from=-1", 400),
        ("/api/search?q=x&from=991", 400),
        ("/api/search?q=x&n=100&from=901", 400),
        ("/api/search?q=x&n=0", 400),
        ("/api/search?q=x&n=101", 400),
        ("/api/search?q=x&q=y", 400),
        ("/api/search?q=bad", 400),
        ("/api/search?q=x&count=5", 400),
        ("/api/search?q=x&explain", 400),
        ("/api/stats?x=1", 400),
        ("/api/search?q=broken", 500),
        ("/api/search?q=panic", 500),
    ];
    for (path, status) in cases {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.header("content-type")), (status, "application/json"), "for {path}");
        let body: Value = serde_json::from_str(&reply.body).unwrap();
        assert!(body["error"].as_str().is_some_and(|error| !error.is_empty()), "for {path}: {body}");
    }
}

#[test]
fn a_parameter_that_there_is_not_is_named_with_those_that_there_are() {
    let server = Running::start(Fake::default());
    let body: Value = serde_json::from_str(&server.get("/api/search?q=x&page=2&size=3").body).unwrap();
    assert_eq!(
        body["error"],
        "there is no parameter “page”: those of a search are q, from, n, copies, similar_to, as_typed, lang, related_to, semantic, feedback"
    );
    for (address, name) in [("/api/suggest?q=x&size=3", "size"), ("/api/suggest?q=x&n=3", "n")] {
        let answer = server.get(address);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        let expected = format!("there is no parameter “{name}”: that of a completion is q");
        assert_eq!((answer.status, body["error"].as_str()), (400, Some(expected.as_str())), "{address}");
    }
    assert_eq!(
        server.get("/search?q=x&utm_source=y").status,
        200,
        "a page for people takes what it is given"
    );
}

#[test]
fn what_of_a_query_was_not_understood_is_said_to_people_and_programs() {
    let unknown = Note::Unknown { words: vec!["<b>tol</b>".into()] };
    let left_out = Note::LeftOut { typed: "filetype:pdf".into(), about: "kinds of files" };
    let mut backend = Fake { notes: vec![unknown, left_out], with_all_words: 3, ..Fake::default() };
    backend.result.missing_words = vec!["<i>stone".into()];
    let server = Running::start(backend);
    for (query, summary) in [("x", "of 35 results in 1.2 ms, 3 with all words"), ("nothing", "No results")] {
        let page = server.get(&format!("/search?q={query}")).body;
        for part in [summary, "on no page: &#60;b&#62;tol&#60;/b&#62;", "“filetype:pdf” was left out"] {
            assert!(page.contains(part), "{part:?} is not in {page}");
        }
        assert_eq!(page.contains("without: &#60;i&#62;stone"), query == "x", "{page}");
    }
    let answer: Value = serde_json::from_str(&server.get("/api/search?q=x").body).unwrap();
    assert_eq!(answer["notes"][0], "on no page: <b>tol</b>");
    assert_eq!((&answer["total"], &answer["with_all_words"]), (&35.into(), &3.into()));
    assert_eq!(answer["results"][0]["missing_words"][0], "<i>stone");
}

#[test]
fn statistics_and_metrics_count_queries_by_outcome() {
    let server = Running::start(Fake::default());
    for query in ["x", "y", "nothing", "bad", "broken"] {
        server.get(&format!("/search?q={query}"));
    }
    let stats: Value = serde_json::from_str(&server.get("/api/stats").body).unwrap();
    assert_eq!(stats["collection"]["documents"], 12_345);
    assert_eq!((&stats["queries"]["total"], &stats["queries"]["found"]), (&5.into(), &2.into()));
    let metrics = server.get("/metrics");
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    let value = |name: &str| sample(&metrics.body, name);
    assert_eq!(value("crivello_queries_total{outcome=\"found\"}"), 2.0);
    assert_eq!(value("crivello_queries_total{outcome=\"not_found\"}"), 1.0);
    assert_eq!(value("crivello_queries_total{outcome=\"bad\"}"), 1.0);
    assert_eq!(value("crivello_queries_total{outcome=\"failed\"}"), 1.0);
    assert_eq!(value("crivello_query_duration_seconds_count"), 5.0);
    assert_eq!(value("crivello_query_duration_seconds_bucket{le=\"5\"}"), 5.0);
    assert_eq!(value("crivello_query_duration_seconds_bucket{le=\"+Inf\"}"), 5.0);
    assert_eq!(value("crivello_documents"), 12_345.0);
    assert_eq!(value("crivello_hot_bytes"), 4096.0);
    assert_eq!((value("crivello_hot_pages_asked"), value("crivello_hot_pages_kept")), (10.0, 3.0));
    assert_eq!(stats["collection"]["hot"]["budget_bytes"], 8192);
    assert_eq!(value("crivello_requests_in_flight"), 1.0);
}

/// The value of a sample; every line must be a comment or a name and a number.
fn sample(text: &str, name: &str) -> f64 {
    let samples = text.lines().filter(|line| !line.starts_with("# "));
    let mut samples = samples.map(|line| line.rsplit_once(' ').expect("a name and a number"));
    let (_, value) =
        samples.find(|(found, _)| *found == name).unwrap_or_else(|| panic!("no {name} in {text}"));
    value.parse().expect("a number")
}

#[test]
fn whoever_finds_the_queue_full_is_told_to_come_back() {
    let limits = ServeLimits { searches_at_once: 1, searches_waiting_max: 1 };
    let (started_sender, started) = mpsc::channel();
    let (release, released) = mpsc::channel();
    let backend = Fake { hold: Some(Mutex::new((started_sender, released))), ..Fake::default() };
    let most_at_once = Arc::clone(&backend.most_at_once);
    let server = Running::start_with(backend, limits);
    std::thread::scope(|scope| {
        let (answered, answers) = mpsc::channel();
        let ask = |query: &'static str| {
            let (server, answered) = (&server, answered.clone());
            scope.spawn(move || answered.send(server.get(query)));
        };
        ask("/api/search?q=hold");
        started.recv().unwrap();
        ask("/api/search?q=x");
        ask("/api/search?q=y");
        let refused = answers.recv().unwrap();
        let why = "one of the two waits, the other finds the queue full";
        assert_eq!((refused.status, refused.header("retry-after")), (503, "1"), "{why}");
        release.send(()).unwrap();
        assert_eq!([answers.recv().unwrap().status, answers.recv().unwrap().status], [200, 200]);
    });
    assert_eq!(most_at_once.load(SeqCst), 1);
    assert_eq!(server.get("/api/search?q=x").status, 200);
}

#[test]
fn a_busy_port_is_an_error_at_once() {
    let server = Running::start(Fake::default());
    assert!(SearchServer::bind(server.address).is_err());
    assert_eq!(server.get("/healthz").body, "ok\n");
}

#[test]
fn programs_choose_what_is_done_with_copies() {
    let server = Running::start(Fake::default());
    for (asked, view) in [
        ("", "Folded"),
        ("&copies=1", "Shown"),
        ("&copies=0", "Folded"),
        ("&similar_to=16", "Only(PageKey(16))"),
        ("&related_to=16", "PageKey(16)"),
    ] {
        let reply = server.get(&format!("/api/search?q=view{asked}"));
        assert!(reply.body.contains(&format!("\"title\":\"{view}\"")), "{asked}: {}", reply.body);
        assert!(reply.body.contains("\"similar\":0") && reply.body.contains("\"key\":77"), "{}", reply.body);
    }
    for asked in ["&copies=2", "&copies=yes", "&similar_to=-1", "&similar_to=%3Cb%3E", "&related_to=x"] {
        assert_eq!(server.get(&format!("/api/search?q=view{asked}")).status, 400, "{asked}");
    }
}
