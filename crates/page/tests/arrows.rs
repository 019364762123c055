//! The arrows between the crates go down only, and each heavy library is known to few.
//!
//! It stands here because `page` is the one crate that everything else is built on. The manifests are scanned by hand:
//! they are ours and simple, and so the check needs no library.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The ground that all others may stand on.
const GROUND: [&str; 3] = ["page", "journal", "filter"];

/// Which crates of ours each crate may name under `[dependencies]` beside the ground, from the bottom up. A crate that
/// is in neither list may not exist.
const ALLOWED: &[(&str, &[&str])] = &[
    ("sieve", &[]),
    ("frontier", &[]),
    ("fetch", &[]),
    ("parse", &[]),
    ("store", &[]),
    ("dedup", &[]),
    ("graph", &[]),
    ("index", &[]),
    ("eval", &[]),
    ("latent", &[]),
    ("lab", &[]),
    ("crawl", &["sieve", "frontier", "fetch", "parse", "store", "dedup"]),
    ("search", &["index", "latent"]),
    ("input", &["parse", "dedup"]),
    ("build", &["fetch", "parse", "store", "dedup", "graph", "index", "latent", "eval", "search", "input"]),
    ("inspect", &["sieve", "frontier", "store", "dedup", "graph", "index", "latent", "search", "build"]),
    ("serve", &["search"]),
    ("bench", &["sieve", "frontier", "parse", "dedup", "graph", "index", "latent", "search", "build", "lab"]),
    (
        "crivello",
        &[
            "sieve", "frontier", "fetch", "parse", "store", "dedup", "graph", "index", "latent", "eval",
            "lab", "crawl", "search", "input", "build", "inspect", "serve", "bench",
        ],
    ),
];

/// Tests of any crate may use the web in a box.
const ALLOWED_IN_TESTS: &str = "lab";

/// Libraries that only some crates may name under `[dependencies]`, so that they can be replaced in one place.
const HEAVY: &[(&str, &[&str])] = &[
    ("url", &["page"]),
    ("memmap2", &["journal"]),
    ("rustls", &["fetch"]),
    ("tokio-rustls", &["fetch"]),
    // The lab is the other end of the wire: it reads requests where `fetch` reads answers.
    ("httparse", &["fetch", "lab"]),
    ("html5gum", &["parse"]),
    ("encoding_rs", &["parse"]),
    ("chardetng", &["parse"]),
    ("libdeflater", &["store"]),
    ("dsi-bitstream", &["bench"]),
    // The peer of `bench` reads a graph its own way.
    ("webgraph", &["bench"]),
    ("webgraph-algo", &["bench"]),
    ("gaoya", &["bench"]),
    ("fastbloom", &["bench"]),
    ("sbbf-rs-safe", &["bench"]),
    ("sux", &["bench"]),
    ("axum", &["serve"]),
    ("hyper", &["serve"]),
    ("hyper-util", &["serve"]),
    ("askama", &["serve"]),
    ("clap", &["crivello"]),
    ("clap_complete", &["crivello"]),
    ("clap_mangen", &["crivello"]),
    ("indicatif", &["crivello"]),
    ("anyhow", &["crivello"]),
    ("parquet", &["input"]),
    ("zstd", &["build"]),
    ("fjall", &["sieve"]),
    ("redb", &["sieve"]),
    ("snowball_stemmers_rs", &["index"]),
];

/// Libraries of ours that do not say `#![forbid(unsafe_code)]`, and why.
const MAY_BE_UNSAFE: [(&str, &str); 3] = [
    ("journal", "it maps files into memory (memmap2), behind checksums and a check of their length"),
    ("filter", "its innermost loops use AVX2 and prefetching"),
    ("dedup", "its innermost loops use AVX2 and prefetching"),
];

/// What one manifest names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    /// Under `[dependencies]`, `[build-dependencies]` and those of a target.
    always: BTreeSet<String>,
    /// Under `[dev-dependencies]`.
    in_tests: BTreeSet<String>,
}

