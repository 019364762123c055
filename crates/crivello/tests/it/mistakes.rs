//! What users get wrong, and what they read then: one line that says what is the matter, one that says what to do.

use std::net::TcpListener;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// Runs a command that cannot run: exit code 2, nothing on standard output, no more than a few lines of explanation.
#[track_caller]
fn refuses(args: &[&str], expected: &[&str]) {
    let output = crivello().args(args).output().unwrap();
    let errors = errors_of(&output);
    assert_eq!(output.status.code(), Some(2), "crivello {args:?}: {errors}");
    assert!(output.stdout.is_empty(), "standard output is for data");
    for words in expected {
        assert!(errors.contains(words), "crivello {args:?} should say {words:?}: {errors}");
    }
    assert!(!errors.contains("panicked") && errors.lines().count() <= 8, "{errors}");
}

#[test]
fn folders_that_are_no_collection_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    std::fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let missing = dir.path().join("nowhere");
    let missing = missing.to_str().unwrap();
    for command in ["search", "export", "serve", "stats", "index", "build"] {
        let rest: &[&str] = match command {
            "search" => &["word"],
            "export" => &["pages"],
            _ => &[],
        };
        refuses(&[&[command, missing], rest].concat(), &["there is no collection", missing, "hint:"]);
        refuses(&[&[command, path], rest].concat(), &["not a Crivello collection", path, "hint:"]);
    }
    refuses(&["crawl", path, "http://a.test/"], &["not a Crivello collection", path]);
    assert_eq!(std::fs::read_to_string(dir.path().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn wrong_options_are_explained() {
    refuses(&["crawl", "x.crivello", "--dealy", "4s"], &["--dealy", "--delay"]);
    refuses(&["crawl", "x.crivello", "http://a/", "--delay", "4 weeks"], &["not a duration", "250ms"]);
    refuses(&["crawl", "x.crivello", "http://a/", "--memory", "lots"], &["not a size", "64MiB"]);
    refuses(&["crawl", "x.crivello", "http://a/", "--memory", "512"], &["at least 1MiB"]);
    refuses(&["crawl", "x.crivello", "http://a/", "--include", "("], &["--include"]);
    let (nested, large) = (format!("{}a{}", "(".repeat(60), ")".repeat(60)), "a".repeat(5000));
    refuses(&["crawl", "x.crivello", "http://a/", "--include", &nested], &["--include", "nest"]);
    refuses(&["crawl", "x.crivello", "http://a/", "--exclude", &large], &["--exclude", "4096"]);
    refuses(
        &["crawl", "x.crivello", "http://a/", "--exclude", "((a{99}){99}){99}"],
        &["repeats too much", "+"],
    );
    refuses(&["crawl", "x.crivello", "http://a/", "--allow-net", "home"], &["--allow-net"]);
    refuses(&["crawl", "x.crivello", "http://a/", "--scope", "everything"], &["host", "domain", "all"]);
    refuses(&["serch", "x"], &["serch", "search"]);
    refuses(&["demo", "--once", "--copies", "2"], &["between 0 and 1"]);
}

#[test]
fn options_of_graph_that_would_not_count_are_refused() {
    const PAGE: &str = "http://a.test/";
    let looks: [&[&str]; 6] = [
        &["--links", PAGE],
        &["--backlinks", PAGE],
        &["--linked", PAGE, PAGE],
        &["--broken"],
        &["--path", PAGE, PAGE],
        &["--near", PAGE],
    ];
    let of_graph: [&[&str]; 6] = [
        &["--format", "bv"],
        &["--optimise"],
        &["--fold-copies"],
        &["--keep-canonicals"],
        &["--drop-nofollow"],
        &["--off-crawl"],
    ];
    let of_ranks: [&[&str]; 5] =
        [&["-o", "y.html"], &["--exact"], &["--registers", "7"], &["--runs", "2"], &["--seed", "1"]];
    let collection = ["graph", "x.crivello"];
    for look in looks {
        for option in of_graph.iter().chain(&of_ranks) {
            refuses(&[&collection, look, option].concat(), &["--", look[0]]);
        }
        if look[0] != "--near" {
            refuses(&[&collection, look, &["--filter", "none"]].concat(), &["--filter", look[0]]);
            refuses(&[&collection, look, &["--damping", "0.5"]].concat(), &["--damping", look[0]]);
            refuses(&[&["graph", "--from", "x.tsv"], look].concat(), &["--from", look[0]]);
        }
    }
    for option in of_graph.into_iter().chain([&["--filter", "same-host"][..]]) {
        refuses(&[&["graph", "--from", "x.tsv"], option].concat(), &["--from", option[0]]);
    }
    refuses(
        &["graph", "x.crivello", "--ranks", "x.tsv"],
        &["--ranks", "crivello export x.crivello ranks -o x.tsv"],
    );
}

#[test]
fn addresses_that_cannot_be_crawled_are_refused_before_anything_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new.crivello");
    let collection = path.to_str().unwrap();
    refuses(&["crawl", collection, "example.org"], &["example.org", "https://example.org/"]);
    refuses(&["crawl", collection, "ftp://example.org/"], &["only http and https"]);
    refuses(&["crawl", collection, "http://127.0.0.1/"], &["private address", "--allow-net"]);
    refuses(&["crawl", collection, "http://[::ffff:10.0.0.1]/"], &["private address"]);
    refuses(
        &["crawl", collection, "http://a.test/", "--resolve", "/nowhere/hosts.tsv"],
        &["/nowhere/hosts.tsv"],
    );
    assert!(!path.exists());
    refuses(&["crawl", collection], &["nothing to crawl", "hint:"]);
}

#[test]
fn a_busy_port_is_told_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    refuses(&["demo", "--addr", &addr], &[&addr, "in use", "--addr"]);
    let by_name = addr.replace("127.0.0.1", "localhost");
    refuses(&["demo", "--addr", &by_name], &["in use", "--addr"]);
    for command in [&["demo"][..], &["serve", "x"], &["run", "x", "http://a.test/"]] {
        refuses(&[command, &["--addr", "8080"]].concat(), &["8080", "localhost:8080"]);
    }
}

