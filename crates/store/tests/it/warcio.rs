//! Our WARC files in the eyes of warcio, the library that most archive tools in Python are built on.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use store::{Digest, RecordKind};

use crate::disk::Folder;
use crate::sample::{Rng, SORTS, Sample, sample};

/// warcio from the project's Python environment, or else from wherever programs are.
fn warcio() -> Option<PathBuf> {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/warcio");
    [ours, PathBuf::from("warcio")].into_iter().find(|program| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

/// Runs warcio on a file and returns what it prints.
fn run(warcio: &Path, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(warcio).args(arguments).arg(file).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "warcio {arguments:?} refuses:\n{out}{errors}");
    out
}

#[test]
fn warcio_accepts_what_we_write() {
    let Some(warcio) = warcio() else {
        // Not by `println!`, which a passing test keeps to itself.
        writeln!(std::io::stderr(), "skipped: warcio is not installed, so WARC files are not checked by it")
            .unwrap();
        return;
    };
    let mut rng = Rng(8);
    let samples: Vec<Sample> =
        (0..60).map(|number| sample(SORTS[number % SORTS.len()], number as u64, &mut rng)).collect();
    let folder = Folder::new();
    folder.write(&samples, 9000, || false);
    let records = folder.records();
    let file_count = std::fs::read_dir(folder.store().join("warc")).unwrap().count();
    assert!(file_count > 1);

    let mut found = BTreeSet::new();
    for number in 0..file_count {
        let file = folder.warc(number);
        let verdicts = run(&warcio, &["check", "-v"], &file);
        let fields = "offset,length,warc-type,warc-target-uri,http:status,warc-payload-digest";
        let entries = run(&warcio, &["index", "-f", fields], &file);
        let passes = verdicts.matches("digest pass").count();
        assert_eq!(passes, entries.lines().count(), "every record has good digests:\n{verdicts}");
        for line in entries.lines() {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| entry[name].as_str().unwrap_or("").to_owned();
            if ["response", "resource"].contains(&text("warc-type").as_str()) {
                found.insert((
                    number as u32,
                    text("offset").parse::<u64>().unwrap(),
                    text("length").parse::<u64>().unwrap(),
                    text("warc-target-uri"),
                    text("http:status"),
                    text("warc-payload-digest"),
                ));
            }
        }
    }
    let expected: BTreeSet<_> = records
        .iter()
        .filter_map(|(record, _)| {
            let place = record.warc?;
            let is_file = record.kind == RecordKind::Imported;
            let status = if is_file { String::new() } else { record.status.to_string() };
            let digest = record.digest.to_string();
            Some((place.file, place.offset, place.bytes, record.url.to_string(), status, digest))
        })
        .collect();
    assert_eq!(found, expected, "warcio finds the records where the table says they are");
    assert!(
        expected.iter().any(|entry| entry.5 == Digest::of(&[b""]).to_string()),
        "an empty payload is among them"
    );
}
