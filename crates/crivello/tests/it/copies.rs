//! Copies in a collection: found by `build`, folded in searches, counted by `stats`, and never in the way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// Words that no other topic has, with one that all have.
fn story(topic: usize) -> String {
    let words: Vec<String> = (0..80).map(|word| format!("t{topic}w{word}")).collect();
    format!("harbour {}", words.join(" "))
}

/// A collection of pages, each an address and a text.
struct Pages {
    dir: tempfile::TempDir,
}

impl Pages {
    fn new(pages: &[(String, String)]) -> Self {
        let made = Self { dir: tempfile::tempdir().unwrap() };
        made.import(pages);
        made
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("c.crivello")
    }

    fn import(&self, pages: &[(String, String)]) {
        let lines: Vec<String> =
            pages.iter().map(|(url, text)| json!({ "url": url, "text": text }).to_string()).collect();
        let file = self.dir.path().join("pages.jsonl");
        std::fs::write(&file, lines.join("\n")).unwrap();
        succeeds(&["import", self.path().to_str().unwrap(), file.to_str().unwrap(), "--quiet"]);
    }

    fn run(&self, command: &str, options: &[&str]) -> Value {
        let path = self.path();
        succeeds_with_json(&[&[command, path.to_str().unwrap()], options, &["--json", "--quiet"]].concat())
    }
}

/// Five topics on three hosts; of each topic `a.test` has the story, `bb.test` a copy, and `c.test` a near copy.
fn three_hosts() -> Pages {
    let mut pages = Vec::new();
    for topic in 0..5 {
        pages.push((format!("http://bb.test/story{topic}"), story(topic)));
        pages.push((format!("http://a.test/story{topic}"), story(topic)));
        pages.push((format!("http://c.test/a/story{topic}"), format!("{} and an end", story(topic))));
        pages.push((format!("http://a.test/other{topic}"), story(100 + topic)));
    }
    Pages::new(&pages)
}

