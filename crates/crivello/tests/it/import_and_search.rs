//! From files to search results.

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

fn urls(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|result| result["url"].as_str().unwrap()).collect()
}

#[test]
fn what_is_imported_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs/sub folder");
    std::fs::create_dir_all(&docs).unwrap();
    let write =
        |name: &str, content: &str| std::fs::write(dir.path().join("docs").join(name), content).unwrap();
    write(
        "a.html",
        "<title>Sieves</title><p>The sieve of Eratosthenes. <a href='sub%20folder/b.txt'>more</a>",
    );
    write("sub folder/b.txt", "A plain text about sieves and bridges");
    write("hidden.html", "<meta name=robots content=noindex><p>sieve");
    write("picture.png", "not text");
    write("picture.html", "\u{89}PNG no text \0 either");
    std::os::unix::fs::symlink("a.html", dir.path().join("docs/link.html")).unwrap();
    std::fs::hard_link(dir.path().join("docs/a.html"), dir.path().join("docs/z.html")).unwrap();
    write(
        "c.jsonl",
        "{\"id\": \"x 1\", \"title\": \"A bridge\", \"text\": \"old & <new> bridge\"}\nnot json\n{\"id\": 2, \"html\": \"<p>sieve\"}\n",
    );
    // It may lie in what is imported; its own files are not taken.
    let collection = dir.path().join("docs/files.crivello");
    let collection = collection.to_str().unwrap();
    let docs = dir.path().join("docs");

    for round in 0..2 {
        let output =
            crivello().args(["import", collection, docs.to_str().unwrap(), "--json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "the bad line was counted");
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected = if round == 0 { (5, 0) } else { (0, 5) };
        assert_eq!(
            (summary["imported"].as_u64(), summary["already_there"].as_u64()),
            (Some(expected.0), Some(expected.1))
        );
        let left_out = ["no_text", "links", "repeated"].map(|key| summary[key].as_u64());
        assert_eq!(left_out, [Some(1); 3], "{summary}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("c.jsonl:2:"));
    }
    let built = succeeds_with_json(&["build", collection, "--json", "--quiet"]);
    assert_eq!(built["documents"], 4, "the page that asks not to be found is left out");
    assert_eq!(succeeds_with_json(&["build", collection, "--json", "--quiet"])["up_to_date"], true);

    let found = |query: &str| succeeds_with_json(&["search", collection, query, "--json"]);
    assert_eq!(urls(&found("eratosthenes")), ["http://import.invalid/docs/a.html"]);
    assert_eq!(found("sieve")["total"], 2);
    assert_eq!(urls(&found("\"old new bridge\"")), ["http://import.invalid/x%201"]);
    assert_eq!(found("bridge -old")["total"], 0);
    assert_eq!(urls(&found("bridges OR eratosthenes")).len(), 2);
    let result = &found("eratosthenes")["results"][0];
    assert_eq!((result["rank"].as_u64(), result["title"].as_str()), (Some(1), Some("Sieves")));
    assert!(result["snippet"].as_str().unwrap().contains("sieve of Eratosthenes"));
    assert!(result["score"].as_f64().unwrap() > 0.0);

    assert_eq!(
        succeeds(&["export", collection, "arcs"]),
        "http://import.invalid/docs/a.html\thttp://import.invalid/docs/sub%20folder/b.txt\n"
    );
    let stats = succeeds_with_json(&["stats", collection, "--json"]);
    assert_eq!((stats["pages"].as_u64(), stats["hosts"].as_u64()), (Some(5), Some(1)));
    assert_eq!(stats["index"]["documents"], 4);
    assert!(succeeds(&["search", collection, "sieve", "--explain"]).contains("idf"));
}

#[test]
fn a_result_is_shown_by_its_main_text_and_not_by_its_menu() {
    let dir = tempfile::tempdir().unwrap();
    let menu: String = (0..40).map(|n| format!("<li><a href='/{n}'>sieve number {n}</a>")).collect();
    let filler = "Much is said of other things before that. ".repeat(20);
    let page = format!(
        "<title>Old tools</title><header>Tools of all times</header><nav><ul>{menu}<li>trowels</ul></nav>\
         <p>Millers are where it began. {filler} A miller needs a sieve for the flour.<footer>sieve makers</footer>"
    );
    std::fs::create_dir(dir.path().join("docs")).unwrap();
    std::fs::write(dir.path().join("docs/a.html"), page).unwrap();
    let collection = dir.path().join("files.crivello");
    let collection = collection.to_str().unwrap();
    succeeds(&["import", collection, dir.path().join("docs").to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    let snippet = |query: &str| {
        let found = succeeds_with_json(&["search", collection, query, "--json"]);
        found["results"][0]["snippet"].as_str().unwrap().to_owned()
    };
    let of_main = |shown: &str| !shown.contains("number") && !shown.contains("makers");
    for (query, expected) in [
        ("sieve", "A miller needs a sieve for the flour."),
        // The menu has both words side by side.
        ("sieve number", "A miller needs a sieve for the flour."),
        // Only the title has it.
        ("old", "Millers are where it began."),
    ] {
        let shown = snippet(query);
        assert!(shown.contains(expected) && of_main(&shown), "{query}: {shown}");
    }
    // What only the menu says is found, and shown.
    assert!(snippet("trowels").contains("sieve number 39 trowels"), "{}", snippet("trowels"));
}

#[test]
fn new_pages_become_a_segment_and_are_found_as_in_a_new_index() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("files.crivello");
    let collection = collection.to_str().unwrap();
    let import = |name: &str, numbers: std::ops::Range<u32>| {
        let lines: Vec<String> = numbers
            .map(|number| {
                let old = "old ".repeat(number as usize % 4);
                format!(
                    "{{\"id\": \"p{number}\", \"title\": \"Page\", \"text\": \"{old}bridge n{number}\"}}\n"
                )
            })
            .collect();
        let file = dir.path().join(name);
        std::fs::write(&file, lines.concat()).unwrap();
        succeeds(&["import", collection, file.to_str().unwrap(), "--quiet"]);
    };
    let build = |command: &str| {
        let built = succeeds_with_json(&[command, collection, "--json", "--quiet"]);
        (
            built["segments"].as_u64().unwrap(),
            built["appended"].as_bool().unwrap(),
            built["documents"].clone(),
        )
    };
    import("first.jsonl", 0..60);
    assert_eq!(build("build"), (1, false, 60.into()));
    import("second.jsonl", 60..80);
    assert_eq!(build("build"), (2, true, 80.into()));
    assert_eq!(succeeds_with_json(&["build", collection, "--json", "--quiet"])["up_to_date"], true);

    let answers = || {
        ["bridge", "old", "n70", "n3 OR n77", "\"old bridge\"", "bridge -old"].map(|query| {
            let answer = succeeds_with_json(&["search", collection, query, "--json"]);
            assert_ne!(answer["total"], 0, "{query}");
            (answer["total"].clone(), answer["results"].clone())
        })
    };
    let in_two_segments = answers();
    assert_eq!(build("index"), (1, false, 80.into()));
    assert_eq!(answers(), in_two_segments);

    import("third.jsonl", 80..300);
    assert_eq!(build("build"), (2, true, 300.into()));
    // Four that are about as large become one.
    for (number, segments) in (300..304).zip([3, 4, 5, 3]) {
        import(&format!("{number}.jsonl"), number..number + 1);
        assert_eq!(build("build"), (segments, true, (number + 1).into()));
    }
    let merged = answers();
    assert_eq!(build("index"), (1, false, 304.into()));
    assert_eq!(answers(), merged);
}

#[test]
fn pages_that_came_after_the_index_are_told_until_they_are_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let (file, collection) = (dir.path().join("new.jsonl"), dir.path().join("c.crivello"));
    let (file, collection) = (file.to_str().unwrap(), collection.to_str().unwrap());
    let import = |lines: &str| {
        std::fs::write(file, lines).unwrap();
        succeeds(&["import", collection, file, "--quiet"]);
    };
    let told = || {
        let notes = succeeds_with_json(&["search", collection, "bridge", "--json"])["notes"].to_string();
        let lacks = succeeds_with_json(&["stats", collection, "--json"])["index_lacks_pages"].as_u64();
        (notes, lacks, succeeds(&["stats", collection]).contains("; newer pages are not in it yet: 2\n"))
    };
    import(r#"{"id": "a", "text": "a bridge"}"#);
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!(told(), ("[]".to_owned(), Some(0), false));
    import("{\"id\": \"b\", \"text\": \"a wombat\"}\n{\"id\": \"c\", \"text\": \"wombats\"}\n");
    let note = r#"["not in the index yet: 2 pages; `crivello build DIR` adds what is new"]"#;
    assert_eq!(told(), (note.to_owned(), Some(2), true));
    assert!(succeeds(&["search", collection, "wombats"]).contains("note: not in the index yet: 2 pages"));
    succeeds(&["build", collection, "--quiet"]);
    assert_eq!(told(), ("[]".to_owned(), Some(0), false));
}

#[test]
fn a_question_is_answered_and_says_what_of_it_was_not_understood() {
    let dir = tempfile::tempdir().unwrap();
    let (file, collection) = (dir.path().join("pages.jsonl"), dir.path().join("c.crivello"));
    let collection = collection.to_str().unwrap();
    let page =
        |url: &str, text: &str| format!("{{\"url\": \"{url}\", \"title\": \"T\", \"text\": \"{text}\"}}\n");
    let pages = [
        page("http://docs.a.test/", "how to create an index in a database"),
        page("http://a.test/", "an index of plants"),
        page("http://b.test/", "create nothing"),
    ];
    std::fs::write(&file, pages.concat()).unwrap();
    succeeds(&["import", collection, file.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    // The query, its results in order, and lines that the terminal shows.
    let rows: [(&str, &[&str], &[&str]); 14] = [
        (
            "create index",
            &["docs.a", "b", "a"],
            &["3 results in ", "ms, 1 with all words", "without: create"],
        ),
        (
            "how do I create an index in posgresql?",
            &["docs.a", "a", "b"],
            &["none with all words", "note: on no page: do, i, posgresql"],
        ),
        ("create index site:a.test", &["docs.a", "a"], &["2 results in "]),
        ("index -site:docs.a.test", &["a"], &["1 result in "]),
        ("index site:c.test", &[], &["0 results in ", "note: no page is from c.test"]),
        ("plants cache:x", &["a"], &["note: “cache:x” was left out"]),
        ("plants filetype:pdf", &[], &["note: no page is type:pdf; there are type:html"]),
        ("plant*", &["a"], &["1 result in "]),
        ("index NEAR/2 plants", &["a"], &["1 result in "]),
        ("create < database", &["docs.a"], &["1 result in "]),
        (
            "index before:2020",
            &[],
            &["0 of 3 pages say when they were written; the others are taken by the day"],
        ),
        ("plants after:2020 lang:xx", &[], &["0 results in ", "lang:xx"]),
        ("NOT index", &["b"], &["1 result in "]),
        ("+create +index", &["docs.a"], &["1 result in "]),
    ];
    for (query, found, lines) in rows {
        let answer = succeeds_with_json(&["search", collection, query, "--json", "--rank-weight", "0"]);
        let hosts: Vec<String> = found.iter().map(|host| format!("http://{host}.test/")).collect();
        assert_eq!(urls(&answer), hosts, "{query}");
        assert_eq!(answer["total"], hosts.len(), "{query}");
        let shown = succeeds(&["search", collection, query]);
        assert!(lines.iter().all(|line| shown.contains(line)), "{query}: {shown}");
    }
    let explained = succeeds(&["search", collection, "create index", "--explain"]);
    assert!(
        explained.contains("all words; score") && explained.contains("1 of 2 words; score"),
        "{explained}"
    );
    // Whoever says so is answered by synonyms, by words of the first pages, and with or without what pages mean.
    let synonyms = dir.path().join("synonyms");
    std::fs::write(&synonyms, "herbs => plants\n").unwrap();
    let with = |args: &[&str]| succeeds_with_json(&[&["search", collection, "--json"], args].concat());
    assert_eq!(urls(&with(&["herbs"])).len(), 0);
    assert_eq!(urls(&with(&["herbs", "--synonyms", synonyms.to_str().unwrap()])), ["http://a.test/"]);
    let fed = with(&["create", "index", "--feedback", "on"]);
    assert!(fed["notes"].to_string().contains("words of the first pages"), "{fed}");
    for (args, by_meaning) in [(&["--semantic"][..], true), (&["--semantic", "off"], false), (&[], false)] {
        assert_eq!(with(&[&["create", "index"], args].concat())["by_meaning"], by_meaning, "{args:?}");
    }
    std::fs::write(&synonyms, "plants\n").unwrap();
    let output = crivello().args(["search", collection, "x", "--synonyms"]).arg(&synonyms).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("synonyms` cannot be used: line 1: `plants` is one word"));
    let long: String = (0..3000).map(|number| format!("word{number} ")).collect();
    let shown = succeeds(&["search", collection, &format!("plants {long}")]);
    assert!(shown.contains("1 result in") && shown.contains("note: only the first 8192 bytes"), "{shown}");
}
