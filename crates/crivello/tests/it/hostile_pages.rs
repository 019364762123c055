//! Pages and files made to hurt, through the whole program: everything else is found as if they were not there.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};
use crate::tiny_web::TinyWeb;

/// A tag with 300,000 attributes has 6 MB.
fn attributes() -> String {
    (0..300_000).map(|number| format!("a{number:07}=\"bcdefg\" ")).collect()
}

/// Each hostile page has a link before and one behind what hurts.
fn around(name: &str, what_hurts: &str) -> String {
    format!("<title>{name}</title><a href=/before/{name}>b</a>{what_hurts}<a href=/behind/{name}>c</a>")
}

const HOSTILE: [&str; 6] =
    ["attributes", "attributes-of-links", "blocks", "drawings", "entities", "fallbacks"];

fn page(path: &str) -> Option<String> {
    let mut parts = path.split('/').skip(1);
    let links = |folder: &str, names: &[&str]| -> String {
        names.iter().map(|name| format!("<a href='/{folder}/{name}'>{name}</a> ")).collect()
    };
    Some(match (parts.next()?, parts.next()) {
        ("", None) => {
            let frames =
                "<iframe src=/plain/frame></iframe><noframes><a href=/plain/noframes>x</a></noframes>";
            let menu = "<noscript><ul><li><a href=/plain/noscript>x</a></ul></noscript>";
            format!("{}{frames}{menu}", links("hostile", &HOSTILE))
        }
        ("hostile", Some("attributes")) => around("attributes", &format!("<p {}>x</p>", attributes())),
        ("hostile", Some("attributes-of-links")) => {
            around("attributes-of-links", &format!("<a href=/plain/first {}>x</a>", attributes()))
        }
        ("hostile", Some("blocks")) => around("blocks", &"<div><table><tr><td>".repeat(200_000)),
        ("hostile", Some("drawings")) => around("drawings", &"<svg><foreignObject><p>".repeat(100_000)),
        ("hostile", Some("entities")) => around("entities", &"&amp;&".repeat(500_000)),
        ("hostile", Some("fallbacks")) => {
            around("fallbacks", &format!("<noscript>{}</noscript>", "<noscript><noframes>".repeat(100_000)))
        }
        ("before" | "behind" | "plain", Some(name)) => format!("<title>{name}</title>A page about {name}."),
        _ => return None,
    })
}

#[test]
fn a_page_made_to_hurt_is_stored_and_the_crawl_goes_on() {
    let web = TinyWeb::serving(page);
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("hostile.crivello");
    let (collection, home) = (collection.to_str().unwrap(), web.home(1));
    let network = ["--allow-net", "127.0.0.0/8", "--delay", "1ms", "--quiet", "--json"];
    succeeds_with_json(&[&["crawl", collection, &home], &network[..]].concat());

    let mut expected = BTreeSet::from([home.clone()]);
    expected.extend(["frame", "noframes", "noscript", "first"].map(|name| format!("{home}plain/{name}")));
    for name in HOSTILE {
        expected.extend(["hostile", "before", "behind"].map(|folder| format!("{home}{folder}/{name}")));
    }
    let url = |line: &str| serde_json::from_str::<Value>(line).unwrap()["url"].as_str().unwrap().to_owned();
    assert_eq!(
        succeeds(&["export", collection, "pages"]).lines().map(url).collect::<BTreeSet<_>>(),
        expected
    );
    // What was stored is read again by whoever builds and searches.
    succeeds(&["build", collection, "--quiet"]);
    let found = succeeds_with_json(&["search", collection, "attributes", "--json"]);
    assert!(found["total"].as_u64().unwrap() >= 3, "{found}");
}

/// Two lines that are no page, among three that are.
fn write_lines(file: &Path) {
    let nested = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(500_000), "}".repeat(500_000));
    let lines = [
        format!(r#"{{"url":"http://a.test/array","x":{nested},"text":"a boat and a harbour"}}"#),
        format!(r#"{{"url":"http://a.test/object","text":"a ferry and an island","x":{objects}}}"#),
        format!(r#"{{"id":{nested},"text":"a name that is none"}}"#),
        format!(r#"{{"id":"long","text":"{}"}}"#, "a ferry ".repeat(9 << 20)),
        r#"{"id":"c","text":"a train and a station"}"#.to_owned(),
    ];
    std::fs::write(file, lines.join("\n")).unwrap();
}

#[test]
fn json_nested_without_end_is_read_or_told_and_what_follows_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let (file, collection) = (dir.path().join("lines.jsonl"), dir.path().join("lines.crivello"));
    write_lines(&file);
    let import =
        crivello().arg("import").arg(&collection).arg(&file).args(["--json", "--quiet"]).output().unwrap();
    let summary: Value = serde_json::from_slice(&import.stdout).unwrap();
    assert_eq!((&summary["imported"], &summary["failed"]), (&3.into(), &2.into()), "{}", errors_of(&import));
    assert_eq!(import.status.code(), Some(1));
    assert!(errors_of(&import).contains("lines.jsonl:4: longer than 64"), "{}", errors_of(&import));
    assert!(
        errors_of(&import).contains("lines.jsonl:3") && errors_of(&import).len() < 1000,
        "{}",
        errors_of(&import)
    );
    // To the search for copies the name is none, but the text is one.
    let copies = crivello().arg("dedup").arg(&file).args(["--json", "--quiet"]).output().unwrap();
    let summary: Value = serde_json::from_slice(&copies.stdout).unwrap();
    assert_eq!(summary["documents"], 5, "{summary} {}", errors_of(&copies));
}