fn urls(answer: &Value) -> Vec<String> {
    answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["url"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn of_copies_one_is_shown_and_the_others_are_counted() {
    let pages = three_hosts();
    let built = pages.run("build", &[]);
    assert_eq!((&built["dedup"]["groups"], &built["dedup"]["copies"]), (&5.into(), &10.into()), "{built}");
    assert_eq!(built["documents"], 20, "the numbers of the index are where they were");
    let folded = pages.run("search", &["harbour", "-n", "20"]);
    assert_eq!(folded["total"], 10);
    let shown: BTreeSet<String> = urls(&folded).into_iter().collect();
    let expected = (0..5)
        .flat_map(|topic| [format!("http://a.test/story{topic}"), format!("http://a.test/other{topic}")]);
    assert_eq!(shown, expected.collect(), "the shortest address stands for its group");
    for result in folded["results"].as_array().unwrap() {
        let similar = if result["url"].as_str().unwrap().contains("story") { 2 } else { 0 };
        assert_eq!(result["similar"], similar, "{result}");
    }
    let all = pages.run("search", &["harbour", "-n", "20", "--copies"]);
    assert_eq!((&all["total"], urls(&all).len()), (&20.into(), 20));
    // A member is found by what only it says.
    let near = pages.run("search", &["+t3w7 +end"]);
    assert_eq!(
        (urls(&near), &near["results"][0]["similar"]),
        (vec!["http://c.test/a/story3".to_owned()], &0.into())
    );
    // Pages of results fit together.
    let mut paged = Vec::new();
    for from in (0..12).step_by(3) {
        paged.extend(urls(&pages.run("search", &["harbour", "-n", "3", "--from", &from.to_string()])));
    }
    assert_eq!(paged, urls(&folded));
}

#[test]
fn new_pages_join_the_groups_and_what_is_up_to_date_is_left_alone() {
    let pages = three_hosts();
    pages.run("build", &[]);
    let again = pages.run("build", &[]);
    assert_eq!((&again["up_to_date"], &again["dedup"]["up_to_date"]), (&true.into(), &true.into()));
    pages.import(&[("http://z.test/".into(), story(2)), ("http://d.test/new".into(), story(50))]);
    assert_eq!(pages.run("stats", &[])["dedup"]["up_to_date"], false);
    let grown = pages.run("build", &[]);
    assert_eq!(
        (&grown["dedup"]["documents"], &grown["dedup"]["copies"]),
        (&22.into(), &11.into()),
        "{grown}"
    );
    let found = pages.run("search", &["t2w5"]);
    assert_eq!(
        (urls(&found), &found["results"][0]["similar"]),
        (vec!["http://z.test/".to_owned()], &3.into())
    );
    // The near copies share 77 shingles of 80 with their stories.
    let strict = pages.run("build", &["--threshold", "0.99"]);
    assert_eq!((&strict["dedup"]["copies"], &strict["up_to_date"]), (&6.into(), &true.into()), "{strict}");
    assert_eq!(pages.run("build", &[])["dedup"]["threshold"], 0.99, "the threshold is remembered");
}

#[test]
fn stats_know_exact_and_near_copies_and_mirrors() {
    let pages = three_hosts();
    // Until copies are looked for, bytes are compared.
    let before = pages.run("stats", &[]);
    assert_eq!((&before["copies"], &before["dedup"]), (&5.into(), &Value::Null));
    pages.run("dedup", &[]);
    let stats = pages.run("stats", &[]);
    let dedup = &stats["dedup"];
    assert_eq!(stats["copies"], 10);
    assert_eq!((&dedup["groups"], &dedup["exact"], &dedup["near"]), (&5.into(), &5.into(), &5.into()));
    assert_eq!((&dedup["largest_group"], &dedup["threshold"]), (&3.into(), &0.8.into()));
    let mirrors: Vec<(&str, &str)> = dedup["mirrors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mirror| (mirror["host"].as_str().unwrap(), mirror["of"].as_str().unwrap()))
        .collect();
    assert_eq!(mirrors, [("bb.test", "a.test"), ("c.test", "a.test"), ("c.test", "bb.test")]);
}

#[test]
fn dedup_of_a_collection_prints_addresses() {
    let pages = three_hosts();
    let path = pages.path();
    let path = path.to_str().unwrap();
    let pairs = succeeds(&["dedup", path, "--pairs", "--quiet"]);
    assert_eq!(pairs.lines().count(), 15);
    assert!(pairs.starts_with("http://bb.test/story0\thttp://a.test/story0\t1.000000\n"), "{pairs}");
    let groups = succeeds(&["dedup", path, "--groups", "--quiet"]);
    assert_eq!(
        groups.lines().next(),
        Some("http://a.test/story0\thttp://bb.test/story0\thttp://c.test/a/story0"),
        "the shortest address first, as in searches"
    );
    let output = crivello().args(["dedup", path, "-o", "x.jsonl"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("is a collection"));
    let output = crivello().args(["dedup", path, path]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("cannot be mixed"), "{}", errors_of(&output));
}

#[test]
fn asking_for_other_copies_changes_no_search() {
    let pages = three_hosts();
    pages.run("build", &[]);
    let folded =
        || (pages.run("stats", &[])["dedup"].clone(), pages.run("search", &["harbour"])["total"].clone());
    let before = folded();
    for question in [&["--pairs", "--threshold", "0.99"][..], &["--groups", "--threshold", "0.99"]] {
        pages.run("dedup", question);
        assert_eq!(folded(), before, "{question:?}");
    }
    pages.run("dedup", &["--threshold", "0.99"]);
    assert_ne!(folded(), before);
}

#[test]
fn damaged_groups_are_told_with_the_way_out() {
    let pages = three_hosts();
    pages.run("build", &[]);
    let path = pages.path();
    let groups = path.join("dedup/groups");
    let mut bytes = std::fs::read(&groups).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&groups, bytes).unwrap();
    assert_eq!(pages.run("search", &["harbour"])["total"], 10, "what a build gathered for searches is sound");
    std::fs::remove_dir_all(path.join("known")).unwrap();
    let output = crivello().arg("search").arg(&path).arg("harbour").output().unwrap();
    let errors = errors_of(&output);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("dedup/groups") && errors.contains("hint: make it anew with `crivello dedup"),
        "{errors}"
    );
    let output = crivello().arg("stats").arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors_of(&output));
    pages.run("dedup", &[]);
    assert_eq!(pages.run("search", &["harbour"])["total"], 10);
    // Without the whole folder everything is shown, and `build` makes it again.
    std::fs::remove_dir_all(path.join("dedup")).unwrap();
    assert_eq!(pages.run("search", &["harbour"])["total"], 20);
    assert_eq!(pages.run("build", &[])["dedup"]["copies"], 10);
    flip_every_sketch_file(&path.join("dedup"));
    pages.import(&[("http://z.test/".into(), story(2))]);
    assert_eq!(pages.run("dedup", &[])["copies"], 11, "damaged sketches are made anew");
}

fn flip_every_sketch_file(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        if let Some(byte) = bytes.get_mut(20) {
            *byte ^= 1;
        }
        std::fs::write(&path, bytes).unwrap();
    }
}
