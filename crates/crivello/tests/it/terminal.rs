//! What pages, servers and file names say is printed, and steers no terminal, whatever prints it.

use std::path::Path;

use serde_json::json;

use crate::command::{crivello, errors_of};
use crate::scripted::{Answer, Scripted};

/// Clears the screen, rings, renames the window, turns around what follows, and breaks the line.
const HOSTILE: &str = "quiet \x1b[2J\x07\u{9b}31m\x7f \u{202e}gnp.exe\u{2066} \u{2028}over\x08\x08\x0b end";

fn answer(path: &str) -> Answer {
    let body = match path {
        "/" => format!(
            "<title>{HOSTILE}</title><p>harbour {HOSTILE}</p><a href='/x{HOSTILE}'>{HOSTILE}</a>
             <a href='/gone{HOSTILE}'>{HOSTILE}</a><a href='/moved'>{HOSTILE}</a><a href='/other'>{HOSTILE}</a>"
        ),
        "/robots.txt" => format!("User-agent: *\nDisallow: /{HOSTILE}\nSitemap: {HOSTILE}\n"),
        "/moved" => return Answer(302, "Location: /other?\x1b[2J\u{9b}\r\n".into(), String::new()),
        "/other" => format!("<title>{HOSTILE}</title><a href=/>{HOSTILE}</a> harbour again, and again"),
        path if path.starts_with("/x") => format!("<title>{HOSTILE}</title>harbour"),
        _ => return Answer(404, "X-Title: \x1b[2J\r\n".into(), HOSTILE.into()),
    };
    Answer(200, String::new(), body)
}

/// Runs a command, however it ends but by not running, and sees that nothing steers.
fn is_harmless(args: &[&str]) {
    let output = crivello().args(args).output().unwrap();
    let errors = errors_of(&output);
    assert!(output.status.code().is_some(), "{args:?}: {errors}");
    for text in [String::from_utf8_lossy(&output.stdout).as_ref(), &errors] {
        let steers = |c: char| {
            let passes = matches!(c, '\n' | '\t');
            !passes && (c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        };
        assert_eq!(text.matches(steers).collect::<Vec<_>>(), Vec::<&str>::new(), "{args:?}: {text:?}");
    }
}

fn files_in(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files.extend(files_in(&entry));
        } else {
            files.push(entry.to_str().unwrap().to_owned());
        }
    }
    files
}

#[test]
fn what_others_wrote_steers_no_terminal() {
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let home = Scripted::start(answer).home;
    let (dir, other) = (path("web.crivello"), format!("{home}other"));
    is_harmless(&["crawl", &dir, &home, "--allow-net", "127.0.0.0/8", "--delay", "1ms", "-vv"]);
    is_harmless(&["build", &dir]);
    let looks: [&[&str]; 7] = [
        &["--links", &home],
        &["--backlinks", &other],
        &["--linked", &home, &other],
        &["--path", &home, &other],
        &["--near", &home],
        &["--broken"],
        &[],
    ];
    for look in looks {
        is_harmless(&[&["graph", &dir], look].concat());
        is_harmless(&[&["graph", &dir, "--json"], look].concat());
    }
    for kind in ["pages", "arcs", "ranks", "hosts"] {
        is_harmless(&["export", &dir, kind]);
    }
    for options in [&["--explain"][..], &["--copies"], &["--json"]] {
        is_harmless(&[&["search", &dir, "harbour"], options].concat());
    }
    is_harmless(&["search", &dir, HOSTILE]);
    is_harmless(&["search", &dir, "(\x1b[2J"]);
    for options in [&[][..], &["--json"]] {
        is_harmless(&[&["stats", &dir], options].concat());
    }
    for options in [&[][..], &["--json"], &["--groups"], &["--pairs"]] {
        is_harmless(&[&["dedup", &dir], options].concat());
    }
    for file in files_in(Path::new(&dir)) {
        is_harmless(&["inspect", &file]);
        is_harmless(&["inspect", &file, "--json"]);
    }

    // Names of files, and what is in them.
    let folder = scratch.path().join("texts");
    std::fs::create_dir(&folder).unwrap();
    for number in 0..2 {
        let name = format!("{number}{}.txt", HOSTILE.replace('/', ""));
        std::fs::write(folder.join(name), format!("{HOSTILE} the same words again and again").repeat(9))
            .unwrap();
    }
    let texts = folder.to_str().unwrap();
    is_harmless(&["dedup", texts, "-o", "-"]);
    // Lines of JSON go out as they came in; what is said about them does not.
    std::fs::write(folder.join("lines.jsonl"), format!("{{\"text\": 1, \"{HOSTILE}\n")).unwrap();
    for options in [&[][..], &["--json"], &["--groups"], &["--pairs"]] {
        is_harmless(&[&["dedup", texts], options].concat());
    }
    is_harmless(&["import", &path("new.crivello"), texts]);
    is_harmless(&["import", &path("new.crivello"), &path(HOSTILE)]);
    is_harmless(&["crawl", &path("new.crivello"), HOSTILE]);
    let arcs = path("arcs.tsv");
    std::fs::write(&arcs, "a\x1b[2J b\u{9b}\nb\u{9b} a\x1b[2J\n").unwrap();
    is_harmless(&["graph", "--from", &arcs]);
}

#[test]
fn json_keeps_what_the_terminal_is_spared() {
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let (dir, file) = (path("web.crivello"), path("pages.jsonl"));
    let html = "<title>a\u{9b}b\u{202e}c</title><p>harbour</p><a href=/>d\u{9b}e</a>";
    std::fs::write(&file, json!({ "url": "http://a.test/", "html": html }).to_string()).unwrap();
    let json = |args: &[&str]| crate::command::succeeds_with_json(args);
    crate::command::succeeds(&["import", &dir, &file, "--quiet"]);
    assert_eq!(json(&["export", &dir, "pages"])["title"], "a\u{9b}b\u{202e}c");
    let links = json(&["graph", &dir, "--links", "http://a.test/", "--json", "--quiet"]);
    assert_eq!(links["links"][0]["anchor"], "d\u{9b}e");
}
