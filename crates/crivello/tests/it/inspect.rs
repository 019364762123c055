//! `crivello inspect` on every file of a collection, whole and damaged.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// A small collection with everything that a demo makes.
fn demo() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("demo.crivello");
    let keep = collection.to_str().unwrap();
    succeeds(&[
        "demo", "--once", "--json", "--quiet", "--pages", "60", "--hosts", "4", "--delay", "1ms", "--keep",
        keep,
    ]);
    (dir, collection)
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

fn inspected(path: &Path) -> Value {
    succeeds_with_json(&["inspect", path.to_str().unwrap(), "--json"])
}

#[test]
fn every_file_of_a_collection_can_be_inspected() {
    let (_dir, collection) = demo();
    let mut files = Vec::new();
    files_below(&collection, &mut files);
    assert!(files.len() > 12, "{files:?}");
    for path in &files {
        let found = inspected(path);
        assert_eq!(found["bytes"], std::fs::metadata(path).unwrap().len(), "{found}");
        assert!(!found["kind"].as_str().unwrap().is_empty());
        succeeds(&["inspect", path.to_str().unwrap(), "-n", "0"]);
    }
    let pages = inspected(&collection.join("store/pages.tbl"));
    let stats = succeeds_with_json(&["stats", collection.to_str().unwrap(), "--json"]);
    assert_eq!((&pages["kind"], &pages["version"]), (&"page table".into(), &2.into()));
    assert_eq!(pages["pages"], stats["pages"]);
    assert_eq!(pages["first"].as_array().unwrap().len(), 3);
    assert_eq!((&pages["first"][0]["byte"], pages["torn_bytes"].is_null()), (&16.into(), true));
    let links = inspected(&collection.join("store/links.log"));
    assert!(links["first"][0]["text"].as_str().unwrap().contains("link of http"), "{links}");
    let filter = inspected(&collection.join("index/segment-1/filter"));
    assert!(filter["fill"].as_f64().unwrap() > 0.0 && filter["probes"] == 4, "{filter}");
    let ready = inspected(&collection.join("frontier/ready.log"));
    let state = inspected(&collection.join("sieve/state"));
    assert!(state["first"][0]["text"].as_str().unwrap().starts_with("tiered sieve, "), "{state}");
    let recent = files.iter().find(|path| path.to_str().unwrap().contains("sieve/recent-")).unwrap();
    // Addresses that passed, and once more those that were visited since.
    assert!(inspected(recent)["fingerprints"].as_u64() > ready["addresses"].as_u64());
    let exported = succeeds(&["export", collection.to_str().unwrap(), "pages"]);
    let page: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    let page = page["url"].as_str().unwrap();
    let state = collection.join("sieve/state");
    let known = succeeds_with_json(&["inspect", state.to_str().unwrap(), "--address", page, "--json"]);
    assert_eq!((&known["seen"], &known["visit"]["outcome"]), (&true.into(), &200.into()), "{known}");
    let known = succeeds(&["inspect", state.to_str().unwrap(), "--address", "http://never.test/"]);
    assert_eq!(known, "http://never.test/ has not passed the sieve\n");
    assert_eq!(stats["sieve"]["seen"], ready["addresses"]);
    assert_eq!((&stats["sieve"]["kind"], &stats["sieve"]["signature_bits"]), (&"tiered".into(), &64.into()));
    assert!(stats["sieve"]["expected_collisions"].as_f64().unwrap() < 1e-12, "{stats}");
    let warc = inspected(&collection.join("store/warc/crivello-00000.warc.gz"));
    assert_eq!((&warc["types"]["warcinfo"], warc["types"]["response"].is_u64()), (&1.into(), true), "{warc}");
    let groups = inspected(&collection.join("dedup/groups"));
    assert_eq!((&groups["kind"], &groups["copies"]), (&"groups of copies".into(), &stats["copies"]));
    let sketches = inspected(&collection.join("dedup/blocks.log"));
    assert_eq!(sketches["documents"], stats["pages"]);
    assert_eq!(inspected(&collection.join("dedup/slots.rec"))["documents"], stats["pages"]);
    let graph = inspected(&collection.join("graph/manifest.json"));
    assert_eq!(
        (&graph["nodes"], &graph["arcs"]),
        (&stats["graph"]["nodes"], &stats["graph"]["arcs"]),
        "{graph}"
    );
    let lists = inspected(&collection.join("graph/build-1/graph.offsets"));
    assert_eq!(lists["arcs"], graph["arcs"]);
    let ranks = inspected(&collection.join("graph/build-1/pagerank.rank"));
    assert!(ranks["about"].as_str().unwrap().starts_with("PageRank on links without nofollow"), "{ranks}");
    let index = inspected(&collection.join("index/manifest.json"));
    assert_eq!(documents_in(&index["index"]), stats["index"]["documents"].as_u64().unwrap(), "{index}");
}

