//! Judged collections, from a file of documents to measures.

use std::path::Path;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

const DOCS: &str = r#"{"id": "d1", "title": "Sieves", "text": "The sieve of Eratosthenes"}
{"id": "d2", "title": "Bridges", "text": "An old bridge over the river"}
{"id": "d 3", "title": "", "text": "A river without any bridges, and a sieve"}
"#;

fn judged(dir: &Path) -> [String; 3] {
    std::fs::write(dir.join("docs.jsonl"), DOCS).unwrap();
    std::fs::write(dir.join("queries.tsv"), "1\told bridge\n2\tsieve?\n3\t???\n4\tnever judged\n").unwrap();
    std::fs::write(dir.join("qrels"), "1 0 d2 2\n2 0 d1 1\n3 0 d1 1\n").unwrap();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let collection = path("judged.crivello");
    succeeds(&["import", &collection, &path("docs.jsonl"), "--quiet"]);
    succeeds(&["build", &collection, "--quiet"]);
    [collection, path("queries.tsv"), path("qrels")]
}

#[test]
fn a_judged_collection_is_measured_and_its_run_can_be_read_back_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let [collection, queries, qrels] = judged(dir.path());
    let run = dir.path().join("mine.run");
    let run = run.to_str().unwrap();
    let output =
        crivello().args(["eval", &collection, &queries, &qrels, "--run", run, "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "a question of signs is counted: {}", errors_of(&output));
    let asked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for (key, expected) in [("queries", 3.0), ("map", 2.0 / 3.0), ("p_10", 0.2 / 3.0), ("ndcg_10", 2.0 / 3.0)]
    {
        assert!((asked[key].as_f64().unwrap() - expected).abs() < 1e-9, "{key}: {asked}");
    }
    let read = succeeds_with_json(&["eval", "--from-run", run, &qrels, "--json", "--compare", run]);
    for key in ["queries", "map", "ndcg_10", "p_10", "mrr", "recall_100"] {
        assert_eq!(read[key], asked[key], "{key}");
    }
    assert_eq!((&read["compared"][0]["difference"], &read["compared"][0]["p"]), (&0.0.into(), &1.0.into()));
    let text = succeeds(&["eval", "--from-run", run, &qrels, "--per-query"]);
    assert!(text.contains("ndcg_10") && text.contains("3 queries judged"), "{text}");
}

#[test]
fn what_cannot_be_judged_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let [collection, queries, qrels] = judged(dir.path());
    let other = dir.path().join("other");
    std::fs::write(&other, "9 0 d2 2\n").unwrap();
    let other = other.to_str().unwrap();
    let plain = dir.path().join("plain.crivello");
    let plain = plain.to_str().unwrap();
    succeeds(&["import", plain, dir.path().join("docs.jsonl").to_str().unwrap(), "--quiet"]);
    succeeds(&["build", plain, "--quiet"]);
    std::fs::remove_dir_all(dir.path().join("plain.crivello/latent")).unwrap();
    let rows: [(&[&str], &str); 6] = [
        (&[plain, &queries, &qrels, "--semantic"], "no latent space"),
        (&[&collection, &queries, &qrels, "--semantic", "--scoring", "bm25"], "cannot be used with"),
        (&[&collection, &queries, other], "the same"),
        (&[&collection, &qrels, &qrels], "id<TAB>text"),
        (&[&collection, &queries, &queries], "judgements are lines of"),
        (&[&collection, &queries], "QUERIES QRELS`, or"),
    ];
    for (args, hint) in rows {
        let output = crivello().arg("eval").args(args).output().unwrap();
        let errors = errors_of(&output);
        assert!(output.status.code() == Some(2) && errors.contains(hint), "{args:?}: {errors}");
    }
}

