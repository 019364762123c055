//! A build while a crawl goes on, killed, repeated, and of collections of other versions.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use lab::LabConfig;
use serde_json::Value;

use crate::command::{Lab, crivello, errors_of, succeeds, succeeds_with_json};

/// What users see of a collection that was built.
fn seen(collection: &Path) -> (Value, String, String) {
    let dir = collection.to_str().unwrap();
    let mut found = succeeds_with_json(&["search", dir, "the OR of OR harbour", "-n", "50", "--json"]);
    found["took_us"].take();
    (found, succeeds(&["export", dir, "pages"]), succeeds(&["export", dir, "ranks"]))
}

/// What is seen when everything that follows from the pages is made at once.
fn seen_anew(collection: &Path) -> (Value, String, String) {
    for part in ["documents", "graph", "dedup", "index"] {
        std::fs::remove_dir_all(collection.join(part)).unwrap();
    }
    succeeds(&["build", collection.to_str().unwrap()]);
    seen(collection)
}

#[test]
fn a_build_goes_on_while_a_crawl_does_and_ends_with_what_a_later_one_makes() {
    let config = LabConfig { seed: 41, hosts: 20, pages: 1500, slow_ms: 4, ..LabConfig::default() };
    let lab = Lab::start(config, Duration::from_millis(1));
    let mut crawl = lab.crawl().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (dir, mut builds_meanwhile) = (lab.collection(), 0);
    while crawl.try_wait().unwrap().is_none() {
        if dir.join("manifest.json").exists() {
            let output = crivello().arg("build").arg(&dir).output().unwrap();
            assert!(output.status.success(), "{}", errors_of(&output));
            builds_meanwhile += u32::from(crawl.try_wait().unwrap().is_none());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(builds_meanwhile > 0, "the crawl was too quick for a build");
    lab.assert_truth();
    succeeds(&["build", dir.to_str().unwrap()]);
    let grown = seen(&dir);
    let anew = seen_anew(&dir);
    assert_eq!(grown.0["total"], anew.0["total"]);
    assert_eq!(grown.1, anew.1, "each page is read as if it had been read alone");
    assert_eq!(grown.2, anew.2);
}

#[test]
fn answers_do_not_depend_on_the_codec_and_later_builds_keep_it() {
    let lab = Lab::start(
        LabConfig { seed: 43, hosts: 5, pages: 200, ..LabConfig::default() },
        Duration::from_millis(1),
    );
    let output = lab.crawl().output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));
    let dir = lab.collection();
    let name = dir.to_str().unwrap();
    succeeds(&["build", name]);
    let (packed, _, _) = seen(&dir);
    assert!(packed["total"].as_u64().unwrap() > 50, "{packed}");
    for codec in ["gamma", "documents=delta,counts=gamma,positions=rice"] {
        succeeds(&["index", name, "--codec", codec]);
        assert_eq!(seen(&dir).0["results"], packed["results"], "{codec}");
    }
    assert!(succeeds(&["build", name]).contains("index is up to date"));
    let manifest = std::fs::read_to_string(dir.join("index/manifest.json")).unwrap();
    assert!(manifest.contains("\"documents\": \"delta\""), "{manifest}");
    let refused = crivello().args(["index", name, "--codec", "zip"]).output().unwrap();
    assert!(errors_of(&refused).contains("there are packed, gamma, delta,"), "{}", errors_of(&refused));
}

