//! Indexes that travel between engines, and what is seen when one looks into them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// 300 pages in a collection: `sieve` in all of them, once to three times, and in every tenth title.
fn collection(dir: &Path) -> PathBuf {
    let (lines, made) = (dir.join("pages.jsonl"), dir.join("one.crivello"));
    let line = |number: usize| {
        let title = if number.is_multiple_of(10) { "sieve" } else { "page" };
        let text =
            format!("{} holds n{number} {}", "sieve ".repeat(1 + number % 3), "grain ".repeat(number % 40));
        format!("{{\"url\":\"http://a.test/{number}\",\"title\":\"{title}\",\"text\":\"{text}\"}}\n")
    };
    std::fs::write(&lines, (0..300).map(line).collect::<String>()).unwrap();
    succeeds(&["import", name(&made), name(&lines), "--quiet"]);
    succeeds(&["index", name(&made), "--analysis", "plain", "--quiet"]);
    made
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The addresses that a query finds, by rank, and how many there are.
fn found(collection: &Path, query: &str) -> (Vec<String>, u64) {
    let answer = succeeds_with_json(&["search", name(collection), query, "-n", "50", "--json"]);
    let urls =
        answer["results"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap().to_owned());
    (urls.collect(), answer["total"].as_u64().unwrap())
}

#[test]
fn an_index_that_another_engine_wrote_finds_the_same_documents() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other, file) =
        (collection(dir.path()), dir.path().join("other.crivello"), dir.path().join("index.ciff"));
    succeeds(&["export", name(&one), "index", "-o", name(&file)]);
    let told = succeeds_with_json(&["import", name(&other), name(&file), "--json"]);
    assert_eq!((&told["imported"], &told["failed"]), (&300.into(), &0.into()), "{told}");
    succeeds(&["index", name(&other), "--analysis", "plain", "--quiet"]);
    for query in ["n17", "sieve n30 n40", "grain holds n7"] {
        let ((ours, ours_total), (theirs, theirs_total)) = (found(&one, query), found(&other, query));
        assert_eq!(ours_total, theirs_total, "{query}");
        assert_eq!(ours.first(), theirs.first(), "{query}");
    }
    std::fs::write(&file, &std::fs::read(&file).unwrap()[..1000]).unwrap();
    let output = crivello().args(["import", name(&other), name(&file)]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        errors_of(&output).contains("not an index in the Common Index File Format"),
        "{}",
        errors_of(&output)
    );
}

#[test]
fn a_segment_shows_its_lists_their_blocks_and_what_is_in_them() {
    let dir = tempfile::tempdir().unwrap();
    let one = collection(dir.path());
    let segment = one.join("index/segment-1");
    let inspect = |more: &[&str]| -> Value {
        succeeds_with_json(&[&["inspect", name(&segment), "--json"], more].concat())
    };
    let whole = inspect(&[]);
    assert_eq!((&whole["documents"], &whole["analysis"]), (&300.into(), &"plain".into()), "{whole}");
    let list = inspect(&["--term", "sieve"]);
    assert_eq!(
        (&list["documents"], &list["blocks"], &list["records"]),
        (&300.into(), &3.into(), &3.into()),
        "{list}"
    );
    let last = list["first"][2]["text"].as_str().unwrap();
    assert!(
        last.starts_with("block 2: 44 documents from 256 to 299, ") && last.contains("impacts up to 0."),
        "{last}"
    );
    let peaks = list["peaks"].as_str().unwrap();
    assert!(peaks.starts_with("5 stretches of 64 documents, 0 without it; impacts up to 0."), "{peaks}");
    let rare = inspect(&["--term", "n17"]);
    assert_eq!(
        (&rare["documents"].as_u64().is_some_and(|count| count < 128), &rare["peaks"]),
        (&true, &Value::Null)
    );
    let block = inspect(&["--term", "sieve", "--block", "1", "-n", "200"]);
    assert_eq!(block["records"], 128);
    let second = block["first"][2]["text"].as_str().unwrap();
    assert!(
        second.starts_with("document 130 (page ") && second.contains("1 in title, 2 in text; at title:0 0 1"),
        "{second}"
    );
    for (more, reason) in [
        (&["--term", "absent"][..], "has no list of `absent`"),
        (&["--term", "sieve", "--block", "3"], "has no block 3"),
    ] {
        let output = crivello().args(["inspect", name(&segment)]).args(more).output().unwrap();
        assert!(errors_of(&output).contains(reason), "{}", errors_of(&output));
    }
}