/// Finds the names of libraries in a manifest, whichever way they are written.
fn scan(manifest: &str) -> Named {
    let mut named = Named::default();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or("").to_owned();
            // `[dependencies.url]` names a library by itself.
            if let Some((table, name)) = section.rsplit_once('.')
                && table.ends_with("dependencies")
            {
                named.add(table, name);
            }
        } else if let Some((key, value)) = line.split_once('=')
            && section.ends_with("dependencies")
            && !line.starts_with('#')
        {
            let key = key.trim().trim_end_matches(".workspace");
            // `net = { package = "rustls" }` is rustls under another name.
            let renamed = value.split_once("package").and_then(|(_, rest)| rest.split('"').nth(1));
            named.add(&section, renamed.unwrap_or(key));
        }
    }
    named
}

impl Named {
    fn add(&mut self, section: &str, name: &str) {
        let is_for_tests = section.ends_with("dev-dependencies");
        let names = if is_for_tests { &mut self.in_tests } else { &mut self.always };
        names.insert(name.trim_matches('"').to_owned());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All crates of the workspace and what they name.
fn manifests() -> BTreeMap<String, Named> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).expect("the workspace has a folder of crates") {
        let folder = entry.expect("the folder can be read").path();
        if let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) {
            let name = folder.file_name().expect("it has a name").to_string_lossy().into_owned();
            found.insert(name, scan(&manifest));
        }
    }
    found
}

/// Fails with every fault and the way out.
fn report(faults: &[String], way_out: &str) {
    assert!(faults.is_empty(), "\n{}\n\nwhat to do: {way_out}\n", faults.join("\n"));
}

#[test]
fn arrows_between_crates_go_down_only() {
    let above: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let is_ours = |name: &str| above.contains_key(name) || GROUND.contains(&name);
    let mut faults = Vec::new();
    for (name, named) in manifests() {
        if !is_ours(&name) {
            faults.push(format!("crates/{name} has no place in the layers"));
            continue;
        }
        let may_know = |other: &str| match above.get(name.as_str()) {
            Some(below) => GROUND.contains(&other) || below.contains(&other),
            None => false,
        };
        for other in named.always.iter().filter(|other| is_ours(other) && !may_know(other)) {
            faults.push(format!("crates/{name}/Cargo.toml: `{name}` may not know `{other}`"));
        }
        let in_tests = |other: &str| may_know(other) || other == ALLOWED_IN_TESTS;
        for other in named.in_tests.iter().filter(|other| is_ours(other) && !in_tests(other)) {
            faults
                .push(format!("crates/{name}/Cargo.toml: not even the tests of `{name}` may know `{other}`"));
        }
    }
    report(
        &faults,
        "let a crate further up bring the two together, by plain values or by a trait; or move the type that both \
         need down to `page`. If the layers themselves must change, change GROUND and ALLOWED in crates/page/tests/arrows.rs \
         and the map in ARCHITECTURE.md in the same commit.",
    );
}

#[test]
fn heavy_libraries_are_named_where_they_belong() {
    let manifests = manifests();
    let mut faults = Vec::new();
    for &(library, owners) in HEAVY {
        for (name, named) in &manifests {
            if named.always.contains(library) && !owners.contains(&name.as_str()) {
                let owners = owners.join("` and `");
                faults.push(format!("crates/{name}/Cargo.toml: `{library}` belongs to `{owners}`"));
            }
        }
        for owner in owners.iter().filter(|owner| !manifests[**owner].always.contains(library)) {
            faults.push(format!("crates/{owner}/Cargo.toml: `{owner}` no longer uses `{library}`"));
        }
    }
    report(
        &faults,
        "ask the crate that owns the library for what you need, in types of `page`; for tests, name it under \
         [dev-dependencies]. If a library moved or went, change HEAVY in crates/page/tests/arrows.rs.",
    );
}