#[test]
fn a_plain_index_stays_plain_and_stats_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, pages) = (folder.path().join("a.crivello"), folder.path().join("pages"));
    std::fs::create_dir(&pages).unwrap();
    let write = |name: &str, text: &str| std::fs::write(pages.join(name), text).unwrap();
    write("a.html", "<html lang=en><title>One</title><p>All connections of the sieve are described here");
    write("b.html", "<html lang=zh><title>二</title><p>東京都庁の案内");
    let name = dir.to_str().unwrap();
    succeeds(&["import", name, pages.to_str().unwrap()]);
    succeeds(&["build", name]);
    let analysis = || succeeds_with_json(&["stats", name, "--json"])["index"]["analysis"].clone();
    let total = |query: &str| {
        succeeds_with_json(&["search", name, query, "--as-typed", "--json"])["total"].as_u64().unwrap()
    };
    assert_eq!((analysis(), total("東京都"), total("京都大")), ("full".into(), 1, 0));
    succeeds(&["index", name, "--analysis", "plain"]);
    assert_eq!((analysis(), total("connection")), ("plain".into(), 0));
    write("c.html", "<html lang=en><title>Three</title><p>A connection");
    succeeds(&["import", name, pages.to_str().unwrap()]);
    succeeds(&["build", name]);
    assert_eq!((analysis(), total("connection")), ("plain".into(), 1));
    let refused = crivello().args(["index", name, "--analysis", "best"]).output().unwrap();
    assert!(errors_of(&refused).contains("there are full, plain"), "{}", errors_of(&refused));
}

#[test]
fn less_precision_is_kept_by_later_builds_and_said_in_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, pages) = (folder.path().join("a.crivello"), folder.path().join("pages"));
    std::fs::create_dir(&pages).unwrap();
    let write = |number: usize, text: &str| {
        std::fs::write(
            pages.join(format!("{number}.html")),
            format!("<title>Page {number}</title><p>{text}"),
        )
        .unwrap();
    };
    (0..30).for_each(|number| write(number, &"quick and slow start of a stone bridge ".repeat(1 + number)));
    write(30, "a quick start");
    let name = dir.to_str().unwrap();
    let import = || {
        succeeds(&["import", name, pages.to_str().unwrap()]);
        succeeds(&["build", name]);
    };
    import();
    let ask = || succeeds_with_json(&["search", name, "\"quick start\"", "--copies", "--json"]);
    let stats = || succeeds_with_json(&["stats", name, "--json"])["index"].clone();
    assert_eq!((&ask()["total"], &stats()["precision"]), (&1.into(), &"positions".into()));
    let mut bytes = stats()["bytes"].as_u64().unwrap();
    for precision in ["counts", "documents"] {
        succeeds(&["index", name, "--precision", precision]);
        let (answer, stats) = (ask(), stats());
        assert_eq!((&answer["total"], &stats["precision"]), (&31.into(), &precision.into()));
        assert!(answer["notes"].to_string().contains("the index keeps no positions"), "{answer}");
        assert!(stats["bytes"].as_u64().unwrap() < bytes, "{stats}");
        bytes = stats["bytes"].as_u64().unwrap();
        succeeds(&["index", name, "--check"]);
        assert!(succeeds(&["stats", name]).contains(&format!("{precision} kept")));
    }
    write(31, "another quick start");
    import();
    assert_eq!((&ask()["total"], &stats()["precision"]), (&32.into(), &"documents".into()));
    let refused = crivello().args(["index", name, "--precision", "exact"]).output().unwrap();
    assert!(
        errors_of(&refused).contains("there are documents, counts, positions"),
        "{}",
        errors_of(&refused)
    );
}