/// However the manifest is laid out, its documents are those of its parts.
fn documents_in(value: &Value) -> u64 {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value.as_u64() {
                Some(count) if name == "documents" => count,
                _ => documents_in(value),
            })
            .sum(),
        Value::Array(items) => items.iter().map(documents_in).sum(),
        _ => 0,
    }
}

#[test]
fn as_many_records_are_shown_as_were_asked_for() {
    let (_dir, collection) = demo();
    let table = collection.join("store/pages.tbl");
    let all = inspected(&table)["records"].as_u64().unwrap();
    for (asked, shown) in [("0", 0), ("1", 2), ("1000", all)] {
        let found = succeeds_with_json(&["inspect", table.to_str().unwrap(), "-n", asked, "--json"]);
        let count = |end: &str| found[end].as_array().unwrap().len() as u64;
        assert_eq!(count("first") + count("last"), shown);
        assert_eq!(found["records"], all);
    }
}

#[test]
fn flipped_bytes_are_told_with_the_file_or_do_not_matter() {
    let (dir, collection) = demo();
    let mut files = Vec::new();
    files_below(&collection, &mut files);
    let broken = dir.path().join("broken");
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let without_name = |path: &Path| {
            let mut found = inspected(path);
            found["file"].take();
            found
        };
        let Some(last) = bytes.len().checked_sub(1) else { continue };
        // Columns of sketches are checked by the journal beside them; graphs in BV format and documents are several files.
        let beside = ["col", "rec", "graph", "offsets", "properties"];
        let is_column = path.parent().unwrap().ends_with("documents")
            || path.extension().is_some_and(|extension| beside.iter().any(|name| extension == *name));
        let broken = if is_column { path.clone() } else { broken.clone() };
        let name = broken.to_str().unwrap();
        std::fs::write(&broken, &bytes).unwrap();
        let whole = without_name(&broken);
        // The manifests of collection and graph have no checksum, nor has the one number in `safe`.
        let unchecked = ["demo.crivello/manifest.json", "graph/manifest.json", "store/safe"];
        let has_checksums = !unchecked.iter().any(|name| path.ends_with(name));
        for position in [0, 3, 9, 13, 17, 30, last / 3, last / 2, last.saturating_sub(5), last]
            .map(|place| place.min(last))
        {
            let mut flipped = bytes.clone();
            flipped[position] ^= 4;
            std::fs::write(&broken, &flipped).unwrap();
            let output = crivello().args(["inspect", name, "--json"]).output().unwrap();
            let errors = errors_of(&output);
            let what = format!("{}, byte {position}: {errors}", path.display());
            assert!(!errors.contains("panicked"), "{what}");
            match output.status.code() {
                Some(2) => assert!(output.stdout.is_empty() && errors.contains(name), "{what}"),
                Some(0) if has_checksums => assert_eq!(without_name(&broken), whole, "{what}"),
                code => assert_eq!(code, Some(0), "{what}"),
            }
        }
        if is_column {
            std::fs::write(&path, &bytes).unwrap();
        }
    }
}

#[test]
fn what_is_not_ours_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("thesis.txt");
    let gzipped = |text: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut out, text).unwrap();
        out.finish().unwrap()
    };
    let archive = gzipped(b"precious words");
    let rows: [(&[u8], &[&str]); 10] = [
        (b"precious words", &["is not a file of Crivello: it seems to be text", "hint:"]),
        (b"x", &["is not a file of Crivello"]),
        (b"12 monkeys", &["is not a file of Crivello: it seems to be text"]),
        (b"%PDF-1.7 ...", &["is not a file of Crivello: it seems to be a PDF"]),
        (b"<!doctype html><title>Mine</title>", &["is not a file of Crivello: it seems to be HTML"]),
        (&archive, &["is not a file of Crivello: it seems to be a gzipped file"]),
        (b"CRVPAGES", &["first bytes are wrong"]),
        (b"CRVPAGES\x03\0\0\0\0\0\0\0", &["format 3", "reads 2"]),
        (b"{\"kind\": 7}", &["is not a file of Crivello: it seems to be JSON"]),
        (b"\x1f\x8b\x08\0", &["compressed bytes are wrong", "byte 0"]),
    ];
    for (bytes, expected) in rows {
        std::fs::write(&file, bytes).unwrap();
        let output = crivello().arg("inspect").arg(&file).output().unwrap();
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(expected.iter().all(|words| errors.contains(words)), "{errors}");
        assert!(errors.contains("thesis.txt"), "{errors}");
    }
    for (name, bytes) in [("manifest.json", &b"{\"kind\": 7}"[..]), ("safe", b"12 monkeys")] {
        let file = dir.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let output = crivello().arg("inspect").arg(&file).output().unwrap();
        assert!(errors_of(&output).contains("is damaged at byte"), "{}", errors_of(&output));
    }
    for path in [dir.path(), &dir.path().join("nowhere")] {
        let output = crivello().arg("inspect").arg(path).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(errors_of(&output).contains(path.to_str().unwrap()));
    }
}