#[test]
fn a_collection_without_an_index_says_how_to_get_one() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("c.crivello");
    let collection = collection.to_str().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one word").unwrap();
    succeeds(&["import", collection, dir.path().join("a.txt").to_str().unwrap()]);
    refuses(&["search", collection, "word"], &["no index yet", "crivello build"]);
    refuses(&["serve", collection, "--addr", "127.0.0.1:0"], &["no index yet", "crivello build"]);
}

#[test]
fn queries_that_mean_nothing_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("c.crivello");
    let collection = collection.to_str().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one word").unwrap();
    succeeds(&["import", collection, dir.path().join("a.txt").to_str().unwrap()]);
    succeeds(&["build", collection]);
    refuses(&["search", collection, "cache:x"], &["cache:x", "left out", "nothing else"]);
    refuses(&["search", collection, "after:soon"], &["after:soon", "2024-05-31", "nothing else"]);
    refuses(&["search", collection, &"(".repeat(20)], &["parentheses", "16"]);
    refuses(&["search", collection, "word", "--b", "2"], &["--b", "between 0 and 1"]);
}

#[test]
fn texts_that_cannot_be_compared_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    for (name, content) in
        [("a.parquet", "words"), ("b.jsonl.gz", "words"), ("c.txt", "words"), (".hidden", "words")]
    {
        std::fs::write(dir.path().join(name), content).unwrap();
    }
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    refuses(&["dedup"], &["PATH"]);
    refuses(&["dedup", &path("nowhere")], &["there is no", "nowhere", "hint:"]);
    refuses(&["dedup", &path("empty")], &["there is no document", "empty", "hint:"]);
    refuses(&["dedup", &path("a.parquet")], &["a.parquet", "as a Parquet file", "hint:"]);
    refuses(&["dedup", &path("b.jsonl.gz")], &["b.jsonl.gz", "cannot be decompressed", "hint:"]);
    refuses(&["dedup", "/dev/null"], &["/dev/null", "hint:"]);
    std::fs::write(dir.path().join("empty/a.png"), b"\x89PNG").unwrap();
    refuses(&["dedup", &path("empty")], &["there is no document", "1 that is no text", "hint:", "--raw"]);
    refuses(&["dedup", &path("c.txt"), "--threshold", "80"], &["80 % is 0.8"]);
    refuses(&["dedup", &path("c.txt"), "--threshold", "high"], &["above 0 and at most 1"]);
    refuses(&["dedup", &path("c.txt"), "--shingle", "lines:5"], &["words:5"]);
    refuses(&["dedup", &path("c.txt"), "--method", "magic"], &["bands", "sorted", "features"]);
    refuses(&["dedup", &path("c.txt"), "--pairs", "--groups"], &["--groups"]);
    refuses(&["dedup", &path("c.txt"), "--exact", "--estimate"], &["--estimate"]);
    refuses(&["dedup", &path("c.txt"), "--memory", "1000"], &["at least 1MiB"]);
    refuses(&["dedup", &path("c.txt"), "--method", "features", "--slots", "20"], &["slots"]);
    refuses(&["dedup", &path("c.txt"), "--work", &path("c.txt/x")], &["c.txt/x"]);
    refuses(&["dedup", &path("c.txt"), "-o", &path("nowhere/x.jsonl")], &["nowhere/x.jsonl"]);
    refuses(&["build", &path("empty"), "--threshold", "0"], &["above 0"]);
}

