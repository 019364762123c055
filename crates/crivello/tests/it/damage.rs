//! Damage in any file of a collection: whoever reads it says so, or does what it would have done without.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::command::{crivello, errors_of, succeeds, succeeds_with_json};

/// A collection of a few pages with everything that can be made of it, and the address of one page that has links.
struct Tiny {
    dir: tempfile::TempDir,
    collection: PathBuf,
    page: String,
}

impl Tiny {
    fn new() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let collection = dir.path().join("tiny.crivello");
        let web = ["--pages", "40", "--hosts", "3", "--slow-hosts", "0"];
        let how = ["demo", "--once", "--json", "--quiet", "--delay", "1ms", "--keep"];
        succeeds(&[&how[..], &[collection.to_str().unwrap()], &web].concat());
        let arcs = succeeds(&["export", collection.to_str().unwrap(), "arcs"]);
        let page = arcs.split(['\t', '\n']).next().unwrap().to_owned();
        Self { dir, collection, page }
    }

    /// Files by their names below the collection, in order.
    fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        gather(&self.collection, "", &mut found);
        found.sort();
        found
    }

    /// Another copy of the collection.
    fn copied(&self, name: &str) -> PathBuf {
        let copy = self.dir.path().join(name);
        for file in self.files() {
            let to = copy.join(&file);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(self.collection.join(&file), to).unwrap();
        }
        copy
    }
}

fn gather(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            gather(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push(name);
        }
    }
}

/// A command that reads a collection: its words, where `DIR` is the collection and `PAGE` a page.
type Words = &'static [&'static str];

const STATS: Words = &["stats", "DIR", "--json"];
const FAILED: Words = &["stats", "DIR", "--failed", "--json"];
const PAGES: Words = &["export", "DIR", "pages"];
const ARCS: Words = &["export", "DIR", "arcs"];
const RANKS: Words = &["export", "DIR", "ranks"];
const HOSTS: Words = &["export", "DIR", "hosts"];
const BV: Words = &["export", "DIR", "graph", "-o", "DIR/exported"];
const SEARCH: Words = &["search", "DIR", "harbour OR the OR of OR a", "--json", "-n", "100"];
const RELATED: Words = &["related", "DIR", "PAGE", "--json"];
const LINKS: Words = &["graph", "DIR", "--links", "PAGE", "--json"];
const BACKLINKS: Words = &["graph", "DIR", "--backlinks", "PAGE", "--json"];
const NEAR: Words = &["graph", "DIR", "--near", "PAGE"];
const DEDUP: Words = &["dedup", "DIR", "--groups"];
const GRAPH: Words = &["graph", "DIR", "--json"];
const INDEX: Words = &["index", "DIR", "--json"];
const BUILD: Words = &["build", "DIR", "--json"];
/// Goes on with the crawl: nothing is left to fetch, and nobody serves the web any more.
const CRAWL: Words = &["crawl", "DIR", "--delay", "0", "--json"];

const ALL: [Words; 17] = [
    STATS, FAILED, PAGES, ARCS, RANKS, HOSTS, BV, SEARCH, RELATED, LINKS, BACKLINKS, NEAR, DEDUP, GRAPH,
    INDEX, BUILD, CRAWL,
];

fn run(words: Words, collection: &Path, page: &str) -> Output {
    let dir = collection.to_str().unwrap();
    let words = words.iter().map(|word| word.replace("DIR", dir).replace("PAGE", page));
    crivello().args(words).args(["--quiet"]).output().unwrap()
}

/// What a command answered, without what differs from run to run or tells of places and sizes on disk.
fn answer_of(words: Words, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Ok(mut json) = serde_json::from_str::<Value>(&text) else { return text };
    if words[0] != "search" && words[0] != "stats" && !words.contains(&"PAGE") {
        // Reports of work that was done: what came of it is read by the others.
        return String::new();
    }
    for name in ["took_us", "took_ms", "store_bytes", "elapsed_seconds"] {
        json.as_object_mut().unwrap().remove(name);
    }
    for result in json.get_mut("results").and_then(Value::as_array_mut).into_iter().flatten() {
        result.as_object_mut().unwrap().remove("collection");
    }
    json.to_string()
}

/// It said that something is wrong, and in which folder of the collection.
fn is_told(output: &Output, folder: &Path) -> bool {
    let errors = errors_of(output);
    assert!(!errors.contains("panicked"), "{errors}");
    errors.contains(folder.to_str().unwrap())
}

#[test]
fn a_page_table_cut_anywhere_is_told_by_every_command_that_reads_the_collection() {
    let tiny = Tiny::new();
    let table = tiny.collection.join("store/pages.tbl");
    let whole = std::fs::read(&table).unwrap();
    let cuts = [0, 9, 16, 17, whole.len() / 3, whole.len() / 2, whole.len() - 1];
    for (number, words) in ALL.into_iter().enumerate() {
        let cut = cuts[number % cuts.len()];
        std::fs::write(&table, &whole[..cut]).unwrap();
        let output = run(words, &tiny.collection, &tiny.page);
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}, cut at {cut}: {errors}");
        assert!(errors.contains("pages.tbl") && errors.contains("hint:"), "{words:?}: {errors}");
        assert!(output.stdout.is_empty(), "{words:?} shows a part as if it were all");
    }
    std::fs::write(&table, &whole[..whole.len() / 2]).unwrap();
    let output = crivello().arg("inspect").arg(&table).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", errors_of(&output));
    assert!(errors_of(&output).contains("pages.tbl` has lost pages"), "{}", errors_of(&output));
    std::fs::remove_file(tiny.collection.join("store/safe")).unwrap();
    assert_eq!(run(STATS, &tiny.collection, &tiny.page).status.code(), Some(0), "the way out leads out");
}

