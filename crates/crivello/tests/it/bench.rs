//! The yardsticks as their users meet them.

use serde_json::Value;

use crate::command::{crivello, errors_of};

#[test]
fn a_yardstick_gives_our_numbers_and_says_how_to_get_peers_that_are_missing() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = crivello();
    // Nothing is installed there.
    command.args(["--json", "bench", "crawl", "--pages", "40", "--rounds", "1"]).env("PATH", empty.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors_of(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["machine"].as_str().unwrap().starts_with("Crivello "), "{report}");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8, "{report}");
    for row in rows {
        assert!(row["ours"].as_f64().unwrap() >= 0.0, "{row}");
        assert!(row["peer"].is_null() && row["holds"].is_null(), "{row}");
        assert!(row["hint"].as_str().unwrap().contains("install"), "{row}");
    }
    assert!(errors_of(&output).contains("round 1: wget2"), "{}", errors_of(&output));
}

#[test]
fn an_index_is_measured_beside_whatever_program_plays_tantivy() {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("words.txt");
    let lines: Vec<String> = (0..300).map(|n| format!("all of page {n} and page {} again", n / 7)).collect();
    std::fs::write(&documents, lines.join("\n")).unwrap();
    let peer = folder.path().join("peer");
    let told = r#"{"bytes":{"postings":1e9,"positions":1e9,"terms":1e9,"all":1e9},"cpu_seconds":1e3,"wall_seconds":1e3,
        "open_ms":1e3,"and":{"mean":1e9,"p99":1e9,"hits":1},"or":{"mean":1e9,"p99":1e9,"hits":1},
        "phrase":{"mean":1e9,"p99":1e9,"hits":1}}"#;
    std::fs::write(
        &peer,
        format!("#!/bin/sh\ntest -s \"$1\" && grep -q phrase \"$3\" && cat <<END\n{told}\nEND\n"),
    )
    .unwrap();
    std::fs::set_permissions(&peer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // What the program does not tell has no peer.
    let is_told =
        |row: &&&Value| !["top 1", "counted"].iter().any(|what| row["name"].as_str().unwrap().contains(what));
    for (name, has_peer) in [("index", false), ("index", true), ("search", true)] {
        let mut command = crivello();
        command.args(["--json", "bench", name, "--rounds", "1"]).arg(&documents);
        if has_peer {
            command.arg("--tantivy").arg(&peer);
        }
        let output = command.output().unwrap();
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors_of(&output)));
        let rows = report["rows"].as_array().unwrap();
        let beside: Vec<&Value> = rows.iter().filter(|row| row["peer_name"] == "tantivy").collect();
        assert!(beside.len() >= 7, "{report}");
        assert!(beside.iter().filter(is_told).all(|row| row["peer"].is_null() != has_peer), "{report}");
        assert!(beside.iter().all(|row| row["holds"] != false), "{report}");
    }
    // A peer that fails is told.
    std::fs::write(&peer, "#!/bin/sh\necho 'out of luck' >&2\nexit 1\n").unwrap();
    let mut command = crivello();
    let output =
        command.args(["bench", "index"]).arg(&documents).arg("--tantivy").arg(&peer).output().unwrap();
    assert!(!output.status.success() && errors_of(&output).contains("out of luck"), "{}", errors_of(&output));
}

#[test]
fn a_build_with_little_more_is_measured_beside_the_build_of_all_others() {
    let folder = tempfile::tempdir().unwrap();
    let add = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            let (path, next) = (folder.path().join(format!("{number}.html")), number + 1);
            std::fs::write(path, format!("<p>page {number} <a href={next}.html>page {next}</a>")).unwrap();
        }
    };
    let measure = || {
        let mut command = crivello();
        command.args(["--json", "bench", "build", "--rounds", "1"]).arg(folder.path()).output().unwrap()
    };
    add(0..99);
    assert!(errors_of(&measure()).contains("99 pages"), "{}", errors_of(&measure()));
    add(99..100);
    let output = measure();
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors_of(&output)));
    let rows = report["rows"].as_array().unwrap();
    let (beside, alone): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["peer_name"] == "all others");
    assert_eq!((beside.len(), alone.len()), (4, 3), "{report}");
    assert!(alone.iter().all(|row| row["name"].as_str().unwrap().contains("document")), "{report}");
    assert_eq!(rows.iter().filter(|row| row["goal"] == 0.05).count(), 2, "{report}");
}