#[test]
fn weights_are_learned_written_and_searched_by() {
    let dir = tempfile::tempdir().unwrap();
    let [collection, queries, qrels] = judged(dir.path());
    let file = dir.path().join("my.weights");
    let file = file.to_str().unwrap();
    let shown = succeeds(&["tune", "--show"]);
    assert!(shown.contains("\nk1 = 1.75\n") && shown.contains("# How much repetition counts"), "{shown}");
    let tune = ["tune", &collection, &queries, &qrels, "--folds", "2", "--rounds", "1", "--out", file];
    let table = succeeds(&tune);
    for words in ["judged", "different weights were measured", "as with `eval --semantic off`"] {
        assert!(table.contains(words), "{table}");
    }
    assert!(std::fs::read_to_string(file).unwrap().contains("\ntitle = "));
    let tuned = succeeds_with_json(&["tune", &collection, &queries, &qrels, "--rounds", "0", "--json"]);
    assert!(
        tuned["weights"]["k1"] == 1.75 && tuned["tuned"]["collections"][0]["held_out"].is_null(),
        "{tuned}"
    );

    let score = |weights: &str| {
        std::fs::write(file, weights).unwrap();
        let search = ["search", &collection, "bridge", "--weights", file, "--explain", "--json"];
        let found = succeeds_with_json(&search);
        found["results"][0]["explanation"]["k1"].as_f64().unwrap()
    };
    assert_eq!((score("k1 = 3 # more\n"), score("")), (3.0, 1.75));
}

#[test]
fn weights_that_cannot_be_meant_are_refused_by_all_who_take_them() {
    let dir = tempfile::tempdir().unwrap();
    let [collection, queries, qrels] = judged(dir.path());
    let file = dir.path().join("my.weights");
    std::fs::write(&file, "k1 = 2\ntitel = 3\n").unwrap();
    let file = file.to_str().unwrap();
    let missing = dir.path().join("none.weights");
    let rows: [&[&str]; 4] = [
        &["search", &collection, "bridge"],
        &["eval", &collection, &queries, &qrels],
        &["serve", &collection, "--addr", "127.0.0.1:0"],
        &["tune", &collection, &queries, &qrels],
    ];
    for args in rows {
        for (file, words) in
            [(file, "line 2: there is no weight `titel`"), (missing.to_str().unwrap(), "cannot be read")]
        {
            let output = crivello().args(args).args(["--weights", file]).output().unwrap();
            let errors = errors_of(&output);
            assert!(output.status.code() == Some(2) && errors.contains(words), "{args:?}: {errors}");
            assert!(errors.contains("crivello tune --show"), "{errors}");
        }
    }
    let output = crivello().args(["tune", &collection, &queries]).output().unwrap();
    assert!(output.status.code() == Some(2) && errors_of(&output).contains("DIR QUERIES QRELS"));
}

#[test]
fn formulas_and_signals_are_chosen_and_explained() {
    let dir = tempfile::tempdir().unwrap();
    let [collection, queries, qrels] = judged(dir.path());
    let first = |args: &[&str]| {
        let search = ["search", &collection, "old bridge", "--explain", "--json"];
        let found = succeeds_with_json(&[&search[..], args].concat());
        found["results"][0].clone()
    };
    for formula in ["bm25", "tfidf", "tfidf-max", "count"] {
        let result = first(&["--scoring", formula]);
        let terms = result["explanation"]["terms"].as_array().unwrap().clone();
        let sum: f64 = terms.iter().map(|term| term["contribution"].as_f64().unwrap()).sum();
        assert!((sum - result["score"].as_f64().unwrap()).abs() < 1e-9, "{formula}: {result}");
        assert!(result["url"].as_str().unwrap().ends_with("d2") && terms.len() == 2, "{formula}: {result}");
        let output = crivello()
            .args(["eval", &collection, &queries, &qrels, "--scoring", formula, "--json"])
            .output()
            .unwrap();
        let measured: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(measured["map"].as_f64().unwrap() >= 0.5, "{formula}: {measured}");
    }
    let counted = first(&["--scoring", "count"]);
    let tf = |term: usize| counted["explanation"]["terms"][term]["tf"].as_f64().unwrap();
    assert_eq!(counted["score"].as_f64().unwrap(), tf(0) + tf(1), "{counted}");
    let near = first(&[]);
    assert_eq!(near["explanation"]["pairs"][0]["words"], serde_json::json!(["old", "bridge"]), "{near}");

    let file = dir.path().join("my.weights");
    std::fs::write(&file, "depth = 1\naddress_length = 0.5\nfreshness = 2\nhost_rank = 1\nharmonic = 1\n")
        .unwrap();
    let signals = first(&["--weights", file.to_str().unwrap()])["explanation"]["signals"].clone();
    let names: Vec<&str> =
        signals.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["harmonic", "host_rank", "depth", "address_length", "freshness"], "{signals}");
    let refused = crivello().args(["search", &collection, "x", "--scoring", "bm52"]).output().unwrap();
    assert!(errors_of(&refused).contains("tfidf-max"), "{}", errors_of(&refused));
}