/// Every command on every file, and more kinds of damage: minutes instead of seconds.
fn is_long() -> bool {
    std::env::var_os("CRIVELLO_LONG_TESTS").is_some()
}

/// Who reads a file. `graph`, `dedup`, `index` and `build` make their own parts anew; then searches are as before.
fn readers_of(file: &str) -> &'static [Words] {
    if is_long() {
        return &ALL;
    }
    match file.split('/').next().unwrap() {
        "store" => &[STATS, PAGES, ARCS, SEARCH, BUILD],
        "sieve" | "frontier" => &[CRAWL],
        "dedup" => &[STATS, SEARCH, DEDUP],
        "graph" => &[STATS, RANKS, BV, SEARCH, LINKS, NEAR],
        "documents" => &[PAGES, SEARCH, DEDUP, INDEX, BUILD],
        "index" => &[SEARCH],
        "known" => &[SEARCH, BUILD],
        "latent" => &[RELATED, BUILD],
        _ => &[STATS, SEARCH, CRAWL],
    }
}

/// What can happen to a file.
fn damages(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let half = bytes.len() / 2;
    let flipped = |place: usize| {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= 0x10;
        bytes
    };
    let mut zeroed = bytes.to_vec();
    zeroed[bytes.len() / 3..].iter_mut().take(64).for_each(|byte| *byte = 0);
    let mut damages = vec![("flipped", flipped(half)), ("zeroed", zeroed), ("cut", bytes[..half].to_vec())];
    if is_long() {
        damages.extend([("emptied", Vec::new()), ("shortened", bytes[..bytes.len() - 1].to_vec())]);
        damages.extend([("flipped first", flipped(0)), ("flipped last", flipped(bytes.len() - 1))]);
    }
    damages
}

#[test]
fn damage_in_any_file_is_told_or_has_no_effect() {
    let tiny = Tiny::new();
    let expected = |words: Words| {
        let output = run(words, &tiny.copied("whole"), &tiny.page);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", errors_of(&output));
        std::fs::remove_dir_all(tiny.dir.path().join("whole")).unwrap();
        answer_of(words, &output)
    };
    let expected: Vec<(Words, String)> = ALL.into_iter().map(|words| (words, expected(words))).collect();
    let mut files = tiny.files();
    if !is_long() {
        // There are dozens of columns like the first.
        files.retain(|file| !file.starts_with("dedup/keys.") || file.ends_with("000.col"));
    }
    let faults = std::thread::scope(|scope| {
        let halves = files.chunks(files.len().div_ceil(2));
        let work = halves.enumerate().map(|(number, files)| {
            let (tiny, expected) = (&tiny, &expected);
            scope.spawn(move || {
                let copy = tiny.copied(&format!("copy-{number}"));
                files.iter().flat_map(|file| faults_of(tiny, &copy, file, expected)).collect::<Vec<_>>()
            })
        });
        work.collect::<Vec<_>>().into_iter().flat_map(|half| half.join().unwrap()).collect::<Vec<String>>()
    });
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// All commands that neither tell what is wrong with a file nor answer as they did.
fn faults_of(tiny: &Tiny, copy: &Path, file: &str, expected: &[(Words, String)]) -> Vec<String> {
    let whole = std::fs::read(tiny.collection.join(file)).unwrap();
    let mut faults = Vec::new();
    if whole.is_empty() {
        return faults;
    }
    for (damage, bytes) in damages(&whole) {
        for words in readers_of(file) {
            std::fs::write(copy.join(file), &bytes).unwrap();
            let folder = copy.join(file.split('/').next().unwrap());
            let check = |words: Words| {
                let output = run(words, copy, &tiny.page);
                let (_, before) = expected.iter().find(|(command, _)| *command == words).unwrap();
                let is_well = output.status.code() == Some(0);
                let is_right = is_well && answer_of(words, &output) == *before;
                let fault = format!("{:?} {}", output.status.code(), errors_of(&output));
                ((!is_right && !is_told(&output, &folder)).then_some(fault), is_well)
            };
            let (mut fault, is_well) = check(words);
            if writes(words) && is_well && fault.is_none() {
                // Whoever writes and says that all is well has made it well, or the next one tells.
                fault = check(SEARCH).0;
            }
            faults.extend(fault.map(|fault| format!("{file} {damage}: {words:?} {fault}")));
            if writes(words) {
                std::fs::remove_dir_all(copy).unwrap();
                tiny.copied(copy.file_name().unwrap().to_str().unwrap());
            }
        }
        std::fs::write(copy.join(file), &whole).unwrap();
    }
    faults
}

/// Does it leave other files than it found?
fn writes(words: Words) -> bool {
    matches!(words[0], "build" | "dedup" | "index" | "crawl") || words == GRAPH || words == BV
}

#[test]
fn a_crawl_that_is_writing_is_not_taken_for_damage() {
    let tiny = Tiny::new();
    let pages =
        || succeeds_with_json(&["stats", tiny.collection.to_str().unwrap(), "--json"])["pages"].clone();
    let before = pages();
    // A record that its writer has not finished, as a reader may find it at any moment.
    let table = tiny.collection.join("store/pages.tbl");
    let mut bytes = std::fs::read(&table).unwrap();
    bytes.extend([40, 0, 0, 0, 1, 2, 3]);
    std::fs::write(&table, bytes).unwrap();
    assert_eq!(pages(), before);
}
