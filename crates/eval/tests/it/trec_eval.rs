//! Scores of a run that came with trec_eval, beside those that trec_eval gave it.

use std::path::{Path, PathBuf};

use eval::{Judgements, Run, Scores};

/// The folder of trec_eval's own test; tests that need it say so when it is absent.
fn folder() -> Option<PathBuf> {
    let data = match std::env::var_os("CRIVELLO_DATA") {
        Some(data) => PathBuf::from(data),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let folder = data.join("conformance/trec_eval/test");
    if folder.join("qrels.test").exists() {
        return Some(folder);
    }
    // Not by `println!`, which a passing test keeps to itself.
    let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", folder.display());
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
        .expect("standard error can be written to");
    None
}

/// What trec_eval said of a question, or of all.
fn expected(out: &str, measure: &str, of: &str) -> f64 {
    let is_it = |columns: &Vec<&str>| columns[0] == measure && columns[1] == of;
    let line = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(is_it);
    line.unwrap_or_else(|| panic!("{measure} of {of} is absent"))[2].parse().unwrap()
}

fn scores(folder: &Path, qrels: &str) -> Scores {
    let judgements = Judgements::read(&folder.join(qrels)).unwrap();
    Scores::of(&Run::read(&folder.join("results.test")).unwrap(), &judgements)
}

#[test]
fn measures_are_those_of_trec_eval() {
    let Some(folder) = folder() else { return };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let scores = scores(&folder, "qrels.test");
    let out = read("out.test.aq");
    let names = [
        ("map", "map"),
        ("ndcg_10", "ndcg_cut_10"),
        ("p_10", "P_10"),
        ("mrr", "recip_rank"),
        ("recall_100", "recall_100"),
    ];
    let mut compared = 0;
    let mean = ("all".to_owned(), scores.mean_of_answered());
    for (question, measures) in scores.queries.iter().chain([&mean]) {
        for ((name, value), (ours, theirs)) in measures.named().into_iter().zip(names) {
            assert_eq!(name, ours);
            let expected = expected(&out, theirs, question);
            assert!((value - expected).abs() < 0.000_051, "{theirs} of {question}: {value}, not {expected}");
            compared += 1;
        }
    }
    assert_eq!(compared, 20, "three questions and their mean");
}