#[test]
fn a_split_is_kept_by_later_builds_and_changes_no_answer() {
    let lab = Lab::start(
        LabConfig { seed: 47, hosts: 5, pages: 200, ..LabConfig::default() },
        Duration::from_millis(1),
    );
    let output = lab.crawl().output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));
    let dir = lab.collection();
    let name = dir.to_str().unwrap();
    succeeds(&["build", name]);
    let (whole, _, _) = seen(&dir);
    assert!(whole["total"].as_u64().unwrap() > 50, "{whole}");
    let stats = || succeeds_with_json(&["stats", name, "--json"])["index"].clone();
    for (by, text, segments, dictionaries) in [
        ("document", "3 parts by documents", 3, 3),
        ("term", "3 parts by terms", 1, 3),
        ("both", "3 parts by documents of 3 by terms each", 3, 9),
    ] {
        let made = succeeds(&["index", name, "--split", by, "--parts", "3"]);
        assert!(made.contains(text), "{made}");
        let (answer, _, _) = seen(&dir);
        assert_eq!((&answer["results"], &answer["total"]), (&whole["results"], &whole["total"]), "{by}");
        assert!(succeeds(&["index", name, "--check"]).contains("index is sound"));
        let stats = stats();
        assert_eq!((&stats["segments"], &stats["dictionaries"]), (&segments.into(), &dictionaries.into()));
        assert!(succeeds(&["stats", name]).contains(text));
    }
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<title>New</title><p>A page about the harbour that came later").unwrap();
    succeeds(&["import", name, page.to_str().unwrap()]);
    succeeds(&["build", name]);
    let split = serde_json::json!({ "document_parts": 3, "term_parts": 3 });
    assert_eq!(stats()["split"], split);
    let inspected = succeeds(&["inspect", dir.join("index/manifest.json").to_str().unwrap(), "--json"]);
    assert!(inspected.contains("\"goes_on\": true"), "{inspected}");
    for (args, reason) in [
        (&["--split", "size", "--parts", "2"][..], "there are document, term, both"),
        (&["--split", "term"], "--parts"),
        (&["--split", "term", "--parts", "0"], "1..=1024"),
    ] {
        let refused = crivello().args(["index", name]).args(args).output().unwrap();
        assert!(errors_of(&refused).contains(reason), "{}", errors_of(&refused));
    }
}

#[test]
fn an_order_is_kept_by_later_builds_and_changes_no_score() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, pages) = (folder.path().join("a.crivello"), folder.path().join("pages"));
    std::fs::create_dir(&pages).unwrap();
    let write = |number: u64| {
        // Names are in another order than what comes first.
        let (name, lengthening) = (format!("{:02}.html", number * 7 % 31), "word ".repeat(number as usize));
        let text =
            format!("<title>Page {number}</title><p>The harbour of {lengthening} <a href=03.html>three</a>");
        std::fs::write(pages.join(name), text).unwrap();
    };
    let name = dir.to_str().unwrap();
    let found = || {
        let answer =
            succeeds_with_json(&["search", name, "harbour", "-n", "40", "--copies", "--explain", "--json"]);
        let hit = |result: &serde_json::Value| (result["url"].to_string(), result["score"].to_string());
        let mut hits: Vec<_> = answer["results"].as_array().unwrap().iter().map(hit).collect();
        hits.sort();
        (hits, answer["routing"].clone())
    };
    let stats = || succeeds_with_json(&["stats", name, "--json"]);
    (0..24).for_each(write);
    succeeds(&["import", name, pages.to_str().unwrap()]);
    succeeds(&["build", name]);
    let (hits, routing) = found();
    assert_eq!((hits.len(), &routing["segments_skipped"]), (24, &0.into()), "{routing}");
    for order in ["arrival", "address", "rank", "bisection"] {
        succeeds(&["index", name, "--order", order]);
        assert_eq!((found().0, &stats()["index"]["order"]), (hits.clone(), &order.into()));
        succeeds(&["index", name, "--check"]);
    }
    succeeds(&["index", name, "--order", "address"]);
    (24..26).for_each(write);
    succeeds(&["import", name, pages.to_str().unwrap()]);
    succeeds(&["build", name]);
    let (hits, routing) = found();
    assert_eq!((hits.len(), &stats()["index"]["order"]), (26, &"address".into()));
    let segments = stats()["index"]["segments"].as_u64().unwrap();
    let count = |key: &str| routing[key].as_u64().unwrap();
    assert_eq!(count("segments_asked") + count("segments_skipped"), count("lookups") * segments, "{routing}");
    assert_eq!(stats()["routing"]["filters"], segments);
    assert!(succeeds(&["search", name, "harbour", "--explain"]).contains("dictionaries asked"));
    let refused = crivello().args(["index", name, "--order", "age"]).output().unwrap();
    assert!(
        errors_of(&refused).contains("there are arrival, address, rank, bisection"),
        "{}",
        errors_of(&refused)
    );
}

