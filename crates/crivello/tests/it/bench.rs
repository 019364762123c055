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
    assert_eq!(rows.len(), 6, "{report}");
    for row in rows {
        assert!(row["ours"].as_f64().unwrap() >= 0.0, "{row}");
        assert!(row["peer"].is_null() && row["holds"].is_null(), "{row}");
        assert!(row["hint"].as_str().unwrap().contains("install"), "{row}");
    }
    assert!(errors_of(&output).contains("round 1: wget2"), "{}", errors_of(&output));
}
