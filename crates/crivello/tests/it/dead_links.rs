//! `crivello graph --broken`, and `--backlinks` and `--linked` of addresses that are dead.

use std::collections::BTreeSet;
use std::time::Duration;

use lab::LabConfig;
use serde_json::{Value, json};

use crate::command::{Lab, crivello, errors_of, succeeds, succeeds_with_json};
use crate::scripted::{Answer, Scripted};

/// A port of this machine on which nobody listens.
const CLOSED: &str = "http://127.0.0.1:1/x";

fn answer(path: &str) -> Answer {
    let page = |body: &str| Answer(200, String::new(), body.into());
    let nothing = |status| Answer(status, String::new(), "<title>no</title>".into());
    match path {
        "/robots.txt" => page("User-agent: *\nDisallow: /forbidden\n"),
        "/" => page(
            "<a href=/gone>old news</a><a href=/gone>old news</a><a href=/bye>bye</a><a href=/moved>moved</a>
             <a href=/page>page</a><a href=http://127.0.0.1:1/x>closed</a><a href=/forbidden>no</a>
             <a href=/error>error</a><a href=http://elsewhere.invalid/>out</a>",
        ),
        "/page" => page("<nav><a rel=nofollow href=/gone>more\tnews</a></nav><a href=/>home</a>"),
        "/moved" => Answer(302, "Location: /gone\r\n".into(), String::new()),
        "/bye" => nothing(410),
        "/error" => nothing(500),
        _ => nothing(404),
    }
}

/// A crawl of the pages above, and the home page.
fn crawled(dir: &std::path::Path) -> (String, String) {
    let home = Scripted::start(answer).home;
    let collection = dir.join("web.crivello").to_str().unwrap().to_owned();
    let lost = format!("{home}lost");
    let output = crivello()
        .args(["crawl", &collection, &home, &lost, "--allow-net", "127.0.0.0/8", "--scope", "all"])
        .args(["--exclude", "elsewhere", "--delay", "1ms", "--quiet"])
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", errors_of(&output));
    (collection, home)
}

/// The standard output of a command that ends with 1.
fn finds(args: &[&str]) -> String {
    let output = crivello().args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", errors_of(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn dead_links_are_listed_with_the_pages_and_words_that_lead_there() {
    let scratch = tempfile::tempdir().unwrap();
    let (dir, home) = crawled(scratch.path());
    let at = |path: &str| format!("{home}{path}");
    let link = |page: &str, words: &str, via: Option<String>, is_navigation: bool, same_host: bool| json!({ "url": page, "anchor": words, "via": via, "nofollow": is_navigation, "navigation": is_navigation, "same_host": same_host });
    let (page, via) = (at("page"), Some(at("moved")));
    let to_gone = json!([
        link(&home, "old news", None, false, true),
        link(&home, "moved", via, false, true),
        link(&page, "more news", None, true, true),
    ]);
    let rows = [
        json!({ "url": at("gone"), "status": 404, "failure": null, "pages": 2, "links": to_gone }),
        json!({ "url": CLOSED, "status": null, "failure": "connection refused", "pages": 1,
            "links": [link(&home, "closed", None, false, true)] }),
        json!({ "url": at("bye"), "status": 410, "failure": null, "pages": 1,
            "links": [link(&home, "bye", None, false, true)] }),
        // A start address that nobody links to.
        json!({ "url": at("lost"), "status": 404, "failure": null, "pages": 0, "links": [] }),
    ];
    // No graph is needed, and none is made.
    let found: Value = serde_json::from_str(&finds(&["graph", &dir, "--broken", "--json"])).unwrap();
    assert_eq!(found, json!({ "count": 4, "broken": rows }));
    assert!(!std::path::Path::new(&dir).join("graph").exists());

    let text = finds(&["graph", &dir, "--broken", "-n", "1", "--quiet"]);
    let expected = format!(
        "{gone}\t404\t2 pages\n\t{home}\told news\t\n\t{home}\tmoved\tvia {moved}\n\t{page}\tmore news\tnofollow, navigation\n",
        gone = at("gone"),
        moved = at("moved")
    );
    assert_eq!(text, expected);

    // The same links, one address at a time.
    for name in ["gone", "moved"] {
        let links = succeeds_with_json(&["graph", &dir, "--backlinks", &at(name), "--json", "--quiet"]);
        assert_eq!((&links["url"], &links["status"]), (&at("gone").into(), &404.into()), "{name}");
        assert_eq!((&links["count"], &links["links"]), (&3.into(), &to_gone), "{name}");
    }
    let closed = succeeds(&["graph", &dir, "--backlinks", CLOSED, "--quiet"]);
    assert_eq!(closed, format!("{home}\tclosed\t\n"));

    let linked = |from: &str, to: &str| succeeds(&["graph", &dir, "--linked", from, to, "--quiet"]);
    assert_eq!(linked(&page, &at("gone")), "yes\tmore news\tnofollow, navigation\n");
    assert_eq!(linked(&page, CLOSED), "no\n");

    // What is no page says what it is instead.
    for (name, reason) in [("forbidden", "robots.txt forbids it"), ("error", "it answered 500")] {
        let output = crivello().args(["graph", &dir, "--backlinks", &at(name)]).output().unwrap();
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(reason) && errors.contains("hint:"), "{errors}");
    }
}

#[test]
fn without_dead_links_there_is_nothing_to_tell() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("pages.jsonl");
    let page = json!({ "url": "http://a.test/", "html": "<a href=/never>asked</a>" });
    std::fs::write(&file, page.to_string()).unwrap();
    let dir = scratch.path().join("web.crivello");
    let dir = dir.to_str().unwrap();
    succeeds(&["import", dir, file.to_str().unwrap(), "--quiet"]);
    assert_eq!(
        succeeds_with_json(&["graph", dir, "--broken", "--json"]),
        json!({ "count": 0, "broken": [] })
    );
    assert_eq!(succeeds(&["graph", dir, "--broken", "--quiet"]), "");
}

#[test]
fn the_dead_links_of_the_lab_are_those_it_knows() {
    let config = LabConfig {
        pages: 200,
        hosts: 4,
        missing_rate: 0.1,
        redirect_rate: 0.1,
        forbidden_rate: 0.1,
        ..LabConfig::default()
    };
    let lab = Lab::start(config, Duration::from_millis(1));
    assert!(lab.crawl().output().unwrap().status.success());
    let dir = lab.collection();
    let found: Value =
        serde_json::from_str(&finds(&["graph", dir.to_str().unwrap(), "--broken", "--json"])).unwrap();
    let broken = found["broken"].as_array().unwrap();
    let addresses: BTreeSet<&str> = broken.iter().map(|address| address["url"].as_str().unwrap()).collect();
    assert_eq!(addresses, lab.truth.missing.iter().map(String::as_str).collect());
    let pages = |address: &Value| address["pages"].as_u64().unwrap();
    assert!(broken.iter().all(|address| pages(address) >= 1));
    assert!(broken.is_sorted_by(|one, other| pages(one) >= pages(other)));
}