#[test]
fn an_unwritable_place_is_named() {
    // Root may write anywhere, but nobody can make a folder below a file.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let inside = file.join("x.crivello");
    refuses(&["import", inside.to_str().unwrap(), file.to_str().unwrap()], &[inside.to_str().unwrap()]);
}

#[test]
fn a_reader_of_errors_that_went_away_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    for args in [&["graph", path][..], &["search", path, "word"], &["stats", path, "-vv"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = crivello().args(args).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_damaged_index_is_told_with_one_hint_that_can_be_pasted() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("my docs.crivello");
    let name = collection.to_str().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one word").unwrap();
    succeeds(&["import", name, dir.path().join("a.txt").to_str().unwrap()]);
    succeeds(&["build", name]);
    let manifest = collection.join("index/manifest.json");
    let mut bytes = std::fs::read(&manifest).unwrap();
    let place = bytes.len() / 2;
    bytes[place] ^= 4;
    std::fs::write(&manifest, bytes).unwrap();
    for args in [&["search", name, "word"][..], &["serve", name, "--addr", "127.0.0.1:0"]] {
        let output = crivello().args(args).output().unwrap();
        let errors = errors_of(&output);
        assert_eq!(errors.matches("hint:").count(), 1, "{errors}");
        assert!(errors.contains(&format!("`crivello index '{name}'`")), "{errors}");
    }
    succeeds(&["index", name]);
    succeeds(&["search", name, "word"]);
}

#[test]
fn stats_tell_every_damage_with_a_hint_that_can_be_pasted() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("my docs.crivello");
    let name = collection.to_str().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one word").unwrap();
    succeeds(&["import", name, dir.path().join("a.txt").to_str().unwrap()]);
    succeeds(&["build", name]);
    let parts =
        [("index/manifest.json", "index"), ("graph/manifest.json", "build"), ("dedup/groups", "dedup")];
    for (file, remedy) in parts {
        let sound = std::fs::read(collection.join(file)).unwrap();
        let mut damaged = sound.clone();
        damaged[sound.len() / 2] ^= 4;
        std::fs::write(collection.join(file), damaged).unwrap();
        let output = crivello().args(["stats", name]).output().unwrap();
        let errors = errors_of(&output);
        assert_eq!((output.status.code(), errors.matches("hint:").count()), (Some(1), 1), "{file}: {errors}");
        assert!(errors.contains(&format!("`crivello {remedy} '{name}'`")), "{file}: {errors}");
        std::fs::write(collection.join(file), sound).unwrap();
    }
    succeeds(&["stats", name]);
}

#[test]
fn one_of_anything_is_said_in_the_singular() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a.html"), "<title>one</title><a href='/a.html'>word</a>").unwrap();
    let collection = path("c.crivello");
    let commands: [&[&str]; 13] = [
        &["import", &collection, &path("a.html")],
        &["build", &collection],
        &["stats", &collection],
        &["search", &collection, "word"],
        &["graph", &collection],
        &["export", &collection, "pages", "-o", &path("pages.jsonl")],
        &["export", &collection, "graph", "-o", &path("graph")],
        &["dedup", &path("a.html")],
        &["inspect", &path("c.crivello/store/pages.tbl")],
        &["inspect", &path("c.crivello/store/links.log")],
        &["inspect", &path("c.crivello/dedup/blocks.log")],
        &["inspect", &path("c.crivello/index/segment-1"), "--term", "one"],
        &["lab", "truth", "--pages", "1", "--hosts", "1"],
    ];
    let one_of_many = regex::Regex::new(r"(?m)(^|[^\d.,:])1 [a-z]+s\b").unwrap();
    for args in commands {
        let output = crivello().args(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &errors_of(&output);
        assert!(output.status.success(), "{args:?}: {said}");
        assert!(!one_of_many.is_match(&said), "{args:?}: {said}");
    }
}

#[test]
fn an_export_to_a_file_says_what_it_wrote_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a.txt"), "one word").unwrap();
    let collection = path("c.crivello");
    succeeds(&["import", &collection, &path("a.txt")]);
    succeeds(&["build", &collection]);
    for kind in ["pages", "arcs", "graph", "ranks", "hosts"] {
        let said = succeeds_with_json(&["export", &collection, kind, "-o", &path(kind), "--json", "--quiet"]);
        assert_eq!((&said["kind"], &said["file"]), (&kind.into(), &path(kind).into()), "{said}");
        assert_eq!(said["failed"], 0);
    }
    let written = succeeds_with_json(&["export", &collection, "pages", "-o", &path("pages"), "--json"]);
    let pages = std::fs::read_to_string(path("pages")).unwrap();
    assert_eq!(written["lines"], pages.lines().count());
    let output =
        crivello().args(["export", &collection, "pages", "-o", "-"]).current_dir(&dir).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), pages, "`-` is standard output, as everywhere");
    assert!(!dir.path().join("-").exists());
}