#[test]
fn every_crate_says_what_it_is_for_and_is_safe() {
    let mut faults = Vec::new();
    for name in manifests().keys() {
        let folder = root().join("crates").join(name).join("src");
        let library = fs::read_to_string(folder.join("lib.rs")).ok();
        let Some(text) = library.clone().or_else(|| fs::read_to_string(folder.join("main.rs")).ok()) else {
            faults.push(format!("crates/{name}/src: there is neither lib.rs nor main.rs"));
            continue;
        };
        if !text.starts_with("//!") {
            faults.push(format!("crates/{name}/src: the first line does not say which question it answers"));
        }
        let forbids = text.lines().any(|line| line == "#![forbid(unsafe_code)]");
        let excused = MAY_BE_UNSAFE.iter().any(|(crate_name, _)| crate_name == name);
        if library.is_some() && forbids == excused {
            faults.push(format!(
                "crates/{name}/src/lib.rs: forbids unsafe code: {forbids}, excused: {excused}"
            ));
        }
    }
    report(
        &faults,
        "begin the file with `//!` and one sentence that answers the crate's question, and put \
         #![forbid(unsafe_code)] behind it. Where unsafe code pays, give the reason in MAY_BE_UNSAFE in \
         crates/page/tests/arrows.rs; where it no longer does, take the crate off that list.",
    );
}

#[test]
fn the_map_shows_every_crate() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("there is a map");
    let mut faults = Vec::new();
    for name in manifests().keys() {
        if !map.contains(&format!("| `{name}` |")) {
            faults.push(format!("ARCHITECTURE.md: `{name}` has no line in the map of crates"));
        }
    }
    report(
        &faults,
        "give it a line in the map: its name, the question it answers, and where to begin reading.",
    );
}

#[test]
fn every_test_that_the_map_names_exists() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("there is a map");
    let mut sources = String::new();
    gather_sources(&root().join("crates"), &mut sources);
    // Facts are long: whatever stands in code quotes and has two underscores is the name of a test.
    let is_fact = |name: &&str| {
        name.matches('_').count() >= 2 && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'))
    };
    let named: BTreeSet<&str> = map.split('`').skip(1).step_by(2).filter(is_fact).collect();
    assert!(named.len() > 30, "only {} tests were found in the map", named.len());
    let is_missing = |name: &&&str| !sources.contains(&format!("fn {name}("));
    let faults: Vec<String> = named
        .iter()
        .filter(is_missing)
        .map(|name| format!("ARCHITECTURE.md: there is no test `{name}`"))
        .collect();
    report(&faults, "name the test that took its place, or write it; an invariant without a test is a wish.");
}

#[test]
fn every_error_of_a_library_knows_its_hint_and_is_asked_for_it() {
    let asked = fs::read_to_string(root().join("crates/crivello/src/hints.rs")).expect("hints have a place");
    let mut faults = Vec::new();
    for name in manifests().keys().filter(|name| *name != "crivello") {
        let mut sources = String::new();
        gather_sources(&root().join("crates").join(name).join("src"), &mut sources);
        let errors = sources.matches("pub enum Error {").count();
        if sources.matches("pub fn hint(&self) -> Option<&'static str>").count() < errors {
            faults.push(format!("crates/{name}: an `Error` has no `hint()`"));
        }
        if errors > 0 && !asked.contains(&format!(" {name}::Error")) {
            faults.push(format!("crates/crivello/src/hints.rs: `{name}::Error` is not asked"));
        }
        // At the beginning of a text or of a line of it: elsewhere it is a field.
        if sources.contains("\"hint: ") || sources.contains("\\nhint: ") {
            faults.push(format!("crates/{name}: a text says `hint: ` by itself"));
        }
    }
    report(
        &faults,
        "a library's `Error` tells the next step by `hint()` and not in its text; the binary prints the first hint in \
         the chain of an error. Name the error in `hint_of`, and give it a row in the table of tests below it.",
    );
}

