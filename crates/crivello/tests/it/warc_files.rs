//! The archive as other tools read it. The judge is warcio, if it is installed.

use std::process::Command;
use std::time::Duration;

use lab::LabConfig;

use crate::command::{Lab, skipped, warc_files};

/// The name of a warcio that runs, from the environment of `./test` or from the path.
fn warcio() -> Option<String> {
    let local = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.venv/bin/warcio");
    let runs = |program: &str| {
        Command::new(program).arg("--help").output().is_ok_and(|output| output.status.success())
    };
    ["warcio", local].into_iter().find(|program| runs(program)).map(str::to_owned)
}

#[test]
fn warcio_accepts_every_record_of_a_crawl() {
    let Some(warcio) = warcio() else {
        return skipped("warcio is not installed, so the WARC files of a crawl are not checked by it");
    };
    let config = LabConfig { seed: 41, hosts: 10, pages: 300, slow_ms: 5, ..LabConfig::default() };
    let lab = Lab::start(config, Duration::ZERO);
    assert!(lab.crawl().output().unwrap().status.success());
    for file in warc_files(&lab.collection()) {
        let check = Command::new(&warcio).args(["check", "-v"]).arg(&file).output().unwrap();
        let report = String::from_utf8_lossy(&check.stdout).into_owned();
        assert!(check.status.success(), "{report}");
        assert!(
            report.contains("digest pass") && !report.contains("digest failed"),
            "digests are there and hold"
        );
        let index = Command::new(&warcio)
            .args(["index", "-f", "warc-type,http:status,mime"])
            .arg(&file)
            .output()
            .unwrap();
        let lines = String::from_utf8_lossy(&index.stdout).into_owned();
        let count = |kind: &str| lines.lines().filter(|line| line.contains(&format!("\"{kind}\""))).count();
        assert_eq!((count("warcinfo"), count("request")), (1, count("response")));
        assert!(count("response") as u64 >= lab.truth.pages.len() as u64);
    }
}