#[test]
fn a_build_that_is_killed_at_any_moment_is_gone_on_with() {
    let config = LabConfig { seed: 42, hosts: 8, pages: 500, ..LabConfig::default() };
    let lab = Lab::start(config, Duration::from_millis(1));
    let output = lab.crawl().output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));
    let dir = lab.collection();
    let (mut random, mut killed): (u64, u32) = (0x2545_f491_4f6c_dd1d, 0);
    for _ in 0..15 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut build =
            crivello().arg("build").arg(&dir).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random % 160));
        if build.try_wait().unwrap().is_some_and(|status| status.success()) {
            // It was quicker: another part is to be made.
            let part = ["documents", "graph", "dedup", "index"][random as usize % 4];
            std::fs::remove_dir_all(dir.join(part)).unwrap();
            continue;
        }
        build.kill().unwrap();
        build.wait().unwrap();
        killed += 1;
    }
    assert!(killed > 0, "every build was quicker than the kill");
    succeeds(&["build", dir.to_str().unwrap()]);
    assert_eq!(seen(&dir), seen_anew(&dir));
}

#[test]
fn pages_are_read_once_and_the_archive_is_not_touched_again() {
    let config = LabConfig { seed: 43, hosts: 3, pages: 60, ..LabConfig::default() };
    let lab = Lab::start(config, Duration::from_millis(1));
    assert!(lab.crawl().output().unwrap().status.success());
    let dir = lab.collection();
    succeeds(&["build", dir.to_str().unwrap()]);
    let before = seen(&dir);
    // Whoever reads pages now finds no archive.
    std::fs::rename(dir.join("store/warc"), dir.join("store/away")).unwrap();
    assert_eq!(seen(&dir), before);
    succeeds(&["export", dir.to_str().unwrap(), "text"]);
    for part in ["graph", "dedup", "index"] {
        std::fs::remove_dir_all(dir.join(part)).unwrap();
    }
    succeeds(&["build", dir.to_str().unwrap()]);
    assert_eq!(seen(&dir), before);
    let again = succeeds_with_json(&["build", dir.to_str().unwrap(), "--json"]);
    assert_eq!((&again["read"]["up_to_date"], &again["up_to_date"]), (&true.into(), &true.into()), "{again}");
}

#[test]
fn damaged_documents_are_named_and_made_anew() {
    let config = LabConfig { seed: 44, hosts: 3, pages: 60, ..LabConfig::default() };
    let lab = Lab::start(config, Duration::from_millis(1));
    assert!(lab.crawl().output().unwrap().status.success());
    let dir = lab.collection();
    succeeds(&["build", dir.to_str().unwrap()]);
    let before = seen(&dir);
    for file in ["documents/blocks.log", "documents/keys.log"] {
        let mut bytes = std::fs::read(dir.join(file)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(dir.join(file), bytes).unwrap();
        let output = crivello().arg("build").arg(&dir).output().unwrap();
        let errors = errors_of(&output);
        assert!(output.status.success(), "{errors}");
        assert!(errors.contains(file) && errors.contains("the documents are made anew"), "{errors}");
        assert_eq!(seen(&dir), before);
    }
}

/// Pages of words that nobody has in common with all others, so that lists and places of words are many.
fn write_pages(path: &Path, pages: u64) {
    let mut lines = String::new();
    let mut state = 1u64;
    for page in 0..pages {
        let mut text = String::new();
        while text.len() < 5_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Small numbers are more frequent, as some words are.
            let word = (state >> 33) % (1 + (state >> 50) % 60_000);
            text.push_str(&format!("w{word:x}a "));
        }
        let line =
            serde_json::json!({ "url": format!("http://pages.test/{page}"), "html": format!("<p>{text}") });
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(path, lines).unwrap();
}

#[test]
fn a_build_keeps_to_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (pages, dir) = (folder.path().join("pages.jsonl"), folder.path().join("a.crivello"));
    let dir = dir.to_str().unwrap();
    write_pages(&pages, 8_000);
    succeeds(&["import", dir, pages.to_str().unwrap()]);
    let built = succeeds_with_json(&["build", dir, "--memory", "16MiB", "--json"]);
    // There was more than fits: texts of 40 MB, and as much again for where their words are.
    let peak = built["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= (16 + 64) << 20, "{peak} bytes: {built}");
}