#[test]
fn nobody_below_the_binary_asks_for_the_date_or_the_environment() {
    // Written in two pieces, as they do not stand anywhere else.
    let forbidden = [concat!("SystemTime::", "now"), concat!("env::", "var"), concat!("Zoned::", "now")];
    let mut faults = Vec::new();
    for name in manifests().keys().filter(|name| *name != "crivello") {
        let mut sources = String::new();
        gather_sources(&root().join("crates").join(name).join("src"), &mut sources);
        for words in forbidden {
            // The one `SystemClock` is a noun of `page`; whoever needs it is given it.
            let allowed = usize::from(name == "page" && words.starts_with("SystemTime"));
            if sources.matches(words).count() > allowed {
                faults.push(format!("crates/{name}/src: `{words}`"));
            }
        }
    }
    report(&faults, "take a `page::Clock` or a plain value, and let the binary say which.");
}

#[test]
fn tests_that_skip_say_so_where_somebody_sees_it() {
    let mut faults = Vec::new();
    for name in manifests().keys() {
        for part in ["src", "tests"] {
            let (folder, mut sources) = (root().join("crates").join(name).join(part), String::new());
            if folder.is_dir() {
                gather_sources(&folder, &mut sources);
            }
            // Written in two pieces, so that this file is not found.
            if sources.contains(concat!("println!(\"", "skipped:")) {
                faults.push(format!("crates/{name}/{part}: a test says `skipped:` by println! or eprintln!"));
            }
        }
    }
    report(
        &faults,
        "write the line to `std::io::stderr()`: what is printed, a passing test keeps to itself.",
    );
}

#[test]
fn the_table_of_formats_has_the_versions_of_the_code() {
    let changes = fs::read_to_string(root().join("CHANGELOG.md")).expect("there is a list of changes");
    let rows: Vec<Vec<&str>> = changes
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("| `CR"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let (mut faults, mut seen) = (Vec::new(), 0);
    for name in manifests().keys().filter(|name| *name != "journal") {
        let mut sources = String::new();
        gather_sources(&root().join("crates").join(name).join("src"), &mut sources);
        for format in sources.split("Format { magic: *b\"").skip(1) {
            let (magic, rest) = format.split_once('"').expect("a magic number is in quotes");
            let Some(version) = rest.strip_prefix(", version: ").and_then(|rest| rest.split(' ').next())
            else {
                continue;
            };
            let constant = sources.split(&format!("const {version}: u32 = ")).nth(1);
            let version = constant.map_or(version, |rest| rest.split(';').next().expect("it has an end"));
            let code = format!("`{}`", magic.trim_end_matches("\\n"));
            let is_told = |row: &Vec<&str>| {
                row[2] == code && row[3].split(';').next().is_some_and(|told| told.trim() == version)
            };
            seen += 1;
            if !rows.iter().any(is_told) {
                faults.push(format!("CHANGELOG.md: the formats have no {code} of version {version}"));
            }
        }
    }
    assert!(seen > 12, "only {seen} formats were found");
    report(&faults, "say in the table what begins so, its version, and what becomes of earlier ones.");
}

fn gather_sources(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            gather_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).expect("sources are text"));
        }
    }
}

#[test]
fn the_scan_finds_names_however_they_are_written() {
    let manifest = r#"
        [package]
        name = "example"
        [dependencies]
        url.workspace = true
        # rustls = "1"
        net = { workspace = true, package = "rustls" }
        clap = { version = "4" } # for people
        [dependencies.axum]
        version = "0.8"
        [target.'cfg(unix)'.dependencies]
        libc = "0.2"
        [build-dependencies]
        cc = "1"
        [dev-dependencies]
        lab.workspace = true
        [dev-dependencies.proptest]
        workspace = true
        [lints]
        workspace = true
    "#;
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let expected = Named {
        always: set(&["url", "rustls", "clap", "axum", "libc", "cc"]),
        in_tests: set(&["lab", "proptest"]),
    };
    assert_eq!(scan(manifest), expected);
}
